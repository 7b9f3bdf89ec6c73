//! The search among pairs of nodes, in the order in which their overlap begins.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::bound::{Expiring, FlightBounds};
use crate::deform::Flight;
use crate::query::Work;
use crate::tree::Tree;
use crate::volume::Aabb;
use crate::{Body, Collide, Mesh};

/// Distances below this share of the coordinates are not distinguished from zero.
///
/// With R the sum of both flights' reaches: a computed gap of triangles is certain up to
/// 2^-48 R ([`certain_gap`](crate::contact::certain_gap)). Coordinates are computed with an error
/// of 2^-48 of a reach, which moves two points apart by at most sqrt(3) 2^-48 R. This counts at
/// the time of the gap and at the time for which nothing is to touch. How far two corners close in
/// along a direction within the span errs by less than 2^-45 R: velocities and bends of a
/// [`Path`](super::path::Path) by 2^-46 of a reach, and a dot product by four roundings of 2^-53 of
/// its terms. All this is less than 2^-43 R.
const NEAR: f64 = 1.0 / (1u64 << 40) as f64;

/// What is known of a body until its boxes expire.
#[derive(Clone, Copy)]
pub(super) struct Ahead<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) tree: &'a Tree,
    pub(super) flight: &'a Flight,
    pub(super) boxes: &'a Expiring,
}

impl<'a> Ahead<'a> {
    /// With the body's own boxes, or else with boxes in `made`, which is kept for the next span.
    pub(super) fn of<B: FlightBounds>(
        body: &'a Body<Flight, B>,
        made: &'a mut Option<Expiring>,
    ) -> Self {
        let (mesh, tree, flight) = (body.mesh(), body.tree(), body.deformation());
        let boxes = match body.bounds().as_expiring() {
            Some(own) => own,
            None => {
                let made = made.get_or_insert_with(|| Expiring::new(tree, mesh, flight));
                made.follow(tree, mesh, flight);
                made
            }
        };
        Self { mesh, tree, flight, boxes }
    }

    /// The corners of a triangle at some time of the flight.
    pub(super) fn triangle_at(&self, triangle: u32, time: f64) -> [DVec3; 3] {
        let moment = self.flight.moment(time);
        let corners = self.mesh.triangles()[triangle as usize];
        corners.map(|vertex| self.flight.position_at(&moment, vertex))
    }
}

/// The search in a span during which the boxes of both bodies are linear in time.
pub(super) struct Search<'a> {
    pub(super) a: Ahead<'a>,
    pub(super) b: Ahead<'a>,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) tolerance: f64,
    pub(super) near: f64,
    pub(super) best: Option<Found>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) time: f64,
    pub(super) pair: [u32; 2],
    pub(super) touching: bool,
}

/// Two nodes, and the time during which they may overlap. The heap gives the greatest first, so
/// the earliest counts as greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Waiting {
    enter: f64,
    leave: f64,
    nodes: [u32; 2],
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.enter.total_cmp(&self.enter).then(self.nodes.cmp(&other.nodes))
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(a: Ahead<'a>, b: Ahead<'a>, from: f64, to: f64, tolerance: f64) -> Self {
        let near = (a.flight.reach() + b.flight.reach()) * NEAR + f64::MIN_POSITIVE;
        Self { a, b, from, to, tolerance, near, best: None }
    }

    pub(super) fn run(mut self, work: &mut Work) -> Option<Found> {
        let mut waiting = BinaryHeap::new();
        waiting.extend(self.overlap([0, 0], work));
        while let Some(next) = waiting.pop() {
            if self.best.is_some_and(|best| best.time <= next.enter) {
                break;
            }
            let (node_a, node_b) =
                (self.a.tree.node(next.nodes[0]), self.b.tree.node(next.nodes[1]));
            if node_a.is_leaf() && node_b.is_leaf() {
                for &i in self.a.tree.leaf_primitives(node_a) {
                    for &j in self.b.tree.leaf_primitives(node_b) {
                        self.approach([i, j], next.enter, next.leave, work);
                    }
                }
                continue;
            }
            let own = |number: u32| number..number + 1;
            let below_a = if node_a.is_leaf() { own(next.nodes[0]) } else { node_a.range() };
            let below_b = if node_b.is_leaf() { own(next.nodes[1]) } else { node_b.range() };
            for i in below_a {
                for j in below_b.clone() {
                    waiting.extend(self.overlap([i, j], work));
                }
            }
        }
        self.best
    }

    /// The time during which two nodes may overlap, if there is any.
    ///
    /// Every vertex of a node lies in the box at `from` and in that at `to`, and between them in
    /// the one that is as far between. On each axis the gap from one box to the other is linear.
    fn overlap(&self, nodes: [u32; 2], work: &mut Work) -> Option<Waiting> {
        work.bounds += 2;
        work.overlap_tests += 1;
        let whole = Waiting { enter: self.from, leave: self.to, nodes };
        let (Some(a), Some(b)) = (self.boxes(&self.a, nodes[0]), self.boxes(&self.b, nodes[1]))
        else {
            return Some(whole);
        };
        let gaps = |i: usize| {
            [a[i].min.as_dvec3() - b[i].max.as_dvec3(), b[i].min.as_dvec3() - a[i].max.as_dvec3()]
        };
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (first, last) in gaps(0).into_iter().zip(gaps(1)) {
            for (first, last) in first.to_array().into_iter().zip(last.to_array()) {
                let (first, last) = (first - self.near, last - self.near);
                match (first > 0.0, last > 0.0) {
                    (true, true) => return None,
                    // A little earlier and later, since the quotient is rounded.
                    (true, false) => enter = enter.max(first / (first - last) - 1e-12),
                    (false, true) => leave = leave.min(first / (first - last) + 1e-12),
                    (false, false) => {}
                }
            }
        }
        let at = |fraction: f64| self.from + fraction * (self.to - self.from);
        let enter = at(enter.max(0.0)).next_down().max(self.from);
        let leave = at(leave.min(1.0)).next_up().min(self.to);
        (enter <= leave).then_some(Waiting { enter, leave, nodes })
    }

    /// The boxes of a node at both ends of the search.
    fn boxes(&self, body: &Ahead, node: u32) -> Option<[Aabb; 2]> {
        body.boxes.at_times(node, [self.from, self.to])
    }
}
