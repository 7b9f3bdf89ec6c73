//! The motion of bodies that follow keyframes: between two keyframes every vertex moves evenly along a
//! line.

use std::sync::Arc;

use super::extent::MAP_ERROR;
use super::larger;
use crate::deform::{Flight, Keyframes, Moment};
use crate::numeric::VANISHED_LENGTH;
use crate::query::front::{Patches, PerPatch};

/// A moment between two keyframes.
#[derive(Debug, Clone)]
pub(in crate::world::coherence) struct KeyframedState {
    keyframes: Arc<Keyframes>,
    moment: Moment,
    /// A bound of all coordinates.
    pub(super) reach: f64,
    /// The longest way of a vertex of each patch between the two keyframes, from the second query
    /// between them on: after a jump most of them are never asked for.
    ways: Option<Arc<PerPatch<f64>>>,
}

impl KeyframedState {
    /// The state of a flight after its last one. `None` if a vertex has or had a course of its own.
    pub(super) fn of(flight: &Flight, patches: &Patches, last: Option<&Self>) -> Option<Self> {
        let keyframes = flight.shared_keyframes()?;
        let moment = *flight.now();
        let reach = flight.reach();
        let mut state = Self { keyframes: keyframes.clone(), moment, reach, ways: None };
        if let Some(last) = last.filter(|last| state.is_between_those_of(last)) {
            let known = last.ways.clone();
            state.ways = Some(known.unwrap_or_else(|| Arc::new(state.all_ways(patches))));
        }
        Some(state)
    }

    fn is_between_those_of(&self, other: &Self) -> bool {
        let [own, of_other] = [self, other].map(|state| (state.moment.first, state.moment.second));
        own == of_other && Arc::ptr_eq(&self.keyframes, &other.keyframes)
    }

    fn all_ways(&self, patches: &Patches) -> PerPatch<f64> {
        let way = |patch| if patch < patches.count() { self.way(patch, patches) } else { 0.0 };
        std::array::from_fn(way)
    }

    /// The longest way of a vertex of a patch between the two keyframes.
    fn way(&self, patch: usize, patches: &Patches) -> f64 {
        if let Some(ways) = &self.ways {
            return ways[patch];
        }
        let Moment { first, second, .. } = self.moment;
        let frame = |number: usize| self.keyframes.frames().get(number);
        let (Some(first), Some(second)) = (frame(first), frame(second)) else {
            return f64::INFINITY;
        };
        patches.vertices(patch).iter().fold(0.0, |longest, &vertex| {
            let ends = (first.get(vertex as usize), second.get(vertex as usize));
            let (Some(from), Some(to)) = ends else { return f64::INFINITY };
            larger(longest, (*to - *from).length())
        })
    }

    /// The motion to another state; `None` if they follow different keyframes.
    pub(super) fn motion_to<'a>(&'a self, other: &'a Self) -> Option<KeyframedMotion<'a>> {
        if !Arc::ptr_eq(&self.keyframes, &other.keyframes) {
            return None;
        }
        let (from, to) = (&self.moment, &other.moment);
        let parts = if self.is_between_those_of(other) {
            Some([0.0, (to.fraction - from.fraction).abs()])
        } else if from.second == to.first {
            Some([1.0 - from.fraction, to.fraction])
        } else if from.first == to.second {
            Some([from.fraction, 1.0 - to.fraction])
        } else {
            None
        };
        Some(KeyframedMotion { from: self, to: other, parts })
    }
}

/// A motion along at most two lines per vertex.
#[derive(Debug)]
pub(in crate::world::coherence) struct KeyframedMotion<'a> {
    from: &'a KeyframedState,
    to: &'a KeyframedState,
    /// The parts of the ways around both moments that are gone; `None` if there is more than one keyframe
    /// between them.
    parts: Option<[f64; 2]>,
}

impl KeyframedMotion<'_> {
    /// How far a vertex of a patch moves at most. The errors of both computed positions, and of the
    /// parts, are below 2^-46 of the reach.
    pub(super) fn of(&self, patch: usize, patches: &Patches) -> f64 {
        if self.from.moment.time == self.to.moment.time {
            return 0.0;
        }
        let Some(parts) = self.parts else { return f64::INFINITY };
        let gone = |part: f64, state: &KeyframedState| match part > 0.0 {
            true => part * state.way(patch, patches),
            false => 0.0,
        };
        let way = gone(parts[0], self.from) + gone(parts[1], self.to);
        way * (1.0 + MAP_ERROR) + 2.0 * MAP_ERROR * self.from.reach + VANISHED_LENGTH
    }
}
