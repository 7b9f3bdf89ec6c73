//! A dress on the walking man.

use std::f64::consts::TAU;

use pliant::Result;
use pliant::glam::{DVec2, DVec3};

use super::{Garment, garment};
use crate::check::{at_least, triangle_count};
use crate::implicit::{Part, distance};
use crate::smooth_step::smooth_step;
use crate::tube::between_rings;
use crate::{Character, character, man};

/// Heights of the upper seam, of the hem, and of the start of the skirt.
const TOP: f64 = 1.29;
const HEM: f64 = 0.42;
const WAIST: f64 = 1.02;
/// The distance between the cloth and the body.
const GAP: f64 = 0.015;
/// Columns and rows of the lattice on which the body's extent is sampled.
const AROUND: usize = 96;
const DOWN: usize = 64;
/// The delay of the hem in seconds.
const LAG: f64 = 0.18;

/// Returns a dress of about `faces` triangles around the walking man: a tube, tight at the breast,
/// wide at the hem, with folds. That of Zachmann and Weller has 65,000 to 580,000 triangles.
///
/// With c columns and r rows it has 2 c r triangles and c (r + 1) vertices. At keyframes the cloth
/// is 1.5 cm away from trunk and legs. The skirt has folds, and its hem follows the hips with a
/// delay. The swinging arms cross some triangles of the cloth.
///
/// # Errors
/// [`pliant::Error::InvalidSetting`] for fewer than 100 faces, [`pliant::Error::TooMany`].
///
/// ```
/// let dress = pliant_scenes::dress(10_000)?;
/// let faces = dress.cloth.mesh.triangles().len();
/// assert!((9_800..10_200).contains(&faces));
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn dress(faces: usize) -> Result<Garment> {
    at_least(100, "faces", faces, "100..")?;
    triangle_count(Some(faces))?;
    // Cells are about square at the hips: 1.4 times as many columns as rows.
    let rows = (faces as f64 / 2.8).sqrt().round().max(1.0);
    let columns = (faces as f64 / (2.0 * rows)).round().max(3.0);
    let (rows, columns) = (rows as u32, columns as u32);

    let wearer = man()?;
    let body: Vec<Part> = character::parts_of_man(&wearer.joints)
        .into_iter()
        .filter(|part| covered(&wearer.joints[part.joint].name))
        .collect();
    let positions = |time: f64| {
        let extent = BodyExtent::new(&wearer, &body, time);
        let mut positions = Vec::with_capacity(((rows + 1) * columns) as usize);
        for row in 0..=rows {
            for column in 0..columns {
                let down = f64::from(row) / f64::from(rows);
                let turn = f64::from(column) / f64::from(columns);
                positions.push(extent.place(turn, down, time / wearer.walk_period()));
            }
        }
        positions
    };
    garment(wearer.clone(), between_rings(columns, rows), positions)
}

/// Whether the dress covers the parts of a joint.
fn covered(joint: &str) -> bool {
    matches!(character::bare_name(joint), "hips" | "waist" | "chest" | "hip" | "knee")
}

/// The extent of the body in each direction from the dress's centre line.
struct BodyExtent {
    /// The centre of each row, above the ground.
    middles: Vec<DVec3>,
    radii: Vec<f64>,
}

impl BodyExtent {
    fn new(wearer: &Character, body: &[Part], time: f64) -> Self {
        let pose = wearer.pose(time);
        let moved: Vec<Part> = body.iter().map(|part| part.moved(&pose[part.joint], 0.0)).collect();
        let height = |down: f64| TOP + (HEM - TOP) * down;
        let hips = |time: f64| {
            let matrix = wearer.pose(time)[0];
            let place = matrix.transform_point3(wearer.joints[0].rest);
            place - wearer.joints[0].rest - DVec3::Z * (wearer.walk_speed() * time)
        };
        let mut middles = Vec::new();
        let mut radii = Vec::new();
        for row in 0..=DOWN {
            let down = row as f64 / DOWN as f64;
            let late = hips(time - LAG * below_waist(height(down)));
            let middle = DVec3::new(late.x, height(down) + late.y, wearer.walk_speed() * time);
            for column in 0..AROUND {
                let way = direction(column as f64 / AROUND as f64);
                radii.push(reach(&moved, middle, way).max(cut(height(down))));
            }
            middles.push(middle);
        }
        // Cloth spans hollows, so smoothing only increases radii.
        for _ in 0..12 {
            let old = radii.clone();
            for row in 0..=DOWN {
                for column in 0..AROUND {
                    let at = |row: usize, column: usize| old[row * AROUND + column % AROUND];
                    let (above, below) = (row.saturating_sub(1), (row + 1).min(DOWN));
                    let around = at(row, column + 1) + at(row, column + AROUND - 1);
                    let mean = (around + at(above, column) + at(below, column)) / 4.0;
                    let radius = &mut radii[row * AROUND + column];
                    *radius = radius.max(mean);
                }
            }
        }
        Self { middles, radii }
    }

    /// The position of the cloth at fractions of the turn around the body and of the way down.
    fn place(&self, turn: f64, down: f64, cycle: f64) -> DVec3 {
        let row = ((down * DOWN as f64) as usize).min(DOWN - 1);
        let column = ((turn * AROUND as f64) as usize).min(AROUND - 1);
        let (v, u) = (down * DOWN as f64 - row as f64, turn * AROUND as f64 - column as f64);
        let at = |row: usize, column: usize| self.radii[row * AROUND + column % AROUND];
        let upper = at(row, column) + u * (at(row, column + 1) - at(row, column));
        let lower = at(row + 1, column) + u * (at(row + 1, column + 1) - at(row + 1, column));
        let middle = self.middles[row].lerp(self.middles[row + 1], v);

        let skirt = below_waist(TOP + (HEM - TOP) * down);
        // Folds only move outward; they swing slightly around the body, the hem with a delay.
        let swing = 0.35 * (TAU * (cycle - 0.2 * skirt)).sin();
        let fold = 1.0 + (14.0 * TAU * turn + skirt * swing).cos();
        let crease = 1.0 + (5.0 * TAU * turn + 9.0 * down + TAU * cycle).sin();
        let out = GAP + 0.028 * skirt * fold + 0.004 * crease;
        let radius = upper + v * (lower - upper) + out;
        let way = direction(turn);
        middle + radius * DVec3::new(way.x, 0.0, way.y)
    }
}

/// 0 above the waist, 1 at the hem.
fn below_waist(height: f64) -> f64 {
    ((WAIST - height) / (WAIST - HEM)).clamp(0.0, 1.0)
}

/// The radius of the cut without a body; the skirt widens.
fn cut(height: f64) -> f64 {
    0.06 + 0.3 * smooth_step(below_waist(height) * 0.75)
}

/// The horizontal direction at a fraction of a turn, as x and z. Seen from above it turns from left
/// to front, so that the cloth faces outward.
fn direction(turn: f64) -> DVec2 {
    let (sin, cos) = (TAU * turn).sin_cos();
    DVec2::new(cos, -sin)
}

/// The distance from the centre line at which a ray leaves the body.
fn reach(body: &[Part], middle: DVec3, way: DVec2) -> f64 {
    let way = DVec3::new(way.x, 0.0, way.y);
    let mut radius = 0.7;
    for _ in 0..60 {
        let distance = distance(body, middle + radius * way);
        if distance < 0.002 {
            break;
        }
        radius -= 0.5 * distance.max(0.004);
        if radius <= 0.0 {
            return 0.0;
        }
    }
    radius
}
