//! A uniform grid with levels.

mod bins;
mod cells;
mod index;
mod search;

use std::ops::ControlFlow;

use super::blocks::in_order;
use super::solid::SolidBoxes;
use super::{BoxIndex, BroadPhase, Found};
use crate::query::Work;
use crate::volume::Aabb;
use bins::Bins;
use cells::Cells;
use index::GridIndex;
use search::Search;

/// A uniform grid as a spatial hash, with several levels for boxes of different sizes.
///
/// Cells are columns: the grid divides the two axes along which the boxes spread less, and along the
/// third the boxes of a column are sorted and swept. Sides of cells come from the data: two to four
/// times a usual box, by the distance of neighbours. A box is in every column that it covers, two by
/// two at most: one that covers more is in a coarser level, whose columns are four times as wide. A
/// pair is reported in one column, the lowest that both cover.
///
/// Whatever the sides of the cells are, no pair is missed: a coordinate is rounded to a cell by a
/// function that never decreases, so that boxes that overlap cover a common column.
#[derive(Debug, Clone, Copy, Default)]
pub struct Grid;

impl Grid {
    /// As [`BroadPhase::pairs`].
    pub(super) fn pairs_of_solid(
        self,
        boxes: &SolidBoxes<'_>,
        work: &mut Work,
        found: Found<'_>,
    ) -> ControlFlow<()> {
        let cells = Cells::of(&boxes.boxes);
        let levels = cells.levels(&boxes.boxes);
        for (level, &residents) in (0..).zip(&levels.counts) {
            if residents > 0 {
                let bins = Bins::new(boxes, &cells, &levels.of_box, level);
                in_order(&Search { boxes, bins: &bins }, work, found)?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl BroadPhase for Grid {
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        self.pairs_of_solid(&SolidBoxes::of(boxes), work, found)
    }

    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        Box::new(GridIndex::new(&SolidBoxes::of(boxes)))
    }
}
