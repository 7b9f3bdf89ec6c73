//! Boxes at both ends of a span for plans of any kind.
//!
//! A vertex on a course lies within a sagitta of its chord, and the chord is linear in time. Boxes
//! around both ends of the chord, each enlarged by the sagitta, therefore hold the vertex over the
//! whole span when they are blended.

use glam::DVec3;

use super::span::Span;
use crate::Mesh;
use crate::deform::{Flight, Moment};
use crate::tree::Tree;
use crate::volume::Aabb;

/// Added to boxes of both ends for all roundings, in units of the flight's reach. Positions err
/// by 2^-48 and fractions by a few 2^-53. Extending a line back to the start of the span
/// multiplies that by 16 at most.
const ALLOWANCE: f64 = 1.0 / (1u64 << 42) as f64;

/// The chords of all vertices from one moment of a span, `now`, to its end.
pub(super) struct Chords<'a> {
    flight: &'a Flight,
    now: Moment,
    end: Moment,
    /// The fraction of the span that has passed at `now`.
    pub(super) passed: f64,
    pub(super) allowance: f64,
}

impl<'a> Chords<'a> {
    pub(super) fn new(flight: &'a Flight, now: Moment, span: &Span) -> Self {
        // Where nothing moves the end is any finite time.
        let until = if span.rests() { now.time } else { span.until };
        Self {
            flight,
            now,
            end: flight.moment(until),
            passed: span.fraction(now.time),
            allowance: flight.reach() * ALLOWANCE,
        }
    }

    /// The lowest and highest coordinates of a vertex, now and at the end.
    fn of(&self, vertex: u32) -> [[DVec3; 2]; 2] {
        let course = self.flight.course(vertex, self.now.time);
        let sagitta = course.map_or(DVec3::ZERO, |c| c.sagitta(self.now.time, self.end.time));
        // The computed sagitta errs by 2^-50 of itself.
        let around = sagitta * (1.0 + 1e-12) + DVec3::splat(self.allowance);
        [&self.now, &self.end].map(|moment| {
            let position = self.flight.position_at(moment, vertex);
            [position - around, position + around]
        })
    }

    /// The value at the start of the span of the line through `now` and `end`. With a fraction p
    /// passed it is (now - p end) / (1 - p).
    pub(super) fn at_start(&self, now: f64, end: f64) -> f64 {
        let p = self.passed;
        if p == 0.0 { now } else { (now - end * p) / (1.0 - p) }
    }

    /// The boxes of a leaf at the start and at the end of the span: each side is a line from the
    /// box now to the box at the end.
    pub(super) fn leaf(&self, tree: &Tree, mesh: &Mesh, number: u32) -> [Aabb; 2] {
        let nothing = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let (mut now, mut end) = (nothing, nothing);
        for &triangle in tree.leaf_primitives(tree.node(number)) {
            for vertex in mesh.triangles()[triangle as usize] {
                let [at_now, at_end] = self.of(vertex);
                now = [now[0].min(at_now[0]), now[1].max(at_now[1])];
                end = [end[0].min(at_end[0]), end[1].max(at_end[1])];
            }
        }
        let start = |side: usize| {
            DVec3::from_array([0, 1, 2].map(|axis| self.at_start(now[side][axis], end[side][axis])))
        };
        [Aabb::from_corners(start(0), start(1)), Aabb::from_corners(end[0], end[1])]
    }

    /// Fits the boxes of all nodes at both ends of a span that begins `now`.
    pub(super) fn fit_all(&self, tree: &Tree, mesh: &Mesh, [start, end]: [&mut [Aabb]; 2]) {
        for number in (0..tree.nodes.len() as u32).rev() {
            let node = tree.node(number);
            let fitted = match node.is_leaf() {
                true => self.leaf(tree, mesh, number),
                false => node.range().fold([Aabb::EMPTY; 2], |[a, b], child| {
                    [a.merge(&start[child as usize]), b.merge(&end[child as usize])]
                }),
            };
            [start[number as usize], end[number as usize]] = fitted;
        }
    }
}
