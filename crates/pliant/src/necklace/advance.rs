//! The wrapped hierarchy after its beads moved: verification, and updates where it fails.

use glam::DVec3;

use super::{ChainTree, Wrapped};
use crate::Result;
use crate::numeric::F64_SLACK;
use crate::numeric::{Ball, Farthest, Pivot, pivot};
use crate::volume::Sphere;

/// How it is checked that the sphere of a node's old basis still contains the node's beads (Guibas
/// et al. 2002, section 2.3). Both check every node and give the same hierarchy, up to rounding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verification {
    /// Each bead of the node.
    Naive,
    /// The cages below the node, from the top; only those that stick out are opened. Cheaper, as
    /// most do not.
    #[default]
    Cascade,
}

/// What [`Wrapped::advance`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Advance {
    /// Nodes whose basis changed because a bead escaped the sphere of the old one.
    pub basis_changes: u64,
    /// Beads and cages that were tested against the sphere of a basis.
    pub containment_tests: u64,
}

/// Nodes of at most this many beads are checked bead by bead in the cascade too: so few
/// beads take less time than the cages above them.
pub(super) const ESCAPE_SCAN: u32 = 16;

impl Wrapped {
    /// Moves all beads, verifies all cages from the leaves up, and finds a new basis where a
    /// bead escaped from the sphere of the old one. On an error nothing has changed.
    ///
    /// Guarantee: afterwards every cage is the smallest sphere around its beads, up to rounding
    /// outward: a sphere that is the smallest around its basis and contains all beads is the
    /// smallest around all (lemma 2.2), and the search for a new basis ends with such a one.
    ///
    /// # Errors
    /// As [`Necklace::set_positions`](crate::Necklace::set_positions).
    pub fn advance(&mut self, centers: &[DVec3], verification: Verification) -> Result<Advance> {
        self.necklace.set_positions(centers)?;
        let mut done = Advance::default();
        let beads = self.necklace.beads();
        for (&leaf, bead) in self.tree.leaf_of_bead().iter().zip(beads) {
            self.cages[leaf as usize] = bead.bound();
        }
        for &node in self.tree.upward() {
            let old = self.bases[node as usize];
            let members = old.members().iter().map(|&bead| (bead, beads[bead as usize]));
            let Some(start) = Pivot::of_basis(members) else { continue };
            let scan = match verification {
                Verification::Naive => u32::MAX,
                Verification::Cascade => ESCAPE_SCAN,
            };
            let sphere = pivot(start, |center, radius| {
                farthest_below(
                    (&self.tree, &self.cages, beads),
                    (node, scan),
                    (center, radius),
                    &mut done.containment_tests,
                )
            });
            self.cages[node as usize] = sphere.bound();
            if sphere.basis != old {
                self.bases[node as usize] = sphere.basis;
                done.basis_changes += u64::from(!sphere.basis.same_members(&old));
            }
        }
        Ok(done)
    }
}

/// The bead of a node that reaches farthest from a centre, if that is beyond the radius.
/// Nodes of at most `scan` beads are looked at bead by bead; cages of nodes below the given
/// one must be valid.
///
/// A cage whose reach, enlarged by the slack, is not beyond the radius holds no bead whose
/// computed reach is: computed reaches err by less than 4 units of 2^-53, a bead's and a cage's.
pub(super) fn farthest_below(
    (tree, cages, beads): (&ChainTree, &[Sphere], &[Ball]),
    (node, scan): (u32, u32),
    (center, radius): (DVec3, f64),
    tests: &mut u64,
) -> Option<(u32, Ball)> {
    let mut farthest = Farthest { radius, found: None };
    // A stack of nodes still to see, one for each level at the most. Where a tree is deeper,
    // which takes odd chains, a half that finds no room is seen at once, bead by bead.
    let mut waiting = [0u32; 64];
    let mut count = 0;
    let mut next = node;
    loop {
        let own = tree.nodes()[next as usize];
        if own.beads() <= scan {
            *tests += u64::from(own.beads());
            farthest.scan(&beads[own.range()], own.first, center);
        } else {
            // Halves: the nearer to the centre waits, as its beads reach less far.
            let mut open = [(next + 1, 0.0), (own.later, 0.0)];
            for (child, reach) in &mut open {
                let cage = cages[*child as usize];
                let apart = (cage.center.as_dvec3() - center).length();
                *reach = (apart + f64::from(cage.radius)) * (1.0 + F64_SLACK);
            }
            *tests += 2;
            if open[0].1 < open[1].1 {
                open.swap(0, 1);
            }
            let [(first, reach), (second, other)] = open;
            if other > farthest.radius {
                if let Some(slot) = waiting.get_mut(count) {
                    *slot = second;
                    count += 1;
                } else {
                    let half = tree.nodes()[second as usize];
                    farthest.scan(&beads[half.range()], half.first, center);
                }
            }
            if reach > farthest.radius {
                next = first;
                continue;
            }
        }
        if count == 0 {
            return farthest.found;
        }
        count -= 1;
        next = waiting[count];
    }
}
