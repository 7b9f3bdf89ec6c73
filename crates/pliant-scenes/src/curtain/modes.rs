//! The twelve modes of the curtain.

use std::f64::consts::{FRAC_PI_2, PI};

use pliant::glam::{DVec2, DVec3};

use super::cloth::{COLUMNS, FOLD_DEPTH, drop, flat, fold, fold_phase};

/// The number of displacement fields of the curtain.
pub const MODES: usize = 12;

/// The position of the cut at which the ball meets the curtain.
pub(super) const HIT: DVec2 = DVec2::new(31.5, 50.0);
/// The radii of the narrow and of the wide dent in metres.
const NARROW: f64 = 0.4;
const WIDE: f64 = 0.8;

/// All modes at a position of the cut, in metres for a coordinate of 1 metre.
///
/// They are smooth functions of the position, so cloth of any resolution moves alike. All are zero
/// at the tabs' upper ends, where the curtain is fixed.
///
/// Modes 0 to 6 are wind: sway and belly to the front, twist about the vertical, a wave across (two
/// modes), sway to the side, and folds that lean sideways. Modes 7 to 11 are the ball: a narrow and
/// a wide dent, cloth drawn towards the dent, folds flattened around it, and a ring wave about it.
pub(super) fn modes(place: DVec2) -> [DVec3; MODES] {
    let below = drop(place);
    let across = 2.0 * place.x / f64::from(COLUMNS) - 1.0;
    let swing = (FRAC_PI_2 * below).sin();
    let belly = (PI * below).sin();
    let second = (1.5 * PI * below).sin();
    let (wave_sin, wave_cos) = (1.5 * PI * across).sin_cos();

    let from_hit = flat(place) - flat(HIT);
    let squared = from_hit.length_squared();
    // Fixed at the rod, and almost free from a quarter of the height down.
    let rod = 1.0 - (1.0 - below) * (1.0 - below) * (1.0 - below);
    let narrow = rod * dent(squared, NARROW);
    let wide = rod * dent(squared, WIDE);
    let ring = wide * (14.0 * squared).cos();

    [
        DVec3::Z * swing,
        DVec3::Z * belly,
        DVec3::Z * (across * swing),
        DVec3::Z * (wave_cos * second),
        DVec3::Z * (wave_sin * second),
        DVec3::X * swing,
        DVec3::X * (fold_phase(place).sin() * swing),
        DVec3::Z * narrow,
        DVec3::Z * wide,
        (-from_hit / WIDE * wide).extend(0.0),
        DVec3::Z * (-fold(place) / FOLD_DEPTH * narrow),
        DVec3::Z * ring,
    ]
}

/// A smooth dent of depth 1: 1 at its middle, 1/4 at its radius, then decreasing with the fourth
/// power of the distance.
fn dent(squared_distance: f64, reach: f64) -> f64 {
    let hill = 1.0 + squared_distance / (reach * reach);
    1.0 / (hill * hill)
}
