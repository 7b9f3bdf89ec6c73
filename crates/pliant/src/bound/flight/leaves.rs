//! From vertices to leaves, and from nodes to parents: the ways along which a change goes up.

use std::ops::Range;

use crate::Mesh;
use crate::tree::Tree;

/// The leaves in which each vertex has a triangle.
#[derive(Debug)]
pub(in crate::bound) struct LeavesOfVertices {
    /// Where the leaves of each vertex begin, then where the last ones end.
    starts: Vec<u32>,
    leaves: Vec<u32>,
}

impl LeavesOfVertices {
    pub(in crate::bound) fn new(tree: &Tree, mesh: &Mesh) -> Self {
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
    pub(in crate::bound) fn of(&self, vertex: u32) -> &[u32] {
        let Range { start, end } = self.starts[vertex as usize]..self.starts[vertex as usize + 1];
        &self.leaves[start as usize..end as usize]
    }
}

/// The parent of each node. The root is its own parent.
pub(in crate::bound) fn parents(tree: &Tree) -> Vec<u32> {
    let mut parents = vec![0; tree.nodes.len()];
    for (number, node) in (0u32..).zip(&tree.nodes).filter(|(_, node)| !node.is_leaf()) {
        parents[node.range().start as usize..node.range().end as usize].fill(number);
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::{BuildSettings, build_over_mesh};

    #[test]
    fn every_corner_has_its_leaf_and_every_child_its_parent() {
        let mesh = bumpy_sheet(5, 0.0);
        let settings = BuildSettings { leaf_size: 3, ..BuildSettings::default() };
        let tree = build_over_mesh(&mesh, &settings).unwrap();
        let (leaves, parents) = (LeavesOfVertices::new(&tree, &mesh), parents(&tree));
        let mut corners = 0;
        for vertex in 0..mesh.positions().len() as u32 {
            for &leaf in leaves.of(vertex) {
                corners += 1;
                let triangles = tree.leaf_primitives(tree.node(leaf)).iter();
                let own = triangles.filter(|&&t| mesh.triangles()[t as usize].contains(&vertex));
                assert_eq!(own.count(), leaves.of(vertex).iter().filter(|&&l| l == leaf).count());
            }
        }
        assert_eq!(corners, 3 * mesh.triangles().len());
        for child in 1..tree.nodes.len() as u32 {
            let parent = tree.node(parents[child as usize]);
            assert!(!parent.is_leaf() && parent.range().contains(&child));
        }
    }
}
