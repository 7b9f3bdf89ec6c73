//! Beads that represent atoms.

use pliant::glam::DVec3;

use super::{Atom, Structure};

/// Which atoms become beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomChoice {
    /// The alpha carbon of every residue.
    AlphaCarbons,
    /// N, CA and C of every residue.
    Backbone,
    /// Every atom.
    All,
}

/// The radius of a bead in ångströms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BeadRadius {
    /// The same for all beads.
    Fixed(f64),
    /// The van der Waals radius of the element.
    VanDerWaals,
}

/// The chosen atoms of a structure, in chains.
#[derive(Debug, Clone, PartialEq)]
pub struct Beads {
    /// The chosen atoms in ascending order.
    pub atoms: Vec<usize>,
    /// Their radii in ångströms.
    pub radii: Vec<f64>,
    /// For each chain, its first bead and the end of its beads.
    pub chains: Vec<(usize, usize)>,
    /// Beads whose element has no known radius; they have that of carbon.
    pub unknown_elements: usize,
}

/// Returns the van der Waals radius of an element in ångströms (A. Bondi 1964; hydrogen as revised
/// by Rowland and Taylor 1996), by its symbol in any case.
///
/// ```
/// assert_eq!(pliant_io::van_der_waals_radius("n"), Some(1.55));
/// assert_eq!(pliant_io::van_der_waals_radius("Xx"), None);
/// ```
#[must_use]
pub fn van_der_waals_radius(element: &str) -> Option<f64> {
    Some(match element.to_ascii_uppercase().as_str() {
        "H" | "D" => 1.10,
        "HE" => 1.40,
        "LI" => 1.82,
        "C" => 1.70,
        "N" => 1.55,
        "O" => 1.52,
        "F" => 1.47,
        "NE" => 1.54,
        "NA" => 2.27,
        "MG" => 1.73,
        "SI" => 2.10,
        "P" | "S" => 1.80,
        "CL" => 1.75,
        "AR" => 1.88,
        "K" => 2.75,
        "NI" => 1.63,
        "CU" => 1.40,
        "ZN" => 1.39,
        "AS" | "BR" => 1.85,
        "SE" => 1.90,
        "CD" => 1.58,
        "I" => 1.98,
        "XE" => 2.16,
        "PT" => 1.75,
        "AU" => 1.66,
        "HG" => 1.55,
        _ => return None,
    })
}

impl Beads {
    /// Chooses atoms; the result is empty if none match.
    #[must_use]
    pub fn choose(structure: &Structure, choice: AtomChoice, radius: BeadRadius) -> Self {
        let mut beads =
            Self { atoms: Vec::new(), radii: Vec::new(), chains: Vec::new(), unknown_elements: 0 };
        let mut last = None;
        for (number, atom) in structure.atoms.iter().enumerate() {
            if !fits(atom, choice) {
                continue;
            }
            let bead = beads.atoms.len();
            beads.atoms.push(number);
            let known = van_der_waals_radius(element(atom));
            beads.unknown_elements += usize::from(known.is_none());
            beads.radii.push(match radius {
                BeadRadius::Fixed(radius) => radius,
                BeadRadius::VanDerWaals => known.unwrap_or(CARBON),
            });
            match beads.chains.last_mut().filter(|_| last == Some(atom.segment)) {
                Some((_, end)) => *end = bead + 1,
                None => beads.chains.push((bead, bead + 1)),
            }
            last = Some(atom.segment);
        }
        beads
    }

    /// Replaces the contents of `out` by the positions of the beads, given the positions of all
    /// atoms. Atoms without a position are left out.
    pub fn positions(&self, atoms: &[DVec3], out: &mut Vec<DVec3>) {
        out.clear();
        out.extend(self.atoms.iter().filter_map(|&atom| atoms.get(atom)));
    }
}

/// The radius of carbon, for unknown elements.
const CARBON: f64 = 1.70;

fn fits(atom: &Atom, choice: AtomChoice) -> bool {
    // A calcium ion is also named CA.
    let is_carbon = || element(atom).eq_ignore_ascii_case("C");
    match choice {
        AtomChoice::AlphaCarbons => atom.name == "CA" && is_carbon(),
        AtomChoice::Backbone => match atom.name.as_str() {
            "CA" | "C" => is_carbon() && !is_small(atom),
            "N" => !is_small(atom),
            _ => false,
        },
        AtomChoice::All => true,
    }
}

/// Whether an atom belongs to a ligand or water, which has no backbone regardless of its atom
/// names.
fn is_small(atom: &Atom) -> bool {
    // Modified residues of a chain, such as selenomethionine, are also listed as ligands.
    atom.hetero && !["MSE", "SEP", "TPO", "PTR", "CSO", "HYP"].contains(&atom.residue.as_str())
}

/// The element, or else the first letter of the name.
fn element(atom: &Atom) -> &str {
    if !atom.element.is_empty() {
        return &atom.element;
    }
    let start = atom.name.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(0);
    atom.name.get(start..=start).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_pdb;

    const TEXT: &[u8] = b"\
ATOM      1  N   GLY A   1       0.000   0.000   0.000  1.00  0.00           N
ATOM      2  CA  GLY A   1       1.000   0.000   0.000  1.00  0.00           C
ATOM      3  C   GLY A   1       2.000   0.000   0.000  1.00  0.00           C
ATOM      4  O   GLY A   1       3.000   0.000   0.000  1.00  0.00           O
ATOM      5  CA  GLY B   1       4.000   0.000   0.000
TER
HETATM    6 CA    CA A   2       5.000   0.000   0.000  1.00  0.00          CA
";

    #[test]
    fn choices_radii_and_chains() {
        let structure = read_pdb(TEXT, "t.pdb".as_ref()).unwrap();
        let choose = |choice, radius| Beads::choose(&structure, choice, radius);
        let alpha = choose(AtomChoice::AlphaCarbons, BeadRadius::Fixed(1.9));
        assert_eq!((alpha.atoms, alpha.chains), (vec![1, 4], vec![(0, 1), (1, 2)]));
        assert_eq!(alpha.radii, [1.9, 1.9]);
        let backbone = choose(AtomChoice::Backbone, BeadRadius::VanDerWaals);
        assert_eq!(backbone.atoms, [0, 1, 2, 4]);
        assert_eq!(backbone.radii, [1.55, 1.70, 1.70, 1.70]);
        assert_eq!(backbone.chains, [(0, 3), (3, 4)]);
        let all = choose(AtomChoice::All, BeadRadius::VanDerWaals);
        assert_eq!((all.atoms.len(), all.unknown_elements), (6, 1));
        let mut places = Vec::new();
        all.positions(&structure.models[0], &mut places);
        assert_eq!(places, structure.models[0]);
    }
}
