//! A straight line that rolls up.

use std::f64::consts::TAU;

use pliant::glam::DVec3;
use pliant::{Error, Result};

use super::Beads;

const BEADS: usize = 1000;
const TURNS: f64 = 18.0;
/// The height over the radius of the cone on which the spiral lies.
const SLOPE: f64 = 4.0;
/// The start of the chain, measured along the spiral from the cone's tip, in steps.
const START: f64 = 240.0;

/// Returns a line of 1000 beads that rolls into a logarithmic spiral of 18 turns: straight at
/// `progress` 0, rolled up at 1, and in between a spiral of 18 * `progress` turns. Beads are one
/// step apart along it.
///
/// In a plane, 1000 beads that overlap only their neighbours cannot make 18 turns of such a spiral,
/// since the distance of the turns would be less than the width of a bead. This spiral therefore
/// rises as it widens, on a cone four times as high as its radius.
///
/// # Errors
/// [`Error::InvalidVector`] for a progress outside 0 to 1.
///
/// ```
/// let line = pliant_scenes::rolling_spiral(0.0)?;
/// assert_eq!(line.positions.len(), 1000);
/// assert!(line.positions[0].distance(line.positions[999]) > 998.9);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn rolling_spiral(progress: f64) -> Result<Beads> {
    if !(0.0..=1.0).contains(&progress) {
        let reason = "progress must lie between 0 and 1";
        return Err(Error::InvalidVector { what: "progress", vector: [progress; 3], reason });
    }
    // The angle is t ln(s / START) at s steps from the tip, which gives 18 turns at s = START + 999
    // for t at progress 1. With radius r and height SLOPE r, a step along the curve is sqrt(1 +
    // SLOPE^2 + t^2) steps of the radius, so r is s over that.
    let end = START + (BEADS - 1) as f64;
    let t = progress * TURNS * TAU / (end / START).ln();
    let stretch = (1.0 + SLOPE * SLOPE + t * t).sqrt();
    let positions = (0..BEADS)
        .map(|bead| {
            let s = START + bead as f64;
            let (sin, cos) = (t * (s / START).ln()).sin_cos();
            let radius = s / stretch;
            DVec3::new(radius * cos, SLOPE * radius, radius * sin)
        })
        .collect();
    // Steps along the curve are 1, and chords are shorter.
    Ok(Beads { positions, radius: 0.5 * super::OVERLAP })
}
