//! Where a ray enters a volume, never overestimated.
//!
//! The bound is not on where the true ray meets the volume, but on the `t` that
//! [`ray_triangle`](crate::contact::ray_triangle) *computes* for triangles inside it. Its lemma: at
//! the computed distance g along the main axis, the point `origin + g * slope` lies within 18u D of
//! a point of the triangle along each axis. Here D is the largest coordinate of the triangle seen
//! from the origin and u = 2^-53. So that point lies in the volume grown by 18u D, and g is not
//! below the distance at which the ray enters the grown volume. Both sides divide by the same
//! stride at the end; rounding keeps their order.

use glam::DVec3;

use super::{Aabb, Ray, Sphere};
use crate::numeric::{RAY_BOX_ERROR, RAY_SLAB_ERROR, RAY_SPHERE_ERROR};

/// Where a ray enters a volume.
pub trait RayEntry {
    /// A `t` before which no triangle inside the volume is hit. `None` if none is hit at all, or
    /// all are hit after `until`. A hit at exactly `until` counts.
    ///
    /// "Hit" means as [`ray_triangle`](crate::contact::ray_triangle) computes it, roundings
    /// included: skipping a volume on `None` never changes the answer.
    ///
    /// ```
    /// use pliant::{glam::DVec3, volume::{Aabb, Ray, RayEntry}};
    /// let cube = Aabb::around([DVec3::ONE, DVec3::splat(2.0)]);
    /// let ray = Ray::new(DVec3::new(0.0, 1.5, 1.5), DVec3::X)?;
    /// assert!(cube.ray_entry(&ray, 5.0).is_some_and(|t| t <= 1.0 && t > 0.999));
    /// assert_eq!(cube.ray_entry(&ray, 0.5), None);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64>;
}

impl RayEntry for Aabb {
    /// The slabs of the grown box.
    ///
    /// With slope s > 0, a hit at distance g has `s g >= low - 18uD` along each axis. Four
    /// operations are rounded, each by u of at most D: the difference, the difference with the
    /// slack, the inverse of the slope and the product. Together these are 4uD and terms of second
    /// order, so that with a slack of 32uD the computed quotient is at most g. The same holds for
    /// s < 0 and for the exit.
    ///
    /// A slope of zero has an infinite inverse. Beside the slab the entry is then infinite, inside
    /// it is minus infinity, and on its border the product is NaN. NaN fails every comparison, so
    /// that it restricts nothing. The slack of an infinite box is infinite, and such a box is
    /// never skipped.
    #[inline]
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        let low = self.min.as_dvec3() - ray.origin();
        let high = self.max.as_dvec3() - ray.origin();
        // The sum of all sides is never below the longest, and is NaN where one is.
        let slack = RAY_BOX_ERROR * (low.abs() + high.abs()).element_sum();
        let inverse = ray.inverse_slope();
        let first = ((low - slack) * inverse).to_array();
        let second = ((high + slack) * inverse).to_array();
        let inverse = inverse.to_array();
        let (mut near, mut far) = (0.0, f64::INFINITY);
        for axis in 0..3 {
            let backward = inverse[axis] < 0.0;
            let enter = if backward { second[axis] } else { first[axis] };
            let leave = if backward { first[axis] } else { second[axis] };
            near = if enter > near { enter } else { near };
            far = if leave < far { leave } else { far };
        }
        let t = ray.t(near);
        if near > far || t > until { None } else { Some(t) }
    }
}

impl RayEntry for Sphere {
    /// The chord through the grown ball.
    ///
    /// Let m be the origin seen from the centre, g0 the computed distance of closest approach and
    /// q = m + g0 slope the computed point there. Then g0 errs by 8u|m| and |q| by 15u|m|. The
    /// grown radius R covers that, since R + e and |q| + e differ in their squares by at least as
    /// much as R and |q| do if |q| <= R. The roundings of the squares are 4u of R^2, which 4uR
    /// covers. With sqrt(3) 18u D of the lemma, D <= |m| + r, this is 51u (|m| + r). The entry, g0
    /// less half the chord, errs by 8u|m| from g0 and 8u(|m| + R) from root and differences, and is
    /// lowered by the same slack. The sum of sides takes the place of |m|: it is never shorter. The
    /// absolute part keeps the squares from vanishing.
    ///
    /// Squares that overflow give NaN or infinities, which exclude nothing.
    #[inline]
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        let radius = f64::from(self.radius);
        if radius < 0.0 {
            return None;
        }
        let from = ray.origin() - self.center.as_dvec3();
        let slope = ray.slope();
        let slack = RAY_SPHERE_ERROR * (from.abs().element_sum() + radius) + 1e-140;
        let grown = radius + slack;
        let slope_squared = slope.length_squared();
        let middle = -from.dot(slope) / slope_squared;
        let within = grown * grown - (from + slope * middle).length_squared();
        let half_chord = (within / slope_squared).sqrt();
        // `max` prefers a number to NaN.
        let near = (middle - half_chord - slack).max(0.0);
        let t = ray.t(near);
        if within < 0.0 || middle + half_chord + slack < 0.0 || t > until { None } else { Some(t) }
    }
}

