//! Both ends of a span in which vertices have plans of any kind.
//!
//! A vertex on a course lies within a sagitta of its chord. The chord is linear in time: a box
//! around its ends, made larger by the sagitta at both, holds the vertex all the way.

use glam::DVec3;

use super::{BottomUp, Expiring};
use crate::Mesh;
use crate::deform::{Flight, Moment};
use crate::tree::Tree;
use crate::volume::Aabb;

/// A span of time, and where the current time lies in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timeline {
    pub(crate) from: f64,
    pub(crate) until: f64,
    /// The keyframes at both ends whose boxes are there, if they are plain ones.
    pub(super) keyframes: [Option<usize>; 2],
    /// How far courses may bend before a span is cut short.
    limit: f64,
}

/// What share of a leaf's size courses may bend away from their chords.
const BEND_SHARE: f64 = 0.25;

impl Timeline {
    /// No span yet. Leaves are as large as `boxes` says.
    pub(super) fn new(tree: &Tree, boxes: &BottomUp<Aabb>) -> Self {
        let leaves = tree.nodes.iter().zip(&boxes.volumes).filter(|(node, _)| node.is_leaf());
        let sides = leaves.map(|(_, b)| f64::from((b.max - b.min).max_element()));
        let (sum, count) = sides.fold((0.0, 0.0), |(sum, count), side| (sum + side, count + 1.0));
        let limit = BEND_SHARE * sum / count;
        Self { from: f64::INFINITY, until: f64::NEG_INFINITY, keyframes: [None; 2], limit }
    }

    /// Whether a time lies in the span. The end belongs to the next.
    pub(super) fn contains(&self, time: f64) -> bool {
        self.from <= time && time < self.until
    }

    /// How much of the span has passed: the keyframes' own formula.
    pub(crate) fn fraction(&self, time: f64) -> f64 {
        if self.rests() {
            return 0.0;
        }
        ((time - self.from) / (self.until - self.from)).clamp(0.0, 1.0)
    }

    /// Whether the span has no end or no beginning: then nothing moves.
    pub(crate) fn rests(&self) -> bool {
        !(self.until - self.from).is_finite()
    }

    /// Whether what remains of the span is long enough to bend into another course: a chord over
    /// the rest is prolonged back to the beginning, by which roundings grow sixteenfold at most.
    pub(super) fn can_bend(&self, time: f64) -> bool {
        !self.rests() && self.contains(time) && self.fraction(time) <= 1.0 - 1.0 / 16.0
    }

    /// The span of all keyframe plans.
    pub(super) fn open_keyframes(&mut self, flight: &Flight, from: f64, until: f64) {
        let now = flight.now();
        // Where nothing moves the boxes at the end are those of something else.
        self.keyframes = [Some(now.first), (now.first != now.second).then_some(now.second)];
        [self.from, self.until] = match (now.first != now.second, now.time < from) {
            (true, _) => [from, until],
            (false, true) => [f64::NEG_INFINITY, from],
            (false, false) => [from, f64::INFINITY],
        };
    }

    /// The next span of any plans: to the next knot, or as far as courses stay near their chords.
    /// A span begins where the one before ended, so that spans do not depend on steps.
    pub(super) fn open_any(&mut self, flight: &Flight) {
        let time = flight.time();
        let follows = self.keyframes == [None; 2] && self.until <= time && self.until > self.from;
        let mut from = if follows { self.until } else { time };
        self.keyframes = [None; 2];
        loop {
            let knot = flight.next_knot(from);
            // A chord over a time h is missed by bend h^2 / 8. Not more than a thousand spans.
            let straight = (8.0 * self.limit / flight.largest_bend(from)).sqrt();
            let shortest = (flight.until() - flight.planned_at()) / 1024.0;
            let parts = ((knot - from) / straight.max(shortest)).ceil();
            let part = from + (knot - from) / parts;
            [self.from, self.until] = [from, if from < part && part < knot { part } else { knot }];
            if self.contains(time) || self.until == f64::INFINITY {
                return;
            }
            from = self.until;
        }
    }
}

/// Added to boxes of both ends for what is rounded on the way, in units of the flight's reach:
/// positions err by 2^-48, fractions by a few 2^-53, prolonging makes sixteen times as much of it.
const ALLOWANCE: f64 = 1.0 / (1u64 << 42) as f64;

