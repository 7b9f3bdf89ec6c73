//! Exact test whether two closed triangles are within a distance of each other.
//!
//! Almost all pairs are decided in `f64`, with proven bounds of the error: apart along a direction,
//! or two points that are near enough. The rest is decided with integers of any length.

mod exact;

use glam::DVec3;

use super::certain_gap::gap_across;
use super::triangle_distance::{largest_coordinate, triangle_candidate};
use super::{
    Margin, TriangleDistance, closest_point_on_triangle, common_point, triangle_distance,
    triangles_touch,
};
use crate::numeric::{COMPUTED_POINT_ERROR, F64_SLACK, UNDERFLOW_ALLOWANCE, distance_up};
use crate::volume::Ball;

/// A distance within which triangles count as near, made ready for many tests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    distance: f64,
    squared_up: f64,
}

impl Reach {
    /// A distance that is finite and not negative.
    pub(crate) fn new(distance: f64) -> Self {
        // The smallest normal number covers squares that underflow. A square that overflows is
        // infinite, and then nothing is too far.
        let squared_up = distance * distance * (1.0 + F64_SLACK) + f64::MIN_POSITIVE;
        Self { distance, squared_up }
    }

    /// Whether things may be within reach whose squared distance is at least `floor`.
    #[inline(always)]
    pub(crate) fn may_reach(self, floor: f64) -> bool {
        floor <= self.squared_up
    }

    /// The box of a triangle, grown so that it overlaps every box whose triangles are within reach:
    /// its lowest and its highest corner.
    ///
    /// A sum with the distance is rounded once, by less than the slack.
    pub(crate) fn around(self, [a, b, c]: &[DVec3; 3]) -> [DVec3; 2] {
        let (min, max) = (a.min(*b).min(*c), a.max(*b).max(*c));
        let slack = (min.abs().max(max.abs()) + self.distance) * F64_SLACK;
        [min - self.distance - slack, max + self.distance + slack]
    }
}

/// Two points of triangles that are near, and their distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearPoints {
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// Zero if and only if the triangles touch.
    pub(crate) distance: f64,
}

/// A triangle with the direction of its normal, for tests against many others.
pub(crate) struct NearTriangle {
    corners: [DVec3; 3],
    /// The normal as computed: a direction like any other.
    normal: DVec3,
    /// How far the corners reach along it, from the first.
    low: f64,
    high: f64,
    /// The distance times the length of the normal, not less than the true product.
    reach: f64,
}

impl NearTriangle {
    #[inline]
    pub(crate) fn new(corners: [DVec3; 3], distance: Reach) -> Self {
        let [a, b, c] = corners;
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        let (along_u, along_v) = (normal.dot(u), normal.dot(v));
        let error = dot_error(normal, u.abs().max(v.abs()));
        let low = along_u.min(along_v).min(0.0) - error;
        let high = along_u.max(along_v).max(0.0) + error;
        let length = normal.length() * (1.0 + F64_SLACK) + UNDERFLOW_ALLOWANCE;
        let reach = distance.distance * length * (1.0 + F64_SLACK) + UNDERFLOW_ALLOWANCE;
        Self { corners, normal, low, high, reach }
    }

    /// Whether all triangles in a box are certainly out of reach: farther along the normal.
    ///
    /// Of the terms of a dot product over a box, each is least at one of two corners. Rounding is
    /// monotone, so the computed sum of these is not above what is computed for any point of the box.
    #[inline(always)]
    pub(crate) fn is_far_from_box(&self, min: DVec3, max: DVec3) -> bool {
        let (low, high) = (min - self.corners[0], max - self.corners[0]);
        let (u, v) = (low * self.normal, high * self.normal);
        let (least, most) = (u.min(v), u.max(v));
        let error = dot_error(self.normal, low.abs().max(high.abs()));
        let nearest =
            (least.x + least.y + least.z - self.high).max(self.low - (most.x + most.y + most.z));
        nearest > self.reach + error
    }

