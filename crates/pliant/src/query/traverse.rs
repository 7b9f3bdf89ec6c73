//! The one traversal of two trees, which all queries about pairs share.
//!
//! The traversal knows trees and volumes of nodes. What a query looks for is in its
//! [`PairVisitor`]: which pairs of nodes are worth opening, and what happens where leaves
//! meet. So a test of triangles at rest, over a step or within a distance, and a test of
//! other primitives, are visitors of the same code.
//!
//! The traversal has two parts. As long as both nodes have children, both are opened at
//! once. Where one of the nodes is a leaf and the other is not, the primitives of the leaf
//! are *held*, one after the other, and each goes alone down the rest of the other tree:
//! from then on the held primitive itself prunes, which is tighter than any volume.

use super::Work;
use super::pair_list::PairList;
use crate::body::Collide;
use crate::tree::{Node, Tree};
use crate::volume::Volume;

/// Two nodes, one of each tree.
pub(crate) type NodePair = [u32; 2];

/// Whether a query goes on after it was told of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on.
    Continue,
    /// The query has its answer.
    Stop,
}

/// Whether the traversal goes below something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descent {
    /// Nothing below matters.
    Prune,
    /// Something below may matter.
    Descend,
}

impl Descent {
    /// `Descend` if something below may matter.
    #[inline(always)]
    pub(crate) fn when(may_matter: bool) -> Self {
        if may_matter { Self::Descend } else { Self::Prune }
    }
}

/// One of the two trees of a traversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The first tree.
    First,
    /// The second tree.
    Second,
}

/// A tree whose nodes have volumes: all that a traversal asks of either side.
pub(crate) trait BoundedTree {
    /// The kind of volume.
    type Volume: Volume;

    /// The hierarchy over the primitives.
    fn tree(&self) -> &Tree;

    /// The volume of a node.
    fn bound(&self, node: u32) -> Self::Volume;

    /// See [`Collide::looked_at`].
    fn looked_at(&self, bounds: u64) {
        let _ = bounds;
    }
}

impl<C: Collide> BoundedTree for C {
    type Volume = <C as Collide>::Volume;

    #[inline(always)]
    fn tree(&self) -> &Tree {
        Collide::tree(self)
    }

    #[inline(always)]
    fn bound(&self, node: u32) -> Self::Volume {
        Collide::bound(self, node)
    }

    fn looked_at(&self, bounds: u64) {
        Collide::looked_at(self, bounds);
    }
}

/// What a query decides during the traversal of the trees of `A` and `B`.
///
/// `trees` are the two sides as the traversal was given them: a visitor need not keep them.
/// (Kept in the visitor they cost 2 % more instructions per query.) The traversal counts
/// bounds and overlap tests; the visitor counts primitive tests.
pub(crate) trait PairVisitor<A: BoundedTree, B: BoundedTree> {
    /// A primitive of a leaf, prepared to meet many nodes and primitives of the other tree.
    type Held;

    /// Whether two nodes with these volumes are worth opening. In doubt, `Descend`.
    ///
    /// The visitor may be asked about volumes of the same nodes any number of times.
    fn meet_nodes(&self, a: &A::Volume, b: &B::Volume) -> Descent;

    /// Takes all pairs of primitives of two leaves into account.
    fn meet_leaves(&mut self, trees: (&A, &B), of_a: &[u32], of_b: &[u32], work: &mut Work)
    -> Flow;

    /// Prepares a primitive of a leaf of one tree.
    fn hold(&self, trees: (&A, &B), side: Side, primitive: u32) -> Self::Held;

    /// Whether a held primitive may matter to anything inside a volume of the other tree. In
    /// doubt, `Descend`.
    fn held_meets_node<V: Volume>(&self, held: &Self::Held, volume: &V) -> Descent;

    /// Whether a held primitive goes below an inner node of the other tree with this volume,
    /// for which [`held_meets_node`](Self::held_meets_node) said `Descend`. In doubt, `Descend`.
    ///
    /// This is the place for a sharper test that pays where many primitives may be pruned.
    fn held_enters_node<V: Volume>(&self, held: &Self::Held, volume: &V) -> Descent {
        let _ = (held, volume);
        Descent::Descend
    }

