//! A tablecloth that falls on a round table.

use std::f64::consts::TAU;

use pliant::glam::{DVec2, DVec3};
use pliant::{Mesh, Result};

use super::KeyframedCloth;
use crate::check::{at_least, triangle_count};
use crate::{Random, grid};

/// Keyframes of the fall, at 25 keyframes per second.
pub const TABLECLOTH_KEYFRAMES: usize = 41;
const KEYFRAME: f64 = 0.04;
/// Simulation steps per keyframe.
const STEPS: usize = 20;

/// The side of the cloth and the height from which it falls, in metres.
const SIDE: f64 = 1.7;
const START: f64 = 1.0;
/// The table top: its radius, the height of its middle, and half its thickness, which is also the
/// radius of its round rim.
const RADIUS: f64 = 0.6;
const HEIGHT: f64 = 0.72;
const RIM: f64 = 0.03;
/// The distance that the cloth's vertices keep from the table, and the additional distance per
/// metre of a cell's side: a triangle over the rim comes closer than its corners.
const GAP: f64 = 0.005;
const GAP_OF_CELL: f64 = 0.25;

/// A falling cloth and the table under it.
#[derive(Debug, Clone)]
pub struct Tablecloth {
    /// The cloth with [`TABLECLOTH_KEYFRAMES`] keyframes.
    pub cloth: KeyframedCloth,
    /// The table, closed and at rest.
    pub table: Mesh,
}

/// Returns a square cloth of about `faces` triangles, 2 n^2 for the nearest integer n, that falls
/// on a round table and drapes around it. Those of Zachmann and Weller have 2000 to 16,000
/// triangles.
///
/// Point masses are connected by distance constraints along threads, across cells and over two
/// cells. The simulation uses small steps with one projection per constraint and step. The cloth
/// comes within one or two centimetres of the table and does not touch it at keyframes. It may
/// touch itself.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for fewer than 2 faces, [`pliant::Error::TooMany`].
///
/// ```
/// let scene = pliant_scenes::tablecloth(2000)?;
/// assert_eq!(scene.cloth.mesh.triangles().len(), 2 * 32 * 32);
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn tablecloth(faces: usize) -> Result<Tablecloth> {
    at_least(2, "faces", faces, "2..")?;
    triangle_count(Some(faces))?;
    let cells = (faces as f64 / 2.0).sqrt().round().max(1.0) as u32;
    let flat = grid(cells, cells, SIDE, SIDE)?;
    // Slightly uneven, otherwise it would fall as stiffly as a board.
    let mut random = Random::new(3);
    let start: Vec<DVec3> = flat
        .positions()
        .iter()
        .map(|p| p + DVec3::new(0.0, START + 0.03 * p.x + 0.002 * random.unit(), 0.0))
        .collect();
    let rods = rods(flat.positions(), cells);
    let gap = GAP + GAP_OF_CELL * SIDE / f64::from(cells);
    let mut now = start.clone();
    let mut velocities = vec![DVec3::ZERO; now.len()];
    let mut frames = vec![start.clone()];
    for _ in 1..TABLECLOTH_KEYFRAMES {
        for _ in 0..STEPS {
            step(&mut now, &mut velocities, &rods, gap);
        }
        frames.push(now.clone());
    }
    let mesh = Mesh::new(start, flat.triangles().to_vec())?;
    let times = (0..TABLECLOTH_KEYFRAMES).map(|frame| KEYFRAME * frame as f64).collect();
    Ok(Tablecloth { cloth: KeyframedCloth { mesh, times, frames }, table: table()? })
}

/// A distance constraint between two masses.
struct Rod {
    ends: [u32; 2],
    length: f64,
    /// The fraction of an error that one step corrects.
    stiffness: f64,
}

/// Constraints grouped by kind, so that kinds do not alternate within one sweep.
fn rods(flat: &[DVec3], cells: u32) -> Vec<Rod> {
    // Positions on the grid; the grid has its own numbering of vertices.
    let points = cells + 1;
    let mut at = vec![0u32; (points * points) as usize];
    for (vertex, p) in flat.iter().enumerate() {
        let place = |x: f64| ((x / SIDE + 0.5) * f64::from(cells)).round() as u32;
        at[(place(p.z) * points + place(p.x)) as usize] = vertex as u32;
    }
    let kinds: [(u32, i64, f64); 6] =
        [(1, 0, 1.0), (0, 1, 1.0), (1, 1, 0.4), (1, -1, 0.4), (2, 0, 0.2), (0, 2, 0.2)];
    let mut rods = Vec::new();
    for (right, up, stiffness) in kinds {
        for row in 0..points {
            let Some(other) = row.checked_add_signed(up as i32).filter(|&r| r < points) else {
                continue;
            };
            for column in 0..points.saturating_sub(right) {
                let ends = [row * points + column, other * points + column + right]
                    .map(|place| at[place as usize]);
                let [a, b] = ends.map(|end| flat[end as usize]);
                rods.push(Rod { ends, length: a.distance(b), stiffness });
            }
        }
    }
    rods
}

