//! Regions of contact, put together.

use glam::DVec3;

use super::curve::{enclosed_area, polylines};
use super::depth::{deepest_on_edge, deepest_vertex, keep_deeper};
use super::edge_hits::{EdgeHits, Hit, OwnPair, ends_of, share_of};
use super::numbers::NumberMap;
use super::patches::{Classes, Patches};
use super::sides::is_nearest_to_border;
use super::{Ask, Cut, Deepest, Depth, Penetration, Region, RegionKind};
use crate::body::Surface;
use crate::contact::{intersection_segment, point_distance, triangles_cross};
use crate::query::{Inside, Work};
use crate::shape::{Closure, DisjointSets};
use crate::volume::Volume as _;

/// What one surface has to do with the other.
pub(super) struct Half<'a, S, T> {
    pub(super) own: &'a S,
    pub(super) other: &'a T,
    /// 0 for the first body, 1 for the second.
    pub(super) body: usize,
    pub(super) pairs: Vec<OwnPair>,
    pub(super) hits: EdgeHits,
    pub(super) classes: Classes,
    pub(super) patches: Patches,
}

impl<'a, S: Surface, T: Surface> Half<'a, S, T> {
    /// Looks at the edges of touching triangles, and joins pairs whose curves meet.
    pub(super) fn new(
        own: &'a S,
        other: &'a T,
        body: usize,
        pairs: Vec<OwnPair>,
        joined: &mut DisjointSets,
        work: &mut Work,
    ) -> Self {
        let hits = EdgeHits::new(own, other, pairs.iter().copied(), joined, work);
        let mut triangles: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
        triangles.sort_unstable();
        triangles.dedup();
        let mesh = own.mesh();
        let classes =
            Classes::new(mesh.connectivity(), mesh.places_of_triangles(), &triangles, &hits);
        Self { own, other, body, pairs, hits, classes, patches: Patches::default() }
    }

    /// Walks through the patches of all classes that are inside.
    pub(super) fn walk_inside(&mut self, answers: &[Inside]) {
        let connectivity = self.own.mesh().connectivity();
        for (members, &answer) in self.classes.members.iter().zip(answers) {
            if answer == Inside::In {
                self.patches.walk(connectivity, &self.hits, members[0]);
            }
        }
    }

    /// For each patch one of the pairs that it touches, if any. Joins all of them: those in which an
    /// edge from a vertex of the patch first meets the other surface, and those in which the other
    /// surface pokes through a triangle of the patch.
    pub(super) fn pairs_of_patches(&self, joined: &mut DisjointSets) -> NumberMap<u32, u32> {
        let connectivity = self.own.mesh().connectivity();
        let places = self.own.mesh().places_of_triangles();
        let mut pair_of_patch = NumberMap::default();
        let mut touch = |place: u32, pair: u32| {
            if let Some(patch) = self.patches.of(place) {
                joined.join(*pair_of_patch.entry(patch).or_insert(pair), pair);
            }
        };
        for hits in self.hits.by_edge() {
            let ends = ends_of(self.own, hits[0].edge);
            let share = |hit: &&Hit| share_of(ends, self.other, hit).unwrap_or(0.5);
            let by_share = |a: &&Hit, b: &&Hit| share(a).total_cmp(&share(b));
            let [first, last] = connectivity.ends(hits[0].edge);
            hits.iter().min_by(by_share).into_iter().for_each(|hit| touch(first, hit.pair));
            hits.iter().max_by(by_share).into_iter().for_each(|hit| touch(last, hit.pair));
        }
        for &(own, _, pair) in &self.hits.unhit {
            let corners = places[own as usize];
            let [a, b, c] = corners.map(|place| self.patches.of(place));
            if a == b && b == c {
                touch(corners[0], pair);
            }
        }
        pair_of_patch
    }

    /// The first places of the pieces of the mesh that have no touching triangle.
    pub(super) fn untouched(&self) -> Vec<u32> {
        let mesh = self.own.mesh();
        let connectivity = mesh.connectivity();
        let mut touched = vec![false; connectivity.pieces()];
        for pair in &self.pairs {
            touched[connectivity.piece(pair.0) as usize] = true;
        }
        let firsts = connectivity.first_triangles().iter().zip(touched);
        let untouched = firsts.filter(|(_, touched)| !touched);
        untouched.map(|(&first, _)| mesh.places_of_triangles()[first as usize][0]).collect()
    }

