//! The span of time in which boxes hold.

use crate::deform::Flight;
use crate::tree::Tree;
use crate::volume::Aabb;

/// A span of time in which every vertex stays near the chord between its two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) until: f64,
    /// The keyframes whose plain boxes stand at the two ends, if any.
    pub(super) keyframes: [Option<usize>; 2],
    /// How far a course may leave its chord. Spans are cut shorter where courses would leave it
    /// farther.
    largest_sagitta: f64,
}

/// The largest sagitta as a share of the mean side of a leaf: boxes then grow by less than their
/// own size.
const SAGITTA_SHARE: f64 = 0.25;

/// The largest number of spans between two changes of plans.
const MAX_SPANS: f64 = 1024.0;

impl Span {
    /// An empty span, for a tree whose nodes have these boxes at rest.
    pub(super) fn new(tree: &Tree, boxes: &[Aabb]) -> Self {
        let leaves = tree.nodes.iter().zip(boxes).filter(|(node, _)| node.is_leaf());
        let sides = leaves.map(|(_, b)| f64::from((b.max - b.min).max_element()));
        let (sum, count) = sides.fold((0.0, 0.0), |(sum, count), side| (sum + side, count + 1.0));
        Self {
            from: f64::INFINITY,
            until: f64::NEG_INFINITY,
            keyframes: [None; 2],
            largest_sagitta: SAGITTA_SHARE * sum / count,
        }
    }

    /// Whether a time lies in the span. The end belongs to the next span.
    pub(super) fn contains(&self, time: f64) -> bool {
        self.from <= time && time < self.until
    }

    /// The fraction of the span that has passed, by the same formula as that of the keyframes.
    pub(super) fn fraction(&self, time: f64) -> f64 {
        if self.rests() {
            return 0.0;
        }
        ((time - self.from) / (self.until - self.from)).clamp(0.0, 1.0)
    }

    /// Whether nothing moves in the span: it has no beginning or no end.
    pub(super) fn rests(&self) -> bool {
        !(self.until - self.from).is_finite()
    }

    /// Whether enough of the span remains to change plans within it. A line over the remaining
    /// time is extended back to the start of the span, which multiplies rounding errors by 16 at
    /// most.
    pub(super) fn can_replan(&self, time: f64) -> bool {
        !self.rests() && self.contains(time) && self.fraction(time) <= 1.0 - 1.0 / 16.0
    }

    /// Begins the span between the keyframes around the current time.
    pub(super) fn open_keyframes(&mut self, flight: &Flight, from: f64, until: f64) {
        let now = flight.now();
        let moves = now.first != now.second;
        // The boxes at the end are not refitted if nothing moves.
        self.keyframes = [Some(now.first), moves.then_some(now.second)];
        [self.from, self.until] = match (moves, now.time < from) {
            (true, _) => [from, until],
            (false, true) => [f64::NEG_INFINITY, from],
            (false, false) => [from, f64::INFINITY],
        };
    }

    /// Begins the span around the current time for plans of any kind: up to the next knot, or as
    /// long as all courses stay near their chords. A span begins where the previous one ended, so
    /// that spans do not depend on the steps in which time advances.
    pub(super) fn open_any(&mut self, flight: &Flight) {
        let time = flight.time();
        let follows = self.keyframes == [None; 2] && self.until <= time && self.until > self.from;
        let mut from = if follows { self.until } else { time };
        self.keyframes = [None; 2];
        loop {
            let knot = flight.next_knot(from);
            // Over a time h a course leaves its chord by at most acceleration h^2 / 8.
            let straight = (8.0 * self.largest_sagitta / flight.largest_acceleration(from)).sqrt();
            let shortest = (flight.until() - flight.planned_at()) / MAX_SPANS;
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
