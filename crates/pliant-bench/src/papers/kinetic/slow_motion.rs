//! Who wins, by the size of the mesh and the number of frames between keyframes: a sheet that
//! waves, creases and falls past a ball, of any size.

use anyhow::Result;
use pliant::glam::DVec3;
use pliant::{Body, Mesh};
use pliant_scenes::{KeyframedCloth, grid, icosphere};

use super::motion::Motion;
use super::tables::MotionTables;
use crate::table::Table;

/// Keyframes, a second apart.
const KEYFRAMES: usize = 4;

/// The paper's ratio of bottom-up to kinetic, and a line for the notes.
const PAPER: (&str, &str) =
    ("5x-10x", "the paper: the total does not depend on the number of frames");

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut tables = MotionTables::new("Slow motion of a sheet", PAPER);
    let ball = icosphere(3)?;
    let place = |p: &DVec3| *p * 0.08 + DVec3::new(0.3, -0.05, 0.2);
    let ball = Mesh::new(ball.positions().iter().map(place).collect(), ball.triangles().to_vec())?;
    let ball = Body::rigid(ball)?;
    for side in [32, 77, 180, 404, 539].into_iter().take(if quick { 3 } else { 5 }) {
        eprintln!("slow-motion: {} triangles ...", 2 * side * side);
        let sheet = sheet(side)?;
        let motion = Motion::new(&sheet, 1)?;
        tables.add("sheet", &motion.measure(&ball, if quick { 0.03 } else { 0.3 })?);
    }
    Ok(tables.finish())
}

/// A sheet that waves, creases and falls.
fn sheet(side: u32) -> Result<KeyframedCloth> {
    let mesh = grid(side, side, 2.0, 2.0)?;
    let frame = |k: usize| {
        let s = k as f64 * 0.35;
        let moved = |p: &DVec3| {
            let wave = 0.25 * (5.0 * p.x + s).sin() * (4.0 * p.z + 1.7 * s).cos();
            let crease = 0.02 * (40.0 * p.x + 3.0 * s).sin() * (37.0 * p.z - 2.0 * s).cos();
            let sway = DVec3::new((6.0 * p.z + 2.0 * s).sin(), 0.0, (7.0 * p.x - s).cos());
            p + DVec3::Y * (wave + crease - 0.1 * s) + 0.03 * sway
        };
        mesh.positions().iter().map(moved).collect()
    };
    let frames = (0..KEYFRAMES).map(frame).collect();
    let times = (0..KEYFRAMES).map(|k| k as f64).collect();
    Ok(KeyframedCloth { mesh, times, frames })
}
