//! A coarser mesh, for showing thousands of bodies.

use std::collections::BTreeMap;

use glam::DVec3;
use pliant::Mesh;

/// A coarser mesh.
#[derive(Debug, Clone)]
pub(super) struct Coarse {
    pub(super) positions: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// For each vertex one of the mesh that moves as it does.
    pub(super) stand_in: Vec<u32>,
}

/// A mesh of at most about so many triangles that looks alike from afar: vertices of one cell of a grid
/// become their mean (Rossignac and Borrel 1993). A mesh that is small enough stays as it is.
pub(super) fn coarse(mesh: &Mesh, triangles: usize) -> Coarse {
    if mesh.triangles().len() <= triangles {
        return Coarse {
            positions: mesh.positions().to_vec(),
            triangles: mesh.triangles().to_vec(),
            stand_in: (0..mesh.positions().len() as u32).collect(),
        };
    }
    let first = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let extend = |(low, high): (DVec3, DVec3), &p: &DVec3| (low.min(p), high.max(p));
    let (low, high) = mesh.positions().iter().fold(first, extend);
    let size = (high - low).max_element().max(f64::MIN_POSITIVE);
    let (mut fine, mut rough) = (size / 512.0, size);
    let mut best = clustered(mesh, low, rough);
    for _ in 0..12 {
        let side = (fine * rough).sqrt();
        let found = clustered(mesh, low, side);
        if found.triangles.len() <= triangles {
            (best, rough) = (found, side);
        } else {
            fine = side;
        }
    }
    best
}

fn clustered(mesh: &Mesh, low: DVec3, side: f64) -> Coarse {
    let mut cells: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let mut sums: Vec<(DVec3, f64)> = Vec::new();
    let mut stand_in = Vec::new();
    let number = |(vertex, position): (u32, &DVec3)| {
        let cell = ((*position - low) / side).to_array().map(|at| at.floor() as i64);
        let number = *cells.entry(cell).or_insert_with(|| {
            sums.push((DVec3::ZERO, 0.0));
            stand_in.push(vertex);
            sums.len() as u32 - 1
        });
        sums[number as usize].0 += *position;
        sums[number as usize].1 += 1.0;
        number
    };
    let number_of: Vec<u32> = (0..).zip(mesh.positions()).map(number).collect();
    let moved = mesh.triangles().iter().map(|corners| corners.map(|at| number_of[at as usize]));
    let mut kept: Vec<[u32; 3]> = moved.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    // Each triangle once, by its least corner first.
    for triangle in &mut kept {
        let least = (0..3).min_by_key(|&at| triangle[at]).unwrap_or(0);
        triangle.rotate_left(least);
    }
    kept.sort_unstable();
    kept.dedup();
    let positions = sums.into_iter().map(|(sum, count)| sum / count).collect();
    Coarse { positions, triangles: kept, stand_in }
}
