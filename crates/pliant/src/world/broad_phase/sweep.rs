//! A sweep along one axis.

use std::ops::ControlFlow;

use glam::DVec3;

use super::blocks::{OnPair, Report, Searches, in_order};
use super::radix::{sort_by_upper_half, sortable};
use super::row::{Row, RowIndex, ordered, scan};
use super::solid::SolidBoxes;
use super::{BoxIndex, BroadPhase, Found, Probe};
use crate::query::Work;
use crate::volume::Aabb;

/// Sorts boxes by their lower ends along the axis where their middles spread most, and tests each
/// with those that begin before it ends. Sorting takes O(n); a world that is flat or
/// clustered along that axis has up to n² / 2 tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sweep;

impl BroadPhase for Sweep {
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        let boxes = SolidBoxes::of(boxes);
        let axis = widest_axis(&boxes.boxes);
        let sorted = sorted_from_scratch(&boxes.boxes, axis);
        sweep(&boxes, axis, &sorted, work, found)
    }

    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        let boxes = SolidBoxes::of(boxes);
        let axis = widest_axis(&boxes.boxes);
        let sorted = sorted_from_scratch(&boxes.boxes, axis);
        Box::new(Swept::new(&boxes, axis, &sorted))
    }
}

/// For each box its lower end along an axis in sortable form, above its place, ascending.
pub(super) fn sorted_from_scratch(boxes: &[Aabb], axis: usize) -> Vec<u64> {
    let mut sorted: Vec<u64> =
        (0..).zip(boxes).map(|(place, volume)| key(volume, axis, place)).collect();
    sort_by_upper_half(&mut sorted, &mut Vec::new());
    sorted
}

/// What boxes are sorted by: the lower end, then the place.
#[inline]
pub(super) fn key(volume: &Aabb, axis: usize, place: u32) -> u64 {
    u64::from(sortable(volume.min[axis])) << 32 | u64::from(place)
}

/// Reports the pairs of boxes that overlap, given the boxes sorted along an axis.
pub(super) fn sweep(
    boxes: &SolidBoxes<'_>,
    axis: usize,
    sorted: &[u64],
    work: &mut Work,
    found: Found<'_>,
) -> ControlFlow<()> {
    let row = Row::gather(boxes, axis, sorted.iter().map(|&key| key as u32));
    in_order(&Sweeps(row), work, found)
}

/// Each box of a row looks for those after it.
struct Sweeps(Row);

impl Searches for Sweeps {
    const PER_BLOCK: usize = 512;

    fn count(&self) -> usize {
        self.0.boxes.len()
    }

    fn search(&self, at: usize, to: &mut Report<impl OnPair>) -> ControlFlow<()> {
        let Row { boxes, numbers } = &self.0;
        let (number, later) = (numbers[at], &numbers[at + 1..]);
        scan(&boxes[at], &boxes[at + 1..], &mut to.tests, |other| {
            (to.found)(ordered(number, later[other]))
        })
    }
}

/// The index of a sweep: one row.
#[derive(Debug)]
pub(super) struct Swept(RowIndex);

impl Swept {
    pub(super) fn new(boxes: &SolidBoxes<'_>, axis: usize, sorted: &[u64]) -> Self {
        let all = Row::gather(boxes, axis, sorted.iter().map(|&key| key as u32));
        let whole = std::iter::once(0..all.boxes.len());
        Self(RowIndex::new(axis, all, whole))
    }
}

impl BoxIndex for Swept {
    fn find(&self, probe: &Probe, work: &mut Work, hits: &mut Vec<u32>) {
        hits.clear();
        self.0.find(0, (probe, probe.bounds().as_ref()), work, hits);
        hits.sort_unstable();
    }
}

/// Boxes that are looked at to choose an axis, at most.
const SAMPLE: usize = 1024;

/// The axis along which the middles of the boxes vary most, unbounded boxes left out: of all boxes,
/// or of an even sample. The axis decides what a sweep costs, not what it finds.
pub(super) fn widest_axis(boxes: &[Aabb]) -> usize {
    let stride = boxes.len().div_ceil(SAMPLE).max(1);
    let doubled = boxes.iter().step_by(stride).map(Aabb::doubled_center);
    let mut middles = doubled.filter(|middle| middle.is_finite()).map(|middle| middle.as_dvec3());
    // Seen from the first, so that the square of a long way to the origin hides nothing.
    let Some(first) = middles.next() else { return 0 };
    let (mut count, mut sum, mut squares) = (1.0, DVec3::ZERO, DVec3::ZERO);
    for middle in middles {
        let from_first = middle - first;
        sum += from_first;
        squares += from_first * from_first;
        count += 1.0;
    }
    let spread = squares - sum * sum / count;
    if spread.y > spread.x && spread.y >= spread.z {
        1
    } else if spread.z > spread.x {
        2
    } else {
        0
    }
}
