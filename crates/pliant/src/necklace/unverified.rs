//! The lazy mode of the paper: cages from old bases, not verified.

use std::sync::Arc;

use glam::DVec3;

use super::{Cages, ChainTree, Wrapped};
use crate::Result;
use crate::numeric::Pivot;
use crate::shape::Necklace;
use crate::volume::Sphere;

/// **Approximate.** A wrapped hierarchy after a motion, in which a cage is the smallest sphere
/// around its node's *old basis* (Guibas et al. 2002, section 4.3).
///
/// A cage takes constant time, so the cost of a query depends only on the nodes that it visits. But
/// nothing verifies that the other beads are inside: a query with these cages **may miss clashes**.
/// It misses none if the beads below each node moved rigidly. Clashes that it finds are real. For
/// exact answers use [`Wrapped::advance`] or [`OnDemand`](super::OnDemand).
#[derive(Debug, Clone)]
pub struct Unverified {
    old: Wrapped,
}

impl Unverified {
    /// Takes a hierarchy that is valid now.
    #[must_use]
    pub fn new(valid: Wrapped) -> Self {
        Self { old: valid }
    }

    /// Moves all beads and keeps all bases. On an error nothing changes.
    ///
    /// # Errors
    /// As [`Necklace::set_positions`].
    pub fn set_positions(&mut self, centers: &[DVec3]) -> Result<()> {
        self.old.necklace.set_positions(centers)
    }

    /// Returns the hierarchy; its cages are those of the time when it was last valid.
    #[must_use]
    pub fn into_wrapped(self) -> Wrapped {
        self.old
    }
}

impl Cages for Unverified {
    fn necklace(&self) -> &Necklace {
        &self.old.necklace
    }

    fn tree(&self) -> &Arc<ChainTree> {
        &self.old.tree
    }

    /// The smallest sphere around the basis. It contains the basis, but perhaps not all beads.
    fn cage(&self, node: u32) -> Sphere {
        let beads = self.old.necklace.beads();
        let members = self.old.bases[node as usize].members();
        let sphere = Pivot::of_basis(members.iter().map(|&bead| (bead, beads[bead as usize])));
        sphere.map_or(Sphere::EMPTY, |sphere| Sphere::new(sphere.center, sphere.radius))
    }
}
