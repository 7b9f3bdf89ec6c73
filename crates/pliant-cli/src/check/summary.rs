//! What a person wants to know of a run: who touches whom, when, where, and how badly.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::frame::{Contact, Frame, Segment, Spent};
use super::query_parts::QueryParts;
use super::sparkline::Sparkline;
use crate::source::Input;
use crate::table::{Table, count, counted, seconds};
use crate::terminal::plain;

/// Rows of the table: the worst.
const ROWS: usize = 20;

/// All frames of one pair of objects.
#[derive(Debug)]
struct Row {
    frames: usize,
    first: f64,
    /// The frame with most pairs: its number and time.
    worst: (usize, f64),
    most: usize,
    longest: Segment,
    over_time: Sparkline,
}

impl Row {
    fn new(contact: &Contact, time: f64, frames: usize) -> Self {
        Self {
            frames: 0,
            first: time,
            worst: (0, time),
            most: 0,
            longest: contact.longest,
            over_time: Sparkline::new(frames),
        }
    }

    fn add(&mut self, contact: &Contact, number: usize, time: f64) {
        self.frames += 1;
        self.first = self.first.min(time);
        self.over_time.add(number, contact.pairs);
        if contact.pairs > self.most {
            (self.most, self.worst) = (contact.pairs, (number, time));
        }
        if contact.longest.length > self.longest.length {
            self.longest = contact.longest;
        }
    }
}

/// What is kept of the frames of a run. Grows with the pairs of objects that touch, not with
/// the frames.
#[derive(Debug)]
pub(crate) struct Summary {
    /// Frames of the whole run.
    frames: usize,
    /// Frames so far.
    done: usize,
    /// Times of the first and the last frame.
    span: (f64, f64),
    rows: BTreeMap<[u32; 2], Row>,
    spent: Spent,
}

impl Summary {
    /// Of a run of so many frames.
    pub(crate) fn new(frames: usize) -> Self {
        let (rows, spent) = (BTreeMap::new(), Spent::default());
        Self { frames, done: 0, span: (0.0, 0.0), rows, spent }
    }

    /// Takes in the next frame.
    pub(crate) fn add(&mut self, frame: &Frame) {
        for contact in &frame.contacts {
            self.rows
                .entry(contact.objects)
                .or_insert_with(|| Row::new(contact, frame.time, self.frames))
                .add(contact, self.done, frame.time);
        }
        let start = if self.done == 0 { frame.time } else { self.span.0 };
        self.span = (start, frame.time);
        self.done += 1;
        self.spent += frame.spent;
    }

    /// Whether anything touched.
    pub(crate) fn has_contacts(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The table by pairs of objects, and where the time went.
    pub(crate) fn text(&self, input: &Input, elapsed: f64, parts: Option<&QueryParts>) -> String {
        let mut text = String::new();
        let things = counted(input.objects().len(), "object");
        let (start, end) = self.span;
        let span = match self.done {
            0 => String::new(),
            1 => format!("at {} s", short(start)),
            frames => {
                format!("over {}, {} s to {} s", counted(frames, "frame"), short(start), short(end))
            }
        };
        let span = span + &played(input);
        if self.has_contacts() {
            let _ = writeln!(text, "{}", self.table(input, &format!("{things} {span}")));
        } else {
            let _ = writeln!(text, "No contacts: {things} {span}.");
        }
        text + &self.time(elapsed, parts)
    }

    /// The pair of objects with most pairs of triangles first.
    fn table(&self, input: &Input, title: &str) -> Table {
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
        let mut rows: Vec<(&[u32; 2], &Row)> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.most));
        for &(&[a, b], row) in rows.iter().take(ROWS) {
            let who = if a == b {
                format!("{} with itself", input.label(a))
            } else {
                format!("{} and {}", input.label(a), input.label(b))
            };
            let at = row.longest.middle;
            let (worst, time) = row.worst;
            table.row([
                who,
                format!("{} of {}", row.frames, self.done),
                format!("{} s", short(row.first)),
                format!("{} s (frame {worst})", short(time)),
                count(row.most),
                short(row.longest.length),
                format!("{}, {}, {}", short(at.x), short(at.y), short(at.z)),
                row.over_time.draw(),
            ]);
        }
        if rows.len() > ROWS {
            let more = rows.len() - ROWS;
            table.note(format!("and {} more pairs of objects: --csv lists all", count(more)));
        }
        table.note("A cut is the segment that two triangles share: the longest, and its middle.");
        table
    }

    /// What one frame took on its thread, on average.
    pub(crate) fn seconds_a_frame(&self) -> f64 {
        self.spent.total().as_secs_f64() / self.done.max(1) as f64
    }

    /// Where the time went, on average a frame.
    fn time(&self, elapsed: f64, parts: Option<&QueryParts>) -> String {
        let frames = self.done.max(1) as f64;
        let each = |part: f64| seconds(part / frames);
        let query = self.spent.query.as_secs_f64();
        let query = match parts {
            None => format!("traversal and triangle tests {}", each(query)),
            Some(parts) => {
                // A share of what was measured over all frames, so that the parts add up to it.
                let tests = query * parts.share_of_tests();
                format!(
                    "traversal {}, triangle tests {}\n(traversal and tests are timed together, and \
                     divided by asking {} again without tests)",
                    each(query - tests),
                    each(tests),
                    counted(parts.frames, "frame"),
                )
            }
        };
        format!(
            "{} in {} ({} frames a second); a frame: pose {}, vertices {}, bounds {}, {query}\n",
            counted(self.done, "frame"),
            seconds(elapsed),
            short(self.done as f64 / elapsed.max(f64::MIN_POSITIVE)),
            each(self.spent.pose.as_secs_f64()),
            each(self.spent.vertices.as_secs_f64()),
            each(self.spent.bounds.as_secs_f64()),
        )
    }
}

/// Which animation was played, where one file has several and so there was a choice.
fn played(input: &Input) -> String {
    let [source] = input.sources() else { return String::new() };
    let animations = source.scene.animations();
    match source.animation {
        Some(number) if animations.len() > 1 => {
            let name = plain(&animations[number].name);
            format!(" of animation {number} \"{name}\" ({} in the file)", count(animations.len()))
        }
        _ => String::new(),
    }
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
