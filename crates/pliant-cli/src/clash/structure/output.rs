//! Every clash of every frame, as JSON and as CSV, written as frames come.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::Question;
use super::frames::StructureFrame;
use crate::clash::output::WorkRow;
use crate::write::{Output, csv_field, json_for_terminals};

#[derive(Serialize)]
struct Head<'a> {
    pliant: &'a str,
    beads: usize,
    question: QuestionRow,
    bonds: Vec<[u32; 2]>,
}

#[derive(Serialize)]
struct QuestionRow {
    overlap: f64,
    hydrogen_bond: f64,
    periodic: bool,
}

#[derive(Serialize)]
struct FrameRow<'a> {
    index: usize,
    clashes: &'a [[u32; 2]],
    contacts: Vec<ContactRow>,
    score: f64,
    work: WorkRow,
}

#[derive(Serialize)]
struct ContactRow {
    atoms: [String; 2],
    distance: f64,
    overlap: f64,
}

/// Clashes per 1000 atoms.
pub(super) fn score(clashes: usize, question: &Question) -> f64 {
    1000.0 * clashes as f64 / question.search.atoms().len().max(1) as f64
}

pub(super) struct JsonReport {
    out: Output,
    /// What stands before the next frame.
    before: String,
}

impl JsonReport {
    pub(super) fn create(file: &Path, question: &Question) -> Result<Self> {
        let atoms = question.search.atoms();
        let bead = |atom: u32| atoms.binary_search(&atom).ok().map(|bead| bead as u32);
        let bonds = question.search.bonds().pairs().iter();
        let bonds = bonds.filter_map(|&[a, b]| Some([bead(a)?, bead(b)?])).collect();
        let settings = &question.settings;
        let head = Head {
            pliant: env!("CARGO_PKG_VERSION"),
            beads: atoms.len(),
            question: QuestionRow {
                overlap: settings.overlap,
                hydrogen_bond: settings.hydrogen_bond,
                periodic: settings.is_periodic,
            },
            bonds,
        };
        let mut before = serde_json::to_string(&head)?;
        before.pop();
        before += ",\"frames\":[";
        let mut out = Output::create(file)?;
        out.write(|out| out.write_all(before.as_bytes()))?;
        Ok(Self { out, before: String::new() })
    }

    pub(super) fn add(&mut self, found: &StructureFrame, question: &Question) -> Result<()> {
        let name = |atom: u32| question.chosen.structure.atoms[atom as usize].label();
        let contacts = found.clashes.iter().map(|clash| ContactRow {
            atoms: clash.atoms.map(name),
            distance: clash.distance,
            overlap: clash.overlap,
        });
        let row = FrameRow {
            index: found.frame.index,
            clashes: &found.frame.found.pairs,
            contacts: contacts.collect(),
            score: score(found.clashes.len(), question),
            work: WorkRow::new(&found.frame),
        };
        let before = std::mem::replace(&mut self.before, ",".into());
        let row = json_for_terminals(serde_json::to_string(&row)?);
        self.out.write(|out| write!(out, "{before}{row}"))
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.out.write(|out| writeln!(out, "]}}"))?;
        self.out.finish()
    }
}

/// A line per clash.
pub(super) struct CsvReport {
    out: Output,
}

impl CsvReport {
    pub(super) fn create(file: &Path) -> Result<Self> {
        let mut out = Output::create(file)?;
        let head = "frame,chain_1,residue_1,number_1,atom_1,chain_2,residue_2,number_2,atom_2,\
                    distance,overlap";
        out.write(|out| writeln!(out, "{head}"))?;
        Ok(Self { out })
    }

    pub(super) fn add(&mut self, found: &StructureFrame, question: &Question) -> Result<()> {
        let atoms = &question.chosen.structure.atoms;
        self.out.write(|out| {
            for clash in &found.clashes {
                write!(out, "{}", found.frame.index)?;
                for atom in clash.atoms.map(|atom| &atoms[atom as usize]) {
                    for field in [&atom.chain, &atom.residue, &atom.residue_number, &atom.name] {
                        write!(out, ",{}", csv_field(field))?;
                    }
                }
                writeln!(out, ",{:.4},{:.4}", clash.distance, clash.overlap)?;
            }
            Ok(())
        })
    }

    pub(super) fn finish(self) -> Result<()> {
        self.out.finish()
    }
}