    /// Adds to each region the vertices of this surface inside the other and their depth; regions
    /// without pairs are added at the end.
    pub(super) fn add_to(
        &self,
        parts: &mut Parts,
        pair_of_patch: &NumberMap<u32, u32>,
        counts: impl Fn(u32, u32) -> bool,
        ask: Ask,
        work: &mut Work,
    ) {
        let has_border = self.other.mesh().connectivity().has(Closure::Open);
        for (patch, places) in (0u32..).zip(&self.patches.places) {
            let by_side = self.patches.by_side(patch);
            let counts = |triangle| counts(patch, triangle);
            let deepest = by_side.flatten().or_else(|| {
                deepest_vertex((self.own, self.body), self.other, places, counts, ask, work)
            });
            // A patch may leave a surface with a border through its opening. Then its deepest vertex
            // is outside, or nearest to the border, and its distance is no depth.
            let leaves = has_border
                && deepest.is_some_and(|deepest| match by_side.is_some() {
                    false => ask.inside(self.other, deepest.point, work) != Inside::In,
                    true => is_nearest_to_border(self.other, deepest.point, counts, ask, work),
                });
            let deepest = deepest.filter(|_| !leaves);
            let region = match pair_of_patch.get(&patch) {
                Some(&pair) => parts.region_of_pair[pair as usize] as usize,
                None => {
                    parts.inside.push(Inner { kind: RegionKind::Contained, ..Inner::default() });
                    parts.inside.len() - 1
                }
            };
            let inner = &mut parts.inside[region];
            inner.vertices[self.body].extend(places);
            inner.kind = inner.kind.max(RegionKind::Crossing);
            inner.unknown |= leaves;
            keep_deeper(&mut inner.deepest, deepest);
        }
        for &pair in &self.hits.folds {
            parts.inside[parts.region_of_pair[pair as usize] as usize].kind = RegionKind::Crossing;
        }
    }
}

/// What is known of the regions, before their curves are drawn.
pub(super) struct Parts {
    /// For each pair its region.
    pub(super) region_of_pair: Vec<u32>,
    pub(super) inside: Vec<Inner>,
}

/// What lies inside in a region.
#[derive(Debug, Clone)]
pub(super) struct Inner {
    pub(super) kind: RegionKind,
    pub(super) vertices: [Vec<u32>; 2],
    pub(super) deepest: Option<Deepest>,
    pub(super) unknown: bool,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            kind: RegionKind::Touching,
            vertices: [Vec::new(), Vec::new()],
            deepest: None,
            unknown: false,
        }
    }
}

impl Parts {
    /// Regions of joined pairs, still empty.
    pub(super) fn new(joined: DisjointSets, unknown: &[bool]) -> Self {
        let (region_of_pair, firsts) = joined.numbered();
        let mut inside = vec![Inner::default(); firsts.len()];
        for (&region, &unknown) in region_of_pair.iter().zip(unknown) {
            inside[region as usize].unknown |= unknown;
        }
        Self { region_of_pair, inside }
    }

    /// The regions with their pairs and curves. `corners` gives the triangles of a pair.
    pub(super) fn finish(
        mut self,
        pairs: &[[u32; 2]],
        corners: impl Fn([u32; 2]) -> [[DVec3; 3]; 2],
    ) -> Vec<Region> {
        for (&pair, &region) in pairs.iter().zip(&self.region_of_pair) {
            let inner = &mut self.inside[region as usize];
            if inner.kind == RegionKind::Touching {
                let [a, b] = corners(pair);
                if triangles_cross(&a, &b) {
                    inner.kind = RegionKind::Crossing;
                }
            }
        }
        let segment = |&pair: &[u32; 2]| {
            let [a, b] = corners(pair);
            intersection_segment(&a, &b)
        };
        let mut pairs_of: Vec<Vec<[u32; 2]>> = vec![Vec::new(); self.inside.len()];
        for (&pair, &region) in pairs.iter().zip(&self.region_of_pair) {
            pairs_of[region as usize].push(pair);
        }
        let finish = |(inner, pairs): (Inner, Vec<[u32; 2]>)| {
            let segments: Vec<_> = pairs.iter().map(segment).collect();
            let longest_cut = longest_cut(&pairs, &segments);
            let curve = polylines(&segments);
            let Inner { kind, mut vertices, deepest, unknown } = inner;
            vertices.iter_mut().for_each(|list| list.sort_unstable());
            let depth = match deepest {
                Some(deepest) => Depth::At(deepest),
                None if unknown => Depth::CannotTell,
                None => Depth::Zero,
            };
            let way = deepest.map(|found| match found.body {
                0 => found.nearest - found.point,
                _ => found.point - found.nearest,
            });
            let direction = way.and_then(DVec3::try_normalize);
            let area = enclosed_area(&curve);
            Region { kind, pairs, curve, longest_cut, vertices, depth, direction, area }
        };
        self.inside.into_iter().zip(pairs_of).map(finish).collect()
    }
}

