//! The extreme vertex of every side, kept up to date by events.
//!
//! Every side of a box is a contest, its *slot*. Contestants are the corners of a leaf's triangles
//! and the winners of slots further down. A slot stores the number of the winning vertex and the
//! time at which its certificate fails. An event is such a failure (Zachmann and Weller 2006,
//! section 4): the slot is decided again, and so is each slot above it while winners change.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::by_nodes::decide_all;
use super::certificate::{Place, Segment, Side};
use super::event_queue::EventQueue;
use super::keep_winners::{find_failures, find_failures_by_slots};
use crate::Mesh;
use crate::deform::{Flight, Moment};
use crate::tree::Tree;

/// Who takes part in which contest. Depends on the tree and the mesh, not on the time.
pub(super) trait Contests: Send + Sync {
    /// The number of slots. A slot has a larger number than the slot above it.
    fn slots(&self) -> usize;

    /// The slots of the six sides of a node, in the order of [`Side::number`].
    fn slots_of(&self, node: u32) -> [u32; 6];

    /// The side of a slot.
    fn side(&self, slot: u32) -> Side;

    /// The slot in which the winner takes part.
    fn above(&self, slot: u32) -> Option<u32>;

    /// Tells all contestants of a slot.
    fn contestants(&self, slot: u32, tell: impl FnMut(Contestant));

    /// Whether a slot has so many contestants that asking all of them should be avoided.
    fn has_many(&self, slot: u32) -> bool;

    /// Tree and mesh, if side s of node n is slot 6 n + s for all of them.
    fn six_per_node(&self) -> Option<(&Tree, &Mesh)> {
        None
    }
}

/// A vertex, or the winner of another slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contestant {
    Vertex(u32),
    Winner(u32),
}

/// What becomes of winners when all slots are decided again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// At a keyframe: they stay where nobody is above them by more than the slack of certificates.
    Kept,
    /// After a jump in time: they have no influence, not even on ties.
    Forgotten,
}

/// What events did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventCount {
    /// Certificates that failed.
    pub events: u64,
    /// Sides whose extreme vertex was replaced by an event.
    pub changed_values: u64,
    /// Sides that were decided again because plans changed, at a keyframe or by a caller.
    pub replanned: u64,
}

/// The winners of all slots at one time.
#[derive(Debug, Clone)]
pub(super) struct Tournament {
    winners: Vec<u32>,
    queue: EventQueue,
    /// The next knot of the flight: all slots are decided again then.
    end: f64,
    /// Memory to work in: the places of the contestants of a slot.
    places: Vec<Place>,
    count: EventCount,
}

/// The winner of a slot that is not decided yet.
const NOBODY: u32 = u32::MAX;

impl Tournament {
    /// The winners at the flight's current time.
    pub(super) fn new(contests: &impl Contests, flight: &Flight) -> Self {
        let slots = contests.slots();
        let mut made = Self {
            winners: vec![NOBODY; slots],
            queue: EventQueue::with_slots(slots),
            end: f64::INFINITY,
            places: Vec::new(),
            count: EventCount::default(),
        };
        made.restart(contests, flight, *flight.now(), Earlier::Forgotten);
        made.count = EventCount::default();
        made
    }

    /// What events did so far.
    pub(super) fn count(&self) -> EventCount {
        self.count
    }

    /// The extreme vertex of a slot.
    #[inline]
    pub(super) fn winner(&self, slot: u32) -> u32 {
        self.winners[slot as usize]
    }

    /// Decides all slots.
    pub(super) fn restart(
        &mut self,
        contests: &impl Contests,
        flight: &Flight,
        now: Moment,
        earlier: Earlier,
    ) {
        if earlier == Earlier::Forgotten {
            self.winners.fill(NOBODY);
        }
        match contests.six_per_node().filter(|_| flight.follows_keyframes()) {
            Some(shape) => {
                let segment = self.begin(flight, now);
                let Self { winners, queue, .. } = self;
                let mut tell = |slot, time| queue.add(slot, time);
                let kept = earlier == Earlier::Kept
                    && find_failures(shape, flight, &segment, winners, &mut tell);
                if !kept {
                    decide_all(shape, flight, &segment, winners, tell);
                }
                queue.arrange();
            }
            None => {
                let segment = self.begin(flight, now);
                let Self { winners, queue, .. } = self;
                let kept = earlier == Earlier::Kept
                    && find_failures_by_slots(contests, flight, &segment, winners, |slot, time| {
                        queue.add(slot, time);
                    });
                if kept {
                    queue.arrange();
                } else {
                    self.decide_by_slots(contests, flight, now);
                }
            }
        }
        self.count.replanned += self.winners.len() as u64;
    }

