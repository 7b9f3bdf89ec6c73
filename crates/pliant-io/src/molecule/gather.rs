//! Collects the atoms of several models and alternate locations into one structure.

use std::collections::HashMap;
use std::path::Path;

use pliant::glam::DVec3;

use super::cell::Cell;
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
    /// The number by which bonds of the file name it, as written; empty if the file has none.
    pub(super) serial: String,
    /// The line of the atom, for messages.
    pub(super) place: usize,
}

/// How a bond of the file names an atom.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum BondEnd {
    /// By its number, as written.
    Serial(String),
    /// By chain, residue number with insertion code, and name.
    Site([String; 3]),
}

/// Collects atoms in file order, model by model.
#[derive(Debug, Default)]
pub(super) struct Gather {
    atoms: Vec<Atom>,
    serials: Vec<String>,
    models: Vec<Vec<DVec3>>,
    current: Vec<AtomRecord>,
    bonds: Vec<[BondEnd; 2]>,
    /// The periodic cell, if the file has one.
    pub(super) cell: Option<Cell>,
    left_out: usize,
}

impl Gather {
    /// Adds an atom of the current model.
    pub(super) fn add(&mut self, record: AtomRecord) {
        self.current.push(record);
    }

    /// Adds a bond that the file lists. Its atoms may come later, or be left out.
    pub(super) fn bond(&mut self, a: BondEnd, b: BondEnd) {
        self.bonds.push([a, b]);
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
            self.serials = records.iter().map(|record| record.serial.clone()).collect();
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

    /// The current atoms with one location each.
    ///
    /// A residue keeps the alternate with the highest occupancy, the first letter on ties. An atom
    /// without that alternate keeps its own best one, unless it belongs to another kind of residue
    /// at the same place.
    fn one_location_each(&mut self) -> Vec<AtomRecord> {
        let records = std::mem::take(&mut self.current);
        let better = |new: &AtomRecord, old: &AtomRecord| {
            let by_letter = new.alternate < old.alternate;
            new.occupancy > old.occupancy || (new.occupancy == old.occupancy && by_letter)
        };
        let residue = |atom: &Atom| (atom.segment, atom.residue_number.clone());
        let mut best: HashMap<(u32, String), usize> = HashMap::new();
        for (number, record) in records.iter().enumerate() {
            if !record.alternate.is_empty() {
                let chosen = best.entry(residue(&record.atom)).or_insert(number);
                if better(record, &records[*chosen]) {
                    *chosen = number;
                }
            }
        }
        let best: HashMap<(u32, String), [String; 2]> = best
            .into_iter()
            .map(|(key, at)| {
                (key, [records[at].alternate.clone(), records[at].atom.residue.clone()])
            })
            .collect();
        let mut chosen: Vec<AtomRecord> = Vec::with_capacity(records.len());
        let mut known: HashMap<(u32, String, String), usize> = HashMap::new();
        for record in records {
            let key = residue(&record.atom);
            let (false, Some([letter, name])) = (record.alternate.is_empty(), best.get(&key))
            else {
                chosen.push(record);
                continue;
            };
            if record.atom.residue != *name {
                self.left_out += 1;
                continue;
            }
            match known.entry((key.0, key.1, record.atom.name.clone())) {
                std::collections::hash_map::Entry::Occupied(at) => {
                    self.left_out += 1;
                    let old = &mut chosen[*at.get()];
                    let wins = record.alternate == *letter && old.alternate != *letter;
                    if wins || (old.alternate != *letter && better(&record, old)) {
                        *old = record;
                    }
                }
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(chosen.len());
                    chosen.push(record);
                }
            }
        }
        chosen
    }

    /// The listed bonds between atoms that are there, as ascending pairs, each once. A number or
    /// place that several atoms share names none of them.
    fn listed_bonds(&self) -> Vec<[u32; 2]> {
        if self.bonds.is_empty() {
            return Vec::new();
        }
        let mut known: HashMap<BondEnd, Option<u32>> = HashMap::new();
        for (number, (atom, serial)) in (0_u32..).zip(self.atoms.iter().zip(&self.serials)) {
            let site = [atom.chain.clone(), atom.residue_number.clone(), atom.name.clone()];
            for end in [BondEnd::Serial(serial.clone()), BondEnd::Site(site)] {
                known.entry(end).and_modify(|atom| *atom = None).or_insert(Some(number));
            }
        }
        let find = |end: &BondEnd| known.get(end).copied().flatten();
        let pair = |[a, b]: &[BondEnd; 2]| {
            let (a, b) = (find(a)?, find(b)?);
            (a != b).then_some([a.min(b), a.max(b)])
        };
        let mut bonds: Vec<[u32; 2]> = self.bonds.iter().filter_map(pair).collect();
        bonds.sort_unstable();
        bonds.dedup();
        bonds
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
                "{} alternate locations are left out; each residue keeps the one with the highest occupancy",
                self.left_out
            );
            warnings.push(Warning::new("atoms", reason));
        }
        let bonds = self.listed_bonds();
        Ok(Structure { atoms: self.atoms, models: self.models, bonds, cell: self.cell, warnings })
    }
}
