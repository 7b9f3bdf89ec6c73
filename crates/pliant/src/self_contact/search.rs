//! The search for what may touch.

use super::Clearance;
use super::rest_gaps::{Below, RestGap, box_gap, pairs_of_children};
use crate::body::Collide;
use crate::query::Work;
use crate::query::traverse::NodePair;
use crate::volume::Overlap;

/// What may touch: everything else certainly does not, adjacent triangles excepted.
#[derive(Debug, Default)]
pub(in crate::query) struct Doubtful {
    /// Nodes that may touch themselves.
    pub(in crate::query) nodes: Vec<u32>,
    /// Pairs of nodes that may touch, and whose volumes overlap.
    pub(in crate::query) pairs: Vec<NodePair>,
}

/// Two patches, or one and itself, that may touch as far as their fits tell.
#[derive(Debug, Clone, Copy)]
pub(in crate::query) struct Undecided {
    parts: [u32; 2],
    /// The list of their leaves that rest near one another, if there is one.
    list: Option<u32>,
    /// Triangles that rested farther apart do not touch.
    beyond: f64,
}

impl Clearance<'_> {
    /// Finds patches that may touch.
    ///
    /// Each pair of parts is asked from which distance at rest on its triangles keep clear. What
    /// rested farther apart needs no look, at this level and at all below.
    ///
    /// Pairs are taken level by level, in the order in which they are stored: what waits for
    /// memory waits less.
    pub(in crate::query) fn undecided<A: Collide>(
        &self,
        body: &A,
        work: &mut Work,
    ) -> Vec<Undecided>
    where
        A::Volume: Overlap<A::Volume>,
    {
        let Self { parts, gaps, fits } = self;
        let mut overlap =
            |pair: [u32; 2]| overlap(body, pair.map(|part| parts.get(part).node), work);
        // Pairs of parts, and from where on the parts that they are of keep clear.
        let mut level: Vec<(u32, f64)> = vec![(0, f64::INFINITY)];
        let mut next = Vec::new();
        let mut undecided = Vec::new();
        let mut far: Vec<([u32; 2], f64)> = Vec::new();
        while !level.is_empty() {
            for (number, outer) in level.drain(..) {
                let pair = &gaps.pairs[number as usize];
                let [a, b] = pair.parts;
                let beyond = if a == b {
                    less(fits.get(a).clear_beyond_in_itself(), outer)
                } else if overlap([a, b]) {
                    less(fits.clear_beyond(parts, [a, b]), outer)
                } else {
                    continue;
                };
                if !may_touch(pair.gap, beyond) {
                    continue;
                }
                match &pair.below {
                    Below::Pairs(children) => {
                        let pairs = &gaps.pairs[children.start as usize..children.end as usize];
                        let doubt = |pair: &RestGap| may_touch(pair.gap, beyond);
                        let doubtful =
                            (children.start..).zip(pairs).filter(|(_, pair)| doubt(pair));
                        next.extend(doubtful.map(|(number, _)| (number, beyond)));
                    }
                    Below::Leaves(list) => {
                        undecided.push(Undecided { parts: [a, b], list: Some(*list), beyond });
                    }
                    Below::Far => far.push(([a, b], beyond)),
                }
            }
            std::mem::swap(&mut level, &mut next);
        }
        // Of those the volumes overlap already, and the gap is in doubt.
        while let Some(([a, b], outer)) = far.pop() {
            if parts.get(a).is_patch() && parts.get(b).is_patch() {
                undecided.push(Undecided { parts: [a, b], list: None, beyond: outer });
                continue;
            }
            pairs_of_children(parts, [a, b], |[a, b]| {
                if !overlap([a, b]) {
                    return;
                }
                let gap = box_gap(&parts.get(a).rest, &parts.get(b).rest);
                if gap > outer {
                    return;
                }
                let beyond = less(fits.clear_beyond(parts, [a, b]), outer);
                if !is_above(gap, beyond) {
                    far.push(([a, b], beyond));
                }
            });
        }
        undecided
    }

    /// Finds what may touch in patches that may.
    pub(in crate::query) fn doubtful<A: Collide>(
        &self,
        undecided: &[Undecided],
        body: &A,
        work: &mut Work,
    ) -> Doubtful
    where
        A::Volume: Overlap<A::Volume>,
    {
        let Self { parts, gaps, fits } = self;
        let mut doubtful = Doubtful::default();
        for &Undecided { parts: [a, b], list, mut beyond } in undecided {
            if a != b {
                beyond = less(fits.clear_beyond_by_vertices(parts, [a, b]), beyond);
            }
            let decided = match list {
                None => box_gap(&parts.get(a).rest, &parts.get(b).rest) > beyond,
                Some(list) => gaps.near.within(list, beyond, |leaves| {
                    if leaves[0] == leaves[1] {
                        doubtful.nodes.push(leaves[0]);
                    } else if overlap(body, leaves, work) {
                        doubtful.pairs.push(leaves);
                    }
                }),
            };
            let nodes = [a, b].map(|part| parts.get(part).node);
            if !decided && a == b {
                doubtful.nodes.push(nodes[0]);
            } else if !decided {
                doubtful.pairs.push(nodes);
            }
        }
        doubtful
    }
}

#[inline]
fn overlap<A: Collide>(body: &A, [a, b]: NodePair, work: &mut Work) -> bool
where
    A::Volume: Overlap<A::Volume>,
{
    work.bounds += 2;
    work.overlap_tests += 1;
    body.bound(a).overlaps(&body.bound(b))
}

/// Whether parts of a gap at rest may touch that keep clear beyond some distance. Where
/// there are no triangles to be apart, the gap is infinite.
#[inline]
fn may_touch(gap: f32, beyond: f64) -> bool {
    gap != f32::INFINITY && !is_above(f64::from(gap), beyond)
}

/// Whether one number is certainly above another: nothing is above NaN.
#[inline]
fn is_above(x: f64, y: f64) -> bool {
    x > y
}

/// The lesser of two numbers, of which only the second is certainly one.
#[inline]
fn less(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}
