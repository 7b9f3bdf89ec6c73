//! Collects the atoms of several models and alternate locations into one structure.

use std::collections::HashMap;
use std::path::Path;

use pliant::glam::DVec3;

use super::{Atom, Structure};
use crate::scene::Warning;
use crate::{Error, Result};

/// An atom as it is in the file.
#[derive(Debug)]
pub(super) struct AtomRecord {
    pub(super) atom: Atom,
    pub(super) position: DVec3,
    /// The label of an alternate location; empty if there is only one.
    pub(super) alternate: String,
    pub(super) occupancy: f64,
    /// The line of the atom, for messages.
    pub(super) place: usize,
}

/// Collects atoms in file order, model by model.
#[derive(Debug, Default)]
pub(super) struct Gather {
    atoms: Vec<Atom>,
    models: Vec<Vec<DVec3>>,
    current: Vec<AtomRecord>,
    left_out: usize,
}

impl Gather {
    /// Adds an atom of the current model.
    pub(super) fn add(&mut self, record: AtomRecord) {
        self.current.push(record);
    }

    /// Ends the current model if it has atoms; these must be those of the first model.
    pub(super) fn end_model(&mut self, file: &Path) -> Result<()> {
        if self.current.is_empty() {
            return Ok(());
        }
        let records = self.one_location_each();
        let model = self.models.len() + 1;
        let wrong = |reason| Err(Error::malformed(file, format!("model {model}"), reason));
        if self.models.is_empty() {
            self.atoms = records.iter().map(|record| record.atom.clone()).collect();
        } else if records.len() != self.atoms.len() {
            let (has, first) = (records.len(), self.atoms.len());
            return wrong(format!("has {has} atoms, but the first model has {first}"));
        }
        for (record, atom) in records.iter().zip(&self.atoms) {
            let same = record.atom.name == atom.name
                && record.atom.residue_number == atom.residue_number
                && record.atom.chain == atom.chain;
            if !same {
                let (is, first) = (record.atom.label(), atom.label());
                let line = record.place;
                return wrong(format!("line {line} is {is}, but the first model has {first}"));
            }
        }
        self.models.push(records.into_iter().map(|record| record.position).collect());
        Ok(())
    }

    /// The current atoms with one location each: the one with the highest occupancy, the first on
    /// ties.
    fn one_location_each(&mut self) -> Vec<AtomRecord> {
        let records = std::mem::take(&mut self.current);
        let mut chosen: Vec<AtomRecord> = Vec::with_capacity(records.len());
        let mut known: HashMap<(u32, String, String), usize> = HashMap::new();
        for record in records {
            if record.alternate.is_empty() {
                chosen.push(record);
                continue;
            }
            let atom = &record.atom;
            let key = (atom.segment, atom.residue_number.clone(), atom.name.clone());
            match known.get(&key) {
                Some(&at) => {
                    self.left_out += 1;
                    if record.occupancy > chosen[at].occupancy {
                        chosen[at] = record;
                    }
                }
                None => {
                    known.insert(key, chosen.len());
                    chosen.push(record);
                }
            }
        }
        chosen
    }

    /// Returns the structure.
    pub(super) fn finish(mut self, file: &Path) -> Result<Structure> {
        self.end_model(file)?;
        if self.atoms.is_empty() {
            return Err(Error::malformed(file, "file", "has no atoms"));
        }
        let mut warnings = Vec::new();
        if self.left_out > 0 {
            let reason = format!(
                "{} alternate locations are left out; each atom keeps the one with the highest occupancy",
                self.left_out
            );
            warnings.push(Warning::new("atoms", reason));
        }
        Ok(Structure { atoms: self.atoms, models: self.models, warnings })
    }
}
