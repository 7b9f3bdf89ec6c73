//! What a person wants to know of a run: who touches whom, how deep, when and where.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::frame::Spent;
use super::gate::{Gate, who};
use super::query_parts::QueryParts;
use super::row::{ContactRow, FrameRow, Meeting, RunRow};
use super::sparkline::Sparkline;
use crate::number::short;
use crate::table::{Table, count, counted, seconds};
use crate::terminal::plain;

/// Rows of a table: the worst.
const ROWS: usize = 20;

/// Pairs of objects that have a column in the table by animation.
const COLUMNS: usize = 4;

/// Coordinates below this part of the largest of a place are printed as 0.
const NEGLIGIBLE: f64 = 1e-5;

/// The order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Sort {
    /// The deepest first.
    #[default]
    Depth,
    /// The one in contact for most frames first.
    Frames,
    /// The one with most pairs of triangles first.
    Pairs,
    /// The one that touches first, first.
    Time,
    /// By the objects' names.
    Name,
}

/// The axis that points up in the numbers that are printed; files of glTF have y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Up {
    /// As the files have it.
    #[default]
    Y,
    /// As Blender shows it: x, -z, y.
    Z,
}

impl Up {
    fn text(self, [x, y, z]: [f64; 3]) -> String {
        let [x, y, z] = match self {
            Self::Y => [x, y, z],
            Self::Z => [x, -z, y],
        };
        // What is left of a rounding beside larger coordinates says nothing.
        let least = NEGLIGIBLE * x.abs().max(y.abs()).max(z.abs());
        let number = |it: f64| short(if it.abs() < least { 0.0 } else { it });
        format!("{}, {}, {}", number(x), number(y), number(z))
    }
}

/// All frames of one pair of objects. What is said of the worst frame is all of that frame.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) frames: usize,
    /// The first time that they touch, and the frame's number in the run.
    first: (usize, f64),
    /// The worst contact.
    pub(crate) worst: ContactRow,
    pub(crate) animation: usize,
    pub(crate) frame: usize,
    pub(crate) time: f64,
    over_time: Sparkline,
    /// For each animation the frames in contact and the largest depth.
    by_animation: BTreeMap<usize, (usize, Option<f64>)>,
}

impl Row {
    fn new(contact: &ContactRow, frame: &FrameRow, frames: usize) -> Self {
        Self {
            frames: 0,
            first: (frame.number, frame.time),
            worst: contact.clone(),
            animation: frame.animation,
            frame: frame.frame,
            time: frame.time,
            over_time: Sparkline::new(frames),
            by_animation: BTreeMap::new(),
        }
    }

    fn add(&mut self, contact: &ContactRow, frame: &FrameRow) {
        self.frames += 1;
        self.first =
            if frame.number < self.first.0 { (frame.number, frame.time) } else { self.first };
        self.over_time.add(frame.number, contact.pairs);
        let depth = known_depth(contact);
        let (frames, deepest) = self.by_animation.entry(frame.animation).or_insert((0, depth));
        *frames += 1;
        *deepest = match (*deepest, depth) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        if contact.is_worse_than(&self.worst) {
            self.worst = contact.clone();
            (self.animation, self.frame, self.time) = (frame.animation, frame.frame, frame.time);
        }
    }

    /// How deep the worst is.
    pub(crate) fn depth_text(&self) -> String {
        match (self.worst.kind, self.worst.depth) {
            (Meeting::Near, _) => format!("{} apart", short(self.worst.distance)),
            (Meeting::Touching, _) => "touching".into(),
            (_, Some(depth)) => short(depth),
            // Nobody asked: --no-depth.
            (_, None) if self.worst.regions.is_empty() => "-".into(),
            (_, None) => "?".into(),
        }
    }

    /// The bones and materials at the worst place.
    pub(crate) fn near(&self) -> String {
        let worst = &self.worst;
        let words = worst.bones.iter().chain(&worst.materials).flatten();
        let mut words: Vec<String> = words.map(|one| plain(one)).collect();
        words.dedup();
        words.join(", ")
    }
}

/// The depth of a contact that has one.
fn known_depth(contact: &ContactRow) -> Option<f64> {
    match contact.kind {
        Meeting::Near | Meeting::Touching => Some(0.0),
        _ => contact.depth,
    }
}

