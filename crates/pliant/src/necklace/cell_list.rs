//! A grid of cells: the strongest simple method, and the one for tightly packed beads.

use glam::DVec3;

use super::blocks::{BLOCK, FlatBeads};
use super::clashes::{ClashMethod, Clashes, Collector};
use super::sparse_cells::SparseCells;
use crate::shape::Necklace;
use crate::volume::Ball;

/// All clashes within a necklace, by a grid of cells as wide as two beads: quick whatever the
/// chain does, as long as beads have about one size. `min_gap` as for
/// [`clashes`](super::clashes()).
#[must_use]
pub fn clashes_by_cells(necklace: &Necklace, min_gap: u32) -> Clashes {
    let mut found = Collector::new(necklace, min_gap);
    collect_by_cells(necklace.beads(), 0.0, &mut found);
    found.finish(ClashMethod::Cells)
}

/// Hands over every two beads, each grown by `skin`, that may touch: once or more often.
///
/// Where the grid has more than a few cells a bead, beads lie along curves. Cells somewhat wider
/// help, up to a point; from there on rows of cells are found by a hash, not by their place in
/// an array.
pub(super) fn collect_by_cells(beads: &[Ball], skin: f64, found: &mut Collector<'_>) {
    let (mut low, mut high, mut largest) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0f64);
    for ball in beads {
        low = low.min(ball.center);
        high = high.max(ball.center);
        largest = largest.max(ball.radius);
    }
    let width = 2.0 * (largest + skin) * (1.0 + CELL_MARGIN);
    let extent = high - low;
    let counted = |wider: f64| {
        let width = wider * width;
        cell_counts(extent, width, beads.len()).map(|counts| (counts, width))
    };
    match WIDENED.into_iter().find_map(counted) {
        Some((counts, width)) => CellList::new(beads, skin, (low, counts), width).collect(found),
        None => SparseCells::new(beads, skin, (low, extent), width).collect(found),
    }
}

/// How much wider than two beads cells may become before a hash takes over. Measured on helices of
/// 10,240: at 4 the array takes 0.7 of the hash's time, at 60 it takes 1.4 of it.
const WIDENED: [f64; 4] = [1.0, 1.6, 2.5, 4.0];

/// Cells are wider than the largest two beads together by this share of it.
///
/// A bead's cell on an axis is the whole part of `(x - low) * (1 / width)`, which is at most 2^34
/// and computed with three roundings: it errs by less than 2^-17. Beads that touch are at most
/// 1 / 1.001 cells apart, so with the errors less than one: their cells are the same or neighbours.
const CELL_MARGIN: f64 = 1e-3;

/// Beads sorted into cells. Cells are numbered along x first, so that three neighbours in a
/// row are one stretch of the array.
struct CellList {
    /// Beads in the order of their cells.
    flat: FlatBeads,
    numbers: Vec<u32>,
    cells: Vec<u32>,
    /// Where each cell starts in the arrays; one more at the end. A border of empty cells
    /// surrounds all others.
    starts: Vec<u32>,
    /// Cells in a row, and in a layer.
    row: usize,
    layer: usize,
}

impl CellList {
    /// Sorts beads, each grown by `skin`, into so many cells of a width from `low` on.
    fn new(beads: &[Ball], skin: f64, (low, counts): (DVec3, [usize; 3]), width: f64) -> Self {
        let count = beads.len();
        let [row, column, _] = counts.map(|cells| cells + 2);
        let layer = row * column;
        let mut starts = vec![0u32; layer * (counts[2] + 2) + 1];
        let most = DVec3::from_array(counts.map(|cells| (cells - 1) as f64));
        let scale = finite_scale(width);
        let cell = |ball: &Ball| {
            // NaN, where an infinite difference meets an infinite width, becomes 0.
            let [x, y, z] = ((ball.center - low) * scale).min(most).to_array().map(|t| t as usize);
            (z + 1) * layer + (y + 1) * row + x + 1
        };
        let unsorted: Vec<u32> = beads.iter().map(|ball| cell(ball) as u32).collect();
        for &cell in &unsorted {
            starts[cell as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        let mut numbers = vec![0u32; count];
        let mut cells = vec![0u32; count];
        // Each start moves to its cell's end, which is the next one's start.
        for (number, &cell) in (0u32..).zip(&unsorted) {
            let place = &mut starts[cell as usize];
            numbers[*place as usize] = number;
            cells[*place as usize] = cell;
            *place += 1;
        }
        starts.rotate_right(1);
        starts[0] = 0;
        let mut flat = FlatBeads::default();
        flat.fill(numbers.iter().map(|&number| beads[number as usize]), skin);
        Self { flat, numbers, cells, starts, row, layer }
    }

    /// Hands over every two beads that may touch, once.
    fn collect(&self, found: &mut Collector<'_>) {
        let count = self.numbers.len();
        let mut first = 0;
        while first < count {
            let cell = self.cells[first] as usize;
            let end = self.starts[cell + 1] as usize;
            // Half of the neighbours: the other half sees this cell.
            let rows = [
                cell + self.row,
                cell + self.layer - self.row,
                cell + self.layer,
                cell + self.layer + self.row,
            ];
            let stretches =
                rows.map(|c| (self.starts[c - 1] as usize, self.starts[c + 2] as usize));
            let mut filled = [(0, 0); 4];
            let mut count = 0;
            for stretch in stretches {
                // At most three before it are counted.
                filled[count] = stretch;
                count += usize::from(stretch.0 < stretch.1);
            }
            let next_end = self.starts[cell + 2] as usize;
            for place in first..end {
                let bead = self.flat.splat(place);
                self.scan(place, bead, (place + 1, next_end), found);
                for &stretch in &filled[..count] {
                    self.scan(place, bead, stretch, found);
                }
            }
            first = end;
        }
    }

    #[inline(always)]
    fn scan(
        &self,
        place: usize,
        bead: [glam::Vec4; 4],
        (start, end): (usize, usize),
        found: &mut Collector<'_>,
    ) {
        found.work.primitive_tests += (end - start) as u64;
        let mut four = start;
        while four < end {
            let mut hits = self.flat.touch_four(four, bead);
            if end - four < BLOCK {
                hits &= (1 << (end - four)) - 1;
            }
            while hits != 0 {
                let other = four + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                found.consider(self.numbers[place], self.numbers[other]);
            }
            four += BLOCK;
        }
    }
}

/// How many cells on each axis, at least one; `None` if that were more than four a bead.
fn cell_counts(extent: DVec3, width: f64, beads: usize) -> Option<[usize; 3]> {
    // NaN, from infinite extents and widths, becomes one cell.
    let counts = (extent / width).to_array().map(|cells| cells.min(1e9) as usize + 1);
    let total = counts.iter().fold(1usize, |product, &cells| product.saturating_mul(cells));
    (total <= 4 * beads + 64).then_some(counts)
}

/// Cells a unit of length; zero, which makes all one cell, where that were infinite: numbers so
/// small have too few digits to be told apart.
pub(super) fn finite_scale(width: f64) -> f64 {
    let scale = 1.0 / width;
    if scale.is_finite() { scale } else { 0.0 }
}
