//! What a run of `clash` found, for people.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::Chosen;
use super::frames::ClashFrame;
use crate::table::{Table, count, counted, seconds};
use crate::write::plain;

/// Pairs of beads that are counted one by one, at the most; what comes later is counted in sum.
const MOST_PAIRS: usize = 1 << 20;

/// Pairs that are listed.
const LISTED: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Summary {
    frames: usize,
    frames_with_clashes: usize,
    clashes: usize,
    /// Most clashes and their frame.
    worst: Option<(usize, usize)>,
    pairs: HashMap<[u32; 2], PairSummary>,
    seconds: f64,
}

#[derive(Debug, Clone, Copy)]
struct PairSummary {
    frames: usize,
    first: usize,
}

impl Summary {
    pub(super) fn add(&mut self, frame: &ClashFrame) {
        let number = frame.found.pairs.len();
        self.frames += 1;
        self.frames_with_clashes += usize::from(number > 0);
        self.clashes += number;
        self.seconds += frame.seconds;
        if number > self.worst.map_or(0, |(most, _)| most) {
            self.worst = Some((number, frame.index));
        }
        for &pair in &frame.found.pairs {
            if let Some(known) = self.pairs.get_mut(&pair) {
                known.frames += 1;
            } else if self.pairs.len() < MOST_PAIRS {
                self.pairs.insert(pair, PairSummary { frames: 1, first: frame.index });
            }
        }
    }

    pub(super) fn frames(&self) -> usize {
        self.frames
    }

    pub(super) fn has_clashes(&self) -> bool {
        self.clashes > 0
    }

    pub(super) fn text(&self, chosen: &Chosen, elapsed: f64) -> String {
        let mut text = format!(
            "{} in {}, {}\n\n",
            counted(chosen.necklace.len(), "bead"),
            counted(chosen.necklace.chains(), "chain"),
            counted(self.frames, "frame")
        );
        if let Some((most, worst)) = self.worst {
            let mut table = Table::new(
                "Clashes, the most frequent first",
                &["beads", "frames in contact", "first in frame"],
            );
            let mut pairs: Vec<_> = self.pairs.iter().collect();
            pairs.sort_by_key(|(pair, known)| (usize::MAX - known.frames, **pair));
            for &(&[a, b], known) in pairs.iter().take(LISTED) {
                table.row([
                    format!("{} and {}", plain(&chosen.name(a)), plain(&chosen.name(b))),
                    format!("{} of {}", count(known.frames), count(self.frames)),
                    known.first.to_string(),
                ]);
            }
            if pairs.len() > LISTED {
                table.note(format!("and {} more pairs", count(pairs.len() - LISTED)));
            }
            let _ = writeln!(text, "{table}");
            let _ = writeln!(
                text,
                "{} in {} of {}; most: {} in frame {worst}.",
                counted_clashes(self.clashes),
                count(self.frames_with_clashes),
                counted(self.frames, "frame"),
                count(most)
            );
        } else {
            text += "Nothing clashes.\n";
        }
        let _ = writeln!(
            text,
            "{} in {} ({:.0} frames a second; {} to search a frame).",
            counted(self.frames, "frame"),
            seconds(elapsed),
            self.frames as f64 / elapsed,
            seconds(self.seconds / self.frames.max(1) as f64)
        );
        text
    }
}

fn counted_clashes(number: usize) -> String {
    format!("{} clash{}", count(number), if number == 1 { "" } else { "es" })
}
