//! Ray against triangle, watertight between neighbours.

use glam::DVec3;

use crate::limits::MIN_RAY_AREA;
use crate::volume::Ray;

/// Where a ray hits a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// The parameter along the ray, in multiples of its direction; finite and at least 0.
    pub t: f64,
    /// The weights of the corners, each in `0 ..= 1`, with a sum of 1 up to rounding.
    pub barycentric: [f64; 3],
}

/// Returns where a ray hits a triangle, from either side. Edges and corners belong to the triangle.
///
/// The test is watertight: a ray that meets a common edge or corner of neighbours hits at least one
/// of them, so no ray passes through a closed mesh. A triangle with two equal corners, or one that
/// is exactly edge-on, is never hit; in a closed mesh its neighbours are hit instead. A triangle
/// whose corners are collinear in space may be hit where rounding gives it an area as seen along
/// the ray. It then fills a gap that the same rounding opened between its neighbours. A hit that is
/// closer to the origin than rounding resolves may be lost, because its computed `t` may be
/// negative.
///
/// This is the test of Woop, Benthin and Wald ("Watertight Ray/Triangle Intersection", JCGT 2013,
/// section 3) in `f64`: corners are sheared so that the ray becomes an axis, and the signs of areas
/// in the perpendicular plane decide. A sheared corner is the same for all triangles that share it,
/// and the signs are exact for the sheared corners, so two neighbours agree on which side of their
/// edge the ray passes.
///
/// The corners, relative to the origin, must be at most 1e150 in magnitude, and the area as seen
/// along the ray at least [`MIN_RAY_AREA`]. Otherwise there is no hit.
///
/// ```
/// use pliant::{contact::ray_triangle, glam::DVec3, volume::Ray};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let ray = Ray::new(DVec3::new(0.5, 0.25, 4.0), DVec3::new(0.0, 0.0, -2.0))?;
/// let hit = ray_triangle(&ray, &triangle).expect("a hit");
/// assert_eq!((hit.t, hit.barycentric), (2.0, [0.25, 0.5, 0.25]));
/// # Ok::<(), pliant::Error>(())
/// ```
///
/// # The lemma that bounds rely on
/// Let D be the largest magnitude among the corners' coordinates
/// relative to the origin, and u = 2^-53. Let g be the computed coordinate of the hit along the
/// ray's main axis. The point `origin + g * slope` of the ray is within 18u D of a point of the
/// triangle, on each axis.
///
/// *Across the ray.* A sheared coordinate has an error of 2u of the difference plus 3u of the
/// product with the slope: 5uD. The areas U, V, W each have a relative error of 3u and the same
/// sign. The mean of the sheared corners with weights U, V, W over their sum would be zero for
/// exact areas, so it is at most 3u times their extent, 6uD. The point P of the triangle with those
/// weights is therefore within 11uD of the ray on both axes. *Along the ray.* The computed g
/// differs from that of P by 3u in each weight, u in each product, 2u in the sums and u in the
/// differences: 7uD. A slope is at most 1, so this adds at most 7uD across the ray. Second-order
/// terms, and underflow in areas above the minimum, are far below uD, and the constants that use
/// the lemma have that margin.
#[must_use]
pub fn ray_triangle(ray: &Ray, triangle: &[DVec3; 3]) -> Option<RayHit> {
    sheared_triangle(ray, &triangle.map(|corner| ray.shear(corner)))
}

