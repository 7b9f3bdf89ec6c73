//! How far apart two triangles certainly are.

use glam::DVec3;

use super::triangle_distance;

/// A length by which two triangles are apart, or 0 if nothing is certain.
///
/// Guarantee: with C the sum of the largest magnitudes among the coordinates of each, the true
/// distance is larger, or smaller by less than 2^-48 C. This holds for every input, whatever
/// [`triangle_distance()`] computes: where that is as accurate as it usually is, the gap is the
/// distance, or loses a little of it for triangles much larger than their distance.
///
/// # Why
/// Across any direction n, points p and q of the triangles have
/// `|p - q| >= (p - q).n / |n|`, which is not below its least value among corners. With
/// u = 2^-53: a term of that dot product passes four roundings (difference, product, two sums)
/// and errs by 4.1u of itself, all three together by 4.1u |a - b| |n|; the length of n errs
/// by less than 4u of it, the quotient by u more. No corner difference is longer than sqrt(3) C,
/// so that the quotient errs by less than 9.2 sqrt(3) u C, which is below 2^-49 C. What underflow
/// takes is below the smallest normal number, n having a component of 1, and is taken off.
pub(crate) fn certain_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let nearest = triangle_distance(a, b);
    let between = nearest.on_a - nearest.on_b;
    let mut gap = gap_across(a, b, between);
    // The direction between computed points is off by their rounding over their distance, which
    // a large triangle feels. Directions that edges give are not.
    if gap < 0.5 * nearest.distance_squared.sqrt() {
        let edges = |[a, b, c]: &[DVec3; 3]| [*b - *a, *c - *b, *a - *c];
        let (edges_a, edges_b) = (edges(a), edges(b));
        for own in [&edges_a, &edges_b] {
            gap = gap.max(gap_across(a, b, own[0].cross(own[1])));
            for edge in own {
                let upright = between - *edge * (between.dot(*edge) / edge.length_squared());
                gap = gap.max(gap_across(a, b, upright));
            }
        }
        for p in &edges_a {
            for q in &edges_b {
                gap = gap.max(gap_across(a, b, p.cross(*q)));
            }
        }
    }
    gap
}

/// How far apart the triangles are across a direction, to either side; 0 if they overlap there, or
/// if something is not a number.
fn gap_across(a: &[DVec3; 3], b: &[DVec3; 3], direction: DVec3) -> f64 {
    let largest = direction.abs().max_element();
    if !(largest > 0.0 && largest.is_finite() && direction.is_finite()) {
        return 0.0;
    }
    let across = direction / largest;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in a {
        for q in b {
            let way = (*p - *q).dot(across);
            if !way.is_finite() {
                return 0.0;
            }
            (low, high) = (low.min(way), high.max(way));
        }
    }
    let gap = low.max(-high) / across.length();
    (gap - f64::MIN_POSITIVE).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::exact_distance;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Never above the distance of exact integers, and seldom much below it.
        #[test]
        fn gaps_are_certain(
            a in exact_distance::triangle(),
            b in exact_distance::triangle(),
            shift in prop_oneof![Just([0; 3]), exact_distance::point(300)],
            far in prop_oneof![Just(0.0), Just(2f64.powi(40))],
            exponent in -60..60i32,
        ) {
            let b = b.map(|p| [p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]]);
            let truth = exact_distance::triangle_triangle(a, b);
            let scale = 2f64.powi(exponent);
            let place = |p| (exact_distance::to_f64(p) + far) * scale;
            let (a, b) = (a.map(place), b.map(place));
            let largest = |t: &[DVec3; 3]| t.iter().fold(0.0_f64, |m, c| m.max(c.abs().max_element()));
            let reach = largest(&a) + largest(&b);
            let gap = certain_gap(&a, &b);
            let truth = truth * scale;
            prop_assert!(gap <= truth + 2f64.powi(-48) * reach, "{gap} of {truth}");
            prop_assert!(gap >= 0.999 * truth - 1e-12 * reach, "{gap} of {truth}");
        }

        /// Whatever the numbers are.
        #[test]
        fn any_finite_input_gives_a_length(
            x in proptest::collection::vec(
                (-1.0..1.0f64, -320..309i32).prop_map(|(m, e)| m * 10f64.powi(e)), 18,
            ),
        ) {
            let at = |i: usize| DVec3::new(x[i], x[i + 1], x[i + 2]);
            let gap = certain_gap(&[at(0), at(3), at(6)], &[at(9), at(12), at(15)]);
            prop_assert!(gap >= 0.0 && gap.is_finite());
        }
    }

    /// Large triangles that almost touch, face to face, edge to edge and corner to edge.
    #[test]
    fn small_distances_of_large_triangles_are_seen() {
        let tilt = |p: DVec3| DVec3::new(0.6 * p.x - 0.8 * p.z, p.y, 0.8 * p.x + 0.6 * p.z);
        for gap in [1e-3, 1e-6, 1e-9] {
            let floor = [
                DVec3::new(-3.0, -2.0, 0.0),
                DVec3::new(4.0, -2.5, 0.0),
                DVec3::new(0.1, 5.0, 0.0),
            ];
            for other in [
                floor.map(|p| p * 0.9 + DVec3::Z * gap),
                [DVec3::new(0.1, 0.2, gap), DVec3::new(1.0, 2.0, 3.0), DVec3::new(-2.0, 0.3, 4.0)],
                [DVec3::new(-1.0, 0.3, gap), DVec3::new(1.0, -0.3, gap), DVec3::new(0.0, 0.0, 2.0)],
            ] {
                let found = certain_gap(&floor.map(tilt), &other.map(tilt));
                let allowed = 0.5 * gap - 1e-14..gap + 1e-14;
                assert!(allowed.contains(&found), "{found} of {gap}");
            }
        }
    }
}
