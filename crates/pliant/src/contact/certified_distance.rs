//! The nearest points of two triangles, fast, with a proof that they are the nearest.
//!
//! Two triangles that do not touch are nearest between two edges, or between a corner and the
//! interior of the other. The nine pairs of edges are compared by scalar products alone, which may
//! lose digits. What they choose is measured with care, and then checked: two points are nearest if
//! the two planes through them, across the way between them, have one triangle on either side (the
//! check of Larsen, Gottschalk, Lin and Manocha, "Fast Proximity Queries with Swept Sphere Volumes",
//! 1999, section 5). If it fails, the caller compares everything.

use glam::DVec3;

use super::TriangleDistance;
use super::point_triangle::{Face, clamp_to_corners};
use super::triangle_distance::{Edge, nearest_on_edges};
use super::triangle_triangle::{larger, smaller};

/// How much farther than the nearest two points may be that count as such: in units of the sum of
/// the largest coordinate magnitudes of the two triangles.
///
/// 2^-49, half of what [`certain_gap`](super::certain_gap()) allows for its own arithmetic.
const EXCESS: f64 = f64::EPSILON * 8.0;

/// Squared distances above this are not changed by what underflows beside them.
const LEAST_SQUARE: f64 = 1e-200;

/// Products of two coordinates below this, and sums of a few, do not overflow.
const LARGEST: f64 = 1e150;

/// Two points of triangles, and what is certain of them.
pub(super) struct Candidate {
    pub(super) found: TriangleDistance,
    /// The triangles are at least so far apart, up to 2^-48 of the sum of the largest coordinate
    /// magnitudes. May be negative.
    pub(super) gap: f64,
    /// Whether no points of the triangles are nearer: the distance of these is above the least by at
    /// most 2^-46 of the sum of the largest coordinate magnitudes.
    pub(super) is_nearest: bool,
}

/// The points of two triangles that seem to be nearest. `None` if numbers leave the range in which
/// anything is certain.
///
/// # Why
/// For a vector n the triangles are at least `(min n.b - max n.a) / |n|` apart. Its terms are dot
/// products with differences of corners. Let u = 2^-53 and C the sum of the largest magnitudes. A term
/// errs by 4.1u of the length of its difference times |n| (`certain_gap` counts). Differences are
/// sqrt(3) C long between the triangles and at most twice that within one, |n| errs by 4u of itself, and
/// the quotient by another u: 31uC in all, below 2^-48 C.
///
/// The points are computed with weights that lie in the triangles exactly, so they are not nearer than
/// the least distance but for their own rounding. If the gap along the way n between them is not below
/// |n| by more than [`EXCESS`], they are not farther either.
#[inline]
pub(super) fn candidate(a: &[DVec3; 3], b: &[DVec3; 3], largest: f64) -> Option<Candidate> {
    if largest.is_nan() || largest >= LARGEST {
        return None;
    }
    let (edges_a, edges_b) = (Edge::all(a), Edge::all(b));
    let (i, j) = nearest_edges(a, b, &edges_a, &edges_b);
    let (p, q) = (&edges_a[i], &edges_b[j]);
    let (s, t, _) = nearest_on_edges(p, q);
    let way = q.start - p.start + q.along * t - p.along * s;
    let certain = Certain::across(a, b, way, largest)?;
    if !certain.is_nearest
        && let Some(face) = corner_and_face(a, b, largest)
    {
        return Some(face);
    }
    Some(certain.candidate(clamp_to_corners(p.at(s), a), clamp_to_corners(q.at(t), b)))
}

/// What is certain from the extents of two triangles across a way from the first to the second.
struct Certain {
    gap: f64,
    is_nearest: bool,
}

impl Certain {
    #[inline(always)]
    fn across(a: &[DVec3; 3], b: &[DVec3; 3], way: DVec3, largest: f64) -> Option<Self> {
        let squared = way.length_squared();
        if squared < LEAST_SQUARE {
            return None;
        }
        let along = |p: DVec3| (p - a[0]).dot(way);
        let [a1, a2] = [along(a[1]), along(a[2])];
        let [b0, b1, b2] = [along(b[0]), along(b[1]), along(b[2])];
        let highest = larger(larger(a1, a2), 0.0);
        let lowest = smaller(smaller(b0, b1), b2);
        let between = lowest - highest;
        let length = squared.sqrt();
        let is_nearest = squared - between <= largest * EXCESS * length;
        Some(Self { gap: between / length, is_nearest })
    }

    #[inline]
    fn candidate(self, on_a: DVec3, on_b: DVec3) -> Candidate {
        let distance_squared = on_a.distance_squared(on_b);
        let found = TriangleDistance { on_a, on_b, distance_squared };
        Candidate { found, gap: self.gap, is_nearest: self.is_nearest }
    }
}

/// A corner of one triangle and its foot in the other, if they are certainly nearest: the corner is
/// the one nearest to the other's plane.
#[cold]
#[inline(never)]
fn corner_and_face(a: &[DVec3; 3], b: &[DVec3; 3], largest: f64) -> Option<Candidate> {
    let (face_a, face_b) = (Face::new(a), Face::new(b));
    let nearest_to = |face: &Face, corners: &[DVec3; 3]| {
        let heights = corners.map(|corner| face.height(corner).abs());
        let first = usize::from(heights[1] < heights[0]);
        corners[if heights[2] < heights[first] { 2 } else { first }]
    };
    let from_b = nearest_to(&face_a, b);
    if let Some((on_a, _)) = face_a.project(from_b)
        && let Some(certain) = Certain::across(a, b, from_b - on_a, largest)
        && certain.is_nearest
    {
        return Some(certain.candidate(clamp_to_corners(on_a, a), from_b));
    }
    let from_a = nearest_to(&face_b, a);
    let (on_b, _) = face_b.project(from_a)?;
    let certain = Certain::across(a, b, on_b - from_a, largest).filter(|it| it.is_nearest)?;
    Some(certain.candidate(from_a, clamp_to_corners(on_b, b)))
}

