//! Every pair: the twin of all other broad phases.

use std::ops::ControlFlow;

use super::BroadPhase;
use crate::query::Work;
use crate::volume::Aabb;

/// Reports every pair, whether it overlaps or not: for comparison, and for a handful of bodies.
#[derive(Debug, Clone, Copy, Default)]
pub struct EveryPair;

impl BroadPhase for EveryPair {
    fn pairs(
        &self,
        boxes: &[Aabb],
        _: &mut Work,
        found: &mut dyn FnMut([u32; 2]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let count = boxes.len() as u32;
        for a in 0..count {
            for b in a + 1..count {
                found([a, b])?;
            }
        }
        ControlFlow::Continue(())
    }
}
