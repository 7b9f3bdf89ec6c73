//! A wrapped hierarchy that is verified only where a query visits it, with exact answers.
//!
//! New positions are not read when the caller announces a motion. A query that visits a node needs
//! a sphere that contains the node's beads at their current positions. There are three such
//! spheres, each with its proof:
//!
//! 1. **Grown.** The cage was verified when the odometer of the necklace, the sum of the promised
//!    motions, was m; now it is m'. No bead is farther than m' - m from where it was, so the cage grown
//!    by m' - m contains all beads. This costs one addition.
//! 2. **Along the chain.** If links are at most s long, a bead k links away from the node's middle bead
//!    is at most k s away from it. Let k be the number of links to the farther end. A sphere around the
//!    middle bead with radius k s plus the largest bead radius contains all beads. This costs one
//!    position. It applies to nodes within one chain.
//! 3. **Verified.** All beads of the node are read. The result is the sphere of the old basis if no bead
//!    left it, or else that of a new basis. This costs the node's beads, and makes the first kind tight
//!    again.
//!
//! Without promises every visited node is verified or opened. With them, only nodes for which the
//! cheap spheres do not suffice are. Promises are checked for every bead that is read.

use std::sync::Arc;

use glam::DVec3;

use super::{Cages, ChainTree, Wrapped};
use crate::numeric::{F64_SLACK, length};
use crate::shape::{Necklace, check_bead, check_positions_count};
use crate::volume::{Ball, SphereBasis, smallest_sphere_from};
use crate::{Error, Result};

/// The caller's knowledge about a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// A promise: no bead is farther than this from its position at the last call.
    AtMost(f64),
    /// Beads may be anywhere.
    Unknown,
}

/// A wrapped hierarchy that reads beads only where a query needs them.
///
/// For each new state, call [`moved`](Self::moved) with how far beads moved, and then a query
/// ([`first_clash_on_demand`](super::first_clash_on_demand),
/// [`clashes_on_demand`](super::clashes_on_demand)) with all positions of that state. The answer is
/// that of brute force if the promises hold: that of the motion, and that of the longest link if
/// one was made. If a query reads a bead that violates a promise, it returns
/// [`Error::BrokenPromise`].
///
/// ```
/// use pliant::{Necklace, glam::DVec3, necklace::{Motion, OnDemand, first_clash_on_demand}};
/// let line = |y: f64| -> Vec<DVec3> { (0..1000).map(|i| DVec3::new(f64::from(i), y, 0.0)).collect() };
/// let mut still = OnDemand::new(Necklace::open(&line(0.0), 0.5)?);
/// let mut falling = OnDemand::new(Necklace::open(&line(3000.0), 0.5)?);
/// falling.moved(Motion::AtMost(1.0))?;
/// let found = first_clash_on_demand((&mut still, &line(0.0)), (&mut falling, &line(2999.5)))?;
/// assert!(found.pairs.is_empty());
/// assert_eq!((found.work.overlap_tests, found.work.primitive_tests), (1, 0)); // two cages
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct OnDemand {
    /// The beads at the positions where they were last read.
    seen: Necklace,
    seen_at: Vec<Stamp>,
    tree: Arc<ChainTree>,
    cages: Vec<Verified>,
    now: Stamp,
    longest_link: Option<f64>,
}

/// A moment: the sum of all promised motions, and the number of unknown motions.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stamp {
    odometer: f64,
    unknown: u64,
}

impl Stamp {
    /// How far a bead can be from its position at an earlier moment.
    ///
    /// Each addition to the odometer is rounded up, so the difference is at least the sum of the
    /// motions in between, up to one rounding.
    #[inline]
    fn since(&self, earlier: &Self) -> f64 {
        if self.unknown == earlier.unknown {
            (self.odometer - earlier.odometer) * (1.0 + F64_SLACK)
        } else {
            f64::INFINITY
        }
    }
}

/// A cage, the moment when it was verified, and the largest radius of its node's beads.
#[derive(Debug, Clone, Copy)]
struct Verified {
    sphere: Ball,
    basis: SphereBasis,
    at: Stamp,
    largest_bead: f64,
}

