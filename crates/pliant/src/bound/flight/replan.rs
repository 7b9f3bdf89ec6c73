//! Plans that change in the middle of a span.
//!
//! A side of a box is a linear function of time that is held by its values at both ends of the
//! span. Where plans change only the rest of the span counts. There a side goes from where it is
//! now to where it will be at the end, both as tight as those of its children; what is held for
//! the beginning is that line prolonged back, where it encloses nothing and is not asked.

use std::collections::BinaryHeap;

use super::Expiring;
use super::expiring_ends::{Way, set};
use super::kinetic_leaves::{LeavesOfVertices, parents};
use crate::Mesh;
use crate::deform::Flight;
use crate::tree::Tree;
use crate::volume::{Aabb, round_down};

/// Who is above a node, and which leaves a vertex has: what a change of some plans asks for.
#[derive(Debug, Clone)]
pub(super) struct Followers {
    parents: Vec<u32>,
    leaves: LeavesOfVertices,
}

impl Followers {
    fn new(tree: &Tree, mesh: &Mesh) -> Self {
        Self { parents: parents(tree), leaves: LeavesOfVertices::new(tree, mesh) }
    }
}

/// Fits the boxes around some vertices anew, from now to the end of the span.
pub(super) fn refit_around(
    boxes: &mut Expiring,
    tree: &Tree,
    mesh: &Mesh,
    flight: &Flight,
    vertices: impl Iterator<Item = u32>,
) {
    let followers = boxes.followers.take().unwrap_or_else(|| Followers::new(tree, mesh));
    let way = Way::new(flight, *flight.now(), &boxes.timeline);
    // Plain boxes of keyframes are no more.
    boxes.timeline.keyframes = [None; 2];
    let leaves = vertices.flat_map(|vertex| followers.leaves.of(vertex).iter().copied());
    let mut waiting: BinaryHeap<u32> = leaves.collect();
    // From below, each node once: a child has a larger number than its parent.
    while let Some(number) = waiting.pop() {
        while waiting.peek() == Some(&number) {
            waiting.pop();
        }
        let ends = match tree.node(number).is_leaf() {
            true => way.leaf(tree, mesh, number),
            false => merged(boxes, tree, number, &way),
        };
        if set(boxes, number, ends) && number != 0 {
            waiting.push(followers.parents[number as usize]);
        }
    }
    boxes.followers = Some(followers);
}

/// The box of an inner node, from now on.
fn merged(boxes: &Expiring, tree: &Tree, number: u32, way: &Way) -> [Aabb; 2] {
    let ends =
        |child: u32| [boxes.start.volumes[child as usize], boxes.end.volumes[child as usize]];
    let merge = |a: [Aabb; 2], b: [Aabb; 2]| {
        let mut both = [a[0].merge(&b[0]), a[1].merge(&b[1])];
        for axis in 0..3 {
            let low = |of: [Aabb; 2]| of.map(|end| end.min[axis]);
            let high = |of: [Aabb; 2]| of.map(|end| -end.max[axis]);
            [both[0].min[axis], both[1].min[axis]] = lower(low(a), low(b), way);
            [both[0].max[axis], both[1].max[axis]] = lower(high(a), high(b), way).map(|x| -x);
        }
        both
    };
    tree.node(number).range().map(ends).reduce(merge).unwrap_or([Aabb::EMPTY; 2])
}

/// A linear function that is not above either of two from now to the end of the span; all are given
/// by their values at the beginning and at the end.
///
/// Where one of the two is below the other at both ends it is the answer, with the same bits. So
/// it is if it is lower at the end and certainly lower now. Else the answer is the line through the
/// lower value now and the lower one at the end. Values now are computed in `f64`, with an error
/// of 2^-52 of a u + b v, where u and v are the shares of both ends; the value at the beginning with
/// one of 2^-51 of what is divided by u, and it counts u times. All values at the end, and those
/// at times that are still to come, are within the flight's reach, and rounding to `f32` goes
/// outward: the allowance, 2^-42 of the reach, is far more than these errors. It shrinks with u
/// towards the end, and so does by how much a vertex on the other line is computed below it: 2^-52 of
/// that line's part u of the beginning; the other part is that of the end, where the lower is taken.
fn lower(a: [f32; 2], b: [f32; 2], way: &Way) -> [f32; 2] {
    if a[0] <= b[0] && a[1] <= b[1] {
        return a;
    }
    if b[0] <= a[0] && b[1] <= a[1] {
        return b;
    }
    let now = |of: [f32; 2]| f64::from(of[0]) * (1.0 - way.passed) + f64::from(of[1]) * way.passed;
    let (now_a, now_b) = (now(a), now(b));
    match a[1] <= b[1] {
        true if now_a + way.allowance <= now_b => a,
        false if now_b + way.allowance <= now_a => b,
        _ => {
            let end = a[1].min(b[1]);
            let lowest = now_a.min(now_b) - way.allowance;
            [round_down(way.at_start(lowest, f64::from(end))), end]
        }
    }
}