/// As [`RayEntry::ray_entry`], for the set of points p with low <= n . (p - middle) <= high for each
/// slab (n, low, high). Of each n the coordinates have magnitudes that sum to at most 3. All
/// triangles inside have coordinates of at most `reach` as seen from `middle`.
///
/// Let m be the origin seen from the middle and D = |m| + reach, coordinate by coordinate: no
/// coordinate of a triangle inside exceeds D as seen from the origin. With s = n . slope a hit at
/// distance g has `s g >= low - n . m` up to 3 times 18u D (the lemma, along n). What is computed
/// errs further: m by u of itself, which is 3u D along n; n . m by three roundings of at most 3 D each;
/// s by three of at most 3, times g, which is at most D (1 + 18u); the difference with `low`, the
/// difference with the slack and the quotient by u of at most 3 D each, the last one multiplied
/// by s. Together 54 + 3 + 9 + 9 + 9 = 84 roundings, and the bounds of the sums themselves. The slack
/// has 128. A slope of zero gives infinities of the right sign: the slack has the error of s in it.
/// NaN restricts nothing.
#[inline]
pub(super) fn slabs_entry(
    ray: &Ray,
    middle: DVec3,
    reach: f64,
    slabs: impl Iterator<Item = (DVec3, f64, f64)>,
    until: f64,
) -> Option<f64> {
    let from = ray.origin() - middle;
    let slack = RAY_SLAB_ERROR * (from.abs().max_element() + reach);
    let (mut near, mut far) = (0.0, f64::INFINITY);
    for (normal, low, high) in slabs {
        // Adding zero turns -0 into 0, so that the infinities below have the right sign.
        let (along, speed) = (normal.dot(from), normal.dot(ray.slope()) + 0.0);
        let (first, second) = ((low - along) - slack, (high - along) + slack);
        let backward = speed < 0.0;
        let enter = if backward { second / speed } else { first / speed };
        let leave = if backward { first / speed } else { second / speed };
        near = if enter > near { enter } else { near };
        far = if leave < far { leave } else { far };
    }
    let t = ray.t(near);
    if near > far || t > until { None } else { Some(t) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec3, Vec3, Vec3A};

    fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray {
        Ray::new(DVec3::from_array(origin), DVec3::from_array(direction)).unwrap()
    }

    /// The entry into both a cube of side 2 and a ball of radius 1 around the origin.
    fn entries(ray: &Ray, until: f64) -> [Option<f64>; 2] {
        let cube = Aabb { min: Vec3A::NEG_ONE, max: Vec3A::ONE };
        let ball = Sphere { center: Vec3::ZERO, radius: 1.0 };
        [cube.ray_entry(ray, until), ball.ray_entry(ray, until)]
    }

    #[test]
    fn toward_away_and_inside() {
        for zero in [0.0, -0.0] {
            for sign in [-1.0, 1.0] {
                let toward = ray([zero, 3.0 * sign, zero], [zero, -2.0 * sign, zero]);
                for entry in entries(&toward, f64::INFINITY) {
                    assert!(entry.is_some_and(|t| t <= 1.0 && t > 1.0 - 1e-12), "{entry:?}");
                }
                assert_eq!(entries(&toward, 0.9), [None; 2]);
                let away = ray([zero, 3.0 * sign, zero], [zero, 2.0 * sign, zero]);
                assert_eq!(entries(&away, f64::INFINITY), [None; 2]);
                let inside = ray([0.1, 0.2, 0.3], [zero, 1.0, -5.0]);
                assert_eq!(entries(&inside, f64::INFINITY), [Some(0.0); 2]);
            }
        }
    }

    #[test]
    fn oblique_rays_that_miss_are_told_apart() {
        assert_eq!(entries(&ray([-3.0, 0.0, 0.0], [1.0, 1.0, 0.0]), 1e9), [None; 2]);
        assert_eq!(entries(&ray([-3.0, 1.001, 0.0], [1.0, 1e-3, 0.0]), 1e9), [None; 2]);
        // Through the cube's corner region, past the ball.
        let [cube, ball] = entries(&ray([-3.0, 0.9, 0.9], [1.0, 0.0, 0.0]), 1e9);
        assert!(cube.is_some() && ball.is_none());
    }

    #[test]
    fn rays_in_a_face_or_along_an_edge_enter() {
        for side in [-1.0, 1.0] {
            let [cube, ball] = entries(&ray([-3.0, side, 0.0], [1.0, 0.0, 0.0]), 1e9);
            assert!(cube.is_some() && ball.is_some());
            assert!(entries(&ray([-3.0, side, 1.0], [1.0, -0.0, 0.0]), 1e9)[0].is_some());
        }
        let flat = Aabb { min: Vec3A::new(0.0, 0.0, 0.5), max: Vec3A::new(1.0, 1.0, 0.5) };
        assert!(flat.ray_entry(&ray([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0]), 9.0).is_some());
        let point = Sphere { center: Vec3::ONE, radius: 0.0 };
        assert!(point.ray_entry(&ray([0.0; 3], [2.0; 3]), 9.0).is_some());
    }

    #[test]
    fn infinite_volumes_are_never_skipped() {
        let all = Aabb::EVERYWHERE;
        let half = Aabb { min: Vec3A::ONE, max: Vec3A::new(2.0, 2.0, f32::INFINITY) };
        let ball = Sphere { center: Vec3::ONE, radius: f32::INFINITY };
        for ray in [ray([0.0; 3], [0.0, 0.0, 1.0]), ray([1e300; 3], [1e-300, 5e-324, 0.0])] {
            assert_eq!(all.ray_entry(&ray, 1e9), Some(0.0));
            assert!(half.ray_entry(&ray, 1e9).is_some());
            assert_eq!(ball.ray_entry(&ray, 1e9), Some(0.0));
            assert_eq!(Sphere::EMPTY.ray_entry(&ray, 1e9), None);
        }
    }

    #[test]
    fn origins_at_the_end_of_f64_exclude_nothing_wrongly() {
        // Squares overflow for the ball; it may be entered or not, but not be NaN.
        for far in [1e150, 1e200, 1.7e308] {
            for entry in entries(&ray([far, far, far], [-1.0, -1.0, -1.0]), f64::INFINITY) {
                assert!(entry.is_some_and(|t| t >= 0.0 && t <= far), "{far}: {entry:?}");
            }
        }
    }
}
