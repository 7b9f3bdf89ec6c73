//! A grid of cells most of which are empty: rows are found by a hash.
//!
//! Beads along a curve take up few of the cells around it, so an array of all cells would be
//! large, or its cells too wide. Here a cell along x of the row (y, z) has the slot `hash(y, z) + x`
//! of a table: three neighbours in a row still are one stretch. Cells may share a slot; that
//! costs tests of beads that are apart, and may show a pair twice, but hides none.

use glam::DVec3;

use super::blocks::{BLOCK, FlatBeads};
use super::cell_list::finite_scale;
use super::clashes::Collector;
use crate::volume::Ball;

/// Cells on an axis, at the most.
const MOST_CELLS: f64 = (1u32 << 30) as f64;

/// Beads sorted by the slots of their cells.
pub(super) struct SparseCells {
    flat: FlatBeads,
    numbers: Vec<u32>,
    /// The cell of each bead, in the order of the slots; coordinates start at 1.
    cells: Vec<[u32; 3]>,
    /// Where each slot starts in the arrays; one more at the end. A power of two of slots.
    starts: Vec<u32>,
}

impl SparseCells {
    /// Sorts beads, each grown by `skin`, into cells of a width: wider where that would be more
    /// cells on an axis than there can be.
    pub(super) fn new(
        beads: &[Ball],
        skin: f64,
        (low, extent): (DVec3, DVec3),
        width: f64,
    ) -> Self {
        let scale = finite_scale(width.max(extent.max_element() / MOST_CELLS));
        let slots = (4 * beads.len()).next_power_of_two().max(4);
        let mask = slots - 1;
        // NaN, where an infinite difference meets a scale of zero, becomes 0.
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
        // Each start moves to its slot's end, which is the next one's start.
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

    /// Hands over every two beads that may touch, once or more often.
    pub(super) fn collect(&self, found: &mut Collector<'_>) {
        let mask = self.starts.len() - 2;
        for (place, &[x, y, z]) in self.cells.iter().enumerate() {
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
            // Half of the rows around: the other half sees this cell.
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
        let mut four = start;
        while four < end {
            let mut hits = self.flat.touch_four(four, bead);
            if end - four < BLOCK {
                hits &= (1 << (end - four)) - 1;
            }
            while hits != 0 {
                let other = four + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                // A row that shares the bead's own slot shows it to itself.
                if other != place {
                    found.consider(self.numbers[place], self.numbers[other]);
                }
            }
            four += BLOCK;
        }
    }
}

/// The slot of a cell: neighbours along x are neighbours, rows are strewn. The factors are odd
/// with bits everywhere; which ones matters for speed alone.
#[inline(always)]
fn slot([x, y, z]: [u32; 3], mask: usize) -> usize {
    let row = (u64::from(y) << 32 | u64::from(z)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let row = (row ^ (row >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32;
    (row as usize).wrapping_add(x as usize) & mask
}
