//! The one descent through a tree that all queries about one body share.

use crate::body::Collide;

/// Visits the primitives of a body, nearer volumes first.
///
/// `enter` says from how near a volume's primitives may matter, or that they
/// cannot; `still` says whether that is near enough in the light of what was found
/// since; `visit` takes a primitive into account.
#[inline]
pub(super) fn nearest_first<A: Collide, T>(
    body: &A,
    nearest: &mut T,
    mut enter: impl FnMut(&mut T, &A::Volume) -> Option<f64>,
    still: impl Fn(&T, f64) -> bool,
    mut visit: impl FnMut(&mut T, u32),
) {
    let tree = body.tree();
    let Some(key) = enter(nearest, &body.bound(0)) else { return };
    // As deep as most trees: to grow it takes longer than a step.
    let mut stack = Vec::with_capacity(32);
    stack.push((0_u32, key));
    while let Some((number, key)) = stack.pop() {
        if !still(nearest, key) {
            continue;
        }
        let node = tree.node(number);
        if node.is_leaf() {
            tree.leaf_primitives(node).iter().for_each(|&primitive| visit(nearest, primitive));
            continue;
        }
        let first = stack.len();
        for child in node.range() {
            if let Some(key) = enter(nearest, &body.bound(child)) {
                stack.push((child, key));
            }
        }
        // The nearest child on top; of equals the first.
        stack[first..].sort_by(|(a, near), (b, far)| far.total_cmp(near).then(b.cmp(a)));
    }
}
