//! Clashes of a moving necklace, step by step. Each search starts from the separating pairs of the
//! last step.
//!
//! At a reference state, a descent through boxes over chain order finds pairs of nodes that are
//! apart, each with a gap: the separating family (Guibas et al. 2002, section 3.1). Pairs of beads
//! that are closer than a margin, the skin, are watched one by one. A pair of nodes whose beads
//! have moved by at most D and E since the reference is still apart if D + E is less than its gap.
//! A step therefore measures how far beads moved, tests the pairs with small gaps, opens those that
//! fail, and tests the watched beads.

use std::ops::Range;

use glam::DVec3;

use super::blocks::{BLOCK, Blocks};
use super::cell_list::collect_by_cells;
use super::clashes::{ClashMethod, Clashes, Collector, block_budget};
use super::front_family::{
    ApartPair, least_gap, motion_of_levels, open, remain_apart, separate_blocks,
};
use crate::Result;
use crate::contact::balls_touch;
use crate::numeric::F64_SLACK;
use crate::query::Work;
use crate::shape::{Necklace, check_bead, check_positions_count};
use crate::volume::{Ball, round_down, round_up};

/// Pairs of nodes that a step opens, per bead, before it takes a new reference instead. Two beads
/// that moved far from all others open about one pair per bead.
const OPENED_PER_BEAD: u64 = 8;

/// A moving necklace with the separating family of the last step.
///
/// Every step gives the same pairs as [`clashes`](super::clashes()). Under small motion it takes a
/// fraction of the time. After a jump of some or all beads the answer is still exact, but the step
/// is slower.
///
/// ```
/// use pliant::{Necklace, glam::DVec3, necklace::ClashFront};
/// let at = |t: f64| -> Vec<DVec3> {
///     let turn = |i: i32| f64::from(i) * (0.05 + t);
///     (0..100).map(|i| DVec3::new(20.0 * turn(i).cos(), 20.0 * turn(i).sin(), 0.0)).collect()
/// };
/// let mut front = ClashFront::new(Necklace::open(&at(0.0), 0.5)?, 2);
/// assert!(front.step(&at(0.001))?.pairs.is_empty());
/// assert!(!front.step(&at(0.02))?.pairs.is_empty()); // it meets its own tail
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClashFront {
    /// The beads at the reference.
    reference: Necklace,
    min_gap: u32,
    /// Pairs of beads closer than this at the reference are watched.
    skin: f64,
    blocks: Blocks,
    /// The pairs of nodes that are apart. Without a family, all pairs of beads that are not watched
    /// are apart by the skin.
    family: Option<Vec<ApartPair>>,
    /// The smallest gap of the family.
    least_gap: f32,
    watched: Vec<[u32; 2]>,
    /// The number of watched pairs at the reference.
    watched_at_reference: usize,
    /// An upper bound of the motion of each node's beads since the reference, by level.
    moved: Vec<Vec<f32>>,
    references: u64,
}

impl ClashFront {
    /// Takes a necklace at its current positions. The skin is the mean radius of the beads.
    ///
    /// `min_gap` is as for [`clashes`](super::clashes()). All near pairs are kept, without a limit: where
    /// very many beads may be at one place, ask [`clashes_up_to`](super::clashes_up_to) first.
    #[must_use]
    pub fn new(necklace: Necklace, min_gap: u32) -> Self {
        let sum: f64 = necklace.beads().iter().map(|bead| bead.radius).sum();
        let mean = sum / necklace.len() as f64;
        Self::with_skin(necklace, min_gap, mean)
    }

    /// The same as [`new`](Self::new) with another skin. A small skin suits small motion; a large
    /// one makes references rare and steps more expensive. A value that is not positive and finite
    /// counts as zero.
    #[must_use]
    pub fn with_skin(necklace: Necklace, min_gap: u32, skin: f64) -> Self {
        let skin = if skin > 0.0 && skin.is_finite() { skin } else { 0.0 };
        let mut front = Self {
            reference: necklace,
            min_gap,
            skin,
            blocks: Blocks::default(),
            family: None,
            least_gap: 0.0,
            watched: Vec::new(),
            watched_at_reference: 0,
            moved: Vec::new(),
            references: 0,
        };
        front.set_reference(&mut Work::default());
        front
    }

    /// Moves all beads and returns all clashes. On an error nothing changes.
    ///
    /// # Errors
    /// As [`Necklace::set_positions`].
    pub fn step(&mut self, centers: &[DVec3]) -> Result<Clashes> {
        check_positions_count(centers.len(), self.reference.len())?;
        let farthest = self.measure_motion(centers)?;
        let mut work = Work::default();
        if !self.update_family(farthest, &mut work) {
            self.reference.set_positions(centers)?;
            self.set_reference(&mut work);
        }
        let beads = self.reference.beads();
        let now = |bead: u32| Ball::new(centers[bead as usize], beads[bead as usize].radius);
        let clash = |pair: &&[u32; 2]| balls_touch(&now(pair[0]), &now(pair[1]));
        work.primitive_tests += self.watched.len() as u64;
        let pairs = self.watched.iter().filter(clash).copied().collect();
        Ok(Clashes { pairs, method: ClashMethod::Front, work })
    }

