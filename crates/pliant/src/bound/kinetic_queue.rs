//! Events in the order of their times.

/// A heap of slots, four children a place, from which any slot can be taken.
///
/// Slots with an infinite time are not in the heap. At one time the slot with the largest number
/// comes first: children have larger numbers than parents.
#[derive(Debug, Clone)]
pub(super) struct EventQueue {
    times: Vec<f64>,
    heap: Vec<u32>,
    /// Where a slot stands in the heap, or [`ABSENT`].
    places: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl EventQueue {
    pub(super) fn new(slots: usize) -> Self {
        Self { times: vec![f64::INFINITY; slots], heap: Vec::new(), places: vec![ABSENT; slots] }
    }

    /// The next event, if there is one.
    pub(super) fn first(&self) -> Option<(u32, f64)> {
        self.heap.first().map(|&slot| (slot, self.times[slot as usize]))
    }

    /// Replaces all times by those that `time` gives for each slot.
    pub(super) fn fill(&mut self, mut time: impl FnMut(u32) -> f64) {
        self.heap.clear();
        for slot in 0..self.times.len() as u32 {
            self.times[slot as usize] = time(slot);
            self.places[slot as usize] = ABSENT;
            if self.times[slot as usize] < f64::INFINITY {
                self.places[slot as usize] = self.heap.len() as u32;
                self.heap.push(slot);
            }
        }
        for place in (0..self.heap.len().div_ceil(4)).rev() {
            self.sink(place);
        }
    }

    /// Gives a slot a time; infinity takes it out.
    pub(super) fn set(&mut self, slot: u32, time: f64) {
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

    /// Gives a slot a time if it has a later one.
    pub(super) fn lower(&mut self, slot: u32, time: f64) {
        if time < self.times[slot as usize] {
            self.set(slot, time);
        }
    }

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
            let mut queue = EventQueue::new(20);
            let mut list = [f64::INFINITY; 20];
            if fill {
                list = std::array::from_fn(|i| [3.0, f64::INFINITY, 1.0][i % 3] + i as f64);
                queue.fill(|slot| list[slot as usize]);
            }
            for (slot, time) in changes {
                let time = if time == 0 { f64::INFINITY } else { f64::from(time) };
                queue.set(slot, time);
                list[slot as usize] = time;
                let finite = (0u32..).zip(list).filter(|(_, time)| time.is_finite());
                let first = finite.min_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
                prop_assert_eq!(queue.first(), first);
            }
        }
    }
}
