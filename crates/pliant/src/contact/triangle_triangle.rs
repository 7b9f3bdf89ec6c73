//! Exact test whether two closed triangles meet, fast where nothing is degenerate.
//!
//! The method is that of Guigue and Devillers, "Fast and Robust Triangle-Triangle Overlap Test
//! Using Orientation Predicates" (2003), section 3. Almost all signs are proven in `f64`. Triangles
//! with a corner exactly on the other's plane use a test of edges against triangles that covers all
//! cases.

use std::cmp::Ordering;

use glam::DVec3;

use super::predicate::{Normal, orient3d, triple_product_error};
use super::segment_triangle::{edges, segment_meets_triangle};

/// Returns whether two closed triangles have a point in common.
///
/// Exact for all finite coordinates. Triangles that touch in a single point, are coplanar, or are
/// degenerate to a segment or a point get the answer of real arithmetic.
///
/// ```
/// use pliant::{contact::triangles_touch, glam::DVec3};
///
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let standing = [DVec3::new(0.25, 0.25, 0.0), DVec3::Z, DVec3::Z + DVec3::X];
/// assert!(triangles_touch(&floor, &standing));
///
/// let lifted = standing.map(|corner| corner + DVec3::Z * 1e-15);
/// assert!(!triangles_touch(&floor, &lifted));
/// ```
#[must_use]
#[inline]
pub fn triangles_touch(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    PreparedTriangle::new(*a).touches(b)
}

/// A triangle with its plane, for tests against many others.
pub(crate) struct PreparedTriangle {
    corners: [DVec3; 3],
    normal: Normal,
}

impl PreparedTriangle {
    #[inline(always)]
    pub(crate) fn new(corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        Self { corners, normal: Normal::new(b - a, c - a) }
    }

    /// The same as [`triangles_touch`].
    #[inline(always)]
    pub(crate) fn touches(&self, b: &[DVec3; 3]) -> bool {
        let a = &self.corners;
        let b_from_a = Sides::of(b, a[0], &self.normal);
        if b_from_a.all_on_one() {
            return false;
        }
        let a_from_b = Sides::of(a, b[0], &Normal::new(b[1] - b[0], b[2] - b[0]));
        if a_from_b.all_on_one() {
            return false;
        }
        if a_from_b.all_certain() && b_from_a.all_certain() {
            crossing_triangles_touch(a, a_from_b.above(), b, b_from_a.above())
        } else {
            undecided_triangles_touch(a, b)
        }
    }

    /// Whether a box lies certainly on one side of the plane, so that no triangle with its corners
    /// in the box touches this one.
    ///
    /// Rounding is monotone. For a point p in the box, each term of the rounded product of the
    /// normal with p - a is at least the smaller of the same terms of the two box corners, and the
    /// rounded sum is at least the rounded sum of those. If `lowest` exceeds the error bound, so
    /// does the value that [`Sides`] computes for p, and its sign is exact.
    #[inline(always)]
    pub(crate) fn is_beside(&self, min: DVec3, max: DVec3) -> bool {
        let from = self.corners[0];
        let (low, high) = (min - from, max - from);
        let (u, v) = (low * self.normal.value, high * self.normal.value);
        let lowest = smaller(u.x, v.x) + smaller(u.y, v.y) + smaller(u.z, v.z);
        let highest = larger(u.x, v.x) + larger(u.y, v.y) + larger(u.z, v.z);
        let (low, high) = (low.abs(), high.abs());
        let reach = DVec3::new(larger(low.x, high.x), larger(low.y, high.y), larger(low.z, high.z));
        larger(lowest, -highest) > triple_product_error(self.normal.magnitude, reach)
    }
}

/// The sides of a plane on which three points lie, as far as `f64` can tell.
struct Sides {
    /// The points' distances from the plane times the length of its normal.
    values: [f64; 3],
    /// A bound of the error of each value.
    error: f64,
}

