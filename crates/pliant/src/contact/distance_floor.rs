//! The least distance that the closest-point functions can compute for triangles inside two
//! volumes.

use crate::numeric::DISTANCE_FLOOR_SHARE;

/// Returns the least `distance_squared` that [`closest_point_on_triangle`] or [`triangle_distance`]
/// can compute for triangles inside two volumes.
///
/// `lower_bound_squared` is the squared distance of the volumes, which never exceeds the true one
/// ([`Apart::distance_squared_to`] or [`Volume::distance_squared_to_point`]). `point_error` is the sum of
/// their [`Volume::point_error`]. A query that skips a pair of volumes only if this floor exceeds the
/// best distance so far returns the same bits as a loop over all triangles, ties included.
///
/// ```
/// use pliant::{contact::{closest_point_on_triangle, computed_distance_floor}, glam::DVec3};
/// use pliant::volume::{Sphere, Volume};
/// let triangle = [DVec3::X, DVec3::Y, DVec3::Z];
/// let ball = Sphere::around(DVec3::splat(1.0 / 3.0), triangle);
/// let point = DVec3::new(9.0, -1.0, 2.0);
/// let floor = computed_distance_floor(ball.distance_squared_to_point(point), ball.point_error());
/// assert!(floor <= closest_point_on_triangle(point, &triangle).distance_squared);
/// ```
///
/// # Why
/// Let the volumes be d apart, and let the computed points lie outside them by s in total.
/// Then the points are at least d - s apart. For a share k,
/// `(d - s)^2 >= d^2 - 2ds >= (1 - k) d^2 - s^2 / k`, since `2ds <= k d^2 + s^2 / k`. This form
/// needs no square root. The computed square of the distance is too small by at most a relative 5u,
/// u = 2^-53; a second k of d^2 covers this and the roundings in this function (k is 2^27 u). A
/// second `s^2 / k` and the smallest normal number cover underflow in the points and in the
/// squares. NaN and infinities, which come from unbounded volumes, give zero.
///
/// [`closest_point_on_triangle`]: super::closest_point_on_triangle
/// [`triangle_distance`]: super::triangle_distance()
/// [`Apart::distance_squared_to`]: crate::volume::Apart::distance_squared_to
/// [`Volume::distance_squared_to_point`]: crate::volume::Volume::distance_squared_to_point
/// [`Volume::point_error`]: crate::volume::Volume::point_error
#[must_use]
#[inline]
pub fn computed_distance_floor(lower_bound_squared: f64, point_error: f64) -> f64 {
    let kept = lower_bound_squared * (1.0 - 2.0 * DISTANCE_FLOOR_SHARE);
    let paid = point_error * point_error * (2.0 / DISTANCE_FLOOR_SHARE) + f64::MIN_POSITIVE;
    (kept - paid).max(0.0)
}
