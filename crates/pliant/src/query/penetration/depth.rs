//! The point of a surface that is farthest inside the other.

use glam::DVec3;

use super::edge_hits::{Hit, ends_of, share_of};
use super::{Ask, Deepest};
use crate::body::Surface;
use crate::contact::closest_point_on_triangle;
use crate::query::{Inside, Work};

/// At how many points a part of an edge is measured that lies inside without a vertex.
const POINTS_PER_PART: u32 = 7;

/// Keeps the deeper of two points; of equally deep ones the first.
pub(super) fn keep_deeper(best: &mut Option<Deepest>, found: Option<Deepest>) {
    let deeper = |found: &Deepest| best.is_none_or(|best| found.depth > best.depth);
    if let Some(found) = found.filter(deeper) {
        *best = Some(found);
    }
}

/// Of so many vertices in a row one is asked about before the others.
const STRIDE: usize = 8;

/// A triangle of the other surface and a point on it.
#[derive(Debug, Clone, Copy)]
struct Sample {
    triangle: u32,
    point: DVec3,
}

impl Sample {
    const NONE: Self = Self { triangle: u32::MAX, point: DVec3::ZERO };

    /// Whether a point is so near that its distance, as it is computed, is certainly below a depth.
    ///
    /// The sample is on the surface, and a computed distance is above the true one by a few 2^-53 of
    /// the largest coordinate. Here 2^-46 of it, which also covers the rounding of the sum.
    fn is_certainly_within(&self, point: DVec3, depth: f64) -> bool {
        let largest = self.point.abs().max(point.abs()).max_element();
        self.point.distance(point) + largest * 2f64.powi(-46) < depth
    }
}

/// The deepest of some vertices that lie inside, which ascend; of several at the same computed depth
/// the first.
///
/// The triangle that was nearest to one vertex bounds the depth of others, as it is computed: where
/// it shows that a vertex is not deeper, nothing is asked. So a few vertices are asked about first,
/// which show how deep it is about, and the triangles near them spare most of the others.
pub(super) fn deepest_vertex<S: Surface, T: Surface>(
    (own, body): (&S, usize),
    other: &T,
    vertices: &[u32],
    counts: impl Fn(u32) -> bool,
    ask: Ask,
    work: &mut Work,
) -> Option<Deepest> {
    let mut best: Option<(f64, Deepest)> = None;
    let is_deeper = |(squared, vertex): (f64, u32), best: &Option<(f64, Deepest)>| {
        best.is_none_or(|(most, deepest)| {
            squared > most || squared == most && deepest.vertex > Some(vertex)
        })
    };
    let mut consider = |vertex: u32, near: [Sample; 2], work: &mut Work| {
        let point = own.vertex(vertex);
        let near = near.into_iter().filter(|near| near.triangle != u32::MAX);
        if let Some((_, deepest)) = &best
            && near.clone().any(|near| near.is_certainly_within(point, deepest.depth))
        {
            return Sample::NONE;
        }
        for near in near {
            work.primitive_tests += 1;
            let bound = closest_point_on_triangle(point, &other.triangle(near.triangle));
            if !is_deeper((bound.distance_squared, vertex), &best) {
                return Sample { point: bound.point, ..near };
            }
        }
        // What is nearer than the deepest is not deeper.
        let enough = best.map_or(f64::NEG_INFINITY, |(most, _)| most);
        let found = ask.closest(other, point, enough, &counts, work);
        let (nearest, squared) = (found.found.point, found.found.distance_squared);
        if found.triangle != u32::MAX && is_deeper((squared, vertex), &best) {
            let depth = squared.sqrt();
            best = Some((squared, Deepest { depth, point, nearest, body, vertex: Some(vertex) }));
        }
        Sample { triangle: found.triangle, point: nearest }
    };
    let mut samples = Vec::with_capacity(vertices.len() / STRIDE + 2);
    for &vertex in vertices.iter().step_by(STRIDE) {
        let last = samples.last().copied().unwrap_or(Sample::NONE);
        let found = consider(vertex, [last, Sample::NONE], work);
        samples.push(if found.triangle == u32::MAX { last } else { found });
    }
    samples.push(Sample::NONE);
    for (run, near) in vertices.chunks(STRIDE).zip(samples.windows(2)) {
        for &vertex in &run[1..] {
            consider(vertex, [near[0], near[1]], work);
        }
    }
    best.map(|(_, deepest)| deepest)
}

/// The deepest point of an edge that enters and leaves the other body, if it is deeper than `least`.
/// `hits` are those of the edge.
pub(super) fn deepest_on_edge<S: Surface, T: Surface>(
    (own, body): (&S, usize),
    other: &T,
    hits: &[Hit],
    least: f64,
    ask: Ask,
    work: &mut Work,
) -> Option<Deepest> {
    let first = hits.first()?;
    let [p, q] = ends_of(own, first.edge);
    let mut shares: Vec<f64> = hits.iter().filter_map(|hit| share_of([p, q], other, hit)).collect();
    shares.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| p + (q - p) * share;
    let mut best: Option<Deepest> = None;
    for part in shares.windows(2) {
        let (from, to) = (at(part[0]), at(part[1]));
        let deepest = best.map_or(least, |best| best.depth);
        // No point of a part is farther from the surface than from the nearer end.
        if 0.5 * from.distance(to) <= deepest {
            continue;
        }
        if ask.inside(other, from.midpoint(to), work) != Inside::In {
            continue;
        }
        for step in 1..=POINTS_PER_PART {
            let point: DVec3 = from.lerp(to, f64::from(step) / f64::from(POINTS_PER_PART + 1));
            let found = ask.closest(other, point, f64::NEG_INFINITY, |_| true, work);
            let depth = found.found.distance_squared.sqrt();
            let nearest = found.found.point;
            let found = Deepest { depth, point, nearest, body, vertex: None };
            if depth > least {
                keep_deeper(&mut best, Some(found));
            }
        }
    }
    best
}
