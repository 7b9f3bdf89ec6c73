//! The intersection of two touching triangles, computed in `f64`.
//!
//! The side of a plane on which a corner lies is exact; the point where an edge crosses a plane is
//! rounded. The result describes a contact that is already known to exist and decides nothing.

use glam::{DVec2, DVec3, Vec3Swizzles};
use robust::{Coord, Coord3D, orient2d, orient3d};

use super::triangle_distance::triangle_distance;

/// Returns a point that two touching triangles have in common, up to rounding: the midpoint of
/// [`intersection_segment`].
///
/// ```
/// use pliant::{contact::common_point, glam::DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let b = [DVec3::new(0.25, 0.25, -1.0), DVec3::new(0.25, 0.25, 1.0), DVec3::ONE];
/// let common = common_point(&a, &b);
/// assert!(common.z == 0.0 && common.x >= 0.25);
/// ```
#[must_use]
pub fn common_point(a: &[DVec3; 3], b: &[DVec3; 3]) -> DVec3 {
    let (from, to) = intersection_segment(a, b);
    from.midpoint(to)
}

/// Returns the longest segment that two touching triangles have in common, up to rounding.
///
/// For triangles that cross, this is the segment of intersection. For coplanar triangles it is a
/// longest chord of the common polygon. For triangles that touch in one point, both ends are that
/// point. Triangles may be segments or single points. The ends lie inside the boxes of both
/// triangles. For triangles that do not touch, the ends are finite but have no meaning.
///
/// ```
/// use pliant::{contact::intersection_segment, glam::DVec3};
/// let a = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
/// let b = [DVec3::new(1.0, 1.0, -1.0), DVec3::new(1.0, 1.0, 1.0), DVec3::new(3.0, 1.0, 0.0)];
/// let (from, to) = intersection_segment(&a, &b);
/// assert_eq!(from.distance(to), 2.0); // from (1, 1, 0) to (3, 1, 0), where a ends
/// ```
#[must_use]
pub fn intersection_segment(a: &[DVec3; 3], b: &[DVec3; 3]) -> (DVec3, DVec3) {
    // Products of three coordinates leave the range of f64 long before the coordinates do. Scaling
    // by a power of two changes no digit.
    let largest = a.iter().chain(b).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    if largest != 0.0 && !(2f64.powi(-200)..2f64.powi(200)).contains(&largest) {
        let exponent = (largest.log2() as i32).clamp(-1000, 1000);
        let (down, up) = (2f64.powi(-exponent), 2f64.powi(exponent));
        let scaled = |t: &[DVec3; 3]| t.map(|p| p * down);
        let (from, to) = segment_of_moderate_size(&scaled(a), &scaled(b));
        return (from * up, to * up);
    }
    segment_of_moderate_size(a, b)
}

fn segment_of_moderate_size(a: &[DVec3; 3], b: &[DVec3; 3]) -> (DVec3, DVec3) {
    let segment = match (widest_projection(a), widest_projection(b)) {
        (Some(_), Some(view)) => shared_by_triangles(a, b, view),
        (None, Some(view)) => shared_with_segment(b, a, view),
        (Some(view), None) => shared_with_segment(a, b, view),
        (None, None) => shared_by_segments(a, b),
    };
    let (from, to) = segment.unwrap_or_else(|| {
        let closest = triangle_distance(a, b);
        let middle = closest.on_a.midpoint(closest.on_b);
        (middle, middle)
    });
    let corners = |t: &[DVec3; 3]| (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]));
    let ((min_a, max_a), (min_b, max_b)) = (corners(a), corners(b));
    let clamp = |p: DVec3| p.max(min_a.max(min_b)).min(max_a.min(max_b));
    (clamp(from), clamp(to))
}

/// Two triangles with area: a segment of the line in which their planes meet, or a chord of the
/// common polygon if they are coplanar.
fn shared_by_triangles(a: &[DVec3; 3], b: &[DVec3; 3], view: View) -> Option<(DVec3, DVec3)> {
    let (sides_a, sides_b) = (sides(a, b), sides(b, a));
    if sides_a == [0.0; 3] || sides_b == [0.0; 3] {
        return chord_in_plane(a, b, view);
    }
    overlap_on_line(in_plane(a, sides_a)?, in_plane(b, sides_b)?)
}

/// A triangle with area and one without: the latter is clipped if it lies in the plane, otherwise
/// it meets the plane in one point.
fn shared_with_segment(
    triangle: &[DVec3; 3],
    segment: &[DVec3; 3],
    view: View,
) -> Option<(DVec3, DVec3)> {
    let sides = sides(segment, triangle);
    if sides == [0.0; 3] {
        chord_in_plane(segment, triangle, view)
    } else {
        in_plane(segment, sides)
    }
}

