//! The lazy mode of the paper: cages from old bases, not verified.

use std::sync::Arc;

use glam::DVec3;

use super::{Cages, ChainTree, Wrapped};
use crate::Result;
use crate::numeric::Pivot;
use crate::shape::Necklace;
use crate::volume::Sphere;

/// **Approximate.** A wrapped hierarchy after its beads moved, in which a cage is the smallest
/// sphere around its node's *old basis* and nothing else is looked at (Guibas et al. 2002, section
/// 4.3).
///
/// A cage costs a fixed time, so a query costs what it visits. But nobody verifies that the
/// other beads are inside: a query with these cages **may miss clashes**, and does not where the
/// beads below each node moved rigidly. Clashes that it does find are clashes. For answers
/// without such a condition take [`Wrapped::advance`] or [`OnDemand`](super::OnDemand).
#[derive(Debug, Clone)]
pub struct Unverified {
    old: Wrapped,
}

impl Unverified {
    /// From a hierarchy that is valid now.
    #[must_use]
    pub fn new(valid: Wrapped) -> Self {
        Self { old: valid }
    }

    /// Moves all beads; keeps all bases. On an error nothing has changed.
    ///
    /// # Errors
    /// As [`Necklace::set_positions`].
    pub fn set_positions(&mut self, centers: &[DVec3]) -> Result<()> {
        self.old.necklace.set_positions(centers)
    }

    /// The hierarchy, whose cages are those of the time when it was last valid.
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

    /// The smallest sphere around the basis: contains the basis, and perhaps not all beads.
    fn cage(&self, node: u32) -> Sphere {
        let beads = self.old.necklace.beads();
        let members = self.old.bases[node as usize].members();
        let sphere = Pivot::of_basis(members.iter().map(|&bead| (bead, beads[bead as usize])));
        sphere.map_or(Sphere::EMPTY, |sphere| Sphere::new(sphere.center, sphere.radius))
    }
}