/// One step: fall, project the constraints, keep away from the table.
fn step(positions: &mut [DVec3], velocities: &mut [DVec3], rods: &[Rod], gap: f64) {
    let time = KEYFRAME / STEPS as f64;
    let before = positions.to_vec();
    for (position, velocity) in positions.iter_mut().zip(velocities.iter_mut()) {
        // Air drag is large, so that the cloth soon hangs still.
        *velocity = (*velocity - DVec3::Y * (9.81 * time)) * (1.0 - 6.0 * time);
        *position += *velocity * time;
    }
    for rod in rods {
        let [a, b] = rod.ends.map(|end| end as usize);
        let apart = positions[b] - positions[a];
        let length = apart.length();
        if length > 0.0 {
            let half = apart * (0.5 * rod.stiffness * (length - rod.length) / length);
            positions[a] += half;
            positions[b] -= half;
        }
    }
    for (position, &old) in positions.iter_mut().zip(&before) {
        let (distance, outward) = from_table(*position);
        if distance < gap {
            *position += (gap - distance) * outward;
            // Friction with the table.
            let slide = (*position - old).reject_from_normalized(outward);
            *position -= 0.3 * slide;
        }
    }
    for ((velocity, position), old) in velocities.iter_mut().zip(positions).zip(&before) {
        *velocity = (*position - *old) / time;
    }
}

/// The signed distance to the table top, a disc with a round rim, and its gradient.
fn from_table(position: DVec3) -> (f64, DVec3) {
    let across = DVec2::new(position.x, position.z);
    let radial = across.length();
    let inside = (RADIUS - RIM).min(radial);
    let way = DVec2::new(radial - inside, position.y - HEIGHT);
    let length = way.length();
    if length == 0.0 || radial == 0.0 {
        return ((position.y - HEIGHT).abs() - RIM, DVec3::Y);
    }
    let out = across / radial * (way.x / length);
    (length - RIM, DVec3::new(out.x, way.y / length, out.y))
}

/// A round table with one foot: a profile rotated about the y axis.
fn table() -> Result<Mesh> {
    const AROUND: u32 = 72;
    let inner = RADIUS - RIM;
    let mut profile = vec![DVec2::new(0.25, 0.0), DVec2::new(0.24, 0.03), DVec2::new(0.06, 0.06)];
    profile.extend([0.2, 0.4, 0.6].map(|y| DVec2::new(0.045, y)));
    profile.extend([DVec2::new(0.06, HEIGHT - RIM), DVec2::new(inner / 2.0, HEIGHT - RIM)]);
    for rim in 0..=8 {
        let (sin, cos) = (TAU / 2.0 * f64::from(rim) / 8.0).sin_cos();
        profile.push(DVec2::new(inner + RIM * sin, HEIGHT - RIM * cos));
    }
    profile.extend([0.75, 0.5, 0.25].map(|share| DVec2::new(inner * share, HEIGHT + RIM)));

    let rings = profile.len() as u32;
    let mut positions = vec![DVec3::ZERO, DVec3::new(0.0, HEIGHT + RIM, 0.0)];
    for point in &profile {
        for side in 0..AROUND {
            let (sin, cos) = (TAU * f64::from(side) / f64::from(AROUND)).sin_cos();
            positions.push(DVec3::new(point.x * cos, point.y, point.x * sin));
        }
    }
    let at = |ring: u32, side: u32| 2 + ring * AROUND + side % AROUND;
    let mut triangles = Vec::new();
    for side in 0..AROUND {
        triangles.push([0, at(0, side), at(0, side + 1)]);
        triangles.push([1, at(rings - 1, side + 1), at(rings - 1, side)]);
        for ring in 0..rings - 1 {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [d, c] = [at(ring + 1, side), at(ring + 1, side + 1)];
            triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    Mesh::new(positions, triangles)
}
