//! The leaves of two patches that rest nearest to one another.
//!
//! Where two patches cannot be shown to keep clear as a whole, it is mostly their common
//! border that is in doubt. From the distance at which doubt ends, the list tells the few
//! pairs of leaves that are left, without a descent through both.

use std::ops::Range;

use super::parts::Part;
use crate::numeric::REST_GAP_ERROR;
use crate::tree::Tree;
use crate::volume::round_down;

/// Pairs of leaves, at the most, that are listed for a pair of patches. Where doubt reaches
/// farther, a query opens the patches. More take longer to prepare and more memory.
pub(crate) const LISTED: usize = 64;

/// Two leaves, or one and itself, that rest near one another.
///
/// Lists are the largest part of what is prepared, and a query waits for each that it reads:
/// so they are kept short.
#[derive(Debug, Clone, Copy)]
struct NearLeaves {
    /// The nodes, counted from the list's.
    nodes: [u8; 2],
    /// Times the list's step not above the distance of any triangle of the one and any of
    /// the other that is not adjacent to it.
    steps: u16,
}

/// What is listed for a pair of patches.
#[derive(Debug, Clone)]
struct List {
    entries: Range<u32>,
    nodes: [u32; 2],
    step: f32,
    /// Not above the distance of triangles, not adjacent, of pairs of leaves that are not listed.
    beyond: f32,
}

/// Lists of leaves that rest near one another.
#[derive(Debug, Default)]
pub(crate) struct NearLists {
    lists: Vec<List>,
    entries: Vec<NearLeaves>,
}

/// Pairs of leaves and lower bounds of their distances, nearest first, as many as can be
/// listed; and a lower bound of the distance of all others.
pub(crate) type Nearest = (Vec<(f64, [u32; 2])>, f64);

impl NearLists {
    /// Adds a list; gives its number.
    ///
    /// The nodes of a patch are side by side, so that few bits tell them apart; a pair that
    /// they do not tell is not listed.
    pub(crate) fn add(&mut self, tree: &Tree, parts: [&Part; 2], (near, beyond): Nearest) -> u32 {
        let nodes = parts.map(|part| match tree.node(part.node) {
            leaf if leaf.is_leaf() => part.node,
            inner => inner.range().start,
        });
        let most = near.last().map_or(0.0, |&(gap, _)| gap);
        let step = round_down(most / f64::from(u16::MAX));
        let mut beyond = round_down(beyond);
        let start = self.entries.len() as u32;
        for (gap, leaves) in near {
            let local = |side: usize| u8::try_from(leaves[side].checked_sub(nodes[side])?).ok();
            match (local(0), local(1)) {
                (Some(first), Some(second)) => {
                    // Rounded down, also where the quotient was rounded up; never above 65535.
                    let steps = gap / f64::from(step) * (1.0 - REST_GAP_ERROR);
                    self.entries.push(NearLeaves { nodes: [first, second], steps: steps as u16 });
                }
                _ => beyond = beyond.min(round_down(gap)),
            }
        }
        self.lists.push(List { entries: start..self.entries.len() as u32, nodes, step, beyond });
        self.lists.len() as u32 - 1
    }

    /// Calls for each pair of leaves of a list that may have triangles, not adjacent, that
    /// rested no farther apart than `reach`, which is a number. The answer is whether all such were listed.
    #[inline]
    pub(crate) fn within(&self, list: u32, reach: f64, mut each: impl FnMut([u32; 2])) -> bool {
        let List { entries, nodes, step, beyond } = &self.lists[list as usize];
        if reach >= f64::from(*beyond) {
            return false;
        }
        let step = f64::from(*step);
        for entry in &self.entries[entries.start as usize..entries.end as usize] {
            if f64::from(entry.steps) * step > reach {
                break;
            }
            each([nodes[0] + u32::from(entry.nodes[0]), nodes[1] + u32::from(entry.nodes[1])]);
        }
        true
    }
}
