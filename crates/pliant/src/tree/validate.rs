//! Validation of the invariants of a tree.

use crate::{Error, Result};

use super::{Node, Tree};

/// Checks every invariant of a tree:
///
/// - there is a root;
/// - an inner node has at least two children, which exist and come after it;
/// - every node but the root has exactly one parent;
/// - a leaf holds at least one primitive;
/// - the leaves, depth first, hold the slots `0 .. n` of [`Tree::primitives`]
///   in order, so that every slot belongs to exactly one leaf, and every node
///   owns a contiguous run of slots;
/// - [`Tree::primitives`] is a permutation of `0 .. n`.
///
/// Time and memory are linear in the size of the tree, and there is no recursion.
///
/// ```
/// use pliant::tree::{validate, Node, Tree};
/// let twice = Tree { nodes: vec![Node::leaf(0, 2)], primitives: vec![0, 0] };
/// assert_eq!(
///     validate(&twice).unwrap_err().to_string(),
///     "the tree is not valid at node 0: it holds a primitive that another slot holds too",
/// );
/// ```
///
/// # Errors
/// [`Error::InvalidTree`] with the first invalid node and the invariant that it violates.
pub fn validate(tree: &Tree) -> Result<()> {
    if tree.nodes.is_empty() {
        return fail(0, "there is no root");
    }
    check_parents(tree)?;
    check_slots(tree)
}

fn fail(node: usize, reason: &'static str) -> Result<()> {
    Err(Error::InvalidTree { node, reason })
}

/// The range of a node; `None` if it exceeds `length`.
fn range_within(node: Node, length: usize) -> Option<std::ops::Range<usize>> {
    let start = node.range().start as usize;
    let end = start + node.count() as usize;
    (end <= length).then_some(start..end)
}

fn check_parents(tree: &Tree) -> Result<()> {
    let mut has_parent = vec![false; tree.nodes.len()];
    for (number, &node) in tree.nodes.iter().enumerate() {
        if node.is_leaf() {
            continue;
        }
        if node.count() < 2 {
            return fail(number, "an inner node has fewer than two children");
        }
        let Some(children) = range_within(node, tree.nodes.len()) else {
            return fail(number, "it has a child that does not exist");
        };
        if children.start <= number {
            return fail(number, "its children do not come after it");
        }
        for child in children {
            if std::mem::replace(&mut has_parent[child], true) {
                return fail(child, "it has two parents");
            }
        }
    }
    match has_parent.iter().skip(1).position(|&has| !has) {
        Some(before) => fail(before + 1, "it has no parent"),
        None => Ok(()),
    }
}

