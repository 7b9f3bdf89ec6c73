//! Reference answers that test every pair of beads.

use super::{BeadTriangles, Cages, ClashMethod, Clashes, NearestBeads};
use crate::body::Collide;
use crate::contact::{ball_touches_triangle, balls_touch};
use crate::query::Work;
use crate::shape::Necklace;

/// Reference for [`clashes`](super::clashes()) and every other method for one necklace.
#[must_use]
pub fn clashes(necklace: &Necklace, min_gap: u32) -> Clashes {
    let beads = necklace.beads();
    let mut found =
        Clashes { pairs: Vec::new(), method: ClashMethod::BruteForce, work: Work::default() };
    for (i, a) in (0u32..).zip(beads) {
        for (j, b) in (0u32..).zip(beads).skip(i as usize + 1) {
            if !necklace.exempt(i, j, min_gap) {
                found.work.primitive_tests += 1;
                if balls_touch(a, b) {
                    found.pairs.push([i, j]);
                }
            }
        }
    }
    found
}

/// All clashes between two necklaces.
#[must_use]
pub fn clashes_between(first: &Necklace, second: &Necklace) -> Clashes {
    let mut found =
        Clashes { pairs: Vec::new(), method: ClashMethod::BruteForce, work: Work::default() };
    for (i, a) in (0u32..).zip(first.beads()) {
        for (j, b) in (0u32..).zip(second.beads()) {
            found.work.primitive_tests += 1;
            if balls_touch(a, b) {
                found.pairs.push([i, j]);
            }
        }
    }
    found
}

/// Reference for [`beads_against`](super::beads_against).
#[must_use]
pub fn beads_against<C: Cages, B: Collide>(cages: &C, body: &B) -> BeadTriangles {
    let mut found = BeadTriangles::default();
    for (i, bead) in (0u32..).zip(cages.necklace().beads()) {
        for j in 0..body.tree().primitives.len() as u32 {
            found.work.primitive_tests += 1;
            if ball_touches_triangle(bead, &body.triangle(j)) {
                found.pairs.push([i, j]);
            }
        }
    }
    found
}

/// Reference for [`nearest_own_beads`](super::nearest_own_beads).
#[must_use]
pub fn nearest_own_beads(necklace: &Necklace, min_gap: u32) -> NearestBeads {
    let mut nearest = NearestBeads::NONE;
    let beads = necklace.beads();
    for (i, a) in (0u32..).zip(beads) {
        for (j, b) in (0u32..).zip(beads).skip(i as usize + 1) {
            if !necklace.exempt(i, j, min_gap) {
                nearest.consider([i, j], a.gap_to(b));
            }
        }
    }
    nearest
}

/// Reference for [`nearest_beads`](super::nearest_beads()).
#[must_use]
pub fn nearest_beads(first: &Necklace, second: &Necklace) -> NearestBeads {
    let mut nearest = NearestBeads::NONE;
    for (i, a) in (0u32..).zip(first.beads()) {
        for (j, b) in (0u32..).zip(second.beads()) {
            nearest.consider([i, j], a.gap_to(b));
        }
    }
    nearest
}
