//! The bonds of a structure: listed by the file, known by the residue's name, or found by distance.

use std::ops::ControlFlow;

use pliant::glam::DVec3;

use super::elements::{Element, covalent_radius, element};
use super::near_pairs::for_each_near;
use super::residues::{Residue, ResidueClass, residues};
use super::templates::template_name;
use super::{Cell, Structure};
use crate::{Error, Result};

/// By how much a bond may be longer than the sum of the covalent radii, in ångströms: the usual
/// tolerance of programs that find bonds by distance.
const TOLERANCE: f64 = 0.4;

/// Two atoms nearer than this share of the sum of their covalent radii lie in each other, and are
/// not bonded.
const SHORTEST: f64 = 0.5;

/// Pairs within the reach of a bond, per atom, that are looked at. Atoms of molecules have about
/// twenty; more means that many atoms are at one place.
const MOST_NEAR_PAIRS: usize = 2000;

/// The bonds of a structure, and what was found on the way.
#[derive(Debug, Clone)]
pub struct Bonds {
    pairs: Vec<[u32; 2]>,
    /// The bonds of each atom in `others`, and the end of the last.
    starts: Vec<u32>,
    others: Vec<u32>,
    pub(super) residues: Vec<Residue>,
    /// The residue of each atom.
    pub(super) residue_of: Vec<u32>,
    pub(super) elements: Vec<Option<Element>>,
}

impl Bonds {
    /// Finds the bonds of a structure in its first model.
    ///
    /// - Bonds that the file lists always count.
    /// - Heavy atoms of amino acids and nucleotides are bonded as the residue's name says.
    /// - A hydrogen is bonded to the nearest heavy atom of its residue within a bond's length.
    /// - Successive amino acids of a chain are bonded from C to N, nucleotides from O3' to P, if
    ///   these are within a bond's length. So are two SG of cysteines, unless the file lists bonds
    ///   between others.
    /// - Other atoms of one residue, of which not both have listed bonds in it, are bonded if they
    ///   are within a bond's length.
    /// - Nothing else is: waters, ions and separate molecules are no neighbours, however near they
    ///   are and in whatever order they stand in the file.
    ///
    /// A bond's length is at most the sum of the covalent radii (Cordero and others 2008) and 0.4 Å.
    /// With a `cell`, distances are those of the nearest images.
    ///
    /// # Errors
    /// [`Error::Atoms`] if so many atoms are at one place that distances say nothing, or the cell is
    /// smaller than a bond.
    ///
    /// ```
    /// let text = b"3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n";
    /// let water = pliant_io::read_xyz(text, "w.xyz".as_ref())?;
    /// let bonds = pliant_io::Bonds::find(&water, None)?;
    /// assert_eq!(bonds.pairs(), [[0, 1], [0, 2]]);
    /// # Ok::<(), pliant_io::Error>(())
    /// ```
    pub fn find(structure: &Structure, cell: Option<&Cell>) -> Result<Self> {
        let atoms = &structure.atoms;
        let residues = residues(atoms);
        let mut residue_of = vec![0_u32; atoms.len()];
        for (number, residue) in (0_u32..).zip(&residues) {
            residue_of[residue.first..residue.end].fill(number);
        }
        let class = |atom: usize| residues[residue_of[atom] as usize].class;
        let elements = (0..atoms.len()).map(|atom| element(&atoms[atom], class(atom))).collect();
        let (pairs, starts, others) = (structure.bonds.clone(), Vec::new(), Vec::new());
        let mut bonds = Self { pairs, starts, others, residues, residue_of, elements };
        let is_known = bonds.add_templates(structure);
        bonds.add_by_distance(structure, cell, &is_known)?;
        bonds.pairs.sort_unstable();
        bonds.pairs.dedup();
        bonds.index();
        Ok(bonds)
    }

