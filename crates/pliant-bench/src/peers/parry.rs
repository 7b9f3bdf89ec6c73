//! parry3d on our input.

use anyhow::{Result, anyhow};
use glam::DVec3;
use parry3d::math::Vector;
use parry3d::shape::{TriMesh, TriMeshFlags};
use pliant::Mesh;
use pliant::contact::triangles_touch;

/// Positions in parry3d's precision.
pub(crate) fn vertices(positions: &[DVec3]) -> Vec<Vector> {
    positions.iter().map(|p| Vector::new(p.x as f32, p.y as f32, p.z as f32)).collect()
}

/// A mesh that parry3d is told will deform.
pub(crate) fn deformable(mesh: &Mesh) -> Result<TriMesh> {
    let (positions, triangles) = (vertices(mesh.positions()), mesh.triangles().to_vec());
    TriMesh::with_flags(positions, triangles, TriMeshFlags::DEFORMABLE)
        .map_err(|error| anyhow!("parry3d refused the mesh: {error}"))
}

/// Pairs of leaves whose boxes overlap.
pub(crate) fn leaf_pairs(a: &TriMesh, b: &TriMesh) -> Vec<(u32, u32)> {
    a.bvh().leaf_pairs(b.bvh(), |a, b| a.intersects(b)).collect()
}

/// All pairs that touch: parry3d's traversal with our exact test on our positions.
pub(crate) fn intersections(
    (a, a_mesh, a_positions): (&TriMesh, &Mesh, &[DVec3]),
    (b, b_mesh, b_positions): (&TriMesh, &Mesh, &[DVec3]),
) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (i, j) in a.bvh().leaf_pairs(b.bvh(), |a, b| a.intersects(b)) {
        if triangles_touch(&corners(a_mesh, a_positions, i), &corners(b_mesh, b_positions, j)) {
            pairs.push([i, j]);
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Positions between two frames, in parry3d's precision.
pub(crate) fn blend_into(to: &mut Vec<Vector>, first: &[DVec3], second: &[DVec3], share: f64) {
    to.clear();
    to.extend(first.iter().zip(second).map(|(a, b)| {
        let p = *a * (1.0 - share) + *b * share;
        Vector::new(p.x as f32, p.y as f32, p.z as f32)
    }));
}

/// Whether any pair touches: as [`intersections`], up to the first.
pub(crate) fn intersects(
    (a, a_mesh, a_positions): (&TriMesh, &Mesh, &[DVec3]),
    (b, b_mesh, b_positions): (&TriMesh, &Mesh, &[DVec3]),
) -> bool {
    let mut pairs = a.bvh().leaf_pairs(b.bvh(), |a, b| a.intersects(b));
    pairs.any(|(i, j)| {
        triangles_touch(&corners(a_mesh, a_positions, i), &corners(b_mesh, b_positions, j))
    })
}

fn corners(mesh: &Mesh, positions: &[DVec3], triangle: u32) -> [DVec3; 3] {
    mesh.triangles()[triangle as usize].map(|vertex| positions[vertex as usize])
}