/// Two segments or points: a segment if they are collinear. `None` means that they cross; the
/// caller then uses the closest points.
fn shared_by_segments(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<(DVec3, DVec3)> {
    let (whole_a, whole_b) = (longest_chord(a)?, longest_chord(b)?);
    let on_line =
        |line: (DVec3, DVec3), p: DVec3| widest_projection(&[line.0, line.1, p]).is_none();
    let one_line = [whole_b.0, whole_b.1].iter().all(|&p| on_line(whole_a, p))
        && [whole_a.0, whole_a.1].iter().all(|&p| on_line(whole_b, p));
    if one_line { overlap_on_line(whole_a, whole_b) } else { None }
}

/// The side of a triangle's plane on which each corner of another triangle lies: the sign is exact,
/// the magnitude is approximately proportional to the distance.
fn sides(corners: &[DVec3; 3], plane: &[DVec3; 3]) -> [f64; 3] {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    let [a, b, c] = plane.map(coord);
    corners.map(|corner| orient3d(a, b, c, coord(corner)))
}

/// The part of a triangle that lies in a plane which does not contain the whole triangle.
fn in_plane(corners: &[DVec3; 3], sides: [f64; 3]) -> Option<(DVec3, DVec3)> {
    let mut points = Vec::with_capacity(3);
    for i in 0..3 {
        let j = (i + 1) % 3;
        if sides[i] == 0.0 {
            points.push(corners[i]);
        } else if (sides[i] < 0.0 && sides[j] > 0.0) || (sides[i] > 0.0 && sides[j] < 0.0) {
            points.push(crossing(corners[i], corners[j], sides[i], sides[j]));
        }
    }
    longest_chord(&points)
}

/// The point between `p` and `q` where a linear function is zero, given its values at both, which
/// have opposite signs.
fn crossing(p: DVec3, q: DVec3, at_p: f64, at_q: f64) -> DVec3 {
    p + (q - p) * (at_p / (at_p - at_q))
}

/// The overlap of two collinear segments. Rounding may separate ends that touch; then both ends are
/// the midpoint between them.
fn overlap_on_line(a: (DVec3, DVec3), b: (DVec3, DVec3)) -> Option<(DVec3, DVec3)> {
    let (along_a, along_b) = (a.1 - a.0, b.1 - b.0);
    let longer = along_a.length_squared() >= along_b.length_squared();
    let along = if longer { along_a } else { along_b };
    // Relative to one of the points, so that a common offset does not cost digits.
    let place = |p: DVec3| (p - a.0).dot(along);
    let ordered = |(p, q): (DVec3, DVec3)| if place(p) <= place(q) { (p, q) } else { (q, p) };
    let ((low_a, high_a), (low_b, high_b)) = (ordered(a), ordered(b));
    let low = if place(low_a) >= place(low_b) { low_a } else { low_b };
    let high = if place(high_a) <= place(high_b) { high_a } else { high_b };
    if place(low) > place(high) {
        let middle = low.midpoint(high);
        return Some((middle, middle));
    }
    Some((low, high))
}

/// The longest chord of the part of `subject` inside `clip`; both are coplanar (Sutherland-Hodgman
/// clipping).
fn chord_in_plane(subject: &[DVec3; 3], clip: &[DVec3; 3], view: View) -> Option<(DVec3, DVec3)> {
    let mut polygon = subject.to_vec();
    for i in 0..3 {
        let (from, to) = (clip[i], clip[(i + 1) % 3]);
        let inside = |p: DVec3| view.area(from, to, p) * view.sign;
        let mut kept = Vec::with_capacity(polygon.len() + 2);
        for (k, &p) in polygon.iter().enumerate() {
            let q = polygon[(k + 1) % polygon.len()];
            let (at_p, at_q) = (inside(p), inside(q));
            if at_p >= 0.0 {
                kept.push(p);
            }
            if (at_p < 0.0 && at_q > 0.0) || (at_p > 0.0 && at_q < 0.0) {
                kept.push(crossing(p, q, at_p, at_q));
            }
        }
        polygon = kept;
    }
    longest_chord(&polygon)
}

/// The two points that are farthest apart; a single point counts as both.
fn longest_chord(points: &[DVec3]) -> Option<(DVec3, DVec3)> {
    let mut best = (*points.first()?, *points.first()?);
    let mut longest = 0.0;
    for (i, &p) in points.iter().enumerate() {
        for &q in &points[i + 1..] {
            let length = p.distance_squared(q);
            if length > longest {
                (best, longest) = ((p, q), length);
            }
        }
    }
    Some(best)
}

/// The coordinate plane onto which a triangle is projected.
#[derive(Clone, Copy)]
struct View {
    /// The axis that is dropped.
    axis: usize,
    /// 1 or -1: the sign of the triangle's area in this projection.
    sign: f64,
}

impl View {
    /// Twice the signed area of a triangle in the projection; the sign is exact.
    fn area(self, p: DVec3, q: DVec3, r: DVec3) -> f64 {
        let flat = |v: DVec3| {
            let DVec2 { x, y } = match self.axis {
                0 => v.yz(),
                1 => v.zx(),
                _ => v.xy(),
            };
            Coord { x, y }
        };
        orient2d(flat(p), flat(q), flat(r))
    }
}

/// The projection in which a triangle has the largest area. `None` if it has no area in any of
/// them, that is, if it is exactly a segment or a point.
fn widest_projection([a, b, c]: &[DVec3; 3]) -> Option<View> {
    let mut widest: Option<View> = None;
    let mut largest = 0.0;
    for axis in 0..3 {
        let area = View { axis, sign: 1.0 }.area(*a, *b, *c);
        if area.abs() > largest {
            largest = area.abs();
            widest = Some(View { axis, sign: area.signum() });
        }
    }
    widest
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_near_the_ends_of_f64_give_the_same_segment() {
        let a = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];
        let b = [DVec3::new(1.0, 1.0, -1.0), DVec3::new(1.0, 1.0, 1.0), DVec3::new(9.0, 1.0, 0.0)];
        let (from, to) = intersection_segment(&a, &b);
        for exponent in [-900, -300, 300, 900] {
            let size = 2f64.powi(exponent);
            let (p, q) = intersection_segment(&a.map(|p| p * size), &b.map(|p| p * size));
            assert_eq!((p, q), (from * size, to * size), "2^{exponent}");
        }
    }

    use super::super::exact_distance;
    use super::*;
    use crate::contact::closest_point_on_triangle;
    use proptest::prelude::*;

    fn triangle() -> impl Strategy<Value = [[i128; 3]; 3]> {
        let any = |range| prop::array::uniform3(exact_distance::point(range));
        let flat = any(6).prop_map(|t| t.map(|[x, y, _]| [x, y, x + y]));
        let line = any(6).prop_map(|t| t.map(|[x, _, _]| [x, x, -x]));
        prop_oneof![any(2), any(50), flat, line]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Compares with the corners of the intersection, computed one by one with integers.
        #[test]
        fn the_segment_is_the_longest_and_on_both(
            a in triangle(), b in triangle(), far in prop_oneof![Just(0.0), Just(2f64.powi(20))],
        ) {
            let corners = exact_distance::common_corners(a, b);
            // About a quarter of the pairs touch.
            let Some((p, q)) = longest_chord(&corners) else { return Ok(()) };
            let place = |p| exact_distance::to_f64(p) + far;
            let (a, b) = (a.map(place), b.map(place));
            let (from, to) = intersection_segment(&a, &b);
            let allowed = 1e-13 * (50.0 + far);
            prop_assert!((from.distance(to) - p.distance(q)).abs() <= allowed,
                "{from} to {to}, not {p} to {q}");
            for end in [from, to, common_point(&a, &b)] {
                for triangle in [&a, &b] {
                    let off = closest_point_on_triangle(end, triangle).distance_squared.sqrt();
                    prop_assert!(off <= allowed, "{end} is off by {off}");
                }
            }
        }

    }

    proptest! {
        // Exact predicates are slow on coordinates of all magnitudes.
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn any_finite_input_gives_finite_ends(
            x in prop::collection::vec(
                (-1.0..1.0f64, -320..309i32).prop_map(|(m, e)| m * 10f64.powi(e)), 18,
            ),
        ) {
            let at = |i: usize| DVec3::new(x[i], x[i + 1], x[i + 2]);
            let (a, b) = ([at(0), at(3), at(6)], [at(9), at(12), at(15)]);
            let (from, to) = intersection_segment(&a, &b);
            prop_assert!(from.is_finite() && to.is_finite() && common_point(&a, &b).is_finite());
        }
    }

    #[test]
    fn a_shared_edge_is_found_whole() {
        let (p, q) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.7, -0.1, 0.9));
        let fold = [[p, q, DVec3::X], [q, p, DVec3::NEG_X]];
        let (from, to) = intersection_segment(&fold[0], &fold[1]);
        assert_eq!(from.distance(to), p.distance(q));
    }
}