/// The longest of the segments of some pairs; of several the first.
fn longest_cut(pairs: &[[u32; 2]], segments: &[(DVec3, DVec3)]) -> Option<Cut> {
    let mut longest: Option<(f64, Cut)> = None;
    for (&triangles, &(from, to)) in pairs.iter().zip(segments) {
        let length = point_distance(from, to);
        if longest.is_none_or(|(most, _)| length > most) {
            longest = Some((length, Cut { triangles, from, to }));
        }
    }
    longest.map(|(_, cut)| cut)
}

/// The regions of two bodies whose touching triangles are known.
pub(in crate::query) fn regions_between<A: Surface, B: Surface>(
    a: &A,
    b: &B,
    pairs: &[[u32; 2]],
    ask: Ask,
    mut work: Work,
) -> Penetration {
    let work = &mut work;
    // Most bodies whose boxes overlap are apart.
    let is_apart =
        |work: &mut Work| !holds_a_piece(a, b, ask, work) && !holds_a_piece(b, a, ask, work);
    if pairs.is_empty() && is_apart(work) {
        return Penetration { regions: Vec::new(), work: *work };
    }
    let numbered = || (0u32..).zip(pairs);
    let mut joined = DisjointSets::new(pairs.len());
    let of_a = numbered().map(|(pair, &[i, j])| (i, j, pair)).collect();
    let of_b = numbered().map(|(pair, &[i, j])| (j, i, pair)).collect();
    let mut half_a = Half::new(a, b, 0, of_a, &mut joined, work);
    let mut half_b = Half::new(b, a, 1, of_b, &mut joined, work);
    let mut unknown = vec![false; pairs.len()];
    look_inside(&mut half_a, ask, &mut joined, &mut unknown, work);
    look_inside(&mut half_b, ask, &mut joined, &mut unknown, work);
    let patches_a = half_a.pairs_of_patches(&mut joined);
    let patches_b = half_b.pairs_of_patches(&mut joined);
    let mut parts = Parts::new(joined, &unknown);
    half_a.add_to(&mut parts, &patches_a, |_, _| true, ask, work);
    half_b.add_to(&mut parts, &patches_b, |_, _| true, ask, work);
    add_edges(&half_a, &mut parts, ask, work);
    add_edges(&half_b, &mut parts, ask, work);
    let corners = |[i, j]: [u32; 2]| [a.triangle(i), b.triangle(j)];
    Penetration { regions: parts.finish(pairs, corners), work: *work }
}

/// Whether a body encloses a piece of another one that it does not touch: what [`look_inside`] asks of
/// the first place of each piece. A body encloses no point outside its box.
fn holds_a_piece<S: Surface, T: Surface>(outer: &S, inner: &T, ask: Ask, work: &mut Work) -> bool {
    let [min, max] = outer.bound(0).corners();
    let mesh = inner.mesh();
    mesh.connectivity().first_triangles().iter().any(|&first| {
        let place = inner.vertex(mesh.places_of_triangles()[first as usize][0]);
        // A NaN in a box excludes nothing.
        let is_outside = place.cmplt(min).any() || place.cmpgt(max).any();
        !is_outside && ask.inside(outer, place, work) == Inside::In
    })
}

/// Finds what lies inside the other body: one question per class and per untouched piece.
fn look_inside<S: Surface, T: Surface>(
    half: &mut Half<'_, S, T>,
    ask: Ask,
    joined: &mut DisjointSets,
    unknown: &mut [bool],
    work: &mut Work,
) {
    let (own, other) = (half.own, half.other);
    let mut answer = |place: u32| ask.inside(other, own.vertex(place), work);
    let answers: Vec<Inside> =
        half.classes.members.iter().map(|members| answer(members[0])).collect();
    half.walk_inside(&answers);
    for place in half.untouched() {
        if half.patches.of(place).is_none() && answer(place) == Inside::In {
            half.patches.walk(own.mesh().connectivity(), &half.hits, place);
        }
    }
    half.take_parts_behind(&answers, joined, unknown, ask, work);
}

/// Adds the depths of edges that enter and leave the other body while both ends are not inside.
fn add_edges<S: Surface, T: Surface>(
    half: &Half<'_, S, T>,
    parts: &mut Parts,
    ask: Ask,
    work: &mut Work,
) {
    let connectivity = half.own.mesh().connectivity();
    for hits in half.hits.by_edge().filter(|hits| hits.len() > 1) {
        if connectivity.ends(hits[0].edge).iter().any(|&end| half.patches.of(end).is_some()) {
            continue;
        }
        let inner = &mut parts.inside[parts.region_of_pair[hits[0].pair as usize] as usize];
        let least = inner.deepest.map_or(0.0, |deepest| deepest.depth);
        let found = deepest_on_edge((half.own, half.body), half.other, hits, least, ask, work);
        if found.is_some() {
            inner.kind = RegionKind::Crossing;
        }
        keep_deeper(&mut inner.deepest, found);
    }
}
