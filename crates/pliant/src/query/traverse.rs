//! The one descent through two trees that all pair queries share.

use super::Work;
use crate::body::Collide;
use crate::tree::Node;
use crate::volume::Overlap;

/// Two nodes, one of each tree, whose volumes overlap.
pub(super) type NodePair = [u32; 2];

/// What to do after some pairs of leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Go on.
    Continue,
    /// The query has its answer.
    Stop,
}

/// How far a descent goes before it hands something over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stride {
    /// Pairs of nodes opened before the rest is returned.
    pub(super) steps: usize,
    /// Pairs of nodes taken from the stack at once, [`BLOCK`] at the most. Within
    /// a block no step waits for the outcome of the one before, so that the
    /// processor works on several at a time.
    pub(super) block: usize,
    /// Pairs of leaves collected before they are handed over. Collecting them
    /// keeps the overlap tests and the triangle tests in loops of their own.
    pub(super) leaves: usize,
}

/// The longest block: enough to hide the latency of memory, and small enough to
/// keep the stack short.
pub(super) const BLOCK: usize = 32;

/// Descends from pairs of nodes whose volumes overlap to all pairs of leaves
/// whose volumes overlap all the way down. What is not opened when the stride's
/// steps are used up is returned, in no particular order.
///
/// Which pairs are opened depends on the trees and volumes alone.
#[inline]
pub(super) fn descend<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    starts: Vec<NodePair>,
    stride: Stride,
    work: &mut Work,
    mut leaves: impl FnMut(&mut Work, &[NodePair]) -> Flow,
) -> Vec<NodePair>
where
    A::Volume: Overlap<B::Volume>,
{
    let mut lists = Lists {
        stack: PairList { len: starts.len(), pairs: starts },
        leaves: PairList { pairs: Vec::new(), len: 0 },
    };
    let mut block = [[0; 2]; BLOCK];
    let mut steps = stride.steps;
    while lists.stack.len > 0 && steps > 0 {
        let block = lists.stack.take_last(&mut block[..stride.block.min(steps)]);
        steps -= block.len();
        for &mut pair in block {
            open(a, b, pair, &mut lists, work);
        }
        if lists.leaves.len >= stride.leaves {
            if leaves(work, lists.leaves.as_slice()) == Flow::Stop {
                return Vec::new();
            }
            lists.leaves.len = 0;
        }
    }
    if leaves(work, lists.leaves.as_slice()) == Flow::Stop {
        return Vec::new();
    }
    let mut rest = lists.stack;
    rest.pairs.truncate(rest.len);
    rest.pairs
}

/// Where overlapping pairs go: two leaves to their own list, all others back to the stack.
struct Lists {
    stack: PairList,
    leaves: PairList,
}

/// Opens a pair of nodes: tests the children of one against those of the other,
/// where a leaf counts as its own only child.
///
/// Both are opened at once, since then each bound that is evaluated serves in two
/// or more tests.
#[inline(always)]
fn open<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    [number_a, number_b]: NodePair,
    lists: &mut Lists,
    work: &mut Work,
) where
    A::Volume: Overlap<B::Volume>,
{
    let (node_a, node_b) = (a.tree().node(number_a), b.tree().node(number_b));
    let (first_a, first_b) = (node_a.range().start, node_b.range().start);
    match (node_a.is_leaf(), node_b.is_leaf()) {
        (false, false) if node_a.count() == 2 && node_b.count() == 2 => {
            work.bounds += 4;
            work.overlap_tests += 4;
            let (a0, a1) = (child(a, first_a), child(a, first_a + 1));
            let (b0, b1) = (child(b, first_b), child(b, first_b + 1));
            let overlaps = [
                a0.volume.overlaps(&b0.volume),
                a0.volume.overlaps(&b1.volume),
                a1.volume.overlaps(&b0.volume),
                a1.volume.overlaps(&b1.volume),
            ];
            let pairs = [
                [first_a, first_b],
                [first_a, first_b + 1],
                [first_a + 1, first_b],
                [first_a + 1, first_b + 1],
            ];
            if a0.is_leaf & a1.is_leaf & b0.is_leaf & b1.is_leaf {
                lists.leaves.add_four(overlaps, pairs);
            } else if !((a0.is_leaf | a1.is_leaf) & (b0.is_leaf | b1.is_leaf)) {
                lists.stack.add_four(overlaps, pairs);
            } else {
                let leaves = [
                    a0.is_leaf & b0.is_leaf,
                    a0.is_leaf & b1.is_leaf,
                    a1.is_leaf & b0.is_leaf,
                    a1.is_leaf & b1.is_leaf,
                ];
                let both = |i: usize| overlaps[i] & leaves[i];
                let open = |i: usize| overlaps[i] & !leaves[i];
                lists.leaves.add_four([both(0), both(1), both(2), both(3)], pairs);
                lists.stack.add_four([open(0), open(1), open(2), open(3)], pairs);
            }
        }
        (true, _) => {
            let volume = a.bound(number_a);
            work.bounds += 1;
            let range = if node_b.is_leaf() { number_b..number_b + 1 } else { node_b.range() };
            for number in range {
                work.bounds += 1;
                work.overlap_tests += 1;
                let child = child(b, number);
                let overlap = volume.overlaps(&child.volume);
                lists.add_if(overlap, child.is_leaf, [number_a, number]);
            }
        }
        (false, true) => {
            let volume = b.bound(number_b);
            work.bounds += 1;
            for number in node_a.range() {
                work.bounds += 1;
                work.overlap_tests += 1;
                let child = child(a, number);
                let overlap = child.volume.overlaps(&volume);
                lists.add_if(overlap, child.is_leaf, [number, number_b]);
            }
        }
        (false, false) => open_wide(a, b, node_a, node_b, lists, work),
    }
}

