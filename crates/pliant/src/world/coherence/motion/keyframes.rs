//! The motion of bodies that follow keyframes: between two keyframes every vertex moves evenly along a
//! line.

use std::sync::Arc;

use super::extent::MAP_ERROR;
use super::larger;
use crate::deform::{Flight, Keyframes, Moment};
use crate::numeric::VANISHED_LENGTH;
use crate::query::front::{Patches, PerPatch};

/// A moment between two keyframes, and how far the patches move from the first to the second.
#[derive(Debug, Clone)]
pub(in crate::world::coherence) struct KeyframedState {
    keyframes: Arc<Keyframes>,
    moment: Moment,
    /// A bound of all coordinates.
    pub(super) reach: f64,
    /// The longest way of a vertex of each patch between the two keyframes.
    ways: Arc<PerPatch<f64>>,
}

impl KeyframedState {
    /// The state of a flight; ways are taken from its last state within the same keyframes. `None` if a
    /// vertex has or had a course of its own.
    pub(super) fn of(flight: &Flight, patches: &Patches, last: Option<&Self>) -> Option<Self> {
        let keyframes = flight.shared_keyframes()?;
        let moment = *flight.now();
        let known = last.filter(|last| {
            Arc::ptr_eq(&last.keyframes, keyframes)
                && (last.moment.first, last.moment.second) == (moment.first, moment.second)
        });
        let ways = match known {
            Some(last) => last.ways.clone(),
            None => Arc::new(ways(flight, &moment, patches)),
        };
        Some(Self { keyframes: keyframes.clone(), moment, reach: flight.reach(), ways })
    }

    /// The motion to another state; `None` if there is more than one keyframe between them.
    pub(super) fn motion_to<'a>(&'a self, other: &'a Self) -> Option<KeyframedMotion<'a>> {
        if !Arc::ptr_eq(&self.keyframes, &other.keyframes) {
            return None;
        }
        let (from, to) = (&self.moment, &other.moment);
        let parts = if (from.first, from.second) == (to.first, to.second) {
            [(&*self.ways, (to.fraction - from.fraction).abs()), (&*other.ways, 0.0)]
        } else if from.second == to.first {
            [(&*self.ways, 1.0 - from.fraction), (&*other.ways, to.fraction)]
        } else if from.first == to.second {
            [(&*self.ways, from.fraction), (&*other.ways, 1.0 - to.fraction)]
        } else {
            return None;
        };
        let is_none = from.time == to.time;
        Some(KeyframedMotion { parts, reach: self.reach, is_none })
    }
}

/// The longest way of each patch between the keyframes around a moment.
fn ways(flight: &Flight, moment: &Moment, patches: &Patches) -> PerPatch<f64> {
    let mut ways = [0.0; 256];
    let (first, second) = (flight.frame(moment.first), flight.frame(moment.second));
    for (patch, longest) in ways.iter_mut().enumerate().take(patches.count()) {
        for &vertex in patches.vertices(patch) {
            let ends = (first.get(vertex as usize), second.get(vertex as usize));
            let (Some(from), Some(to)) = ends else { return [f64::INFINITY; 256] };
            *longest = larger(*longest, (*to - *from).length());
        }
    }
    ways
}

/// A motion along at most two lines per vertex.
#[derive(Debug)]
pub(in crate::world::coherence) struct KeyframedMotion<'a> {
    /// Ways of the patches, and the part of them that is gone.
    parts: [(&'a PerPatch<f64>, f64); 2],
    reach: f64,
    is_none: bool,
}

impl KeyframedMotion<'_> {
    /// How far a vertex of a patch moves at most. The errors of both computed positions, and of the
    /// parts, are below 2^-46 of the reach.
    pub(super) fn of(&self, patch: usize) -> f64 {
        if self.is_none {
            return 0.0;
        }
        let way: f64 = self.parts.iter().map(|(ways, part)| ways[patch] * part).sum();
        way * (1.0 + MAP_ERROR) + 2.0 * MAP_ERROR * self.reach + VANISHED_LENGTH
    }
}
