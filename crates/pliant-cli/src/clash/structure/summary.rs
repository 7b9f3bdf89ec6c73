//! What a run found, for people: the worst clashes, by residue, by chain, and the score.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::clash::counts::ClashCounts;
use crate::clash::row::{ClashFrameRow, ClashRun, ContactRow};
use crate::clash::summary::{MOST_PAIRS, pairs_note};
use crate::table::{Table, count, counted};
use crate::terminal::plain;

/// Rows of each table.
const LISTED: usize = 10;

#[derive(Debug, Default)]
pub(crate) struct StructureSummary {
    pub(in crate::clash) counts: ClashCounts,
    pairs: HashMap<[u32; 2], PairSummary>,
    /// Clashes of pairs beyond those that are told apart.
    others: usize,
    residues: HashMap<String, Tally>,
    chains: BTreeMap<[String; 2], Tally>,
}

#[derive(Debug, Clone, Copy)]
struct PairSummary {
    frames: usize,
    /// Of the clash with the largest overlap, with its distance and its frame.
    overlap: f64,
    distance: f64,
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

impl StructureSummary {
    pub(crate) fn add(&mut self, frame: &ClashFrameRow, run: &ClashRun) {
        let index = frame.index;
        self.counts.add(frame.clashes.len(), index, frame.work.seconds);
        let contacts = frame.contacts.as_deref().unwrap_or_default();
        for (&pair, &ContactRow { overlap, distance, .. }) in frame.clashes.iter().zip(contacts) {
            if let Some(known) = self.pairs.get_mut(&pair) {
                known.frames += 1;
                if overlap > known.overlap {
                    (known.overlap, known.distance, known.frame) = (overlap, distance, index);
                }
            } else if self.pairs.len() < MOST_PAIRS {
                let known = PairSummary { frames: 1, overlap, distance, frame: index };
                self.pairs.insert(pair, known);
            } else {
                self.others += 1;
            }
            let [Some(a), Some(b)] = pair.map(|bead| run.atoms.get(bead as usize)) else {
                continue;
            };
            let [first, second] = [a.residue(), b.residue()];
            if first != second {
                self.residues.entry(second).or_default().add(overlap);
            }
            self.residues.entry(first).or_default().add(overlap);
            let mut chains = [a.chain().to_owned(), b.chain().to_owned()];
            chains.sort();
            self.chains.entry(chains).or_default().add(overlap);
        }
    }

    pub(crate) fn text(&self, run: &ClashRun, elapsed: Option<f64>) -> String {
        let mut text = format!(
            "{} with {}, {}\n\n",
            counted(run.beads, "atom"),
            counted(run.bonds.as_ref().map_or(0, Vec::len), "bond"),
            counted(self.counts.frames, "frame")
        );
        if let Some((most, worst)) = self.counts.worst {
            let _ = writeln!(text, "{}", self.pair_table(run));
            let _ = writeln!(text, "{}", self.residue_table());
            if self.chains.len() > 1 {
                let _ = writeln!(text, "{}", self.chain_table());
            }
            let _ = write!(text, "{}Clash score, per 1 000 atoms: ", self.counts.total());
            let most = run.score(most);
            if self.counts.frames == 1 {
                let _ = writeln!(text, "{most:.2}.");
            } else {
                let mean = run.score(self.counts.clashes) / self.counts.frames as f64;
                let _ = writeln!(text, "{mean:.2} on average, {most:.2} in frame {worst}.");
            }
        } else {
            text += &self.counts.total();
        }
        text + &self.counts.speed(elapsed)
    }

    /// Every row is of one frame: that of the largest overlap.
    fn pair_table(&self, run: &ClashRun) -> Table {
        let is_single = self.counts.frames == 1;
        let mut headings = vec!["atoms", "overlap, Å", "distance, Å"];
        if !is_single {
            headings.extend(["in frame", "frames"]);
        }
        let title = match is_single {
            true => "Clashes, the deepest first",
            false => "Clashes, the most frequent first, then the deepest",
        };
        let mut table = Table::new(title, &headings);
        let mut pairs: Vec<(&[u32; 2], &PairSummary)> = self.pairs.iter().collect();
        pairs.sort_by(|(pair, a), (other, b)| {
            let frames = b.frames.cmp(&a.frames);
            frames.then(b.overlap.total_cmp(&a.overlap)).then(pair.cmp(other))
        });
        let name = |bead: u32| plain(&run.label(bead));
        for &(&[a, b], known) in pairs.iter().take(LISTED) {
            let mut cells = vec![
                format!("{} and {}", name(a), name(b)),
                format!("{:.3}", known.overlap),
                format!("{:.3}", known.distance),
            ];
            if !is_single {
                cells.push(known.frame.to_string());
                cells.push(format!("{} of {}", count(known.frames), count(self.counts.frames)));
            }
            table.row(cells);
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
