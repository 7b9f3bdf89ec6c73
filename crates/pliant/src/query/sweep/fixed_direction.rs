//! A direction along which two moving triangles are apart all the time.

use glam::DVec3;

use super::moving_triangle::MovingTriangle;

/// Products below this have no overflow on the way: six of them are added.
const IN_RANGE: f64 = 1e300;

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
    let ends = [&a.start, &a.end, &b.start, &b.end];
    let largest = ends.iter().flat_map(|corners| corners.iter());
    let largest = largest.fold(DVec3::ZERO, |sum, p| sum.max(p.abs())).max_element();
    let normal = |[p, q, r]: &[DVec3; 3]| (*q - *p).cross(*r - *p);
    apart_along(normal(&b.start), ends, largest, distance)
        || apart_along(normal(&a.start), ends, largest, distance)
}

#[inline]
fn apart_along(n: DVec3, ends: [&[DVec3; 3]; 4], largest: f64, distance: f64) -> bool {
    let sum = n.abs().element_sum();
    let size = sum * largest;
    // False for NaN.
    let in_range = size < IN_RANGE;
    let allowance = size * (16.0 * f64::EPSILON) + f64::MIN_POSITIVE + sum * distance;
    let span = |[p, q, r]: &[DVec3; 3]| {
        let (p, q, r) = (n.dot(*p), n.dot(*q), n.dot(*r));
        [p.min(q).min(r), p.max(q).max(r)]
    };
    let [a0, a1, b0, b1] = ends.map(span);
    let above = a0[0] - b0[1] > allowance && a1[0] - b1[1] > allowance;
    let below = b0[0] - a0[1] > allowance && b1[0] - a1[1] > allowance;
    in_range && (above || below)
}