/// The lowest and highest coordinates of one vertex, now and at the end of a span.
#[derive(Clone, Copy)]
pub(super) struct VertexEnds {
    pub(super) now: [DVec3; 2],
    pub(super) end: [DVec3; 2],
}

/// From `now` to the end of a span.
pub(super) struct Way<'a> {
    flight: &'a Flight,
    now: Moment,
    end: Moment,
    /// The share of the span that has passed.
    pub(super) passed: f64,
    pub(super) allowance: f64,
}

impl<'a> Way<'a> {
    pub(super) fn new(flight: &'a Flight, now: Moment, timeline: &Timeline) -> Self {
        let passed = timeline.fraction(now.time);
        // A time within the range of numbers; where nothing moves, any will do.
        let until = if timeline.rests() { now.time } else { timeline.until };
        let end = flight.moment(until);
        Self { flight, now, end, passed, allowance: flight.reach() * ALLOWANCE }
    }

    /// What holds a vertex: its chord, with the sagitta on both sides.
    pub(super) fn of(&self, vertex: u32) -> VertexEnds {
        let flight = self.flight;
        let (now, end) =
            (flight.position_at(&self.now, vertex), flight.position_at(&self.end, vertex));
        let course = flight.course(vertex, self.now.time);
        let sagitta = course.map_or(DVec3::ZERO, |c| c.sagitta(self.now.time, self.end.time));
        // The roundings of the sagitta are 2^-50 of itself.
        let around = sagitta * (1.0 + 1e-12) + DVec3::splat(self.allowance);
        VertexEnds { now: [now - around, now + around], end: [end - around, end + around] }
    }

    /// With a share p passed, a line from c (now) to e (end) began at (c - p e) / (1 - p).
    pub(super) fn at_start(&self, now: f64, end: f64) -> f64 {
        let p = self.passed;
        if p == 0.0 { now } else { (now - end * p) / (1.0 - p) }
    }

    /// The boxes of a leaf at both ends: lines from the box now to that at the end.
    pub(super) fn leaf(&self, tree: &Tree, mesh: &Mesh, number: u32) -> [Aabb; 2] {
        let nothing = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let (mut now, mut end) = (nothing, nothing);
        for &triangle in tree.leaf_primitives(tree.node(number)) {
            for vertex in mesh.triangles()[triangle as usize] {
                let ends = self.of(vertex);
                now = [now[0].min(ends.now[0]), now[1].max(ends.now[1])];
                end = [end[0].min(ends.end[0]), end[1].max(ends.end[1])];
            }
        }
        let start = |side: usize| {
            DVec3::from_array([0, 1, 2].map(|axis| self.at_start(now[side][axis], end[side][axis])))
        };
        [Aabb::from_corners(start(0), start(1)), Aabb::from_corners(end[0], end[1])]
    }
}

/// Fits all boxes at both ends of a span, whatever the plans.
pub(super) fn refit(boxes: &mut Expiring, tree: &Tree, mesh: &Mesh, flight: &Flight) {
    // From the beginning of the span, also if time jumped into its middle: boxes do not depend
    // on steps. Plans have not changed since.
    let way = Way::new(flight, flight.moment(boxes.timeline.from), &boxes.timeline);
    for number in (0..tree.nodes.len() as u32).rev() {
        let ends = match tree.node(number).is_leaf() {
            true => way.leaf(tree, mesh, number),
            false => merged(boxes, tree, number),
        };
        set(boxes, number, ends);
    }
}

fn merged(boxes: &Expiring, tree: &Tree, number: u32) -> [Aabb; 2] {
    tree.node(number).range().fold([Aabb::EMPTY; 2], |[start, end], child| {
        let child = child as usize;
        [start.merge(&boxes.start.volumes[child]), end.merge(&boxes.end.volumes[child])]
    })
}

/// The answer is whether anything changed.
pub(super) fn set(boxes: &mut Expiring, number: u32, [start, end]: [Aabb; 2]) -> bool {
    let number = number as usize;
    let old = [&mut boxes.start.volumes[number], &mut boxes.end.volumes[number]];
    let changed = *old[0] != start || *old[1] != end;
    [*old[0], *old[1]] = [start, end];
    changed
}