/// What is kept of the frames of a run. Grows with the pairs of objects that touch, not with
/// the frames.
#[derive(Debug)]
pub(crate) struct Summary {
    /// Frames of the whole run, as far as known.
    frames: usize,
    /// Frames so far.
    done: usize,
    /// Times of the first and the last frame.
    span: (f64, f64),
    sort: Sort,
    up: Up,
    rows: BTreeMap<[u32; 2], Row>,
    /// Pairs of objects in contact that did not count, each counted once per frame.
    left_out: usize,
    spent: Spent,
}

impl Summary {
    /// Of a run of so many frames.
    pub(crate) fn new(frames: usize, sort: Sort, up: Up) -> Self {
        Self {
            frames,
            done: 0,
            span: (0.0, 0.0),
            sort,
            up,
            rows: BTreeMap::new(),
            left_out: 0,
            spent: Spent::default(),
        }
    }

    /// Takes in the next frame.
    pub(crate) fn add(&mut self, gate: &Gate, frame: &FrameRow) {
        for contact in &frame.contacts {
            if !gate.counts(contact) {
                self.left_out += 1;
                continue;
            }
            self.rows
                .entry(contact.objects)
                .or_insert_with(|| Row::new(contact, frame, self.frames))
                .add(contact, frame);
        }
        let start = if self.done == 0 { frame.time } else { self.span.0 };
        self.span = (start, frame.time);
        self.done += 1;
    }

    /// Counts the time of a frame.
    pub(crate) fn add_time(&mut self, spent: Spent) {
        self.spent += spent;
    }

    /// Whether anything touched.
    pub(crate) fn has_contacts(&self) -> bool {
        !self.rows.is_empty()
    }

