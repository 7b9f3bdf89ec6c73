//! What a sweep found, for people.

use std::collections::BTreeMap;

use super::step::Stepped;
use crate::check::gate::who;
use crate::check::row::RunRow;
use crate::number::short;

/// Pairs of objects that are listed, at the most.
const LISTED: usize = 20;

/// What was found so far. Grows with pairs of objects, not with steps.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) steps: usize,
    with_contact: usize,
    uncertain: usize,
    seconds: f64,
    pairs: BTreeMap<[u32; 2], PairSummary>,
}

/// Two objects that touch, or one with itself.
#[derive(Debug, Default)]
struct PairSummary {
    steps: usize,
    contacts: usize,
    /// The first step: its ends, and when within it.
    first: Option<([f64; 2], f64)>,
}

impl Summary {
    /// Takes in the next step.
    pub(super) fn add(&mut self, stepped: &Stepped) {
        let (row, frame) = (&stepped.row, &stepped.frame);
        self.steps += 1;
        self.with_contact += usize::from(!frame.contacts.is_empty());
        self.uncertain += row.contacts.iter().filter(|one| !one.certain).count();
        self.seconds += row.work.seconds;
        for contact in &frame.contacts {
            let pair = self.pairs.entry(contact.objects).or_default();
            pair.steps += 1;
            pair.contacts += contact.pairs;
            if pair.first.is_none() {
                let [a, b] = contact.objects;
                let pierced = row.pierced.iter().any(|pair| [pair[0], pair[2]] == [a, b]);
                let own = row.contacts.iter().filter(|one| one.objects() == contact.objects);
                let time = own.map(|one| one.toi[0]).fold(f64::INFINITY, f64::min);
                pair.first = Some(([row.from, row.to], if pierced { 0.0 } else { time }));
            }
        }
    }

    pub(super) fn text(&self, run: &RunRow) -> String {
        let mut text = format!(
            "{} steps, {} with contact, {} s\n",
            self.steps,
            self.with_contact,
            short(self.seconds)
        );
        if self.pairs.is_empty() {
            text += "No contacts, neither in a frame nor between two.\n";
        }
        for (objects, pair) in self.pairs.iter().take(LISTED) {
            let Some(([from, to], time)) = pair.first else { continue };
            text += &format!(
                "{}: {} contacts in {} steps, first {} of the way from {} s to {} s\n",
                who(run, *objects),
                pair.contacts,
                pair.steps,
                short(time),
                short(from),
                short(to)
            );
        }
        if self.pairs.len() > LISTED {
            text += &format!(
                "and {} more pairs of objects: --json lists all\n",
                self.pairs.len() - LISTED
            );
        }
        if self.uncertain > 0 {
            text += &format!(
                "{} contacts are not certain: along their paths they come within a distance (--within)\n",
                self.uncertain
            );
        }
        text
    }
}
