//! The distance between two disjoint triangles.

use glam::DVec3;

use super::certified_distance::{Candidate, candidate};
use super::point_triangle::{Face, along_segment, clamp_to_corners, unit_share};
use super::triangle_triangle::larger;

/// Two points, one on each triangle, that are closest to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleDistance {
    /// The point of the first triangle.
    pub on_a: DVec3,
    /// The point of the second triangle.
    pub on_b: DVec3,
    /// The squared distance of these two points as returned, that is, after rounding.
    pub distance_squared: f64,
}

/// Returns the distance of two triangles that do not touch.
///
/// The distance of disjoint triangles is attained between two edges, or between a corner and the
/// interior of the other triangle. The caller must have decided exactly that they do not touch: for
/// triangles that cross, the result is the distance between their borders. Triangles may be
/// segments or single points.
///
/// Both points lie on their triangles up to 2^-49 of the largest coordinate and inside the triangles'
/// boxes. The computed distance is therefore below the true one by at most twice that, plus its own
/// relative rounding, and above it by at most 2^-45. Swapping the triangles gives the same bits.
/// As for [`closest_point_on_triangle`], the accuracy requires differences of coordinates between
/// 1e-70 and 1e70; the other guarantees do not.
///
/// ```
/// use pliant::{contact::triangle_distance, glam::DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let b = a.map(|corner| corner + DVec3::new(0.25, 0.25, 2.0));
/// assert_eq!(triangle_distance(&a, &b).distance_squared, 4.0);
/// ```
///
/// [`closest_point_on_triangle`]: super::closest_point_on_triangle
#[must_use]
pub fn triangle_distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> TriangleDistance {
    match triangle_candidate(a, b, largest_coordinate(a) + largest_coordinate(b)) {
        Some(Candidate { found, is_nearest: true, .. }) => found,
        _ if comes_first(a, b) => distance_of_all(a, b),
        _ => distance_of_all(b, a).swapped(),
    }
}

/// The points that seem to be nearest, and what is certain of them; see [`candidate`]. Those of
/// [`triangle_distance`] if they certainly are. `largest` is the sum of the largest coordinates.
#[inline]
pub(super) fn triangle_candidate(
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    largest: f64,
) -> Option<Candidate> {
    let swapped = !comes_first(a, b);
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    let mut found = candidate(first, second, largest)?;
    if swapped {
        found.found = found.found.swapped();
    }
    Some(found)
}

/// The largest magnitude of a coordinate.
#[inline]
pub(super) fn largest_coordinate(triangle: &[DVec3; 3]) -> f64 {
    let [a, b, c] = triangle;
    let along = |x: f64, y: f64, z: f64| larger(larger(x.abs(), y.abs()), z.abs());
    larger(larger(along(a.x, b.x, c.x), along(a.y, b.y, c.y)), along(a.z, b.z, c.z))
}

impl TriangleDistance {
    fn swapped(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a, ..self }
    }
}

/// A total order of triangles, so that both orders of the arguments run the same computation.
#[inline]
fn comes_first(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let coordinates = |t: &[DVec3; 3]| t.map(|corner| corner.to_array());
    let (a, b) = (coordinates(a), coordinates(b));
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).is_none_or(|order| order.is_lt())
}

/// Compares all pairs of edges, and all corners with the other triangle's interior.
#[cold]
#[inline(never)]
fn distance_of_all(a: &[DVec3; 3], b: &[DVec3; 3]) -> TriangleDistance {
    let mut best = (a[0], b[0], f64::INFINITY);
    let (edges_a, edges_b) = (Edge::all(a), Edge::all(b));
    for p in &edges_a {
        for q in &edges_b {
            let (s, t, distance_squared) = nearest_on_edges(p, q);
            if distance_squared < best.2 {
                best = (p.at(s), q.at(t), distance_squared);
            }
        }
    }
    let (face_a, face_b) = (Face::new(a), Face::new(b));
    let from_a = a.iter().filter_map(|&corner| Some((corner, face_b.project(corner)?.0)));
    let from_b = b.iter().filter_map(|&corner| Some((face_a.project(corner)?.0, corner)));
    for (on_a, on_b) in from_a.chain(from_b) {
        let distance_squared = on_a.distance_squared(on_b);
        if distance_squared < best.2 {
            best = (on_a, on_b, distance_squared);
        }
    }
    let (on_a, on_b) = (clamp_to_corners(best.0, a), clamp_to_corners(best.1, b));
    TriangleDistance { on_a, on_b, distance_squared: on_a.distance_squared(on_b) }
}

/// An edge of a triangle with values that all nine pairs of edges use.
pub(super) struct Edge {
    pub(super) start: DVec3,
    end: DVec3,
    pub(super) along: DVec3,
    pub(super) squared: f64,
    /// One over the squared length: infinite for an edge without length.
    pub(super) inverse_squared: f64,
}

impl Edge {
    #[inline]
    pub(super) fn all(&[a, b, c]: &[DVec3; 3]) -> [Self; 3] {
        [(a, b), (b, c), (c, a)].map(|(start, end)| {
            let along = end - start;
            let squared = along.length_squared();
            Self { start, end, along, squared, inverse_squared: 1.0 / squared }
        })
    }

