//! How far a point is from four triangles, in `f32`.
//!
//! A triangle is given by a corner `a` and three directions at right angles: `u` along its first edge,
//! `v` across it towards the third corner, `n` along its normal. In these coordinates the squared
//! distance from an edge is `z² + beside² + beyond²`: along the normal, across the edge, and past its
//! ends. The squared distance from the triangle is the least of the three, or `z²` within all edges.
//!
//! # How far rounding can lead
//! Places are in units in which the body lies within -1 .. 1, and a point within -S .. S, S >= 1. A place
//! is rounded by 2^-24 S, differences of places by twice that, and a product with a direction, whose
//! components are rounded by 2^-25, by less than 21 * 2^-24 S in all. Coordinates across and along the
//! second and third edge are two such products: less than 64 * 2^-24 S. So each of the three terms is
//! off by less than 2^-18 S, and a distance by less than [`SLACK`] S.
//!
//! It is never too large by more than that. Where rounding puts a point outside of an edge that is
//! inside, the way straight to the line of this edge leaves the triangle before it ends, so that one of
//! the edges is as near. Where rounding puts a point inside, the result is smaller. Triangles that are
//! nearly segments are replaced by their longest edge, which is within [`NARROW`] of all their points.

use glam::{DVec3, Vec3, Vec4};

/// The largest error of a distance, as a share of the largest coordinate.
pub(super) const SLACK: f32 = 1.0 / (1 << 17) as f32;

/// A triangle whose height is a smaller share of its edge is taken for a segment. Its directions would
/// be rounded by 2^-50 over this, and it is at most 4e-7 wide.
const NARROW: f64 = 1e-7;

/// A first edge that is shorter has no direction.
const SHORT: f64 = 1e-12;

/// Where lanes without a triangle are: farther than any limit, and with a square within `f32`.
pub(super) const NOWHERE: f32 = 1e18;

/// Three numbers in each of four lanes.
#[derive(Clone, Copy)]
pub(super) struct Vectors([Vec4; 3]);

impl Vectors {
    pub(super) const fn splat(vector: Vec3) -> Self {
        Self([Vec4::splat(vector.x), Vec4::splat(vector.y), Vec4::splat(vector.z)])
    }

    pub(super) fn set(&mut self, lane: usize, vector: Vec3) {
        for axis in 0..3 {
            self.0[axis][lane] = vector[axis];
        }
    }

    pub(super) fn get(&self, lane: usize) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|axis| self.0[axis][lane]))
    }

    #[inline(always)]
    fn dot(&self, other: &[Vec4; 3]) -> Vec4 {
        self.0[0] * other[0] + self.0[1] * other[1] + self.0[2] * other[2]
    }
}

/// The squared distances of a point from four boxes.
#[inline(always)]
pub(super) fn box_distances(point: &Vectors, low: &Vectors, high: &Vectors) -> Vec4 {
    let beyond = |axis: usize| {
        let (p, low, high) = (point.0[axis], low.0[axis], high.0[axis]);
        (low - p).max(p - high).max(Vec4::ZERO)
    };
    let (x, y, z) = (beyond(0), beyond(1), beyond(2));
    x * x + y * y + z * z
}

/// Four triangles.
#[derive(Clone, Copy)]
pub(super) struct FourTriangles {
    corner: Vectors,
    directions: [Vectors; 3],
    /// The lengths of the edges from the first corner to the second, from there to the third, and from
    /// the first to the third.
    lengths: [Vec4; 3],
    /// The directions of the last two in the plane.
    second: [Vec4; 2],
    third: [Vec4; 2],
}

impl FourTriangles {
    /// No triangles.
    pub(super) const NONE: Self = Self {
        corner: Vectors::splat(Vec3::splat(NOWHERE)),
        directions: [Vectors::splat(Vec3::X), Vectors::splat(Vec3::Y), Vectors::splat(Vec3::Z)],
        lengths: [Vec4::ZERO; 3],
        second: [Vec4::ONE, Vec4::ZERO],
        third: [Vec4::ONE, Vec4::ZERO],
    };

    /// Puts a triangle into a lane.
    pub(super) fn set(&mut self, lane: usize, corners: &[DVec3; 3]) {
        let [a, b, c] = *corners;
        let (first, across) = (b - a, c - a);
        let length = first.length();
        let u = first / length;
        let normal = u.cross(across);
        let height = normal.length();
        // Also if one of them is NaN.
        if !(length > SHORT && height > NARROW * across.length()) {
            return self.set_segment(lane, longest_edge(corners));
        }
        let n = normal / height;
        let along = u.dot(across);
        let (second, third) =
            (DVec3::new(along - length, height, 0.0), DVec3::new(along, height, 0.0));
        self.set_frame(lane, a, [u, n.cross(u), n]);
        self.set_edges(lane, length, second, third);
    }

    /// Puts a segment into a lane: a triangle that comes back to its first corner.
    fn set_segment(&mut self, lane: usize, [from, to]: [DVec3; 2]) {
        let length = from.distance(to);
        let u = if length > SHORT { (to - from) / length } else { DVec3::X };
        let v = u.any_orthonormal_vector();
        self.set_frame(lane, from, [u, v, u.cross(v)]);
        self.set_edges(lane, length, DVec3::NEG_X * length, DVec3::ZERO);
    }

