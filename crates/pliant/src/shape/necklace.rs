//! Chains of beads: proteins, ropes, cables.

use std::ops::Range;

use glam::DVec3;

use crate::limits::MAX_BEADS;
use crate::volume::Ball;
use crate::{Error, Result};

/// Consecutive beads of a necklace that are linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// The number of beads.
    pub beads: usize,
    /// Whether the last bead is linked to the first.
    pub closed: bool,
}

/// Beads in chains. Adjacent beads of a chain may overlap; any other two beads that have a point in
/// common clash.
///
/// By construction centres are finite and radii positive. Nothing else is assumed: the beads of a
/// chain may have any radii and any distance. [`Necklace::health`] reports how uniform and how
/// connected they are.
///
/// ```
/// use pliant::{Necklace, glam::DVec3};
///
/// // Four beads of an almost closed ring: the first and the last touch.
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
/// let mut rope = Necklace::open(&corners, 0.5)?;
/// assert_eq!(pliant::necklace::clashes(&rope, 2).pairs, [[0, 3]]);
///
/// rope.set_positions(&corners.map(|p| p * 1.5))?;
/// assert!(pliant::necklace::clashes(&rope, 2).pairs.is_empty());
/// assert!(!rope.health().is_connected());
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Necklace {
    beads: Vec<Ball>,
    chains: Vec<Links>,
    /// The chain of each bead.
    chain_of_bead: Vec<u32>,
}

/// A chain's range of beads.
#[derive(Debug, Clone, PartialEq)]
struct Links {
    beads: Range<u32>,
    closed: bool,
}

impl Necklace {
    /// Takes beads, chain after chain, after checking them.
    ///
    /// # Errors
    /// [`Error::EmptyChain`] (also if there is no chain), [`Error::CountMismatch`] if the chains do
    /// not have as many beads as are given, [`Error::TooMany`], [`Error::InvalidBead`].
    pub fn new(beads: Vec<Ball>, chains: &[Chain]) -> Result<Self> {
        if beads.len() > MAX_BEADS {
            return Err(Error::TooMany { what: "beads", count: beads.len(), limit: MAX_BEADS });
        }
        if let Some(chain) = chains.iter().position(|chain| chain.beads == 0) {
            return Err(Error::EmptyChain { chain });
        }
        let total = chains.iter().fold(0usize, |sum, chain| sum.saturating_add(chain.beads));
        if total != beads.len() {
            return Err(Error::CountMismatch {
                what: "beads",
                expected: total,
                given: beads.len(),
            });
        }
        if beads.is_empty() {
            return Err(Error::EmptyChain { chain: 0 });
        }
        for (bead, ball) in beads.iter().enumerate() {
            check_bead(bead, ball)?;
        }
        let mut chain_of_bead = Vec::with_capacity(beads.len());
        let mut links = Vec::with_capacity(chains.len());
        for (number, chain) in (0u32..).zip(chains) {
            let first = chain_of_bead.len() as u32;
            chain_of_bead.resize(chain_of_bead.len() + chain.beads, number);
            let beads = first..chain_of_bead.len() as u32;
            links.push(Links { beads, closed: chain.closed });
        }
        Ok(Self { beads, chains: links, chain_of_bead })
    }

    /// One open chain of beads with the same radius.
    ///
    /// # Errors
    /// As [`Necklace::new`].
    pub fn open(centers: &[DVec3], radius: f64) -> Result<Self> {
        let beads: Vec<Ball> = centers.iter().map(|&p| Ball::new(p, radius)).collect();
        let chain = Chain { beads: beads.len(), closed: false };
        Self::new(beads, &[chain])
    }

    /// One closed chain of beads with the same radius.
    ///
    /// # Errors
    /// As [`Necklace::new`].
    pub fn closed(centers: &[DVec3], radius: f64) -> Result<Self> {
        let beads: Vec<Ball> = centers.iter().map(|&p| Ball::new(p, radius)).collect();
        let chain = Chain { beads: beads.len(), closed: true };
        Self::new(beads, &[chain])
    }

    /// Moves all beads. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::InvalidBead`].
    pub fn set_positions(&mut self, centers: &[DVec3]) -> Result<()> {
        check_positions_count(centers.len(), self.beads.len())?;
        if let Some(bead) = centers.iter().position(|p| !p.is_finite()) {
            return check_bead(bead, &Ball::new(centers[bead], self.beads[bead].radius));
        }
        for (ball, &center) in self.beads.iter_mut().zip(centers) {
            ball.center = center;
        }
        Ok(())
    }

    /// Moves one bead. The caller has checked that the position is finite.
    pub(crate) fn set_checked_position(&mut self, bead: usize, center: DVec3) {
        self.beads[bead].center = center;
    }

    /// The beads, chain after chain.
    #[must_use]
    pub fn beads(&self) -> &[Ball] {
        &self.beads
    }

    /// The number of beads; at least one.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a necklace is never empty")]
    pub fn len(&self) -> usize {
        self.beads.len()
    }

    /// The number of chains; at least one.
    #[must_use]
    pub fn chains(&self) -> usize {
        self.chains.len()
    }

