//! All clashes of a necklace, by the method that suits its density.

use std::ops::Range;

use super::block_pairs::collect_by_blocks;
use super::blocks::Blocks;
use super::cell_list::collect_by_cells;
use crate::contact::balls_touch;
use crate::numeric::F64_SLACK;
use crate::query::Work;
use crate::shape::Necklace;
use crate::volume::Ball;
use crate::{Error, Result};

/// The clashing beads of a necklace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clashes {
    /// The pairs in ascending order, each with the smaller number first.
    pub pairs: Vec<[u32; 2]>,
    /// The method that found them.
    pub method: ClashMethod,
    /// The work it took.
    pub work: Work,
}

/// How clashes were found. All methods find the same pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClashMethod {
    /// Boxes over chain order.
    Blocks,
    /// A grid of cells.
    Cells,
    /// The separating pairs of the last step.
    Front,
    /// Cages that are verified only where a query visits them.
    OnDemand,
    /// All pairs.
    BruteForce,
}

/// Overlap tests per block of four beads after which boxes over chain order are abandoned for the
/// grid.
///
/// Measured ratios of the boxes' time to the grid's time: 0.2 at 3 tests per block (helix), 0.5 at
/// 16 (random walk), 0.8 at 25 to 45 (lattice globule, planar spiral), 0.9 at 65 and 1.05 at 83 (a
/// walk that fills a ball, 10,000 and 100,000 beads). An abandoned descent costs a few percent of
/// the grid's time.
const TESTS_PER_BLOCK: u64 = 72;

/// Returns all clashes within a necklace: pairs of beads that have a point in common, touching
/// included, and are not adjacent along a chain.
///
/// `min_gap` is the smallest number of links along a chain between two beads that may clash; at
/// least 2. The method is chosen by measuring how many beads are near one another in space but not
/// along the chain: a descent through boxes over chain order starts, and a grid of cells replaces
/// it once it has taken more tests than a loosely packed necklace needs.
///
/// ```
/// use pliant::{Necklace, glam::DVec3, necklace::clashes};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
/// let square = Necklace::open(&corners, 0.5)?;
/// assert_eq!(clashes(&square, 2).pairs, [[0, 3]]);
/// assert!(clashes(&Necklace::closed(&corners, 0.5)?, 2).pairs.is_empty());
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn clashes(necklace: &Necklace, min_gap: u32) -> Clashes {
    let mut found = Collector::new(necklace, min_gap);
    let method = collect(necklace, &mut found);
    found.finish(method)
}

/// The same as [`clashes`], unless there are more pairs than a limit.
///
/// The number of pairs is quadratic where many beads are at one place. This function takes memory
/// in proportion to the limit, and stops soon after the limit is passed.
///
/// # Errors
/// [`Error::TooMany`] with the number of pairs found so far.
///
/// ```
/// use pliant::{Error, Necklace, glam::DVec3, necklace::clashes_up_to};
/// let heap = Necklace::open(&[DVec3::ZERO; 10_000], 0.5)?;
/// let refused = clashes_up_to(&heap, 2, 1000);
/// assert!(matches!(refused, Err(Error::TooMany { limit: 1000, .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn clashes_up_to(necklace: &Necklace, min_gap: u32, limit: usize) -> Result<Clashes> {
    let mut found = Collector::up_to(necklace, min_gap, limit);
    let method = collect(necklace, &mut found);
    found.check_limit();
    if found.is_over() {
        let (what, count) = ("pairs of beads that clash", found.pairs.len());
        return Err(Error::TooMany { what, count, limit });
    }
    Ok(found.finish(method))
}

/// Collects all clashes by the method that suits the density.
fn collect(necklace: &Necklace, found: &mut Collector<'_>) -> ClashMethod {
    let mut blocks = Blocks::default();
    blocks.fill(necklace.beads().iter().copied(), 0.0);
    let budget = block_budget(&blocks);
    if collect_by_blocks(&blocks, budget, found).is_some() {
        return ClashMethod::Blocks;
    }
    collect_by_cells(necklace.beads(), 0.0, found);
    ClashMethod::Cells
}

