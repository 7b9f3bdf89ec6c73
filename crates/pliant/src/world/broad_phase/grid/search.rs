//! The pairs of a bin.

use std::ops::{ControlFlow, Range};

use super::super::blocks::{OnPair, Report, Searches};
use super::super::radix::{pass, sort_by_upper_half, sortable};
use super::super::row::{Row, ordered, scan};
use super::super::solid::SolidBoxes;
use super::bins::{Bins, Entry};
use super::cells::Cover;
use crate::volume::Aabb;

/// Searches a level, bin by bin.
pub(super) struct Search<'a> {
    pub(super) boxes: &'a SolidBoxes<'a>,
    pub(super) bins: &'a Bins<'a>,
}

/// Boxes of a bin: column by column, each sorted along the axis.
pub(super) struct Columns {
    pub(super) row: Row,
    /// The lowest column that each box covers.
    lows: Vec<[u32; 2]>,
    /// Ascending.
    pub(super) columns: Vec<(u32, Range<usize>)>,
}

impl Columns {
    pub(super) fn new(search: &Search<'_>, entries: impl Iterator<Item = Entry>) -> Self {
        let Search { boxes, bins } = search;
        let entries: Vec<Entry> = entries.collect();
        let axis = bins.cells.axis;
        let start = |place: u32| boxes.boxes[place as usize].min[axis];
        let mut keys: Vec<u64> = (0_u64..)
            .zip(&entries)
            .map(|(at, &[_, place])| u64::from(sortable(start(place))) << 32 | at)
            .collect();
        let mut spare = Vec::new();
        sort_by_upper_half(&mut keys, &mut spare);
        // Then by column; those of a bin agree in their upper bits.
        let entry = |key: u64| entries[key as u32 as usize];
        let mut done = 0;
        while done < bins.shift {
            let bits = (bins.shift - done).min(11);
            let digit = |key: u64| (entry(key)[0] >> done) as usize & ((1 << bits) - 1);
            pass(&mut keys, &mut spare, 1 << bits, digit);
            done += bits;
        }
        let row = Row::gather(boxes, axis, keys.iter().map(|&key| entry(key)[1]));
        let cover = |volume: &Aabb| -> Cover { bins.cells.cover(volume).at(bins.level) };
        let lows = row.boxes.iter().map(|volume| cover(volume).low).collect();
        let mut columns: Vec<(u32, Range<usize>)> = Vec::new();
        for (at, &key) in keys.iter().enumerate() {
            let [column, _] = entry(key);
            match columns.last_mut() {
                Some((last, range)) if *last == column => range.end = at + 1,
                _ => columns.push((column, at..at + 1)),
            }
        }
        Self { row, lows, columns }
    }
}

impl Searches for Search<'_> {
    const PER_BLOCK: usize = 1;

    fn count(&self) -> usize {
        self.bins.count
    }

    fn search(&self, bin: usize, to: &mut Report<impl OnPair>) -> ControlFlow<()> {
        let [residents, guests] = self.bins.entries(bin);
        let residents = Columns::new(self, residents);
        let guests = Columns::new(self, guests);
        let mask = (1 << self.bins.bits) - 1;
        let mut others = guests.columns.iter().peekable();
        for (column, own) in &residents.columns {
            let lowest = [column >> self.bins.bits, column & mask];
            within_column(&residents, own.clone(), lowest, to)?;
            while others.next_if(|(other, _)| other < column).is_some() {}
            if let Some((_, theirs)) = others.next_if(|(other, _)| other == column) {
                let pair = [(&residents, own), (&guests, theirs)];
                between(pair, lowest, to)?;
                between([pair[1], pair[0]], lowest, to)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether a column is the lowest that two boxes cover.
#[inline]
fn is_lowest([a, b]: [[u32; 2]; 2], column: [u32; 2]) -> bool {
    a[0].max(b[0]) == column[0] && a[1].max(b[1]) == column[1]
}

/// Pairs of boxes of a column.
fn within_column(
    of: &Columns,
    range: Range<usize>,
    column: [u32; 2],
    Report { tests, found, .. }: &mut Report<impl OnPair>,
) -> ControlFlow<()> {
    let Row { boxes, numbers } = &of.row;
    for at in range.clone() {
        let first = at + 1;
        scan(&boxes[at], &boxes[first..range.end], tests, |other| {
            let other = first + other;
            if is_lowest([of.lows[at], of.lows[other]], column) {
                found(ordered(numbers[at], numbers[other]))
            } else {
                ControlFlow::Continue(())
            }
        })?;
    }
    ControlFlow::Continue(())
}

/// Pairs of a box of one list and a box of the other that begins later, or with it and has the larger
/// number. Both lists are sorted like that.
fn between(
    [(one, own), (other, theirs)]: [(&Columns, &Range<usize>); 2],
    column: [u32; 2],
    Report { tests, found, .. }: &mut Report<impl OnPair>,
) -> ControlFlow<()> {
    let begins_before = |a: &Aabb, a_number: u32, b: &Aabb, b_number: u32| {
        (sortable(a.min.x), a_number) < (sortable(b.min.x), b_number)
    };
    let mut next = theirs.start;
    for at in own.clone() {
        let (volume, number) = (&one.row.boxes[at], one.row.numbers[at]);
        while next < theirs.end
            && begins_before(&other.row.boxes[next], other.row.numbers[next], volume, number)
        {
            next += 1;
        }
        let first = next;
        scan(volume, &other.row.boxes[first..theirs.end], tests, |place| {
            let place = first + place;
            if is_lowest([one.lows[at], other.lows[place]], column) {
                found(ordered(number, other.row.numbers[place]))
            } else {
                ControlFlow::Continue(())
            }
        })?;
    }
    ControlFlow::Continue(())
}