/// A sphere that contains a node's beads at their current positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cage {
    pub(super) sphere: Ball,
    /// The radius when the cage was last verified; an estimate of its radius if it were verified
    /// now.
    pub(super) last_radius: f64,
    pub(super) verified: bool,
}

impl OnDemand {
    /// Builds the hierarchy of a necklace at its current positions.
    #[must_use]
    pub fn new(necklace: Necklace) -> Self {
        let wrapped = Wrapped::new(necklace);
        let now = Stamp { odometer: 0.0, unknown: 0 };
        let tree = wrapped.tree().clone();
        let beads = wrapped.necklace().beads();
        let mut largest = vec![0.0f64; tree.nodes().len()];
        for (node, own) in tree.nodes().iter().enumerate().rev() {
            largest[node] = match tree.children(node as u32) {
                None => beads[own.first as usize].radius,
                Some([a, b]) => largest[a as usize].max(largest[b as usize]),
            };
        }
        let verified = |(node, largest_bead): (u32, f64)| {
            let cage = wrapped.cage(node);
            let sphere = Ball::new(cage.center.as_dvec3(), f64::from(cage.radius));
            Verified { sphere, basis: *wrapped.basis(node), at: now, largest_bead }
        };
        let cages = (0u32..).zip(largest).map(verified).collect();
        let seen = wrapped.necklace().clone();
        Self { seen_at: vec![now; seen.len()], seen, tree, cages, now, longest_link: None }
    }

    /// Promises for all later states that adjacent beads of a chain are never farther apart than
    /// this.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] if the length is negative or not finite; [`Error::BrokenPromise`]
    /// if it does not hold now.
    pub fn promise_longest_link(mut self, length: f64) -> Result<Self> {
        check_length("longest link", length)?;
        self.longest_link = Some(length);
        let beads = self.seen.beads();
        for bead in 1..self.seen.len() {
            self.check_link(bead, beads[bead - 1].center, beads[bead].center)?;
        }
        Ok(self)
    }

    /// States how far beads moved since the last call. This takes constant time.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] if the distance is negative or not finite; then nothing changes.
    #[inline]
    pub fn moved(&mut self, motion: Motion) -> Result<()> {
        match motion {
            Motion::AtMost(0.0) => {}
            Motion::AtMost(distance) => {
                check_length("motion", distance)?;
                let odometer = (self.now.odometer + distance).next_up();
                // A sum beyond the range of `f64` bounds nothing.
                if odometer < f64::INFINITY {
                    self.now.odometer = odometer;
                } else {
                    self.now.unknown += 1;
                }
            }
            Motion::Unknown => self.now.unknown += 1,
        }
        Ok(())
    }

    /// The necklace with its chains and radii. Positions are those at which a bead was last read.
    #[must_use]
    pub fn necklace(&self) -> &Necklace {
        &self.seen
    }

    pub(super) fn tree(&self) -> &ChainTree {
        &self.tree
    }

    pub(super) fn check_count(&self, centers: &[DVec3]) -> Result<()> {
        check_positions_count(centers.len(), self.seen.len())
    }

    /// The smallest known sphere around a node's beads that can be computed without reading all of
    /// them.
    #[inline]
    pub(super) fn cage(&self, node: u32, centers: &[DVec3]) -> Result<Cage> {
        let known = &self.cages[node as usize];
        let motion = self.now.since(&known.at);
        let radius = (known.sphere.radius + motion) * (1.0 + F64_SLACK);
        let grown = Ball::new(known.sphere.center, radius);
        let last_radius = known.sphere.radius;
        if motion == 0.0 {
            return Ok(Cage { sphere: known.sphere, last_radius, verified: true });
        }
        let reached = self.sphere_along_chain(node, centers)?;
        let sphere = if reached.radius < grown.radius { reached } else { grown };
        Ok(Cage { sphere, last_radius, verified: false })
    }

