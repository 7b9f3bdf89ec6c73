//! A wrapped hierarchy that is verified only where a query comes by, and exact nevertheless.
//!
//! New positions are not looked at when they come. A query that reaches a node needs a sphere that
//! contains the node's beads now, and there are three, each with its proof:
//!
//! 1. **Grown.** The cage was verified when the necklace's odometer, the sum of the promised
//!    motions, stood at m, and stands at m' now. No bead is farther than m' - m from where it was,
//!    so the cage grown by m' - m contains them all. Costs nothing but an addition.
//! 2. **Reached along the chain.** If links are at most s long, a bead k links from the node's
//!    middle bead is at most k s from it: a sphere around that bead of radius k s, k being the
//!    links to the farther end, and of the largest bead radius more, contains them all. Costs one
//!    position. For nodes within one chain.
//! 3. **Verified.** All beads of the node are looked at: the sphere of the old basis if none
//!    escaped, else that of a new one. Costs a node's beads, and makes the first kind tight again.
//!
//! So without promises every visited node is verified or opened, with them only those for which
//! the cheap spheres do not tell. What the caller promises is checked wherever beads are looked at.

use std::sync::Arc;

use glam::DVec3;

use super::{Cages, ChainTree, Wrapped};
use crate::numeric::F64_SLACK;
use crate::shape::{Necklace, check_bead, check_positions_count};
use crate::volume::{Ball, SphereBasis, smallest_sphere_from};
use crate::{Error, Result};

/// What the caller knows about a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// A promise: no bead is farther from where it was at the last call than this.
    AtMost(f64),
    /// Beads may be anywhere.
    Unknown,
}

/// A wrapped hierarchy that looks at beads only where a query needs it.
///
/// For each new state: tell it how far beads moved ([`moved`](Self::moved)), then ask
/// ([`first_clash_on_demand`](super::first_clash_on_demand),
/// [`clashes_on_demand`](super::clashes_on_demand)) and give all positions of that state. The
/// answer is that of brute force if the promises hold: that of the motion, and that of the longest
/// link if one was made. A bead that a query looks at and that breaks one is an
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
    /// The beads as they were when last looked at.
    seen: Necklace,
    seen_at: Vec<Stamp>,
    tree: Arc<ChainTree>,
    cages: Vec<Verified>,
    now: Stamp,
    longest_link: Option<f64>,
}

/// A moment: how far beads moved in all, and how often nobody knows how far.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stamp {
    odometer: f64,
    unknown: u64,
}

impl Stamp {
    /// How far a bead can be from where it was at an earlier moment.
    ///
    /// The odometer is rounded up at each addition, so its difference is not below the sum in
    /// between, but for one rounding.
    #[inline]
    fn since(&self, earlier: &Self) -> f64 {
        if self.unknown == earlier.unknown {
            (self.odometer - earlier.odometer) * (1.0 + F64_SLACK)
        } else {
            f64::INFINITY
        }
    }
}

/// A cage, when it was verified, and the largest radius of its node's beads.
#[derive(Debug, Clone, Copy)]
struct Verified {
    sphere: Ball,
    basis: SphereBasis,
    at: Stamp,
    largest_bead: f64,
}

/// A sphere that contains a node's beads now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cage {
    pub(super) sphere: Ball,
    /// What its radius would be about, were it verified.
    pub(super) tight: f64,
    pub(super) fresh: bool,
}

impl OnDemand {
    /// Builds the hierarchy of a necklace as it is now.
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

    /// A promise for all states to come: two neighbours along a chain are never farther from one
    /// another than this.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] if it is not a finite number, or negative;
    /// [`Error::BrokenPromise`] if it does not hold now.
    pub fn promise_longest_link(mut self, length: f64) -> Result<Self> {
        check_length("longest link", length)?;
        self.longest_link = Some(length);
        let beads = self.seen.beads();
        for bead in 1..self.seen.len() {
            self.check_link(bead, beads[bead - 1].center, beads[bead].center)?;
        }
        Ok(self)
    }

    /// Tells how far beads moved since the last call, without saying where. Takes no time.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] if the distance is not a finite number, or negative; nothing has
    /// changed.
    #[inline]
    pub fn moved(&mut self, motion: Motion) -> Result<()> {
        match motion {
            Motion::AtMost(0.0) => {}
            Motion::AtMost(distance) => {
                check_length("motion", distance)?;
                self.now.odometer = (self.now.odometer + distance).next_up();
            }
            Motion::Unknown => self.now.unknown += 1,
        }
        Ok(())
    }

    /// The necklace: its chains and radii. Positions are those when a bead was last looked at.
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

    /// The best sphere around a node's beads that takes no look at all of them.
    #[inline]
    pub(super) fn cage(&self, node: u32, centers: &[DVec3]) -> Result<Cage> {
        let known = &self.cages[node as usize];
        let motion = self.now.since(&known.at);
        let radius = (known.sphere.radius + motion) * (1.0 + F64_SLACK);
        let grown = Ball::new(known.sphere.center, radius);
        let tight = known.sphere.radius;
        if motion == 0.0 {
            return Ok(Cage { sphere: known.sphere, tight, fresh: true });
        }
        let reached = self.reached(node, centers)?;
        let sphere = if reached.radius < grown.radius { reached } else { grown };
        Ok(Cage { sphere, tight, fresh: false })
    }

    /// The sphere around the middle bead that the chain cannot leave; infinite where nothing is
    /// known.
    fn reached(&self, node: u32, centers: &[DVec3]) -> Result<Ball> {
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

    /// Looks at all beads of a node: checks the promises, and makes the cage the smallest.
    ///
    /// After a broken promise nothing that was concluded from it is used any more.
    pub(super) fn verify(&mut self, node: u32, centers: &[DVec3]) -> Result<()> {
        let own = self.tree.nodes()[node as usize];
        for bead in own.range() {
            self.look_at(bead, centers)?;
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

    /// A bead where it is now, checked against where it was and against the one before it.
    pub(super) fn look_at(&mut self, bead: usize, centers: &[DVec3]) -> Result<Ball> {
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
        self.seen.see(bead, centers[bead]);
        self.seen_at[bead] = self.now;
        Ok(ball)
    }

    fn check_motion(&self, bead: usize, center: DVec3) -> Result<()> {
        let promised = self.now.since(&self.seen_at[bead]);
        let found = (center - self.seen.beads()[bead].center).length();
        keep("the farthest that it moved", bead, promised, found)
    }

    fn check_link(&self, bead: usize, before: DVec3, center: DVec3) -> Result<()> {
        let chain = self.seen.chain_of_bead();
        match self.longest_link {
            Some(promised) if chain[bead - 1] == chain[bead] => {
                keep("the longest link", bead, promised, (center - before).length())
            }
            _ => Ok(()),
        }
    }
}

/// A promise kept, rounding of the distance granted.
fn keep(promise: &'static str, bead: usize, promised: f64, found: f64) -> Result<()> {
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
