//! Queues for the event form, on the events of a real motion: the library's indexed heap, which
//! takes events out, against a plain heap in which old events stay until they come up, and against
//! the indexed heap of a maintained crate.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use anyhow::{Result, ensure};
use pliant::bound::{EventQueue, IndexedHeap, KineticAabb};

use super::measure::{in_rounds, timed};
use super::motion::Motion;
use crate::table::{Table, count};

/// Frames a keyframe: a queue is asked for its first at least once a frame.
const FRAMES: u32 = 100;

/// Rounds at the least.
const ROUNDS: usize = 8;

/// Who is compared, in the order of rows.
const QUEUES: [&str; 3] = ["indexed heap", "stamps", "orx"];

/// A table that grows by a scene at a time.
pub(super) struct QueueTable {
    table: Table,
}

impl QueueTable {
    pub(super) fn new(about: &str) -> Self {
        let headings = [
            "scene",
            "triangles",
            "events",
            "waiting",
            "changes",
            "queue",
            "fill ms",
            "events ms",
            "x of the queue",
            "all ms",
            "x of all",
        ];
        let title = format!("{about}: queues of events, a keyframe and its span, one thread");
        let mut table = Table::new(title, &headings);
        table.note("waiting: events in the queue after the keyframe; changes: times that were set on the way through the span");
        table.note("fill, events: the queue alone, on the recorded changes; all: the restart at the keyframe and all events of the kinetic AABB tree");
        table.note("x: that queue's time over that of the indexed heap, the library's own: above 1x it is slower");
        table.note("stamps: std's BinaryHeap, old entries stay until they come up; orx: DaryHeapOfIndices of orx-priority-queue, four children");
        Self { table }
    }

    pub(super) fn add(&mut self, scene: &str, motion: &Motion, budget: f64) -> Result<()> {
        let asked = recorded(motion)?;
        let Some((Asked::Fill(times), rest)) = asked.split_first() else {
            return Ok(());
        };
        let mut ours = Contestant::<IndexedHeap>::new(motion, times.len())?;
        let mut stamps = Contestant::<Stamped>::new(motion, times.len())?;
        let mut orx = Contestant::<peer::Indexed>::new(motion, times.len())?;
        const KINDS: usize = 3;
        let measured: [f64; KINDS * QUEUES.len()] = in_rounds(ROUNDS, budget, |turn| {
            let (queue, what) = (turn / KINDS, turn % KINDS);
            match queue {
                0 => ours.measure(motion, what, times, rest),
                2 => orx.measure(motion, what, times, rest),
                _ => stamps.measure(motion, what, times, rest),
            }
        })?;
        let waiting = times.iter().filter(|time| time.is_finite()).count();
        let changes = rest.iter().filter(|asked| matches!(asked, Asked::Set(..))).count();
        let events = ours.body.bounds().count().events - ours.events_before;
        let own = &measured[..KINDS];
        for (queue, times) in QUEUES.into_iter().zip(measured.chunks(KINDS)) {
            let ms = |seconds: f64| format!("{:.3}", seconds * 1e3);
            let x = |theirs: f64, ours: f64| format!("{:.2}x", theirs / ours);
            self.table.row([
                scene.to_string(),
                count(motion.mesh.triangles().len()),
                count(events),
                count(waiting),
                count(changes),
                queue.to_string(),
                ms(times[0]),
                ms(times[1]),
                x(times[0] + times[1], own[0] + own[1]),
                ms(times[2]),
                x(times[2], own[2]),
            ]);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Table {
        self.table
    }
}

/// One queue, and a body that works with it.
struct Contestant<Q> {
    queue: Q,
    body: pliant::Body<pliant::deform::Flight, KineticAabb<Q>>,
    /// What was counted before the span was passed for the last time.
    events_before: u64,
}

impl<Q: EventQueue> Contestant<Q> {
    fn new(motion: &Motion, slots: usize) -> Result<Self> {
        Ok(Self { queue: Q::with_slots(slots), body: motion.body()?, events_before: 0 })
    }

    /// Seconds of a fill, of all that follows, or of the whole tree's work.
    fn measure(
        &mut self,
        motion: &Motion,
        what: usize,
        times: &[f64],
        rest: &[Asked],
    ) -> Result<f64> {
        let Self { queue, body, .. } = self;
        match what {
            0 => timed(|| {
                queue.fill(times);
                Ok(())
            }),
            1 => {
                queue.fill(times);
                timed(|| {
                    let wrong = rest.iter().filter(|asked| !asked.is_answered(queue)).count();
                    ensure!(wrong == 0, "the queues disagree {wrong} times");
                    Ok(())
                })
            }
            _ => {
                self.events_before = body.bounds().count().events;
                timed(|| {
                    motion.restart(body)?;
                    Ok(motion.through(body, FRAMES)?)
                })
            }
        }
    }
}

/// What a queue is asked on the way, from the keyframe on.
fn recorded(motion: &Motion) -> Result<Vec<Asked>> {
    let mut body = motion.body::<KineticAabb<Recorder>>()?;
    motion.restart(&mut body)?;
    motion.through(&mut body, FRAMES)?;
    Ok(body.bounds().queue().asked.clone())
}

/// What a queue can be asked.
#[derive(Debug, Clone)]
enum Asked {
    /// With the answer.
    First(Option<(u32, f64)>),
    Set(u32, f64),
    Fill(Vec<f64>),
}

impl Asked {
    /// Asks a queue. Whether it answers as the recorded one did.
    fn is_answered(&self, queue: &mut impl EventQueue) -> bool {
        match self {
            Self::First(answer) => return queue.first() == *answer,
            Self::Set(slot, time) => queue.set(*slot, *time),
            Self::Fill(times) => queue.fill(times),
        }
        true
    }
}

/// The library's queue, with a record of what it was asked since it was filled.
struct Recorder {
    heap: IndexedHeap,
    asked: Vec<Asked>,
}

impl EventQueue for Recorder {
    fn with_slots(slots: usize) -> Self {
        Self { heap: IndexedHeap::with_slots(slots), asked: Vec::new() }
    }

    fn first(&mut self) -> Option<(u32, f64)> {
        let answer = self.heap.first();
        self.asked.push(Asked::First(answer));
        answer
    }

    fn time(&self, slot: u32) -> f64 {
        self.heap.time(slot)
    }

    fn set(&mut self, slot: u32, time: f64) {
        self.asked.push(Asked::Set(slot, time));
        self.heap.set(slot, time);
    }

    fn fill(&mut self, times: &[f64]) {
        self.asked = vec![Asked::Fill(times.to_vec())];
        self.heap.fill(times);
    }
}

/// A plain heap. An event that was moved or taken out stays in it until it comes up; that its time
/// is no longer its slot's shows that it is old.
struct Stamped {
    times: Vec<f64>,
    heap: BinaryHeap<Entry>,
}

/// The first is the greatest.
#[derive(Clone, Copy, PartialEq)]
struct Entry {
    time: f64,
    slot: u32,
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(self.slot.cmp(&other.slot))
    }
}

impl EventQueue for Stamped {
    fn with_slots(slots: usize) -> Self {
        Self { times: vec![f64::INFINITY; slots], heap: BinaryHeap::new() }
    }

