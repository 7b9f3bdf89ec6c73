//! Who is the extreme one, kept up to date by events.
//!
//! Every side of a box is a contest, its *slot*: among the corners of a leaf's triangles, and
//! the winners of slots further down. A slot holds the winner's number and the time at which its
//! certificate fails. An event is such a failure (Zachmann and Weller 2006, section 4): the slot
//! is decided anew, and so is each slot above for as long as winners change.

use std::collections::BinaryHeap;

use super::kinetic_crossing::{Segment, Side};
use super::kinetic_queue::EventQueue;
use crate::deform::{Flight, Moment};

/// Who takes part in which contest.
pub(super) trait Contests: Send + Sync {
    /// How many slots there are. A slot has a larger number than the one above it.
    fn slots(&self) -> usize;

    /// The side that a slot is about.
    fn side(&self, slot: u32) -> Side;

    /// The slot in which the winner takes part.
    fn above(&self, slot: u32) -> Option<u32>;

    /// Tells of all contestants of a slot.
    fn contestants(&self, slot: u32, tell: impl FnMut(Contestant));
}

/// One that takes part: a vertex, or the winner of another slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contestant {
    Vertex(u32),
    Winner(u32),
}

/// What events did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventCount {
    /// Certificates that failed.
    pub events: u64,
    /// Sides whose extreme vertex was replaced by an event.
    pub changed_values: u64,
    /// Sides that were decided anew because plans changed, of themselves or by a caller.
    pub replanned: u64,
}

/// All slots of a body.
#[derive(Debug, Clone)]
pub(super) struct Tournament<C> {
    pub(super) contests: C,
    winners: Vec<u32>,
    queue: EventQueue,
    end: f64,
    pub(super) count: EventCount,
}

/// A winner before anything was decided.
const NOBODY: u32 = u32::MAX;

impl<C: Contests> Tournament<C> {
    pub(super) fn new(contests: C, flight: &Flight) -> Self {
        let slots = contests.slots();
        let (winners, queue) = (vec![NOBODY; slots], EventQueue::new(slots));
        let end = f64::INFINITY;
        let mut made = Self { contests, winners, queue, end, count: EventCount::default() };
        made.restart(flight, *flight.now());
        made.count = EventCount::default();
        made
    }

    /// The extreme vertex of a slot.
    #[inline]
    pub(super) fn winner(&self, slot: u32) -> u32 {
        self.winners[slot as usize]
    }

    /// Decides all slots anew. What was before has no influence, not even on ties.
    pub(super) fn restart(&mut self, flight: &Flight, now: Moment) {
        let segment = Segment::new(flight, now);
        self.end = flight.next_knot(now.time);
        self.winners.fill(NOBODY);
        let slots = self.winners.len();
        let mut fails = vec![f64::INFINITY; slots];
        for slot in (0..slots as u32).rev() {
            fails[slot as usize] = self.decide(flight, &segment, slot);
        }
        self.queue.fill(|slot| fails[slot as usize]);
        self.count.replanned += slots as u64;
    }

    /// Takes the flight's plans from its current time to a later one: all events on the way, each
    /// at its time.
    pub(super) fn advance(&mut self, flight: &Flight, to: f64) {
        loop {
            let limit = to.min(self.end);
            while let Some((slot, time)) = self.queue.first().filter(|&(_, time)| time <= limit) {
                self.count.events += 1;
                let segment = Segment::new(flight, flight.moment(time));
                self.settle(flight, &segment, slot);
            }
            if to < self.end {
                return;
            }
            self.restart(flight, flight.moment(self.end));
        }
    }

    /// Decides a slot, and those above it while winners change.
    fn settle(&mut self, flight: &Flight, segment: &Segment, slot: u32) {
        let mut next = Some(slot);
        while let Some(slot) = next {
            let before = self.winner(slot);
            let fails = self.decide(flight, segment, slot);
            self.queue.set(slot, fails);
            if self.winner(slot) == before {
                return;
            }
            self.count.changed_values += 1;
            next = self.contests.above(slot);
        }
    }

    /// Takes note of new plans of some vertices, given the slots in which they take part as
    /// vertices.
    pub(super) fn replan(&mut self, flight: &Flight, vertices: &[u32], slots: Vec<u32>) {
        let segment = Segment::new(flight, *flight.now());
        let mut changed = vertices.to_vec();
        changed.sort_unstable();
        // From below: a slot is decided after all that it depends on.
        let mut waiting = BinaryHeap::from(slots);
        while let Some(slot) = waiting.pop() {
            while waiting.peek() == Some(&slot) {
                waiting.pop();
            }
            let before = self.winner(slot);
            let fails = self.decide(flight, &segment, slot);
            self.queue.set(slot, fails);
            self.count.replanned += 1;
            let winner = self.winner(slot);
            if winner != before || changed.binary_search(&winner).is_ok() {
                waiting.extend(self.contests.above(slot));
            }
        }
    }

    /// Finds the winner of a slot now, and when its certificate fails.
    ///
    /// Of equal contestants the one that won before stays, else the first one wins: it has won
    /// until somebody is really above.
    #[inline]
    fn decide(&mut self, flight: &Flight, segment: &Segment, slot: u32) -> f64 {
        let side = self.contests.side(slot);
        let before = self.winners[slot as usize];
        let value = |vertex| Segment::value(flight, &segment.now, side, vertex);
        let mut best = (NOBODY, f64::NEG_INFINITY);
        let of = |contestant, winners: &[u32]| match contestant {
            Contestant::Vertex(vertex) => vertex,
            Contestant::Winner(slot) => winners[slot as usize],
        };
        self.contests.contestants(slot, |contestant| {
            let vertex = of(contestant, &self.winners);
            let value = value(vertex);
            if best.0 == NOBODY || value > best.1 || (value == best.1 && vertex == before) {
                best = (vertex, value);
            }
        });
        let mut fails = f64::INFINITY;
        self.contests.contestants(slot, |contestant| {
            let vertex = of(contestant, &self.winners);
            if vertex != best.0 {
                fails = fails.min(segment.overtaken(flight, side, best.0, vertex));
            }
        });
        self.winners[slot as usize] = best.0;
        fails
    }
}
