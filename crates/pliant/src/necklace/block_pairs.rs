//! Clashes of a necklace from boxes over chain order.
//!
//! The descent proceeds level by level. Consecutive blocks of a chain overlap by construction, so
//! they are not tested: the list has only pairs that are two or more apart. The list of a level
//! comes from the one above: four pairs of halves per overlapping pair, and three per pair of
//! consecutive nodes.

use super::blocks::{BLOCK, Blocks};
use super::clashes::{ClashMethod, Clashes, Collector};
use crate::shape::Necklace;
use crate::volume::{Aabb, Overlap};

/// Returns all clashes within a necklace, using boxes over chain order. This is fast where beads
/// that are far apart along the chain are far apart in space. Elsewhere it takes memory for all
/// pairs of blocks of four beads whose boxes overlap. `min_gap` is as for
/// [`clashes`](super::clashes()).
#[must_use]
pub fn clashes_by_blocks(necklace: &Necklace, min_gap: u32) -> Clashes {
    let mut blocks = Blocks::default();
    blocks.fill(necklace.beads().iter().copied(), 0.0);
    let mut found = Collector::new(necklace, min_gap);
    // Without a budget there is always an answer.
    let _ = collect_by_blocks(&blocks, u64::MAX, &mut found);
    found.finish(ClashMethod::Blocks)
}

/// Finds all clashes. Returns `None` if that takes more overlap tests than the budget; then no pair
/// has been collected.
pub(super) fn collect_by_blocks(
    blocks: &Blocks,
    budget: u64,
    found: &mut Collector<'_>,
) -> Option<()> {
    let pairs = overlapping_blocks(blocks, budget, &mut found.work.overlap_tests)?;
    collect_neighbours(blocks, found);
    for [a, b] in pairs {
        if found.is_over() {
            break;
        }
        collect_two_blocks(blocks, a, b, found);
    }
    Some(())
}

/// Pairs of blocks that are two or more apart along the chains and whose boxes overlap.
fn overlapping_blocks(blocks: &Blocks, budget: u64, tests: &mut u64) -> Option<Vec<[u32; 2]>> {
    let (mut above, mut list): (Vec<[u32; 2]>, Vec<[u32; 2]>) = (Vec::new(), Vec::new());
    for boxes in blocks.levels.iter().rev() {
        std::mem::swap(&mut above, &mut list);
        let parents = boxes.len().div_ceil(2);
        let most = 4 * above.len() + 3 * parents;
        *tests += most as u64;
        if *tests > budget {
            return None;
        }
        // Written without a branch: the next pair overwrites one that does not overlap.
        list.clear();
        list.resize(most + 1, [0; 2]);
        let mut count = 0;
        let mut test = |a: usize, b: usize, boxes: &[Aabb]| {
            list[count] = [a as u32, b as u32];
            count += usize::from(boxes[a].overlaps(&boxes[b]));
        };
        for parent in 0..parents {
            let (first, next) = (2 * parent, 2 * parent + 2);
            if next + 1 < boxes.len() {
                test(first, next, boxes);
                test(first, next + 1, boxes);
                test(first + 1, next + 1, boxes);
            } else if next < boxes.len() {
                test(first, next, boxes);
            }
        }
        for &[a, b] in &above {
            let (a, b) = (2 * a as usize, 2 * b as usize);
            test(a, b, boxes);
            test(a + 1, b, boxes);
            if b + 1 < boxes.len() {
                test(a, b + 1, boxes);
                test(a + 1, b + 1, boxes);
            }
        }
        list.truncate(count);
    }
    Some(list)
}

/// Pairs of beads within one block, and in two consecutive blocks.
fn collect_neighbours(blocks: &Blocks, found: &mut Collector<'_>) {
    let beads = found.beads();
    // Neighbours in the array that are not adjacent along a chain.
    found.collect_chain_ends();
    for start in (0..beads).step_by(BLOCK) {
        if found.is_over() {
            return;
        }
        let four = blocks.flat.four(start);
        for offset in 2..2 * BLOCK {
            if start + offset >= beads {
                break;
            }
            let mut hits = blocks.flat.touch_four(start + offset, four);
            while hits != 0 {
                let bead = start + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                // Beads two blocks apart are found by the descent.
                if bead + offset < (start + 2 * BLOCK).min(beads) {
                    found.consider(bead as u32, (bead + offset) as u32);
                }
            }
        }
        found.work.primitive_tests += (2 * BLOCK * BLOCK) as u64;
    }
}

/// Pairs of beads of two blocks.
#[inline]
pub(super) fn collect_two_blocks(blocks: &Blocks, a: u32, b: u32, found: &mut Collector<'_>) {
    let (a, b) = (a as usize * BLOCK, b as usize * BLOCK);
    found.work.primitive_tests += (BLOCK * BLOCK) as u64;
    for bead in a..a + BLOCK {
        let mut hits = blocks.flat.touch_four(b, blocks.flat.splat(bead));
        while hits != 0 {
            let other = b + hits.trailing_zeros() as usize;
            hits &= hits - 1;
            found.consider(bead as u32, other as u32);
        }
    }
}
