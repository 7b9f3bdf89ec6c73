//! Grows a binary tree from items by recursive splitting, in parallel for large ranges.
//!
//! A subtree over `m` primitives has at most `2 m - 2` nodes below its root. Every subtree gets a
//! range of that length in the array of nodes before it is built. Its place therefore does not
//! depend on which thread builds it or when: threads write to disjoint slices, and the result is
//! the same for any number of threads. Leaves of several primitives leave gaps, which are removed
//! at the end.

use crate::parallel::*;

use super::item::Item;
use super::partition::Division;
use super::split::divide;
use super::{Node, Split, Tree};

/// All threads together split ranges above this size; one thread each splits smaller ones. This is
/// a constant, so that the tree does not depend on the number of threads.
pub(super) const PARALLEL: usize = 1 << 15;

/// Beyond this depth, ranges are split into equal halves by every rule.
const FREE_DEPTH: u32 = 64;

/// The largest depth of a tree that the builder returns for any input: 64 levels by the chosen
/// rule, plus 30 levels for halving 2^30 primitives. A root alone has depth 0. Stacks of traversals
/// rely on this.
pub const MAX_DEPTH: u32 = FREE_DEPTH + 30;

/// Marks an unused slot for a node: every inner node has children.
const UNUSED: Node = Node::inner(0, 0);

/// A range of items that becomes the subtree below a node.
struct Part<'a> {
    items: &'a mut [Item],
    /// A buffer of the same length to which items are moved.
    spare: &'a mut [Item],
    /// The output for the primitives of this range.
    primitives: &'a mut [u32],
    /// The output for the root of the subtree.
    root: &'a mut Node,
    /// The output for the nodes below the root.
    below: &'a mut [Node],
    /// The index of `primitives` in the tree.
    first_slot: u32,
    /// The index of `below` in the tree.
    first_below: u32,
    depth: u32,
}

/// A range of a part's items while one thread works on it.
struct Range {
    begin: usize,
    end: usize,
    /// The index of its node in the part's `below`; `None` for the part's root.
    node: Option<usize>,
    /// The index in the part's `below` of the nodes below that node.
    below: usize,
    depth: u32,
    /// Whether its items are in the spare array.
    in_spare: bool,
}

/// Builds the binary tree.
pub(super) fn grow(mut items: Vec<Item>, split: Split, leaf_size: usize) -> Tree {
    let count = items.len();
    let mut spare = items.clone();
    let mut primitives = vec![0; count];
    let mut nodes = vec![UNUSED; 2 * count - 1];
    if let Some((root, below)) = nodes.split_first_mut() {
        let (items, spare, primitives) = (&mut items[..], &mut spare[..], &mut primitives[..]);
        let whole =
            Part { items, spare, primitives, root, below, first_slot: 0, first_below: 1, depth: 0 };
        if count <= PARALLEL {
            whole.finish(split, leaf_size);
        } else {
            let mut parts = vec![whole];
            while parts.iter().any(|part| part.items.len() > PARALLEL) {
                parts = parts
                    .into_par_iter()
                    .flat_map_iter(|part| part.divide(split, leaf_size))
                    .collect();
            }
            parts.into_par_iter().for_each(|part| part.finish(split, leaf_size));
        }
    }
    if leaf_size > 1 {
        squeeze(&mut nodes);
    }
    Tree { nodes, primitives }
}

/// The rule at a depth. Without the limit, the depth could equal the number of primitives, if each
/// is twice as far away as the one before.
fn rule(split: Split, depth: u32) -> Split {
    if depth < FREE_DEPTH { split } else { Split::Median }
}

impl Part<'_> {
    /// Splits a large range in two; returns smaller ones unchanged.
    fn divide(self, split: Split, leaf_size: usize) -> Vec<Self> {
        if self.items.len() <= PARALLEL {
            return vec![self];
        }
        let Part { items, spare, primitives, root, below, first_slot, first_below, depth } = self;
        let (left, moved) = match divide(items, spare, rule(split, depth), leaf_size) {
            Division::At { left, moved } => (left, moved),
            Division::Leaf => {
                write_leaf(root, first_slot, items, primitives);
                return Vec::new();
            }
        };
        *root = Node::inner(first_below, 2);
        let (items, spare) = if moved { (spare, items) } else { (items, spare) };
        let (roots, below) = below.split_at_mut(2);
        let (left_root, right_root) = roots.split_at_mut(1);
        let (left_items, right_items) = items.split_at_mut(left);
        let (left_spare, right_spare) = spare.split_at_mut(left);
        let (left_primitives, right_primitives) = primitives.split_at_mut(left);
        let (left_below, right_below) = below.split_at_mut(2 * left - 2);
        vec![
            Part {
                items: left_items,
                spare: left_spare,
                primitives: left_primitives,
                root: &mut left_root[0],
                below: left_below,
                first_slot,
                first_below: first_below + 2,
                depth: depth + 1,
            },
            Part {
                items: right_items,
                spare: right_spare,
                primitives: right_primitives,
                root: &mut right_root[0],
                below: right_below,
                first_slot: first_slot + left as u32,
                first_below: first_below + 2 * left as u32,
                depth: depth + 1,
            },
        ]
    }

    /// Builds the whole subtree on this thread.
    fn finish(self, split: Split, leaf_size: usize) {
        let Part { items, spare, primitives, root, below, first_slot, first_below, depth } = self;
        let mut stack = Vec::with_capacity(MAX_DEPTH as usize);
        let mut next = Some(Range {
            begin: 0,
            end: items.len(),
            node: None,
            below: 0,
            depth,
            in_spare: false,
        });
        while let Some(Range { begin, end, node, below: after, depth, in_spare }) = next {
            let (from, to) = (&mut items[begin..end], &mut spare[begin..end]);
            let (from, to) = if in_spare { (to, from) } else { (from, to) };
            let division = if from.len() == 1 {
                Division::Leaf
            } else {
                divide(from, to, rule(split, depth), leaf_size)
            };
            let place = match node {
                Some(number) => &mut below[number],
                None => &mut *root,
            };
            match division {
                Division::Leaf => {
                    write_leaf(place, first_slot + begin as u32, from, &mut primitives[begin..end]);
                    next = stack.pop();
                }
                Division::At { left, moved } => {
                    *place = Node::inner(first_below + after as u32, 2);
                    let (middle, depth, in_spare) = (begin + left, depth + 1, in_spare != moved);
                    stack.push(Range {
                        begin: middle,
                        end,
                        node: Some(after + 1),
                        below: after + 2 * left,
                        depth,
                        in_spare,
                    });
                    next = Some(Range {
                        begin,
                        end: middle,
                        node: Some(after),
                        below: after + 2,
                        depth,
                        in_spare,
                    });
                }
            }
        }
    }
}

/// Writes a leaf with these items.
#[inline]
fn write_leaf(node: &mut Node, first_slot: u32, items: &[Item], primitives: &mut [u32]) {
    *node = Node::leaf(first_slot, items.len() as u32);
    for (slot, item) in primitives.iter_mut().zip(items) {
        *slot = item.primitive();
    }
}

/// Removes unused nodes. The others keep their order.
fn squeeze(nodes: &mut Vec<Node>) {
    let mut used = 0;
    let places: Vec<u32> = nodes
        .iter()
        .map(|&node| {
            let place = used;
            used += u32::from(node != UNUSED);
            place
        })
        .collect();
    nodes.retain(|&node| node != UNUSED);
    for node in nodes {
        if !node.is_leaf() {
            *node = Node::inner(places[node.range().start as usize], node.count());
        }
    }
}
