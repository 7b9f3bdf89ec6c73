//! A swimming fish.

use std::f64::consts::TAU;

use pliant::glam::DVec3;
use pliant::{Error, Mesh, Result};

use crate::add_modes::add_modes;
use crate::implicit::{Meshing, Part, surface};

/// The number of displacement fields of the fish.
pub const FISH_MODES: usize = 3;
/// Frames of its animation, at 30 frames per second; the first follows the last.
pub const FISH_FRAMES: usize = 120;

const TRIANGLES: usize = 24_776;
/// The nose and the tip of the tail along z.
const NOSE: f64 = 0.31;
const TAIL: f64 = -0.38;

/// A fish and its motion: at frame f, vertex v is at
/// `rest[v] + modes[0][v] * q[0] + modes[1][v] * q[1] + modes[2][v] * q[2]` with
/// `q = coordinates[f]`.
#[derive(Debug, Clone)]
pub struct Fish {
    /// The straight fish, 0.7 m long, facing +z.
    pub mesh: Mesh,
    /// [`FISH_MODES`] displacement fields with one vector per vertex.
    pub modes: Vec<Vec<DVec3>>,
    /// [`FISH_FRAMES`] states with [`FISH_MODES`] numbers each.
    pub coordinates: Vec<[f64; FISH_MODES]>,
}

/// Returns a fish with fins that swims by bending waves and turns slightly.
///
/// The surface is closed and connected, faces outward, and has no self-intersections at rest. It
/// has 24,776 triangles and 3 modes, like the fish of James and Pai 2004 (table 1). Theirs has
/// 12,531 vertices, which is impossible for a closed surface: with F triangles and no handle it has
/// F / 2 + 2, here 12,390.
///
/// The first two modes are the two phases of a wave that runs from head to tail, where its
/// amplitude is largest; the third bends the whole fish to one side.
///
/// # Errors
/// None in practice; all generators have this type.
///
/// ```
/// let fish = pliant_scenes::fish()?;
/// assert_eq!((fish.mesh.positions().len(), fish.mesh.triangles().len()), (12_390, 24_776));
/// assert_eq!((fish.modes.len(), fish.positions(30)?.len()), (3, 12_390));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn fish() -> Result<Fish> {
    let meshing = Meshing {
        low: DVec3::new(-0.18, -0.2, -0.42),
        high: DVec3::new(0.18, 0.2, 0.36),
        cell: 0.005,
        triangles: TRIANGLES,
        edge_length: &|_| 1.0,
    };
    let skin = surface(&parts(), &meshing);
    let mut modes = vec![Vec::new(); FISH_MODES];
    for &position in &skin.positions {
        for (field, displacement) in modes.iter_mut().zip(displacements(position)) {
            field.push(displacement);
        }
    }
    let mesh = Mesh::new(skin.positions, skin.triangles)?;
    Ok(Fish { mesh, modes, coordinates: (0..FISH_FRAMES).map(coordinates).collect() })
}

impl Fish {
    /// The position of every vertex at a frame.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for a frame that does not exist.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>> {
        let Some(coordinates) = self.coordinates.get(frame) else {
            return Err(Error::InvalidSetting { setting: "frame", value: frame, range: "0..120" });
        };
        let mut positions = self.mesh.positions().to_vec();
        add_modes(&mut positions, &self.modes, coordinates);
        Ok(positions)
    }
}

/// The three modes at a rest position, in metres for a coordinate of 1.
fn displacements(position: DVec3) -> [DVec3; FISH_MODES] {
    let back = (NOSE - position.z) / (NOSE - TAIL);
    // The head sways slightly, the part behind it least, and the tail by a tenth of the length.
    let reach = 0.02 - 0.075 * back + 0.14 * back * back;
    let (sin, cos) = (TAU * 0.95 * back).sin_cos();
    let bend = 0.16 * (back - 0.35) * (back - 0.35);
    [DVec3::X * (reach * sin), DVec3::X * (reach * cos), DVec3::X * bend]
}

/// The state at a frame: four strokes of the tail, and one bend to each side.
fn coordinates(frame: usize) -> [f64; FISH_MODES] {
    let t = TAU * frame as f64 / FISH_FRAMES as f64;
    let (sin, cos) = (4.0 * t).sin_cos();
    [cos, -sin, t.sin()]
}

/// Trunk, fins and eyes.
fn parts() -> Vec<Part> {
    let at = DVec3::new;
    let part = |from, to, radii| Part::round(0, from, to, radii);
    let trunk = [
        (0.297, 0.018),
        (0.275, 0.038),
        (0.235, 0.06),
        (0.18, 0.08),
        (0.1, 0.098),
        (-0.03, 0.09),
        (-0.15, 0.052),
        (-0.235, 0.028),
    ];
    let mut parts: Vec<Part> = trunk
        .windows(2)
        .map(|pair| {
            let [(from, wide), (to, narrow)] = [pair[0], pair[1]];
            part(at(0.0, 0.0, from), at(0.0, 0.0, to), [wide, narrow])
                .flat(DVec3::X, 0.58)
                .blended(0.02)
        })
        .collect();
    // Two lobes of the tail, and the dorsal and ventral fins.
    parts.extend(
        [
            (at(0.0, 0.005, -0.235), at(0.0, 0.1, -0.35), [0.026, 0.022]),
            (at(0.0, -0.005, -0.235), at(0.0, -0.09, -0.345), [0.026, 0.022]),
            (at(0.0, 0.1, 0.07), at(0.0, 0.09, -0.08), [0.034, 0.024]),
            (at(0.0, -0.065, -0.08), at(0.0, -0.075, -0.14), [0.026, 0.018]),
        ]
        .map(|(from, to, radii)| part(from, to, radii).flat(DVec3::X, 0.36).blended(0.012)),
    );
    for side in [1.0, -1.0] {
        let fin = at(0.35 * side, 0.9, 0.2).normalize();
        parts.push(
            part(at(0.045 * side, -0.035, 0.14), at(0.11 * side, -0.075, 0.07), [0.022, 0.024])
                .flat(fin, 0.36)
                .blended(0.01),
        );
        parts.push(
            part(at(0.032 * side, 0.022, 0.232), at(0.033 * side, 0.022, 0.232), [0.013; 2])
                .blended(0.004),
        );
    }
    parts
}
