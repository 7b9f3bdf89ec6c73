//! Plans that change within a span.
//!
//! A side of a box is a linear function of time, stored by its values at both ends of the span.
//! After a change of plans only the rest of the span matters. There a side goes from its value now
//! to its value at the end, both as tight as those of the children. The value stored for the start
//! of the span is that line extended back. It encloses nothing there, and no query asks for it:
//! time does not go back behind a change of plans.

use std::collections::BinaryHeap;

use super::chords::Chords;
use super::leaves::{LeavesOfVertices, parents};
use crate::Mesh;
use crate::tree::Tree;
use crate::volume::{Aabb, round_down};

/// Where a change of plans goes: from vertices to leaves, and from nodes to parents.
#[derive(Debug)]
pub(super) struct Links {
    parents: Vec<u32>,
    leaves: LeavesOfVertices,
}

impl Links {
    pub(super) fn new(tree: &Tree, mesh: &Mesh) -> Self {
        Self { parents: parents(tree), leaves: LeavesOfVertices::new(tree, mesh) }
    }
}

/// Fits the boxes around some vertices, and of all nodes above them that change, from the moment
/// of the chords to the end of the span.
pub(super) fn refit_around(
    [start, end]: [&mut [Aabb]; 2],
    (tree, mesh): (&Tree, &Mesh),
    links: &Links,
    chords: &Chords,
    vertices: &[u32],
) {
    let leaves = vertices.iter().flat_map(|&vertex| links.leaves.of(vertex));
    let mut waiting: BinaryHeap<u32> = leaves.copied().collect();
    // Children have larger numbers than their parents: every node is fitted once, after all nodes
    // below it.
    while let Some(number) = waiting.pop() {
        while waiting.peek() == Some(&number) {
            waiting.pop();
        }
        let node = tree.node(number);
        let fitted = match node.is_leaf() {
            true => chords.leaf(tree, mesh, number),
            false => {
                let children =
                    node.range().map(|child| [start[child as usize], end[child as usize]]);
                children.reduce(|a, b| merge(a, b, chords)).unwrap_or([Aabb::EMPTY; 2])
            }
        };
        let old = [&mut start[number as usize], &mut end[number as usize]];
        let changed = *old[0] != fitted[0] || *old[1] != fitted[1];
        [*old[0], *old[1]] = fitted;
        if changed && number != 0 {
            waiting.push(links.parents[number as usize]);
        }
    }
}

/// Boxes at both ends whose blend contains the blends of `a` and `b` from now on.
fn merge(a: [Aabb; 2], b: [Aabb; 2], chords: &Chords) -> [Aabb; 2] {
    let mut both = [a[0].merge(&b[0]), a[1].merge(&b[1])];
    for axis in 0..3 {
        let low = |of: [Aabb; 2]| of.map(|end| end.min[axis]);
        let high = |of: [Aabb; 2]| of.map(|end| -end.max[axis]);
        [both[0].min[axis], both[1].min[axis]] = lower(low(a), low(b), chords);
        [both[0].max[axis], both[1].max[axis]] = lower(high(a), high(b), chords).map(|x| -x);
    }
    both
}

/// A linear function that is not above either of two from now to the end of the span. All three
/// are given by their values at the start and at the end of the span.
///
/// - If one of the two is not above the other at both ends, it is the answer, with the same bits.
/// - If one is not above at the end and certainly below now, it is the answer too.
/// - Otherwise the answer is the line through the lower value now and the lower value at the end.
///
/// Why the allowance covers the roundings: let u and v be the factors of both ends now. Values
/// now are computed in `f64` with an error of 2^-52 of |start| u + |end| v. The value at the start
/// has an error of 2^-51 of what is divided by u, and it is later multiplied by at most u. All
/// values at the end, and all values at times still to come, are within the flight's reach, and
/// rounding to `f32` goes outward. The allowance, 2^-42 of the reach, is far larger than these
/// errors. Towards the end its effect shrinks with u. So does the error of a vertex on the other
/// line: it is 2^-52 of that line's share u of the start value. The rest of its value is its share
/// of the end value, and the lower end value was taken.
fn lower(a: [f32; 2], b: [f32; 2], chords: &Chords) -> [f32; 2] {
    if a[0] <= b[0] && a[1] <= b[1] {
        return a;
    }
    if b[0] <= a[0] && b[1] <= a[1] {
        return b;
    }
    let passed = chords.passed;
    let now = |of: [f32; 2]| f64::from(of[0]) * (1.0 - passed) + f64::from(of[1]) * passed;
    let (now_a, now_b) = (now(a), now(b));
    match a[1] <= b[1] {
        true if now_a + chords.allowance <= now_b => a,
        false if now_b + chords.allowance <= now_a => b,
        _ => {
            let end = a[1].min(b[1]);
            let lowest = now_a.min(now_b) - chords.allowance;
            [round_down(chords.at_start(lowest, f64::from(end))), end]
        }
    }
}