/// The numbers of the edges that seem to be nearest to each other.
///
/// With `r` from a corner of a to one of b, the squared distance of the points at s and t of the
/// edges p and q is `|r|^2 + s^2 |p|^2 + t^2 |q|^2 - 2 s p.r + 2 t q.r - 2 s t p.q`. Edges add up to
/// zero around a triangle, so four products p.q give all nine, and the other products follow from
/// corner to corner. The nine do not wait for one another.
#[inline]
fn nearest_edges(
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    edges_a: &[Edge; 3],
    edges_b: &[Edge; 3],
) -> (usize, usize) {
    let [p0, p1, p2] = [0, 1, 2].map(|i| edges_a[i].along);
    let [q0, q1, q2] = [0, 1, 2].map(|j| edges_b[j].along);
    let row = |p: DVec3| {
        let (x, y) = (p.dot(q0), p.dot(q1));
        [x, y, -(x + y)]
    };
    let (pq0, pq1) = (row(p0), row(p1));
    let pq2 = [0, 1, 2].map(|j| -(pq0[j] + pq1[j]));
    let pq = [pq0, pq1, pq2];
    let to_b0 = a.map(|corner| b[0] - corner);
    let pr0 = [p0.dot(to_b0[0]), p1.dot(to_b0[1]), p2.dot(to_b0[2])];
    let rr0 = to_b0.map(DVec3::length_squared);
    let qr0 = [q0.dot(to_b0[0]), q1.dot(b[1] - a[0]), q2.dot(b[2] - a[0])];
    let qr1 = [0, 1, 2].map(|j| qr0[j] - pq0[j]);
    let qr2 = [0, 1, 2].map(|j| qr1[j] - pq1[j]);
    let qr = [qr0, qr1, qr2];
    let qq = [0, 1, 2].map(|j| edges_b[j].squared);
    let pr = [0, 1, 2].map(|i| [pr0[i], pr0[i] + pq[i][0], pr0[i] - pq[i][2]]);
    let rr = [0, 1, 2].map(|i| {
        let second = rr0[i] + 2.0 * qr[i][0] + qq[0];
        [rr0[i], second, second + 2.0 * qr[i][1] + qq[1]]
    });
    let square = |i: usize, j: usize| {
        let (p, q) = (&edges_a[i], &edges_b[j]);
        let (pq, pr, qr, rr) = (pq[i][j], pr[i][j], qr[i][j], rr[i][j]);
        let apart = p.squared * q.squared - pq * pq;
        let s = share((pr * q.squared - qr * pq) / apart);
        let t = share((s * pq - qr) * q.inverse_squared);
        let along = pr + t * pq;
        let s = share(along * p.inverse_squared);
        rr + s * (s * p.squared - 2.0 * along) + t * (t * q.squared + 2.0 * qr)
    };
    let nearest = |i: usize| {
        let [x, y, z] = [square(i, 0), square(i, 1), square(i, 2)];
        let (j, least) = if y < x { (1, y) } else { (0, x) };
        if z < least { (2, z) } else { (j, least) }
    };
    let [x, y, z] = [nearest(0), nearest(1), nearest(2)];
    let (i, least) = if y.1 < x.1 { (1, y) } else { (0, x) };
    if z.1 < least.1 { (2, z.0) } else { (i, least.0) }
}

/// Clamps to `0 ..= 1`, in two instructions; NaN gives 0.
#[inline(always)]
fn share(s: f64) -> f64 {
    smaller(larger(s, 0.0), 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::exact_distance;
    use super::super::triangle_distance::largest_coordinate;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// The gap is never above the exact distance, and what is said to be nearest is.
        #[test]
        fn what_is_certain_is_true((a, b, truth) in exact_distance::placed_triangles()) {
            let largest = largest_coordinate(&a) + largest_coordinate(&b);
            if let Some(found) = candidate(&a, &b, largest) {
                let error = 2f64.powi(-48) * largest;
                prop_assert!(found.gap <= truth + error, "{} of {truth}", found.gap);
                let distance = found.found.distance_squared.sqrt();
                prop_assert!(!found.is_nearest || (distance - truth).abs() <= 4.0 * error);
            }
        }

        /// Triangles of no special kind need no second look.
        #[test]
        fn general_triangles_are_certain(x in prop::collection::vec(-1.0..1.0f64, 18)) {
            let at = |i: usize| DVec3::new(x[i], x[i + 1], x[i + 2]);
            let (a, b) = ([at(0), at(3), at(6)], [at(9), at(12), at(15)].map(|p| p + DVec3::X * 2.5));
            let found = candidate(&a, &b, largest_coordinate(&a) + largest_coordinate(&b));
            prop_assert!(found.is_some_and(|found| found.is_nearest));
        }
    }

    #[test]
    fn nothing_is_certain_at_the_ends_of_the_range() {
        let tiny = [DVec3::ZERO, DVec3::X * 1e-160, DVec3::Y * 1e-170];
        let huge = [DVec3::ZERO, DVec3::X * 1e200, DVec3::Y * 1e308];
        for other in [DVec3::Z * 1e-165, DVec3::Z * 1e300] {
            for t in [tiny, huge] {
                let moved = t.map(|p| p + other);
                let largest = largest_coordinate(&t) + largest_coordinate(&moved);
                assert!(candidate(&t, &moved, largest).is_none());
            }
        }
    }
}