    /// The beads of a chain, and whether it is closed. `None` if the chain does not exist.
    #[must_use]
    pub fn chain(&self, chain: usize) -> Option<(Range<u32>, bool)> {
        self.chains.get(chain).map(|links| (links.beads.clone(), links.closed))
    }

    /// The chain of each bead.
    #[must_use]
    pub fn chain_of_bead(&self) -> &[u32] {
        &self.chain_of_bead
    }

    /// All pairs of linked beads in order; the link that closes a chain comes after its others.
    pub fn links(&self) -> impl Iterator<Item = [u32; 2]> {
        self.chains.iter().flat_map(|chain| {
            let Range { start, end } = chain.beads;
            let closing = (chain.closed && end - start > 2).then_some([end - 1, start]);
            (start + 1..end).map(|bead| [bead - 1, bead]).chain(closing)
        })
    }

    /// Whether two beads are so close along one chain that they never clash: a bead and itself,
    /// adjacent beads, and beads with fewer than `min_gap` links between them.
    ///
    /// # Panics
    /// If a bead does not exist.
    #[must_use]
    #[inline]
    pub fn exempt(&self, first: u32, second: u32, min_gap: u32) -> bool {
        let chain = self.chain_of_bead[first as usize];
        if chain != self.chain_of_bead[second as usize] {
            return false;
        }
        let chain = &self.chains[chain as usize];
        let along = first.abs_diff(second);
        let around = chain.beads.end - chain.beads.start - along;
        let links = if chain.closed { along.min(around) } else { along };
        links < min_gap.max(2)
    }
}

/// Refuses a number of positions that is not the number of beads.
pub(crate) fn check_positions_count(given: usize, expected: usize) -> Result<()> {
    if given == expected {
        return Ok(());
    }
    Err(Error::CountMismatch { what: "bead positions", expected, given })
}

/// Refuses a bead whose centre or radius is not usable.
pub(crate) fn check_bead(bead: usize, &Ball { center, radius }: &Ball) -> Result<()> {
    let reason = if !center.is_finite() {
        "its centre is not finite"
    } else if !(radius > 0.0 && radius.is_finite()) {
        "its radius is not positive and finite"
    } else {
        return Ok(());
    };
    Err(Error::InvalidBead { bead, center: center.to_array(), radius, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beads(count: usize) -> Vec<Ball> {
        (0..count).map(|i| Ball::new(DVec3::X * i as f64, 0.5)).collect()
    }

    #[test]
    fn neighbours_are_exempt_around_a_closed_chain() {
        let chains = [Chain { beads: 5, closed: true }, Chain { beads: 3, closed: false }];
        let necklace = Necklace::new(beads(8), &chains).unwrap();
        assert!(necklace.exempt(0, 4, 2) && necklace.exempt(3, 2, 0) && necklace.exempt(1, 1, 2));
        assert!(!necklace.exempt(0, 3, 2) && necklace.exempt(0, 3, 3));
        assert!(!necklace.exempt(4, 5, 100), "beads of two chains always count");
        assert!(!necklace.exempt(5, 7, 2));
        let links: Vec<_> = necklace.links().collect();
        assert_eq!(links, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [5, 6], [6, 7]]);
    }

    #[test]
    fn closed_chains_of_one_and_two_beads_have_no_closing_link() {
        let chains = [Chain { beads: 1, closed: true }, Chain { beads: 2, closed: true }];
        let necklace = Necklace::new(beads(3), &chains).unwrap();
        assert_eq!(necklace.links().collect::<Vec<_>>(), [[1, 2]]);
        assert!(necklace.exempt(1, 2, 2) && !necklace.exempt(0, 1, 2));
    }

    #[test]
    fn bad_necklaces_are_refused_by_name() {
        let chain = |beads| Chain { beads, closed: false };
        assert_eq!(Necklace::new(vec![], &[]), Err(Error::EmptyChain { chain: 0 }));
        let empty = Necklace::new(beads(2), &[chain(2), chain(0)]);
        assert_eq!(empty, Err(Error::EmptyChain { chain: 1 }));
        let few = Necklace::new(beads(2), &[chain(3)]);
        assert_eq!(few, Err(Error::CountMismatch { what: "beads", expected: 3, given: 2 }));
        assert!(Necklace::new(beads(2), &[chain(usize::MAX), chain(3)]).is_err());
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut bad = beads(3);
            bad[1].radius = radius;
            let refused = Necklace::new(bad, &[chain(3)]).unwrap_err();
            assert!(matches!(refused, Error::InvalidBead { bead: 1, .. }), "{refused}");
        }
        let mut necklace = Necklace::new(beads(2), &[chain(2)]).unwrap();
        let before = necklace.clone();
        assert!(necklace.set_positions(&[DVec3::ZERO]).is_err());
        let moved = necklace.set_positions(&[DVec3::ONE, DVec3::NAN]);
        assert!(matches!(moved, Err(Error::InvalidBead { bead: 1, .. })));
        assert_eq!(necklace, before);
    }
}
