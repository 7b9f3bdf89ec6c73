//! Events in the order of their times.

/// The time of the next event of each slot, and which slot comes first: a heap with four children
/// per place that knows where each slot stands, so that an event can be moved and removed.
///
/// An infinite time means that a slot has no event. Of events at the same time the one of the
/// largest slot comes first: children have larger numbers than parents.
#[derive(Debug, Clone)]
pub(super) struct EventQueue {
    heap: Vec<Event>,
    /// The place of each slot in the heap, or [`ABSENT`].
    places: Vec<u32>,
}

/// Times stand beside slots: reading them from a list by slot was half as slow again.
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

impl EventQueue {
    /// A queue for the slots `0..slots`, without events.
    pub(super) fn with_slots(slots: usize) -> Self {
        Self { heap: Vec::new(), places: vec![ABSENT; slots] }
    }

    /// The next event, if there is one: its slot and its time.
    #[inline]
    pub(super) fn first(&self) -> Option<(u32, f64)> {
        self.heap.first().map(|event| (event.slot, event.time))
    }

    /// The time of a slot's event, or infinity.
    pub(super) fn time(&self, slot: u32) -> f64 {
        let place = self.places[slot as usize] as usize;
        self.heap.get(place).map_or(f64::INFINITY, |event| event.time)
    }

    /// Takes all events out.
    pub(super) fn clear(&mut self) {
        for event in self.heap.drain(..) {
            self.places[event.slot as usize] = ABSENT;
        }
    }

    /// Adds the event of a slot that has none, without regard to order: [`Self::arrange`] follows.
    #[inline]
    pub(super) fn add(&mut self, slot: u32, time: f64) {
        self.heap.push(Event { time, slot });
    }

    /// Makes a heap of all events. Places are told at the end: looking them up on the way is slower.
    pub(super) fn arrange(&mut self) {
        for top in (0..self.heap.len().div_ceil(4)).rev() {
            let event = self.heap[top];
            let place = make_way(&mut self.heap, top, &event, |_, _| {});
            self.heap[place] = event;
        }
        for (place, event) in (0..).zip(&self.heap) {
            self.places[event.slot as usize] = place;
        }
    }

    /// Sets the time of a slot. Infinity removes its event.
    pub(super) fn set(&mut self, slot: u32, time: f64) {
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

    /// Puts an event in the place of another one.
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
    fn sink(&mut self, place: usize, event: Event) {
        let Self { heap, places } = self;
        let place = make_way(heap, place, &event, |slot, place| places[slot as usize] = place);
        self.put(place, event);
    }

    fn put(&mut self, place: usize, event: Event) {
        self.heap[place] = event;
        self.places[event.slot as usize] = place as u32;
    }
}

/// Moves the events below a place up that come before another one. Tells where they stand then, and
/// returns the place that became free.
#[inline]
fn make_way(
    heap: &mut [Event],
    mut place: usize,
    event: &Event,
    mut moved: impl FnMut(u32, u32),
) -> usize {
    loop {
        let start = 4 * place + 1;
        let below = heap.get(start..(start + 4).min(heap.len())).unwrap_or(&[]);
        let mut first = (start, *event);
        for (number, child) in (start..).zip(below) {
            if child.comes_before(&first.1) {
                first = (number, *child);
            }
        }
        if first.1.slot == event.slot {
            return place;
        }
        heap[place] = first.1;
        moved(first.1.slot, place as u32);
        place = first.0;
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
            let mut queue = EventQueue::with_slots(20);
            let mut list = [f64::INFINITY; 20];
            if fill {
                list = std::array::from_fn(|i| [3.0, f64::INFINITY, 1.0][i % 3] + i as f64);
                for (slot, &time) in (0..).zip(&list).filter(|(_, time)| time.is_finite()) {
                    queue.add(slot, time);
                }
                queue.arrange();
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
