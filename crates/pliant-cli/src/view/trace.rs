//! Residues and backbones of beads, for the page.

use glam::DVec3;
use pliant_io::Atom;

use crate::clash::Chosen;

/// Alpha carbons of neighbouring residues are 3.8 Å apart, or 2.9 Å if the bond is cis. Farther
/// than this, residues between them are missing.
const ALPHA_CARBONS: f64 = 4.5;

/// Phosphorus atoms of neighbouring nucleotides are 5 to 7.5 Å apart.
const PHOSPHORUS: f64 = 8.5;

/// For each bead the number of its residue, counted in the order of beads.
pub(super) fn residues(chosen: &Chosen) -> Vec<u32> {
    let atoms = chosen.beads.atoms.iter().map(|&atom| &chosen.structure.atoms[atom]);
    let mut last: Option<&Atom> = None;
    let mut number = 0;
    let mut numbers = Vec::with_capacity(chosen.beads.atoms.len());
    for atom in atoms {
        number += u32::from(last.is_some_and(|last| !is_one_residue(last, atom)));
        numbers.push(number);
        last = Some(atom);
    }
    numbers
}

fn is_one_residue(a: &Atom, b: &Atom) -> bool {
    a.segment == b.segment
        && a.residue_number == b.residue_number
        && a.residue == b.residue
        && a.chain == b.chain
}

/// Pairs of beads that follow each other along a backbone: alpha carbons of proteins, phosphorus
/// atoms of nucleic acids. A backbone ends where the first frame has a gap.
pub(super) fn trace(chosen: &Chosen) -> Vec<[u32; 2]> {
    let positions = chosen.structure.models.first().map_or(&[][..], Vec::as_slice);
    let mut last: Option<(u32, &Atom, DVec3)> = None;
    let mut links = Vec::new();
    for (bead, &number) in (0_u32..).zip(&chosen.beads.atoms) {
        let atom = &chosen.structure.atoms[number];
        let (Some(reach), Some(&here)) = (reach(atom), positions.get(number)) else { continue };
        if let Some((before, known, there)) = last
            && known.segment == atom.segment
            && known.chain == atom.chain
            && known.name == atom.name
            && !is_one_residue(known, atom)
            && here.distance(there) <= reach
        {
            links.push([before, bead]);
        }
        last = Some((bead, atom, here));
    }
    links
}

/// How far the next atom of a backbone may be; `None` for atoms that do not trace one. A calcium
/// ion is also named CA.
fn reach(atom: &Atom) -> Option<f64> {
    let is = |element: &str| atom.element.is_empty() || atom.element.eq_ignore_ascii_case(element);
    match atom.name.as_str() {
        "CA" if is("C") => Some(ALPHA_CARBONS),
        "P" if is("P") => Some(PHOSPHORUS),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pliant_io::{AtomChoice, BeadRadius, read_pdb};

    use super::*;

    /// Two residues, a gap, one more; two waters and a calcium ion, which are no backbone.
    const MOLECULE: &str = "\
ATOM      1  N   GLY A   1       0.000   1.000   0.000  1.00  0.00           N
ATOM      2  CA  GLY A   1       0.000   0.000   0.000  1.00  0.00           C
ATOM      3  CA  ALA A   2       3.800   0.000   0.000  1.00  0.00           C
ATOM      4  CA  ALA A   9      30.000   0.000   0.000  1.00  0.00           C
TER
HETATM    5  O   HOH A 101       5.000   5.000   0.000  1.00  0.00           O
HETATM    6  O   HOH A 102       7.000   5.000   0.000  1.00  0.00           O
HETATM    7 CA    CA A 103       9.000   5.000   0.000  1.00  0.00          CA
END
";

    #[test]
    fn backbones_end_at_gaps_and_waters_have_none() {
        let structure = read_pdb(MOLECULE.as_bytes(), "molecule.pdb".as_ref()).unwrap();
        let chosen = Chosen::new(structure, AtomChoice::All, BeadRadius::Fixed(1.0)).unwrap();
        assert_eq!(trace(&chosen), [[1, 2]]);
        assert_eq!(residues(&chosen), [0, 0, 1, 2, 3, 4, 5]);
    }
}
