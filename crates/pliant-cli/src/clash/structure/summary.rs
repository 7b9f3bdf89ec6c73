//! What a run found, for people: the worst clashes, by residue, by chain, and the score.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use pliant_io::{Atom, Clash};

use super::Question;
use super::frames::StructureFrame;
use super::output::score;
use crate::clash::counts::ClashCounts;
use crate::clash::summary::{MOST_PAIRS, pairs_note};
use crate::table::{Table, count, counted};
use crate::terminal::plain;

/// Rows of each table.
const LISTED: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Summary {
    counts: ClashCounts,
    pairs: HashMap<[u32; 2], PairSummary>,
    /// Clashes of pairs beyond those that are told apart.
    others: usize,
    residues: HashMap<String, Tally>,
    chains: BTreeMap<[String; 2], Tally>,
}

#[derive(Debug, Clone, Copy)]
struct PairSummary {
    frames: usize,
    /// The clash with the largest overlap, and its frame.
    deepest: Clash,
    frame: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    clashes: usize,
    deepest: f64,
}

impl Tally {
    fn add(&mut self, overlap: f64) {
        self.deepest = if self.clashes == 0 { overlap } else { self.deepest.max(overlap) };
        self.clashes += 1;
    }
}

impl Summary {
    pub(super) fn add(&mut self, found: &StructureFrame, question: &Question) {
        let index = found.frame.index;
        self.counts.add(found.clashes.len(), index, found.frame.seconds);
        for &clash in &found.clashes {
            if let Some(known) = self.pairs.get_mut(&clash.atoms) {
                known.frames += 1;
                if clash.overlap > known.deepest.overlap {
                    (known.deepest, known.frame) = (clash, index);
                }
            } else if self.pairs.len() < MOST_PAIRS {
                let known = PairSummary { frames: 1, deepest: clash, frame: index };
                self.pairs.insert(clash.atoms, known);
            } else {
                self.others += 1;
            }
            let [a, b] = clash.atoms.map(|atom| &question.chosen.structure.atoms[atom as usize]);
            let [first, second] = [a, b].map(residue);
            if first != second {
                self.residues.entry(second).or_default().add(clash.overlap);
            }
            self.residues.entry(first).or_default().add(clash.overlap);
            let mut chains = [a.chain.clone(), b.chain.clone()];
            chains.sort();
            self.chains.entry(chains).or_default().add(clash.overlap);
        }
    }

    pub(super) fn frames(&self) -> usize {
        self.counts.frames
    }

    pub(super) fn has_clashes(&self) -> bool {
        self.counts.clashes > 0
    }

    pub(super) fn text(&self, question: &Question, elapsed: f64) -> String {
        let mut text = format!(
            "{} with {}, {}\n\n",
            counted(question.search.atoms().len(), "atom"),
            counted(question.search.bonds().pairs().len(), "bond"),
            counted(self.counts.frames, "frame")
        );
        if let Some((most, worst)) = self.counts.worst {
            let _ = writeln!(text, "{}", self.pair_table(question));
            let _ = writeln!(text, "{}", self.residue_table());
            if self.chains.len() > 1 {
                let _ = writeln!(text, "{}", self.chain_table());
            }
            let mean = score(self.counts.clashes, question) / self.counts.frames.max(1) as f64;
            let _ = writeln!(
                text,
                "{}Clash score, per 1 000 atoms: {mean:.2} on average, {:.2} in frame {worst}.",
                self.counts.total(),
                score(most, question),
            );
        } else {
            text += &self.counts.total();
        }
        text + &self.counts.speed(elapsed)
    }

    /// Every row is of one frame: that of the largest overlap.
    fn pair_table(&self, question: &Question) -> Table {
        let mut table = Table::new(
            "Clashes, the most frequent first, then the deepest",
            &["atoms", "frames", "overlap, Å", "distance, Å", "in frame"],
        );
        let mut pairs: Vec<(&[u32; 2], &PairSummary)> = self.pairs.iter().collect();
        pairs.sort_by(|(pair, a), (other, b)| {
            let frames = b.frames.cmp(&a.frames);
            frames.then(b.deepest.overlap.total_cmp(&a.deepest.overlap)).then(pair.cmp(other))
        });
        let name = |atom: u32| plain(&question.chosen.structure.atoms[atom as usize].label());
        for &(&[a, b], known) in pairs.iter().take(LISTED) {
            table.row([
                format!("{} and {}", name(a), name(b)),
                format!("{} of {}", count(known.frames), count(self.counts.frames)),
                format!("{:.3}", known.deepest.overlap),
                format!("{:.3}", known.deepest.distance),
                known.frame.to_string(),
            ]);
        }
        if let Some(note) = pairs_note(pairs.len(), LISTED, self.others) {
            table.note(note);
        }
        table
    }

    fn residue_table(&self) -> Table {
        let mut rows: Vec<_> = self.residues.iter().collect();
        rows.sort_by(|(name, a), (other, b)| {
            let more = b.clashes.cmp(&a.clashes);
            more.then(b.deepest.total_cmp(&a.deepest)).then(name.cmp(other))
        });
        let mut table = Table::new("By residue", &["residue", "clashes", "deepest overlap, Å"]);
        for (name, tally) in rows.iter().take(LISTED) {
            table.row([plain(name), count(tally.clashes), format!("{:.3}", tally.deepest)]);
        }
        if rows.len() > LISTED {
            table.note(format!("and {}", counted(rows.len() - LISTED, "more residue")));
        }
        table
    }

    fn chain_table(&self) -> Table {
        let mut rows: Vec<_> = self.chains.iter().collect();
        rows.sort_by(|(name, a), (other, b)| b.clashes.cmp(&a.clashes).then(name.cmp(other)));
        let mut table = Table::new("By chain", &["chains", "clashes", "deepest overlap, Å"]);
        for ([a, b], tally) in rows.iter().take(LISTED) {
            let name = match a == b {
                true => format!("within {}", plain(a)),
                false => format!("{} and {}", plain(a), plain(b)),
            };
            table.row([name, count(tally.clashes), format!("{:.3}", tally.deepest)]);
        }
        if rows.len() > LISTED {
            table.note(format!("and {}", counted(rows.len() - LISTED, "more pair")));
        }
        table
    }
}

/// A residue's name, such as `A GLY 12`.
fn residue(atom: &Atom) -> String {
    let parts = [&atom.chain, &atom.residue, &atom.residue_number];
    let parts = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}
