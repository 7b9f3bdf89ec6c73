//! Conversion of a binary tree to one with wider nodes.
//!
//! Some nodes of the binary tree are kept; the children of the others move up to the next kept
//! node. Dynamic programming from the leaves to the root chooses the kept nodes so that the sum of
//! the areas of the kept inner nodes is least (Ylitie, Karras and Laine, "Efficient incoherent ray
//! traversal on GPUs through compressed wide BVHs", 2017, section 3.1). Compared with repeatedly
//! opening the child of the largest area, this costs 2 to 3 % less with four children per node and
//! 3 to 10 % less with eight, with about a tenth fewer nodes.

use crate::limits::MAX_ARITY;
use crate::volume::Aabb;

use super::{Node, Tree, node_boxes};

/// The least cost of representing a node by at most `k + 1` nodes: itself, or nodes below it that
/// together have all of its primitives.
type Costs = [f32; MAX_ARITY];

/// Gives each node up to `arity` children, at most [`MAX_ARITY`].
pub(super) fn widen(binary: Tree, boxes: &[Aabb], arity: usize) -> crate::Result<Tree> {
    let areas = node_boxes(&binary, boxes)?;
    let mut costs = vec![Costs::default(); binary.nodes.len()];
    for (number, node) in binary.nodes.iter().enumerate().rev() {
        if node.is_leaf() {
            continue;
        }
        let (_, as_children) = cheapest(&costs, *node, arity);
        // The area is finite for an infinite box as well, since infinity times zero is NaN.
        let mut cost = areas[number].half_area().min(f32::MAX) + as_children;
        costs[number][0] = cost;
        for roots in 2..=arity {
            cost = cost.min(cheapest(&costs, *node, roots).1);
            costs[number][roots - 1] = cost;
        }
    }
    drop(areas);

    // The same order as that of the builder: children side by side, then all nodes below the first.
    let mut nodes = vec![Node::inner(0, 0)];
    let mut stack = vec![(0_u32, 0_usize)];
    let mut children = Vec::with_capacity(MAX_ARITY);
    while let Some((number, place)) = stack.pop() {
        let node = binary.node(number);
        if node.is_leaf() {
            nodes[place] = node;
            continue;
        }
        children.clear();
        choose_children(&binary, &costs, number, arity, &mut children);
        let first = nodes.len();
        nodes[place] = Node::inner(first as u32, children.len() as u32);
        nodes.resize(first + children.len(), Node::inner(0, 0));
        stack.extend(children.iter().copied().zip(first..nodes.len()).rev());
    }
    Ok(Tree { nodes, primitives: binary.primitives })
}

/// The best representation of an inner node by at most `roots` nodes below it, at least two: the
/// number of them below its first child, and the cost.
#[inline]
fn cheapest(costs: &[Costs], node: Node, roots: usize) -> (usize, f32) {
    let first = node.range().start as usize;
    let (left, right) = (&costs[first], &costs[first + 1]);
    let mut best = (1, f32::INFINITY);
    for for_left in 1..roots {
        let cost = left[for_left - 1] + right[roots - for_left - 1];
        if cost < best.1 {
            best = (for_left, cost);
        }
    }
    best
}

/// The nodes that become the children of a kept inner node, in order.
fn choose_children(
    binary: &Tree,
    costs: &[Costs],
    number: u32,
    arity: usize,
    children: &mut Vec<u32>,
) {
    // Nodes to be opened or kept, each with the number of nodes that may represent it. Each entry
    // gives at least one child, so there are never more than `arity`.
    let mut open = [(0_u32, 0_usize); MAX_ARITY];
    let mut length = 0;
    let mut next = Some((number, arity));
    while let Some((current, mut roots)) = next {
        let node = binary.node(current);
        // Ties open the node, since the caller asked for wide nodes.
        let is_opened = !node.is_leaf()
            && loop {
                if current == number {
                    break true;
                }
                if roots == 1 {
                    break false;
                }
                if cheapest(costs, node, roots).1 <= costs[current as usize][roots - 2] {
                    break true;
                }
                roots -= 1;
            };
        next = if is_opened {
            let (for_left, _) = cheapest(costs, node, roots);
            let first = node.range().start;
            open[length] = (first + 1, roots - for_left);
            length += 1;
            Some((first, for_left))
        } else {
            children.push(current);
            length = length.wrapping_sub(1);
            open.get(length).copied()
        };
    }
}
