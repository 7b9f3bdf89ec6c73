//! A certain lower bound of the distance of two triangles.

use glam::DVec3;

use super::triangle_distance;

/// How far two triangles are certainly apart, and in which direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Separation {
    /// A length, or 0 if nothing is certain.
    pub(crate) gap: f64,
    /// From the second to the first: of length 1 up to rounding, or zero if nothing is certain.
    pub(crate) direction: DVec3,
}

impl Separation {
    const NONE: Self = Self { gap: 0.0, direction: DVec3::ZERO };

    /// The one that is farther apart.
    fn better(self, other: Self) -> Self {
        if other.gap > self.gap { other } else { self }
    }
}

/// Returns a length by which two triangles are certainly apart, or 0 if nothing is certain.
///
/// Guarantee: let C be the sum of the largest coordinate magnitudes of the two triangles. The true
/// distance is at least the result minus 2^-48 C. This holds for every input and does not depend on
/// the accuracy of [`triangle_distance()`]. Where that function is accurate, the gap is the
/// distance, or slightly less for triangles that are much larger than their distance.
///
/// # Why
/// For any direction n and points p and q of the two triangles, `|p - q| >= (p - q).n / |n|`, and
/// the right side is least at a pair of corners. Let u = 2^-53. A term of that dot product takes
/// four roundings (difference, product, two sums), so it has a relative error of 4.1u, and the
/// three terms together have an error of 4.1u |a - b| |n|. The length of n has a relative error
/// below 4u, and the quotient adds u. A corner difference is at most sqrt(3) C long, so the
/// quotient is off by less than 9.2 sqrt(3) u C, which is below 2^-49 C. Since n has a component of
/// 1, underflow costs less than the smallest normal number, which is subtracted.
pub(crate) fn certain_gap(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    certain_separation(a, b).gap
}

/// As [`certain_gap`], with the direction along which the triangles are apart by the gap.
pub(crate) fn certain_separation(a: &[DVec3; 3], b: &[DVec3; 3]) -> Separation {
    let nearest = triangle_distance(a, b);
    let between = nearest.on_a - nearest.on_b;
    let mut gap = gap_across(a, b, between);
    // The direction between the computed points is off by their rounding divided by their distance.
    // For large triangles that error matters. Directions computed from edges do not have it.
    if gap.gap < 0.5 * nearest.distance_squared.sqrt() {
        let edges = |[a, b, c]: &[DVec3; 3]| [*b - *a, *c - *b, *a - *c];
        let (edges_a, edges_b) = (edges(a), edges(b));
        for own in [&edges_a, &edges_b] {
            gap = gap.better(gap_across(a, b, own[0].cross(own[1])));
            for edge in own {
                let upright = between - *edge * (between.dot(*edge) / edge.length_squared());
                gap = gap.better(gap_across(a, b, upright));
            }
        }
        for p in &edges_a {
            for q in &edges_b {
                gap = gap.better(gap_across(a, b, p.cross(*q)));
            }
        }
    }
    gap
}

/// Returns by how much the triangles are separated along a direction, to either side. Returns none
/// if they overlap there or if a number is not finite.
pub(super) fn gap_across(a: &[DVec3; 3], b: &[DVec3; 3], direction: DVec3) -> Separation {
    let largest = direction.abs().max_element();
    if !(largest > 0.0 && largest.is_finite() && direction.is_finite()) {
        return Separation::NONE;
    }
    let across = direction / largest;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in a {
        for q in b {
            let way = (*p - *q).dot(across);
            if !way.is_finite() {
                return Separation::NONE;
            }
            (low, high) = (low.min(way), high.max(way));
        }
    }
    let length = across.length();
    let gap = low.max(-high) / length - f64::MIN_POSITIVE;
    if gap > 0.0 {
        let side = if low > 0.0 { length } else { -length };
        Separation { gap, direction: across / side }
    } else {
        Separation::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact_distance;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// The gap is never above the exact distance, computed with integers, and seldom much below
        /// it.
        #[test]
        fn gaps_are_certain((a, b, truth) in exact_distance::placed_triangles()) {
            let largest = |t: &[DVec3; 3]| t.iter().fold(0.0_f64, |m, c| m.max(c.abs().max_element()));
            let reach = largest(&a) + largest(&b);
            let gap = certain_gap(&a, &b);
            prop_assert!(gap <= truth + 2f64.powi(-48) * reach, "{gap} of {truth}");
            prop_assert!(gap >= 0.999 * truth - 1e-12 * reach, "{gap} of {truth}");
        }

        /// Holds for all magnitudes, including underflow and overflow.
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

    /// Large triangles that almost touch: face to face, edge to edge and corner to edge.
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
