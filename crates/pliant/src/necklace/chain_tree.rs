//! A balanced binary tree over the beads in chain order.

use std::ops::Range;

use crate::shape::Necklace;

/// A node: consecutive beads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainNode {
    /// The first bead.
    pub first: u32,
    /// One past the last bead.
    pub end: u32,
    /// The node of the later half. The node of the earlier half is the next in the array. For a
    /// leaf, which has one bead, this is the node itself.
    pub later: u32,
}

impl ChainNode {
    /// The number of beads.
    #[must_use]
    #[inline]
    pub fn beads(&self) -> u32 {
        self.end - self.first
    }

    /// The beads as a range of array indices.
    #[must_use]
    #[inline]
    pub fn range(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A balanced binary tree over the beads in the order of their chains and never over space. Motion
/// therefore does not change it (Guibas et al. 2002, section 2.2). A node with beads of several
/// chains is split between two chains, as near to its middle as possible; a node within one chain
/// is split at its middle.
///
/// Nodes are in preorder: parents come before children, and the beads of siblings are consecutive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainTree {
    nodes: Vec<ChainNode>,
    leaf_of_bead: Vec<u32>,
    upward: Vec<u32>,
}

impl ChainTree {
    /// The tree of a necklace.
    #[must_use]
    pub fn new(necklace: &Necklace) -> Self {
        let starts: Vec<u32> =
            (0..necklace.chains()).filter_map(|c| Some(necklace.chain(c)?.0.start)).collect();
        let beads = necklace.len() as u32;
        let mut nodes = Vec::with_capacity(2 * necklace.len() - 1);
        let mut leaf_of_bead = Vec::with_capacity(necklace.len());
        // Later halves wait on a stack, so that there is no recursion.
        let mut waiting: Vec<(u32, u32, Option<u32>)> = vec![(0, beads, None)];
        while let Some((first, end, parent)) = waiting.pop() {
            let node = nodes.len() as u32;
            if let Some(parent) = parent {
                let parent: &mut ChainNode = &mut nodes[parent as usize];
                parent.later = node;
            }
            nodes.push(ChainNode { first, end, later: node });
            if end - first > 1 {
                let middle = split(&starts, first, end);
                waiting.push((middle, end, Some(node)));
                waiting.push((first, middle, None));
            } else {
                leaf_of_bead.push(node);
            }
        }
        let mut tree = Self { nodes, leaf_of_bead, upward: Vec::new() };
        let depths = tree.depths();
        tree.upward =
            (0..tree.nodes.len() as u32).filter(|&n| tree.children(n).is_some()).collect();
        tree.upward.sort_by_key(|&node| std::cmp::Reverse(depths[node as usize]));
        tree
    }

    /// The nodes; the first is the root.
    #[must_use]
    #[inline]
    pub fn nodes(&self) -> &[ChainNode] {
        &self.nodes
    }

    /// The leaf of each bead.
    #[must_use]
    pub fn leaf_of_bead(&self) -> &[u32] {
        &self.leaf_of_bead
    }

    /// All inner nodes, the deepest level first. Children come before parents, and a node seldom
    /// depends on the one just before it.
    #[must_use]
    pub fn upward(&self) -> &[u32] {
        &self.upward
    }

    /// The children of a node; `None` for a leaf.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    #[inline]
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        let later = self.nodes[node as usize].later;
        (later != node).then_some([node + 1, later])
    }

    /// The largest distance from the root to a leaf.
    #[must_use]
    pub fn height(&self) -> usize {
        self.depths().into_iter().max().unwrap_or(0)
    }

    fn depths(&self) -> Vec<usize> {
        let mut depth = vec![0; self.nodes.len()];
        for node in 0..self.nodes.len() as u32 {
            if let Some(children) = self.children(node) {
                for child in children {
                    depth[child as usize] = depth[node as usize] + 1;
                }
            }
        }
        depth
    }
}

/// Where a node is split: between chains if it has several, otherwise in the middle.
fn split(starts: &[u32], first: u32, end: u32) -> u32 {
    let middle = first + (end - first) / 2;
    if starts.len() < 2 {
        return middle;
    }
    let inside = starts.partition_point(|&s| s <= first)..starts.partition_point(|&s| s < end);
    let starts = &starts[inside];
    let after = starts.partition_point(|&s| s < middle);
    let nearest = starts[after.saturating_sub(1)..].iter().take(2);
    nearest.copied().min_by_key(|s| s.abs_diff(middle)).unwrap_or(middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Chain;
    use crate::volume::Ball;
    use glam::DVec3;
    use proptest::prelude::*;

    fn tree(chains: &[usize]) -> ChainTree {
        let count = chains.iter().sum();
        let beads = vec![Ball::new(DVec3::ZERO, 1.0); count];
        let chains: Vec<Chain> =
            chains.iter().map(|&beads| Chain { beads, closed: false }).collect();
        ChainTree::new(&Necklace::new(beads, &chains).unwrap())
    }

    #[test]
    fn powers_of_two_make_a_perfect_tree() {
        for height in 0..8 {
            assert_eq!(tree(&[1 << height]).height(), height);
        }
        assert_eq!(tree(&[1000]).height(), 10);
    }

    #[test]
    fn chains_are_told_apart_first() {
        let tree = tree(&[3, 4, 1]);
        let [earlier, later] = tree.children(0).unwrap();
        assert_eq!(tree.nodes()[earlier as usize].range(), 0..3);
        assert_eq!(tree.nodes()[later as usize].range(), 3..8);
        let [earlier, _] = tree.children(later).unwrap();
        assert_eq!(tree.nodes()[earlier as usize].range(), 3..7);
    }

    proptest! {
        #[test]
        fn children_share_out_the_beads(chains in proptest::collection::vec(1..30usize, 1..12)) {
            let tree = tree(&chains);
            let beads: usize = chains.iter().sum();
            prop_assert_eq!(tree.nodes().len(), 2 * beads - 1);
            for node in 0..tree.nodes().len() as u32 {
                let own = tree.nodes()[node as usize];
                match tree.children(node) {
                    None => prop_assert_eq!(own.beads(), 1),
                    Some([a, b]) => {
                        let [a, b] = [a, b].map(|child| tree.nodes()[child as usize]);
                        prop_assert!(a.first == own.first && a.end == b.first && b.end == own.end);
                        prop_assert!(a.beads() > 0 && b.beads() > 0);
                    }
                }
            }
            prop_assert!(tree.height() <= 2 + 2 * beads.ilog2() as usize);
        }
    }
}
