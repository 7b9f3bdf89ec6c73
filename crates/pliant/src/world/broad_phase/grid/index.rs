//! A grid that answers probes.

use std::ops::Range;

use super::super::row::{Row, RowIndex, turned};
use super::super::solid::SolidBoxes;
use super::super::{BoxIndex, Probe};
use super::bins::Bins;
use super::cells::Cells;
use super::search::{Columns, Search};
use crate::query::Work;
use crate::volume::Aabb;

/// The columns of all levels.
#[derive(Debug)]
pub(super) struct GridIndex {
    cells: Cells,
    levels: Vec<Level>,
}

/// The columns of a level.
#[derive(Debug)]
struct Level {
    level: u32,
    /// The number of each row's column, ascending.
    columns: Vec<u32>,
    bits: u32,
    rows: RowIndex,
    /// Rows with the same first cell number, with the box around them.
    layers: Vec<(Range<usize>, Aabb)>,
    hash: ColumnHash,
}

impl GridIndex {
    pub(super) fn new(boxes: &SolidBoxes<'_>) -> Self {
        let cells = Cells::of(&boxes.boxes);
        let of_boxes = cells.levels(&boxes.boxes);
        let mut levels = Vec::new();
        for (level, &residents) in (0..).zip(&of_boxes.counts) {
            if residents > 0 {
                let bins = Bins::new(boxes, &cells, &of_boxes.of_box, level);
                levels.push(Level::new(&Search { boxes, bins: &bins }));
            }
        }
        Self { cells, levels }
    }
}

impl Level {
    fn new(search: &Search<'_>) -> Self {
        let mut all = Row::default();
        let (mut columns, mut ranges) = (Vec::new(), Vec::new());
        for bin in 0..search.bins.count {
            let [residents, _] = search.bins.entries(bin);
            let found = Columns::new(search, residents);
            let before = all.boxes.len();
            for (column, range) in found.columns {
                columns.push(column);
                ranges.push(range.start + before..range.end + before);
            }
            all.boxes.extend(found.row.boxes);
            all.numbers.extend(found.row.numbers);
        }
        let bits = search.bins.bits;
        let rows = RowIndex::new(search.bins.cells.axis, all, ranges.into_iter());
        let mut layers: Vec<(Range<usize>, Aabb)> = Vec::new();
        for (row, (_, around)) in rows.rows.iter().enumerate() {
            match layers.last_mut() {
                Some((range, layer)) if columns[range.start] >> bits == columns[row] >> bits => {
                    range.end = row + 1;
                    *layer = layer.merge(around);
                }
                _ => layers.push((row..row + 1, *around)),
            }
        }
        let hash = ColumnHash::new(&columns);
        Self { level: search.bins.level, columns, bits, rows, layers, hash }
    }

    fn find(
        &self,
        cells: &Cells,
        probe: (&Probe, Option<&Aabb>),
        work: &mut Work,
        hits: &mut Vec<u32>,
    ) {
        if let (_, Some(bounds)) = probe {
            let cover = cells.cover(&turned(bounds, cells.axis)).at(self.level);
            let [y, z] = [0, 1].map(|along| cover.low[along]..=cover.high[along]);
            if u64::from(y.end() - y.start() + 1) * u64::from(z.end() - z.start() + 1)
                <= self.columns.len() as u64
            {
                for column in y.flat_map(|y| z.clone().map(move |z| y << self.bits | z)) {
                    if let Some(row) = self.hash.find(column, &self.columns) {
                        self.rows.find(row, probe, work, hits);
                    }
                }
                return;
            }
        }
        for (range, around) in &self.layers {
            work.overlap_tests += 1;
            if probe.0.meets(around) {
                for row in range.clone() {
                    self.rows.find(row, probe, work, hits);
                }
            }
        }
    }
}

impl BoxIndex for GridIndex {
    fn find(&self, probe: &Probe, work: &mut Work, hits: &mut Vec<u32>) {
        hits.clear();
        let bounds = probe.bounds();
        for level in &self.levels {
            level.find(&self.cells, (probe, bounds.as_ref()), work, hits);
        }
        // A box is in up to four columns.
        hits.sort_unstable();
        hits.dedup();
    }
}

/// From the number of a column to its row: open addressing.
#[derive(Debug)]
struct ColumnHash {
    /// One more than the row; 0 is free. Half of them are, at least.
    slots: Vec<u32>,
}

impl ColumnHash {
    fn new(columns: &[u32]) -> Self {
        let mut hash = Self { slots: vec![0; (2 * columns.len()).next_power_of_two()] };
        for (row, &column) in (1..).zip(columns) {
            let mut slot = hash.slot(column);
            while hash.slots[slot] != 0 {
                slot = (slot + 1) % hash.slots.len();
            }
            hash.slots[slot] = row;
        }
        hash
    }

    /// The first slot of a column: the upper bits of a product with 2^32 over the golden ratio
    /// (Knuth, The Art of Computer Programming, volume 3, section 6.4).
    fn slot(&self, column: u32) -> usize {
        let product = u64::from(column.wrapping_mul(0x9e37_79b1));
        ((product * self.slots.len() as u64) >> 32) as usize
    }

    fn find(&self, column: u32, columns: &[u32]) -> Option<usize> {
        let mut slot = self.slot(column);
        while self.slots[slot] != 0 {
            let row = self.slots[slot] as usize - 1;
            if columns[row] == column {
                return Some(row);
            }
            slot = (slot + 1) % self.slots.len();
        }
        None
    }
}
