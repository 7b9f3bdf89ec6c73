//! Where a ray enters a volume, never overestimated.
//!
//! What is bounded is not where the true ray meets the volume, but the `t` that
//! [`ray_triangle`](crate::contact::ray_triangle) *computes* for triangles inside
//! it. Its lemma: at the computed way ahead g, the point `origin + g * slope` lies
//! within 18u D of a point of the triangle, each axis for itself, where D is the
//! largest coordinate of the triangle seen from the origin and u = 2^-53. So that
//! point lies in the volume grown by 18u D, and g is not below the way at which the
//! ray enters the grown volume. Both sides divide by the same stride at the end;
//! rounding keeps their order.

use super::{Aabb, Ray, Sphere};
use crate::limits::{RAY_BOX_STRAY, RAY_SPHERE_STRAY};

/// Where a ray enters a volume.
pub trait RayEntry {
    /// A `t` that no triangle inside the volume is hit before. `None` if none is
    /// hit at all or each only after `until`; one hit at exactly `until` still counts.
    ///
    /// "Hit" is what [`ray_triangle`](crate::contact::ray_triangle) computes, its
    /// roundings included: skipping a volume on `None` never changes the answer.
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
    /// With slope s > 0, a hit at way g has `s g >= low - 18uD` in each axis. Computed
    /// are the difference (u), the one with the slack (u), the inverse of the slope
    /// (u) and the product (u), each relative to something up to D: together 4uD
    /// and terms of second order, so that a slack of 32uD makes the computed quotient
    /// at most g. Likewise for s < 0 and for the way out.
    ///
    /// A slope of zero has an infinite inverse: beside the slab the way in is
    /// infinite, within it the slab is always and on its border the product is NaN.
    /// NaN fails every comparison, so that it restricts nothing. The slack of an
    /// infinite box is infinite, and such a box is never passed by.
    #[inline]
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        let low = self.min.as_dvec3() - ray.origin();
        let high = self.max.as_dvec3() - ray.origin();
        let slack = RAY_BOX_STRAY * low.abs().max(high.abs()).max_element();
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
    /// With m the origin seen from the centre, g0 the computed way of closest
    /// approach and q = m + g0 slope the computed point there: g0 is off by 8u|m|
    /// and |q| by 15u|m|, which the grown radius R pays for, since R + e and |q| + e
    /// differ in their squares by at least as much as R and |q| do if |q| <= R. The
    /// roundings of the squares are 4u of R^2, paid by 4uR. With sqrt(3) 18u D of
    /// the lemma, D <= |m| + r, this is 51u (|m| + r). The way in, g0 less half
    /// the chord, errs by 8u|m| from g0 and 8u(|m| + R) from root and differences,
    /// and is lowered by the same slack. The sum of sides stands for |m|: it is never
    /// shorter. The absolute part keeps the squares from vanishing.
    ///
    /// Squares that overflow leave NaN or infinities, which exclude nothing.
    #[inline]
    fn ray_entry(&self, ray: &Ray, until: f64) -> Option<f64> {
        let radius = f64::from(self.radius);
        if radius < 0.0 {
            return None;
        }
        let from = ray.origin() - self.center.as_dvec3();
        let slope = ray.slope();
        let slack = RAY_SPHERE_STRAY * (from.abs().element_sum() + radius) + 1e-140;
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