    /// The segment from a moment on, without events yet.
    fn begin(&mut self, flight: &Flight, now: Moment) -> Segment {
        self.end = flight.next_knot(now.time);
        self.queue.clear();
        Segment::new(flight, now)
    }

    /// Decides slot by slot.
    pub(super) fn decide_by_slots(
        &mut self,
        contests: &impl Contests,
        flight: &Flight,
        now: Moment,
    ) {
        let segment = self.begin(flight, now);
        let slots = self.winners.len();
        // The places of winners further down are kept: looking their vertices up again is slower.
        let nowhere = Place { vertex: NOBODY, now: 0.0, end: 0.0 };
        let mut found = vec![nowhere; slots];
        for slot in (0..slots as u32).rev() {
            let place_of = |_, winner: u32| found[winner as usize];
            if let Some((best, failure)) = self.decide(contests, flight, &segment, slot, place_of) {
                found[slot as usize] = best;
                if failure < f64::INFINITY {
                    self.queue.add(slot, failure);
                }
            }
        }
        self.queue.arrange();
    }

    /// Winners, and times of failure.
    #[cfg(test)]
    pub(super) fn state(&self) -> (Vec<u32>, Vec<f64>) {
        let slots = 0..self.winners.len() as u32;
        (self.winners.clone(), slots.map(|slot| self.queue.time(slot)).collect())
    }

    /// Whether there is an event or a knot up to a time.
    #[inline]
    pub(super) fn changes_until(&self, time: f64) -> bool {
        time >= self.end || self.queue.first().is_some_and(|(_, first)| first <= time)
    }

    /// Processes all events and knots from the flight's current time to a later one, each at its
    /// time.
    pub(super) fn advance(&mut self, contests: &impl Contests, flight: &Flight, to: f64) {
        loop {
            let limit = to.min(self.end);
            while let Some((slot, time)) = self.queue.first().filter(|&(_, time)| time <= limit) {
                self.count.events += 1;
                let segment = Segment::new(flight, flight.moment(time));
                self.settle(contests, flight, &segment, slot);
            }
            if to < self.end {
                return;
            }
            self.restart(contests, flight, flight.moment(self.end), Earlier::Kept);
        }
    }

    /// Decides a slot, then the slots above it while winners change.
    fn settle(
        &mut self,
        contests: &impl Contests,
        flight: &Flight,
        segment: &Segment,
        mut slot: u32,
    ) {
        let mut replaced: Option<[u32; 2]> = None;
        loop {
            let before = self.winner(slot);
            if let Some([old, new]) = replaced
                && before != old
                && contests.has_many(slot)
            {
                // A contestant that did not win was replaced by another one. For the others the
                // known time of failure still holds. It stays even if it was that of the
                // replaced contestant: an event may be early, but not late.
                let side = contests.side(slot);
                let [winner, rival] = [before, new].map(|v| segment.place(flight, side, v));
                if rival.now <= winner.now {
                    let failure = segment.failure(flight, side, &winner, &rival);
                    if failure < self.queue.time(slot) {
                        self.queue.set(slot, failure);
                    }
                    return;
                }
            }
            let failure = self.decide_alone(contests, flight, segment, slot);
            self.queue.set(slot, failure);
            let winner = self.winner(slot);
            if winner == before {
                return;
            }
            self.count.changed_values += 1;
            replaced = Some([before, winner]);
            match contests.above(slot) {
                Some(above) => slot = above,
                None => return,
            }
        }
    }