/// [`ray_triangle`] for corners that [`Ray::shear`] has transformed already.
#[inline]
pub(crate) fn sheared_triangle(ray: &Ray, &[a, b, c]: &[DVec3; 3]) -> Option<RayHit> {
    // Rounding is monotone, so the sign of a rounded difference of rounded products is the true one
    // or zero.
    let area = |p: DVec3, q: DVec3| p.x * q.y - p.y * q.x;
    if differ_in_sign(area(b, c), area(c, a), area(a, b)) {
        return None;
    }
    // Few triangles get here. For these the areas are computed accurately, which also resolves
    // zeros.
    let (u, v, w) = (accurate_area(b, c), accurate_area(c, a), accurate_area(a, b));
    let sum = u + v + w;
    let size = sum.abs();
    if differ_in_sign(u, v, w) || !(MIN_RAY_AREA..=f64::MAX).contains(&size) {
        return None;
    }
    // All areas have the same sign. No weight exceeds 1, since a sum is not below its parts.
    let barycentric = [u / sum, v / sum, w / sum];
    let ahead = barycentric[0] * a.z + barycentric[1] * b.z + barycentric[2] * c.z;
    // Adding zero turns -0 into 0. Comparisons with NaN fail. A hit behind the origin is rejected
    // by `ahead`, not by `t`: dividing a small negative value by a long direction may give zero.
    let t = ray.t(ahead) + 0.0;
    (ahead >= 0.0 && t <= f64::MAX).then_some(RayHit { t, barycentric })
}

#[inline]
fn differ_in_sign(u: f64, v: f64, w: f64) -> bool {
    (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)
}

