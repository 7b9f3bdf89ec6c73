//! The point of a triangle that is closest to a point.

use glam::DVec3;

use super::triangle_triangle::{larger, smaller};

/// The point of a triangle that is closest to a given point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointOnTriangle {
    /// The point, inside the box of the triangle's corners.
    pub point: DVec3,
    /// The weights of the corners, each in `0 ..= 1`, with a sum of 1 up to rounding.
    pub barycentric: [f64; 3],
    /// The squared distance between the given point and `point` as returned, that is, after
    /// rounding.
    pub distance_squared: f64,
}

/// Returns the point of a triangle that is closest to `point`.
///
/// Triangles may be segments or single points. The result lies on the triangle up to
/// 2^-49 of its largest coordinate. The computed distance is therefore below the true one by at most that
/// times the largest coordinate of the triangle, plus the relative rounding of the distance itself.
/// If a corner is closest, the result is exactly that corner. The same input gives the same bits.
///
/// This accuracy holds while differences of coordinates are zero or between 1e-70 and 1e70 in
/// magnitude, since fourth powers occur. Outside this range the result is still a finite point of
/// the triangle's box with valid weights, but it may not be the closest point, and the squared
/// distance may be zero or infinite.
///
/// ```
/// use pliant::{contact::closest_point_on_triangle, glam::DVec3};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let closest = closest_point_on_triangle(DVec3::new(0.25, 0.25, 3.0), &triangle);
/// assert_eq!(closest.point, DVec3::new(0.25, 0.25, 0.0));
/// assert_eq!(closest.barycentric, [0.5, 0.25, 0.25]);
/// assert_eq!(closest.distance_squared, 9.0);
/// ```
#[must_use]
pub fn closest_point_on_triangle(point: DVec3, triangle: &[DVec3; 3]) -> PointOnTriangle {
    let [a, b, c] = *triangle;
    // Compute the closest point of each edge, and use the interior only if it is closer. Choosing
    // the feature by the signs of areas would save little and would fail for slivers, whose normal
    // is dominated by rounding.
    let on_edge = |from: DVec3, to: DVec3| {
        let s = nearest_on_segment(point - from, to - from);
        let at = along_segment(from, to, s);
        (at, s, at.distance_squared(point))
    };
    let (ab, bc, ca) = (on_edge(a, b), on_edge(b, c), on_edge(c, a));
    let mut best = (ab.0, [1.0 - ab.1, ab.1, 0.0], ab.2);
    if bc.2 < best.2 {
        best = (bc.0, [0.0, 1.0 - bc.1, bc.1], bc.2);
    }
    if ca.2 < best.2 {
        best = (ca.0, [ca.1, 0.0, 1.0 - ca.1], ca.2);
    }
    let face = Face::new(triangle);
    if let Some((at, barycentric)) = face.project(point) {
        let distance_squared = at.distance_squared(point);
        if distance_squared < best.2 {
            best = (at, barycentric, distance_squared);
        }
    }
    let at = clamp_to_corners(best.0, triangle);
    PointOnTriangle { point: at, barycentric: best.1, distance_squared: at.distance_squared(point) }
}

/// The parameter in `0 ..= 1` of the point closest to `from_start` on the segment from 0 to
/// `along`; zero for a segment without length.
#[inline]
fn nearest_on_segment(from_start: DVec3, along: DVec3) -> f64 {
    unit_share(from_start.dot(along) / along.length_squared())
}

/// Clamps to `0 ..= 1`; NaN, from a division of zero by zero, gives 0.
#[inline]
pub(super) fn unit_share(s: f64) -> f64 {
    if s > 0.0 { s.min(1.0) } else { 0.0 }
}

/// The point at parameter `s` of a segment; exactly an end for `s` = 0 and `s` = 1.
#[inline]
pub(super) fn along_segment(from: DVec3, to: DVec3, s: f64) -> DVec3 {
    if s == 1.0 { to } else { from + (to - from) * s }
}

/// Moves a point into the box of three corners.
///
/// Clamping does not increase the error: the exact point lies in the box, and clamping moves a
/// point no farther from any point of the box. In return the computed point lies in every box that
/// contains the triangle, so pruning by boxes needs no allowance. NaN, the result of overflow,
/// becomes the lowest corner.
#[inline]
pub(super) fn clamp_to_corners(point: DVec3, triangle: &[DVec3; 3]) -> DVec3 {
    // Written out: each comparison is one instruction, unlike those of `f64`, which mind a NaN.
    let [a, b, c] = *triangle;
    let clamp = |p: f64, a: f64, b: f64, c: f64| {
        let (low, high) = (smaller(smaller(a, b), c), larger(larger(a, b), c));
        smaller(larger(p, low), high)
    };
    DVec3::new(
        clamp(point.x, a.x, b.x, c.x),
        clamp(point.y, a.y, b.y, c.y),
        clamp(point.z, a.z, b.z, c.z),
    )
}

/// The plane of a triangle, for projecting points onto its interior.
pub(super) struct Face {
    corner: DVec3,
    first: DVec3,
    second: DVec3,
    normal: DVec3,
    /// One over the squared length of the normal; infinite for a triangle without area, which then
    /// has no interior.
    inverse_squared: f64,
}