    /// The sphere around the middle bead that the chain cannot leave; infinite without a promise.
    fn sphere_along_chain(&self, node: u32, centers: &[DVec3]) -> Result<Ball> {
        let own = self.tree.nodes()[node as usize];
        let middle = own.first + own.beads() / 2;
        let center = centers[middle as usize];
        check_bead(middle as usize, &Ball::new(center, 1.0))?;
        let chain = self.seen.chain_of_bead();
        let Some(link) = self.longest_link else { return Ok(Ball::new(center, f64::INFINITY)) };
        if chain[own.first as usize] != chain[own.end as usize - 1] {
            return Ok(Ball::new(center, f64::INFINITY));
        }
        let links = (middle - own.first).max(own.end - 1 - middle);
        let radius = f64::from(links) * link + self.cages[node as usize].largest_bead;
        Ok(Ball::new(center, radius * (1.0 + F64_SLACK)))
    }

    /// Reads all beads of a node, checks the promises, and computes the smallest cage.
    ///
    /// After a violated promise, conclusions from it are no longer used.
    pub(super) fn verify(&mut self, node: u32, centers: &[DVec3]) -> Result<()> {
        let own = self.tree.nodes()[node as usize];
        for bead in own.range() {
            self.read_bead(bead, centers)?;
        }
        let cage = &self.cages[node as usize];
        let members = cage.basis.members().iter().map(|bead| bead - own.first);
        let mut start = [0; 4];
        let count = start.iter_mut().zip(members).map(|(slot, member)| *slot = member).count();
        let beads = &self.seen.beads()[own.range()];
        let found = smallest_sphere_from(beads, &SphereBasis::new(&start[..count]));
        let mut numbers = [0; 4];
        let members = found.basis.members();
        for (slot, member) in numbers.iter_mut().zip(members) {
            *slot = own.first + member;
        }
        let cage = &mut self.cages[node as usize];
        cage.basis = SphereBasis::new(&numbers[..members.len()]);
        cage.sphere = Ball::new(found.center, found.radius);
        cage.at = self.now;
        Ok(())
    }

    /// Reads the current position of a bead and checks it against its last position and the bead
    /// before it.
    pub(super) fn read_bead(&mut self, bead: usize, centers: &[DVec3]) -> Result<Ball> {
        let radius = self.seen.beads()[bead].radius;
        let ball = Ball::new(centers[bead], radius);
        let checked = check_bead(bead, &ball)
            .and_then(|()| self.check_motion(bead, centers[bead]))
            .and_then(|()| match bead.checked_sub(1) {
                Some(before) => self.check_link(bead, centers[before], centers[bead]),
                None => Ok(()),
            });
        if let Err(error) = checked {
            self.now.unknown += 1;
            return Err(error);
        }
        self.seen.set_checked_position(bead, centers[bead]);
        self.seen_at[bead] = self.now;
        Ok(ball)
    }

    fn check_motion(&self, bead: usize, center: DVec3) -> Result<()> {
        let promised = self.now.since(&self.seen_at[bead]);
        let found = length(center - self.seen.beads()[bead].center);
        check_promise("the farthest that it moved", bead, promised, found)
    }

    fn check_link(&self, bead: usize, before: DVec3, center: DVec3) -> Result<()> {
        let chain = self.seen.chain_of_bead();
        match self.longest_link {
            Some(promised) if chain[bead - 1] == chain[bead] => {
                check_promise("the longest link", bead, promised, length(center - before))
            }
            _ => Ok(()),
        }
    }
}

/// Checks a promise, allowing for the rounding of the distance.
fn check_promise(promise: &'static str, bead: usize, promised: f64, found: f64) -> Result<()> {
    if found * (1.0 - F64_SLACK) <= promised {
        return Ok(());
    }
    Err(Error::BrokenPromise { bead, promise, promised, found })
}

fn check_length(what: &'static str, length: f64) -> Result<()> {
    if length >= 0.0 && length.is_finite() {
        return Ok(());
    }
    let reason = "it is not a length";
    Err(Error::InvalidVector { what, vector: [length, 0.0, 0.0], reason })
}
