//! Which boxes overlap: the first look at a world.

mod every_pair;
mod sweep;

pub use every_pair::EveryPair;
pub use sweep::Sweep;

use std::ops::ControlFlow;

use crate::query::Work;
use crate::volume::Aabb;

/// Finds the pairs of boxes that overlap.
///
/// Boxes are given anew for each query, so that nothing can be stale. A method that keeps something
/// from one query to the next does so behind `&self`, and its answer does not depend on it.
pub trait BroadPhase: std::fmt::Debug + Send + Sync {
    /// Calls `found` with every pair `[i, j]`, `i < j`, of boxes that overlap, once, in an order
    /// that depends on the boxes alone. It may also report pairs that do not overlap.
    ///
    /// Pairs are handed over one by one and kept nowhere: there may be very many. If `found` breaks,
    /// nothing more is reported.
    fn pairs(
        &self,
        boxes: &[Aabb],
        work: &mut Work,
        found: &mut dyn FnMut([u32; 2]) -> ControlFlow<()>,
    ) -> ControlFlow<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Overlap as _;
    use glam::Vec3A;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![
            8 => -10.0..10.0f32,
            4 => (-3..3i8).prop_map(f32::from),
            1 => Just(f32::INFINITY),
            1 => Just(f32::NEG_INFINITY),
        ]
    }

    proptest! {
        /// Equal boxes, points, infinite boxes, boxes that only touch.
        #[test]
        fn sweep_reports_what_overlaps(
            corners in prop::collection::vec((prop::array::uniform3(coordinate()), prop::array::uniform3(coordinate())), 0..40),
            flat in 0..4usize,
        ) {
            let boxes: Vec<Aabb> = corners.into_iter().map(|(mut a, mut b)| {
                if flat < 3 {
                    (a[flat], b[flat]) = (1.0, 1.0);
                }
                let (a, b) = (Vec3A::from_array(a), Vec3A::from_array(b));
                Aabb { min: a.min(b), max: a.max(b) }
            }).collect();
            let listed = |phase: &dyn BroadPhase| {
                let mut pairs = Vec::new();
                let flow = phase.pairs(&boxes, &mut Work::default(), &mut |pair| {
                    pairs.push(pair);
                    ControlFlow::Continue(())
                });
                assert_eq!(flow, ControlFlow::Continue(()));
                pairs
            };
            let overlap = |&[i, j]: &[u32; 2]| boxes[i as usize].overlaps(&boxes[j as usize]);
            let mut expected = listed(&EveryPair);
            prop_assert_eq!(expected.len(), boxes.len() * boxes.len().saturating_sub(1) / 2);
            expected.retain(overlap);
            for phase in [&Sweep as &dyn BroadPhase, &EveryPair] {
                let mut told = 0;
                let _ = phase.pairs(&boxes, &mut Work::default(), &mut |_| {
                    told += 1;
                    ControlFlow::Break(())
                });
                prop_assert!(told <= 1, "nothing is told after a break");
            }
            let mut swept = listed(&Sweep);
            prop_assert_eq!(&listed(&Sweep), &swept, "the same order each time");
            swept.sort_unstable();
            prop_assert!(swept.windows(2).all(|two| two[0] < two[1]), "each once");
            swept.retain(overlap);
            prop_assert_eq!(swept, expected);
        }
    }
}
