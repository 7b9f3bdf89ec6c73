//! The distance of two points of any size.

use glam::DVec3;

use crate::numeric::{SQUARABLE, scaled_length};

/// The distance of two points, correct to a few units in the last place wherever it lies in the
/// range of `f64`, though its square may not. It is infinite above that range.
///
/// ```
/// use pliant::contact::point_distance;
/// use pliant::glam::DVec3;
///
/// let large = 2f64.powi(700);
/// assert_eq!(point_distance(DVec3::ZERO, DVec3::new(3.0, 0.0, 4.0) * large), 5.0 * large);
/// assert_eq!(point_distance(DVec3::NEG_X * 1e308, DVec3::X * 1e308), f64::INFINITY);
/// ```
#[must_use]
pub fn point_distance(p: DVec3, q: DVec3) -> f64 {
    let apart = (q - p).abs();
    let longest = apart.max_element();
    // Squares within the range; also where a coordinate is infinite or NaN.
    if SQUARABLE.contains(&longest) || !apart.is_finite() {
        return apart.length();
    }
    scaled_length(apart.to_array().into_iter())
}
