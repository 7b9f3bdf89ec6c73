//! No ray slips through a closed mesh, least of all at its edges and corners.

use std::collections::HashMap;

use pliant::contact::ray_triangle;
use pliant::glam::DVec3;
use pliant::volume::Ray;
use proptest::prelude::*;

struct Surface {
    positions: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
}

impl Surface {
    fn hits(&self, ray: &Ray) -> usize {
        let corners = |t: &[usize; 3]| t.map(|i| self.positions[i]);
        self.triangles.iter().filter(|t| ray_triangle(ray, &corners(t)).is_some()).count()
    }

    /// A point on a corner, an edge or inside a triangle, as rounded as it comes.
    fn target(&self, triangle: usize, kind: usize, (s, t): (f64, f64)) -> DVec3 {
        let [a, b, c] = self.triangles[triangle % self.triangles.len()].map(|i| self.positions[i]);
        match kind {
            0 => a,
            1 => a.midpoint(b),
            2 => a + (b - a) * s,
            _ => a + (b - a) * (s * 0.5) + (c - a) * (t * 0.5),
        }
    }
}

/// An icosahedron, each triangle divided into four so many times, on the unit sphere.
fn icosphere(divisions: u32) -> Surface {
    let golden = f64::midpoint(1.0, 5f64.sqrt());
    let mut positions = Vec::new();
    for (x, y) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        positions.extend([DVec3::new(x, y, 0.0), DVec3::new(0.0, x, y), DVec3::new(y, 0.0, x)]);
    }
    // The faces are the triples of neighbours, which are 2 apart.
    let near = |a: DVec3, b: DVec3| (a.distance(b) - 2.0).abs() < 0.1;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|i| positions[i]);
                if near(p, q) && near(q, r) && near(r, p) {
                    triangles.push([a, b, c]);
                }
            }
        }
    }
    assert_eq!(triangles.len(), 20);
    positions.iter_mut().for_each(|p| *p = p.normalize());
    for _ in 0..divisions {
        let mut middles = HashMap::new();
        let mut middle = |a: usize, b: usize| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                positions.push((positions[a] + positions[b]).normalize());
                positions.len() - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    Surface { positions, triangles }
}

/// A cube whose edges carry extra vertices on one side only, the gaps closed by triangles
/// whose corners lie on one line.
fn cube_with_collinear_triangles() -> Surface {
    let mut positions: Vec<DVec3> = (0..8)
        .map(|i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
        .collect();
    let faces =
        [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let mut triangles = Vec::new();
    for [a, b, c, d] in faces {
        // The diagonal a-c is split on the side of b; (a, m, c) fills the gap.
        let m = positions.len();
        positions.push(positions[a] + (positions[c] - positions[a]) * 0.25);
        triangles.extend([[a, b, m], [m, b, c], [a, m, c], [a, c, d]]);
    }
    Surface { positions, triangles }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// From inside of a bumpy ball, wherever it is and however large, every ray gets out
    /// by hitting something.
    #[test]
    fn rays_hit_a_bumpy_ball(
        bumps in prop::array::uniform32(0.8..1.2f64),
        inside in prop::array::uniform3(-0.3..0.3f64),
        (triangle, kind, weights) in (0..1280usize, 0..4usize, (0.0..1.0f64, 0.0..1.0f64)),
        scale in (-30..15i32).prop_map(|e| 10f64.powi(e)),
        far in prop_oneof![Just(0.0), Just(1e3), Just(1e7)],
    ) {
        let mut ball = icosphere(3);
        let center = DVec3::new(0.6, -0.7, 0.4) * far;
        for (i, p) in ball.positions.iter_mut().enumerate() {
            *p = (*p * bumps[i % 32] + center) * scale;
        }
        let inside = (DVec3::from_array(inside) + center) * scale;
        let target = ball.target(triangle, kind, weights);
        let out = Ray::new(inside, target - inside).unwrap();
        prop_assert!(ball.hits(&out) >= 1, "{out:?} to {target}");
        let through = Ray::new(target * 3.0 - inside * 2.0, inside - target).unwrap();
        prop_assert!(ball.hits(&through) >= 2, "{through:?} to {target}");
    }

    /// Axis-parallel and oblique rays at the corners and edges of a flat grid.
    #[test]
    fn rays_hit_a_tilted_grid(
        heights in prop::array::uniform16(-1.0..1.0f64),
        tilt in -2.0..2.0f64,
        (triangle, kind, weights) in (0..128usize, 0..4usize, (0.0..1.0f64, 0.0..1.0f64)),
        across in prop_oneof![Just((0.0, -0.0)), (-1.0..1.0f64, -1.0..1.0f64)],
    ) {
        let at = |i: usize, j: usize| {
            // Raised inside, flat border, so that no oblique ray leaves beside it.
            let inner = (1..8).contains(&i) && (1..8).contains(&j);
            let height = if inner { heights[(i * 3 + j) % 16] * 0.1 } else { 0.0 };
            DVec3::new(i as f64 / 7.0, j as f64 / 3.0, i as f64 * tilt + height)
        };
        let positions = (0..81).map(|k| at(k / 9, k % 9)).collect();
        let triangles = (0..64).flat_map(|k| {
            let corner = k / 8 * 9 + k % 8;
            [[corner, corner + 1, corner + 9], [corner + 1, corner + 10, corner + 9]]
        });
        let grid = Surface { positions, triangles: triangles.collect() };
        let target = grid.target(triangle, kind, weights);
        let border = |x: f64, end: f64| x <= 1e-9 || x >= end - 1e-9;
        // A ray at the outer border may pass it; there is no neighbour.
        if border(target.x, 8.0 / 7.0) || border(target.y, 8.0 / 3.0) {
            return Ok(());
        }
        let direction = DVec3::new(across.0 * 0.01, across.1 * 0.01, -1.0);
        let ray = Ray::new(target - direction * 0.5, direction).unwrap();
        prop_assert!(grid.hits(&ray) >= 1, "{ray:?} to {target}");
    }

    #[test]
    fn rays_hit_a_cube_with_collinear_triangles(
        inside in prop::array::uniform3(0.2..0.8f64),
        (triangle, kind, weights) in (0..24usize, 0..4usize, (0.0..1.0f64, 0.0..1.0f64)),
        turn in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let mut cube = cube_with_collinear_triangles();
        let turn = DVec3::from_array(turn);
        let place = |p: DVec3| p + turn * (p.dot(turn) * 3.0) + turn.cross(p);
        cube.positions.iter_mut().for_each(|p| *p = place(*p));
        let inside = place(DVec3::from_array(inside));
        let target = cube.target(triangle, kind, weights);
        let out = Ray::new(inside, target - inside).unwrap();
        prop_assert!(cube.hits(&out) >= 1, "{out:?} to {target}");
    }
}
