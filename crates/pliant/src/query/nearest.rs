//! The one descent through a tree that all queries about one body share.

use crate::body::Collide;
use crate::tree::Node;

/// Visits the primitives of a body, nearer volumes first.
///
/// `enter` says from how near a node's primitives may matter, or that they
/// cannot; `still` says whether that is near enough in the light of what was found
/// since; `visit` takes the primitives below a node into account, or says that it is too
/// early for that, which it may not say of a leaf.
#[inline]
pub(super) fn nearest_first<A: Collide, T>(
    body: &A,
    nearest: &mut T,
    mut enter: impl FnMut(&mut T, u32) -> Option<f64>,
    still: impl Fn(&T, f64) -> bool,
    mut visit: impl FnMut(&mut T, u32, Node) -> bool,
) {
    let tree = body.tree();
    let Some(key) = enter(nearest, 0) else { return };
    // As deep as most trees: to grow it takes longer than a step.
    let mut stack = Vec::with_capacity(32);
    stack.push((0_u32, key));
    while let Some((number, key)) = stack.pop() {
        if !still(nearest, key) {
            continue;
        }
        let node = tree.node(number);
        if visit(nearest, number, node) || node.is_leaf() {
            continue;
        }
        let first = stack.len();
        for child in node.range() {
            if let Some(key) = enter(nearest, child) {
                stack.push((child, key));
            }
        }
        // The nearest child on top; of equals the first.
        stack[first..].sort_by(|(a, near), (b, far)| far.total_cmp(near).then(b.cmp(a)));
    }
}
