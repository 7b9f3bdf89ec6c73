//! The page of a run: thousands of bodies as instances of coarser meshes (docs/view-format.md).

use std::path::Path;

use anyhow::Result;
use glam::DVec3;
use pliant::Mesh;
use pliant_sim::dynamics::{Obstacle, SurfaceMotion, SurfaceObstacle};
use serde::Serialize;

use super::coarse::{Coarse, coarse};
use super::json::{FrameRow, RunRow};
use super::motion::Reader;
use super::scene::{Scene, affine_of};
use crate::view::base64::{floats, integers};
use crate::view::write_report;
use crate::write::write_to;

/// Triangles of a body on the page, about: a few thousand bodies are a million triangles.
const BODY_TRIANGLES: usize = 300;
/// Triangles of a surface that stands.
const OBSTACLE_TRIANGLES: usize = 20_000;
/// The least of one that moves, whose places are written for each frame.
const MOVING_TRIANGLES: usize = 4000;
/// Numbers of all bodies in all frames of a page, and of all surfaces: 32 MB of text each.
const MAX_NUMBERS: usize = 6_000_000;
/// Numbers of an instance: an affine map.
const NUMBERS: usize = 12;

#[derive(Debug, Serialize)]
struct Page<'a> {
    #[serde(flatten)]
    run: &'a RunRow,
    command: String,
    looks: Vec<PageMesh>,
    /// The look of each body that is shown.
    look_of: String,
    obstacles: Vec<PageObstacle>,
    frames: Vec<PageFrame>,
}

#[derive(Debug, Serialize)]
struct PageMesh {
    name: String,
    triangles_of_the_body: usize,
    positions: String,
    triangles: String,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum PageObstacle {
    Plane { normal: [f64; 3], offset: f64 },
    Ball { center: [f64; 3], radius: f64 },
    Box { center: [f64; 3], half: [f64; 3], rotation: [f64; 4] },
    Surface { mesh: PageMesh, moves: bool },
}

#[derive(Debug, Serialize)]
struct PageFrame {
    #[serde(flatten)]
    row: FrameRow,
    /// For each body that is shown three columns and a translation.
    bodies: String,
    /// Centre and radius.
    touching_spheres: String,
    updated_spheres: String,
    /// For each surface that moves, in the order of obstacles, where its vertices are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    surfaces: Vec<String>,
}

/// A surface that moves, with the mesh that the page shows of it.
struct MovingSurface {
    surface: SurfaceObstacle,
    shown: Coarse,
}

impl MovingSurface {
    /// As it is shown in so many frames.
    fn of(obstacle: &Obstacle, frames: usize) -> Option<Self> {
        let Obstacle::Surface(surface) = obstacle else { return None };
        let moves = *surface.motion() != SurfaceMotion::Still;
        // About two vertices for three triangles, with three numbers each.
        let most = (MAX_NUMBERS / 2 / frames.max(1)).clamp(MOVING_TRIANGLES, OBSTACLE_TRIANGLES);
        moves.then(|| Self {
            surface: (**surface).clone(),
            shown: coarse(surface.body().mesh(), most),
        })
    }

    /// Where the vertices are at a time: each moves as the one that stands for it.
    fn at(&mut self, time: f64) -> Result<String> {
        self.surface.move_to(time)?;
        let body = self.surface.body();
        let rest = body.mesh().positions();
        let place = |(&shown, &vertex): (&DVec3, &u32)| {
            let moved = body.position(vertex).unwrap_or_default() - rest[vertex as usize];
            (shown + moved).to_array().map(|number| number as f32)
        };
        Ok(floats(self.shown.positions.iter().zip(&self.shown.stand_in).flat_map(place)))
    }
}

/// How much of a run a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shown {
    bodies: usize,
    /// One of so many frames.
    every: usize,
}

impl Shown {
    fn of(bodies: usize, frames: usize) -> Self {
        let shown = bodies.min(MAX_NUMBERS / NUMBERS / 2);
        let frames_that_fit = (MAX_NUMBERS / (NUMBERS * shown.max(1))).max(2);
        Self { bodies: shown, every: frames.div_ceil(frames_that_fit).max(1) }
    }
}

