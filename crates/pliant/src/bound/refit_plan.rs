//! The order in which a bottom-up refit visits a tree.

use std::ops::Range;

use crate::Mesh;
use crate::tree::Tree;

/// Nodes per chunk: their boxes (32 bytes each) stay in the first-level cache between the pass over
/// leaves and the pass over inner nodes.
const CHUNK: usize = 512;

/// A run of leaves, followed by a run of inner nodes.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    /// The vertices that no chunk before this one uses.
    pub(super) vertices: Range<usize>,
    pub(super) leaves: Range<usize>,
    /// The leaves' triangles.
    pub(super) triangles: Range<usize>,
    pub(super) inner: Range<usize>,
}

/// The tree, rearranged for a refit without a branch that depends on the node.
///
/// Leaves and inner nodes alternate irregularly in a tree, and a branch on the kind is
/// mispredicted every few nodes. Here the nodes are divided into stretches, from the tree's end to
/// its root. All leaves of a stretch come before all inner nodes with children in that stretch.
///
/// Inner nodes are in descending order of their first child. A child has a larger number than its
/// parent, and its own children larger ones still: in this order children come before parents.
/// The children of all nodes together are the nodes 1 .. n, each once, so in a binary tree the
/// k-th pair of children is n-2-2k, n-1-2k.
#[derive(Debug)]
pub(super) struct RefitPlan {
    pub(super) chunks: Vec<Chunk>,
    /// The mesh's vertices in the order in which leaves first use them. A mesh may number its
    /// vertices in any order; in this one neighbours are close together.
    pub(super) vertices: Vec<u32>,
    /// The leaves in descending order of their numbers.
    pub(super) leaves: Vec<u32>,
    /// Corners of the leaves' triangles, leaf by leaf, as places in `vertices`.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The inner nodes in descending order of their first child.
    pub(super) inner: Vec<u32>,
    /// Whether every leaf has one triangle and every inner node two children.
    pub(super) plain: bool,
}

impl RefitPlan {
    pub(super) fn new(tree: &Tree, mesh: &Mesh) -> Self {
        let nodes = &tree.nodes;
        let mut plan = Self {
            chunks: Vec::with_capacity(nodes.len().div_ceil(CHUNK)),
            vertices: Vec::with_capacity(mesh.positions().len()),
            leaves: Vec::with_capacity(nodes.len() / 2 + 1),
            triangles: Vec::with_capacity(tree.primitives.len()),
            inner: Vec::with_capacity(nodes.len() / 2),
            plain: nodes.iter().all(|node| node.count() == if node.is_leaf() { 1 } else { 2 }),
        };
        // The parent of the run of children that begins at a node.
        let mut parent_of_first = vec![u32::MAX; nodes.len()];
        for (number, node) in (0u32..).zip(nodes).filter(|(_, node)| !node.is_leaf()) {
            parent_of_first[node.range().start as usize] = number;
        }
        let mut place_of_vertex = vec![u32::MAX; mesh.positions().len()];
        let mut place = |vertex: u32, vertices: &mut Vec<u32>| {
            let place = &mut place_of_vertex[vertex as usize];
            if *place == u32::MAX {
                *place = vertices.len() as u32;
                vertices.push(vertex);
            }
            *place
        };
        let mut end = nodes.len();
        while end > 0 {
            let start = (end - 1) / CHUNK * CHUNK;
            let before =
                [plan.vertices.len(), plan.leaves.len(), plan.triangles.len(), plan.inner.len()];
            for number in (start..end).rev() {
                if nodes[number].is_leaf() {
                    plan.leaves.push(number as u32);
                    for &triangle in tree.leaf_primitives(nodes[number]) {
                        let corners = mesh.triangles()[triangle as usize];
                        plan.triangles.push(corners.map(|v| place(v, &mut plan.vertices)));
                    }
                }
                if parent_of_first[number] != u32::MAX {
                    plan.inner.push(parent_of_first[number]);
                }
            }
            plan.chunks.push(Chunk {
                vertices: before[0]..plan.vertices.len(),
                leaves: before[1]..plan.leaves.len(),
                triangles: before[2]..plan.triangles.len(),
                inner: before[3]..plan.inner.len(),
            });
            end = start;
        }
        plan
    }
}
