//! A triangle over a step, prepared for tests of its features against those of others.

use crate::parallel::*;
use glam::{DVec3, Vec3A};

use super::fixed_direction::FixedDirection;
use super::step::Step;
use crate::body::Surface;
use crate::shape::OwnedFeatures;
use crate::volume::{Aabb, MovingBox, may_close};

/// Rounding a corner to the nearest `f32` costs half a step, 2^-24 of its size, and so does each of
/// the two differences that make a gap of it. This is eight times as much as the three together of
/// one triangle.
const ROUNDING: f32 = 24.0 / (1u32 << 24) as f32;

/// A triangle over a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovingTriangle {
    pub(super) number: u32,
    /// Its vertices.
    pub(super) vertices: [u32; 3],
    /// What tells whether features share a vertex: the vertices, or their places.
    pub(super) names: [u32; 3],
    pub(super) owned: OwnedFeatures,
    /// Its corners at both ends.
    pub(super) start: [DVec3; 3],
    pub(super) end: [DVec3; 3],
    /// Corners rounded to the nearest `f32`, at both ends.
    pub(super) rounded: [[Vec3A; 3]; 2],
    /// The boxes of the whole triangle at both ends.
    pub(super) face: Span,
    /// By how much a gap may be too large because of this triangle's roundings.
    slack: f32,
    pub(super) direction: FixedDirection,
}

/// The lowest and the highest corner at both ends, of corners rounded to the nearest `f32`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    low: [Vec3A; 2],
    high: [Vec3A; 2],
}

/// How far some triangles reach at both ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    span: Span,
    slack: f32,
}

impl Reach {
    #[inline]
    pub(super) fn of(triangle: &MovingTriangle) -> Self {
        Self { span: triangle.face, slack: triangle.slack }
    }

    /// How far two groups reach.
    #[inline]
    pub(super) fn with(&self, other: &Self) -> Self {
        Self { span: self.span.with(&other.span), slack: self.slack.max(other.slack) }
    }
}

impl MovingTriangle {
    #[inline]
    pub(super) fn new<C: Surface>(step: &Step<C>, number: u32, names: &[[u32; 3]]) -> Self {
        let mesh = step.start().mesh();
        let [start, end] = step.triangle(number);
        let round = |p: &[DVec3; 3]| [p[0].as_vec3a(), p[1].as_vec3a(), p[2].as_vec3a()];
        let [s, e] = [round(&start), round(&end)];
        let face = Span {
            low: [s[0].min(s[1]).min(s[2]), e[0].min(e[1]).min(e[2])],
            high: [s[0].max(s[1]).max(s[2]), e[0].max(e[1]).max(e[2])],
        };
        let largest = face.low[0].abs().max(face.high[0].abs());
        let largest = largest.max(face.low[1].abs().max(face.high[1].abs()));
        let largest = largest.max_element();
        let slack = largest * ROUNDING + f32::MIN_POSITIVE;
        let vertices = mesh.triangles()[number as usize];
        Self {
            number,
            vertices,
            names: names[number as usize],
            owned: mesh.owned_features()[number as usize],
            start,
            end,
            rounded: [s, e],
            face,
            slack,
            direction: FixedDirection::new(&start, &[s, e]),
        }
    }

    /// The places of a corner at both ends.
    #[inline]
    pub(super) fn vertex(&self, corner: usize) -> Span {
        let both = [self.rounded[0][corner], self.rounded[1][corner]];
        Span { low: both, high: both }
    }

    /// The boxes at both ends of the edge that begins at a corner.
    #[inline]
    pub(super) fn edge(&self, side: usize) -> Span {
        let next = (side + 1) % 3;
        let both = |end: usize| (self.rounded[end][side], self.rounded[end][next]);
        let ((p, q), (r, s)) = (both(0), both(1));
        Span { low: [p.min(q), r.min(s)], high: [p.max(q), r.max(s)] }
    }

