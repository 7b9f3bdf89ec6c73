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
    times: Vec<f64>,
    heap: Vec<u32>,
    /// Where a slot stands in the heap, or [`ABSENT`].
    places: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl EventQueue for IndexedHeap {
    fn with_slots(slots: usize) -> Self {
        Self { times: vec![f64::INFINITY; slots], heap: Vec::new(), places: vec![ABSENT; slots] }
    }

    fn first(&mut self) -> Option<(u32, f64)> {
        self.heap.first().map(|&slot| (slot, self.times[slot as usize]))
    }

    fn time(&self, slot: u32) -> f64 {
        self.times[slot as usize]
    }

    fn fill(&mut self, times: &[f64]) {
        self.heap.clear();
        self.times.copy_from_slice(times);
        self.places.fill(ABSENT);
        for (slot, _) in (0u32..).zip(times).filter(|(_, time)| **time < f64::INFINITY) {
            self.places[slot as usize] = self.heap.len() as u32;
            self.heap.push(slot);
        }
        for place in (0..self.heap.len().div_ceil(4)).rev() {
            self.sink(place);
        }
    }

    fn set(&mut self, slot: u32, time: f64) {
        let old = std::mem::replace(&mut self.times[slot as usize], time);
        let place = self.places[slot as usize];
        match (place == ABSENT, time < f64::INFINITY) {
            (true, false) => {}
            (true, true) => {
                self.places[slot as usize] = self.heap.len() as u32;
                self.heap.push(slot);
                self.rise(self.heap.len() - 1);
            }
            (false, true) if time < old => self.rise(place as usize),
            (false, true) => self.sink(place as usize),
            (false, false) => {
                self.places[slot as usize] = ABSENT;
                let last = self.heap.pop();
                if let Some(last) = last.filter(|&last| last != slot) {
                    self.heap[place as usize] = last;
                    self.places[last as usize] = place;
                    self.rise(place as usize);
                    self.sink(self.places[last as usize] as usize);
                }
            }
        }
    }
}

impl IndexedHeap {
    fn comes_before(&self, first: u32, second: u32) -> bool {
        let (a, b) = (self.times[first as usize], self.times[second as usize]);
        a < b || (a == b && first > second)
    }

    fn rise(&mut self, mut place: usize) {
        let slot = self.heap[place];
        while place > 0 {
            let above = (place - 1) / 4;
            if !self.comes_before(slot, self.heap[above]) {
                break;
            }
            self.put(place, self.heap[above]);
            place = above;
        }
        self.put(place, slot);
    }

    fn sink(&mut self, mut place: usize) {
        let slot = self.heap[place];
        loop {
            let below = 4 * place + 1..(4 * place + 5).min(self.heap.len());
            let first = below
                .reduce(|a, b| if self.comes_before(self.heap[b], self.heap[a]) { b } else { a });
            match first {
                Some(first) if self.comes_before(self.heap[first], slot) => {
                    self.put(place, self.heap[first]);
                    place = first;
                }
                _ => break,
            }
        }
        self.put(place, slot);
    }

    fn put(&mut self, place: usize, slot: u32) {
        self.heap[place] = slot;
        self.places[slot as usize] = place as u32;
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
