//! The tree: two plain arrays.

use std::ops::Range;

/// The bit of [`Node`] that marks a leaf.
const LEAF: u32 = 1 << 31;

/// A node: a run of children, or of primitives if it is a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    first: u32,
    count_and_kind: u32,
}

impl Node {
    /// An inner node with the children `first .. first + count`.
    #[must_use]
    pub const fn inner(first: u32, count: u32) -> Self {
        Self { first, count_and_kind: count & !LEAF }
    }

    /// A leaf with the slots `first .. first + count` of [`Tree::primitives`].
    #[must_use]
    pub const fn leaf(first: u32, count: u32) -> Self {
        Self { first, count_and_kind: count | LEAF }
    }

    /// Whether the node has primitives and no children.
    #[must_use]
    #[inline]
    pub const fn is_leaf(self) -> bool {
        self.count_and_kind & LEAF != 0
    }

    /// The number of children or primitives.
    #[must_use]
    #[inline]
    pub const fn count(self) -> u32 {
        self.count_and_kind & !LEAF
    }

    /// The numbers of the children, or the slots of the primitives. Wraps around for an invalid
    /// node, so that inspecting it does not panic.
    #[must_use]
    #[inline]
    pub const fn range(self) -> Range<u32> {
        self.first..self.first.wrapping_add(self.count())
    }
}

/// A hierarchy over primitives `0 .. n`.
///
/// Node 0 is the root. The children of a node are side by side and after their parent, so a loop
/// from the last node to the first visits children before parents. `primitives` is a permutation of
/// `0 .. n`. A leaf owns a run of it, and so does every inner node through its leaves.
/// [`validate`](super::validate) checks all of this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The nodes, children after parents.
    pub nodes: Vec<Node>,
    /// The primitives in the order of the leaves.
    pub primitives: Vec<u32>,
}

impl Tree {
    /// The node with a number.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    #[inline]
    pub fn node(&self, number: u32) -> Node {
        self.nodes[number as usize]
    }

    /// The primitives of a leaf; none for an inner node.
    #[must_use]
    #[inline]
    pub fn leaf_primitives(&self, node: Node) -> &[u32] {
        if !node.is_leaf() {
            return &[];
        }
        let Range { start, end } = node.range();
        &self.primitives[start as usize..end as usize]
    }
}
