//! The broad phase that suits the boxes.

use std::ops::ControlFlow;

use super::{BoxIndex, BroadPhase, Grid, KdTree, SweepAndPrune};
use crate::query::Work;
use crate::volume::Aabb;

/// Chooses a broad phase by the boxes: the default of a world.
///
/// Few boxes are swept along one axis, more are put into a grid. Probes are answered by a tree. The
/// rule looks at counts alone, never at a clock: the same boxes are always organised in the same way.
/// docs/decisions/broad-phases.md has the measurements behind it.
#[derive(Debug, Default)]
pub struct Auto {
    sweep: SweepAndPrune,
}

/// Boxes below which a sweep is faster than a grid.
const FEW: usize = 2000;

impl Auto {
    /// A broad phase that has seen no boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn choice(&self, boxes: &[Aabb]) -> &dyn BroadPhase {
        if boxes.len() < FEW { &self.sweep } else { &Grid }
    }
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
