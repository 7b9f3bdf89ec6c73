//! Verification of the wrapped hierarchy after a motion, and updates where it fails.

use glam::DVec3;

use super::{ChainTree, Wrapped};
use crate::Result;
use crate::numeric::F64_SLACK;
use crate::numeric::{Ball, Farthest, Pivot, pivot};
use crate::volume::Sphere;

/// How to check that the sphere of a node's old basis still contains the node's beads (Guibas et
/// al. 2002, section 2.3). Both methods check every node and give the same hierarchy up to
/// rounding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verification {
    /// Tests each bead of the node.
    Naive,
    /// Tests the cages below the node from the top and opens only those that stick out. Cheaper,
    /// since most cages do not.
    #[default]
    Cascade,
}

/// The work of [`Wrapped::advance`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Advance {
    /// Nodes whose basis changed because a bead left the sphere of the old one.
    pub basis_changes: u64,
    /// Tests of beads and cages against the sphere of a basis.
    pub containment_tests: u64,
}

/// The cascade tests nodes of at most this many beads bead by bead, which is faster than testing
/// the cages above so few beads.
pub(super) const ESCAPE_SCAN: u32 = 16;

impl Wrapped {
    /// Moves all beads, verifies all cages from the leaves up, and computes a new basis where a
    /// bead left the sphere of the old one. On an error nothing changes.
    ///
    /// Guarantee: afterwards every cage is the smallest sphere around its beads, up to outward
    /// rounding. A sphere that is the smallest around its basis and contains all beads is the
    /// smallest around all of them (lemma 2.2), and the search for a new basis ends with such a
    /// sphere.
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

/// Returns the bead of a node that reaches farthest from a centre, if it reaches beyond the radius.
/// Nodes of at most `scan` beads are tested bead by bead. The cages of all nodes below the given
/// one must be valid.
///
/// If a cage's reach, enlarged by the slack, is within the radius, the cage contains no bead whose
/// computed reach exceeds the radius: the computed reaches of a bead and of a cage have relative
/// errors below 8 units of 2^-53.
pub(super) fn farthest_below(
    (tree, cages, beads): (&ChainTree, &[Sphere], &[Ball]),
    (node, scan): (u32, u32),
    (center, radius): (DVec3, f64),
    tests: &mut u64,
) -> Option<(u32, Ball)> {
    let mut farthest = Farthest { radius, found: None };
    // A stack of nodes to visit, at most one per level. A tree of unusual chains may be deeper than
    // the stack; a half that does not fit is then tested at once, bead by bead.
    let mut waiting = [0u32; 64];
    let mut count = 0;
    let mut next = node;
    loop {
        let own = tree.nodes()[next as usize];
        if own.beads() <= scan {
            *tests += u64::from(own.beads());
            farthest.scan(&beads[own.range()], own.first, center);
        } else {
            // The half that reaches farther is visited first.
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
