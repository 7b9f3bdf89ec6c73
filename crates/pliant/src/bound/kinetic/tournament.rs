//! Who is the extreme one, kept up to date by events.
//!
//! Every side of a box is a contest, its *slot*: among the corners of a leaf's triangles, and
//! the winners of slots further down. A slot holds the winner's number and the time at which its
//! certificate fails. An event is such a failure (Zachmann and Weller 2006, section 4): the slot
//! is decided anew, and so is each slot above for as long as winners change.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::kinetic_crossing::{Place, Segment, Side};
use super::kinetic_queue::{EventQueue, IndexedHeap};
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

    /// Whether a slot has so many contestants that asking all of them is to be avoided.
    fn is_wide(&self, slot: u32) -> bool;
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
pub(super) struct Tournament<C, Q = IndexedHeap> {
    pub(super) contests: C,
    winners: Vec<u32>,
    pub(super) queue: Q,
    end: f64,
    /// Memory to work in: where the contestants of a slot are.
    places: Vec<Place>,
    pub(super) count: EventCount,
}

/// A winner before anything was decided.
const NOBODY: u32 = u32::MAX;

impl<C: Contests, Q: EventQueue> Tournament<C, Q> {
    pub(super) fn new(contests: C, flight: &Flight) -> Self {
        let slots = contests.slots();
        let (winners, queue) = (vec![NOBODY; slots], Q::with_slots(slots));
        let end = f64::INFINITY;
        let (places, count) = (Vec::new(), EventCount::default());
        let mut made = Self { contests, winners, queue, end, places, count };
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
        // Where winners are is known from below: looking their vertices up again costs more.
        let nowhere = Place { vertex: NOBODY, now: 0.0, end: 0.0 };
        let mut found = vec![nowhere; slots];
        for slot in (0..slots as u32).rev() {
            let place_of = |_, winner: u32| found[winner as usize];
            if let Some((best, fail)) = self.decide(flight, &segment, slot, place_of) {
                (found[slot as usize], fails[slot as usize]) = (best, fail);
            }
        }
        self.queue.fill(&fails);
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
    fn settle(&mut self, flight: &Flight, segment: &Segment, mut slot: u32) {
        let mut replaced: Option<[u32; 2]> = None;
        loop {
            let before = self.winner(slot);
            if let Some([old, new]) = replaced
                && before != old
                && self.contests.is_wide(slot)
            {
                // One who did not win gave way to another: no other two can meet sooner than was
                // known. The known time stays, even if it was for the one that left.
                let side = self.contests.side(slot);
                let [winner, rival] = [before, new].map(|v| segment.place(flight, side, v));
                if rival.now <= winner.now {
                    let fails = segment.overtaken(flight, side, &winner, &rival);
                    if fails < self.queue.time(slot) {
                        self.queue.set(slot, fails);
                    }
                    return;
                }
            }
            let fails = self.decide_alone(flight, segment, slot);
            self.queue.set(slot, fails);
            let winner = self.winner(slot);
            if winner == before {
                return;
            }
            self.count.changed_values += 1;
            replaced = Some([before, winner]);
            match self.contests.above(slot) {
                Some(above) => slot = above,
                None => return,
            }
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
            let fails = self.decide_alone(flight, &segment, slot);
            self.queue.set(slot, fails);
            self.count.replanned += 1;
            let winner = self.winner(slot);
            if winner != before || changed.binary_search(&winner).is_ok() {
                waiting.extend(self.contests.above(slot));
            }
        }
    }

    /// Finds the winner of a slot now, and when its certificate fails.
    #[inline]
    fn decide_alone(&mut self, flight: &Flight, segment: &Segment, slot: u32) -> f64 {
        let place_of = |(side, winner), _| segment.place(flight, side, winner);
        self.decide(flight, segment, slot, place_of).map_or(f64::INFINITY, |(_, fails)| fails)
    }

    /// As [`Self::decide_alone`], given where winners of slots further down are; also where the new
    /// one is.
    ///
    /// Of equal contestants the one that won before stays, else the first one wins: it has won
    /// until somebody is really above.
    #[inline]
    fn decide(
        &mut self,
        flight: &Flight,
        segment: &Segment,
        slot: u32,
        place_of: impl Fn((Side, u32), u32) -> Place,
    ) -> Option<(Place, f64)> {
        let side = self.contests.side(slot);
        let Self { contests, winners, places, .. } = self;
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
        // Every slot has a contestant: leaves have triangles.
        let &first = places.first()?;
        let best = places.iter().fold(first, better);
        winners[slot as usize] = best.vertex;
        let rivals = places.iter().filter(|place| place.vertex != best.vertex);
        let fails = rivals.map(|rival| segment.overtaken(flight, side, &best, rival));
        Some((best, fails.fold(f64::INFINITY, f64::min)))
    }
}