    #[inline]
    pub(super) fn at(&self, s: f64) -> DVec3 {
        along_segment(self.start, self.end, s)
    }

    /// The parameter of the edge's point closest to a point given relative to its start; 0 for an
    /// edge without length, where zero times infinity is NaN.
    #[inline]
    fn nearest(&self, from_start: DVec3) -> f64 {
        unit_share(from_start.dot(self.along) * self.inverse_squared)
    }
}

/// Returns the parameters of the closest points of two closed edges, and their squared distance.
///
/// The steps: the closest point of the two lines, clamped; the closest point to it on the other
/// edge; then back. Where the lines are closest outside one of the edges, an end of that edge is
/// involved, and the other two steps find its partner (Ericson, Real-Time Collision Detection,
/// section 5.1.9). For parallel edges any start is valid; this uses 0.
///
/// The closest point of the lines comes from the cross product and not from
/// `|p|^2 |q|^2 - (p.q)^2`: at an angle e the latter gives the parameter to 1e-16 / e^2 and the
/// former to 1e-16 / e, which costs 1e-16 of the length in distance.
#[inline]
pub(super) fn nearest_on_edges(p: &Edge, q: &Edge) -> (f64, f64, f64) {
    let between = q.start - p.start;
    let normal = p.along.cross(q.along);
    let s = unit_share(between.cross(q.along).dot(normal) / normal.length_squared());
    let t = q.nearest(p.along * s - between);
    let s = p.nearest(q.along * t + between);
    (s, t, (between + q.along * t - p.along * s).length_squared())
}

#[cfg(test)]
mod tests {
    use super::super::exact_distance;
    use super::*;
    use crate::contact::closest_point_on_triangle;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Compares with exact integers. Triangles that cross give the distance between their
        /// borders.
        #[test]
        fn distances_are_those_of_integers((a, b, truth) in exact_distance::placed_triangles()) {
            if truth == 0.0 {
                return Ok(());
            }
            let found = triangle_distance(&a, &b);
            let largest = a.iter().chain(&b).fold(DVec3::ZERO, |m, c| m.max(c.abs()));
            let allowed = 32.0 * f64::EPSILON * largest.max_element();
            let error = found.distance_squared.sqrt() - truth;
            prop_assert!(error.abs() <= allowed, "{found:?}, true distance {truth}");

            let swapped = triangle_distance(&b, &a);
            prop_assert_eq!((swapped.on_a, swapped.on_b), (found.on_b, found.on_a));
            prop_assert_eq!(swapped.distance_squared.to_bits(), found.distance_squared.to_bits());
        }

        /// No corner is closer than the computed distance, and the points lie on the triangles.
        #[test]
        fn points_lie_on_both_triangles(
            x in prop::collection::vec(-1.0..1.0f64, 18), flat in any::<bool>(),
        ) {
            let at = |i: usize| DVec3::new(x[i], x[i + 1], if flat { 0.25 } else { x[i + 2] });
            let (a, b) = ([at(0), at(3), at(6)], [at(9), at(12), at(15)]);
            let found = triangle_distance(&a, &b);
            let off = |p, t| closest_point_on_triangle(p, t).distance_squared.sqrt();
            // Both the point and the reference point have this error.
            let allowed = 2.0 * crate::numeric::COMPUTED_POINT_ERROR;
            prop_assert!(off(found.on_a, &a) <= allowed && off(found.on_b, &b) <= allowed);
            let distance = found.distance_squared.sqrt();
            for (corner, other) in a.iter().map(|c| (c, &b)).chain(b.iter().map(|c| (c, &a))) {
                prop_assert!(distance <= off(*corner, other) + 1e-14);
            }
        }
    }

    /// Long edges that cross at a small angle: computing with the cosine of the angle would lose
    /// half the digits.
    #[test]
    fn nearly_parallel_edges() {
        for exponent in 1..16 {
            let (angle, gap) = (10f64.powi(-exponent), 1e-12);
            let [left, right, low] = [DVec3::NEG_X, DVec3::X, DVec3::NEG_Z];
            let turned = |x: f64| DVec3::new(x, (x - 0.3) * angle, gap);
            let b = [turned(-1.0), turned(1.1), DVec3::new(0.3, 0.0, 1.0)];
            let distance = triangle_distance(&[left, right, low], &b).distance_squared.sqrt();
            assert!((distance - gap).abs() <= 1e-15, "{angle}: {distance}");
        }
    }

    #[test]
    fn extremes_do_not_panic() {
        let huge = [DVec3::splat(-1.7e308), DVec3::splat(1.7e308), DVec3::X];
        let tiny = [DVec3::splat(1e-320), DVec3::splat(-1e-310), DVec3::ZERO];
        for (a, b) in [(&huge, &tiny), (&huge, &huge), (&tiny, &tiny)] {
            let found = triangle_distance(a, b);
            assert!(found.on_a.is_finite() && found.on_b.is_finite());
            assert!(!found.distance_squared.is_nan());
        }
    }
}
