//! What a run of `clash` found, for people.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::counts::ClashCounts;
use super::row::{ClashFrameRow, ClashRun};
use crate::table::{Table, count, counted};
use crate::terminal::plain;

/// Pairs that are told apart, at the most; the clashes of others are counted in sum.
pub(super) const MOST_PAIRS: usize = 1 << 20;

/// Pairs that are listed.
const LISTED: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) counts: ClashCounts,
    pairs: HashMap<[u32; 2], PairSummary>,
    /// Clashes of pairs beyond those that are told apart.
    others: usize,
}

#[derive(Debug, Clone, Copy)]
struct PairSummary {
    frames: usize,
    first: usize,
    /// How far the two beads overlapped at the most, in ångströms.
    deepest: f64,
}

impl Summary {
    pub(super) fn add(&mut self, frame: &ClashFrameRow) {
        self.counts.add(frame.clashes.len(), frame.index, frame.work.seconds);
        let overlaps = frame.overlaps.as_deref().unwrap_or_default();
        for (&pair, &depth) in frame.clashes.iter().zip(overlaps) {
            if let Some(known) = self.pairs.get_mut(&pair) {
                known.frames += 1;
                known.deepest = known.deepest.max(depth);
            } else if self.pairs.len() < MOST_PAIRS {
                let first = frame.index;
                self.pairs.insert(pair, PairSummary { frames: 1, first, deepest: depth });
            } else {
                self.others += 1;
            }
        }
    }

    pub(super) fn text(&self, run: &ClashRun, elapsed: Option<f64>) -> String {
        let mut text = format!(
            "{} in {}, {}\n\n",
            counted(run.beads, "bead"),
            counted(run.chains, "chain"),
            counted(self.counts.frames, "frame")
        );
        if self.counts.has_clashes() {
            let mut table = Table::new(
                "Clashes, the most frequent first, then the deepest",
                &["beads", "frames in contact", "first in frame", "deepest overlap, Å"],
            );
            let mut pairs: Vec<_> = self.pairs.iter().collect();
            pairs.sort_by(|(pair, a), (other, b)| {
                let frames = b.frames.cmp(&a.frames);
                frames.then(b.deepest.total_cmp(&a.deepest)).then(pair.cmp(other))
            });
            for &(&[a, b], known) in pairs.iter().take(LISTED) {
                table.row([
                    format!("{} and {}", plain(&run.label(a)), plain(&run.label(b))),
                    format!("{} of {}", count(known.frames), count(self.counts.frames)),
                    known.first.to_string(),
                    // Beads that just touch may come out below zero by a rounding.
                    format!("{:.2}", known.deepest.max(0.0)),
                ]);
            }
            if let Some(note) = pairs_note(pairs.len(), LISTED, self.others) {
                table.note(note);
            }
            let _ = writeln!(text, "{table}");
        }
        text + &self.counts.total() + &self.counts.speed(elapsed)
    }
}

/// What a table of so many pairs does not list. `others` are clashes of pairs that are not told
/// apart, so the number of pairs is not known.
pub(super) fn pairs_note(pairs: usize, listed: usize, others: usize) -> Option<String> {
    let more = pairs.saturating_sub(listed);
    match others {
        0 => (more > 0).then(|| format!("and {}", counted(more, "more pair"))),
        _ => Some(format!(
            "and {} that are told apart, and {} of other pairs, which are only counted",
            counted(more, "more pair"),
            counted_clashes(others)
        )),
    }
}

pub(super) fn counted_clashes(number: usize) -> String {
    format!("{} clash{}", count(number), if number == 1 { "" } else { "es" })
}