/// The number of overlap tests that boxes over chain order may take.
pub(super) fn block_budget(blocks: &Blocks) -> u64 {
    let count = blocks.levels.first().map_or(0, Vec::len);
    TESTS_PER_BLOCK * count as u64 + 64
}

/// Receives pairs of beads that may touch and keeps those that clash, or all of them for a list of
/// pairs to watch.
pub(super) struct Collector<'a> {
    necklace: &'a Necklace,
    beads: &'a [Ball],
    min_gap: u32,
    keep_untested: bool,
    /// The largest number of pairs, and the number at which that is checked.
    limit: usize,
    check_at: usize,
    over: bool,
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) work: Work,
}

impl<'a> Collector<'a> {
    /// Keeps pairs that clash.
    pub(super) fn new(necklace: &'a Necklace, min_gap: u32) -> Self {
        Self::up_to(necklace, min_gap, usize::MAX)
    }

    /// Keeps pairs that clash; more than a limit are [`over`](Self::is_over).
    pub(super) fn up_to(necklace: &'a Necklace, min_gap: u32, limit: usize) -> Self {
        Self {
            necklace,
            beads: necklace.beads(),
            min_gap,
            keep_untested: false,
            limit,
            check_at: limit.saturating_add(1),
            over: false,
            pairs: Vec::new(),
            work: Work::default(),
        }
    }

    /// Whether there are more pairs than the limit: nothing more is kept, and the search may stop.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Compares the number of different pairs with the limit. A pair may be reported twice, so the
    /// next comparison waits until there are twice as many.
    #[cold]
    fn check_limit(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.over = self.pairs.len() > self.limit;
        self.check_at = self.pairs.len().saturating_mul(2).max(self.limit.saturating_add(1));
    }

    /// Keeps all pairs that are not exempt.
    pub(super) fn untested(necklace: &'a Necklace, min_gap: u32) -> Self {
        Self { keep_untested: true, ..Self::new(necklace, min_gap) }
    }

    pub(super) fn beads(&self) -> usize {
        self.beads.len()
    }

    /// Receives a pair, in any order.
    #[inline]
    pub(super) fn consider(&mut self, a: u32, b: u32) {
        let pair = [a.min(b), a.max(b)];
        if !self.necklace.exempt(a, b, self.min_gap)
            && (self.keep_untested || balls_touch(&self.beads[a as usize], &self.beads[b as usize]))
        {
            if self.pairs.len() >= self.check_at {
                self.check_limit();
            }
            if !self.over {
                self.pairs.push(pair);
            }
        }
    }

    /// Receives the last bead of each chain with the first of the next.
    pub(super) fn collect_chain_ends(&mut self) {
        for chain in 1..self.necklace.chains() {
            if let Some((range, _)) = self.necklace.chain(chain) {
                self.consider(range.start - 1, range.start);
            }
        }
    }

    /// Receives all pairs of two ranges whose gap may be at most a limit. Ranges may extend past
    /// the last bead.
    ///
    /// A computed gap is off by less than 8 units of 2^-53 of the sum of distance and radii.
    pub(super) fn watch_nearer(&mut self, first: Range<u32>, second: Range<u32>, limit: f64) {
        let end = self.beads.len() as u32;
        for a in first.start..first.end.min(end) {
            for b in second.start.max(a + 1)..second.end.min(end) {
                let (p, q) = (&self.beads[a as usize], &self.beads[b as usize]);
                let gap = p.gap_to(q);
                let doubt = F64_SLACK * (gap.abs() + 2.0 * (p.radius + q.radius));
                let least = gap - doubt;
                // NaN comes from an infinite gap less an infinite doubt.
                if least <= limit || least.is_nan() {
                    self.consider(a, b);
                }
            }
        }
    }

    pub(super) fn finish(mut self, method: ClashMethod) -> Clashes {
        self.pairs.sort_unstable();
        // Cells that share a slot may report a pair twice.
        self.pairs.dedup();
        Clashes { pairs: self.pairs, method, work: self.work }
    }
}
