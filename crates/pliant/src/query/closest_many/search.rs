//! The closest points of one body to one point after the other.

use glam::{DVec3, Vec3, Vec4};

use super::lanes::{SLACK, Vectors, box_distances};
use super::wide_tree::{Child, WIDTH, WideTree};
use crate::body::Collide;
use crate::query::Work;
use crate::query::closest::{ClosestPoint, closest_among};

/// Points that are farther from the body, in its half sizes, are asked one by one: their coordinates
/// are too coarse in `f32`.
const MOST_AWAY: f64 = 1e4;

/// Above the square of every distance that occurs, and below that of lanes without a triangle.
const NO_LIMIT: f32 = 1e30;

/// What one search keeps for the next: room, and where the last one ended.
#[derive(Default)]
pub(super) struct Search {
    stack: Vec<(f32, u32)>,
    /// Triangles that may be nearest, and their squared distances in `f32`.
    candidates: Vec<(f32, u32)>,
    last: Option<DVec3>,
    pub(super) work: Work,
}

/// How far it is at most to the nearest triangle.
struct Reach {
    slack: f32,
    /// An upper bound of the distance, unless a triangle is so thin that rounding decides; the end of
    /// the search asks.
    distance: f32,
    /// What is farther than this squared distance, as computed, is farther than `distance`.
    limit: f32,
}

impl Reach {
    fn shorten(&mut self, distance: f32) {
        let distance = distance + 2.0 * self.slack;
        if distance < self.distance {
            self.distance = distance;
            let limit = distance + self.slack;
            // The factor covers the roundings of squares.
            self.limit = limit * limit * (1.0 + 1e-6);
        }
    }
}

impl Search {
    /// The point of the body that is closest to a point, as `closest_point` finds it.
    ///
    /// Triangles are skipped if their distance, as computed in `f32`, is beyond the limit. Such a triangle
    /// is truly farther than the reach. So the nearest of the others is the answer, if it is within the
    /// reach; if not, which can happen for slivers alone, the point is asked by itself.
    pub(super) fn closest<A: Collide>(
        &mut self,
        body: &A,
        tree: &WideTree,
        point: DVec3,
    ) -> ClosestPoint {
        let place = tree.place(point);
        let away = place.abs().max_element();
        if away > MOST_AWAY || away.is_nan() {
            return self.ask_alone(body, point);
        }
        let slack = SLACK * (away as f32).max(1.0);
        let mut reach = Reach { slack, distance: f32::INFINITY, limit: NO_LIMIT };
        if let Some(last) = self.last {
            // The last point found is a point of the body.
            reach.shorten((last.distance(point) * tree.scale) as f32);
        }
        self.gather(tree, place.as_vec3(), &mut reach);
        let mut nearest = ClosestPoint::FARTHEST;
        for &(square, triangle) in &self.candidates {
            if square <= reach.limit {
                nearest.consider(body, point, triangle);
            }
        }
        self.work += nearest.work;
        nearest.work = Work::default();
        let distance = nearest.found.distance_squared.sqrt() * tree.scale;
        if distance.is_nan() || distance > f64::from(reach.distance) {
            return self.ask_alone(body, point);
        }
        self.last = Some(nearest.found.point);
        nearest
    }

    fn ask_alone<A: Collide>(&mut self, body: &A, point: DVec3) -> ClosestPoint {
        let nearest = closest_among(body, point, f64::NEG_INFINITY, |_| true);
        self.work += nearest.work;
        ClosestPoint { work: Work::default(), ..nearest }
    }

    /// Gathers the triangles within the reach, nearer nodes first.
    fn gather(&mut self, tree: &WideTree, place: Vec3, reach: &mut Reach) {
        let point = Vectors::splat(place);
        self.candidates.clear();
        self.stack.clear();
        let mut number = 0;
        loop {
            let node = &tree.nodes[number as usize];
            let squares = box_distances(&point, &node.low, &node.high);
            self.work.overlap_tests += WIDTH as u64;
            let mut near = squares.cmple(Vec4::splat(reach.limit)).bitmask();
            let bottom = self.stack.len();
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let square = squares[lane];
                // The nearest comes on top.
                let mut at = self.stack.len();
                self.stack.push((square, 0));
                while at > bottom && self.stack[at - 1].0 < square {
                    self.stack[at] = self.stack[at - 1];
                    at -= 1;
                }
                self.stack[at] = (square, node.children[lane]);
            }
            loop {
                let Some((square, child)) = self.stack.pop() else { return };
                if square > reach.limit {
                    continue;
                }
                match Child::of(child) {
                    Child::Node(inner) => {
                        number = inner;
                        break;
                    }
                    Child::Block(block) => self.look_at(tree, block, &point, reach),
                }
            }
        }
    }

    /// Keeps the triangles of a block that are within the reach.
    #[inline]
    fn look_at(&mut self, tree: &WideTree, block: u32, point: &Vectors, reach: &mut Reach) {
        let block = &tree.blocks[block as usize];
        let squares = block.lanes.distances(point);
        let mut near = squares.cmple(Vec4::splat(reach.limit)).bitmask();
        if near == 0 {
            return;
        }
        reach.shorten(squares.min_element().sqrt());
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            self.candidates.push((squares[lane], block.triangles[lane]));
        }
    }
}
