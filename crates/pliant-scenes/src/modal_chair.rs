//! The garden chair as a vibrating body.

use std::f64::consts::TAU;

use pliant::Mesh;
use pliant::deform::Modes;
use pliant_sim::{Material, Result, VibrationSettings, vibration_modes};

use crate::chair;

/// Modes of the chair, as in table 1 of James and Pai 2004.
const MODES: usize = 10;
/// Frames of the motion.
const FRAMES: usize = 60;
/// The side of a cell in metres. Walls of 6 mm bend as if they were one or two cells thick, so the
/// chair is stiffer than a real one, but the shapes of its modes are similar.
const CELL: f64 = 0.025;
/// The largest displacement of a vertex by the lowest mode, in metres.
const SWING: f64 = 0.04;
/// Oscillations of the lowest mode over all frames. Slower than in reality, where successive frames
/// would have nothing in common.
const SWINGS: f64 = 2.0;

/// A vibrating chair: at frame f, vertex v is at
/// `modes.displaced(mesh.positions()[v], v, &coordinates[f])`.
#[derive(Debug, Clone)]
pub struct ModalChair {
    /// The chair of [`chair()`].
    pub mesh: Mesh,
    /// Ten elastic modes of the free chair, mass-normalised; see [`vibration_modes`].
    pub modes: Modes,
    /// Their frequencies in hertz.
    pub frequencies: Vec<f64>,
    /// Sixty states with one coordinate per mode.
    pub coordinates: Vec<Vec<f64>>,
}

/// Returns the chair with its ten lowest vibration modes and a motion that involves all of them.
///
/// Each mode oscillates at a frequency proportional to its own, slowed down so that the lowest
/// completes two oscillations, with its own phase and the same energy: a mode of twice the
/// frequency has half the amplitude. No vertex moves farther than 20 cm.
///
/// # Errors
/// None in practice; the type is that of [`vibration_modes`].
///
/// ```
/// let chair = pliant_scenes::modal_chair()?;
/// assert_eq!((chair.mesh.triangles().len(), chair.modes.count()), (17_914, 10));
/// # Ok::<(), pliant_sim::Error>(())
/// ```
pub fn modal_chair() -> Result<ModalChair> {
    let mesh = chair()?;
    let material = Material::POLYPROPYLENE;
    let settings = VibrationSettings { modes: MODES, cell: CELL, material, fixed: vec![] };
    let found = vibration_modes(&mesh, &settings)?;
    let (modes, frequencies) = (found.modes, found.frequencies);
    let farthest = (0..modes.vertices()).map(|vertex| f64::from(modes.of(vertex)[0].length()));
    let amplitude = SWING / farthest.fold(0.0, f64::max);
    let coordinate = |frame: usize, mode: usize| {
        let ratio = frequencies[mode] / frequencies[0];
        // Steps of the golden ratio give phases that differ clearly between adjacent modes.
        let phase = 0.618_033_988_749_895 * mode as f64;
        let turns = SWINGS * ratio * frame as f64 / FRAMES as f64 + phase;
        amplitude / ratio * (TAU * turns).sin()
    };
    let coordinates =
        (0..FRAMES).map(|frame| (0..MODES).map(|mode| coordinate(frame, mode)).collect()).collect();
    Ok(ModalChair { mesh, modes, frequencies, coordinates })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chair_swings_visibly_and_stays_a_chair() {
        let chair = modal_chair().unwrap();
        assert_eq!((chair.frequencies.len(), chair.coordinates.len()), (MODES, FRAMES));
        assert!(chair.frequencies.windows(2).all(|pair| pair[0] <= pair[1]));
        let mut farthest: f64 = 0.0;
        for q in &chair.coordinates {
            for (vertex, &rest) in chair.mesh.positions().iter().enumerate() {
                farthest = farthest.max(chair.modes.displaced(rest, vertex, q).distance(rest));
            }
        }
        assert!((0.04..0.2).contains(&farthest), "{farthest} m");
    }
}
