//! Which triangle speaks for which vertex and edge.

use std::sync::OnceLock;

/// The vertices and edges for which a triangle speaks, as bits: 0 to 2 for its corners, 3 to 5 for
/// its edges (0 to 1, 1 to 2, 2 to 0).
///
/// Every vertex of a triangle, and every edge with two different vertices, belongs to one triangle:
/// the first that has it. So a loop over pairs of triangles that looks only at what they own meets
/// every pair of features once (Curtis, Tamstorf and Manocha 2008 call such triangles
/// representative).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OwnedFeatures(u8);

impl OwnedFeatures {
    /// Whether the triangle speaks for one of its corners, 0 to 2.
    #[inline]
    pub(crate) fn has_vertex(self, corner: usize) -> bool {
        self.0 >> corner & 1 != 0
    }

    /// Whether the triangle speaks for the edge that begins at one of its corners, 0 to 2.
    #[inline]
    pub(crate) fn has_edge(self, side: usize) -> bool {
        self.0 >> (3 + side) & 1 != 0
    }

    /// Whether the triangle speaks for any vertex.
    #[inline]
    pub(crate) fn has_vertices(self) -> bool {
        self.0 & 0b111 != 0
    }

    /// Whether the triangle speaks for any edge.
    #[inline]
    pub(crate) fn has_edges(self) -> bool {
        self.0 & 0b11_1000 != 0
    }
}

/// What each triangle owns. Vertices are told apart by their numbers, not by their places.
pub(super) fn owned_features(triangles: &[[u32; 3]], vertices: usize) -> Vec<OwnedFeatures> {
    let mut owned = vec![OwnedFeatures::default(); triangles.len()];
    let mut taken = vec![false; vertices];
    let mut edges: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * triangles.len());
    for (number, corners) in (0u32..).zip(triangles) {
        for side in 0..3u8 {
            let [from, to] = [side, (side + 1) % 3].map(|corner| corners[usize::from(corner)]);
            if !std::mem::replace(&mut taken[from as usize], true) {
                owned[number as usize].0 |= 1 << side;
            }
            if from != to {
                edges.push((from.min(to), from.max(to), number, side));
            }
        }
    }
    edges.sort_unstable();
    for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (_, _, number, side) = same[0];
        owned[number as usize].0 |= 8 << side;
    }
    owned
}

/// What triangles own, made when it is first asked for. It follows from the triangles, so that it
/// does not count where meshes are compared.
#[derive(Debug, Clone, Default)]
pub(super) struct OnceOwned(pub(super) OnceLock<Vec<OwnedFeatures>>);

impl PartialEq for OnceOwned {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_meshes::bumpy_sheet;
    use std::collections::HashSet;

    /// Collects what all triangles own; none may be owned twice.
    fn collect(triangles: &[[u32; 3]], vertices: usize) -> (HashSet<u32>, HashSet<[u32; 2]>) {
        let (mut points, mut edges) = (HashSet::new(), HashSet::new());
        for (own, corners) in owned_features(triangles, vertices).iter().zip(triangles) {
            for side in 0..3 {
                let [from, to] = [corners[side], corners[(side + 1) % 3]];
                assert!(!own.has_vertex(side) || points.insert(from));
                assert!(!own.has_edge(side) || edges.insert([from.min(to), from.max(to)]));
            }
            assert_eq!(own.has_vertices(), (0..3).any(|corner| own.has_vertex(corner)));
            assert_eq!(own.has_edges(), (0..3).any(|side| own.has_edge(side)));
        }
        (points, edges)
    }

    #[test]
    fn every_feature_belongs_to_one_triangle() {
        let mesh = bumpy_sheet(7, 0.3);
        let (points, edges) = collect(mesh.triangles(), mesh.positions().len());
        assert_eq!(points.len(), mesh.positions().len());
        // Euler: V - E + F = 1 for a disc.
        assert_eq!(points.len() + mesh.triangles().len(), edges.len() + 1);
    }

    #[test]
    fn degenerate_triangles_own_what_they_have() {
        let (points, edges) = collect(&[[0, 0, 1], [1, 0, 0], [2, 2, 2], [0, 1, 2]], 4);
        assert_eq!(points, HashSet::from([0, 1, 2]));
        assert_eq!(edges, HashSet::from([[0, 1], [1, 2], [0, 2]]));
    }
}