impl Sides {
    /// The sides of points relative to the plane through `a` with the given normal.
    #[inline(always)]
    fn of(points: &[DVec3; 3], a: DVec3, normal: &Normal) -> Self {
        let from_a = points.map(|p| p - a);
        let [u, v, w] = from_a.map(DVec3::abs);
        let reach = DVec3::new(
            larger(larger(u.x, v.x), w.x),
            larger(larger(u.y, v.y), w.y),
            larger(larger(u.z, v.z), w.z),
        );
        Self {
            values: from_a.map(|w| normal.value.dot(w)),
            error: triple_product_error(normal.magnitude, reach),
        }
    }

    /// Whether all points are certainly off the plane and on the same side of it.
    #[inline(always)]
    fn all_on_one(&self) -> bool {
        let [x, y, z] = self.values;
        let (lowest, highest) = (smaller(smaller(x, y), z), larger(larger(x, y), z));
        larger(lowest, -highest) > self.error
    }

    /// Whether all points are certainly off the plane.
    #[inline(always)]
    fn all_certain(&self) -> bool {
        let [x, y, z] = self.values.map(f64::abs);
        smaller(smaller(x, y), z) > self.error
    }

    /// Which points are above the plane.
    #[inline(always)]
    fn above(&self) -> [bool; 3] {
        self.values.map(|v| v > 0.0)
    }
}

/// The larger of two numbers in one instruction, unlike [`f64::max`]. It may drop a NaN, so it is
/// used for values and never for errors: where a value is NaN, its error is NaN or infinite, and no
/// comparison with that holds.
#[inline(always)]
pub(super) fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// The smaller of two numbers; see [`larger`].
#[inline(always)]
pub(super) fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// Whether two triangles meet, if no corner is on the other's plane and each triangle has corners
/// on both sides (`above` states which).
///
/// Each triangle then has an apex alone on its side. It meets the line L, in which the planes
/// cross, in a segment that ends on the two edges at the apex. For apexes a0 and b0, the sign of
/// orient3d(a0, a1, b0, b1) gives the order along L of the ends on a0a1 and b0b1, since moving a1
/// and b1 back onto L does not change it. The direction of L that counts as forward depends only on
/// a0 and b0. The two ends of each triangle are therefore sorted by the same sign: with the
/// triangle's own other end in place of b1 (or a1), it is the side of the other triangle's plane on
/// which the apex lies.
#[inline(always)]
fn crossing_triangles_touch(
    a: &[DVec3; 3],
    a_above: [bool; 3],
    b: &[DVec3; 3],
    b_above: [bool; 3],
) -> bool {
    let (i, j) = (apex(a_above), apex(b_above));
    let [a0, a_first, a_last] = from_apex(a, i, b_above[j]);
    let [b0, b_first, b_last] = from_apex(b, j, !a_above[i]);
    // Both signs at once, since either of them suffices for "no".
    let w = b0 - a0;
    let (forth, back) = (Normal::new(a_first - a0, w), Normal::new(w, a_last - a0));
    let (p, q) = (b_last - a0, b_first - a0);
    let lowest = smaller(forth.value.dot(p), back.value.dot(q));
    let error = triple_product_error(forth.magnitude, p.abs())
        + triple_product_error(back.magnitude, q.abs());
    if lowest > error {
        return true;
    }
    if lowest < -error {
        return false;
    }
    ends_overlap([a0, a_first, a_last], [b0, b_first, b_last])
}

/// The last step of [`crossing_triangles_touch`] with exact signs.
#[cold]
#[inline(never)]
fn ends_overlap([a0, a_first, a_last]: [DVec3; 3], [b0, b_first, b_last]: [DVec3; 3]) -> bool {
    orient3d(a0, a_first, b0, b_last).is_ge() && orient3d(a0, a_last, b0, b_first).is_le()
}

/// The corner that is alone on its side of the plane.
#[inline(always)]
fn apex([x, y, z]: [bool; 3]) -> usize {
    if y == z {
        0
    } else if x == z {
        1
    } else {
        2
    }
}