    fn set_frame(&mut self, lane: usize, corner: DVec3, directions: [DVec3; 3]) {
        self.corner.set(lane, corner.as_vec3());
        for (slot, direction) in self.directions.iter_mut().zip(directions) {
            slot.set(lane, direction.as_vec3());
        }
    }

    fn set_edges(&mut self, lane: usize, length: f64, second: DVec3, third: DVec3) {
        let unit = |edge: DVec3| edge.try_normalize().unwrap_or(DVec3::X).as_vec3();
        for (axis, (slot, other)) in self.second.iter_mut().zip(&mut self.third).enumerate() {
            slot[lane] = unit(second)[axis];
            other[lane] = unit(third)[axis];
        }
        for (slot, length) in self.lengths.iter_mut().zip([length, second.length(), third.length()])
        {
            slot[lane] = length as f32;
        }
    }

    /// The squared distances of a point.
    #[inline(always)]
    pub(super) fn distances(&self, point: &Vectors) -> Vec4 {
        let from = [0, 1, 2].map(|axis| point.0[axis] - self.corner.0[axis]);
        let [x, y, z] = self.directions.each_ref().map(|direction| direction.dot(&from));
        let right = x - self.lengths[0];
        let ([dx, dy], [ex, ey]) = (self.second, self.third);
        // Outwards is to the right of an edge that goes around, to the left of the third, which does not.
        let beside = [-y, dy * right - dx * y, ex * y - ey * x];
        let along = [x, dx * right + dy * y, ex * x + ey * y];
        let squared = |edge: usize| {
            let beyond = (along[edge] - self.lengths[edge]).max(-along[edge]).max(Vec4::ZERO);
            beside[edge] * beside[edge] + beyond * beyond
        };
        let nearest = squared(0).min(squared(1)).min(squared(2));
        let is_inside = beside[0].max(beside[1]).max(beside[2]).cmple(Vec4::ZERO);
        z * z + Vec4::select(is_inside, Vec4::ZERO, nearest)
    }
}

fn longest_edge([a, b, c]: &[DVec3; 3]) -> [DVec3; 2] {
    let (ab, bc, ca) = (a.distance_squared(*b), b.distance_squared(*c), c.distance_squared(*a));
    if ab >= bc && ab >= ca {
        [*a, *b]
    } else if bc >= ca {
        [*b, *c]
    } else {
        [*c, *a]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::closest_point_on_triangle;
    use proptest::prelude::*;

    /// Corners of triangles of all shapes: blunt, thin, segments, single points.
    fn corners() -> impl Strategy<Value = [DVec3; 3]> {
        let place = || [-1.0_f64..1.0, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from_array);
        let shrink =
            || prop_oneof![Just(1.0), Just(0.0), (-14.0_f64..0.0).prop_map(|x| 10_f64.powf(x))];
        (place(), place(), place(), shrink(), shrink()).prop_map(|(a, b, c, first, second)| {
            let b = a.lerp(b, first);
            // On the line of the first edge, or away from it.
            [a, b, a.lerp(b, 0.3).lerp(c, second)]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn distances_are_too_large_by_no_more_than_the_slack(
            triangles in [corners(), corners(), corners(), corners()],
            at in [-1.0_f64..1.0, -1.0..1.0, -1.0..1.0],
            far in prop_oneof![Just(1.0), Just(1e-4), 1.0_f64..1e4],
            near in prop_oneof![Just(0.0), 0.0_f64..1.0],
            order in Just([0, 1, 2]).prop_shuffle(),
        ) {
            let mut four = FourTriangles::NONE;
            for (lane, corners) in triangles.iter().enumerate() {
                four.set(lane, &order.map(|at| corners[at]));
            }
            // From the triangle to anywhere.
            let [a, b, c] = triangles[0];
            let point = ((a + b + c) / 3.0).lerp(DVec3::from_array(at) * far, near);
            let slack = f64::from(SLACK) * point.abs().max_element().max(1.0);
            let squares = four.distances(&Vectors::splat(point.as_vec3()));
            for (lane, corners) in triangles.iter().enumerate() {
                let truth = closest_point_on_triangle(point, corners).distance_squared.sqrt();
                let found = f64::from(squares[lane]).sqrt();
                prop_assert!(found <= truth * (1.0 + 1e-6) + slack, "{found} {truth} {slack}");
                // Of triangles that are not thin, it is the distance.
                let [ab, ac] = [corners[1] - corners[0], corners[2] - corners[0]];
                if ab.cross(ac).length() > 0.1 * ab.length().max(ac.length()).powi(2) {
                    prop_assert!(found >= truth * (1.0 - 1e-6) - 40.0 * slack, "{found} {truth} {slack}");
                }
            }
        }
    }

    #[test]
    fn lanes_without_a_triangle_are_nowhere() {
        let squares = FourTriangles::NONE.distances(&Vectors::splat(Vec3::splat(1e4)));
        assert!(squares.min_element() > 1e34 && squares.is_finite());
    }
}
