//! A small language of library calls: bytes make bodies, set states and ask queries, and every answer
//! is compared with brute force.
//!
//! Any bytes are a program. Coordinates come from palettes: a small lattice, where everything meets in
//! corners, edges and planes, times powers of two up to the ends of `f32` and `f64`. A body's own space
//! and the world have units of their own, and the state maps one to the other.
//!
//! The fuzz target `library_calls` includes this folder, and `library_calls.rs` runs it on random bytes.

mod ask;
mod bytes;
mod made;

use ask::Scene;
use bytes::Bytes;
use made::Made;

/// What a run did, so that a test can see that it did something.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Done {
    /// Bodies that were made.
    pub(crate) bodies: usize,
    /// States that were set, refused ones not counted.
    pub(crate) states: usize,
    /// Pairs of triangles that touch.
    pub(crate) contacts: usize,
    /// Boxes and spheres that are not everything.
    pub(crate) bounded: usize,
    /// Rays that hit.
    pub(crate) hits: usize,
}

/// Runs a program. Panics if an answer is not that of brute force, if a bound misses a vertex or is
/// NaN, or if a refused state changes anything.
pub(crate) fn run(program: &[u8]) -> Done {
    let mut bytes = Bytes::new(program);
    let mut done = Done::default();
    let world = bytes.exponent();
    let count = 2 + bytes.below(3);
    let mut bodies: Vec<Made> = (0..count).filter_map(|_| Made::new(&mut bytes, world)).collect();
    done.bodies = bodies.len();
    if bodies.is_empty() {
        return done;
    }
    for _ in 0..12 {
        for body in &bodies {
            done.bounded += ask::enclosed(body);
        }
        let (first, second) = (bytes.below(bodies.len()), bytes.below(bodies.len()));
        let scene = Scene { bodies: &bodies, world };
        match bytes.below(8) {
            0 | 1 => done.contacts += scene.pairs(first, second),
            2 => done.contacts += scene.alone(first),
            3 => done.hits += scene.ray_and_point(&mut bytes, first),
            4 => scene.world(&mut bytes),
            _ => done.states += usize::from(bodies[first].set(&mut bytes, world)),
        }
        if bytes.is_empty() {
            break;
        }
    }
    let scene = Scene { bodies: &bodies, world };
    for first in 0..bodies.len() {
        for second in 0..=first {
            done.contacts += scene.pairs(first, second);
        }
    }
    done
}
