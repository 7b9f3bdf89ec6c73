//! Residues: runs of atoms that belong together.

use super::Atom;
use super::templates::Template;

/// What a residue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResidueClass {
    Protein,
    Nucleic,
    Water,
    /// A ligand, an ion, or atoms without residues.
    Other,
}

/// A run of atoms.
#[derive(Debug, Clone)]
pub(super) struct Residue {
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) class: ResidueClass,
    pub(super) template: Option<Template>,
}

impl Residue {
    /// Its atom with this name.
    pub(super) fn atom(&self, atoms: &[Atom], name: &str) -> Option<usize> {
        (self.first..self.end).find(|&atom| atoms[atom].name == name)
    }
}

/// Names of water in files of the PDB and of simulation programs.
const WATER: [&str; 14] = [
    "HOH", "WAT", "H2O", "DOD", "SOL", "TIP", "TIP3", "TIP4", "TIP5", "TP3", "TP4", "SPC", "SPCE",
    "T3P",
];

/// The residues of a structure, in file order.
///
/// A residue ends where its name, number or chain changes, and where an atom's name comes again:
/// waters that share a number are still separate. Atoms without a residue's name, as in XYZ files,
/// are one residue per chain.
pub(super) fn residues(atoms: &[Atom]) -> Vec<Residue> {
    let mut found: Vec<Residue> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for (number, atom) in atoms.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &atoms[before]);
        let is_nameless = atom.residue.is_empty();
        let goes_on = before.is_some_and(|before| {
            let same = before.segment == atom.segment && before.residue == atom.residue;
            same && (is_nameless || before.residue_number == atom.residue_number)
        });
        let goes_on = goes_on && (is_nameless || !names.contains(&atom.name.as_str()));
        match found.last_mut().filter(|_| goes_on) {
            Some(residue) => residue.end = number + 1,
            None => {
                names.clear();
                let (class, template) = (ResidueClass::Other, Template::of_residue(&atom.residue));
                found.push(Residue { first: number, end: number + 1, class, template });
            }
        }
        if !is_nameless {
            names.push(&atom.name);
        }
        // A long list would be searched again and again; no residue has so many atoms.
        if names.len() > 1000 {
            names.clear();
        }
    }
    for residue in &mut found {
        residue.class = class(atoms, residue);
    }
    found
}

fn class(atoms: &[Atom], residue: &Residue) -> ResidueClass {
    if let Some(template) = &residue.template {
        return template.class;
    }
    let name = atoms[residue.first].residue.to_ascii_uppercase();
    let has = |names: &[&str]| names.iter().all(|name| residue.atom(atoms, name).is_some());
    if WATER.contains(&name.as_str()) {
        ResidueClass::Water
    } else if name.is_empty() || residue.end - residue.first > 1000 {
        ResidueClass::Other
    } else if has(&["N", "CA", "C", "O"]) {
        // A modified amino acid.
        ResidueClass::Protein
    } else if has(&["P", "O5'", "C5'", "C3'"]) {
        ResidueClass::Nucleic
    } else {
        ResidueClass::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(name: &str, residue: &str, number: &str) -> Atom {
        Atom {
            name: name.into(),
            residue: residue.into(),
            residue_number: number.into(),
            chain: "A".into(),
            element: String::new(),
            hetero: false,
            segment: 0,
        }
    }

    #[test]
    fn waters_that_share_a_number_are_separate() {
        let atoms = [
            atom("CA", "GLY", "1"),
            atom("CA", "GLY", "1A"),
            atom("O", "HOH", "2"),
            atom("O", "HOH", "2"),
            atom("H1", "HOH", "2"),
            atom("NA", "NA", "3"),
        ];
        let found = residues(&atoms);
        let ranges: Vec<_> = found.iter().map(|residue| (residue.first, residue.end)).collect();
        assert_eq!(ranges, [(0, 1), (1, 2), (2, 3), (3, 5), (5, 6)]);
        let classes: Vec<_> = found.iter().map(|residue| residue.class).collect();
        use ResidueClass::{Other, Protein, Water};
        assert_eq!(classes, [Protein, Protein, Water, Water, Other]);
        let rope = [atom("C", "", "1"), atom("C", "", "2"), atom("C", "", "3")];
        assert_eq!(residues(&rope).len(), 1);
    }
}
