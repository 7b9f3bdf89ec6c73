//! PDB: atoms in fixed columns.

use std::path::Path;

use pliant::glam::DVec3;

use super::gather::{AtomRecord, BondEnd, Gather};
use super::{Atom, Cell, Structure};
use crate::text_lines::{numbered_lines, parse, quoted};
use crate::{Error, Result};

/// Reads a PDB file: the records ATOM, HETATM, TER, MODEL and ENDMDL, the bonds of CONECT, LINK
/// and SSBOND, and the cell of CRYST1.
///
/// A chain ends at TER and where the chain's name changes. A bond to a symmetry mate is no bond
/// within the file, and is left out; so is a bond whose atoms are not there or not unique. A cell
/// whose edges are all 1 Å stands for none, as the format has it.
///
/// # Errors
/// [`Error::Malformed`] with the line: a record that is too short, a coordinate that is not a
/// finite number, a model with other atoms than the first, no atoms.
///
/// ```
/// let text = b"ATOM      1  CA  GLY A   7       1.000   2.000   3.000  1.00  0.00           C\n";
/// let structure = pliant_io::read_pdb(text, "g.pdb".as_ref())?;
/// assert_eq!(structure.atoms[0].label(), "A GLY 7 CA");
/// assert_eq!(structure.models[0][0].to_array(), [1.0, 2.0, 3.0]);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_pdb(bytes: &[u8], file: &Path) -> Result<Structure> {
    let mut gather = Gather::default();
    let mut chains = Chains::default();
    for (number, line) in numbered_lines(bytes, 1) {
        let hetero = line.starts_with(b"HETATM");
        if hetero || line.starts_with(b"ATOM  ") {
            gather.add(record(line, number, hetero, &mut chains, file)?);
        } else if line.starts_with(b"TER") {
            chains.end();
        } else if let Some([a, b]) = link(line) {
            gather.bond(a, b);
        } else if line.starts_with(b"CONECT") {
            let serial = |first| BondEnd::Serial(text(line, first, first + 4));
            for other in
                [12, 17, 22, 27].into_iter().filter(|&at| !columns(line, at, at + 4).is_empty())
            {
                gather.bond(serial(7), serial(other));
            }
        } else if line.starts_with(b"CRYST1") {
            gather.cell = cell(line);
        } else if line.starts_with(b"ENDMDL") || line.starts_with(b"MODEL ") {
            gather.end_model(file)?;
            chains = Chains::default();
        }
    }
    gather.finish(file)
}

/// Counts the chains of a model.
#[derive(Debug, Default)]
pub(super) struct Chains {
    last: Option<Vec<u8>>,
    number: u32,
}

impl Chains {
    /// The number of the chain of the next atom.
    pub(super) fn of(&mut self, chain: &[u8]) -> u32 {
        if self.last.as_ref().is_some_and(|last| last != chain) {
            self.end();
        }
        if self.last.is_none() {
            self.last = Some(chain.to_vec());
        }
        self.number
    }

    /// Ends the current chain.
    pub(super) fn end(&mut self) {
        if self.last.take().is_some() {
            self.number += 1;
        }
    }
}

/// The columns of a line from `first` to `last`, which the format numbers from 1, without the
/// whitespace around them.
fn columns(line: &[u8], first: usize, last: usize) -> &[u8] {
    line.get(first - 1..last.min(line.len())).unwrap_or_default().trim_ascii()
}

fn text(line: &[u8], first: usize, last: usize) -> String {
    String::from_utf8_lossy(columns(line, first, last)).into_owned()
}

/// The atoms of a LINK or SSBOND record within the file.
fn link(line: &[u8]) -> Option<[BondEnd; 2]> {
    let site = |chain, number, name: String| {
        BondEnd::Site([text(line, chain, chain), text(line, number, number + 4), name])
    };
    // The two symmetry operators differ if the bond leads to another copy of the molecule.
    if columns(line, 60, 65) != columns(line, 67, 72) {
        return None;
    }
    if line.starts_with(b"LINK  ") {
        Some([site(22, 23, text(line, 13, 16)), site(52, 53, text(line, 43, 46))])
    } else if line.starts_with(b"SSBOND") {
        Some([site(16, 18, "SG".into()), site(30, 32, "SG".into())])
    } else {
        None
    }
}

/// The cell of a CRYST1 record; `None` if it has no numbers, or those of a structure without cell.
fn cell(line: &[u8]) -> Option<Cell> {
    let number = |first, last| parse::<f64>(columns(line, first, last));
    let lengths = [number(7, 15)?, number(16, 24)?, number(25, 33)?];
    let angles = [number(34, 40)?, number(41, 47)?, number(48, 54)?];
    Cell::from_angles(lengths, angles).filter(|_| lengths != [1.0; 3])
}