    /// Whether a triangle is certainly out of reach along the normal of this one.
    #[inline(always)]
    pub(crate) fn is_far_from(&self, other: &[DVec3; 3]) -> bool {
        let from = other.map(|p| p - self.corners[0]);
        let [p, q, r] =
            from.map(|w| self.normal.x * w.x + self.normal.y * w.y + self.normal.z * w.z);
        let error = dot_error(self.normal, from[0].abs().max(from[1].abs()).max(from[2].abs()));
        let nearest = (p.min(q).min(r) - self.high).max(self.low - p.max(q).max(r));
        nearest > self.reach + error
    }
}

/// A bound of the error of a computed dot product of a vector with a rounded difference of points
/// that reaches no farther than `reach` along each axis.
///
/// Let u = 2^-53. Each of the three terms has four roundings at most (difference, product, two sums),
/// so the sum errs by 4.1u of the sum of magnitudes; the computed sum of magnitudes is below the
/// true one by 5u of itself at most. 8u covers both, and the terms of second order. Products that
/// underflow err by 2^-1075 each, which the allowance covers. If something overflows, the bound is
/// infinite or NaN and nothing exceeds it.
#[inline(always)]
fn dot_error(normal: DVec3, reach: DVec3) -> f64 {
    4.0 * f64::EPSILON * normal.abs().dot(reach) + UNDERFLOW_ALLOWANCE
}

/// The nearest points of two triangles, if they are within reach.
///
/// Whether they are is exact for all finite coordinates. The points and their distance are those
/// of [`triangle_distance`], or a common point and 0.
///
/// One pass finds points that are almost always the nearest, and a gap that is almost always the
/// distance between them. If the gap is not lost in its own error, the triangles do not touch.
#[inline]
pub(crate) fn near_points(a: &[DVec3; 3], b: &[DVec3; 3], distance: Reach) -> Option<NearPoints> {
    let largest = largest_coordinate(a) + largest_coordinate(b);
    let error = largest * GAP_ERROR;
    if let Some(seen) = triangle_candidate(a, b, largest)
        && seen.gap > error
    {
        if seen.gap > (distance.distance + error) * (1.0 + F64_SLACK) {
            return None;
        }
        if seen.is_nearest && is_certainly_near(&seen.found, largest, distance) {
            return Some(apart(&seen.found, distance));
        }
    }
    near_points_of_all(a, b, distance)
}

/// The error of the gap along a direction, in units of the sum of the largest coordinates: see
/// [`certain_gap`](super::certain_gap()).
const GAP_ERROR: f64 = 16.0 * f64::EPSILON;

/// As [`near_points`], step by step.
#[cold]
#[inline(never)]
fn near_points_of_all(a: &[DVec3; 3], b: &[DVec3; 3], distance: Reach) -> Option<NearPoints> {
    if triangles_touch(a, b) {
        let point = common_point(a, b);
        return Some(NearPoints { on_a: point, on_b: point, distance: 0.0 });
    }
    if distance.distance == 0.0 {
        return None;
    }
    let found = triangle_distance(a, b);
    is_near(a, b, &found, distance).then(|| apart(&found, distance))
}

/// Whether two triangles are within the distance, exactly, given their nearest points as computed.
fn is_near(a: &[DVec3; 3], b: &[DVec3; 3], found: &TriangleDistance, distance: Reach) -> bool {
    let largest = largest_coordinate(a) + largest_coordinate(b);
    if is_certainly_near(found, largest, distance) {
        return true;
    }
    let gap = gap_across(a, b, found.on_a - found.on_b).gap;
    let is_certainly_far = gap > (distance.distance + largest * GAP_ERROR) * (1.0 + F64_SLACK);
    !is_certainly_far && exact::triangles_within(a, b, distance.distance)
}

/// Two points of triangles that are apart, and within the distance: what rounding says beyond that is
/// wrong.
#[inline]
fn apart(&TriangleDistance { on_a, on_b, .. }: &TriangleDistance, distance: Reach) -> NearPoints {
    let length = (on_a - on_b).length().clamp(f64::from_bits(1), distance.distance);
    NearPoints { on_a, on_b, distance: length }
}

/// Whether two points, as computed on the triangles, are so near that the triangles are certainly
/// within the distance. `largest` is the sum of the largest coordinates.
///
/// Each point lies on its triangle up to [`COMPUTED_POINT_ERROR`] of the triangle's largest
/// coordinate, and up to less than the smallest normal number where products underflow. Where
/// differences may overflow nothing is certain.
#[inline]
fn is_certainly_near(found: &TriangleDistance, largest: f64, distance: Reach) -> bool {
    largest < 1e300 && certain_distance_up(found, largest) <= distance.distance
}

