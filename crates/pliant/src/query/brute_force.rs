//! The same questions, answered by looking at every primitive.
//!
//! Twins of the queries beside this module, with the same signatures. They use
//! no bounds and no trees, so a test that compares the two sees every mistake
//! in either; people may use them on tiny bodies.

use super::{FoundPair, Intersections, Work};
use crate::body::Collide;
use crate::contact::triangles_touch;

/// Twin of [`intersections`](super::intersections).
#[must_use]
pub fn intersections<A: Collide, B: Collide>(a: &A, b: &B) -> Intersections {
    let mut found = Intersections::default();
    let triangles_b: Vec<_> = (0..triangles(b)).map(|j| b.triangle(j)).collect();
    for i in 0..triangles(a) {
        let triangle = a.triangle(i);
        for (j, other) in (0..).zip(&triangles_b) {
            found.work.primitive_tests += 1;
            if triangles_touch(&triangle, other) {
                found.pairs.push([i, j]);
            }
        }
    }
    found
}

/// Twin of [`intersects`](super::intersects); which pair it finds may differ.
#[must_use]
pub fn intersects<A: Collide, B: Collide>(a: &A, b: &B) -> FoundPair {
    let mut work = Work::default();
    for i in 0..triangles(a) {
        let triangle = a.triangle(i);
        for j in 0..triangles(b) {
            work.primitive_tests += 1;
            if triangles_touch(&triangle, &b.triangle(j)) {
                return FoundPair { pair: Some([i, j]), work };
            }
        }
    }
    FoundPair { pair: None, work }
}

/// Twin of [`self_intersections`](super::self_intersections).
#[must_use]
pub fn self_intersections<A: Collide>(body: &A) -> Intersections {
    let mut found = Intersections::default();
    for i in 0..triangles(body) {
        let triangle = body.triangle(i);
        for j in i + 1..triangles(body) {
            if body.adjacent(i, j) {
                continue;
            }
            found.work.primitive_tests += 1;
            if triangles_touch(&triangle, &body.triangle(j)) {
                found.pairs.push([i, j]);
            }
        }
    }
    found
}

/// How many triangles a body has.
fn triangles<A: Collide>(body: &A) -> u32 {
    body.tree().primitives.len() as u32
}
