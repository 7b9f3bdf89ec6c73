//! The closest two beads.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Cages;
use super::pairing::{Pairing, Step};
use crate::numeric::F64_SLACK;
use crate::query::Work;
use crate::volume::Sphere;

/// The two beads with the closest surfaces, among those that may clash.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestBeads {
    /// The beads; if several pairs are equally close, the first in order. `None` if no two beads
    /// may clash.
    pub pair: Option<[u32; 2]>,
    /// The distance of their surfaces, negative if they overlap, as computed by
    /// [`Ball::gap_to`](crate::volume::Ball::gap_to); infinite without a pair.
    pub gap: f64,
    /// The work it took.
    pub work: Work,
}

impl NearestBeads {
    pub(crate) const NONE: Self = Self {
        pair: None,
        gap: f64::INFINITY,
        work: Work { bounds: 0, overlap_tests: 0, primitive_tests: 0 },
    };

    pub(crate) fn consider(&mut self, pair: [u32; 2], gap: f64) {
        self.work.primitive_tests += 1;
        let first = self.pair.is_none_or(|best| pair < best);
        if gap < self.gap || (gap == self.gap && first) {
            (self.gap, self.pair) = (gap, Some(pair));
        }
    }
}

/// Returns the closest beads of one necklace; `min_gap` is as for
/// [`separate_self`](super::separate_self).
///
/// The result has the same bits as that of a loop over all pairs.
///
/// ```
/// use pliant::{Necklace, glam::DVec3, necklace::{Layered, nearest_own_beads}};
/// let bend = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, 1.5, 0.0)];
/// let nearest = nearest_own_beads(&Layered::new(Necklace::open(&bend, 0.5)?), 2);
/// assert_eq!((nearest.pair, nearest.gap), (Some([0, 2]), 2f64.sqrt() - 1.0));
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn nearest_own_beads<C: Cages>(cages: &C, min_gap: u32) -> NearestBeads {
    search(&Pairing { first: cages, second: cages, own: Some(min_gap) })
}

/// Returns the closest beads of two necklaces, with the same bits as a loop over all pairs.
#[must_use]
pub fn nearest_beads<A: Cages, B: Cages>(first: &A, second: &B) -> NearestBeads {
    search(&Pairing { first, second, own: None })
}

/// A pair of nodes and a lower bound of its gaps. The order is reversed, so that a max-heap returns
/// the least bound first.
struct Candidate {
    bound: f64,
    pair: [u32; 2],
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then_with(|| other.pair.cmp(&self.pair))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

fn search<A: Cages, B: Cages>(pairing: &Pairing<'_, A, B>) -> NearestBeads {
    let mut nearest = NearestBeads::NONE;
    let (beads, others) = (pairing.first.necklace().beads(), pairing.second.necklace().beads());
    let mut waiting = BinaryHeap::from([Candidate { bound: f64::NEG_INFINITY, pair: [0, 0] }]);
    while let Some(Candidate { bound, pair }) = waiting.pop() {
        if bound > nearest.gap {
            break;
        }
        match pairing.step(pair) {
            Step::Nothing => {}
            Step::Beads([a, b]) => {
                if !pairing.exempt([a, b]) {
                    let gap = beads[a as usize].gap_to(&others[b as usize]);
                    nearest.consider([a, b], gap);
                }
            }
            Step::Split(parts) => {
                for pair in parts.into_iter().flatten() {
                    let mut bound = f64::NEG_INFINITY;
                    if !pairing.is_within(pair) {
                        let [a, b] = [pairing.first.cage(pair[0]), pairing.second.cage(pair[1])];
                        bound = gap_floor(&a, &b);
                        nearest.work.bounds += 2;
                        nearest.work.overlap_tests += 1;
                    }
                    if bound <= nearest.gap {
                        waiting.push(Candidate { bound, pair });
                    }
                }
            }
        }
    }
    nearest
}

/// A lower bound of the computed gap of any two beads, one in each cage.
///
/// A bead (p, r) in a cage (c, R) has |p - c| <= R - r, so the gap of two beads is at least
/// `|c - d| - R - S`, which may be negative. A computed gap is below the true one by less than 8 units of
/// 2^-53 of |c - d| + R + S, since that sum exceeds the distance of the beads' centres plus their
/// radii. The bound's own error has the same limit. Infinite cages give negative infinity.
fn gap_floor(a: &Sphere, b: &Sphere) -> f64 {
    let apart = (a.center.as_dvec3() - b.center.as_dvec3()).length();
    let reach = f64::from(a.radius) + f64::from(b.radius);
    let floor = apart - reach - F64_SLACK * (apart + reach);
    if floor.is_nan() { f64::NEG_INFINITY } else { floor }
}
