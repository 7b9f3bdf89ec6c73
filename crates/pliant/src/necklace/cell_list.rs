//! Clashes from a uniform grid of cells, for tightly packed beads.

use glam::DVec3;

use super::blocks::FlatBeads;
use super::clashes::{ClashMethod, Clashes, Collector};
use super::sparse_cells::SparseCells;
use crate::shape::Necklace;
use crate::volume::Ball;

/// Returns all clashes within a necklace, using a grid of cells as wide as two beads. This is fast
/// for every shape of the chain if all beads have about the same size. `min_gap` is as for
/// [`clashes`](super::clashes()).
#[must_use]
pub fn clashes_by_cells(necklace: &Necklace, min_gap: u32) -> Clashes {
    let mut found = Collector::new(necklace, min_gap);
    collect_by_cells(necklace.beads(), 0.0, &mut found);
    found.finish(ClashMethod::Cells)
}

/// Reports every two beads, each grown by `skin`, that may touch, at least once.
///
/// If the grid has more than a few cells per bead, the beads lie along curves. Somewhat wider cells
/// help up to a point. Beyond it, a hash finds the rows of cells, and not their index in an array.
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

/// By how much wider than two beads cells may become before the hash is used. Measured on helices
/// of 10,240 beads: at 4 the array takes 0.7 of the hash's time, at 60 it takes 1.4 of it.
const WIDENED: [f64; 4] = [1.0, 1.6, 2.5, 4.0];

/// By this share, cells are wider than the two largest beads together.
///
/// A bead's cell on an axis is the integer part of `(x - low) * (1 / width)`, which is at most 2^34
/// and computed with three roundings, so its error is below 2^-17. Touching beads are at most 1 /
/// 1.001 cells apart, which is less than one with the errors. Their cells are therefore the same or
/// adjacent.
const CELL_MARGIN: f64 = 1e-3;

/// Beads sorted by cell. Cells are numbered along x first, so that three consecutive cells of a row
/// are one range of the array.
struct CellList {
    /// The beads in the order of their cells.
    flat: FlatBeads,
    numbers: Vec<u32>,
    cells: Vec<u32>,
    /// The start of each cell in the arrays, and the end of the last. A border of empty cells
    /// surrounds all others.
    starts: Vec<u32>,
    /// Cells per row, and per layer.
    row: usize,
    layer: usize,
}

impl CellList {
    /// Sorts beads, each grown by `skin`, into the given numbers of cells from `low` on.
    fn new(beads: &[Ball], skin: f64, (low, counts): (DVec3, [usize; 3]), width: f64) -> Self {
        let count = beads.len();
        let [row, column, _] = counts.map(|cells| cells + 2);
        let layer = row * column;
        let mut starts = vec![0u32; layer * (counts[2] + 2) + 1];
        let most = DVec3::from_array(counts.map(|cells| (cells - 1) as f64));
        let scale = finite_scale(width);
        let cell = |ball: &Ball| {
            // An infinite difference times a scale of zero is NaN, which becomes 0.
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
        // Each start moves to the end of its cell, which is the start of the next one.
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

    /// Reports every two beads that may touch, once.
    fn collect(&self, found: &mut Collector<'_>) {
        let count = self.numbers.len();
        let mut first = 0;
        while first < count {
            let cell = self.cells[first] as usize;
            let end = self.starts[cell + 1] as usize;
            // Half of the neighbours; the other half visits this cell.
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
                // At most three ranges precede it, so the index is in bounds.
                filled[count] = stretch;
                count += usize::from(stretch.0 < stretch.1);
            }
            let next_end = self.starts[cell + 2] as usize;
            for place in first..end {
                if found.is_over() {
                    return;
                }
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
        found.work.primitive_tests += end.saturating_sub(start) as u64;
        self.flat.for_each_touching((start, end), bead, |other| {
            found.consider(self.numbers[place], self.numbers[other]);
        });
    }
}

/// The number of cells per axis, at least one; `None` if there would be more than four per bead.
fn cell_counts(extent: DVec3, width: f64, beads: usize) -> Option<[usize; 3]> {
    // NaN, from infinite extents and widths, becomes too many cells.
    let counts = (extent / width).to_array().map(|cells| cells.min(1e9) as usize + 1);
    let total = counts.iter().fold(1usize, |product, &cells| product.saturating_mul(cells));
    (total <= 4 * beads + 64).then_some(counts)
}

/// Cells per unit of length. Zero, which puts all beads into one cell, if that is infinite: such
/// small numbers have too few digits to distinguish cells.
pub(super) fn finite_scale(width: f64) -> f64 {
    let scale = 1.0 / width;
    if scale.is_finite() { scale } else { 0.0 }
}
