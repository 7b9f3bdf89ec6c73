//! A run of `clash` as it is written and read again: what its reports are made of.
//!
//! As with `check`, reports are functions of these rows alone, so that the parts of a divided run
//! give, put together, the reports of the whole (`pliant merge`).

use pliant_io::Atom;
use serde::{Deserialize, Serialize};

use super::Chosen;
use crate::check::row::{ShardRow, WorkRow};

/// The version of the JSON of `clash`. It grows when a field changes its meaning or goes.
pub(crate) const SCHEMA: u32 = 2;

/// What a run looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClashRun {
    /// The version of the program.
    pub(crate) pliant: String,
    /// The version of this form.
    pub(crate) schema: u32,
    /// The part of a divided run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<ShardRow>,
    /// The structure, and the trajectory if there is one.
    pub(crate) files: Vec<String>,
    pub(crate) beads: usize,
    /// How many chains the beads form.
    pub(crate) chains: usize,
    pub(crate) question: QuestionRow,
    /// The names of all beads.
    pub(crate) atoms: Vec<AtomRow>,
    /// Pairs of beads that are bonded; missing if bonds do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bonds: Option<Vec<[u32; 2]>>,
}

/// What counts as a clash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum QuestionRow {
    /// Of the atoms of a structure.
    Structure {
        overlap: f64,
        hydrogen_bond: f64,
        periodic: bool,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        between: Vec<String>,
    },
    /// Of beads along chains.
    Beads {
        /// `None` for those of the elements.
        radius: Option<f64>,
        min_gap: u32,
    },
}

/// An atom's names: chain, residue, number of the residue, name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AtomRow(pub(crate) [String; 4]);

impl AtomRow {
    fn new(atom: &Atom) -> Self {
        Self([&atom.chain, &atom.residue, &atom.residue_number, &atom.name].map(Clone::clone))
    }

    /// Such as `A GLY 12 CA`.
    pub(crate) fn label(&self) -> String {
        joined(&self.0)
    }

    /// Such as `A GLY 12`.
    pub(crate) fn residue(&self) -> String {
        joined(&self.0[..3])
    }

    pub(crate) fn chain(&self) -> &str {
        &self.0[0]
    }
}

fn joined(parts: &[String]) -> String {
    let parts = parts.iter().map(String::as_str).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

/// One frame. Clashes are pairs of beads, ascending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClashFrameRow {
    pub(crate) index: usize,
    pub(crate) clashes: Vec<[u32; 2]>,
    /// For each clash of beads along chains, the sum of the radii less the distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) overlaps: Option<Vec<f64>>,
    /// For each clash of a structure what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) contacts: Option<Vec<ContactRow>>,
    /// Clashes per 1000 atoms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    pub(crate) work: WorkRow,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContactRow {
    pub(crate) atoms: [String; 2],
    pub(crate) distance: f64,
    pub(crate) overlap: f64,
}

impl ClashRun {
    /// A run over the beads of a structure.
    pub(crate) fn new(
        chosen: &Chosen,
        files: Vec<String>,
        shard: Option<ShardRow>,
        question: QuestionRow,
    ) -> Self {
        let atoms = chosen.beads.atoms.iter();
        Self {
            pliant: env!("CARGO_PKG_VERSION").into(),
            schema: SCHEMA,
            shard,
            files,
            beads: chosen.necklace.len(),
            chains: chosen.necklace.chains(),
            question,
            atoms: atoms.map(|&atom| AtomRow::new(&chosen.structure.atoms[atom])).collect(),
            bonds: None,
        }
    }

    /// What a bead is called.
    pub(crate) fn label(&self, bead: u32) -> String {
        self.atoms.get(bead as usize).map_or_else(String::new, AtomRow::label)
    }

    /// Clashes per 1000 atoms.
    pub(crate) fn score(&self, clashes: usize) -> f64 {
        1000.0 * clashes as f64 / self.beads.max(1) as f64
    }
}