impl Face {
    #[inline]
    pub(super) fn new(triangle: &[DVec3; 3]) -> Self {
        let [corner, b, c] = *triangle;
        let (first, second) = (b - corner, c - corner);
        let normal = first.cross(second);
        Self { corner, first, second, normal, inverse_squared: 1.0 / normal.length_squared() }
    }

    /// The distance of a point from the plane, times the length of the normal; negative below it.
    #[inline]
    pub(super) fn height(&self, point: DVec3) -> f64 {
        (point - self.corner).dot(self.normal)
    }

    /// The projection of a point onto the plane and its weights, if it lies strictly inside the
    /// triangle. Callers handle the edges.
    #[inline]
    pub(super) fn project(&self, point: DVec3) -> Option<(DVec3, [f64; 3])> {
        let from = point - self.corner;
        let v = from.cross(self.second).dot(self.normal) * self.inverse_squared;
        let w = self.first.cross(from).dot(self.normal) * self.inverse_squared;
        // NaN fails. The rounded sum is below 1 only if the true one is.
        if !(v > 0.0 && w > 0.0 && v + w < 1.0) {
            return None;
        }
        let at = self.corner + self.first * v + self.second * w;
        Some((at, [(1.0 - v - w).max(0.0), v, w]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact_distance;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Compares with exact integers, also far from the origin, where only the rounding of the
        /// result's coordinates may show.
        #[test]
        fn distances_are_those_of_integers(
            triangle in exact_distance::triangle(),
            point in prop_oneof![exact_distance::point(3), exact_distance::point(1 << 14)],
            far in prop_oneof![Just(0.0), Just(2f64.powi(40))],
            exponent in -60..60i32,
        ) {
            let truth = exact_distance::point_triangle(point, triangle);
            let scale = 2f64.powi(exponent);
            let place = |p| (exact_distance::to_f64(p) + far) * scale;
            let corners = triangle.map(place);
            let found = closest_point_on_triangle(place(point), &corners);
            let largest = corners.iter().fold(place(point).abs(), |m, c| m.max(c.abs()));
            let allowed = 16.0 * f64::EPSILON * largest.max_element();
            let error = found.distance_squared.sqrt() - truth * scale;
            prop_assert!(error.abs() <= allowed, "{found:?}, true distance {}", truth * scale);

            let [u, v, w] = found.barycentric;
            prop_assert!([u, v, w].iter().all(|x| (0.0..=1.0).contains(x)), "{found:?}");
            prop_assert!((u + v + w - 1.0).abs() <= 4.0 * f64::EPSILON, "{found:?}");
            let mixed = corners[0] * u + corners[1] * v + corners[2] * w;
            prop_assert!((mixed - found.point).abs().max_element() <= allowed);
        }

        #[test]
        fn any_finite_input_gives_a_point_of_the_box(
            x in proptest::array::uniform12(
                (-1.0..1.0f64, -320..309i32).prop_map(|(m, e)| m * 10f64.powi(e)),
            ),
        ) {
            let at = |i: usize| DVec3::new(x[i], x[i + 1], x[i + 2]);
            let corners = [at(0), at(3), at(6)];
            let found = closest_point_on_triangle(at(9), &corners);
            prop_assert!(found.point.is_finite() && !found.distance_squared.is_nan());
            prop_assert_eq!(clamp_to_corners(found.point, &corners), found.point);
            prop_assert!(found.barycentric.iter().all(|w| (0.0..=1.0).contains(w)));
            prop_assert!((found.barycentric.iter().sum::<f64>() - 1.0).abs() <= 1e-15);
        }
    }

    #[test]
    fn corners_are_met_exactly() {
        let corners = [DVec3::new(1e16, 0.1, 0.3), DVec3::new(1.0, 0.7, 1e-9), DVec3::splat(-0.2)];
        for (i, corner) in corners.into_iter().enumerate() {
            let found = closest_point_on_triangle(corner, &corners);
            assert_eq!((found.point, found.distance_squared), (corner, 0.0));
            assert_eq!(found.barycentric[i], 1.0);
        }
    }

    #[test]
    fn segments_and_points() {
        let (a, b) = (DVec3::ZERO, DVec3::X * 4.0);
        for segment in [[a, a, b], [a, b, b], [b, a, b], [a, b, b * 0.5]] {
            let found = closest_point_on_triangle(DVec3::new(1.0, 2.0, 0.0), &segment);
            assert_eq!((found.point, found.distance_squared), (DVec3::X, 4.0));
        }
        let found = closest_point_on_triangle(DVec3::Y, &[b; 3]);
        assert_eq!((found.point, found.distance_squared), (b, 17.0));
    }

    #[test]
    fn overflow_stays_in_the_box() {
        let huge =
            [DVec3::splat(-1.7e308), DVec3::splat(1.7e308), DVec3::new(1.7e308, 0.0, -1e308)];
        let found = closest_point_on_triangle(DVec3::new(1.0, -1.6e308, 0.0), &huge);
        assert!(found.point.is_finite() && found.distance_squared == f64::INFINITY, "{found:?}");
    }
}