    /// Takes all pairs of a held primitive and the primitives of a leaf of the other tree into
    /// account. `side` is that of the held primitive.
    fn held_meets_leaf(
        &mut self,
        trees: (&A, &B),
        held: &Self::Held,
        side: Side,
        others: &[u32],
        work: &mut Work,
    ) -> Flow;
}

/// How far a traversal goes before it returns what is left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stride {
    /// Pairs of nodes opened before the rest is returned.
    pub(crate) steps: usize,
    /// Pairs of nodes taken from the stack at once, at most [`BLOCK`]. Within a block no
    /// step waits for the outcome of the one before, so that the processor works on several
    /// at a time.
    pub(crate) block: usize,
}

/// The longest block: enough to hide the latency of memory, and small enough to keep the
/// stack short.
pub(crate) const BLOCK: usize = 32;

/// Shows a visitor everything below pairs of nodes that it found worth opening. Returns the
/// pairs that are not opened when the stride's steps are used up, in no particular order.
///
/// Which pairs are opened depends on the trees, the volumes and the visitor alone. If the
/// visitor stops, nothing is left.
#[inline]
pub(crate) fn traverse<A: BoundedTree, B: BoundedTree>(
    a: &A,
    b: &B,
    starts: Vec<NodePair>,
    stride: Stride,
    work: &mut Work,
    visitor: &mut impl PairVisitor<A, B>,
) -> Vec<NodePair> {
    let mut lists = Lists { stack: PairList::from(starts), leaves: PairList::default() };
    let mut block = [[0; 2]; BLOCK];
    let mut steps = stride.steps;
    let mut path = Vec::new();
    while !lists.stack.is_empty() && steps > 0 {
        let block = lists.stack.take_last(&mut block[..stride.block.min(steps)]);
        steps -= block.len();
        for &mut pair in block {
            open(a, b, pair, &mut lists, work, visitor);
        }
        for &[node_a, node_b] in lists.leaves.as_slice() {
            let (leaf_a, leaf_b) = (a.tree().node(node_a), b.tree().node(node_b));
            let flow = if leaf_a.is_leaf() & leaf_b.is_leaf() {
                let (of_a, of_b) =
                    (a.tree().leaf_primitives(leaf_a), b.tree().leaf_primitives(leaf_b));
                visitor.meet_leaves((a, b), of_a, of_b, work)
            } else if leaf_a.is_leaf() {
                let held = a.tree().leaf_primitives(leaf_a);
                hold_leaf::<A, B, B, true>(held, b, node_b, (a, b), &mut path, work, visitor)
            } else {
                let held = b.tree().leaf_primitives(leaf_b);
                hold_leaf::<A, B, A, false>(held, a, node_a, (a, b), &mut path, work, visitor)
            };
            if flow == Flow::Stop {
                return Vec::new();
            }
        }
        lists.leaves.clear();
    }
    lists.stack.into_vec()
}

/// Takes the primitives of a leaf of one side down the tree of the other side, below an
/// inner node.
#[inline]
fn hold_leaf<A: BoundedTree, B: BoundedTree, Other: BoundedTree, const OF_FIRST: bool>(
    primitives: &[u32],
    other: &Other,
    start: u32,
    trees: (&A, &B),
    path: &mut Vec<u32>,
    work: &mut Work,
    visitor: &mut impl PairVisitor<A, B>,
) -> Flow {
    let side = if OF_FIRST { Side::First } else { Side::Second };
    for &primitive in primitives {
        let held = visitor.hold(trees, side, primitive);
        path.push(start);
        while let Some(number) = path.pop() {
            for child in other.tree().node(number).range() {
                work.bounds += 1;
                work.overlap_tests += 1;
                let volume = other.bound(child);
                if visitor.held_meets_node(&held, &volume) == Descent::Prune {
                    continue;
                }
                let node = other.tree().node(child);
                if !node.is_leaf() {
                    if visitor.held_enters_node(&held, &volume) == Descent::Descend {
                        path.push(child);
                    }
                    continue;
                }
                let others = other.tree().leaf_primitives(node);
                if visitor.held_meets_leaf(trees, &held, side, others, work) == Flow::Stop {
                    return Flow::Stop;
                }
            }
        }
    }
    Flow::Continue
}

