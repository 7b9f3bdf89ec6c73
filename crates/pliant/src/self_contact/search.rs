//! The search for what may touch: all that certificates do not rule out.

use crate::parallel::*;

use super::clusters::Clusters;
use super::fits::Fits;
use super::rest_gaps::{Below, RestGap, RestGaps, pairs_of_children};
use super::rest_surface::box_gap;
use crate::body::Collide;
use crate::query::pair_limit::PairLimit;
use crate::query::self_pairs::{add_pairs_below, sort_pairs};
use crate::query::traverse::NodePair;
use crate::query::{Intersections, Work};
use crate::volume::Overlap;

/// The search in one state of a body.
pub(super) struct Search<'a> {
    pub(super) clusters: &'a Clusters,
    pub(super) gaps: &'a RestGaps,
    pub(super) fits: Fits<'a>,
}

/// Two smallest clusters, or one and itself, that their fits do not certify to be clear.
#[derive(Debug, Clone, Copy)]
struct Uncertified {
    clusters: [u32; 2],
    /// The list of their leaves that rest near one another, if there is one.
    list: Option<u32>,
    /// Triangles that rested farther apart do not touch.
    beyond: f64,
}

/// What may touch: everything else certainly does not, adjacent triangles excepted.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Nodes that may touch themselves.
    pub(super) nodes: Vec<u32>,
    /// Pairs of nodes that may touch, and whose volumes overlap.
    pub(super) pairs: Vec<NodePair>,
}

/// Uncertified pairs of clusters that a thread is given at once. If there are only a few times
/// as many, waking other threads costs more than the query.
const SHARED: usize = 64;

/// Uncertified pairs of clusters that are tested at once. If a surface lies in itself there are as
/// many as the square of the number of clusters: they are not kept.
const BATCH: usize = 256 * SHARED;