    /// Takes new plans of some vertices into account, given the slots in which these vertices take
    /// part.
    pub(super) fn replan(
        &mut self,
        contests: &impl Contests,
        flight: &Flight,
        vertices: &[u32],
        slots: Vec<u32>,
    ) {
        let mut changed = vertices.to_vec();
        changed.sort_unstable();
        self.decide_upward(contests, flight, &changed, slots);
    }

    /// Decides some slots, and those above them while winners change or are among `changed`.
    fn decide_upward(
        &mut self,
        contests: &impl Contests,
        flight: &Flight,
        changed: &[u32],
        slots: Vec<u32>,
    ) {
        let segment = Segment::new(flight, *flight.now());
        // The largest slot first: a slot is decided after all slots that it depends on.
        let mut waiting = BinaryHeap::from(slots);
        while let Some(slot) = waiting.pop() {
            while waiting.peek() == Some(&slot) {
                waiting.pop();
            }
            let before = self.winner(slot);
            let failure = self.decide_alone(contests, flight, &segment, slot);
            self.queue.set(slot, failure);
            self.count.replanned += 1;
            let winner = self.winner(slot);
            if winner != before || changed.binary_search(&winner).is_ok() {
                waiting.extend(contests.above(slot));
            }
        }
    }

    /// The same winners and events for contests in other slots: `from` has the old slot of each new one, if it
    /// has one. The slots in `changed` are decided anew, among them all that have no old one.
    pub(super) fn carried(
        &self,
        contests: &impl Contests,
        flight: &Flight,
        from: impl Fn(u32) -> Option<u32>,
        changed: Vec<u32>,
    ) -> Self {
        let slots = contests.slots();
        let mut made = Self {
            winners: Vec::with_capacity(slots),
            queue: EventQueue::with_slots(slots),
            end: self.end,
            places: Vec::new(),
            count: self.count,
        };
        for slot in 0..slots as u32 {
            let old = from(slot);
            made.winners.push(old.map_or(NOBODY, |old| self.winner(old)));
            let time = old.map_or(f64::INFINITY, |old| self.queue.time(old));
            if time < f64::INFINITY {
                made.queue.add(slot, time);
            }
        }
        made.queue.arrange();
        made.decide_upward(contests, flight, &[], changed);
        made
    }

    /// Finds the winner of a slot now. Returns the time at which its certificate fails.
    #[inline]
    fn decide_alone(
        &mut self,
        contests: &impl Contests,
        flight: &Flight,
        segment: &Segment,
        slot: u32,
    ) -> f64 {
        let place_of = |(side, winner), _| segment.place(flight, side, winner);
        let decided = self.decide(contests, flight, segment, slot, place_of);
        decided.map_or(f64::INFINITY, |(_, failure)| failure)
    }

    /// As [`Self::decide_alone`], given the places of winners of slots further down. Returns also
    /// the place of the new winner.
    ///
    /// Of equal contestants the previous winner stays, else the first one wins: it stays the
    /// winner until another contestant is really above.
    #[inline]
    fn decide(
        &mut self,
        contests: &impl Contests,
        flight: &Flight,
        segment: &Segment,
        slot: u32,
        place_of: impl Fn((Side, u32), u32) -> Place,
    ) -> Option<(Place, f64)> {
        let side = contests.side(slot);
        let Self { winners, places, .. } = self;
        places.clear();
        contests.contestants(slot, |contestant| {
            places.push(match contestant {
                Contestant::Vertex(vertex) => segment.place(flight, side, vertex),
                Contestant::Winner(slot) => place_of((side, winners[slot as usize]), slot),
            });
        });
        let before = winners[slot as usize];
        let better = |best: Place, place: &Place| match place.now.partial_cmp(&best.now) {
            Some(Ordering::Greater) => *place,
            Some(Ordering::Equal) if place.vertex == before => *place,
            _ => best,
        };
        // Every slot has a contestant, because every leaf has a triangle.
        let &first = places.first()?;
        let best = places.iter().fold(first, better);
        winners[slot as usize] = best.vertex;
        let rivals = places.iter().filter(|place| place.vertex != best.vertex);
        let failures = rivals.map(|rival| segment.failure(flight, side, &best, rival));
        Some((best, failures.fold(f64::INFINITY, f64::min)))
    }
}
