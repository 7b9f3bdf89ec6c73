//! Cages that are the smallest spheres around their beads, each given by its basis.

use std::sync::Arc;

use super::advance::{ESCAPE_SCAN, farthest_below};
use super::{Cages, ChainTree};
use crate::numeric::{Ball, Pivot, SmallestSphere, SphereBasis, pivot};
use crate::shape::Necklace;
use crate::volume::Sphere;

/// The wrapped hierarchy: the cage of a node is the smallest sphere around its beads, and at most
/// four of these, the basis, determine it (Guibas et al. 2002, section 2.2). When beads move, bases
/// seldom change; see [`Wrapped::advance`].
///
/// ```
/// use pliant::{Necklace, glam::DVec3, necklace::{Cages, Verification, Wrapped}};
/// let line: Vec<DVec3> = (0..100).map(|i| DVec3::X * f64::from(i)).collect();
/// let mut cages = Wrapped::new(Necklace::open(&line, 0.5)?);
/// assert!((cages.cage(0).radius - 50.0).abs() < 1e-4);
///
/// // Bent into a wave: the ends still determine the largest cage.
/// let bent: Vec<DVec3> = line.iter().map(|p| p + DVec3::Y * (p.x * 0.1).sin()).collect();
/// let advance = cages.advance(&bent, Verification::Cascade)?;
/// assert!(cages.basis(0).members().len() == 2 && advance.basis_changes < 20);
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Wrapped {
    pub(super) necklace: Necklace,
    pub(super) tree: Arc<ChainTree>,
    pub(super) cages: Vec<Sphere>,
    pub(super) bases: Vec<SphereBasis>,
}

impl Wrapped {
    /// Builds the tree and all cages.
    #[must_use]
    pub fn new(necklace: Necklace) -> Self {
        let tree = Arc::new(ChainTree::new(&necklace));
        let cages = vec![Sphere::EMPTY; tree.nodes().len()];
        let bases = vec![SphereBasis::default(); tree.nodes().len()];
        let mut made = Self { necklace, tree, cages, bases };
        for (&leaf, (number, bead)) in
            made.tree.leaf_of_bead().iter().zip((0u32..).zip(made.necklace.beads()))
        {
            made.cages[leaf as usize] = bead.bound();
            made.bases[leaf as usize] = SphereBasis::new(&[number]);
        }
        for position in 0..made.tree.upward().len() {
            let node = made.tree.upward()[position];
            let sphere = made.smallest(node);
            made.cages[node as usize] = sphere.bound();
            made.bases[node as usize] = sphere.basis;
        }
        made
    }

    /// The basis of a node's cage, as bead numbers.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn basis(&self, node: u32) -> &SphereBasis {
        &self.bases[node as usize]
    }

    /// The smallest sphere of a node; the cages and bases below it must be known.
    fn smallest(&self, node: u32) -> SmallestSphere {
        let beads = self.necklace.beads();
        let with_number = |bead: u32| (bead, beads[bead as usize]);
        let [a, b] = self.tree.children(node).unwrap_or([node, node]);
        let [a, b] = [a, b].map(|child| self.bases[child as usize]);
        let [a, b] = farthest_apart(beads, a.members(), b.members());
        let start = Pivot::pair(with_number(a), with_number(b));
        if self.tree.nodes()[node as usize].beads() == 2 {
            return start.finished();
        }
        let mut tests = 0;
        pivot(start, |center, radius| {
            farthest_below(
                (&self.tree, &self.cages, beads),
                (node, ESCAPE_SCAN),
                (center, radius),
                &mut tests,
            )
        })
    }
}

/// The two beads, one of each list, that reach farthest from one another. The bases of the children
/// most likely contain the beads of the parent's basis.
fn farthest_apart(beads: &[Ball], first: &[u32], second: &[u32]) -> [u32; 2] {
    let mut farthest = (f64::NEG_INFINITY, [first[0], second[0]]);
    for &a in first {
        for &b in second {
            let reach = beads[a as usize].reach_from(beads[b as usize].center);
            let reach = reach + beads[b as usize].radius;
            if reach > farthest.0 {
                farthest = (reach, [a, b]);
            }
        }
    }
    farthest.1
}

impl Cages for Wrapped {
    fn necklace(&self) -> &Necklace {
        &self.necklace
    }

    fn tree(&self) -> &Arc<ChainTree> {
        &self.tree
    }

    #[inline]
    fn cage(&self, node: u32) -> Sphere {
        self.cages[node as usize]
    }
}