fn record(
    line: &[u8],
    number: usize,
    hetero: bool,
    chains: &mut Chains,
    file: &Path,
) -> Result<AtomRecord> {
    let wrong = |reason: String| Error::malformed(file, format!("line {number}"), reason);
    if line.len() < 54 {
        return Err(wrong(format!("an atom needs 54 columns, but there are {}", line.len())));
    }
    let coordinate = |axis: &str, first: usize| -> Result<f64> {
        let word = columns(line, first, first + 7);
        let value = parse::<f64>(word).filter(|value| value.is_finite());
        value.ok_or_else(|| wrong(format!("{axis} is not a number: {}", quoted(word))))
    };
    let position = DVec3::new(coordinate("x", 31)?, coordinate("y", 39)?, coordinate("z", 47)?);
    let text = |first, last| text(line, first, last);
    let chain = text(22, 22);
    let segment = chains.of(chain.as_bytes());
    let atom = Atom {
        name: text(13, 16),
        residue: text(18, 20),
        residue_number: text(23, 27),
        chain,
        element: text(77, 78),
        hetero,
        segment,
    };
    let occupancy = parse(columns(line, 55, 60)).unwrap_or(1.0);
    let (alternate, serial) = (text(17, 17), text(7, 11));
    Ok(AtomRecord { atom, position, alternate, occupancy, serial, place: number })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Structure> {
        read_pdb(text.as_bytes(), Path::new("t.pdb"))
    }

    const TWO: &str = "\
MODEL        1\r
ATOM      1  CA AGLY A   7       1.000   2.000   3.000  0.40  0.00           C\r
ATOM      1  CA BGLY A   7       1.500   2.000   3.000  0.60  0.00           C\r
TER\r
ATOM      2  CA  GLY A   8       4.000   5.000   6.000\r
HETATM    3  O   HOH A   9       7.000   8.000   9.000  1.00  0.00           O\r
ENDMDL\r
MODEL        2\r
ATOM      1  CA AGLY A   7      -1.000   2.000   3.000  0.40  0.00           C\r
ATOM      1  CA BGLY A   7      -1.500   2.000   3.000  0.40  0.00           C\r
TER\r
ATOM      2  CA  GLY A   8       4.000   5.000   6.000\r
HETATM    3  O   HOH A   9       7.000   8.000   9.000  1.00  0.00           O";

    #[test]
    fn models_chains_and_alternate_locations() {
        let structure = read(TWO).unwrap();
        assert_eq!(structure.models.len(), 2);
        let segments: Vec<u32> = structure.atoms.iter().map(|atom| atom.segment).collect();
        assert_eq!(segments, [0, 1, 1]);
        assert_eq!(structure.models[0][0].x, 1.5, "the more occupied");
        assert_eq!(structure.models[1][0].x, -1.0, "the first letter of equals");
        assert!(structure.warnings[0].reason.starts_with("2 alternate locations"));
        assert!(structure.atoms[2].hetero && structure.atoms[1].element.is_empty());
    }

    #[test]
    fn errors_name_the_line_or_model() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(message("HEADER"), "t.pdb: file: has no atoms");
        assert_eq!(
            message("\nATOM      1  CA  GLY A   7       1.000"),
            "t.pdb: line 2: an atom needs 54 columns, but there are 38"
        );
        assert_eq!(
            message("ATOM      1  CA  GLY A   7       1.000   x.000   3.000"),
            "t.pdb: line 1: y is not a number: `x.000`"
        );
        assert_eq!(
            message("ATOM      1  CA  GLY A   7       1.000     nan   3.000"),
            "t.pdb: line 1: y is not a number: `nan`"
        );
        let shorter = TWO.lines().take(12).collect::<Vec<_>>().join("\n");
        assert_eq!(message(&shorter), "t.pdb: model 2: has 2 atoms, but the first model has 3");
        let other = TWO.replacen("A   7      -1.000", "A   6      -1.000", 1);
        assert!(message(&other).contains("model 2: has 4 atoms"), "{}", message(&other));
    }

    /// Two cysteines, a zinc, and a serine that is a threonine in part.
    const BONDED: &str = "\
CRYST1   50.840   42.770   28.950  90.00 100.00  90.00 P 1 21 1
SSBOND   1 CYS A    1    CYS A    2                          1555   1555  2.03
SSBOND   2 CYS A    1    CYS A    1                          1555   2555  2.03
LINK        ZN    ZN B   3                 SG  CYS A   2     1555   1555  2.33
LINK        ZN    ZN B   4                 SG  CYS A   2     1555   1555  2.33
ATOM      1  SG  CYS A   1       0.000   0.000   0.000  1.00  0.00           S
ATOM      2  SG  CYS A   2       2.000   0.000   0.000  1.00  0.00           S
ATOM      3  OG ASER A   5       9.000   0.000   0.000  0.50  0.00           O
ATOM      4  CG2BTHR A   5       9.000   1.000   0.000  0.50  0.00           C
HETATM    5 ZN    ZN B   3       4.000   0.000   0.000  1.00  0.00          ZN
CONECT    5    1    3
CONECT    5    4   77
";

    #[test]
    fn bonds_cells_and_mixed_residues() {
        let structure = read(BONDED).unwrap();
        let names: Vec<&str> = structure.atoms.iter().map(|atom| atom.name.as_str()).collect();
        assert_eq!(names, ["SG", "SG", "OG", "ZN"]);
        assert_eq!(structure.bonds, [[0, 1], [0, 3], [1, 3], [2, 3]]);
        let [a, _, c] = structure.cell.unwrap().edges();
        assert_eq!(a.x, 50.84);
        assert!((c.x - 28.95 * 100.0_f64.to_radians().cos()).abs() < 1e-12);
        let none = BONDED.replace("50.840   42.770   28.950", " 1.000    1.000    1.000");
        assert_eq!(read(&none).unwrap().cell, None);
    }
}
