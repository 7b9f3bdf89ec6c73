//! Clashes of a structure: atoms that come nearer than their radii allow, and are not bonded.

use std::collections::HashMap;
use std::ops::ControlFlow;

use pliant::glam::DVec3;

use super::elements::contact_radius;
use super::exclusions::Exclusions;
use super::hydrogen_bonds::Role;
use super::near_pairs::for_each_near;
use super::{Bonds, Cell, Selection, Structure};
use crate::{Error, Result};

/// What counts as a clash.
#[derive(Debug, Clone, PartialEq)]
pub struct ClashSettings {
    /// The overlap of two atoms that is a clash, in ångströms: 0.4 by the usual all-atom criterion
    /// (Word and others 1999). With 0, atoms that touch clash.
    pub overlap: f64,
    /// By how much more a donor and an acceptor of a hydrogen bond may overlap, in ångströms; so
    /// may a hydrogen on a donor and an acceptor.
    pub hydrogen_bond: f64,
    /// Which atoms take part.
    pub atoms: Selection,
    /// If given, only pairs with one atom of each count.
    pub between: Option<[Selection; 2]>,
    /// Whether atoms meet the periodic images of others.
    pub is_periodic: bool,
    /// The most clashes that a frame may have; more are an error.
    pub most_clashes: usize,
}

impl Default for ClashSettings {
    /// Overlaps of 0.4 Å, 0.6 Å more for hydrogen bonds, all atoms, ten million clashes.
    fn default() -> Self {
        Self {
            overlap: 0.4,
            hydrogen_bond: 0.6,
            atoms: Selection::all(),
            between: None,
            is_periodic: false,
            most_clashes: 10_000_000,
        }
    }
}

/// Two atoms that clash.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clash {
    /// The atoms, ascending.
    pub atoms: [u32; 2],
    /// The distance of their centres in ångströms; in a cell, that of the nearest images.
    pub distance: f64,
    /// The sum of their radii, less what a hydrogen bond allows, less the distance.
    pub overlap: f64,
}

/// The clashes of a frame, ascending by their atoms, and the number of distances that it took.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameClashes {
    /// Each pair once.
    pub clashes: Vec<Clash>,
    /// Distances that were computed.
    pub distance_tests: u64,
}

/// A structure prepared for the search of clashes in any number of frames.
///
/// Two atoms clash if they are not within three bonds ([`Bonds::find`]) and `d² <= s²`, where
/// `s = r + r' - overlap`, and the allowance for hydrogen bonds is subtracted from `s` where it
/// applies. If `s` is negative they do not. Distances and sums are computed in `f64`: the error is
/// below 10⁻¹² Å for a molecule, and files have three to seven digits. Atoms that are at the limit
/// up to that error may fall on either side, always the same one.
///
/// The radii are van der Waals radii (Bondi 1964; hydrogen 1.10 Å by Rowland and Taylor 1996), and
/// ionic radii (Shannon 1976) for metals. Virtual sites of water take no part.
///
/// ```
/// use pliant_io::{ClashSearch, ClashSettings, read_pdb};
///
/// let text = b"\
/// HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O
/// HETATM    2  O   HOH A   2       0.500   0.000   0.000  1.00  0.00           O
/// ";
/// let structure = read_pdb(text, "waters.pdb".as_ref())?;
/// let search = ClashSearch::new(&structure, &ClashSettings::default())?;
/// let found = search.clashes(&structure.models[0], None)?;
/// assert_eq!((found.clashes[0].atoms, found.clashes[0].distance), ([0, 1], 0.5));
/// # Ok::<(), pliant_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClashSearch {
    bonds: Bonds,
    exclusions: Exclusions,
    /// The atoms that take part, ascending.
    atoms: Vec<u32>,
    /// Of each of them: its kind, and whether it is of the one or the other side.
    kinds: Vec<u16>,
    sides: Vec<[bool; 2]>,
    /// Radius and role of each kind.
    kind_list: Vec<(f64, Role)>,
    /// For two kinds, the sum of radii less the allowance for hydrogen bonds.
    sums: Vec<f64>,
    /// For two kinds, the square of the largest distance of a clash; negative if there is none.
    limits: Vec<f64>,
    reach: f64,
    most_clashes: usize,
    unknown_elements: usize,
}

