//! Clashes of a necklace that moves, step after step: last step's separating pairs are where
//! the next search starts.
//!
//! At some state, the reference, a descent through boxes over chain order finds pairs of nodes
//! that are apart, each with a gap: the separating family. Beads that were nearer than a margin,
//! the skin, are watched one by one. Later, a pair of nodes whose beads moved by at most D and E
//! since the reference is still apart if D + E is less than its gap. So a step measures how far
//! beads moved, looks at the pairs whose gap is small enough to be in doubt, opens those that
//! fail, and tests the beads that are watched.

use std::ops::Range;

use glam::DVec3;

use super::blocks::{BLOCK, Blocks};
use super::cell_list::collect_by_cells;
use super::clashes::{ClashMethod, Clashes, Collector, block_budget};
use super::front_family::{ApartPair, apart_still, carry_up, least_gap, open, separate_blocks};
use crate::Result;
use crate::contact::balls_touch;
use crate::numeric::F64_SLACK;
use crate::query::Work;
use crate::shape::{Necklace, check_bead, check_positions_count};
use crate::volume::{Ball, round_down, round_up};

/// A necklace in motion, with what kept its beads apart a step ago.
///
/// Every step gives what [`clashes`](super::clashes()) gives from scratch. Under small motion it
/// takes a fraction of the time; after a jump of a few beads, or of all, it is as right, and
/// slower.
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
    /// Beads nearer than this at the reference are watched.
    skin: f64,
    blocks: Blocks,
    /// The pairs that are apart. Without a family all pairs that are not watched are apart by the
    /// skin.
    family: Option<Vec<ApartPair>>,
    /// The smallest gap of the family.
    least_gap: f32,
    watched: Vec<[u32; 2]>,
    /// How many were watched at the reference.
    watched_at_first: usize,
    /// How far beads of each node moved since the reference, at the most, by level.
    moved: Vec<Vec<f32>>,
    references: u64,
}

impl ClashFront {
    /// Takes a necklace as it is now. Its beads are watched from a distance of their mean radius
    /// on.
    ///
    /// `min_gap` as for [`clashes`](super::clashes()).
    #[must_use]
    pub fn new(necklace: Necklace, min_gap: u32) -> Self {
        let sum: f64 = necklace.beads().iter().map(|bead| bead.radius).sum();
        let mean = sum / necklace.len() as f64;
        Self::with_skin(necklace, min_gap, mean)
    }

    /// As [`new`](Self::new), with another distance from which on beads are watched: a small one
    /// suits motion of little reach, a large one makes references rare and steps dearer. What is
    /// not positive and finite counts as zero.
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
            watched_at_first: 0,
            moved: Vec::new(),
            references: 0,
        };
        front.refer(&mut Work::default());
        front
    }

    /// Moves all beads and finds all clashes. On an error nothing has changed.
    ///
    /// # Errors
    /// As [`Necklace::set_positions`].
    pub fn step(&mut self, centers: &[DVec3]) -> Result<Clashes> {
        check_positions_count(centers.len(), self.reference.len())?;
        let farthest = self.measure(centers)?;
        let mut work = Work::default();
        if !self.still_apart(farthest, &mut work) {
            self.reference.set_positions(centers)?;
            self.refer(&mut work);
        }
        let beads = self.reference.beads();
        let now = |bead: u32| Ball::new(centers[bead as usize], beads[bead as usize].radius);
        let clash = |pair: &&[u32; 2]| balls_touch(&now(pair[0]), &now(pair[1]));
        work.primitive_tests += self.watched.len() as u64;
        let pairs = self.watched.iter().filter(clash).copied().collect();
        Ok(Clashes { pairs, method: ClashMethod::Front, work })
    }

    /// The separating family without the blocks that were opened: ranges of beads that are apart
    /// since the last reference, and now. Empty where beads are so densely packed that a grid of
    /// cells serves instead.
    pub fn family(&self) -> impl Iterator<Item = [Range<u32>; 2]> {
        let count = self.reference.len() as u32;
        let whole = self.family.iter().flatten().filter(|pair| !pair.opened);
        whole.map(move |pair| {
            let beads = (BLOCK as u32) << pair.level;
            pair.nodes.map(|node| node * beads..((node + 1) * beads).min(count))
        })
    }

    /// Pairs of beads that are tested at every step.
    #[must_use]
    pub fn watched(&self) -> &[[u32; 2]] {
        &self.watched
    }

    /// How often everything was sought anew, the first time included.
    #[must_use]
    pub fn references(&self) -> u64 {
        self.references
    }

    /// How far the beads of each block moved since the reference, rounded up, and the farthest of
    /// all.
    ///
    /// A distance errs by three roundings, covered by the slack, and by what vanishes in squares,
    /// which is far less than the smallest `f32`, to which it is rounded up.
    fn measure(&mut self, centers: &[DVec3]) -> Result<f32> {
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
        // A square may overflow where the place is finite.
        for (bead, (&center, then)) in centers.iter().zip(beads).enumerate() {
            check_bead(bead, &Ball::new(center, then.radius))?;
        }
        Ok(f32::INFINITY)
    }

    /// Whether what was apart still is, where need be after opening pairs. `false`: everything is
    /// to be sought anew.
    fn still_apart(&mut self, farthest: f32, work: &mut Work) -> bool {
        let Some(family) = &mut self.family else {
            return apart_still(farthest, farthest, round_down(self.skin));
        };
        if apart_still(farthest, farthest, self.least_gap) {
            return true;
        }
        if farthest == f32::INFINITY {
            return false;
        }
        carry_up(&mut self.moved, &self.blocks);
        let moved = &self.moved;
        let holds = |pair: &ApartPair| {
            let level = &moved[usize::from(pair.level)];
            let [a, b] = pair.nodes.map(|node| level[node as usize]);
            apart_still(a, b, pair.gap)
        };
        work.overlap_tests += family.len() as u64;
        let doubtful = |pair: &&ApartPair| !apart_still(farthest, farthest, pair.gap);
        let mut failed: Vec<ApartPair> =
            family.iter().filter(doubtful).filter(|pair| !holds(pair)).copied().collect();
        // More than a few: a new reference costs less than mending, and lasts longer.
        if failed.len() > self.reference.len() / 64 + 8 {
            return false;
        }
        if failed.is_empty() {
            return true;
        }
        family.retain(|pair| !doubtful(&pair) || holds(pair));
        let mut watch = Collector::untested(&self.reference, self.min_gap);
        while let Some(pair) = failed.pop() {
            work.overlap_tests += 1;
            for part in open(&pair, &self.blocks, (moved, self.skin), &mut watch) {
                if holds(&part) { family.push(part) } else { failed.push(part) }
            }
        }
        self.watched.append(&mut watch.pairs);
        self.watched.sort_unstable();
        self.watched.dedup();
        self.least_gap = least_gap(family);
        self.watched.len() <= 2 * self.watched_at_first + self.reference.len() / 8
    }

    /// Makes the present state the reference.
    fn refer(&mut self, work: &mut Work) {
        self.references += 1;
        // Each bead grown by half of the skin: two that do not touch are apart by all of it.
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
        self.watched_at_first = self.watched.len();
        self.moved.clear();
    }
}