    /// All bonds as ascending pairs of atoms.
    #[must_use]
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The atoms that an atom is bonded to; none if it does not exist.
    #[must_use]
    pub fn of(&self, atom: usize) -> &[u32] {
        match self.starts.get(atom..).and_then(|starts| starts.first_chunk()) {
            Some(&[start, end]) => &self.others[start as usize..end as usize],
            None => &[],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    pub(super) fn is_hydrogen(&self, atom: usize) -> bool {
        self.elements[atom] == Some(Element::HYDROGEN)
    }

    /// Whether this is a site of a water model where no atom is.
    pub(super) fn is_virtual(&self, atom: usize) -> bool {
        let element = self.elements[atom];
        let is_atom = element.is_some_and(|element| element.is("O") || element.is("H"));
        self.residue(atom).class == ResidueClass::Water && !is_atom
    }

    pub(super) fn residue(&self, atom: usize) -> &Residue {
        &self.residues[self.residue_of[atom] as usize]
    }

    /// Adds the bonds that residues' names say, and returns for each atom whether they say its
    /// bonds.
    fn add_templates(&mut self, structure: &Structure) -> Vec<bool> {
        let mut is_known = vec![false; structure.atoms.len()];
        for residue in &self.residues {
            let Some(template) = residue.template else { continue };
            let range = residue.first..residue.end;
            let atoms = &structure.atoms[range.clone()];
            let names: Vec<String> = atoms.iter().map(|atom| template_name(&atom.name)).collect();
            let find = |name: &str| names.iter().position(|known| known == name);
            for (a, b) in template.bonds() {
                if let (Some(a), Some(b)) = (find(a), find(b)) {
                    let pair = [residue.first + a, residue.first + b].map(|atom| atom as u32);
                    self.pairs.push([pair[0].min(pair[1]), pair[0].max(pair[1])]);
                }
            }
            for (known, name) in is_known[range].iter_mut().zip(&names) {
                *known = template.knows(name);
            }
        }
        is_known
    }

    /// Adds the bonds that only distances tell.
    fn add_by_distance(
        &mut self,
        structure: &Structure,
        cell: Option<&Cell>,
        is_known: &[bool],
    ) -> Result<()> {
        let places = &structure.models[0];
        let is_bond = |a: usize, b: usize, squared: f64| self.is_bond(a, b, squared);
        let mut found = self.chain_links(structure, cell);
        let is_cystine = |atom: u32| {
            let Some(atom) = structure.atoms.get(atom as usize) else { return false };
            atom.name == "SG"
        };
        let lists_cystines =
            structure.bonds.iter().any(|pair| pair.iter().all(|&atom| is_cystine(atom)));
        let mut is_listed = vec![false; places.len()];
        for pair in &structure.bonds {
            let [a, b] = pair.map(|atom| atom as usize);
            if self.residue_of[a] == self.residue_of[b] {
                (is_listed[a], is_listed[b]) = (true, true);
            }
        }
        // For each hydrogen its nearest heavy atom.
        let mut nearest = vec![(f64::INFINITY, u32::MAX); places.len()];
        let mut left = MOST_NEAR_PAIRS * places.len();
        let largest = self.elements.iter().map(|&element| covalent_radius(element));
        let reach = 2.0 * largest.fold(0.0, f64::max) + TOLERANCE;
        let outcome = for_each_near(places, cell, reach, |i, j, squared| {
            left -= 1;
            if left == 0 {
                return ControlFlow::Break(());
            }
            let (a, b) = (i as usize, j as usize);
            if !is_bond(a, b, squared) || self.is_virtual(a) || self.is_virtual(b) {
                return ControlFlow::Continue(());
            }
            if self.residue_of[a] != self.residue_of[b] {
                if !lists_cystines && is_cystine(i) && is_cystine(j) {
                    found.push([i, j]);
                }
                return ControlFlow::Continue(());
            }
            match [self.is_hydrogen(a), self.is_hydrogen(b)] {
                [true, true] => {}
                [true, false] => nearest[a] = least(nearest[a], (squared, j)),
                [false, true] => nearest[b] = least(nearest[b], (squared, i)),
                [false, false] => {
                    let is_said = (is_known[a] && is_known[b]) || (is_listed[a] && is_listed[b]);
                    if !is_said && self.residue(a).class != ResidueClass::Water {
                        found.push([i, j]);
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        if outcome.is_break() {
            let reason = "so many are at one place that distances tell no bonds";
            return Err(Error::atoms("atoms", reason));
        }
        for (hydrogen, (_, heavy)) in (0_u32..).zip(nearest) {
            if heavy != u32::MAX {
                found.push([hydrogen.min(heavy), hydrogen.max(heavy)]);
            }
        }
        self.pairs.extend(found);
        Ok(())
    }

    /// The bonds from each residue of a chain to the next.
    fn chain_links(&self, structure: &Structure, cell: Option<&Cell>) -> Vec<[u32; 2]> {
        let (atoms, places) = (&structure.atoms, &structure.models[0]);
        let mut links = Vec::new();
        for pair in self.residues.windows(2) {
            let [before, after] = pair else { continue };
            let (last, first) = match [before.class, after.class] {
                [ResidueClass::Protein, ResidueClass::Protein] => ("C", "N"),
                [ResidueClass::Nucleic, ResidueClass::Nucleic] => ("O3'", "P"),
                _ => continue,
            };
            let last = before.atom(atoms, last).or_else(|| before.atom(atoms, "O3*"));
            let (Some(a), Some(b)) = (last, after.atom(atoms, first)) else { continue };
            let apart = distance(places[a], places[b], cell);
            if atoms[a].segment == atoms[b].segment && self.is_bond(a, b, apart * apart) {
                links.push([a as u32, b as u32]);
            }
        }
        links
    }

    /// Whether two atoms are as far apart as bonded ones.
    fn is_bond(&self, a: usize, b: usize, squared: f64) -> bool {
        let sum = covalent_radius(self.elements[a]) + covalent_radius(self.elements[b]);
        let (least, most) = (SHORTEST * sum, sum + TOLERANCE);
        squared >= least * least && squared <= most * most
    }

    /// Makes the lists of each atom.
    fn index(&mut self) {
        let mut starts = vec![0_u32; self.len() + 1];
        for &atom in self.pairs.iter().flatten() {
            starts[atom as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut others = vec![0_u32; 2 * self.pairs.len()];
        for &[a, b] in &self.pairs {
            for (atom, other) in [(a, b), (b, a)] {
                others[next[atom as usize] as usize] = other;
                next[atom as usize] += 1;
            }
        }
        (self.starts, self.others) = (starts, others);
    }
}

/// The nearer one, the one with the smaller number on ties.
fn least(a: (f64, u32), b: (f64, u32)) -> (f64, u32) {
    if b.0 < a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
}

fn distance(a: DVec3, b: DVec3, cell: Option<&Cell>) -> f64 {
    let difference = a - b;
    cell.map_or(difference, |cell| cell.shortest(difference)).length()
}
