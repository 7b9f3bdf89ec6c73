//! The frame of a reduced body, prepared for volumes.

use glam::DAffine3;

use crate::deform::{Reduced, row_sums};
use crate::numeric::{F32_SLACK, largest_stretch};
use crate::volume::Motion;

/// The motion of volumes from the body's own space to the world, for a state whose vertices may be off by `error` in the body's own space, and for volumes
/// that reach as far as `reach` there if that is farther than the state does. O(modes).
///
/// The allowance covers:
///
/// - Coordinates that lose digits because they are tiny in `f32`: 2^-150 each, times the
///   mode's reach, and 2^-150 for each product. The smallest normal number is 2^24 times as
///   much, and there are no more than 2^16 modes. The same holds for entries of the frame,
///   times the reach.
/// - If the frame is not the identity: rounding its entries, the products and sums of the map
///   and the result to `f32`. These are at most ten roundings of 2^-24 of at most
///   |A| (|c| + h) + |t|, with middle c and half size h, both at most the reach. `F32_SLACK`
///   is 32 roundings, which leaves room for the `f64` roundings of the vertices. The reach is
///   doubled, because |c| + h and the reach itself are rounded.
pub(super) fn placement(state: &Reduced, reach: f64, error: f64) -> Motion {
    let frame = state.frame();
    let (reach, tiny) = (state.reach().max(reach), f64::from(f32::MIN_POSITIVE));
    let lost = (1.0 + state.reaches()[1..].iter().sum::<f64>()) * tiny;
    let (mut allowance, mut magnitude, mut stretch) = (lost + error, 2.0 * reach, 1.0);
    if frame != DAffine3::IDENTITY {
        stretch = largest_stretch(&frame.matrix3);
        let growth = row_sums(&frame).max_element().max(stretch);
        magnitude = magnitude.max(1.0) * growth + frame.translation.abs().max_element();
        allowance = lost * growth + error * stretch;
        allowance += magnitude * f64::from(F32_SLACK) + (1.0 + reach) * tiny;
    }
    // Coordinates and modes must be in range by themselves, not only their products.
    let parts = state.coordinates().iter().chain(state.reaches());
    let largest = parts.fold(magnitude + error, |most, part| most.max(part.abs()));
    Motion::new(frame, stretch, allowance, largest)
}
