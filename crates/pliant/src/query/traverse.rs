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
    let mut stack = PairList { len: starts.len(), pairs: starts };
    let mut touching = PairList { pairs: Vec::new(), len: 0 };
    let mut block = [[0; 2]; BLOCK];
    let mut steps = stride.steps;
    while stack.len > 0 && steps > 0 {
        let block = stack.take_last(&mut block[..stride.block.min(steps)]);
        steps -= block.len();
        for &mut pair in block {
            open(a, b, pair, &mut stack, &mut touching, work);
        }
        if touching.len >= stride.leaves {
            if leaves(work, touching.as_slice()) == Flow::Stop {
                return Vec::new();
            }
            touching.len = 0;
        }
    }
    if leaves(work, touching.as_slice()) == Flow::Stop {
        return Vec::new();
    }
    stack.pairs.truncate(stack.len);
    stack.pairs
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
    stack: &mut PairList,
    touching: &mut PairList,
    work: &mut Work,
) where
    A::Volume: Overlap<B::Volume>,
{
    let (tree_a, tree_b) = (a.tree(), b.tree());
    let range = |number: u32, node: Node| {
        if node.is_leaf() { number..number + 1 } else { node.range() }
    };
    let range_a = range(number_a, tree_a.node(number_a));
    let range_b = range(number_b, tree_b.node(number_b));
    let tests = range_a.len() * range_b.len();
    stack.reserve(tests);
    touching.reserve(tests);
    work.overlap_tests += tests as u64;
    work.bounds += (range_a.len() + range_b.len()) as u64;
    let mut test = |a: &Child<A::Volume>, b: &Child<B::Volume>| {
        let overlap = a.volume.overlaps(&b.volume);
        let leaves = a.is_leaf & b.is_leaf;
        stack.add_if(overlap & !leaves, [a.number, b.number]);
        touching.add_if(overlap & leaves, [a.number, b.number]);
    };
    if range_a.len() == 2 && range_b.len() == 2 {
        let (a0, a1) = (child(a, range_a.start), child(a, range_a.start + 1));
        let (b0, b1) = (child(b, range_b.start), child(b, range_b.start + 1));
        test(&a0, &b0);
        test(&a0, &b1);
        test(&a1, &b0);
        test(&a1, &b1);
        return;
    }
    // Children of b are taken by fours and kept while all children of a pass by.
    for start in range_b.clone().step_by(4) {
        let last = range_b.end - 1;
        let kept = [0, 1, 2, 3].map(|i| child(b, (start + i).min(last)));
        let kept = &kept[..(range_b.end - start).min(4) as usize];
        for number in range_a.clone() {
            let child_a = child(a, number);
            kept.iter().for_each(|child_b| test(&child_a, child_b));
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
    /// Makes room for pairs that may be added.
    #[inline(always)]
    fn reserve(&mut self, additional: usize) {
        let needed = self.len + additional;
        if self.pairs.len() < needed {
            self.pairs.resize(needed.max(256).next_power_of_two(), [0; 2]);
        }
    }

    /// Adds a pair if it belongs. There must be room.
    #[inline(always)]
    fn add_if(&mut self, belongs: bool, pair: NodePair) {
        self.pairs[self.len] = pair;
        self.len += usize::from(belongs);
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
