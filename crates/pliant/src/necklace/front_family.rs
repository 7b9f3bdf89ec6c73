//! The separating family of a front: pairs of nodes of the same level, each with a gap.

use std::ops::Range;

use super::block_pairs::collect_two_blocks;
use super::blocks::{BLOCK, Blocks};
use super::clashes::Collector;
use crate::numeric::F64_SLACK;
use crate::volume::{Apart, round_down, round_up};

/// Two nodes of the same level whose beads were apart at the reference. For opened blocks this
/// holds for the beads that are not watched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ApartPair {
    /// A lower bound of the true gap.
    pub(super) gap: f32,
    pub(super) level: u8,
    pub(super) opened: bool,
    pub(super) nodes: [u32; 2],
}

/// Whether two nodes are still apart, given how far their beads moved and the gap at the reference.
/// The sum is rounded once.
#[inline]
pub(super) fn remain_apart(first: f32, second: f32, gap: f32) -> bool {
    (first + second) * (1.0 + 2.0 * f32::EPSILON) < gap
}

pub(super) fn least_gap(family: &[ApartPair]) -> f32 {
    family.iter().fold(f32::INFINITY, |least, pair| least.min(pair.gap))
}

/// Computes the largest motion of each node's beads, level by level.
pub(super) fn motion_of_levels(moved: &mut Vec<Vec<f32>>, blocks: &Blocks) {
    moved.truncate(1);
    for level in 1..blocks.levels.len() {
        let below = &moved[level - 1];
        let above = below.chunks(2).map(|two| two.iter().fold(0.0f32, |most, &m| most.max(m)));
        let above = above.collect();
        moved.push(above);
    }
}

/// Returns the pairs of nodes that are apart by at least the skin, and the opened blocks, whose
/// closer beads go to `watch`. Returns `None` if this takes more overlap tests than the budget.
///
/// The boxes contain beads grown by half of the skin, so the beads of boxes that do not overlap are
/// apart by at least the skin plus the distance of the boxes.
pub(super) fn separate_blocks(
    blocks: &Blocks,
    skin: f64,
    budget: u64,
    watch: &mut Collector<'_>,
) -> Option<Vec<ApartPair>> {
    let mut family = Vec::new();
    let mut above: Vec<[u32; 2]> = Vec::new();
    for (level, boxes) in blocks.levels.iter().enumerate().rev() {
        let count = boxes.len() as u32;
        let mut list = Vec::new();
        let mut test = |a: u32, b: u32| {
            if a >= count || b >= count {
                return;
            }
            watch.work.overlap_tests += 1;
            let nodes = [a, b];
            let gap = box_gap(blocks, level, nodes, skin);
            if gap > 0.0 {
                family.push(ApartPair { gap, level: level as u8, opened: false, nodes });
            } else {
                list.push(nodes);
            }
        };
        // Consecutive nodes overlap by construction; see `block_pairs`.
        for first in (0..count).step_by(2) {
            test(first, first + 2);
            test(first, first + 3);
            test(first + 1, first + 3);
        }
        for [a, b] in above {
            test(2 * a, 2 * b);
            test(2 * a + 1, 2 * b);
            test(2 * a, 2 * b + 1);
            test(2 * a + 1, 2 * b + 1);
        }
        above = list;
        if watch.work.overlap_tests > budget {
            return None;
        }
    }
    let blocks_of = |a: u32| [[a, a], [a, a + 1]];
    let count = blocks.levels.first().map_or(0, Vec::len) as u32;
    let neighbours = (0..count).flat_map(blocks_of).filter(|pair| pair[1] < count);
    for nodes in neighbours.chain(above) {
        watch_blocks(blocks, nodes, watch);
        let gap = round_down(skin);
        family.push(ApartPair { gap, level: 0, opened: true, nodes });
    }
    Some(family)
}

/// A lower bound of the distance between the beads of two nodes; 0 if their grown boxes overlap.
fn box_gap(blocks: &Blocks, level: usize, [a, b]: [u32; 2], skin: f64) -> f32 {
    let boxes = &blocks.levels[level];
    let between = boxes[a as usize].distance_squared_to(&boxes[b as usize]);
    if between > 0.0 { round_down((between.sqrt() + skin) * (1.0 - F64_SLACK)) } else { 0.0 }
}

/// Reports the beads of two blocks that touch after each grows by half of the skin.
fn watch_blocks(blocks: &Blocks, [a, b]: [u32; 2], watch: &mut Collector<'_>) {
    if a != b {
        collect_two_blocks(blocks, a, b, watch);
        return;
    }
    let start = a as usize * BLOCK;
    for bead in start..start + BLOCK - 1 {
        let later = 0b1110 << (bead - start) & 0b1111;
        let mut hits = blocks.flat.touch_four(start, blocks.flat.splat(bead)) & later;
        while hits != 0 {
            watch.consider(bead as u32, (start + hits.trailing_zeros() as usize) as u32);
            hits &= hits - 1;
        }
    }
}

/// The parts of a pair that may no longer be apart: pairs of halves, or, for blocks, the same pair
/// opened, after its closer beads went to `watch`.
///
/// An opened pair holds in the current state by construction: its gap is at least twice what the
/// beads moved, and all beads that are closer are watched. Where twice the motion exceeds the
/// range of `f32`, the gap is infinite and all of its beads are watched.
pub(super) fn open(
    pair: &ApartPair,
    blocks: &Blocks,
    (moved, skin): (&[Vec<f32>], f64),
    watch: &mut Collector<'_>,
) -> Vec<ApartPair> {
    let [a, b] = pair.nodes;
    if pair.level == 0 {
        // Watch beads up to twice the distance that is needed now, so that the pair stays valid for
        // longer.
        let needed = f64::from(moved[0][a as usize]) + f64::from(moved[0][b as usize]);
        let gap = round_up(2.0 * needed.max(f64::from(pair.gap))).max(f32::MIN_POSITIVE);
        watch.watch_nearer(blocks_beads(a), blocks_beads(b), f64::from(gap));
        return vec![ApartPair { gap, opened: true, ..*pair }];
    }
    let level = usize::from(pair.level) - 1;
    let count = blocks.levels[level].len() as u32;
    let halves = |node: u32| [2 * node, 2 * node + 1].into_iter().filter(move |&h| h < count);
    let parts = halves(a).flat_map(|x| halves(b).map(move |y| [x, y]));
    let part = |nodes| {
        // At least the gap of the whole pair.
        let gap = box_gap(blocks, level, nodes, skin).max(pair.gap);
        ApartPair { gap, level: level as u8, opened: false, nodes }
    };
    parts.map(part).collect()
}

fn blocks_beads(block: u32) -> Range<u32> {
    let first = block * BLOCK as u32;
    first..first + BLOCK as u32
}
