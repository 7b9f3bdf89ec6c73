//! The radius of a sphere from coordinates grows by at most twice the Lipschitz constant of each
//! mode times the radius at rest (James and Pai 2004, appendix A, equation 15).

use std::sync::Arc;

use pliant::bound::SphereCenter;
use pliant::deform::Modes;
use pliant::glam::DVec3;
use pliant::tree::{BuildSettings, primitive_runs};
use pliant::{Body, Collide as _, Mesh};
use pliant_scenes::{curtain, fish};

/// Nodes of more vertices are left out: pairs of vertices are looked at.
const MOST: usize = 120;

/// Rows are rounded up to `f32`, by a few steps.
const ROUNDING: f64 = 1e-5;

/// The least L with |u_i - u_k| <= L |p_i - p_k| for some vertices; infinite where two at one place
/// part.
fn lipschitz(vertices: &[u32], rest: &[DVec3], field: impl Fn(u32) -> DVec3) -> f64 {
    let mut largest: f64 = 0.0;
    for (at, &i) in vertices.iter().enumerate() {
        for &k in &vertices[..at] {
            let (moved, apart) =
                ((field(i) - field(k)).length(), rest[i as usize].distance(rest[k as usize]));
            if moved > 0.0 {
                largest = largest.max(moved / apart);
            }
        }
    }
    largest
}

/// Checks nodes of a body; returns how many numbers were compared, and the nearest to the bound.
fn check(mesh: &Mesh, fields: &[Vec<DVec3>], step: usize) -> (usize, f64) {
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), fields).unwrap());
    let settings = BuildSettings::default();
    let spheres =
        Body::reduced_spheres(mesh.clone(), Arc::clone(&modes), SphereCenter::Mean, &settings);
    let spheres = spheres.unwrap();
    let (mut compared, mut nearest) = (0, 0.0_f64);
    for (node, run) in primitive_runs(spheres.tree()).into_iter().enumerate().step_by(step) {
        let triangles = &spheres.tree().primitives[run.start as usize..run.end as usize];
        let corners = triangles.iter().flat_map(|&t| mesh.triangles()[t as usize]);
        let mut vertices: Vec<u32> = corners.collect();
        vertices.sort_unstable();
        vertices.dedup();
        if vertices.len() > MOST {
            continue;
        }
        let rows = spheres.sphere_rows(node as u32).unwrap();
        let radius = f64::from(rows[0].radius);
        for (mode, row) in rows[1..].iter().enumerate() {
            let field = |vertex: u32| modes.of(vertex as usize)[mode].as_dvec3();
            let bound = 2.0 * lipschitz(&vertices, mesh.positions(), field) * radius;
            let grown = f64::from(row.radius);
            let largest = vertices.iter().map(|&v| field(v).length()).fold(0.0, f64::max);
            assert!(
                grown <= bound * (1.0 + ROUNDING) + ROUNDING * largest,
                "node {node}, mode {mode}: {grown} above {bound}"
            );
            compared += 1;
            nearest = nearest.max(grown / bound);
        }
    }
    (compared, nearest)
}

#[test]
fn growth_is_at_most_twice_the_lipschitz_constant_times_the_radius() {
    let cloth = curtain(0).unwrap();
    let (compared, nearest) = check(&cloth.mesh, &cloth.modes, 29);
    assert!(compared > 5000 && nearest > 0.4, "{compared}, {nearest}");
    let fish = fish().unwrap();
    let (compared, nearest) = check(&fish.mesh, &fish.modes, 53);
    assert!(compared > 1000 && nearest > 0.4, "{compared}, {nearest}");
}
