//! What a person wants to know of a run: who touches whom, when, where, and how badly.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::frame::{Contact, Frame, Segment};
use super::sparkline::sparkline;
use crate::source::Input;
use crate::table::{Table, count, counted, seconds};

/// Rows of the table: the worst.
const ROWS: usize = 20;

/// Characters of a sparkline.
const PLACES: usize = 24;

/// All frames of one pair of objects.
struct Row {
    objects: [u32; 2],
    frames: usize,
    first: f64,
    worst_frame: usize,
    most: usize,
    longest: Segment,
    over_time: Vec<usize>,
}

impl Row {
    fn new(contact: &Contact, time: f64, frames: usize) -> Self {
        Self {
            objects: contact.objects,
            frames: 0,
            first: time,
            worst_frame: 0,
            most: 0,
            longest: contact.longest,
            over_time: vec![0; frames],
        }
    }

    fn add(&mut self, contact: &Contact, number: usize, time: f64) {
        self.frames += 1;
        self.first = self.first.min(time);
        self.over_time[number] = contact.pairs;
        if contact.pairs > self.most {
            (self.most, self.worst_frame) = (contact.pairs, number);
        }
        if contact.longest.length > self.longest.length {
            self.longest = contact.longest;
        }
    }
}

/// The table by pairs of objects, and where the time went.
pub(crate) fn summary(input: &Input, frames: &[Frame], elapsed: f64) -> String {
    let rows = rows(frames);
    let mut text = String::new();
    let things = counted(input.objects().len(), "object");
    let span = match frames {
        [] => String::new(),
        [only] => format!("at {} s", short(only.time)),
        [first, .., last] => format!(
            "over {}, {} s to {} s",
            counted(frames.len(), "frame"),
            short(first.time),
            short(last.time)
        ),
    };
    if rows.is_empty() {
        let _ = writeln!(text, "No contacts: {things} {span}.");
    } else {
        let _ = writeln!(text, "{}", table(input, frames, &rows, &format!("{things} {span}")));
    }
    let _ = writeln!(text, "{}", spent(frames, elapsed));
    text
}

/// By pairs of objects, the one with most pairs of triangles first.
fn rows(frames: &[Frame]) -> Vec<Row> {
    let mut rows: BTreeMap<[u32; 2], Row> = BTreeMap::new();
    for (number, frame) in frames.iter().enumerate() {
        for contact in &frame.contacts {
            rows.entry(contact.objects)
                .or_insert_with(|| Row::new(contact, frame.time, frames.len()))
                .add(contact, number, frame.time);
        }
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.most));
    rows
}

fn table(input: &Input, frames: &[Frame], rows: &[Row], title: &str) -> Table {
    let mut table = Table::new(
        format!("Contacts: {title}"),
        &[
            "objects",
            "frames in contact",
            "first",
            "worst",
            "most pairs",
            "longest cut",
            "at (x, y, z)",
            "pairs over time",
        ],
    );
    for row in rows.iter().take(ROWS) {
        let [a, b] = row.objects;
        let who = if a == b {
            format!("{} with itself", input.label(a))
        } else {
            format!("{} and {}", input.label(a), input.label(b))
        };
        let at = row.longest.middle;
        table.row([
            who,
            format!("{} of {}", row.frames, frames.len()),
            format!("{} s", short(row.first)),
            format!("{} s (frame {})", short(frames[row.worst_frame].time), row.worst_frame),
            count(row.most),
            short(row.longest.length),
            format!("{}, {}, {}", short(at.x), short(at.y), short(at.z)),
            sparkline(&row.over_time, PLACES),
        ]);
    }
    if rows.len() > ROWS {
        let more = rows.len() - ROWS;
        table.note(format!("and {} more pairs of objects: --csv lists all", count(more)));
    }
    table.note("A cut is the segment that two triangles share: the longest, and its middle.");
    table
}

/// Where the time went, on average a frame.
fn spent(frames: &[Frame], elapsed: f64) -> String {
    let each = |part: fn(&Frame) -> Duration| {
        let sum: Duration = frames.iter().map(part).sum();
        seconds(sum.as_secs_f64() / frames.len().max(1) as f64)
    };
    let rate = frames.len() as f64 / elapsed.max(f64::MIN_POSITIVE);
    format!(
        "{} in {} ({} frames a second); a frame: pose {}, vertices {}, bounds {}, \
         traversal and triangle tests {}",
        counted(frames.len(), "frame"),
        seconds(elapsed),
        short(rate),
        each(|frame| frame.spent.pose),
        each(|frame| frame.spent.vertices),
        each(|frame| frame.spent.refit),
        each(|frame| frame.spent.query),
    )
}

/// A number with four digits that count, and no more zeros than it needs.
fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{number:.3e}");
    }
    let digits = if size < 1.0 { 4 } else { 3 - (size.log10() as usize).min(3) };
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
    match text.trim_end_matches('.') {
        "-0" | "" => "0".into(),
        trimmed => trimmed.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (1.0 / 3.0, "0.3333"),
            (-12.3456, "-12.35"),
            (100.0, "100"),
            (12345.6, "12346"),
            (1e-9, "1.000e-9"),
            (3e20, "3.000e20"),
        ] {
            assert_eq!(short(number), text);
        }
    }
}