/// The difference of two products by Kahan's method, with a relative error below 3u and therefore
/// the true sign. The bound is proven by Jeannerod, Louvet and Muller (Mathematics of Computation
/// 2013).
#[inline]
fn accurate_area(p: DVec3, q: DVec3) -> f64 {
    let product = p.y * q.x;
    let lost = (-p.y).mul_add(q.x, product);
    p.x.mul_add(q.y, -product) + lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::closest_point_on_triangle;
    use proptest::prelude::*;

    fn points(range: i32) -> impl Strategy<Value = [[i32; 3]; 5]> {
        prop::array::uniform5(prop::array::uniform3(-range..=range))
    }

    #[test]
    fn what_is_behind_a_ray_is_not_hit_however_long_its_direction_is() {
        let small = 1e-20;
        let triangle = [DVec3::ZERO, DVec3::X * small, DVec3::Y * small];
        for length in [1.0, 1e300, 1e308] {
            for (ahead, hit) in [(-2.0, false), (0.0, true), (2.0, true)] {
                let origin = DVec3::new(0.25, 0.25, -ahead) * small;
                let ray = Ray::new(origin, DVec3::Z * length).unwrap();
                assert_eq!(ray_triangle(&ray, &triangle).is_some(), hit, "{ahead} {length}");
            }
        }
    }

    fn vector(c: [i32; 3]) -> DVec3 {
        DVec3::from_array(c.map(f64::from))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Hits away from borders agree with integer volumes.
        #[test]
        fn hits_are_those_of_integers(p in prop_oneof![points(4), points(100)], far in 0..3i32) {
            let det = |a: [i32; 3], b: [i32; 3], c: [i32; 3]| {
                let [a, b, c] = [a, b, c].map(|v| v.map(i64::from));
                a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
                    + a[2] * (b[0] * c[1] - b[1] * c[0])
            };
            let minus = |a: [i32; 3], b: [i32; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            let [origin, direction, a, b, c] = p;
            let [a_seen, b_seen, c_seen] = [a, b, c].map(|v| minus(v, origin));
            let parts = [
                det(direction, b_seen, c_seen),
                det(direction, c_seen, a_seen),
                det(direction, a_seen, b_seen),
            ];
            let whole: i64 = parts.iter().sum();
            let ahead = det(a_seen, b_seen, c_seen);
            let inside = parts.iter().all(|&x| x > 0) || parts.iter().all(|&x| x < 0);
            let outside = parts.iter().any(|&x| x > 0) && parts.iter().any(|&x| x < 0);
            if direction == [0; 3] || !((inside && ahead != 0) || outside) {
                return Ok(());
            }

            let shift = DVec3::splat(f64::from(far) * 2f64.powi(20));
            let ray = Ray::new(vector(origin) + shift, vector(direction)).unwrap();
            let hit = ray_triangle(&ray, &[a, b, c].map(|v| vector(v) + shift));
            let t = ahead as f64 / whole as f64;
            if outside || t < 0.0 {
                prop_assert_eq!(hit, None);
                return Ok(());
            }
            let hit = hit.expect("inside and ahead");
            prop_assert!((hit.t - t).abs() <= 1e-13 * 300.0, "{hit:?}, not {t}");
            for (found, part) in hit.barycentric.iter().zip(parts) {
                let error = found - part as f64 / whole as f64;
                prop_assert!(error.abs() <= 1e-12 && (0.0..=1.0).contains(found), "{hit:?}");
            }
        }

        /// Tests the lemma, also for slivers and grazing rays.
        #[test]
        fn at_the_computed_t_the_ray_is_at_the_triangle(
            p in points(50), thin in prop::array::uniform3(-1e-13..1e-13f64), s in 0.0..1.0f64,
            aim in (0.0..0.5f64, 0.0..0.5f64), reach in prop_oneof![Just(1.0), Just(1e6)],
        ) {
            let [origin, _, a, b, _] = p.map(vector);
            let c = a + (b - a) * s + DVec3::from_array(thin);
            let origin = origin * reach;
            let target = a + (b - a) * aim.0 + (c - a) * aim.1;
            let Ok(ray) = Ray::new(origin, target - origin) else { return Ok(()) };
            let triangle = [a, b, c];
            if let Some(hit) = ray_triangle(&ray, &triangle) {
                let seen = triangle.iter().fold(DVec3::ZERO, |m, &v| m.max((v - origin).abs()));
                let largest = triangle.iter().fold(0.0, |m: f64, v| m.max(v.abs().max_element()));
                let at = ray.at(hit.t);
                let off = (closest_point_on_triangle(at, &triangle).point - at).abs().max_element();
                // The lemma's 18u, plus the errors of computing `at` and the closest point.
                let allowed = f64::EPSILON * (12.0 * seen.max_element() + 8.0 * largest);
                prop_assert!(off <= allowed, "off by {off:e}, allowed {allowed:e}");
            }
        }

        #[test]
        fn two_equal_corners_are_never_hit(p in points(3), which in 0..3usize) {
            let [origin, target, a, b, _] = p.map(vector);
            let mut triangle = [a, b, b];
            triangle.rotate_left(which);
            let Ok(ray) = Ray::new(origin * 0.7, target - origin) else { return Ok(()) };
            prop_assert_eq!(ray_triangle(&ray, &triangle), None);
        }

        #[test]
        fn any_finite_input_gives_finite_hits(
            x in prop::collection::vec(
                (-1.0..1.0f64, -320..309i32).prop_map(|(m, e)| m * 10f64.powi(e)), 15,
            ),
        ) {
            let at = |i: usize| DVec3::new(x[i], x[i + 1], x[i + 2]);
            let Ok(ray) = Ray::new(at(0), at(3)) else { return Ok(()) };
            if let Some(hit) = ray_triangle(&ray, &[at(6), at(9), at(12)]) {
                prop_assert!(hit.t.is_finite() && hit.t >= 0.0);
                prop_assert!(hit.barycentric.iter().all(|w| (0.0..=1.0).contains(w)));
            }
        }
    }

    #[test]
    fn borders_and_both_sides_count() {
        let triangle = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        for (x, y) in [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0), (2.0, 0.0), (2.0, 2.0), (0.0, 1.0)] {
            for side in [-1.0, 1.0] {
                let ray = Ray::new(DVec3::new(x, y, side), DVec3::new(-0.0, 0.0, -side)).unwrap();
                let hit = ray_triangle(&ray, &triangle);
                assert!(hit.is_some_and(|hit| hit.t == 1.0), "{x} {y} {side}: {hit:?}");
            }
        }
        let in_plane = Ray::new(DVec3::new(-1.0, 1.0, 0.0), DVec3::X).unwrap();
        assert_eq!(ray_triangle(&in_plane, &triangle), None);
    }

    #[test]
    fn a_hit_at_the_origin_has_positive_zero() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let ray = Ray::new(DVec3::new(0.25, 0.25, 0.0), DVec3::NEG_Z).unwrap();
        assert!(ray_triangle(&ray, &triangle).is_some_and(|hit| hit.t.to_bits() == 0));
    }
}