/// The corners of a triangle with the given one first; the other two in order or swapped.
#[inline(always)]
fn from_apex(triangle: &[DVec3; 3], apex: usize, exchanged: bool) -> [DVec3; 3] {
    let (next, last) = ((apex + 1) % 3, (apex + 2) % 3);
    let (next, last) = if exchanged { (last, next) } else { (next, last) };
    [triangle[apex], triangle[next], triangle[last]]
}

/// Whether the relative interiors of two triangles cross: whether each has corners strictly on both
/// sides of the other's plane, and they have more than a point in common. Exact.
///
/// The apex is the corner that is alone strictly on its side; another corner may lie on the plane.
/// The order of ends along the common line is that of [`crossing_triangles_touch`], and ends that
/// coincide have a sign of zero.
pub(crate) fn triangles_cross(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let sides = |points: &[DVec3; 3], &[p, q, r]: &[DVec3; 3]| points.map(|x| orient3d(p, q, r, x));
    let alone = |sides: [Ordering; 3]| {
        let on = |side: Ordering| sides.iter().filter(|&&s| s == side).count();
        let apex = match (on(Ordering::Greater), on(Ordering::Less)) {
            (0, _) | (_, 0) => return None,
            (1, _) => Ordering::Greater,
            _ => Ordering::Less,
        };
        let at = sides.iter().position(|&side| side == apex)?;
        Some((at, apex.is_gt()))
    };
    let Some((i, a_above)) = alone(sides(a, b)) else { return false };
    let Some((j, b_above)) = alone(sides(b, a)) else { return false };
    let [a0, a_first, a_last] = from_apex(a, i, b_above);
    let [b0, b_first, b_last] = from_apex(b, j, !a_above);
    orient3d(a0, a_first, b0, b_last).is_gt() && orient3d(a0, a_last, b0, b_first).is_lt()
}

