//! Searches in blocks, on all threads, whose pairs are handed over in the order of the blocks.

use std::ops::ControlFlow;

use crate::parallel::*;

use super::Found;
use crate::query::Work;

/// Pairs that a block may hold back until its turn comes. One with more is searched again in its
/// turn, and its pairs go straight to the caller: memory stays bounded, however many there are.
const HELD: usize = 1 << 17;

/// Blocks per thread that are searched at once.
const AHEAD: usize = 4;

/// Blocks below which waking other threads takes longer than it saves.
const FEW: usize = 4;

/// What is called with each pair of a search, until it breaks.
pub(super) trait OnPair: FnMut([u32; 2]) -> ControlFlow<()> {}

impl<F: FnMut([u32; 2]) -> ControlFlow<()>> OnPair for F {}

/// What searches tell.
pub(super) struct Report<F> {
    /// How many tests there were.
    pub(super) tests: u64,
    pub(super) found: F,
    /// Memory to work in.
    pub(super) memory: Vec<u32>,
}

/// Many independent searches for pairs.
pub(super) trait Searches: Sync {
    /// Searches that one thread does at a time.
    const PER_BLOCK: usize;

    /// How many searches there are.
    fn count(&self) -> usize;

    /// Tells all pairs of a search, in an order that depends on the search alone, until that breaks.
    fn search(&self, at: usize, to: &mut Report<impl OnPair>) -> ControlFlow<()>;
}

/// All searches of a block. Returns how many tests there were, and the memory.
fn search_block<S: Searches>(
    searches: &S,
    block: usize,
    found: impl OnPair,
    memory: Vec<u32>,
) -> (ControlFlow<()>, u64, Vec<u32>) {
    let mut to = Report { tests: 0, found, memory };
    let first = block * S::PER_BLOCK;
    let mut own = first..searches.count().min(first + S::PER_BLOCK);
    let flow = own.try_for_each(|at| searches.search(at, &mut to));
    (flow, to.tests, to.memory)
}

/// Calls `found` with the pairs of all searches, in order.
///
/// What is reported, and the work, are the same for any number of threads: threads decide only who
/// searches a block.
pub(super) fn in_order<S: Searches>(
    searches: &S,
    work: &mut Work,
    found: Found<'_>,
) -> ControlFlow<()> {
    let count = searches.count().div_ceil(S::PER_BLOCK);
    let threads = current_num_threads();
    let held = |block: usize, mut pairs: Vec<[u32; 2]>, memory: Vec<u32>| {
        pairs.clear();
        let push = |pair| {
            pairs.push(pair);
            if pairs.len() > HELD { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let (flow, tests, memory) = search_block(searches, block, push, memory);
        Held { block, pairs, tests, memory, is_all: flow.is_continue() }
    };
    let mut hand_over = |held: &Held| {
        if held.is_all {
            work.overlap_tests += held.tests;
            held.pairs.iter().try_for_each(|&pair| found(pair))
        } else {
            let (flow, tests, _) = search_block(searches, held.block, &mut *found, Vec::new());
            work.overlap_tests += tests;
            flow
        }
    };
    if threads == 1 || count < FEW {
        let (mut pairs, mut memory) = (Vec::new(), Vec::new());
        for block in 0..count {
            let held = held(block, pairs, memory);
            hand_over(&held)?;
            (pairs, memory) = (held.pairs, held.memory);
        }
        return ControlFlow::Continue(());
    }
    for first in (0..count).step_by(AHEAD * threads) {
        let last = count.min(first + AHEAD * threads);
        let round: Vec<Held> = (first..last)
            .into_par_iter()
            .map(|block| held(block, Vec::new(), Vec::new()))
            .collect();
        round.iter().try_for_each(&mut hand_over)?;
    }
    ControlFlow::Continue(())
}

/// What a block found before its turn.
struct Held {
    block: usize,
    pairs: Vec<[u32; 2]>,
    tests: u64,
    memory: Vec<u32>,
    is_all: bool,
}
