//! Molecules: atoms from PDB, mmCIF, GRO and XYZ files, their motion from DCD, XTC and TRR files,
//! their bonds and clashes, and the beads that represent them.

mod beads;
mod bonds;
mod cell;
mod clashes;
mod dcd;
mod elements;
mod exclusions;
mod gather;
mod gro;
mod hydrogen_bonds;
mod mmcif;
mod mmcif_items;
mod near_pairs;
mod pdb;
mod residues;
mod selection;
mod templates;
mod trajectory;
mod trr;
mod xtc;
mod xyz;

use std::path::Path;

use pliant::glam::DVec3;

pub use beads::{AtomChoice, BeadRadius, Beads, van_der_waals_radius};
pub use bonds::Bonds;
pub use cell::Cell;
pub use clashes::{Clash, ClashSearch, ClashSettings, FrameClashes};
pub use gro::read_gro;
pub use mmcif::read_mmcif;
pub use pdb::read_pdb;
pub use selection::{Selection, SelectionError};
pub use trajectory::Trajectory;
pub use xyz::read_xyz;

use crate::file::{extension, unknown_extension};
use crate::scene::Warning;
use crate::{Result, read_file};

/// Extensions of structure files.
pub const STRUCTURE_EXTENSIONS: [&str; 6] = ["pdb", "ent", "cif", "mmcif", "gro", "xyz"];

/// Extensions of trajectory files.
pub const TRAJECTORY_EXTENSIONS: [&str; 3] = ["dcd", "xtc", "trr"];

/// One atom of a structure, without its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// Its name in its residue, such as `CA`.
    pub name: String,
    /// The residue's name, such as `GLY`; empty in XYZ files.
    pub residue: String,
    /// The residue's number in its chain, with the insertion code if it has one.
    pub residue_number: String,
    /// The chain's name; a chain also ends where the file ends it explicitly.
    pub chain: String,
    /// The element's symbol as written, such as `C` or `FE`; empty if the file does not have it.
    pub element: String,
    /// Whether it belongs to a ligand, an ion or water, and not to a chain.
    pub hetero: bool,
    /// The number of its chain, counted through the file.
    pub segment: u32,
}

impl Atom {
    /// A label for messages and lists, such as `A GLY 12 CA`.
    #[must_use]
    pub fn label(&self) -> String {
        let parts = [&self.chain, &self.residue, &self.residue_number, &self.name];
        let parts: Vec<&str> = parts.into_iter().map(String::as_str).collect();
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Atoms and their positions in each model, in ångströms.
///
/// Of the alternate locations of a residue, the one with the highest occupancy is kept, the first
/// letter on ties. A warning states how many were left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Structure {
    /// The atoms that every model has.
    pub atoms: Vec<Atom>,
    /// One position per atom, for each model; at least one model.
    pub models: Vec<Vec<DVec3>>,
    /// The bonds that the file lists, as ascending pairs of atoms. Most files list few of them.
    pub bonds: Vec<[u32; 2]>,
    /// The periodic cell, if the file has one.
    pub cell: Option<Cell>,
    /// Warnings about what was left out.
    pub warnings: Vec<Warning>,
}

/// Reads a structure by its extension: PDB (`pdb`, `ent`), mmCIF (`cif`, `mmcif`), GRO, XYZ; each
/// may be compressed with gzip.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io), [`Error::Unsupported`](crate::Error::Unsupported) for another extension, and the errors of [`read_pdb`],
/// [`read_mmcif`], [`read_gro`] and [`read_xyz`].
pub fn read_structure(path: impl AsRef<Path>) -> Result<Structure> {
    let path = path.as_ref();
    let read = match extension(path).as_str() {
        "pdb" | "ent" => read_pdb,
        "cif" | "mmcif" => read_mmcif,
        "gro" => read_gro,
        "xyz" => read_xyz,
        _ => return Err(unknown_extension(path, &STRUCTURE_EXTENSIONS)),
    };
    read(&read_file(path)?, path)
}
