//! What a run of `clash` found, for people.

use std::collections::HashMap;
use std::fmt::Write as _;

use pliant::contact::point_distance;

use super::Chosen;
use super::frames::ClashFrame;
use crate::table::{Table, count, counted, seconds};
use crate::terminal::plain;

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
    /// How far the two beads overlapped at the most, in ångströms.
    deepest: f64,
}

impl Summary {
    pub(super) fn add(&mut self, frame: &ClashFrame, radii: &[f64]) {
        let number = frame.found.pairs.len();
        self.frames += 1;
        self.frames_with_clashes += usize::from(number > 0);
        self.clashes += number;
        self.seconds += frame.seconds;
        if number > self.worst.map_or(0, |(most, _)| most) {
            self.worst = Some((number, frame.index));
        }
        for &pair in &frame.found.pairs {
            let [(p, r), (q, s)] =
                pair.map(|bead| (frame.positions[bead as usize], radii[bead as usize]));
            let depth = r + s - point_distance(p, q);
            if let Some(known) = self.pairs.get_mut(&pair) {
                known.frames += 1;
                known.deepest = known.deepest.max(depth);
            } else if self.pairs.len() < MOST_PAIRS {
                let first = frame.index;
                self.pairs.insert(pair, PairSummary { frames: 1, first, deepest: depth });
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
                    format!("{} and {}", plain(&chosen.name(a)), plain(&chosen.name(b))),
                    format!("{} of {}", count(known.frames), count(self.frames)),
                    known.first.to_string(),
                    // Beads that just touch may come out below zero by a rounding.
                    format!("{:.2}", known.deepest.max(0.0)),
                ]);
            }
            if pairs.len() > LISTED {
                table.note(format!("and {}", counted(pairs.len() - LISTED, "more pair")));
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
