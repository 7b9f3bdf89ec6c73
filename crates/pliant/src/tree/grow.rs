//! From items to a binary tree: divides until leaves are reached, in parallel
//! where there are many.
//!
//! A subtree over `m` primitives has at most `2 m - 2` nodes below its root. Every
//! subtree gets that much room in the one array of nodes before it is built, so
//! its place does not depend on who builds it, or when: threads write to disjoint
//! slices, and the result is the same for any number of them. The room that
//! leaves of several primitives leave empty is squeezed out at the end.

use rayon::prelude::*;

use super::item::Item;
use super::partition::Division;
use super::split::divide;
use super::{Node, Split, Tree};

/// Ranges above this are divided by all threads together, those below by one
/// thread each. A constant, so that the tree does not depend on the number of threads.
pub(super) const PARALLEL: usize = 1 << 15;

/// Past this depth ranges are divided into equal halves, whatever the rule.
const FREE_DEPTH: u32 = 64;

/// The depth of the deepest tree that the builder gives, for any input: 64
/// levels by the chosen rule, and then halving 2^30 primitives takes 30 more.
/// The root alone has depth 0. Stacks of traversals may rely on it.
pub const MAX_DEPTH: u32 = FREE_DEPTH + 30;

/// Marks room for a node that was not needed: no inner node is without children.
const UNUSED: Node = Node::inner(0, 0);

/// A range of items that shall become the subtree below a node.
struct Part<'a> {
    items: &'a mut [Item],
    /// As many items again, to move them to.
    spare: &'a mut [Item],
    /// The tree's primitives of this range, to be written.
    primitives: &'a mut [u32],
    /// The root of the subtree, to be written.
    root: &'a mut Node,
    /// Room for the nodes below the root, to be written.
    below: &'a mut [Node],
    /// The place of `primitives` in the tree.
    first_slot: u32,
    /// The place of `below` in the tree.
    first_below: u32,
    depth: u32,
}

/// A range of a part's items while one thread works on it.
struct Range {
    begin: usize,
    end: usize,
    /// Its node's place in the part's `below`; none if that is the part's root.
    node: Option<usize>,
    /// The place in the part's `below` of what is below that node.
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

/// The rule at a depth: a free choice could give a chain as deep as there are
/// primitives, if each is twice as far away as the one before.
fn rule(split: Split, depth: u32) -> Split {
    if depth < FREE_DEPTH { split } else { Split::Median }
}

impl Part<'_> {
    /// Divides a large range in two; gives smaller ones back as they are.
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

/// Makes a leaf of items.
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
