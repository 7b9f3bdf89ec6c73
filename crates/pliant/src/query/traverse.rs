//! The one descent through two trees that all pair queries share.
//!
//! It has two parts. As long as both nodes have children of their own, both are
//! opened at once. Where a leaf appears, its triangles are held, one after the
//! other, and go alone down the rest of the other tree ([`hold_leaf`]): from then
//! on the triangle's own box and plane cull, which are tighter than any bound.

use super::Work;
use crate::body::Collide;
use crate::contact::{PreparedTriangle, triangles_touch};
use crate::tree::Node;
use crate::volume::{Aabb, Overlap, Volume};

/// Two nodes, one of each tree, whose volumes overlap.
pub(super) type NodePair = [u32; 2];

/// Whether a query goes on after it was told of something.
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
}

/// The longest block: enough to hide the latency of memory, and small enough to
/// keep the stack short.
pub(super) const BLOCK: usize = 32;

/// What a query wants to know of pairs of triangles.
pub(super) trait PairVisitor {
    /// Whether a pair counts at all.
    fn counts(&self, pair: [u32; 2]) -> bool;

    /// A pair that touches.
    fn found(&mut self, pair: [u32; 2]) -> Flow;
}

/// Finds all touching triangles below pairs of nodes whose volumes overlap. What is
/// not opened when the stride's steps are used up is returned, in no particular order.
///
/// Which pairs are opened depends on the trees and volumes alone.
#[inline]
pub(super) fn descend<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    starts: Vec<NodePair>,
    stride: Stride,
    work: &mut Work,
    visitor: &mut impl PairVisitor,
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
    let mut path = Vec::new();
    while lists.stack.len > 0 && steps > 0 {
        let block = lists.stack.take_last(&mut block[..stride.block.min(steps)]);
        steps -= block.len();
        for &mut pair in block {
            open(a, b, pair, &mut lists, work);
        }
        for &[node_a, node_b] in lists.leaves.as_slice() {
            let (leaf_a, leaf_b) = (a.tree().node(node_a), b.tree().node(node_b));
            let flow = if leaf_a.is_leaf() & leaf_b.is_leaf() {
                both_leaves(a, leaf_a, b, leaf_b, work, visitor)
            } else if a.tree().node(node_a).is_leaf() {
                hold_leaf(a, node_a, b, node_b, |[i, j]| [i, j], &mut path, work, visitor)
            } else {
                hold_leaf(b, node_b, a, node_a, |[j, i]| [i, j], &mut path, work, visitor)
            };
            if flow == Flow::Stop {
                return Vec::new();
            }
        }
        lists.leaves.len = 0;
    }
    let mut rest = lists.stack;
    rest.pairs.truncate(rest.len);
    rest.pairs
}

/// Tests the triangles of two leaves.
#[inline(always)]
fn both_leaves<A: Collide, B: Collide>(
    a: &A,
    leaf_a: Node,
    b: &B,
    leaf_b: Node,
    work: &mut Work,
    visitor: &mut impl PairVisitor,
) -> Flow {
    for &i in a.tree().leaf_primitives(leaf_a) {
        for &j in b.tree().leaf_primitives(leaf_b) {
            if !visitor.counts([i, j]) {
                continue;
            }
            work.primitive_tests += 1;
            if triangles_touch(&a.triangle(i), &b.triangle(j))
                && visitor.found([i, j]) == Flow::Stop
            {
                return Flow::Stop;
            }
        }
    }
    Flow::Continue
}

