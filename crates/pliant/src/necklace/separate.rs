//! All clashing beads, and a proof that there are no others: a separating family.

use std::sync::Arc;

use super::pairing::{Pairing, Step};
use super::{Cages, ChainTree};
use crate::contact::balls_touch;
use crate::query::Work;
use crate::volume::Overlap;

/// The result of a search through hierarchies: the beads that clash, and a family of pairs of nodes
/// that separates all others (Guibas et al. 2002, section 3.1).
///
/// The family proves the answer. Each of its pairs is apart, by the cages or, for two single beads,
/// by the exact test. Any two beads that may clash do clash, or are in the two nodes of exactly one
/// pair of the family.
#[derive(Debug, Clone)]
pub struct Separation {
    clashes: Vec<[u32; 2]>,
    family: Vec<[u32; 2]>,
    work: Work,
    trees: [Arc<ChainTree>; 2],
    own: Option<u32>,
    /// The size of the family of the last search from the root.
    from_root: usize,
}

impl Separation {
    /// The clashing beads in ascending order. The first of each pair belongs to the first necklace,
    /// or is the smaller number within one necklace.
    #[must_use]
    pub fn clashes(&self) -> &[[u32; 2]] {
        &self.clashes
    }

    /// The pairs of nodes that are apart.
    #[must_use]
    pub fn family(&self) -> &[[u32; 2]] {
        &self.family
    }

    /// The work it took.
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// Repeats the search for the same hierarchies after their beads moved. It starts from this
    /// family and not from the root: after a small motion, most of the family is still valid.
    ///
    /// The clashes are the same as those of a search from the root. The family only becomes finer
    /// in this way. Once it is twice as large as it was from the root, the search starts from the
    /// root again. It also does so for hierarchies other than those of the last search. Returns
    /// `None` if this separation is between two necklaces.
    #[must_use]
    pub fn again_self<C: Cages>(&self, cages: &C) -> Option<Self> {
        let min_gap = self.own?;
        let pairing = Pairing { first: cages, second: cages, own: Some(min_gap) };
        Some(self.again_with(&pairing))
    }

    /// The same as [`again_self`](Self::again_self) for two necklaces. Returns `None` if this
    /// separation is within one necklace.
    #[must_use]
    pub fn again<A: Cages, B: Cages>(&self, first: &A, second: &B) -> Option<Self> {
        if self.own.is_some() {
            return None;
        }
        Some(self.again_with(&Pairing { first, second, own: None }))
    }

    fn again_with<A: Cages, B: Cages>(&self, pairing: &Pairing<'_, A, B>) -> Self {
        let trees = [pairing.first.tree(), pairing.second.tree()];
        let same = trees.iter().zip(&self.trees).all(|(now, then)| Arc::ptr_eq(now, then));
        if !same || self.family.len() > 2 * self.from_root + 64 {
            return search(pairing, vec![[0, 0]], false);
        }
        let leaves = [trees[0].leaf_of_bead(), trees[1].leaf_of_bead()];
        let leaf = |[a, b]: [u32; 2]| [leaves[0][a as usize], leaves[1][b as usize]];
        let mut starts = self.family.clone();
        starts.extend(self.clashes.iter().map(|&pair| leaf(pair)));
        let mut found = search(pairing, starts, false);
        found.from_root = self.from_root;
        found
    }
}

/// Returns all clashes within a necklace, and a family that separates its other beads.
///
/// `min_gap` is the smallest number of links along a chain between two beads that may clash; at
/// least 2, since adjacent beads never clash.
///
/// ```
/// use pliant::{Necklace, glam::DVec3, necklace::{Layered, separate_self}};
/// let line: Vec<DVec3> = (0..64).map(|i| DVec3::X * f64::from(i)).collect();
/// let straight = Layered::new(Necklace::open(&line, 0.5)?);
/// let apart = separate_self(&straight, 2);
/// assert!(apart.clashes().is_empty() && apart.family().len() < 200);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn separate_self<C: Cages>(cages: &C, min_gap: u32) -> Separation {
    let pairing = Pairing { first: cages, second: cages, own: Some(min_gap) };
    search(&pairing, vec![[0, 0]], false)
}

/// Returns all clashes between two necklaces, and a family that separates their other beads.
#[must_use]
pub fn separate<A: Cages, B: Cages>(first: &A, second: &B) -> Separation {
    search(&Pairing { first, second, own: None }, vec![[0, 0]], false)
}

/// Returns a clash within a necklace, if there is one.
#[must_use]
pub fn first_own_clash<C: Cages>(cages: &C, min_gap: u32) -> Option<[u32; 2]> {
    let pairing = Pairing { first: cages, second: cages, own: Some(min_gap) };
    search(&pairing, vec![[0, 0]], true).clashes.first().copied()
}

/// Returns a clash between two necklaces, if there is one.
#[must_use]
pub fn first_clash<A: Cages, B: Cages>(first: &A, second: &B) -> Option<[u32; 2]> {
    let pairing = Pairing { first, second, own: None };
    search(&pairing, vec![[0, 0]], true).clashes.first().copied()
}

fn search<A: Cages, B: Cages>(
    pairing: &Pairing<'_, A, B>,
    starts: Vec<[u32; 2]>,
    stop_at_first: bool,
) -> Separation {
    let mut work = Work::default();
    let (mut clashes, mut family) = (Vec::new(), Vec::new());
    let (beads, others) = (pairing.first.necklace().beads(), pairing.second.necklace().beads());
    let mut waiting = starts;
    while let Some(pair) = waiting.pop() {
        if !pairing.is_within(pair) {
            work.bounds += 2;
            work.overlap_tests += 1;
            if !pairing.first.cage(pair[0]).overlaps(&pairing.second.cage(pair[1])) {
                // Nodes with only exempt beads need no proof that they are apart.
                if !matches!(pairing.step(pair), Step::Nothing) {
                    family.push(pair);
                }
                continue;
            }
        }
        match pairing.step(pair) {
            Step::Nothing => {}
            Step::Split(parts) => waiting.extend(parts.into_iter().flatten()),
            Step::Beads([a, b]) => {
                if pairing.exempt([a, b]) {
                    continue;
                }
                work.primitive_tests += 1;
                if !balls_touch(&beads[a as usize], &others[b as usize]) {
                    family.push(pair);
                    continue;
                }
                clashes.push([a, b]);
                if stop_at_first {
                    break;
                }
            }
        }
    }
    clashes.sort_unstable();
    let trees = [pairing.first.tree().clone(), pairing.second.tree().clone()];
    let from_root = family.len();
    Separation { clashes, family, work, trees, own: pairing.own, from_root }
}
