//! What is wrong with a mesh, counted exactly.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use glam::{DVec3, Vec3Swizzles as _};
use pliant::Mesh;
use pliant::contact::orient2d;
use serde::Serialize;

/// What a mesh has that a surface should not have. Vertices that rest at one place count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Health {
    /// Triangles whose corners lie on one line or in one point, exactly.
    pub(crate) degenerate_triangles: usize,
    /// Triangles with the same three corners as an earlier one.
    pub(crate) duplicated_faces: usize,
    /// Edges of more than two triangles.
    pub(crate) non_manifold_edges: usize,
    /// Edges of one triangle: where a surface that is not closed ends.
    pub(crate) boundary_edges: usize,
}

impl Health {
    /// What will hurt, in words; a border does not.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let mut warn = |count: usize, one: &str, many: &str, why: &str| match count {
            0 => {}
            1 => warnings.push(format!("1 {one}: {why}")),
            _ => warnings.push(format!("{count} {many}: {why}")),
        };
        warn(
            self.degenerate_triangles,
            "degenerate triangle",
            "degenerate triangles",
            "without area, they collide as the segments or points that they are",
        );
        warn(
            self.duplicated_faces,
            "duplicated face",
            "duplicated faces",
            "each contact with them is found more than once",
        );
        warn(
            self.non_manifold_edges,
            "non-manifold edge",
            "non-manifold edges",
            "more than two triangles meet there, so there is no inside",
        );
        warnings
    }
}

/// Counts what is wrong with a mesh at rest.
pub(crate) fn health(mesh: &Mesh) -> Health {
    let place = |vertex: u32| mesh.places()[vertex as usize];
    let mut degenerate_triangles = 0;
    let mut duplicated_faces = 0;
    let mut faces = HashSet::new();
    let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
    for triangle in mesh.triangles() {
        let corners = triangle.map(place);
        if has_no_area(corners.map(|corner| mesh.positions()[corner as usize])) {
            degenerate_triangles += 1;
        }
        let mut face = corners;
        face.sort_unstable();
        if !faces.insert(face) {
            duplicated_faces += 1;
        }
        for i in 0..3 {
            let (from, to) = (corners[i], corners[(i + 1) % 3]);
            // An edge from a place to itself is no edge.
            if from != to {
                *edges.entry([from.min(to), from.max(to)]).or_default() += 1;
            }
        }
    }
    Health {
        degenerate_triangles,
        duplicated_faces,
        non_manifold_edges: edges.values().filter(|&&uses| uses > 2).count(),
        boundary_edges: edges.values().filter(|&&uses| uses == 1).count(),
    }
}

/// Whether three points lie on one line, which is so exactly if they do in all three projections.
fn has_no_area([a, b, c]: [DVec3; 3]) -> bool {
    orient2d(a.xy(), b.xy(), c.xy()) == Ordering::Equal
        && orient2d(a.yz(), b.yz(), c.yz()) == Ordering::Equal
        && orient2d(a.zx(), b.zx(), c.zx()) == Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_counted() {
        let positions = vec![
            DVec3::ZERO,
            DVec3::X,
            DVec3::Y,
            DVec3::Z,
            DVec3::X * 0.5,
            DVec3::NEG_Y,
            DVec3::ZERO, // the first again
        ];
        let closed = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [6, 0, 0], [1, 2, 3]];
        let about = |triangles: &[[u32; 3]]| {
            health(&Mesh::new(positions.clone(), triangles.to_vec()).unwrap())
        };
        let sound = Health {
            degenerate_triangles: 0,
            duplicated_faces: 0,
            non_manifold_edges: 0,
            boundary_edges: 0,
        };
        assert_eq!(about(&closed), Health { degenerate_triangles: 1, ..sound });
        // A seam is no border: vertex 6 lies where vertex 0 does.
        let seam = [[0, 2, 1], [6, 1, 3], [0, 3, 2], [1, 2, 3]];
        assert_eq!(about(&seam), sound);
        assert_eq!(about(&seam[..3]), Health { boundary_edges: 3, ..sound });
        // A fin on an edge of the closed surface.
        let fin = [&seam[..], &[[0, 1, 5]]].concat();
        let expected = Health { non_manifold_edges: 1, boundary_edges: 2, ..sound };
        assert_eq!(about(&fin), expected);
        // The same face turned over, and three points on a line.
        let twice = about(&[[0, 1, 2], [2, 1, 6], [0, 1, 4]]);
        assert_eq!((twice.duplicated_faces, twice.degenerate_triangles), (1, 1));
        assert_eq!(twice.warnings().len(), 3);
    }

    #[test]
    fn area_is_judged_exactly() {
        let sliver = [DVec3::ZERO, DVec3::X * 1e200, DVec3::new(5e199, 1e-200, 0.0)];
        assert!(!has_no_area(sliver));
        assert!(has_no_area([DVec3::ONE, DVec3::ONE * 3.0, DVec3::ONE * -7.0]));
    }
}
