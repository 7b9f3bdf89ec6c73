//! From vertices to leaves and from nodes to parents: the ways of a change.

use std::ops::Range;

use crate::Mesh;
use crate::tree::Tree;

/// The leaves in which each vertex has a triangle.
#[derive(Debug, Clone)]
pub(super) struct LeavesOfVertices {
    /// Where each vertex's leaves begin, and where the last end.
    starts: Vec<u32>,
    leaves: Vec<u32>,
}

impl LeavesOfVertices {
    pub(super) fn new(tree: &Tree, mesh: &Mesh) -> Self {
        let mut starts = vec![0u32; mesh.positions().len() + 1];
        for &vertex in mesh.triangles().as_flattened() {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut next = starts.clone();
        let mut leaves = vec![0; mesh.triangles().len() * 3];
        for (number, &node) in (0u32..).zip(&tree.nodes) {
            for &triangle in tree.leaf_primitives(node) {
                for vertex in mesh.triangles()[triangle as usize] {
                    let place = &mut next[vertex as usize];
                    leaves[*place as usize] = number;
                    *place += 1;
                }
            }
        }
        Self { starts, leaves }
    }

    /// The leaves of a vertex, one for each of its triangles.
    pub(super) fn of(&self, vertex: u32) -> &[u32] {
        let Range { start, end } = self.starts[vertex as usize]..self.starts[vertex as usize + 1];
        &self.leaves[start as usize..end as usize]
    }
}

/// The parent of each node; the root is its own.
pub(super) fn parents(tree: &Tree) -> Vec<u32> {
    let mut parents = vec![0; tree.nodes.len()];
    for (number, node) in (0u32..).zip(&tree.nodes).filter(|(_, node)| !node.is_leaf()) {
        parents[node.range().start as usize..node.range().end as usize].fill(number);
    }
    parents
}
