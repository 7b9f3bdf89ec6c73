//! The broad phase that suits the boxes.

use std::ops::ControlFlow;

use super::radix::sortable;
use super::solid::SolidBoxes;
use super::sweep::widest_axis;
use super::{BoxIndex, BroadPhase, Found, Grid, KdTree, SweepAndPrune};
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

/// Tests per box of a sweep above which a grid is faster: of boxes that stay in the caches, and of
/// more than that.
const MANY_TESTS: usize = 180;
const MANY_TESTS_OF_MANY: usize = 60;
const MANY: usize = 4000;

/// Boxes of the sample: one in so many, at least and at most so many. It costs a few percent of what
/// it decides about.
const ONE_IN: usize = 16;
const LEAST_SAMPLE: usize = 64;
const LARGEST_SAMPLE: usize = 1024;

impl Auto {
    /// A broad phase that has seen no boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// About how many tests per box a sweep takes: half the boxes that overlap one along the axis.
///
/// Two intervals are apart if and only if one ends before the other begins. So a pass over the sorted
/// begins and ends of a sample counts its pairs that are apart.
fn tests_of_sweep(boxes: &[Aabb], axis: usize) -> usize {
    let size = (boxes.len() / ONE_IN).clamp(LEAST_SAMPLE, LARGEST_SAMPLE);
    let stride = boxes.len().div_ceil(size).max(1);
    let sample = || boxes.iter().step_by(stride);
    let mut begins: Vec<u32> = sample().map(|volume| sortable(volume.min[axis])).collect();
    let mut ends: Vec<u32> = sample().map(|volume| sortable(volume.max[axis])).collect();
    begins.sort_unstable();
    ends.sort_unstable();
    let (mut ended, mut apart) = (0, 0);
    for begin in &begins {
        while ends.get(ended).is_some_and(|end| end < begin) {
            ended += 1;
        }
        apart += ended;
    }
    let count = begins.len();
    let overlaps = count * count.saturating_sub(1) / 2 - apart;
    // Each pair of the sample stands for stride squared pairs of boxes.
    overlaps * stride / count.max(1)
}

impl BroadPhase for Auto {
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        let boxes = SolidBoxes::of(boxes);
        let axis = widest_axis(&boxes.boxes);
        let most = if boxes.len() < MANY { MANY_TESTS } else { MANY_TESTS_OF_MANY };
        if boxes.len() < FEW || tests_of_sweep(&boxes.boxes, axis) <= most {
            self.sweep.pairs_along(axis, &boxes, work, found)
        } else {
            Grid.pairs_of_solid(&boxes, work, found)
        }
    }

    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        KdTree::EqualVolume.index(boxes)
    }
}
