//! The broad phase that suits the boxes.

use std::ops::ControlFlow;

use super::sweep::widest_axis;
use super::{BoxIndex, BroadPhase, Grid, KdTree, SweepAndPrune};
use crate::query::Work;
use crate::volume::Aabb;

/// Chooses a broad phase by the boxes: the default of a world.
///
/// Boxes are swept along one axis if a sample says that this takes few tests, otherwise put into a
/// grid. Probes are answered by a tree. The rule looks at the boxes alone, never at a clock: the same
/// boxes are always organised in the same way.
/// docs/decisions/broad-phases.md has the measurements behind it.
#[derive(Debug, Default)]
pub struct Auto {
    sweep: SweepAndPrune,
}

/// Boxes below which a sweep is faster than a grid, however they lie.
const FEW: usize = 500;

/// Tests per box of a sweep above which a grid is faster.
const MANY_TESTS: usize = 180;

/// Boxes of the sample at most.
const SAMPLE: usize = 128;

impl Auto {
    /// A broad phase that has seen no boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn choice(&self, boxes: &[Aabb]) -> &dyn BroadPhase {
        let is_swept = boxes.len() < FEW || tests_of_sweep(boxes) <= MANY_TESTS;
        if is_swept { &self.sweep } else { &Grid }
    }
}

/// About how many tests per box a sweep takes: half the boxes that overlap one along the axis.
fn tests_of_sweep(boxes: &[Aabb]) -> usize {
    let stride = boxes.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Aabb> = boxes.iter().step_by(stride).copied().collect();
    let axis = widest_axis(&sample);
    let mut overlaps = 0;
    for (at, a) in sample.iter().enumerate() {
        let apart = |b: &&Aabb| a.min[axis] > b.max[axis] || b.min[axis] > a.max[axis];
        overlaps += sample[at + 1..].iter().filter(|b| !apart(b)).count();
    }
    // Each pair of the sample stands for stride squared pairs of boxes.
    overlaps * stride / sample.len().max(1)
}

impl BroadPhase for Auto {
    fn pairs(
        &self,
        boxes: &[Aabb],
        work: &mut Work,
        found: &mut dyn FnMut([u32; 2]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.choice(boxes).pairs(boxes, work, found)
    }

    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        KdTree::EqualVolume.index(boxes)
    }
}
