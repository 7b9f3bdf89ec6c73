//! Every pair: the twin of all other broad phases.

use std::ops::ControlFlow;

use super::{BoxIndex, BroadPhase, Found, Probe};
use crate::query::Work;
use crate::volume::Aabb;

/// Reports every pair, whether it overlaps or not, and tests every box: for comparison, and for a
/// handful of bodies.
#[derive(Debug, Clone, Copy, Default)]
pub struct EveryPair;

impl BroadPhase for EveryPair {
    fn pairs(&self, boxes: &[Aabb], _: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        let count = boxes.len() as u32;
        for a in 0..count {
            for b in a + 1..count {
                found([a, b])?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Boxes in a list. Every probe tests all.
#[derive(Debug, Clone)]
pub(super) struct BoxList(Vec<Aabb>);

impl BoxList {
    pub(super) fn new(boxes: &[Aabb]) -> Self {
        Self(boxes.to_vec())
    }
}

impl BoxIndex for BoxList {
    fn find(&self, probe: &Probe, work: &mut Work, hits: &mut Vec<u32>) {
        work.overlap_tests += self.0.len() as u64;
        hits.clear();
        hits.extend((0..).zip(&self.0).filter(|(_, volume)| probe.meets(volume)).map(|(at, _)| at));
    }
}
