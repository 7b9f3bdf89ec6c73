//! Positions of bodies that deform by modes.

use pliant::glam::DVec3;

/// Adds each mode times its coordinate to the positions, in the order of the modes.
pub(crate) fn add_modes(positions: &mut [DVec3], modes: &[Vec<DVec3>], coordinates: &[f64]) {
    for (field, &q) in modes.iter().zip(coordinates) {
        for (position, &displacement) in positions.iter_mut().zip(field) {
            *position += displacement * q;
        }
    }
}