    /// Boxes around the triangle at both ends, with all that its stray allows.
    pub(super) fn around(&self) -> MovingBox {
        let Span { low, high } = self.face;
        let slack = Vec3A::splat(self.slack);
        let around = |end: usize| {
            let Aabb { min, max } = Aabb::around_nearest(low[end], high[end]);
            Aabb { min: min - slack, max: max + slack }
        };
        MovingBox { start: around(0), end: around(1) }
    }

    /// Whether this triangle may meet what reaches somewhere, not after a time.
    #[inline]
    pub(super) fn may_reach(&self, other: &Reach, time: f32) -> bool {
        self.face.may_meet(&other.span, Vec3A::splat(self.slack + other.slack), time)
    }

    /// The slack of gaps between this triangle and another.
    #[inline]
    pub(super) fn slack_with(&self, other: &Self) -> f32 {
        self.slack + other.slack
    }

    /// Whether this triangle and another, which share a corner of each and no other, are apart along
    /// an axis but for that corner, so that no features meet that do not share it.
    ///
    /// These are the side opposite to the corner, or an end of it, and all or some of the other
    /// triangle: gaps between a side and the other triangle cover all of them. They are linear in time,
    /// so that two that are above the slack at both ends are so in between.
    #[inline]
    pub(super) fn hinges(&self, corner: usize, other: &Self, others: usize, slack: Vec3A) -> bool {
        let (side, face) = (self.edge((corner + 1) % 3), &self.face);
        let (other_side, other_face) = (other.edge((others + 1) % 3), &other.face);
        let above = |end: usize| {
            (side.low[end] - other_face.high[end]).cmpgt(slack)
                & (face.low[end] - other_side.high[end]).cmpgt(slack)
        };
        let below = |end: usize| {
            (other_face.low[end] - side.high[end]).cmpgt(slack)
                & (other_side.low[end] - face.high[end]).cmpgt(slack)
        };
        ((above(0) & above(1)) | (below(0) & below(1))).any()
    }

    /// All triangles of a step, by their numbers.
    pub(super) fn all<C: Surface>(step: &Step<C>, names: &[[u32; 3]]) -> Vec<Self> {
        let count = step.start().mesh().triangles().len() as u32;
        let one = |number| Self::new(step, number, names);
        if current_num_threads() == 1 {
            return (0..count).map(one).collect();
        }
        (0..count).into_par_iter().with_min_len(1024).map(one).collect()
    }

    /// The vertices of the edge that begins at a corner, the smaller first, with their corners.
    #[inline]
    pub(super) fn ends(&self, side: usize) -> ([u32; 2], [usize; 2]) {
        let next = (side + 1) % 3;
        let [from, to] = [self.vertices[side], self.vertices[next]];
        if from < to { ([from, to], [side, next]) } else { ([to, from], [next, side]) }
    }
}

impl Span {
    /// The span around two.
    #[inline]
    fn with(&self, other: &Self) -> Self {
        let ([a, b], [c, d]) = (self.low, other.low);
        let ([p, q], [r, s]) = (self.high, other.high);
        Self { low: [a.min(c), b.min(d)], high: [p.max(r), q.max(s)] }
    }

    /// Whether two may touch, not after a time.
    ///
    /// Gaps between rounded corners less the slack are below the true gaps, stray included, so that
    /// true gaps are at most zero only where these are.
    #[inline(always)]
    pub(super) fn may_meet(&self, other: &Self, slack: Vec3A, time: f32) -> bool {
        let gaps = |end: usize| [self.low[end] - other.high[end], other.low[end] - self.high[end]];
        may_close([gaps(0), gaps(1)], slack, time)
    }

    /// Whether the two boxes at the start may overlap.
    #[inline]
    pub(super) fn overlap_at_start(&self, other: &Self, slack: Vec3A) -> bool {
        let above = (self.low[0] - other.high[0]).cmpgt(slack);
        let below = (other.low[0] - self.high[0]).cmpgt(slack);
        !(above | below).any()
    }
}
