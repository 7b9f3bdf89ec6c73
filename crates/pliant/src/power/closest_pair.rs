//! The closest two non-adjacent beads of a necklace, from the power diagram (Guibas, Nguyen, Russel
//! and Zhang 2002, theorem 3.5).

use super::PowerDiagram;
use crate::contact::balls_touch;
use crate::necklace::{Layered, NearestBeads, clashes, nearest_own_beads};
use crate::shape::Necklace;

/// No bead.
const NONE: u32 = u32::MAX;

/// How a closest pair was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosestPairMethod {
    /// Among the edges of the power diagram and a few other pairs.
    PowerDiagram,
    /// With a hierarchy of spheres, because the theorem does not apply to this necklace.
    Hierarchy,
}

/// The closest pair of beads that are not adjacent along a chain, and how it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonadjacentPair {
    /// The pair and its gap.
    pub nearest: NearestBeads,
    /// How it was found.
    pub method: ClosestPairMethod,
}

/// Returns the closest two non-adjacent beads, using the power diagram of all beads.
///
/// The result has the same pair and the same bits as a loop over all pairs
/// ([`brute_force::nearest_own_beads`](crate::necklace::brute_force::nearest_own_beads) with a gap
/// of 2).
///
/// Theorem 3.5: if no two non-adjacent beads touch, the closest pair is an edge of the diagram, or
/// both beads have a common neighbour, or one of them has an improper neighbour. A bead is proper
/// if for each of its neighbours it touches another bead that is not that neighbour's neighbour.
/// All beads of a connected chain except its ends are proper. [`clashes`] checks that no two beads
/// touch, in a small part of the time that building the diagram takes.
///
/// A hierarchy of spheres answers instead if beads touch, if there are so many improper beads that
/// their pairs outnumber the edges (disconnected chains), if the gap is within rounding of zero, or
/// if the diagram does not belong to these beads.
///
/// ```
/// use pliant::power::{ClosestPairMethod, PowerDiagram, closest_nonadjacent_pair};
/// use pliant::{Necklace, glam::DVec3};
///
/// let arch: Vec<DVec3> = (0..20)
///     .map(|i| (f64::from(i) * 0.3).sin_cos())
///     .map(|(sin, cos)| DVec3::new(3.0 * cos, 3.0 * sin, 0.0))
///     .collect();
/// let necklace = Necklace::open(&arch, 0.46)?;
/// let diagram = PowerDiagram::new(necklace.beads())?;
/// let found = closest_nonadjacent_pair(&diagram, &necklace);
/// assert_eq!(found.method, ClosestPairMethod::PowerDiagram);
/// assert_eq!(found.nearest.pair, Some([0, 19]));
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn closest_nonadjacent_pair(diagram: &PowerDiagram, necklace: &Necklace) -> NonadjacentPair {
    by_theorem(diagram, necklace).unwrap_or_else(|| NonadjacentPair {
        nearest: nearest_own_beads(&Layered::new(necklace.clone()), 2),
        method: ClosestPairMethod::Hierarchy,
    })
}

/// The answer, if the theorem applies.
fn by_theorem(diagram: &PowerDiagram, necklace: &Necklace) -> Option<NonadjacentPair> {
    let beads = necklace.beads();
    if diagram.balls() != beads || !clashes(necklace, 2).pairs.is_empty() {
        return None;
    }
    let linked = links(necklace);
    let mut nearest = NearestBeads::NONE;
    let mut consider = |a: u32, b: u32| {
        if !necklace.exempt(a, b, 2) {
            nearest.consider([a.min(b), a.max(b)], beads[a as usize].gap_to(&beads[b as usize]));
        }
    };
    let edges = diagram.edges();
    let mut next_to_improper = Vec::new();
    for (bead, &[before, after]) in (0u32..).zip(&linked) {
        if before != NONE && after != NONE {
            consider(before, after);
        }
        if !is_proper(necklace, &linked, bead) {
            next_to_improper.extend([before, after].into_iter().filter(|&other| other != NONE));
        }
    }
    next_to_improper.sort_unstable();
    next_to_improper.dedup();
    if next_to_improper.len().saturating_mul(beads.len()) > 2 * edges.len() + 16 * beads.len() {
        return None;
    }
    for bead in next_to_improper {
        (0..beads.len() as u32).for_each(|other| consider(bead, other));
    }
    edges.iter().for_each(|&[a, b]| consider(a, b));
    (nearest.pair.is_none() || outweighs_rounding(necklace, nearest.gap))
        .then_some(NonadjacentPair { nearest, method: ClosestPairMethod::PowerDiagram })
}

/// The neighbours of each bead along its chain.
fn links(necklace: &Necklace) -> Vec<[u32; 2]> {
    let mut linked = vec![[NONE; 2]; necklace.len()];
    for [before, after] in necklace.links() {
        linked[before as usize][1] = after;
        linked[after as usize][0] = before;
    }
    linked
}

/// Whether a bead touches both its neighbours, and these are not adjacent to each other.
fn is_proper(necklace: &Necklace, linked: &[[u32; 2]], bead: u32) -> bool {
    let [before, after] = linked[bead as usize];
    if before == NONE || after == NONE {
        return false;
    }
    let [a, b, c] = [before, bead, after].map(|bead| &necklace.beads()[bead as usize]);
    !linked[before as usize].contains(&after) && balls_touch(a, b) && balls_touch(b, c)
}

/// Whether the theorem holds for every pair whose computed gap is the least, and not only for the
/// pair whose true gap is the least.
///
/// Let G be the true gap of such a pair (i, j), R and r the largest and the smallest radius, and u
/// = 2^-53. A computed gap is off by less than 8u times the sum of distance and radii, so no true
/// gap is below G - D with D = 16u (G + 4R). Let S be the smallest sphere orthogonal to both beads,
/// at distances a and b from their centres, and let k be another bead. In the proof of the theorem,
/// the squared distance of k to the centre of S is at least (b P^2 + a Q^2) / (a + b) - ab, where P
/// and Q are lower bounds of the distances of k to i and j, and neither exceeds a + b + R <= G +
/// 3R. Hence k is farther than orthogonal from S by at least x G, where x is the smaller of a - r_i
/// and b - r_j. These two add up to G, and their ratio is that of b + r_j to a + r_i, so x >= G r /
/// (G + 2R). If the distances are smaller by D, the bound is smaller by less than 2D (G + 3R). So k
/// is still farther than orthogonal, and (i, j) is an edge, if
///
/// `G^2 r > 32u (G + 4R) (G + 3R) (G + 2R)`.
///
/// The code uses twice that, which covers the roundings of this comparison and of the gap.
fn outweighs_rounding(necklace: &Necklace, gap: f64) -> bool {
    let radii = necklace.beads().iter().map(|bead| bead.radius);
    let (least, largest) =
        radii.fold((f64::INFINITY, 0.0f64), |(low, high), r| (low.min(r), high.max(r)));
    let reach = (gap + 4.0 * largest) * (gap + 3.0 * largest) * (gap + 2.0 * largest);
    let scale = gap * gap * least;
    // Reject underflow and overflow on either side.
    gap > 0.0 && scale.is_normal() && reach.is_finite() && scale > 32.0 * f64::EPSILON * reach
}
