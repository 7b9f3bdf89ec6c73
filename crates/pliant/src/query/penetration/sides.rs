//! What lies behind a surface with a border: the part of the other that went through it.

use std::collections::VecDeque;

use glam::DVec3;

use super::depth::deepest_vertex;
use super::edge_hits::{EdgeHits, Hit};
use super::numbers::NumberMap;
use super::patches::neighbours;
use super::regions::Half;
use super::{Ask, Deepest};
use crate::body::Surface;
use crate::contact::EdgeHit;
use crate::query::{ClosestPoint, Inside, Work};
use crate::shape::{Connectivity, DisjointSets, NO_EDGE};

impl<S: Surface, T: Surface> Half<'_, S, T> {
    /// Takes, for each piece of the curve around which a border decides, the shallower of the parts
    /// before and behind the other surface as a patch. Marks pairs of pieces where the two are
    /// connected.
    ///
    /// From which side a surface was entered is not known. Of the two readings the shallower one is
    /// taken, so that a depth is never above the true one for either. The number of vertices would
    /// depend on the tessellation.
    pub(super) fn take_parts_behind(
        &mut self,
        answers: &[Inside],
        joined: &mut DisjointSets,
        unknown: &mut [bool],
        ask: Ask,
        work: &mut Work,
    ) {
        let connectivity = self.own.mesh().connectivity();
        let places = self.own.mesh().places_of_triangles();
        let is_open = |place: u32| {
            self.classes.of(place).is_some_and(|class| answers[class as usize] == Inside::Open)
        };
        let open =
            self.pairs.iter().filter(|pair| places[pair.0 as usize].into_iter().any(is_open));
        let open = open.map(|pair| pair.2).collect();
        for (first, edges) in passing_pieces(&self.hits, open, joined) {
            let Some(seeds) = sides(connectivity, edges.into_iter()) else {
                unknown[first as usize] = true;
                continue;
            };
            if seeds.iter().flatten().any(|&place| self.patches.of(place).is_some()) {
                continue;
            }
            let mut walk = Walk::new(seeds);
            let done = walk.until_one_is_done(connectivity, &self.hits);
            match done.and_then(|done| self.shallower(walk, done, ask, work)) {
                Some((part, deepest)) => self.patches.take(part, deepest),
                None => unknown[first as usize] = true,
            }
        }
    }

    /// The shallower of two parts, with its deepest vertex; of equally deep ones the one that is done.
    /// `None` if it cannot be told which is.
    ///
    /// The other one is deeper as soon as one of its vertices is: mostly the first that is asked
    /// about. A vertex that is nearest to the border does not count: it may have left through an
    /// opening, and then its distance is no depth.
    fn shallower(
        &self,
        mut walk: Walk,
        done: usize,
        ask: Ask,
        work: &mut Work,
    ) -> Option<(Vec<u32>, Option<Deepest>)> {
        let connectivity = self.own.mesh().connectivity();
        let measure = |places: &[u32], work: &mut Work| {
            deepest_vertex((self.own, self.body), self.other, places, |_| true, ask, work)
        };
        let first = walk.take(done);
        let deepest = measure(&first, work);
        let depth = deepest.map_or(0.0, |deepest| deepest.depth);
        let mut is_deeper = |place: u32| {
            let point = self.own.vertex(place);
            let found = ask.closest(self.other, point, depth * depth, |_| true, work);
            found.found.distance_squared.sqrt() > depth && !is_on_border(self.other, &found)
        };
        let rest = 1 - done;
        // The last that were reached are likely to be far away.
        if walk.all[rest].iter().rev().any(|&place| is_deeper(place)) {
            return Some((first, deepest));
        }
        loop {
            let known = walk.all[rest].len();
            match walk.step(rest, connectivity, &self.hits) {
                Step::Reached if walk.all[rest][known..].iter().any(|&place| is_deeper(place)) => {
                    return Some((first, deepest));
                }
                Step::Reached => {}
                Step::Done | Step::Connected => break,
            }
        }
        let second = walk.take(rest);
        let other = measure(&second, work);
        let other_depth = other.map_or(0.0, |other| other.depth);
        if other_depth > depth {
            // Only vertices that are nearest to the border say so.
            return None;
        }
        if other_depth == depth {
            return Some((first, deepest));
        }
        // The distance of a vertex that left through an opening does not make a part deeper.
        let left = deepest
            .is_some_and(|at| is_nearest_to_border(self.other, at.point, |_| true, ask, work));
        (!left).then_some((second, other))
    }
}

/// The pieces of the curve that some pairs belong to and in which edges pass through the other
/// surface, each with its edges; by their first pairs.
pub(super) fn passing_pieces<'h>(
    hits: &'h EdgeHits,
    mut pairs: Vec<u32>,
    joined: &mut DisjointSets,
) -> Vec<(u32, Vec<&'h [Hit]>)> {
    pairs.iter_mut().for_each(|pair| *pair = joined.first(*pair));
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.is_empty() {
        return Vec::new();
    }
    // For each piece of the curve its edges, and whether some pass through the other surface.
    let mut pieces: NumberMap<u32, (Vec<&[Hit]>, bool)> = NumberMap::default();
    for hits in hits.by_edge() {
        pieces.entry(joined.first(hits[0].pair)).or_default().0.push(hits);
        for hit in hits.iter().filter(|hit| hit.how != EdgeHit::Touch) {
            pieces.entry(joined.first(hit.pair)).or_default().1 = true;
        }
    }
    for &pair in &hits.folds {
        pieces.entry(joined.first(pair)).or_default().1 = true;
    }
    let passing = pairs.into_iter().filter_map(|first| match pieces.remove(&first) {
        Some((edges, true)) => Some((first, edges)),
        _ => None,
    });
    passing.collect()
}