    /// The separating family without the opened blocks: pairs of ranges of beads that have been
    /// apart since the last reference. Empty where beads are so dense that a grid of cells is used
    /// instead.
    pub fn family(&self) -> impl Iterator<Item = [Range<u32>; 2]> {
        let count = self.reference.len() as u32;
        let whole = self.family.iter().flatten().filter(|pair| !pair.opened);
        whole.map(move |pair| {
            let beads = (BLOCK as u32) << pair.level;
            pair.nodes.map(|node| node * beads..((node + 1) * beads).min(count))
        })
    }

    /// The pairs of beads that every step tests.
    #[must_use]
    pub fn watched(&self) -> &[[u32; 2]] {
        &self.watched
    }

    /// The number of searches from scratch, including the first.
    #[must_use]
    pub fn references(&self) -> u64 {
        self.references
    }

    /// Computes how far the beads of each block moved since the reference, rounded up, and returns
    /// the largest of these.
    ///
    /// The slack covers the three roundings of a distance. Underflow in squares is far below the
    /// smallest `f32`, and the result is rounded up to `f32`.
    fn measure_motion(&mut self, centers: &[DVec3]) -> Result<f32> {
        let beads = self.reference.beads();
        if self.moved.is_empty() {
            self.moved.push(Vec::new());
        }
        let moved = &mut self.moved[0];
        moved.clear();
        let mut farthest = 0.0f32;
        let mut finite = true;
        for (now, then) in centers.chunks(BLOCK).zip(beads.chunks(BLOCK)) {
            let mut most = 0.0f64;
            for (now, then) in now.iter().zip(then) {
                let squared = (*now - then.center).length_squared();
                finite &= squared < f64::INFINITY;
                most = most.max(squared);
            }
            let most = round_up(most.sqrt() * (1.0 + F64_SLACK) + 1e-60);
            moved.push(most);
            farthest = farthest.max(most);
        }
        if finite {
            return Ok(farthest);
        }
        // A square may overflow although the position is finite.
        for (bead, (&center, then)) in centers.iter().zip(beads).enumerate() {
            check_bead(bead, &Ball::new(center, then.radius))?;
        }
        Ok(f32::INFINITY)
    }

    /// Whether all pairs of the family are still apart, possibly after opening some of them.
    /// `false` means that a new reference is needed.
    fn update_family(&mut self, farthest: f32, work: &mut Work) -> bool {
        let Some(family) = &mut self.family else {
            return remain_apart(farthest, farthest, round_down(self.skin));
        };
        if remain_apart(farthest, farthest, self.least_gap) {
            return true;
        }
        if farthest == f32::INFINITY {
            return false;
        }
        motion_of_levels(&mut self.moved, &self.blocks);
        let moved = &self.moved;
        let holds = |pair: &ApartPair| {
            let level = &moved[usize::from(pair.level)];
            let [a, b] = pair.nodes.map(|node| level[node as usize]);
            remain_apart(a, b, pair.gap)
        };
        work.overlap_tests += family.len() as u64;
        let doubtful = |pair: &&ApartPair| !remain_apart(farthest, farthest, pair.gap);
        let mut failed: Vec<ApartPair> =
            family.iter().filter(doubtful).filter(|pair| !holds(pair)).copied().collect();
        // If many pairs fail, a new reference costs less than opening them, and lasts longer.
        if failed.len() > self.reference.len() / 64 + 8 {
            return false;
        }
        if failed.is_empty() {
            return true;
        }
        family.retain(|pair| !doubtful(&pair) || holds(pair));
        let mut watch = Collector::untested(&self.reference, self.min_gap);
        // Levels descend and an opened block is final, so this ends. A few beads that moved far may
        // still open most of the necklace, which costs more than a new reference.
        let most = work.overlap_tests + OPENED_PER_BEAD * self.reference.len() as u64;
        while let Some(pair) = failed.pop() {
            work.overlap_tests += 1;
            if work.overlap_tests > most {
                return false;
            }
            for part in open(&pair, &self.blocks, (moved, self.skin), &mut watch) {
                if part.opened || holds(&part) { family.push(part) } else { failed.push(part) }
            }
        }
        self.watched.append(&mut watch.pairs);
        self.watched.sort_unstable();
        self.watched.dedup();
        self.least_gap = least_gap(family);
        self.watched.len() <= 2 * self.watched_at_reference + self.reference.len() / 8
    }

    /// Makes the current state the reference.
    fn set_reference(&mut self, work: &mut Work) {
        self.references += 1;
        // Each bead grows by half of the skin: two grown beads that do not touch are apart by the
        // whole skin.
        let half = self.skin * 0.5 * (1.0 + F64_SLACK);
        let beads = self.reference.beads().iter().copied();
        self.blocks.fill(beads, half);
        let mut watch = Collector::untested(&self.reference, self.min_gap);
        let budget = 4 * block_budget(&self.blocks);
        self.family = separate_blocks(&self.blocks, self.skin, budget, &mut watch);
        if let Some(family) = &self.family {
            self.least_gap = least_gap(family);
        } else {
            watch.pairs.clear();
            collect_by_cells(self.reference.beads(), half, &mut watch);
        }
        *work += watch.work;
        self.watched = watch.pairs;
        self.watched.sort_unstable();
        self.watched.dedup();
        self.watched_at_reference = self.watched.len();
        self.moved.clear();
    }
}