/// Not less than the true distance of the triangles, where differences do not overflow.
#[inline]
fn certain_distance_up(found: &TriangleDistance, largest: f64) -> f64 {
    let up = distance_up(found.on_a, found.on_b) + largest * (2.0 * COMPUTED_POINT_ERROR);
    (up + f64::MIN_POSITIVE) * (1.0 + F64_SLACK)
}

/// Returns whether a closed ball and a closed triangle have a point in common: whether a point of the
/// triangle is at most the radius away from the centre. Touching counts.
///
/// Exact for all finite coordinates and radii. The centre is a triangle whose corners are one point.
///
/// ```
/// use pliant::{contact::ball_touches_triangle, glam::DVec3, volume::Ball};
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let center = DVec3::new(0.25, 0.25, 0.1);
/// assert!(ball_touches_triangle(&Ball::new(center, 0.1), &floor));
/// assert!(!ball_touches_triangle(&Ball::new(center, 0.1f64.next_down()), &floor));
/// ```
#[must_use]
pub fn ball_touches_triangle(ball: &Ball, triangle: &[DVec3; 3]) -> bool {
    let (point, reach) = ([ball.center; 3], Reach::new(ball.radius));
    let nearest = closest_point_on_triangle(ball.center, triangle);
    let (on_b, distance_squared) = (nearest.point, nearest.distance_squared);
    let found = TriangleDistance { on_a: ball.center, on_b, distance_squared };
    is_near(&point, triangle, &found, reach)
}

/// Whether a ball and a triangle touch, as [`ball_touches_triangle`] says, and by which margin: their
/// distance changes by at most what the centre and the corners move.
pub(crate) fn ball_margin(ball: &Ball, triangle: &[DVec3; 3]) -> Margin {
    let point = [ball.center; 3];
    let nearest = closest_point_on_triangle(ball.center, triangle);
    let (on_b, distance_squared) = (nearest.point, nearest.distance_squared);
    let found = TriangleDistance { on_a: ball.center, on_b, distance_squared };
    let largest = largest_coordinate(&point) + largest_coordinate(triangle);
    // A difference is rounded once, which the slack covers.
    let certain = |length: f64| length > 0.0 && length.is_finite() && largest < 1e300;
    let inside = ball.radius - certain_distance_up(&found, largest);
    if certain(inside) {
        return Margin { touch: true, length: inside * (1.0 - F64_SLACK) };
    }
    let gap = gap_across(&point, triangle, found.on_a - found.on_b).gap;
    let outside = gap - (ball.radius + largest * GAP_ERROR) * (1.0 + F64_SLACK);
    if certain(outside) {
        return Margin { touch: false, length: outside * (1.0 - F64_SLACK) };
    }
    Margin { touch: ball_touches_triangle(ball, triangle), length: 0.0 }
}

