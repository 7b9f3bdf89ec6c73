//! Which atoms may take part in a hydrogen bond.

use super::{Bonds, Structure};
use crate::molecule::residues::ResidueClass;

/// What an atom can be in a hydrogen bond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Role {
    /// A heavy atom that has or may have a hydrogen to give, or that hydrogen.
    gives: bool,
    accepts: bool,
}

impl Role {
    /// Whether two atoms may form a hydrogen bond.
    pub(super) fn bonds_with(self, other: Self) -> bool {
        (self.gives && other.accepts) || (self.accepts && other.gives)
    }

    /// The role of an atom.
    ///
    /// Hydrogens on nitrogen, oxygen and sulphur give. Atoms that carry such a hydrogen in the file
    /// give. In files without them, nitrogen and oxygen of polymers give as their residue's name
    /// says, oxygen of water gives, and nitrogen and oxygen of residues without any hydrogen may.
    /// Every oxygen accepts; nitrogen accepts as the residue's name says, and in ligands; sulphur
    /// with at most two bonds and halide ions accept.
    pub(super) fn of(number: usize, structure: &Structure, bonds: &Bonds) -> Self {
        let is = |atom: usize, symbols: &[&str]| {
            bonds.elements[atom].is_some_and(|element| symbols.iter().any(|&s| element.is(s)))
        };
        let others = bonds.of(number);
        if bonds.is_hydrogen(number) {
            let gives = others.iter().any(|&other| is(other as usize, &["N", "O", "S"]));
            return Self { gives, accepts: false };
        }
        let residue = bonds.residue(number);
        let has_hydrogen = others.iter().any(|&other| bonds.is_hydrogen(other as usize));
        let name = super::templates::template_name(&structure.atoms[number].name);
        let is_bare = || !(residue.first..residue.end).any(|atom| bonds.is_hydrogen(atom));
        let may_give = || match residue.template {
            Some(template) => template.is_donor(&name),
            None if residue.class == ResidueClass::Water => true,
            None => is_bare(),
        };
        if is(number, &["O"]) {
            Self { gives: has_hydrogen || may_give(), accepts: true }
        } else if is(number, &["N"]) {
            let accepts =
                residue.template.is_none_or(|template| template.is_accepting_nitrogen(&name));
            Self { gives: has_hydrogen || may_give(), accepts }
        } else if is(number, &["S"]) {
            let heavy = others.iter().filter(|&&other| !bonds.is_hydrogen(other as usize));
            Self { gives: has_hydrogen, accepts: heavy.count() <= 2 }
        } else {
            let is_halide = others.is_empty() && is(number, &["F", "CL", "BR", "I"]);
            Self { gives: false, accepts: is_halide }
        }
    }
}