impl ClashSearch {
    /// Finds bonds and radii once.
    ///
    /// # Errors
    /// [`Error::Atoms`]: no atoms take part, settings that are not finite, and the errors of
    /// [`Bonds::find`].
    pub fn new(structure: &Structure, settings: &ClashSettings) -> Result<Self> {
        if !(settings.overlap.is_finite() && settings.hydrogen_bond.is_finite()) {
            return Err(Error::atoms("settings", "an overlap is not finite"));
        }
        let cell = structure.cell.as_ref().filter(|_| settings.is_periodic);
        let bonds = Bonds::find(structure, cell)?;
        let exclusions = Exclusions::within_three_bonds(&bonds)?;
        let chosen = settings.atoms.atoms(structure, &bonds);
        let sides = settings.between.as_ref();
        let sides = sides.map(|sides| sides.each_ref().map(|side| side.atoms(structure, &bonds)));
        let mut search = Self {
            bonds,
            exclusions,
            atoms: Vec::new(),
            kinds: Vec::new(),
            sides: Vec::new(),
            kind_list: Vec::new(),
            sums: Vec::new(),
            limits: Vec::new(),
            reach: 0.0,
            most_clashes: settings.most_clashes,
            unknown_elements: 0,
        };
        let mut known: HashMap<(u64, Role), u16> = HashMap::new();
        for atom in 0..structure.atoms.len() {
            let side = sides.as_ref().map_or([true; 2], |[a, b]| [a[atom], b[atom]]);
            if !chosen[atom] || side == [false; 2] || search.bonds.is_virtual(atom) {
                continue;
            }
            let element = search.bonds.elements[atom];
            let radius = contact_radius(element);
            let role = Role::of(atom, structure, &search.bonds);
            let kind = *known.entry((radius.to_bits(), role)).or_insert_with(|| {
                search.kind_list.push((radius, role));
                (search.kind_list.len() - 1) as u16
            });
            search.atoms.push(atom as u32);
            search.kinds.push(kind);
            search.sides.push(side);
            search.unknown_elements += usize::from(element.is_none());
        }
        if search.atoms.is_empty() {
            let reason = format!("none of the {} takes part", structure.atoms.len());
            return Err(Error::atoms("atoms", reason));
        }
        search.set_limits(settings);
        Ok(search)
    }

    /// The clashes of a frame: the positions of all atoms of the structure, and the cell if there
    /// is one.
    ///
    /// # Errors
    /// [`Error::Atoms`]: another number of positions, a position that is not finite, a cell that is
    /// thinner than half of the largest distance of a clash, more clashes than the settings allow.
    pub fn clashes(&self, positions: &[DVec3], cell: Option<&Cell>) -> Result<FrameClashes> {
        let (has, needs) = (positions.len(), self.bonds.len());
        if has != needs {
            return Err(Error::atoms("positions", format!("{has} for {needs} atoms")));
        }
        let places: Vec<DVec3> = self.atoms.iter().map(|&atom| positions[atom as usize]).collect();
        if let Some(at) = places.iter().position(|place| !place.is_finite()) {
            return Err(Error::atoms(format!("atom {}", self.atoms[at]), "is not finite"));
        }
        let mut clashes: Vec<Clash> = Vec::new();
        let outcome = for_each_near(&places, cell, self.reach, |i, j, squared| {
            let (a, b) = (i as usize, j as usize);
            let kinds = self.pair(self.kinds[a], self.kinds[b]);
            if squared > self.limits[kinds] {
                return ControlFlow::Continue(());
            }
            let (low, high) = (self.sides[a], self.sides[b]);
            let is_asked = (low[0] && high[1]) || (low[1] && high[0]);
            let atoms = [self.atoms[a], self.atoms[b]];
            if !is_asked || self.exclusions.contains(atoms[0], atoms[1]) {
                return ControlFlow::Continue(());
            }
            let distance = squared.sqrt();
            clashes.push(Clash { atoms, distance, overlap: self.sums[kinds] - distance });
            // Images may show a pair several times, so a full list is looked through first.
            if clashes.len() > self.most_clashes.saturating_mul(2) {
                keep_nearest(&mut clashes);
            }
            match clashes.len() > self.most_clashes.saturating_mul(2) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        keep_nearest(&mut clashes);
        match outcome {
            ControlFlow::Continue(distance_tests) if clashes.len() <= self.most_clashes => {
                Ok(FrameClashes { clashes, distance_tests })
            }
            _ => {
                let most = self.most_clashes;
                Err(Error::atoms("clashes", format!("more than {most} in one frame")))
            }
        }
    }

    /// The bonds that were found.
    #[must_use]
    pub fn bonds(&self) -> &Bonds {
        &self.bonds
    }

    /// The atoms that take part, ascending.
    #[must_use]
    pub fn atoms(&self) -> &[u32] {
        &self.atoms
    }

    /// The radius of each atom that takes part, in ångströms.
    pub fn radii(&self) -> impl Iterator<Item = f64> {
        self.kinds.iter().map(|&kind| self.kind_list[usize::from(kind)].0)
    }

    /// Atoms that take part and whose element is not known; they have the radius of carbon.
    #[must_use]
    pub fn unknown_elements(&self) -> usize {
        self.unknown_elements
    }

    /// The place of two kinds in the tables.
    #[inline]
    fn pair(&self, a: u16, b: u16) -> usize {
        usize::from(a) * self.kind_list.len() + usize::from(b)
    }

    fn set_limits(&mut self, settings: &ClashSettings) {
        for &(radius, role) in &self.kind_list {
            for &(other, other_role) in &self.kind_list {
                let is_bond = role.bonds_with(other_role);
                let sum = radius + other - if is_bond { settings.hydrogen_bond } else { 0.0 };
                let limit = sum - settings.overlap;
                self.sums.push(sum);
                self.limits.push(if limit < 0.0 { -1.0 } else { limit * limit });
                // The reach is squared again, and must not round below the limit.
                self.reach = self.reach.max(limit * (1.0 + 1e-12));
            }
        }
    }
}

/// Sorts by atoms and keeps the nearest images of each pair.
fn keep_nearest(clashes: &mut Vec<Clash>) {
    clashes.sort_unstable_by(|a, b| a.atoms.cmp(&b.atoms).then(a.distance.total_cmp(&b.distance)));
    clashes.dedup_by_key(|clash| clash.atoms);
}
