//! Events in the order of their times.

/// For each of some slots the time of its next event, and which of them is the first: what
/// [`KineticAabb`](super::KineticAabb) asks of a queue.
///
/// An infinite time is none. Of events at one time the one of the largest slot comes first:
/// children have larger numbers than parents. Implement it to measure another queue on the events
/// of a real motion; no answer depends on which one is used.
pub trait EventQueue: Send + Sync {
    /// A queue for slots `0..slots`, without events.
    fn with_slots(slots: usize) -> Self;

    /// The next event, if there is one: its slot and its time.
    fn first(&mut self) -> Option<(u32, f64)>;

    /// The time of a slot's event, or infinity.
    fn time(&self, slot: u32) -> f64;

    /// Gives a slot a time; infinity takes its event out.
    fn set(&mut self, slot: u32, time: f64);

    /// Replaces the times of all slots, one after the other.
    fn fill(&mut self, times: &[f64]);
}

/// A heap of slots, four children a place, that knows where each slot stands: an event can be moved
/// and taken out.
///
/// ```
/// use pliant::bound::{EventQueue, IndexedHeap};
/// let mut queue = IndexedHeap::with_slots(3);
/// queue.fill(&[2.0, 1.0, f64::INFINITY]);
/// assert_eq!(queue.first(), Some((1, 1.0)));
/// queue.set(1, 3.0);
/// queue.set(2, 2.0);
/// assert_eq!(queue.first(), Some((2, 2.0))); // at one time the largest slot
/// ```
#[derive(Debug, Clone)]
pub struct IndexedHeap {
    heap: Vec<Event>,
    /// Where a slot stands in the heap, or [`ABSENT`].
    places: Vec<u32>,
}

/// Times stand beside slots: comparing them one by one elsewhere costs half as much again.
#[derive(Debug, Clone, Copy)]
struct Event {
    time: f64,
    slot: u32,
}

impl Event {
    #[inline]
    fn comes_before(&self, other: &Self) -> bool {
        self.time < other.time || (self.time == other.time && self.slot > other.slot)
    }
}

const ABSENT: u32 = u32::MAX;

impl EventQueue for IndexedHeap {
    fn with_slots(slots: usize) -> Self {
        Self { heap: Vec::new(), places: vec![ABSENT; slots] }
    }

    fn first(&mut self) -> Option<(u32, f64)> {
        self.heap.first().map(|event| (event.slot, event.time))
    }

    fn time(&self, slot: u32) -> f64 {
        let place = self.places[slot as usize] as usize;
        self.heap.get(place).map_or(f64::INFINITY, |event| event.time)
    }

    fn fill(&mut self, times: &[f64]) {
        self.heap.clear();
        self.places.fill(ABSENT);
        let all = (0u32..).zip(times).map(|(slot, &time)| Event { time, slot });
        for event in all.filter(|event| event.time < f64::INFINITY) {
            self.places[event.slot as usize] = self.heap.len() as u32;
            self.heap.push(event);
        }
        for place in (0..self.heap.len().div_ceil(4)).rev() {
            self.sink(place, self.heap[place]);
        }
    }

    fn set(&mut self, slot: u32, time: f64) {
        let place = self.places[slot as usize];
        let event = Event { time, slot };
        match (place == ABSENT, time < f64::INFINITY) {
            (true, false) => {}
            (true, true) => {
                self.heap.push(event);
                self.rise(self.heap.len() - 1, event);
            }
            (false, true) => self.replace(place as usize, event),
            (false, false) => {
                self.places[slot as usize] = ABSENT;
                let last = self.heap.pop();
                if let Some(last) = last.filter(|last| last.slot != slot) {
                    self.replace(place as usize, last);
                }
            }
        }
    }
}

impl IndexedHeap {
    /// Puts an event in the place of another.
    fn replace(&mut self, place: usize, event: Event) {
        if event.comes_before(&self.heap[place]) {
            self.rise(place, event);
        } else {
            self.sink(place, event);
        }
    }

    /// Puts an event at a place or above it.
    fn rise(&mut self, mut place: usize, event: Event) {
        while place > 0 {
            let above = (place - 1) / 4;
            if !event.comes_before(&self.heap[above]) {
                break;
            }
            self.put(place, self.heap[above]);
            place = above;
        }
        self.put(place, event);
    }

    /// Puts an event at a place or below it.
    fn sink(&mut self, mut place: usize, event: Event) {
        loop {
            let start = 4 * place + 1;
            let below = self.heap.get(start..(start + 4).min(self.heap.len())).unwrap_or(&[]);
            let mut first = (start, event);
            for (number, child) in (start..).zip(below) {
                if child.comes_before(&first.1) {
                    first = (number, *child);
                }
            }
            if first.1.slot == event.slot {
                break;
            }
            self.put(place, first.1);
            place = first.0;
        }
        self.put(place, event);
    }

    fn put(&mut self, place: usize, event: Event) {
        self.heap[place] = event;
        self.places[event.slot as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a plain list, under any changes.
        #[test]
        fn the_first_is_the_first(
            changes in proptest::collection::vec((0u32..20, 0u8..8), 1..200), fill in any::<bool>(),
        ) {
            let mut queue = IndexedHeap::with_slots(20);
            let mut list = [f64::INFINITY; 20];
            if fill {
                list = std::array::from_fn(|i| [3.0, f64::INFINITY, 1.0][i % 3] + i as f64);
                queue.fill(&list);
            }
            for (slot, time) in changes {
                let time = if time == 0 { f64::INFINITY } else { f64::from(time) };
                queue.set(slot, time);
                list[slot as usize] = time;
                let finite = (0u32..).zip(list).filter(|(_, time)| time.is_finite());
                let first = finite.min_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
                prop_assert_eq!(queue.first(), first);
                prop_assert_eq!(queue.time(slot), time);
            }
        }
    }
}
