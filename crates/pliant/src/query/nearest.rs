//! The one traversal of a tree, which all queries about one body share.

use std::cmp::Ordering;

use super::traverse::Descent;
use crate::body::Collide;
use crate::tree::Node;

/// Visits the primitives of a body, nearer volumes first.
///
/// - `enter` returns a lower bound of how near the primitives below a node are, or `None` if
///   none of them can matter.
/// - `still` tells whether primitives at that lower bound can matter after what was found since.
/// - `visit` tests the primitives below a node and returns `Prune`, or returns `Descend` to
///   have the children visited. For a leaf it must test.
#[inline]
pub(super) fn nearest_first<A: Collide, T>(
    body: &A,
    nearest: &mut T,
    enter: impl FnMut(&mut T, u32) -> Option<f64>,
    still: impl Fn(&T, f64) -> bool,
    visit: impl FnMut(&mut T, u32, Node) -> Descent,
) {
    // As deep as most trees: to grow the stack takes longer than a step.
    let mut stack = Vec::with_capacity(32);
    nearest_first_in(&mut stack, body, nearest, enter, still, visit);
}

/// As [`nearest_first`], with memory that the caller keeps. Nodes and their lower bounds that were left
/// in it are forgotten.
#[inline]
pub(super) fn nearest_first_in<A: Collide, T>(
    stack: &mut Vec<(u32, f64)>,
    body: &A,
    nearest: &mut T,
    mut enter: impl FnMut(&mut T, u32) -> Option<f64>,
    still: impl Fn(&T, f64) -> bool,
    mut visit: impl FnMut(&mut T, u32, Node) -> Descent,
) {
    let tree = body.tree();
    stack.clear();
    let Some(key) = enter(nearest, 0) else { return };
    stack.push((0_u32, key));
    while let Some((number, key)) = stack.pop() {
        if !still(nearest, key) {
            continue;
        }
        let node = tree.node(number);
        if visit(nearest, number, node) == Descent::Prune || node.is_leaf() {
            continue;
        }
        let first = stack.len();
        for child in node.range() {
            if let Some(key) = enter(nearest, child) {
                stack.push((child, key));
            }
        }
        // The nearest child comes on top; of equally near ones the first.
        match &mut stack[first..] {
            [] | [_] => {}
            [a, b] => {
                if farther_first(a, b) == Ordering::Greater {
                    std::mem::swap(a, b);
                }
            }
            more => sort_farther_first(more),
        }
    }
}

/// How two nodes with their lower bounds lie on the stack: the farther one first, of equally far ones the
/// one with the larger number.
#[inline(always)]
fn farther_first((a, near): &(u32, f64), (b, far): &(u32, f64)) -> Ordering {
    far.total_cmp(near).then(b.cmp(a))
}

/// Sorts the children of a wide node. A sort is long code: it is compiled once for all kinds of bodies.
#[inline(never)]
fn sort_farther_first(children: &mut [(u32, f64)]) {
    children.sort_by(farther_first);
}