/// Opens two nodes of which at least one has more than two children.
#[inline]
fn open_wide<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    node_a: Node,
    node_b: Node,
    lists: &mut Lists,
    work: &mut Work,
) where
    A::Volume: Overlap<B::Volume>,
{
    work.bounds += u64::from(node_a.count() * node_b.count().div_ceil(4) + node_b.count());
    work.overlap_tests += u64::from(node_a.count()) * u64::from(node_b.count());
    // Children of b are taken by fours and kept while all children of a pass by.
    let range_b = node_b.range();
    for start in range_b.clone().step_by(4) {
        let kept = [0, 1, 2, 3].map(|i| child(b, (start + i).min(range_b.end - 1)));
        let kept = &kept[..(range_b.end - start).min(4) as usize];
        for number in node_a.range() {
            let child_a = child(a, number);
            for child_b in kept {
                let overlap = child_a.volume.overlaps(&child_b.volume);
                let leaves = child_a.is_leaf & child_b.is_leaf;
                lists.add_if(overlap, leaves, [child_a.number, child_b.number]);
            }
        }
    }
}

/// A node about to be tested.
struct Child<V> {
    number: u32,
    is_leaf: bool,
    volume: V,
}

#[inline(always)]
fn child<A: Collide>(body: &A, number: u32) -> Child<A::Volume> {
    Child { number, is_leaf: body.tree().node(number).is_leaf(), volume: body.bound(number) }
}

impl Lists {
    /// Adds a pair to the list where it belongs, if it overlaps.
    #[inline(always)]
    fn add_if(&mut self, overlap: bool, leaves: bool, pair: NodePair) {
        self.leaves.add_if(overlap & leaves, pair);
        self.stack.add_if(overlap & !leaves, pair);
    }
}

/// A list of node pairs that grows without a branch on whether a pair belongs.
///
/// Overlap is as good as random to the processor: a branch on it is mispredicted
/// often, and each time costs more than the test. So every pair is written at the
/// end, and the end moves on only for those that belong.
#[derive(Debug)]
struct PairList {
    /// The list, and behind it room for more.
    pairs: Vec<NodePair>,
    len: usize,
}

impl PairList {
    /// The next four places behind the end.
    #[inline(always)]
    fn room(&mut self) -> &mut [NodePair; 4] {
        if self.pairs.len() < self.len + 4 {
            self.grow();
        }
        let room = self.pairs[self.len..].first_chunk_mut();
        room.expect("a list grows by more than four")
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.pairs.resize((2 * self.len).max(256), [0; 2]);
    }

    /// Adds a pair if it belongs.
    #[inline(always)]
    fn add_if(&mut self, belongs: bool, pair: NodePair) {
        self.room()[0] = pair;
        self.len += usize::from(belongs);
    }

    /// Adds those of four pairs that belong.
    #[inline(always)]
    fn add_four(&mut self, belongs: [bool; 4], pairs: [NodePair; 4]) {
        let room = self.room();
        let mut added = 0;
        for (belongs, pair) in belongs.into_iter().zip(pairs) {
            // At most three were added before: the mask changes nothing but spares a check.
            room[added & 3] = pair;
            added += usize::from(belongs);
        }
        self.len += added;
    }

    /// Moves as many pairs as there are, or as fit, from the end to `block`.
    #[inline(always)]
    fn take_last<'a>(&mut self, block: &'a mut [NodePair]) -> &'a mut [NodePair] {
        let count = self.len.min(block.len());
        let block = &mut block[..count];
        block.copy_from_slice(&self.pairs[self.len - count..self.len]);
        self.len -= count;
        block
    }

    fn as_slice(&self) -> &[NodePair] {
        &self.pairs[..self.len]
    }
}