    fn first(&mut self) -> Option<(u32, f64)> {
        while let Some(&Entry { time, slot }) = self.heap.peek() {
            if self.times[slot as usize] == time {
                return Some((slot, time));
            }
            self.heap.pop();
        }
        None
    }

    fn time(&self, slot: u32) -> f64 {
        self.times[slot as usize]
    }

    fn set(&mut self, slot: u32, time: f64) {
        let old = std::mem::replace(&mut self.times[slot as usize], time);
        if time < f64::INFINITY && time != old {
            self.heap.push(Entry { time, slot });
        }
    }

    fn fill(&mut self, times: &[f64]) {
        self.times.copy_from_slice(times);
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        let all = (0u32..).zip(times).map(|(slot, &time)| Entry { time, slot });
        entries.extend(all.filter(|entry| entry.time < f64::INFINITY));
        self.heap = BinaryHeap::from(entries);
    }
}

/// The indexed heap of a maintained crate.
mod peer {
    use orx_priority_queue::{PriorityQueue, PriorityQueueDecKey, QuaternaryHeapOfIndices};

    use super::{Entry, EventQueue};

    /// The first is the least.
    type Key = std::cmp::Reverse<Entry>;

    pub(super) struct Indexed(QuaternaryHeapOfIndices<u32, Key>);

    fn key(slot: u32, time: f64) -> Key {
        std::cmp::Reverse(Entry { time, slot })
    }

    impl EventQueue for Indexed {
        fn with_slots(slots: usize) -> Self {
            Self(QuaternaryHeapOfIndices::with_index_bound(slots))
        }

        fn first(&mut self) -> Option<(u32, f64)> {
            self.0.peek().map(|(slot, key)| (*slot, key.0.time))
        }

        fn time(&self, slot: u32) -> f64 {
            self.0.key_of(&slot).map_or(f64::INFINITY, |key| key.0.time)
        }

        fn set(&mut self, slot: u32, time: f64) {
            if time < f64::INFINITY {
                self.0.update_key_or_push(&slot, key(slot, time));
            } else if self.0.contains(&slot) {
                self.0.remove(&slot);
            }
        }

        fn fill(&mut self, times: &[f64]) {
            self.0.clear();
            for (slot, &time) in (0u32..).zip(times).filter(|(_, time)| **time < f64::INFINITY) {
                self.0.push(slot, key(slot, time));
            }
        }
    }
}
