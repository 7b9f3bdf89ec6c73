//! The boxes of a level, by bins of adjacent columns.

use crate::parallel::*;

use super::super::row::turned;
use super::super::solid::SolidBoxes;
use super::cells::{CHUNK, Cells};
use crate::volume::Aabb;

/// Boxes per bin that are aimed at: what is done with a bin stays in the caches.
const PER_BIN: usize = 2048;

/// Bins at most: one thread fills them all at a time.
const MAX_BINS: usize = 1024;

/// A column and the place of a box that covers it.
pub(super) type Entry = [u32; 2];

/// The boxes of one level, its residents, and the smaller boxes that may meet them, its guests.
pub(super) struct Bins<'a> {
    pub(super) cells: &'a Cells,
    pub(super) level: u32,
    /// A column is `y << bits | z`.
    pub(super) bits: u32,
    /// A bin has the columns that agree but for so many bits.
    pub(super) shift: u32,
    pub(super) count: usize,
    residents: Vec<Chunk>,
    guests: Vec<Chunk>,
}

/// The entries of a chunk of boxes, by bins.
struct Chunk {
    entries: Vec<Entry>,
    /// Where each bin ends.
    ends: Vec<u32>,
}

impl<'a> Bins<'a> {
    pub(super) fn new(
        boxes: &SolidBoxes<'_>,
        cells: &'a Cells,
        level_of: &[u8],
        level: u32,
    ) -> Self {
        let (bits, columns) = cells.columns(level);
        let bins = (boxes.len() / PER_BIN).clamp(1, MAX_BINS).next_power_of_two() as u32;
        let column_bits = u32::BITS - (columns - 1).leading_zeros();
        let shift = column_bits.saturating_sub(bins.ilog2());
        let count = ((columns - 1) >> shift) as usize + 1;
        let mut made =
            Self { cells, level, bits, shift, count, residents: Vec::new(), guests: Vec::new() };
        made.residents = made.chunks(boxes, level_of, |own| u32::from(own) == level, |_| true);
        if level_of.iter().any(|&own| u32::from(own) < level) {
            // Guests count only where residents are.
            let mut taken = vec![0_u64; (columns as usize).div_ceil(64)];
            for [column, _] in made.residents.iter().flat_map(|chunk| &chunk.entries) {
                taken[*column as usize / 64] |= 1 << (column % 64);
            }
            let is_taken = |column: u32| taken[column as usize / 64] >> (column % 64) & 1 == 1;
            made.guests = made.chunks(boxes, level_of, |own| u32::from(own) < level, is_taken);
        }
        made
    }

    /// The entries of the boxes whose level counts in the columns that count.
    fn chunks(
        &self,
        boxes: &SolidBoxes<'_>,
        level_of: &[u8],
        level_counts: impl Fn(u8) -> bool + Sync,
        column_counts: impl Fn(u32) -> bool + Sync,
    ) -> Vec<Chunk> {
        let chunk = |(number, (levels, boxes)): (usize, (&[u8], &[Aabb]))| {
            let mut entries = Vec::with_capacity(2 * levels.len());
            let mut ends = vec![0; self.count + 1];
            let places = (number * CHUNK) as u32..;
            for ((place, &level), volume) in places.zip(levels).zip(boxes) {
                if !level_counts(level) {
                    continue;
                }
                let cover = self.cells.cover(&turned(volume, self.cells.axis)).at(self.level);
                for y in cover.low[0]..=cover.high[0] {
                    for z in cover.low[1]..=cover.high[1] {
                        let column = y << self.bits | z;
                        if column_counts(column) {
                            ends[(column >> self.shift) as usize + 1] += 1;
                            entries.push([column, place]);
                        }
                    }
                }
            }
            in_bins(&entries, ends, self.shift)
        };
        if boxes.len() <= CHUNK {
            return vec![chunk((0, (level_of, &boxes.boxes)))];
        }
        let chunks = level_of.par_chunks(CHUNK).zip(boxes.boxes.par_chunks(CHUNK)).enumerate();
        chunks.map(chunk).collect()
    }

    /// The residents, then the guests of a bin.
    pub(super) fn entries(&self, bin: usize) -> [impl Iterator<Item = Entry>; 2] {
        [&self.residents, &self.guests].map(|chunks| {
            chunks.iter().flat_map(move |Chunk { entries, ends }| {
                let start = if bin == 0 { 0 } else { ends[bin - 1] };
                entries[start as usize..ends[bin] as usize].iter().copied()
            })
        })
    }
}

/// Sorts entries by bin, given the count of each bin one place later.
fn in_bins(entries: &[Entry], mut ends: Vec<u32>, shift: u32) -> Chunk {
    for bin in 1..ends.len() {
        ends[bin] += ends[bin - 1];
    }
    let mut sorted = vec![[0; 2]; entries.len()];
    for entry in entries {
        let next = &mut ends[(entry[0] >> shift) as usize];
        sorted[*next as usize] = *entry;
        *next += 1;
    }
    Chunk { entries: sorted, ends }
}
