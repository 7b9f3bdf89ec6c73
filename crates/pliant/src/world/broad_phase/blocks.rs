//! Searches in blocks, on all threads, whose pairs are handed over in the order of the blocks.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::query::Work;

/// Pairs that a block may hold back until its turn comes. One with more is searched again in its
/// turn, and its pairs go straight to the caller: memory stays bounded, however many there are.
const HELD: usize = 1 << 17;

/// Blocks per thread that are searched at once.
const AHEAD: usize = 4;

/// Blocks below which waking other threads takes longer than it saves.
const FEW: usize = 4;

/// A search for pairs that falls into independent blocks.
pub(super) trait Blocks: Sync {
    /// How many blocks there are.
    fn count(&self) -> usize;

    /// Calls `found` with all pairs of a block, in an order that depends on the block alone, until it
    /// breaks. Adds to `tests` what was tested.
    fn search<F: FnMut([u32; 2]) -> ControlFlow<()>>(
        &self,
        block: usize,
        tests: &mut u64,
        found: &mut F,
    ) -> ControlFlow<()>;
}

/// Calls `found` with the pairs of all blocks, in order.
///
/// What is reported, and the work, are the same for any number of threads: threads decide only who
/// searches a block.
pub(super) fn in_order(
    blocks: &impl Blocks,
    work: &mut Work,
    found: &mut dyn FnMut([u32; 2]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let count = blocks.count();
    let threads = rayon::current_num_threads();
    let held = |block: usize, mut pairs: Vec<[u32; 2]>| {
        let mut tests = 0;
        pairs.clear();
        let flow = blocks.search(block, &mut tests, &mut |pair| {
            pairs.push(pair);
            if pairs.len() > HELD { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        Held { block, pairs, tests, is_all: flow.is_continue() }
    };
    let mut hand_over = |held: &Held| {
        if held.is_all {
            work.overlap_tests += held.tests;
            held.pairs.iter().try_for_each(|&pair| found(pair))
        } else {
            let mut found = |pair| found(pair);
            blocks.search(held.block, &mut work.overlap_tests, &mut found)
        }
    };
    if threads == 1 || count < FEW {
        let mut pairs = Vec::new();
        for block in 0..count {
            let held = held(block, pairs);
            hand_over(&held)?;
            pairs = held.pairs;
        }
        return ControlFlow::Continue(());
    }
    for first in (0..count).step_by(AHEAD * threads) {
        let last = count.min(first + AHEAD * threads);
        let round: Vec<Held> =
            (first..last).into_par_iter().map(|block| held(block, Vec::new())).collect();
        round.iter().try_for_each(&mut hand_over)?;
    }
    ControlFlow::Continue(())
}

/// What a block found before its turn.
struct Held {
    block: usize,
    pairs: Vec<[u32; 2]>,
    tests: u64,
    is_all: bool,
}
