//! Sixteen points that go down a tree together.

use glam::DVec3;

use super::slabs::{Lanes, box_distances, triangle_distances};
use crate::body::Collide;
use crate::contact::{closest_point_on_triangle, computed_distance_floor};
use crate::query::Work;
use crate::query::closest::ClosestPoint;
use crate::volume::{Aabb, Volume as _};

/// Points of a group: enough to share a descent, few enough to lie together.
pub(super) const LANES: usize = 16;

/// Points that lie near each other, and what is nearest to each so far.
pub(super) struct Group {
    count: usize,
    points: [DVec3; LANES],
    best: [ClosestPoint; LANES],
    /// The squared distance of the nearest so far, rounded up; of lanes without a point below all.
    limits: Lanes,
    /// The largest of those in full.
    farthest: f64,
    /// The box around the points, its middle, and the points around that.
    low: DVec3,
    high: DVec3,
    middle: DVec3,
    around: [Lanes; 3],
    size: f32,
    pub(super) work: Work,
}

impl Group {
    /// A group of at least one and at most sixteen points.
    pub(super) fn new(given: impl Iterator<Item = DVec3>) -> Self {
        let mut points = [DVec3::ZERO; LANES];
        let mut count = 0;
        for (slot, point) in points.iter_mut().zip(given) {
            *slot = point;
            count += 1;
        }
        let low = points[..count].iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points[..count].iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let middle = 0.5 * low + 0.5 * high;
        let around = |axis: usize| points.map(|point| (point[axis] - middle[axis]) as f32);
        let mut limits = [-1.0; LANES];
        limits[..count].fill(f32::INFINITY);
        Self {
            count,
            points,
            best: [ClosestPoint::FARTHEST; LANES],
            limits,
            farthest: f64::INFINITY,
            low,
            high,
            middle,
            around: [around(0), around(1), around(2)],
            size: (high - middle).max(middle - low).max_element() as f32,
            work: Work::default(),
        }
    }

    /// What was found for each point.
    pub(super) fn answers(&self) -> &[ClosestPoint] {
        &self.best[..self.count]
    }

    /// Takes a triangle into account that is probably near all points.
    pub(super) fn start_from<A: Collide>(&mut self, body: &A, triangle: u32) {
        let corners = body.triangle(triangle);
        for lane in 0..self.count {
            self.consider(lane, triangle, &corners);
        }
        self.find_farthest();
    }

    /// Takes a triangle into account for a point.
    fn consider(&mut self, lane: usize, triangle: u32, corners: &[DVec3; 3]) {
        self.work.primitive_tests += 1;
        let found = closest_point_on_triangle(self.points[lane], corners);
        let best = &mut self.best[lane];
        if (found.distance_squared, triangle) < (best.found.distance_squared, best.triangle) {
            *best = ClosestPoint { triangle, found, work: Work::default() };
            // Rounding to f32, also where it loses bits to underflow.
            self.limits[lane] = found.distance_squared as f32 * (1.0 + 1e-6) + f32::MIN_POSITIVE;
        }
    }

    fn find_farthest(&mut self) {
        let squares = self.answers().iter().map(|best| best.found.distance_squared);
        self.farthest = squares.fold(0.0, f64::max);
    }

    /// Looks at all triangles that may be nearest to a point, nearer nodes first.
    pub(super) fn descend<A: Collide>(&mut self, body: &A, stack: &mut Vec<(u32, f64)>) {
        let tree = body.tree();
        stack.clear();
        if !tree.nodes.is_empty() {
            stack.push((0, 0.0));
        }
        while let Some((number, floor)) = stack.pop() {
            if floor > self.farthest {
                continue;
            }
            let node = tree.node(number);
            if node.is_leaf() {
                let triangles = tree.leaf_primitives(node);
                self.test(body, &body.bound(number).bounding_box(), triangles);
                continue;
            }
            let first = stack.len();
            for child in node.range() {
                let floor = self.floor(&body.bound(child).bounding_box());
                if floor <= self.farthest {
                    stack.push((child, floor));
                }
            }
            if let [a, b] = &mut stack[first..] {
                // The nearer of two children comes on top.
                if a.1 < b.1 {
                    std::mem::swap(a, b);
                }
            } else {
                stack[first..].sort_by(|(_, near), (_, far)| far.total_cmp(near));
            }
        }
    }

    /// A lower bound of the squared distance of any of the points from what is in a box, as it is
    /// computed. It is that of the box around the points, and rounding is monotonic: it is not above
    /// what each point has by itself.
    #[inline]
    fn floor(&mut self, bound: &Aabb) -> f64 {
        self.work.bounds += 1;
        self.work.overlap_tests += 1;
        let apart = bound.distance_squared_to_box(self.low, self.high);
        computed_distance_floor(apart, bound.point_error())
    }

    /// Looks at the triangles of a leaf.
    #[inline]
    fn test<A: Collide>(&mut self, body: &A, bound: &Aabb, triangles: &[u32]) {
        let [low, high] = bound.corners().map(|corner| (corner - self.middle).as_vec3());
        let near = self.lanes_within(&box_distances(&self.around, self.size, low, high));
        if near == 0 {
            return;
        }
        for &triangle in triangles {
            let corners = body.triangle(triangle);
            let around = corners.map(|corner| corner - self.middle);
            let mut near =
                near & self.lanes_within(&triangle_distances(&self.around, self.size, &around));
            if near == 0 {
                continue;
            }
            while near != 0 {
                self.consider(near.trailing_zeros() as usize, triangle, &corners);
                near &= near - 1;
            }
            self.find_farthest();
        }
    }

    /// The points for which something at these squared distances may be nearest, one bit each. NaN, the
    /// result of overflow, may.
    #[inline]
    fn lanes_within(&self, squares: &Lanes) -> u32 {
        let mut near = 0;
        for (lane, (square, limit)) in squares.iter().zip(&self.limits).enumerate() {
            let is_beyond = square > limit;
            near |= u32::from(!is_beyond) << lane;
        }
        near & ((1 << self.count) - 1)
    }
}
