//! A grid of mostly empty cells, whose rows are found by a hash.
//!
//! Beads along a curve occupy few of the cells around it, so an array of all cells would be large,
//! or its cells too wide. Here the cell at x in the row (y, z) has the slot `hash(y, z) + x` of a
//! table, so three consecutive cells of a row are still one range. Cells may share a slot. This
//! adds tests of beads that are apart, and may report a pair twice, but never misses one.

use glam::DVec3;

use super::blocks::FlatBeads;
use super::cell_list::finite_scale;
use super::clashes::Collector;
use crate::volume::Ball;

/// The largest number of cells per axis.
const MOST_CELLS: f64 = (1u32 << 30) as f64;

/// Beads sorted by the slots of their cells.
pub(super) struct SparseCells {
    flat: FlatBeads,
    numbers: Vec<u32>,
    /// The cell of each bead, in slot order; coordinates start at 1.
    cells: Vec<[u32; 3]>,
    /// The start of each slot in the arrays, and the end of the last. The number of slots is a
    /// power of two.
    starts: Vec<u32>,
}

impl SparseCells {
    /// Sorts beads, each grown by `skin`, into cells of the given width, or wider if an axis would
    /// have too many cells.
    pub(super) fn new(
        beads: &[Ball],
        skin: f64,
        (low, extent): (DVec3, DVec3),
        width: f64,
    ) -> Self {
        let scale = finite_scale(width.max(extent.max_element() / MOST_CELLS));
        let slots = (4 * beads.len()).next_power_of_two().max(4);
        let mask = slots - 1;
        // An infinite difference times a scale of zero is NaN, which becomes 0.
        let cell = |ball: &Ball| ((ball.center - low) * scale).to_array().map(|t| t as u32 + 1);
        let unsorted: Vec<[u32; 3]> = beads.iter().map(cell).collect();
        let mut starts = vec![0u32; slots + 1];
        for cell in &unsorted {
            starts[slot(*cell, mask)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        let mut numbers = vec![0u32; beads.len()];
        let mut cells = vec![[0u32; 3]; beads.len()];
        // Each start moves to the end of its slot, which is the start of the next one.
        for (number, &cell) in (0u32..).zip(&unsorted) {
            let place = &mut starts[slot(cell, mask)];
            numbers[*place as usize] = number;
            cells[*place as usize] = cell;
            *place += 1;
        }
        starts.rotate_right(1);
        starts[0] = 0;
        let mut flat = FlatBeads::default();
        flat.fill(numbers.iter().map(|&number| beads[number as usize]), skin);
        Self { flat, numbers, cells, starts }
    }

    /// Reports every two beads that may touch, at least once.
    pub(super) fn collect(&self, found: &mut Collector<'_>) {
        let mask = self.starts.len() - 2;
        for (place, &[x, y, z]) in self.cells.iter().enumerate() {
            if found.is_over() {
                return;
            }
            let bead = self.flat.splat(place);
            let own = slot([x, y, z], mask);
            // Later beads of the slot, and those of the next cell of the row.
            let after = self.starts[own + 1] as usize;
            if own < mask {
                self.scan(place, bead, (place + 1, self.starts[own + 2] as usize), found);
            } else {
                self.scan(place, bead, (place + 1, after), found);
                self.scan(place, bead, (0, self.starts[1] as usize), found);
            }
            // Half of the surrounding rows; the other half visits this cell.
            for (y, z) in [(y + 1, z), (y - 1, z + 1), (y, z + 1), (y + 1, z + 1)] {
                let first = slot([x - 1, y, z], mask);
                if first + 3 < self.starts.len() {
                    let stretch = (self.starts[first] as usize, self.starts[first + 3] as usize);
                    self.scan(place, bead, stretch, found);
                } else {
                    for slot in first..first + 3 {
                        let slot = slot & mask;
                        let stretch = (self.starts[slot] as usize, self.starts[slot + 1] as usize);
                        self.scan(place, bead, stretch, found);
                    }
                }
            }
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
            // A row that shares the bead's own slot reports the bead itself.
            if other != place {
                found.consider(self.numbers[place], self.numbers[other]);
            }
        });
    }
}

/// The slot of a cell: cells adjacent along x have adjacent slots, and rows are scattered. The
/// factors are odd with well mixed bits; their choice affects only the speed.
#[inline(always)]
fn slot([x, y, z]: [u32; 3], mask: usize) -> usize {
    let row = (u64::from(y) << 32 | u64::from(z)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let row = (row ^ (row >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32;
    (row as usize).wrapping_add(x as usize) & mask
}
