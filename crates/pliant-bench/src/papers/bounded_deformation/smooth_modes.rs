//! Smooth displacement fields for a mesh that comes without modes.

use std::f64::consts::PI;

use glam::DVec3;
use pliant::Mesh;

/// `count` fields, smooth and ever finer, each of largest displacement about 1: waves along the
/// sides of the mesh's box, as a vibrating body has them.
pub(crate) fn smooth_modes(mesh: &Mesh, count: usize) -> Vec<Vec<DVec3>> {
    let positions = mesh.positions();
    let low = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).max(DVec3::splat(f64::MIN_POSITIVE));
    let field = |number: usize| {
        // Waves along one axis move vertices along another; every sixth is a half wave finer.
        let (along, across) = (number % 3, (number + 1 + number / 3 % 2) % 3);
        let waves = 0.5 * (1 + number / 6) as f64;
        let displacement = |p: &DVec3| {
            let at = (*p - low) / size;
            DVec3::AXES[across] * (2.0 * PI * waves * at[along]).cos() * (0.5 + 0.5 * at[across])
        };
        positions.iter().map(displacement).collect()
    };
    (0..count).map(field).collect()
}