    /// All pairs of objects, in order.
    pub(crate) fn rows(&self, run: &RunRow) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.values().collect();
        let reversed = |order: Ordering| order.reverse();
        let worse = |a: &Row, b: &Row| {
            let ((a, pairs_a), (b, pairs_b)) = (a.worst.badness(), b.worst.badness());
            reversed(a.total_cmp(&b).then(pairs_a.cmp(&pairs_b)))
        };
        match self.sort {
            Sort::Depth => rows.sort_by(|a, b| worse(a, b)),
            Sort::Frames => {
                rows.sort_by(|a, b| reversed(a.frames.cmp(&b.frames)).then(worse(a, b)));
            }
            Sort::Pairs => rows.sort_by_key(|row| std::cmp::Reverse(row.worst.pairs)),
            Sort::Time => rows.sort_by_key(|row| row.first.0),
            Sort::Name => rows.sort_by_key(|row| run.names(row.worst.objects)),
        }
        rows
    }

    /// The tables, and where the time went.
    pub(crate) fn text(
        &self,
        run: &RunRow,
        elapsed: Option<f64>,
        parts: Option<&QueryParts>,
    ) -> String {
        let mut text = String::new();
        let things = counted(run.objects.len(), "object");
        let (start, end) = self.span;
        let span = match (self.done, run.animations.len()) {
            (0, _) => String::new(),
            (1, _) => format!("at {} s", short(start)),
            (frames, 1) => {
                format!("over {}, {} s to {} s", counted(frames, "frame"), short(start), short(end))
            }
            (frames, many) => {
                format!("over {} of {}", counted(frames, "frame"), counted(many, "animation"))
            }
        };
        if self.has_contacts() {
            let table = self.table(run, &format!("{things} {span}"));
            let _ = writeln!(text, "{table}");
            if run.animations.len() > 1 {
                let _ = writeln!(text, "{}", self.matrix(run));
            }
        } else {
            let _ = writeln!(text, "No contacts: {things} {span}.");
        }
        if self.left_out > 0 {
            let _ = writeln!(
                text,
                "{} left out by --touching or --min-depth.",
                counted(self.left_out, "contact")
            );
        }
        match elapsed {
            Some(elapsed) => text + &self.time(elapsed, parts),
            None => text,
        }
    }

    /// A row per pair of objects.
    fn table(&self, run: &RunRow, title: &str) -> Table {
        let several = run.animations.len() > 1;
        let mut headings = vec!["objects", "frames", "deepest at", "depth", "at (x, y, z)", "near"];
        headings.push("over time");
        let mut table = Table::new(format!("Contacts: {title}"), &headings);
        let rows = self.rows(run);
        for row in rows.iter().take(ROWS) {
            let animation = run.animations.get(row.animation).map_or("", |one| &one.name);
            let when = match several {
                true => format!("{} s of {} ({})", short(row.time), plain(animation), row.frame),
                false => format!("{} s ({})", short(row.time), row.frame),
            };
            table.row([
                who(run, row.worst.objects),
                format!("{} of {}", row.frames, self.done),
                when,
                row.depth_text(),
                self.up.text(row.worst.at),
                row.near(),
                row.over_time.draw(),
            ]);
        }
        if rows.len() > ROWS {
            let more = rows.len() - ROWS;
            table.note(format!("and {} more pairs of objects: --csv lists all", count(more)));
        }
        if rows.iter().take(ROWS).any(|row| row.depth_text() == "?") {
            table.note("?: an open surface is crossed, and how deep cannot be told");
        }
        table.fit(terminal_width())
    }

    /// Animations against pairs of objects: frames in contact and largest depth.
    fn matrix(&self, run: &RunRow) -> Table {
        let rows = self.rows(run);
        let columns: Vec<&Row> = rows.iter().copied().take(COLUMNS).collect();
        let mut headings = vec!["animation".to_string(), "frames".into()];
        headings.extend(columns.iter().map(|row| who(run, row.worst.objects)));
        let others = rows.len() - columns.len();
        if others > 0 {
            headings.push(format!("{} more", counted(others, "pair")));
        }
        let mut table = Table::with_headings("By animation: frames in contact, depth", headings);
        let cell = |row: &Row, animation: usize| match row.by_animation.get(&animation) {
            None => "-".to_string(),
            Some((frames, Some(depth))) if *depth > 0.0 => format!("{frames}, {}", short(*depth)),
            Some((frames, _)) => frames.to_string(),
        };
        let mut clear = 0;
        for (number, animation) in run.animations.iter().enumerate() {
            if rows.iter().all(|row| !row.by_animation.contains_key(&number)) {
                clear += 1;
                continue;
            }
            let mut cells = vec![plain(&animation.name), count(animation.frames)];
            cells.extend(columns.iter().map(|row| cell(row, number)));
            if others > 0 {
                let rest = rows[columns.len()..].iter();
                let touching = rest.filter(|row| row.by_animation.contains_key(&number)).count();
                cells.push(if touching == 0 { "-".into() } else { count(touching) });
            }
            table.row(cells);
        }
        if clear > 0 {
            table.note(format!("{} without contacts", counted(clear, "animation")));
        }
        table.fit(terminal_width())
    }

    /// What one frame took on its thread, on average.
    pub(crate) fn seconds_a_frame(&self) -> f64 {
        self.spent.total().as_secs_f64() / self.done.max(1) as f64
    }

    /// Where the time went, on average per frame.
    fn time(&self, elapsed: f64, parts: Option<&QueryParts>) -> String {
        let frames = self.done.max(1) as f64;
        let each = |part: f64| seconds(part / frames);
        let query = self.spent.query.as_secs_f64();
        let query = match parts {
            None => format!("traversal and triangle tests {}", each(query)),
            Some(parts) => {
                // A share of what was measured over all frames, so that the parts add up to it.
                let tests = query * parts.share_of_tests();
                format!("traversal {}, triangle tests {}", each(query - tests), each(tests))
            }
        };
        let depth = match self.spent.depth.as_secs_f64() {
            0.0 => String::new(),
            depth => format!(", depths {}", each(depth)),
        };
        format!(
            "{} in {} ({} frames per second); a frame: pose {}, vertices {}, bounds {}, {query}{depth}\n",
            counted(self.done, "frame"),
            seconds(elapsed),
            short(self.done as f64 / elapsed.max(f64::MIN_POSITIVE)),
            each(self.spent.pose.as_secs_f64()),
            each(self.spent.vertices.as_secs_f64()),
            each(self.spent.bounds.as_secs_f64()),
        )
    }
}

/// Characters of a line of the terminal; `None` if there is none.
fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
