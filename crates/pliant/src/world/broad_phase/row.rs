//! Boxes in rows, each sorted along one axis.

use std::ops::{ControlFlow, Range};

use glam::{Vec3A, Vec3Swizzles as _};

use super::Probe;
use super::solid::SolidBoxes;
use crate::query::Work;
use crate::volume::{Aabb, Overlap as _};

/// The box with an axis first. Which boxes overlap does not change.
#[inline]
pub(super) fn turned(volume: &Aabb, axis: usize) -> Aabb {
    let turn = |v: Vec3A| match axis {
        0 => v,
        1 => v.yzx(),
        _ => v.zxy(),
    };
    Aabb { min: turn(volume.min), max: turn(volume.max) }
}

/// Undoes [`turned`].
#[inline]
fn turned_back(volume: &Aabb, axis: usize) -> Aabb {
    turned(volume, (3 - axis) % 3)
}

/// Boxes with their axis first, and their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    pub(super) boxes: Vec<Aabb>,
    pub(super) numbers: Vec<u32>,
}

impl Row {
    /// The boxes at these places, in this order.
    pub(super) fn gather(
        boxes: &SolidBoxes<'_>,
        axis: usize,
        places: impl Iterator<Item = u32> + Clone,
    ) -> Self {
        Self {
            boxes: places.clone().map(|at| turned(&boxes.boxes[at as usize], axis)).collect(),
            numbers: places.map(|at| boxes.number(at)).collect(),
        }
    }
}

/// Calls `found` with the places of a box and of each box of `others` that it overlaps and that
/// begins before it ends. The others are sorted by their lower ends. Counts the tests.
#[inline]
pub(super) fn scan(
    own: &Aabb,
    others: &[Aabb],
    tests: &mut u64,
    mut found: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let end = own.max.x;
    for (place, other) in others.iter().enumerate() {
        if other.min.x > end {
            *tests += place as u64;
            return ControlFlow::Continue(());
        }
        if own.overlaps(other) && found(place).is_break() {
            *tests += place as u64 + 1;
            return ControlFlow::Break(());
        }
    }
    *tests += others.len() as u64;
    ControlFlow::Continue(())
}

/// The smaller number first.
#[inline]
pub(super) fn ordered(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Rows that answer probes.
#[derive(Debug, Clone, Default)]
pub(super) struct RowIndex {
    axis: usize,
    all: Row,
    /// For each box the highest end of it and those before it in its row.
    reach: Vec<f32>,
    pub(super) rows: Vec<(Range<usize>, Aabb)>,
}

impl RowIndex {
    /// `all` holds the rows one after the other; each range is sorted.
    pub(super) fn new(axis: usize, all: Row, rows: impl Iterator<Item = Range<usize>>) -> Self {
        let mut reach = Vec::with_capacity(all.boxes.len());
        let rows = rows
            .map(|range| {
                let mut around = Aabb::EMPTY;
                for volume in &all.boxes[range.clone()] {
                    around = around.merge(volume);
                    reach.push(around.max.x);
                }
                (range, turned_back(&around, axis))
            })
            .collect();
        Self { axis, all, reach, rows }
    }

    /// Adds the hits of a row. `bounds` is the box around the probe, if it is bounded.
    pub(super) fn find(
        &self,
        row: usize,
        (probe, bounds): (&Probe, Option<&Aabb>),
        work: &mut Work,
        hits: &mut Vec<u32>,
    ) {
        let Some((range, around)) = self.rows.get(row) else { return };
        work.overlap_tests += 1;
        if !probe.meets(around) {
            return;
        }
        let mut range = range.clone();
        let mut end = f32::INFINITY;
        if let Some(bounds) = bounds {
            let bounds = turned(bounds, self.axis);
            range.start += self.reach[range.clone()].partition_point(|&reach| reach < bounds.min.x);
            end = bounds.max.x;
        }
        for at in range {
            let volume = &self.all.boxes[at];
            if volume.min.x > end {
                break;
            }
            work.overlap_tests += 1;
            if probe.meets(&turned_back(volume, self.axis)) {
                hits.push(self.all.numbers[at]);
            }
        }
    }
}
