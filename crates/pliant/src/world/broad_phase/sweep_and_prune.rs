//! Sweep and prune: a sweep that sorts from the order of the step before.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::solid::SolidBoxes;
use super::sweep::{Swept, key, sorted_from_scratch, sweep, widest_axis};
use super::{BoxIndex, BroadPhase, Found};
use crate::query::Work;
use crate::volume::Aabb;

/// As [`Sweep`](super::Sweep), with the order of the last query kept: boxes that moved little are
/// sorted by insertion, in time proportional to the number of neighbours that changed places.
///
/// The order is fully sorted again for the boxes given, with ties broken by number, so that the
/// answer does not depend on what was kept.
#[derive(Debug, Default)]
pub struct SweepAndPrune {
    /// The order of the last query. Absent while a query uses it: another one at the same time
    /// sorts from scratch.
    last: Mutex<Vec<u32>>,
}

/// Changes of places per box above which sorting from scratch is faster than insertion.
const MOVES_PER_BOX: usize = 8;

impl SweepAndPrune {
    /// A sweep that has seen no boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`BroadPhase::pairs`], along an axis.
    pub(super) fn pairs_along(
        &self,
        axis: usize,
        boxes: &SolidBoxes<'_>,
        work: &mut Work,
        found: Found<'_>,
    ) -> ControlFlow<()> {
        sweep(boxes, axis, &self.sorted(&boxes.boxes, axis), work, found)
    }

    /// The sorted keys of the boxes; their order is kept for the next query.
    fn sorted(&self, boxes: &[Aabb], axis: usize) -> Vec<u64> {
        let mut order = match self.last.lock() {
            Ok(mut last) => std::mem::take(&mut *last),
            Err(_) => Vec::new(),
        };
        let count = boxes.len() as u32;
        let known = order.len() as u32;
        order.retain(|&place| place < count);
        order.extend(known..count);
        let keys = order.iter().map(|&place| key(&boxes[place as usize], axis, place));
        let sorted =
            by_insertion(keys.collect()).unwrap_or_else(|| sorted_from_scratch(boxes, axis));
        order.clear();
        order.extend(sorted.iter().map(|&key| key as u32));
        if let Ok(mut last) = self.last.lock() {
            *last = order;
        }
        sorted
    }
}

/// The keys sorted, or `None` where that takes more moves than it is worth.
fn by_insertion(mut keys: Vec<u64>) -> Option<Vec<u64>> {
    let mut left = MOVES_PER_BOX * keys.len();
    for at in 1..keys.len() {
        let key = keys[at];
        let mut to = at;
        while to > 0 && keys[to - 1] > key {
            keys[to] = keys[to - 1];
            to -= 1;
        }
        keys[to] = key;
        left = left.checked_sub(at - to)?;
    }
    Some(keys)
}

impl BroadPhase for SweepAndPrune {
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        let boxes = SolidBoxes::of(boxes);
        self.pairs_along(widest_axis(&boxes.boxes), &boxes, work, found)
    }

    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        let boxes = SolidBoxes::of(boxes);
        let axis = widest_axis(&boxes.boxes);
        Box::new(Swept::new(&boxes, axis, &self.sorted(&boxes.boxes, axis)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever order was kept, and however many boxes there were.
        #[test]
        fn the_order_does_not_depend_on_what_was_kept(
            starts in prop::collection::vec(-20..20i8, 0..40),
            before in prop::collection::vec(0..60u32, 0..60),
        ) {
            let around = |&start: &i8| {
                let at = glam::DVec3::X * f64::from(start);
                Aabb::around([at, at + glam::DVec3::ONE])
            };
            let boxes: Vec<Aabb> = starts.iter().map(around).collect();
            let mut order = before;
            order.sort_unstable();
            order.dedup();
            let kept: Vec<u32> = (0..order.len() as u32).rev().collect();
            let phase = SweepAndPrune { last: Mutex::new(kept) };
            for _ in 0..2 {
                prop_assert_eq!(phase.sorted(&boxes, 0), sorted_from_scratch(&boxes, 0));
            }
        }
    }
}
