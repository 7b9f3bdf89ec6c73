//! Patches: subtrees of a body's tree whose motion is known apart.

use std::collections::BinaryHeap;

use crate::Mesh;
use crate::tree::{Tree, primitive_runs};

/// A body's triangles in a few dozen patches, each a subtree.
///
/// A hand moves farther than the shoulder: what is known of the motion of each patch is much less
/// than what is known of the body as a whole.
#[derive(Debug)]
pub(crate) struct Patches {
    /// For each node the patch that it is in. Nodes above all patches have the number after the last.
    of_node: Vec<u8>,
    of_primitive: Vec<u8>,
    /// The vertices of each patch, each once; where those of each patch begin, and the end.
    vertices: Vec<u32>,
    starts: Vec<u32>,
}

/// A number per patch, one for the body as a whole, and zeros up to the end: an index of 8 bits
/// needs no check.
pub(crate) type PerPatch<T> = [T; 256];

/// The most patches. The number after the last is the body as a whole.
const MOST: usize = 255;

/// Subtrees of fewer triangles are not divided: the motion of neighbours is about the same.
const LEAST_TRIANGLES: u32 = 16;

impl Patches {
    /// Divides the largest subtree until there are enough.
    pub(crate) fn new(mesh: &Mesh, tree: &Tree) -> Self {
        let runs = primitive_runs(tree);
        let mut open: BinaryHeap<(u32, u32)> = BinaryHeap::new();
        let size = |node: u32| runs[node as usize].len() as u32;
        open.extend((!tree.nodes.is_empty()).then(|| (size(0), 0)));
        let mut roots = Vec::new();
        while let Some((triangles, number)) = open.pop() {
            let node = tree.node(number);
            let divided = roots.len() + open.len() + node.count() as usize;
            if node.is_leaf() || triangles <= LEAST_TRIANGLES || divided > MOST {
                roots.push(number);
            } else {
                open.extend(node.range().map(|child| (size(child), child)));
            }
        }
        roots.sort_unstable();
        let whole = roots.len() as u8;
        let mut made = Self {
            of_node: vec![whole; tree.nodes.len()],
            of_primitive: vec![whole; mesh.triangles().len()],
            vertices: Vec::new(),
            starts: vec![0],
        };
        let mut last_patch = vec![usize::MAX; mesh.positions().len()];
        for (patch, &root) in roots.iter().enumerate() {
            made.of_node[root as usize] = patch as u8;
            let run = &runs[root as usize];
            for &triangle in &tree.primitives[run.start as usize..run.end as usize] {
                made.of_primitive[triangle as usize] = patch as u8;
                for vertex in mesh.triangles()[triangle as usize] {
                    if std::mem::replace(&mut last_patch[vertex as usize], patch) != patch {
                        made.vertices.push(vertex);
                    }
                }
            }
            made.starts.push(made.vertices.len() as u32);
        }
        // Children come after their parents.
        for (number, node) in tree.nodes.iter().enumerate() {
            let own = made.of_node[number];
            if own != whole && !node.is_leaf() {
                node.range().for_each(|child| made.of_node[child as usize] = own);
            }
        }
        made
    }

    /// Patches of other things than triangles, which are their own vertices: the patch of each node
    /// and of each primitive, in whose order patches ascend.
    pub(crate) fn of_runs(of_node: Vec<u8>, of_primitive: Vec<u8>) -> Self {
        let count = of_primitive.last().map_or(0, |&last| usize::from(last) + 1);
        let start = |patch: usize| of_primitive.partition_point(|&own| usize::from(own) < patch);
        let starts = (0..=count).map(|patch| start(patch) as u32).collect();
        Self { of_node, vertices: (0..of_primitive.len() as u32).collect(), of_primitive, starts }
    }

    /// How many patches there are.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The vertices of a patch.
    pub(crate) fn vertices(&self, patch: usize) -> &[u32] {
        &self.vertices[self.starts[patch] as usize..self.starts[patch + 1] as usize]
    }

    /// The patch of a node, or the body as a whole.
    #[inline]
    pub(super) fn of_node(&self, node: u32) -> u8 {
        self.of_node[node as usize]
    }

    /// The patch of a triangle or bead.
    #[inline]
    pub(super) fn of_primitive(&self, triangle: u32) -> u8 {
        self.of_primitive[triangle as usize]
    }
}

/// How far a body moved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Travel<'a> {
    /// Its patches.
    pub(crate) patches: &'a Patches,
    /// How far a vertex of each patch went at most since the front was made.
    pub(crate) moved: &'a PerPatch<f64>,
    /// How far it went in the last step.
    pub(crate) step: &'a PerPatch<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::{BuildSettings, build_over_mesh};

    #[test]
    fn every_triangle_is_in_one_patch_with_its_vertices_and_nodes() {
        for side in [1, 3, 20, 60] {
            let mesh = bumpy_sheet(side, 0.3);
            let tree = build_over_mesh(&mesh, &BuildSettings::default()).unwrap();
            let patches = Patches::new(&mesh, &tree);
            let count = patches.count();
            assert!((1..=MOST).contains(&count) && (side < 60 || count > 100), "{count}");
            for (triangle, corners) in mesh.triangles().iter().enumerate() {
                let own = patches.vertices(usize::from(patches.of_primitive(triangle as u32)));
                assert!(corners.iter().all(|vertex| own.contains(vertex)));
            }
            for patch in 0..count {
                let mut own = patches.vertices(patch).to_vec();
                own.sort_unstable();
                assert!(own.windows(2).all(|pair| pair[0] != pair[1]));
            }
            for (number, node) in (0..).zip(&tree.nodes) {
                let own = patches.of_node(number);
                for &triangle in tree.leaf_primitives(*node) {
                    assert_eq!(patches.of_primitive(triangle), own);
                }
                if usize::from(own) < count && !node.is_leaf() {
                    assert!(node.range().all(|child| patches.of_node(child) == own));
                }
            }
        }
    }
}
