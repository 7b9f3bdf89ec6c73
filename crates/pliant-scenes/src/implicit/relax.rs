//! Improvement of triangles without changing their number: edge flips and smoothing.

use std::collections::HashMap;

use pliant::glam::DVec3;

use super::part::onto_surface;
use super::{Part, Surface};

/// Flips edges wherever that increases the smallest angle, unless it would fold the surface or
/// create an edge that already exists.
pub(super) fn flip(surface: &mut Surface) {
    let Surface { positions, triangles } = surface;
    // The triangle to the left of each directed edge.
    let mut left = HashMap::with_capacity(triangles.len() * 3);
    for (number, &[a, b, c]) in triangles.iter().enumerate() {
        for edge in [[a, b], [b, c], [c, a]] {
            left.insert(edge, number);
        }
    }
    for number in 0..triangles.len() {
        for side in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|step| triangles[number][(side + step) % 3]);
            let Some(&other) = left.get(&[b, a]) else { continue };
            let Some(d) = triangles[other].into_iter().find(|v| *v != a && *v != b) else {
                continue;
            };
            if c == d || left.contains_key(&[c, d]) || left.contains_key(&[d, c]) {
                continue;
            }
            let place = |v: u32| positions[v as usize];
            let [now, then] = [[[a, b, c], [b, a, d]], [[a, d, c], [d, b, c]]]
                .map(|pair| pair.map(|corners| corners.map(place)));
            if !better(now, then) {
                continue;
            }
            triangles[number] = [a, d, c];
            triangles[other] = [d, b, c];
            left.remove(&[a, b]);
            left.remove(&[b, a]);
            for (triangle, corners) in [(number, [a, d, c]), (other, [d, b, c])] {
                let [p, q, r] = corners;
                for edge in [[p, q], [q, r], [r, p]] {
                    left.insert(edge, triangle);
                }
            }
            break;
        }
    }
}

/// Whether the second pair of triangles has a larger smallest angle and is about as smooth.
fn better(now: [[DVec3; 3]; 2], then: [[DVec3; 3]; 2]) -> bool {
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).normalize_or_zero();
    let sharpest = |pair: [[DVec3; 3]; 2]| {
        pair.iter().map(|&triangle| largest_cosine(triangle)).fold(-1.0, f64::max)
    };
    let before = now.map(normal);
    let after = then.map(normal);
    sharpest(then) < sharpest(now) - 1e-9
        && after[0].dot(after[1]) > 0.8
        && after.iter().all(|n| before.iter().all(|m| n.dot(*m) > 0.6))
}

/// The cosine of a triangle's smallest angle.
fn largest_cosine(corners: [DVec3; 3]) -> f64 {
    (0..3)
        .map(|i| {
            let [a, b, c] = [0, 1, 2].map(|step| corners[(i + step) % 3]);
            (b - a).normalize_or_zero().dot((c - a).normalize_or_zero())
        })
        .fold(-1.0, f64::max)
}

/// Moves each vertex halfway to the area-weighted centroid of its triangles, and back onto the
/// surface.
pub(super) fn spread(surface: &mut Surface, parts: &[Part]) {
    let Surface { positions, triangles } = surface;
    let mut sums = vec![(DVec3::ZERO, 0.0); positions.len()];
    for corners in triangles.iter() {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let area = (b - a).cross(c - a).length();
        for &corner in corners {
            let sum = &mut sums[corner as usize];
            sum.0 += area * (a + b + c) / 3.0;
            sum.1 += area;
        }
    }
    for (position, (sum, area)) in positions.iter_mut().zip(sums) {
        if area > 0.0 {
            *position = onto_surface(parts, (*position + sum / area) / 2.0);
        }
    }
}