/// Whether two triangles meet, for any input.
#[cold]
#[inline(never)]
fn undecided_triangles_touch(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    // Coplanar triangles get here however far apart they are. Comparing coordinates is exact and
    // cheap beside the rest.
    let lowest = |t: &[DVec3; 3]| t[0].min(t[1]).min(t[2]);
    let highest = |t: &[DVec3; 3]| t[0].max(t[1]).max(t[2]);
    if (lowest(a).cmpgt(highest(b)) | lowest(b).cmpgt(highest(a))).any() {
        return false;
    }
    let sides = |points: &[DVec3; 3], &[p, q, r]: &[DVec3; 3]| points.map(|x| orient3d(p, q, r, x));
    let (b_from_a, a_from_b) = (sides(b, a), sides(a, b));
    let one_side = |sides: &[Ordering; 3]| sides[0].is_ne() && sides.iter().all(|s| *s == sides[0]);
    if one_side(&b_from_a) || one_side(&a_from_b) {
        return false;
    }
    if b_from_a.iter().chain(&a_from_b).all(|side| side.is_ne()) {
        let above = |sides: [Ordering; 3]| sides.map(Ordering::is_gt);
        return crossing_triangles_touch(a, above(a_from_b), b, above(b_from_a));
    }
    // The intersection of two triangles is convex and has an extreme point, which lies on an edge
    // of one of them (a degenerate triangle is the union of its edges). So they meet if and only if
    // an edge of one meets the other.
    let some_edge_meets = |of: &[DVec3; 3], sides: &[Ordering; 3], triangle: &[DVec3; 3]| {
        let mut edges_and_sides = edges(of).into_iter().zip(edges(sides));
        edges_and_sides.any(|(edge, sides)| segment_meets_triangle(edge, sides, triangle))
    };
    some_edge_meets(a, &a_from_b, b) || some_edge_meets(b, &b_from_a, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FLOOR: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

    fn both_ways(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
        let answer = triangles_touch(a, b);
        assert_eq!(answer, triangles_touch(b, a), "{a:?} {b:?}");
        answer
    }

    #[test]
    fn neighbours_in_a_mesh_touch() {
        assert!(both_ways(&FLOOR, &FLOOR));
        assert!(both_ways(&FLOOR, &[DVec3::ZERO, DVec3::X, DVec3::new(0.3, 0.1, 7.0)]));
        assert!(both_ways(&FLOOR, &[DVec3::ZERO, DVec3::NEG_X, DVec3::new(-0.3, -0.1, 7.0)]));
        assert!(both_ways(&FLOOR, &[DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0)]));
    }

    #[test]
    fn crossing_along_the_line_of_the_planes() {
        // The wall meets the floor from x = low to x = high, at y = 1/4.
        let wall = |low: f64, high: f64| {
            let at = |x: f64, z: f64| DVec3::new(x, 0.25, z);
            [at(2.0 * low - high, 1.0), at(high, -1.0), at(high, 1.0)]
        };
        assert!(both_ways(&FLOOR, &wall(0.5, 9.0)));
        assert!(both_ways(&FLOOR, &wall(-8.0, 0.25)));
        assert!(both_ways(&FLOOR, &wall(-8.0, 9.0)));
        assert!(both_ways(&FLOOR, &wall(0.25, 0.5)));
        assert!(both_ways(&FLOOR, &wall(0.75, 9.0))); // just
        assert!(both_ways(&FLOOR, &wall(-8.0, 0.0))); // just
        assert!(!both_ways(&FLOOR, &wall(0.75 + 1e-14, 9.0)));
        assert!(!both_ways(&FLOOR, &wall(-8.0, -5e-324)));
    }

    #[test]
    fn products_that_overflow_are_not_trusted() {
        // An infinite product of coordinates, times zero, is NaN.
        let a = [[-1e-200, -1e200, -2.0], [0.0, 0.0, -2.0], [-2e-300, 1e-300, 2e200]];
        let b = [[1.0, 1e200, 0.0], [0.0, 1e200, -1.0], [0.0, -2e-200, -2.0]];
        assert!(!both_ways(&a.map(DVec3::from), &b.map(DVec3::from)));
    }

    #[test]
    fn triangles_cross_or_only_touch() {
        let cross = |a: &[DVec3; 3], b: &[DVec3; 3]| {
            let answer = triangles_cross(a, b);
            for turned in [[b[1], b[2], b[0]], [b[1], b[0], b[2]]] {
                assert_eq!(answer, triangles_cross(a, &turned));
                assert_eq!(answer, triangles_cross(&turned, a));
            }
            assert!(!answer || triangles_touch(a, b));
            answer
        };
        let upright = |x: [f64; 3], z: [f64; 3]| [0, 1, 2].map(|i| DVec3::new(x[i], 0.25, z[i]));
        assert!(cross(&FLOOR, &upright([0.0, 1.0, 0.25], [1.0, 1.0, -1.0])));
        assert!(cross(&FLOOR, &upright([0.25, 0.5, 0.25], [0.0, 1.0, -1.0]))); // a corner on the floor
        assert!(!cross(&FLOOR, &upright([0.25, 0.5, 0.25], [0.0, 1.0, 0.0]))); // stands on it
        assert!(!cross(&FLOOR, &upright([0.75, 1.5, 2.0], [0.0, 1.0, -1.0]))); // ends meet in a point
        assert!(!cross(&FLOOR, &upright([0.8, 1.5, 2.0], [0.0, 1.0, -1.0])));
        assert!(!cross(&FLOOR, &FLOOR));
    }

    fn triangle() -> impl Strategy<Value = [DVec3; 3]> {
        let point = || [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64].prop_map(DVec3::from_array);
        [point(), point(), point()]
    }

    proptest! {
        #[test]
        fn the_common_error_of_three_points_is_not_below_that_of_any(
            a in triangle(), b in triangle(),
        ) {
            let normal = Normal::new(a[1] - a[0], a[2] - a[0]);
            let sides = Sides::of(&b, a[0], &normal);
            for p in b {
                prop_assert!(triple_product_error(normal.magnitude, (p - a[0]).abs()) <= sides.error);
            }
        }
    }
}
