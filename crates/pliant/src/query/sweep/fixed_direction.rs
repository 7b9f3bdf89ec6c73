//! A direction along which two moving triangles are apart all the time.

use glam::DVec3;

use super::moving_triangle::MovingTriangle;

/// Products below this have no overflow on the way: six of them are added.
const IN_RANGE: f64 = 1e300;

/// The normal that a moving triangle has at the start, and how far its corners reach along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedDirection {
    normal: DVec3,
    /// The sum of the magnitudes of its components: not less than its length.
    sum: f64,
    /// The lowest and the highest corner along it, at both ends.
    own: [[f64; 2]; 2],
}

impl FixedDirection {
    #[inline]
    pub(super) fn new(start: &[DVec3; 3], end: &[DVec3; 3]) -> Self {
        let [p, q, r] = *start;
        let normal = (q - p).cross(r - p);
        let own = [reach(normal, start), reach(normal, end)];
        Self { normal, sum: normal.abs().element_sum(), own }
    }
}

/// Whether two triangles are certainly farther apart than a distance throughout the step, along the
/// normal that one of them has at the start.
///
/// Along a fixed direction n a corner's place is linear in time. So if all corners of one triangle
/// are above all of the other at both ends, they are so in between. A computed n.p is off by at most
/// three roundings, of 2^-53 each, of |n| L with the sum |n| of its components and the largest
/// coordinate L, and by three times the smallest number. The allowance is more than twice that for
/// both sides. The distance counts |n| times, which is not less than the length of n.
#[inline]
pub(super) fn apart_along_normals(a: &MovingTriangle, b: &MovingTriangle, distance: f64) -> bool {
    let largest = a.largest.max(b.largest);
    apart_along(&b.direction, a, largest, distance)
        || apart_along(&a.direction, b, largest, distance)
}

/// Whether a triangle is apart from the one whose direction this is.
#[inline(always)]
fn apart_along(of: &FixedDirection, other: &MovingTriangle, largest: f64, distance: f64) -> bool {
    let size = of.sum * largest;
    // False for NaN.
    let in_range = size < IN_RANGE;
    let allowance = size * (16.0 * f64::EPSILON) + f64::MIN_POSITIVE + of.sum * distance;
    let [a0, a1] = [reach(of.normal, &other.start), reach(of.normal, &other.end)];
    let [b0, b1] = of.own;
    let above = a0[0] - b0[1] > allowance && a1[0] - b1[1] > allowance;
    let below = b0[0] - a0[1] > allowance && b1[0] - a1[1] > allowance;
    in_range && (above || below)
}

#[inline(always)]
fn reach(n: DVec3, [p, q, r]: &[DVec3; 3]) -> [f64; 2] {
    let (p, q, r) = (n.dot(*p), n.dot(*q), n.dot(*r));
    [p.min(q).min(r), p.max(q).max(r)]
}