impl Search<'_> {
    /// All pairs of touching triangles that count, in canonical order.
    ///
    /// `counts` must be false for adjacent triangles, of which certificates say nothing.
    /// Pairs are missing if the limit is exceeded, and only then.
    pub(super) fn pairs<C: Collide>(
        &self,
        body: &C,
        limit: &PairLimit,
        counts: &(impl Fn([u32; 2]) -> bool + Sync),
    ) -> Intersections
    where
        C::Volume: Overlap<C::Volume>,
    {
        let mut found = Intersections::default();
        let overlap = |pair: NodePair, work: &mut Work| overlap(body, pair, work);
        let test = |uncertified: &[Uncertified]| {
            let mut part = Intersections::default();
            if limit.is_exceeded() {
                return part;
            }
            let Candidates { nodes, pairs } =
                self.candidates(uncertified, &overlap, &mut part.work);
            add_pairs_below(body, nodes, pairs, &mut part, limit, counts);
            part
        };
        let test_all = |batch: &[Uncertified]| {
            let parts: Vec<Intersections> =
                if batch.len() < 4 * SHARED || current_num_threads() == 1 {
                    vec![test(batch)]
                } else {
                    batch.par_chunks(SHARED).map(test).collect()
                };
            for mut part in parts {
                found.pairs.append(&mut part.pairs);
                found.work += part.work;
            }
        };
        let work = self.in_batches(&overlap, test_all);
        found.work += work;
        sort_pairs(&mut found);
        found
    }

    /// Calls `each` for nodes that may touch, many at once. `overlap` tells of two nodes whether their
    /// volumes overlap.
    pub(super) fn for_candidates(
        &self,
        overlap: impl Fn(NodePair, &mut Work) -> bool,
        mut each: impl FnMut(Candidates),
    ) -> Work {
        let mut work = Work::default();
        let of_batch = |batch: &[Uncertified]| {
            each(self.candidates(batch, &overlap, &mut work));
        };
        let first = self.in_batches(&overlap, of_batch);
        work += first;
        work
    }

    /// Calls `each` for smallest clusters that may touch, many at once.
    fn in_batches(
        &self,
        overlap: &impl Fn(NodePair, &mut Work) -> bool,
        mut each: impl FnMut(&[Uncertified]),
    ) -> Work {
        let mut work = Work::default();
        let mut batch = Vec::new();
        self.uncertified(overlap, &mut work, |pair| {
            batch.push(pair);
            if batch.len() >= BATCH {
                each(&batch);
                batch.clear();
            }
        });
        each(&batch);
        work
    }

    /// Calls `each` for smallest clusters that may touch.
    ///
    /// For each pair of clusters the fits tell from which distance at rest on its triangles
    /// keep clear. What rested farther apart is skipped, at this level and at all below.
    ///
    /// Pairs are taken level by level, in the order in which they are stored: this reads
    /// memory in order.
    fn uncertified(
        &self,
        overlap: &impl Fn(NodePair, &mut Work) -> bool,
        work: &mut Work,
        mut each: impl FnMut(Uncertified),
    ) {
        let Self { clusters, gaps, fits } = self;
        let mut overlap =
            |pair: [u32; 2]| overlap(pair.map(|cluster| clusters.get(cluster).node), work);
        // Pairs of clusters, and from where on the clusters that contain them keep clear.
        let mut level: Vec<(u32, f64)> = vec![(0, f64::INFINITY)];
        let mut next = Vec::new();
        let mut far: Vec<([u32; 2], f64)> = Vec::new();
        while !level.is_empty() {
            for (number, outer) in level.drain(..) {
                let pair = &gaps.pairs[number as usize];
                let [a, b] = pair.clusters;
                let beyond = if a == b || overlap([a, b]) {
                    lesser(fits.clear_beyond(clusters, [a, b]), outer)
                } else {
                    continue;
                };
                if !may_touch(pair.gap, beyond) {
                    continue;
                }
                match &pair.below {
                    Below::Pairs(children) => {
                        let pairs = &gaps.pairs[children.start as usize..children.end as usize];
                        let doubtful = |pair: &RestGap| may_touch(pair.gap, beyond);
                        let kept = (children.start..).zip(pairs).filter(|(_, pair)| doubtful(pair));
                        next.extend(kept.map(|(number, _)| (number, beyond)));
                    }
                    Below::Leaves(list) => {
                        let list = Some(*list);
                        each(Uncertified { clusters: [a, b], list, beyond });
                    }
                    Below::Far => far.push(([a, b], beyond)),
                }
            }
            std::mem::swap(&mut level, &mut next);
        }
        // The volumes of each pair here overlap, and its gap does not rule out contact.
        while let Some(([a, b], outer)) = far.pop() {
            if clusters.get(a).is_smallest() && clusters.get(b).is_smallest() {
                each(Uncertified { clusters: [a, b], list: None, beyond: outer });
                continue;
            }
            pairs_of_children(clusters, [a, b], |[a, b]| {
                if !overlap([a, b]) {
                    return;
                }
                let gap = box_gap(&clusters.get(a).rest, &clusters.get(b).rest);
                if gap > outer {
                    return;
                }
                let beyond = lesser(fits.clear_beyond(clusters, [a, b]), outer);
                if !is_above(gap, beyond) {
                    far.push(([a, b], beyond));
                }
            });
        }
    }

    /// Finds what may touch in smallest clusters that may.
    fn candidates(
        &self,
        uncertified: &[Uncertified],
        overlap: &impl Fn(NodePair, &mut Work) -> bool,
        work: &mut Work,
    ) -> Candidates {
        let Self { clusters, gaps, fits } = self;
        let mut found = Candidates::default();
        for &Uncertified { clusters: [a, b], list, mut beyond } in uncertified {
            if a != b {
                beyond = lesser(fits.clear_beyond_by_vertices(clusters, [a, b]), beyond);
            }
            let decided = match list {
                None => box_gap(&clusters.get(a).rest, &clusters.get(b).rest) > beyond,
                Some(list) => gaps.near.within(list, beyond, |leaves| {
                    if leaves[0] == leaves[1] {
                        found.nodes.push(leaves[0]);
                    } else if overlap(leaves, work) {
                        found.pairs.push(leaves);
                    }
                }),
            };
            let nodes = [a, b].map(|cluster| clusters.get(cluster).node);
            if !decided && a == b {
                found.nodes.push(nodes[0]);
            } else if !decided {
                found.pairs.push(nodes);
            }
        }
        found
    }
}

#[inline]
fn overlap<C: Collide>(body: &C, [a, b]: NodePair, work: &mut Work) -> bool
where
    C::Volume: Overlap<C::Volume>,
{
    work.bounds += 2;
    work.overlap_tests += 1;
    body.bound(a).overlaps(&body.bound(b))
}

/// Whether clusters with a gap at rest may touch if they keep clear beyond some distance. The
/// gap is infinite if there are no triangles to be apart.
#[inline]
fn may_touch(gap: f32, beyond: f64) -> bool {
    gap != f32::INFINITY && !is_above(f64::from(gap), beyond)
}

/// Whether one number is certainly above another: nothing is above NaN.
#[inline]
fn is_above(x: f64, y: f64) -> bool {
    x > y
}

/// The lesser of two numbers, of which the first may be NaN: then it is the second.
#[inline]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}
