//! The frame of a reduced body, prepared for volumes.

use glam::{DAffine3, DMat3};

use crate::deform::{Reduced, row_sums};
use crate::numeric::{F32_SLACK, PowerOfTwo, largest_stretch};
use crate::volume::Motion;

/// The motion of volumes from the body's own space to the world, for a state whose vertices may be
/// off by `error` in own space, and for volumes that reach as far as `reach` there if that is
/// farther than the state does. Volumes are given in units of `unit`. O(modes).
///
/// All that follows is in these units. The allowance covers:
///
/// - What is lost because it is tiny. Factors of rows and products with them lose up to 2^-150
///   each, and no row exceeds 8 (spheres enlarged for proxies). There are no more than 2^16 modes:
///   together less than 2^-129. The smallest normal number is 2^-126. The same number covers what
///   entries of the frame lose, times the reach.
/// - If the map is not the identity: rounding its entries, the products and sums of the map
///   and the result to `f32`. These are at most ten roundings of 2^-24 of at most
///   |A| (|c| + h) + |t|, with middle c and half size h, both at most the reach. `F32_SLACK`
///   is 32 roundings, which leaves room for the `f64` roundings of the vertices. The reach is
///   doubled, because |c| + h and the reach itself are rounded.
///
/// The motion is bounded if own space and the image stay in the range of `f32`.
pub(super) fn placement(state: &Reduced, unit: PowerOfTwo, reach: f64, error: f64) -> Motion {
    let frame = state.frame();
    let m = &frame.matrix3;
    let columns = [m.x_axis, m.y_axis, m.z_axis].map(|column| unit.vector_up(column));
    let matrix3 = DMat3::from_cols(columns[0], columns[1], columns[2]);
    let map = DAffine3 { matrix3, translation: frame.translation };
    let (reach, error) = (unit.down(state.reach().max(reach)), unit.down(error));
    let tiny = f64::from(f32::MIN_POSITIVE);
    let (mut allowance, mut magnitude, mut stretch) = (tiny + error, 2.0 * reach, 1.0);
    if map != DAffine3::IDENTITY {
        stretch = largest_stretch(&map.matrix3);
        let growth = row_sums(&map).max_element().max(stretch);
        magnitude = magnitude.max(1.0) * growth + map.translation.abs().max_element();
        allowance = tiny * growth + error * stretch;
        allowance += magnitude * f64::from(F32_SLACK) + (1.0 + reach) * tiny;
    }
    // Own space must be in range by itself, not only its image.
    Motion::new(map, stretch, allowance, magnitude + 2.0 * reach)
}