/// Where pairs of nodes go that are worth opening: those with a leaf to a list of their own,
/// all others back to the stack.
struct Lists {
    stack: PairList,
    leaves: PairList,
}

/// Opens a pair of nodes: tests the children of one against those of the other.
///
/// Both are opened at once, since then each bound that is evaluated serves in two or more
/// tests.
#[inline(always)]
fn open<A: BoundedTree, B: BoundedTree>(
    a: &A,
    b: &B,
    pair: NodePair,
    lists: &mut Lists,
    work: &mut Work,
    visitor: &impl PairVisitor<A, B>,
) {
    let [number_a, number_b] = pair;
    let (node_a, node_b) = (a.tree().node(number_a), b.tree().node(number_b));
    if node_a.is_leaf() | node_b.is_leaf() {
        lists.leaves.add_if(true, pair);
        return;
    }
    let (first_a, first_b) = (node_a.range().start, node_b.range().start);
    if node_a.count() != 2 || node_b.count() != 2 {
        return open_wide(a, b, [node_a, node_b], lists, work, visitor);
    }
    let leaf_a = [a.tree().node(first_a).is_leaf(), a.tree().node(first_a + 1).is_leaf()];
    let leaf_b = [b.tree().node(first_b).is_leaf(), b.tree().node(first_b + 1).is_leaf()];
    work.bounds += 4;
    work.overlap_tests += 4;
    let (a0, a1) = (a.bound(first_a), a.bound(first_a + 1));
    let (b0, b1) = (b.bound(first_b), b.bound(first_b + 1));
    let descends = |a: &A::Volume, b: &B::Volume| visitor.meet_nodes(a, b) == Descent::Descend;
    let belongs = [descends(&a0, &b0), descends(&a0, &b1), descends(&a1, &b0), descends(&a1, &b1)];
    let pairs = [
        [first_a, first_b],
        [first_a, first_b + 1],
        [first_a + 1, first_b],
        [first_a + 1, first_b + 1],
    ];
    if !(leaf_a[0] | leaf_a[1] | leaf_b[0] | leaf_b[1]) {
        lists.stack.add_four(belongs, pairs);
        return;
    }
    let leaves = [
        leaf_a[0] | leaf_b[0],
        leaf_a[0] | leaf_b[1],
        leaf_a[1] | leaf_b[0],
        leaf_a[1] | leaf_b[1],
    ];
    let with = |i: usize| belongs[i] & leaves[i];
    let without = |i: usize| belongs[i] & !leaves[i];
    lists.leaves.add_four([with(0), with(1), with(2), with(3)], pairs);
    lists.stack.add_four([without(0), without(1), without(2), without(3)], pairs);
}

/// Opens two nodes of which at least one has more than two children.
#[inline]
fn open_wide<A: BoundedTree, B: BoundedTree>(
    a: &A,
    b: &B,
    [node_a, node_b]: [Node; 2],
    lists: &mut Lists,
    work: &mut Work,
    visitor: &impl PairVisitor<A, B>,
) {
    work.bounds += u64::from(node_a.count() * node_b.count().div_ceil(4) + node_b.count());
    work.overlap_tests += u64::from(node_a.count()) * u64::from(node_b.count());
    // Children of b are taken four at a time and kept while all children of a pass by.
    let range_b = node_b.range();
    for start in range_b.clone().step_by(4) {
        let kept = [0, 1, 2, 3].map(|i| b.bound((start + i).min(range_b.end - 1)));
        for child_a in node_a.range() {
            let volume = a.bound(child_a);
            let leaf_a = a.tree().node(child_a).is_leaf();
            for (child_b, kept) in (start..range_b.end).zip(&kept) {
                let belongs = visitor.meet_nodes(&volume, kept) == Descent::Descend;
                let leaf = leaf_a | b.tree().node(child_b).is_leaf();
                lists.leaves.add_if(belongs & leaf, [child_a, child_b]);
                lists.stack.add_if(belongs & !leaf, [child_a, child_b]);
            }
        }
    }
}

#[cfg(test)]
#[path = "traverse_tests.rs"]
mod tests;