/// Returns whether two closed triangles are within a distance of each other: whether a point of one
/// is at most so far from a point of the other. Touching is within every distance; a distance that
/// is negative or NaN contains nothing.
///
/// Exact for all finite coordinates and distances.
///
/// ```
/// use pliant::{contact::triangles_within, glam::DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let b = a.map(|corner| corner + DVec3::Z * 0.1);
/// assert!(triangles_within(&a, &b, 0.1));
/// assert!(!triangles_within(&a, &b, 0.1f64.next_down()));
/// ```
#[must_use]
pub fn triangles_within(a: &[DVec3; 3], b: &[DVec3; 3], distance: f64) -> bool {
    distance >= 0.0 && near_points(a, b, Reach::new(distance)).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::exact_distance;
    use super::*;
    use proptest::prelude::*;

    fn near_point() -> impl Strategy<Value = DVec3> {
        let number = || prop_oneof![-1.0..1.0f64, (-4..=4i32).prop_map(|n| f64::from(n) / 4.0)];
        [number(), number(), number()].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Centre and corners move by almost the margin: the answer stays.
        #[test]
        fn within_its_margin_a_ball_stays(
            triangle in [near_point(), near_point(), near_point()], center in near_point(),
            radius in prop_oneof![0.0..1.0f64, Just(0.25), Just(1.0)], exponent in -300..300i32,
            ways in prop::collection::vec(([near_point(), near_point(), near_point(), near_point()], 0.0..1.0f64), 8),
        ) {
            let scale = 2f64.powi(exponent);
            let (triangle, ball) = (triangle.map(|p| p * scale), Ball::new(center * scale, radius * scale));
            let Margin { touch, length } = ball_margin(&ball, &triangle);
            prop_assert_eq!(touch, ball_touches_triangle(&ball, &triangle));
            prop_assert!(length >= 0.0 && length.is_finite());
            for (ways, share) in ways {
                let by = |i: usize, part: f64| match ways[i].length() {
                    long if long > 0.0 => ways[i] / long * (part * length * 0.999_999),
                    _ => DVec3::ZERO,
                };
                let moved = [0, 1, 2].map(|i| triangle[i] + by(i, share));
                let ball = Ball::new(ball.center + by(3, 1.0 - share), ball.radius);
                prop_assert_eq!(ball_touches_triangle(&ball, &moved), touch);
            }
        }
    }

    #[test]
    fn margins_of_balls_are_useful() {
        let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let at = |height: f64| ball_margin(&Ball::new(DVec3::new(1.0, 1.0, height), 0.5), &floor);
        let [low, high] = [at(0.2), at(0.9)];
        assert!(low.touch && (low.length - 0.3).abs() < 1e-9, "{low:?}");
        assert!(!high.touch && (high.length - 0.4).abs() < 1e-9, "{high:?}");
        assert_eq!(at(0.5), Margin { touch: true, length: 0.0 });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// The filters never contradict the exact test, at a distance that rounding would decide.
        #[test]
        fn filters_agree_with_integers(
            a in exact_distance::triangle(), b in exact_distance::triangle(),
            shift in prop_oneof![Just([0; 3]), exact_distance::point(300)],
            ulps in -3..=3i64, exponent in -60..60i32,
        ) {
            let b = b.map(|p| [p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]]);
            let scale = 2f64.powi(exponent);
            let truth = exact_distance::triangle_triangle(a, b) * scale;
            let place = |p| exact_distance::to_f64(p) * scale;
            let (a, b) = (a.map(place), b.map(place));
            prop_assume!(truth > 0.0);
            let near = f64::from_bits((truth.to_bits() as i64 + ulps) as u64);
            for distance in [near, truth * 0.999, truth * 1.001] {
                let exact = exact::triangles_within(&a, &b, distance);
                prop_assert_eq!(triangles_within(&a, &b, distance), exact);
                prop_assert_eq!(triangles_within(&b, &a, distance), exact);
                let held = NearTriangle::new(a, Reach::new(distance));
                prop_assert!(!(exact && held.is_far_from(&b)));
                let (min, max) = (b[0].min(b[1]).min(b[2]), b[0].max(b[1]).max(b[2]));
                prop_assert!(!(exact && held.is_far_from_box(min, max)));
                let [low, high] = Reach::new(distance).around(&a);
                prop_assert!(!exact || (low.cmple(max).all() && min.cmple(high).all()));
            }
        }

        #[test]
        fn any_finite_input_is_decided(
            x in proptest::collection::vec(
                (-1.0..1.0f64, -320..309i32).prop_map(|(m, e)| m * 10f64.powi(e)), 18,
            ),
            distance in (0.0..1.0f64, -320..309i32).prop_map(|(m, e)| m * 10f64.powi(e)),
        ) {
            let at = |i: usize| DVec3::new(x[i], x[i + 1], x[i + 2]);
            let (a, b) = ([at(0), at(3), at(6)], [at(9), at(12), at(15)]);
            let expected = triangles_touch(&a, &b) || exact::triangles_within(&a, &b, distance);
            prop_assert_eq!(triangles_within(&a, &b, distance), expected);
            let reach = Reach::new(distance);
            prop_assert!(!(expected && NearTriangle::new(a, reach).is_far_from(&b)));
            let found = near_points(&a, &b, reach);
            prop_assert!(found.is_none_or(|f| f.distance >= 0.0 && f.distance <= distance));
        }
    }
}