/// Takes the triangles of a leaf down the other body's tree, below an inner node.
///
/// The plane is asked about inner nodes only: for a leaf the exact test, whose first
/// step it is, asks it more sharply.
#[inline]
#[expect(clippy::too_many_arguments, reason = "the state of a descent, spelled out")]
fn hold_leaf<H: Collide, O: Collide>(
    holder: &H,
    leaf: u32,
    other: &O,
    start: u32,
    in_order: impl Fn([u32; 2]) -> [u32; 2],
    path: &mut Vec<u32>,
    work: &mut Work,
    visitor: &mut impl PairVisitor,
) -> Flow {
    for &held in holder.tree().leaf_primitives(holder.tree().node(leaf)) {
        let corners = holder.triangle(held);
        let [p, q, r] = corners.map(|corner| corner.as_vec3a());
        let around = Aabb::around_nearest(p.min(q).min(r), p.max(q).max(r));
        let triangle = PreparedTriangle::new(corners);
        path.push(start);
        while let Some(number) = path.pop() {
            for child in other.tree().node(number).range() {
                work.bounds += 1;
                work.overlap_tests += 1;
                let volume = other.bound(child);
                if !volume.overlaps(&around) {
                    continue;
                }
                let node = other.tree().node(child);
                if !node.is_leaf() {
                    let [min, max] = volume.corners();
                    if !triangle.is_beside(min, max) {
                        path.push(child);
                    }
                    continue;
                }
                for &primitive in other.tree().leaf_primitives(node) {
                    let pair = in_order([held, primitive]);
                    if !visitor.counts(pair) {
                        continue;
                    }
                    work.primitive_tests += 1;
                    if triangle.touches(&other.triangle(primitive))
                        && visitor.found(pair) == Flow::Stop
                    {
                        return Flow::Stop;
                    }
                }
            }
        }
    }
    Flow::Continue
}

/// Where overlapping pairs go: those with a leaf to their own list, all others back
/// to the stack.
struct Lists {
    stack: PairList,
    leaves: PairList,
}

/// Opens a pair of nodes: tests the children of one against those of the other.
///
/// Both are opened at once, since then each bound that is evaluated serves in two
/// or more tests.
#[inline(always)]
fn open<A: Collide, B: Collide>(a: &A, b: &B, pair: NodePair, lists: &mut Lists, work: &mut Work)
where
    A::Volume: Overlap<B::Volume>,
{
    let [number_a, number_b] = pair;
    let (node_a, node_b) = (a.tree().node(number_a), b.tree().node(number_b));
    if node_a.is_leaf() | node_b.is_leaf() {
        lists.leaves.add_if(true, pair);
        return;
    }
    let (first_a, first_b) = (node_a.range().start, node_b.range().start);
    if node_a.count() != 2 || node_b.count() != 2 {
        return open_wide(a, b, node_a, node_b, lists, work);
    }
    let leaf_a = [a.tree().node(first_a).is_leaf(), a.tree().node(first_a + 1).is_leaf()];
    let leaf_b = [b.tree().node(first_b).is_leaf(), b.tree().node(first_b + 1).is_leaf()];
    work.bounds += 4;
    work.overlap_tests += 4;
    let (a0, a1) = (a.bound(first_a), a.bound(first_a + 1));
    let (b0, b1) = (b.bound(first_b), b.bound(first_b + 1));
    let overlaps = [a0.overlaps(&b0), a0.overlaps(&b1), a1.overlaps(&b0), a1.overlaps(&b1)];
    let pairs = [
        [first_a, first_b],
        [first_a, first_b + 1],
        [first_a + 1, first_b],
        [first_a + 1, first_b + 1],
    ];
    if !(leaf_a[0] | leaf_a[1] | leaf_b[0] | leaf_b[1]) {
        lists.stack.add_four(overlaps, pairs);
        return;
    }
    let leaves = [
        leaf_a[0] | leaf_b[0],
        leaf_a[0] | leaf_b[1],
        leaf_a[1] | leaf_b[0],
        leaf_a[1] | leaf_b[1],
    ];
    let with = |i: usize| overlaps[i] & leaves[i];
    let without = |i: usize| overlaps[i] & !leaves[i];
    lists.leaves.add_four([with(0), with(1), with(2), with(3)], pairs);
    lists.stack.add_four([without(0), without(1), without(2), without(3)], pairs);
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
        let kept = [0, 1, 2, 3].map(|i| b.bound((start + i).min(range_b.end - 1)));
        for child_a in node_a.range() {
            let volume = a.bound(child_a);
            let leaf_a = a.tree().node(child_a).is_leaf();
            for (child_b, kept) in (start..range_b.end).zip(&kept) {
                let overlap = volume.overlaps(kept);
                let leaf = leaf_a | b.tree().node(child_b).is_leaf();
                lists.leaves.add_if(overlap & leaf, [child_a, child_b]);
                lists.stack.add_if(overlap & !leaf, [child_a, child_b]);
            }
        }
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