/// What a page of so many bodies and frames leaves out.
pub(super) fn left_out(file: &Path, bodies: usize, frames: usize) -> Vec<String> {
    let shown = Shown::of(bodies, frames);
    let mut left = Vec::new();
    if shown.bodies < bodies {
        left.push(format!("{}: {} of {bodies} bodies", file.display(), bodies - shown.bodies));
    }
    if shown.every > 1 {
        left.push(format!("{}: it shows one of {} frames", file.display(), shown.every));
    }
    left
}

/// Writes the page.
pub(super) fn write(
    file: &Path,
    scene: &Scene,
    motion: &Path,
    run: &RunRow,
    frames: usize,
) -> Result<()> {
    let shown = Shown::of(scene.bodies(), frames);
    let written = frames.div_ceil(shown.every);
    let mut reader = Reader::open(motion)?;
    let numbers = reader.numbers.max(1);
    let mut page = Page {
        run,
        command: format!("pliant simulate {}", run.scene),
        looks: scene
            .looks
            .iter()
            .map(|look| page_mesh(&look.name, &look.mesh, &coarse(&look.mesh, BODY_TRIANGLES)))
            .collect(),
        look_of: integers(scene.look_of.iter().take(shown.bodies).copied()),
        obstacles: scene.obstacles().iter().filter_map(|one| page_obstacle(one, written)).collect(),
        frames: Vec::new(),
    };
    let moving = |obstacle| MovingSurface::of(obstacle, written);
    let mut surfaces: Vec<_> = scene.obstacles().iter().filter_map(moving).collect();
    let mut number = 0;
    while let Some(frame) = reader.next()? {
        if number % shown.every == 0 {
            let of_body = frame.bodies.chunks(numbers).zip(&scene.look_of).take(shown.bodies);
            let affine = of_body.flat_map(|(numbers, &look)| {
                let map = affine_of(&scene.looks[look as usize], numbers);
                map.to_cols_array().map(|number| number as f32)
            });
            let time = frame.counters.step as f64 * scene.step_length();
            let surfaces = surfaces.iter_mut().map(|surface| surface.at(time));
            page.frames.push(PageFrame {
                row: FrameRow::new(number, &frame.counters, scene.step_length()),
                bodies: floats(affine),
                touching_spheres: floats(frame.touching.iter().flatten().copied()),
                updated_spheres: floats(frame.updated.iter().flatten().copied()),
                surfaces: surfaces.collect::<Result<_>>()?,
            });
        }
        number += 1;
    }
    write_to(file, |out| write_report(out, &page, None))
}

fn page_mesh(name: &str, mesh: &Mesh, shown: &Coarse) -> PageMesh {
    let Coarse { positions, triangles, .. } = shown;
    PageMesh {
        name: name.into(),
        triangles_of_the_body: mesh.triangles().len(),
        positions: floats(positions.iter().flat_map(|p| p.to_array()).map(|number| number as f32)),
        triangles: integers(triangles.iter().flatten().copied()),
    }
}

fn page_obstacle(obstacle: &Obstacle, frames: usize) -> Option<PageObstacle> {
    Some(match obstacle {
        Obstacle::Plane { normal, offset } => {
            PageObstacle::Plane { normal: normal.to_array(), offset: *offset }
        }
        Obstacle::Ball { center, radius, .. } => {
            PageObstacle::Ball { center: center.to_array(), radius: *radius }
        }
        Obstacle::Cuboid { center, half, rotation, .. } => {
            let (center, half) = (center.to_array(), half.to_array());
            PageObstacle::Box { center, half, rotation: rotation.to_array() }
        }
        Obstacle::Surface(surface) => {
            let mesh = surface.body().mesh();
            let (shown, moves) = match MovingSurface::of(obstacle, frames) {
                Some(moving) => (moving.shown, true),
                None => (coarse(mesh, OBSTACLE_TRIANGLES), false),
            };
            PageObstacle::Surface { mesh: page_mesh("surface", mesh, &shown), moves }
        }
        _ => return None,
    })
}