/// Seeds of the parts before and behind the other surface: the ends of edges that pass through it.
/// `None` if a place is on both sides.
pub(super) fn sides<'a>(
    connectivity: &Connectivity,
    passing: impl Iterator<Item = &'a [Hit]>,
) -> Option<[Vec<u32>; 2]> {
    let mut sides = [Vec::new(), Vec::new()];
    for hits in passing {
        // An edge that meets several triangles says nothing about which end is where.
        let &[hit] = hits else { continue };
        let [first, second] = connectivity.ends(hit.edge);
        match hit.how {
            EdgeHit::Inward => {
                sides[0].push(first);
                sides[1].push(second);
            }
            EdgeHit::Outward => {
                sides[0].push(second);
                sides[1].push(first);
            }
            EdgeHit::Touch => {}
        }
    }
    sides.iter_mut().for_each(|side| {
        side.sort_unstable();
        side.dedup();
    });
    let both = sides[0].iter().any(|place| sides[1].binary_search(place).is_ok());
    (!both && !sides[0].is_empty()).then_some(sides)
}

/// A walk through two parts of a surface, from seeds.
pub(super) struct Walk {
    pub(super) part_of: NumberMap<u32, usize>,
    /// The places that were reached.
    pub(super) all: [Vec<u32>; 2],
    /// Those whose neighbours were not looked at.
    open: [VecDeque<u32>; 2],
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The neighbours of a place were reached.
    Reached,
    /// The part is walked through.
    Done,
    /// The two parts are connected.
    Connected,
}

impl Walk {
    pub(super) fn new(seeds: [Vec<u32>; 2]) -> Self {
        let mut part_of: NumberMap<u32, usize> = NumberMap::default();
        for (part, seeds) in seeds.iter().enumerate() {
            part_of.extend(seeds.iter().map(|&seed| (seed, part)));
        }
        Self { part_of, all: seeds.clone(), open: seeds.map(VecDeque::from) }
    }

    pub(super) fn step(
        &mut self,
        part: usize,
        connectivity: &Connectivity,
        hits: &EdgeHits,
    ) -> Step {
        let Some(place) = self.open[part].pop_front() else { return Step::Done };
        for neighbour in neighbours(connectivity, hits, place) {
            match self.part_of.insert(neighbour, part) {
                None => {
                    self.all[part].push(neighbour);
                    self.open[part].push_back(neighbour);
                }
                Some(same) if same == part => {}
                Some(_) => return Step::Connected,
            }
        }
        Step::Reached
    }

    /// Walks through both parts, a place of each in turn, until one is done: the smaller one. Of two of
    /// the same size it is the second. `None` if the two are connected.
    fn until_one_is_done(&mut self, connectivity: &Connectivity, hits: &EdgeHits) -> Option<usize> {
        loop {
            for part in [1, 0] {
                match self.step(part, connectivity, hits) {
                    Step::Reached => {}
                    Step::Done => return Some(part),
                    Step::Connected => return None,
                }
            }
        }
    }

    /// The places of a part that were reached, ascending.
    pub(super) fn take(&mut self, part: usize) -> Vec<u32> {
        let mut places = std::mem::take(&mut self.all[part]);
        places.sort_unstable();
        places
    }
}

/// Whether the point of a surface that is nearest to a point lies on a border of the surface.
pub(super) fn is_nearest_to_border<T: Surface>(
    other: &T,
    point: DVec3,
    counts: impl Fn(u32) -> bool,
    ask: Ask,
    work: &mut Work,
) -> bool {
    is_on_border(other, &ask.closest(other, point, f64::NEG_INFINITY, counts, work))
}

/// Whether the nearest point of a surface lies on its border.
fn is_on_border<T: Surface>(surface: &T, nearest: &ClosestPoint) -> bool {
    let mesh = surface.mesh();
    let Some(places) = mesh.places_of_triangles().get(nearest.triangle as usize) else {
        return true;
    };
    let connectivity = mesh.connectivity();
    let is_border = |edge: u32| edge == NO_EDGE || connectivity.is_border(edge);
    let at_border = |place: u32| connectivity.edges_at(place).iter().any(|&edge| is_border(edge));
    let edges = connectivity.edges(nearest.triangle);
    // Edge k goes from corner k to the next: its points have no weight of the corner after that.
    match nearest.found.barycentric.map(|weight| weight == 0.0) {
        [false, true, true] => at_border(places[0]),
        [true, false, true] => at_border(places[1]),
        [true, true, false] => at_border(places[2]),
        [true, false, false] => is_border(edges[1]),
        [false, true, false] => is_border(edges[2]),
        [false, false, true] => is_border(edges[0]),
        _ => false,
    }
}
