//! Curtain and ball, frame by frame: what a reduced body saves (James & Pai 2004, table 2).

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::bound::{Center, SphereForm};
use pliant::deform::Modes;
use pliant::tree::BuildSettings;
use pliant::{Body, Intersections, Isometry, Mesh, Work, intersections};
use pliant_scenes::curtain::{CONTACT_FRAMES, CurtainAndBall};
use pliant_scenes::curtain_and_ball;

use crate::table::{Table, count, seconds};

/// Repetitions of a frame that is too short for the clock.
const REPEAT: usize = 64;

pub(super) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for refinements in if quick { vec![0] } else { vec![0, 3] } {
        eprintln!("curtain: {refinements} refinements ...");
        let scene = curtain_and_ball(refinements, 4)?;
        tables.push(one_size(&scene, quick)?);
    }
    Ok(tables)
}

/// What one method did in all frames.
struct Run {
    name: String,
    /// Best time of each frame.
    times: Vec<f64>,
    found: Vec<Intersections>,
}

impl Run {
    fn new(name: &str, frames: usize) -> Self {
        Self {
            name: name.into(),
            times: vec![f64::INFINITY; frames],
            found: vec![Intersections::default(); frames],
        }
    }

    /// Goes through all frames once, the state before the query included.
    fn go(&mut self, mut frame: impl FnMut(usize) -> Result<Intersections>) -> Result<()> {
        for number in 0..self.times.len() {
            let start = Instant::now();
            self.found[number] = frame(number)?;
            let mut time = start.elapsed().as_secs_f64();
            if time < 2e-5 {
                let start = Instant::now();
                for _ in 0..REPEAT {
                    black_box(frame(number)?);
                }
                time = start.elapsed().as_secs_f64() / REPEAT as f64;
            }
            self.times[number] = self.times[number].min(time);
        }
        Ok(())
    }

    fn mean(&self, frames: impl Fn(usize) -> bool) -> f64 {
        let chosen: Vec<f64> =
            (0..self.times.len()).filter(|&f| frames(f)).map(|f| self.times[f]).collect();
        chosen.iter().sum::<f64>() / chosen.len().max(1) as f64
    }

    fn work(&self) -> Work {
        let mut work = Work::default();
        self.found.iter().for_each(|found| work += found.work);
        work
    }
}

fn one_size(scene: &CurtainAndBall, quick: bool) -> Result<Table> {
    let mesh = &scene.curtain.mesh;
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?);
    let frames = scene.ball.centers.len();
    let rounds = if quick { 3 } else { (200_000 / mesh.triangles().len()).clamp(2, 10) };
    let settings = BuildSettings::default();
    let ball = Body::rigid(scene.ball.mesh.clone())?;
    let place = |ball: &mut pliant::RigidBody, frame: usize| -> Result<()> {
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
        Ok(())
    };
    let q = |frame: usize| &scene.curtain.coordinates[frame];

    let mut runs = Vec::new();
    let below = std::env::var("BELOW").unwrap_or("0,1,2,4,8,16,32".into());
    for below in below.split(',').map(|b| b.parse::<u32>().unwrap()) {
        let mut run = Run::new(&format!("boxes from coordinates, below {below}"), frames);
        let mut cloth = Body::reduced_below(mesh.clone(), Arc::clone(&modes), &settings, below)?;
        let mut ball = ball.clone();
        for _ in 0..rounds {
            run.go(|frame| {
                cloth.set_coordinates(q(frame))?;
                place(&mut ball, frame)?;
                Ok(intersections(&cloth, &ball))
            })?;
        }
        runs.push(run);
    }
    for (name, center) in [
        ("spheres from coordinates, mean", Center::Mean),
        ("spheres from coordinates, smallest", Center::SmallestBall),
    ] {
        let mut run = Run::new(name, frames);
        let mut cloth = Body::reduced_spheres(mesh.clone(), Arc::clone(&modes), center, &settings)?;
        let mut ball = ball.clone();
        for _ in 0..rounds {
            run.go(|frame| {
                cloth.set_coordinates(q(frame))?;
                place(&mut ball, frame)?;
                Ok(intersections(&cloth, &ball))
            })?;
        }
        runs.push(run);
    }
    {
        let mut run = Run::new("bottom-up boxes", frames);
        let mut cloth = Body::free(mesh.clone())?;
        let mut ball = ball.clone();
        let mut positions = Vec::new();
        for _ in 0..rounds {
            run.go(|frame| {
                deform(mesh, &modes, q(frame), &mut positions);
                cloth.set_positions(&positions)?;
                place(&mut ball, frame)?;
                Ok(intersections(&cloth, &ball))
            })?;
        }
        runs.push(run);
    }
    {
        let mut run = Run::new("layered spheres", frames);
        let mut cloth = Body::free_spheres(mesh.clone(), SphereForm::Layered, &settings)?;
        let mut ball =
            Body::rigid_spheres(scene.ball.mesh.clone(), SphereForm::Wrapped, &settings)?;
        let mut positions = Vec::new();
        for _ in 0..rounds {
            run.go(|frame| {
                deform(mesh, &modes, q(frame), &mut positions);
                cloth.set_positions(&positions)?;
                ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
                Ok(intersections(&cloth, &ball))
            })?;
        }
        runs.push(run);
    }

    let mut table = Table::new(
        format!(
            "Curtain ({} triangles, {} modes) and ball ({}): state and query, one thread",
            count(mesh.triangles().len()),
            modes.count(),
            count(scene.ball.mesh.triangles().len())
        ),
        &["method", "overlap tests", "triangle tests", "apart", "in contact", "a frame"],
    );
    for run in &runs {
        ensure!(
            run.found.iter().zip(&runs[0].found).all(|(a, b)| a.pairs == b.pairs),
            "{}: pairs differ",
            run.name
        );
        let work = run.work();
        table.row([
            run.name.clone(),
            count(work.overlap_tests / frames as u64),
            count(work.primitive_tests / frames as u64),
            seconds(run.mean(|f| !CONTACT_FRAMES.contains(&f))),
            seconds(run.mean(|f| CONTACT_FRAMES.contains(&f))),
            seconds(run.mean(|_| true)),
        ]);
    }
    Ok(table)
}

/// Moves all vertices.
fn deform(mesh: &Mesh, modes: &Modes, q: &[f64], out: &mut Vec<DVec3>) {
    out.clear();
    let rest = mesh.positions().iter().enumerate();
    out.extend(rest.map(|(vertex, &rest)| modes.displaced(rest, vertex, q)));
}