/// The parents must be valid; then the walk visits every node once.
fn check_slots(tree: &Tree) -> Result<()> {
    let count = tree.primitives.len();
    let mut is_held = vec![false; count];
    let mut next_slot = 0;
    let mut stack = vec![0];
    while let Some(number) = stack.pop() {
        let node = tree.nodes[number];
        if !node.is_leaf() {
            let children = node.range();
            stack.extend(children.rev().map(|child| child as usize));
            continue;
        }
        if node.count() == 0 {
            return fail(number, "a leaf holds no primitive");
        }
        let Some(slots) = range_within(node, count) else {
            return fail(number, "it holds a slot that does not exist");
        };
        if slots.start < next_slot {
            return fail(number, "it holds a slot that a leaf before it holds too");
        }
        if slots.start > next_slot {
            return fail(number, "it leaves out slots after those of the leaf before it");
        }
        next_slot = slots.end;
        for &primitive in &tree.primitives[slots] {
            match is_held.get_mut(primitive as usize) {
                None => return fail(number, "it holds a primitive that does not exist"),
                Some(true) => {
                    return fail(number, "it holds a primitive that another slot holds too");
                }
                Some(held) => *held = true,
            }
        }
    }
    if next_slot == count { Ok(()) } else { fail(0, "the last slots belong to no leaf") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with a leaf and an inner node with two leaves, slots 0 | 1 2 | 3.
    fn valid() -> Tree {
        let nodes = vec![
            Node::inner(1, 2),
            Node::leaf(0, 1),
            Node::inner(3, 2),
            Node::leaf(1, 2),
            Node::leaf(3, 1),
        ];
        Tree { nodes, primitives: vec![2, 0, 3, 1] }
    }

    /// Breaks the valid tree and expects this error.
    fn breaks(change: impl FnOnce(&mut Tree), node: usize, reason: &'static str) {
        let mut tree = valid();
        change(&mut tree);
        assert_eq!(validate(&tree), Err(Error::InvalidTree { node, reason }));
    }

    #[test]
    fn a_valid_tree_passes() {
        assert_eq!(validate(&valid()), Ok(()));
        assert_eq!(validate(&Tree { nodes: vec![Node::leaf(0, 1)], primitives: vec![0] }), Ok(()));
    }

    #[test]
    fn no_root() {
        breaks(|tree| tree.nodes.clear(), 0, "there is no root");
    }

    #[test]
    fn too_few_children() {
        let reason = "an inner node has fewer than two children";
        breaks(|tree| tree.nodes[2] = Node::inner(3, 1), 2, reason);
        breaks(|tree| tree.nodes[2] = Node::inner(3, 0), 2, reason);
    }

    #[test]
    fn children_out_of_range() {
        let reason = "it has a child that does not exist";
        breaks(|tree| tree.nodes[2] = Node::inner(4, 2), 2, reason);
        breaks(|tree| tree.nodes[2] = Node::inner(u32::MAX, 2), 2, reason);
        breaks(|tree| tree.nodes[2] = Node::inner(u32::MAX, u32::MAX), 2, reason);
    }

    #[test]
    fn children_before_their_parent() {
        let reason = "its children do not come after it";
        breaks(|tree| tree.nodes[2] = Node::inner(0, 2), 2, reason);
        breaks(|tree| tree.nodes[2] = Node::inner(2, 2), 2, reason);
    }

    #[test]
    fn two_parents() {
        breaks(|tree| tree.nodes[0] = Node::inner(1, 3), 3, "it has two parents");
    }

    #[test]
    fn no_parent() {
        breaks(|tree| tree.nodes.push(Node::leaf(3, 1)), 5, "it has no parent");
        breaks(|tree| tree.nodes[0] = Node::leaf(0, 4), 1, "it has no parent");
    }

    #[test]
    fn empty_leaf() {
        breaks(|tree| tree.nodes[1] = Node::leaf(0, 0), 1, "a leaf holds no primitive");
    }

    #[test]
    fn slots_out_of_range() {
        let reason = "it holds a slot that does not exist";
        breaks(|tree| tree.nodes[4] = Node::leaf(3, 2), 4, reason);
        breaks(|tree| tree.nodes[4] = Node::leaf(u32::MAX, u32::MAX), 4, reason);
    }

    #[test]
    fn slots_of_two_leaves() {
        let reason = "it holds a slot that a leaf before it holds too";
        breaks(|tree| tree.nodes[4] = Node::leaf(2, 2), 4, reason);
    }

    #[test]
    fn slots_of_no_leaf() {
        let reason = "it leaves out slots after those of the leaf before it";
        breaks(|tree| tree.nodes[3] = Node::leaf(1, 1), 4, reason);
        breaks(|tree| tree.primitives.push(4), 0, "the last slots belong to no leaf");
    }

    #[test]
    fn leaves_out_of_order() {
        // Every slot has a leaf, but the runs of the two children interleave.
        let reason = "it leaves out slots after those of the leaf before it";
        breaks(|tree| tree.nodes.swap(1, 4), 1, reason);
    }

    #[test]
    fn not_a_permutation() {
        let reason = "it holds a primitive that does not exist";
        breaks(|tree| tree.primitives[3] = 4, 4, reason);
        let reason = "it holds a primitive that another slot holds too";
        breaks(|tree| tree.primitives[3] = 0, 4, reason);
    }

    #[test]
    fn a_chain_needs_no_stack() {
        let count = 300_000;
        let mut nodes = vec![Node::inner(1, 2)];
        for slot in 0..count - 1 {
            nodes.push(Node::leaf(slot, 1));
            let last = nodes.len() as u32 + 1;
            nodes.push(if slot == count - 2 {
                Node::leaf(slot + 1, 1)
            } else {
                Node::inner(last, 2)
            });
        }
        assert_eq!(validate(&Tree { nodes, primitives: (0..count).collect() }), Ok(()));
    }
}
