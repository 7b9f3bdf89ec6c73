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

/// The deepest of some vertices that lie inside; of several at the same computed depth the first.
///
/// The triangle that was nearest to one vertex bounds the depth of the next, as it is computed: where
/// it shows that a vertex is not deeper, nothing is asked.
pub(super) fn deepest_vertex<S: Surface, T: Surface>(
    (own, body): (&S, usize),
    other: &T,
    vertices: &[u32],
    counts: impl Fn(u32) -> bool,
    ask: Ask,
    work: &mut Work,
) -> Option<Deepest> {
    let mut best: Option<(f64, Deepest)> = None;
    let mut last = None;
    for &vertex in vertices {
        let point = own.vertex(vertex);
        if let (Some((squared, _)), Some(triangle)) = (best, last) {
            work.primitive_tests += 1;
            let bound = closest_point_on_triangle(point, &other.triangle(triangle));
            if bound.distance_squared <= squared {
                continue;
            }
        }
        let found = ask.closest(other, point, &counts, work);
        if found.triangle == u32::MAX {
            continue;
        }
        last = Some(found.triangle);
        let (nearest, squared) = (found.found.point, found.found.distance_squared);
        if best.is_none_or(|(most, _)| squared > most) {
            let depth = squared.sqrt();
            best = Some((squared, Deepest { depth, point, nearest, body, vertex: Some(vertex) }));
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
            let found = ask.closest(other, point, |_| true, work);
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
