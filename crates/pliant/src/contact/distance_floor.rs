//! What a computed distance can be at the least, given how far apart the volumes are.

use crate::numeric::DISTANCE_FLOOR_SHARE;

/// The least `distance_squared` that [`closest_point_on_triangle`] or
/// [`triangle_distance`] can compute for triangles inside volumes.
///
/// `lower_bound_squared` is the volumes' squared distance, never above the true one
/// ([`Apart::distance_squared_to`] or [`Volume::distance_squared_to_point`]), and
/// `point_error` the sum of their [`Volume::point_error`]. A query that skips volumes only if
/// this floor is above the best distance so far finds bit for bit what a loop over
/// all triangles finds, ties included.
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
/// Let the volumes be d apart and the computed points lie s outside of them in all, so
/// that they are at least d - s from each other. With a share k,
/// `(d - s)^2 >= d^2 - 2ds >= (1 - k) d^2 - s^2 / k`, since
/// `2ds <= k d^2 + s^2 / k`. No root is needed. The computed square of the points'
/// distance is smaller by at most 5u of itself, u = 2^-53, which a second k of d^2
/// pays for together with the roundings here (k is 2^27 times u). A second `s^2 / k`
/// and the smallest normal number pay for what underflow takes from the points and
/// from the squares. NaN and infinities, from volumes without end, give zero.
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
