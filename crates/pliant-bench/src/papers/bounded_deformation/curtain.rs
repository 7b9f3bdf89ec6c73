//! Curtain and ball, frame by frame: what a reduced body saves (James & Pai 2004, table 2).

use std::hint::black_box;
use std::ops::RangeInclusive;
use std::sync::Arc;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::Work;
use pliant::bound::{SphereCenter, SphereForm};
use pliant::deform::Modes;
use pliant::tree::BuildSettings;
use pliant::{Body, Intersections, Isometry, intersections};
use pliant_scenes::curtain::{CONTACT_FRAMES, CurtainAndBall, THROWN_CONTACT_FRAMES};
use pliant_scenes::{curtain_and_ball, curtain_and_thrown_ball};

use crate::measure::clock;
use crate::table::{Cell, Table, count, ratio, seconds};

/// Repetitions of a frame that is too short for the clock.
const REPEAT: usize = 64;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let sizes = if quick { vec![0] } else { vec![0, 3] };
    let mut tables = Vec::new();
    let mut apart = Vec::new();
    for refinements in sizes {
        eprintln!("curtain: {refinements} refinements ...");
        let thrown = curtain_and_thrown_ball(refinements, 4)?;
        let mut table = one_size(&thrown, "thrown", THROWN_CONTACT_FRAMES, quick)?.0;
        of_the_paper(&mut table);
        tables.push(table);
        drop(thrown);
        let scene = curtain_and_ball(refinements, 4)?;
        let (mut table, time) = one_size(&scene, "slow", CONTACT_FRAMES, quick)?;
        apart.push(time);
        if let [small, large] = apart[..] {
            let growth = large / small;
            table
                .note(format!("frames apart cost {growth:.2}x what they cost at the paper's size"));
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Sets the state of a frame and finds all pairs.
pub(crate) type Method<'a> = Box<dyn FnMut(usize) -> Result<Intersections> + 'a>;

/// What one method did in all frames.
pub(crate) struct Run {
    pub(crate) name: &'static str,
    /// Best time of each frame.
    times: Vec<f64>,
    pub(crate) found: Vec<Intersections>,
}

impl Run {
    pub(crate) fn new(name: &'static str, frames: usize) -> Self {
        let (times, found) = (vec![f64::INFINITY; frames], vec![Intersections::default(); frames]);
        Self { name, times, found }
    }

    /// Goes through all frames once, the state before the query included.
    pub(crate) fn go(&mut self, frame: &mut Method<'_>) -> Result<()> {
        for number in 0..self.times.len() {
            let start = clock();
            self.found[number] = frame(number)?;
            let mut time = clock() - start;
            if time < 2e-5 {
                let start = clock();
                for _ in 0..REPEAT {
                    black_box(frame(number)?);
                }
                time = (clock() - start) / REPEAT as f64;
            }
            self.times[number] = self.times[number].min(time);
        }
        Ok(())
    }

    pub(crate) fn mean(&self, frames: impl Fn(usize) -> bool) -> f64 {
        let chosen: Vec<f64> =
            (0..self.times.len()).filter(|&f| frames(f)).map(|f| self.times[f]).collect();
        chosen.iter().sum::<f64>() / chosen.len().max(1) as f64
    }

    /// Overlap tests per frame, where they are counted.
    fn tests(&self) -> Cell {
        let tests: u64 = self.found.iter().map(|found| found.work.overlap_tests).sum();
        if tests == 0 { Cell::default() } else { count(tests / self.found.len() as u64) }
    }
}

/// One row per method, and what our frames apart cost.
fn one_size(
    scene: &CurtainAndBall,
    ball: &str,
    contact: RangeInclusive<usize>,
    quick: bool,
) -> Result<(Table, f64)> {
    let mesh = &scene.curtain.mesh;
    let modes = &Arc::new(Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?);
    let rounds = if quick { 2 } else { (200_000 / mesh.triangles().len()).clamp(2, 10) };
    let default = BuildSettings::default();
    // What suits both methods best.
    let trees = [BuildSettings::SMALL_LEAVES, default];
    let mut methods: Vec<(&'static str, Method<'_>)> = vec![
        ("boxes from coordinates", from_coordinates(scene, modes, trees)?),
        ("bottom-up boxes", bottom_up(scene, modes, trees)?),
        ("parry3d, our exact test", parry(scene, modes)?),
    ];
    if mesh.triangles().len() < 100_000 {
        methods.extend([
            (
                "spheres from coordinates, smallest",
                spheres(scene, modes, SphereCenter::SmallestBall, default)?,
            ),
            ("spheres from coordinates, mean", spheres(scene, modes, SphereCenter::Mean, default)?),
            ("layered spheres", layered(scene, modes)?),
        ]);
    }
    let frames = scene.ball.centers.len();
    let mut runs: Vec<Run> = methods.iter().map(|(name, _)| Run::new(name, frames)).collect();
    // Each goes through all frames before the next: it finds the caches as it left them.
    for _ in 0..rounds {
        for (run, (_, method)) in runs.iter_mut().zip(&mut methods) {
            run.go(method)?;
        }
    }
    let mut table = Table::new(
        format!(
            "Curtain ({} triangles, {} modes) and {ball} ball ({}): state and query, one thread",
            count(mesh.triangles().len()),
            modes.count(),
            count(scene.ball.mesh.triangles().len()),
        ),
        &["method", "tests", "apart", "", "in contact", "", "all frames", ""],
    );
    let touching = |frame: usize| contact.contains(&frame);
    let times = |run: &Run| [run.mean(|f| !touching(f)), run.mean(touching), run.mean(|_| true)];
    let ours = times(&runs[0]);
    for (frame, found) in runs[0].found.iter().enumerate() {
        ensure!(
            found.pairs.is_empty() != touching(frame),
            "frame {frame} is not what it should be"
        );
    }
    for run in &runs {
        let same = run.found.iter().zip(&runs[0].found).all(|(a, b)| a.pairs == b.pairs);
        ensure!(same, "{}: pairs differ", run.name);
        let mut row = vec![run.name.into(), run.tests()];
        for (time, ours) in times(run).into_iter().zip(ours) {
            row.extend([seconds(time), ratio(time / ours)]);
        }
        table.row(row);
    }
    table.note(
        "tests: overlap tests per frame, mean; times include moving all vertices where that is needed",
    );
    table.note(format!("in contact in {} of {frames} frames", contact.count()));
    Ok((table, ours[0]))
}

/// What table 2 of the paper says.
fn of_the_paper(table: &mut Table) {
    table.note("James & Pai 2004, 3.0 GHz Xeon, Java, all 110 frames together: spheres from");
    table.note(
        "coordinates 3890 tests and 2.4 ms (0.022 per frame), layered 2150 tests and 5400 ms (49)",
    );
}

/// Boxes from coordinates.
pub(crate) fn from_coordinates<'a>(
    scene: &'a CurtainAndBall,
    modes: &'a Arc<Modes>,
    [of_cloth, of_ball]: [BuildSettings; 2],
) -> Result<Method<'a>> {
    let mesh = scene.curtain.mesh.clone();
    let mut cloth = Body::reduced_with(mesh, Arc::clone(modes), &of_cloth)?;
    let mut ball = Body::rigid_with(scene.ball.mesh.clone(), &of_ball)?;
    Ok(Box::new(move |frame| {
        cloth.set_coordinates(&scene.curtain.coordinates[frame])?;
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
        Ok(intersections(&cloth, &ball))
    }))
}

/// The paper's spheres.
pub(crate) fn spheres<'a>(
    scene: &'a CurtainAndBall,
    modes: &'a Arc<Modes>,
    center: SphereCenter,
    settings: BuildSettings,
) -> Result<Method<'a>> {
    let mesh = scene.curtain.mesh.clone();
    let mut cloth = Body::reduced_spheres(mesh, Arc::clone(modes), center, &settings)?;
    let mut ball = Body::rigid_spheres(scene.ball.mesh.clone(), SphereForm::Wrapped, &settings)?;
    Ok(Box::new(move |frame| {
        cloth.set_coordinates(&scene.curtain.coordinates[frame])?;
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
        Ok(intersections(&cloth, &ball))
    }))
}

pub(crate) fn bottom_up<'a>(
    scene: &'a CurtainAndBall,
    modes: &'a Arc<Modes>,
    [of_cloth, of_ball]: [BuildSettings; 2],
) -> Result<Method<'a>> {
    let mut cloth = Body::free_with(scene.curtain.mesh.clone(), &of_cloth)?;
    let mut ball = Body::rigid_with(scene.ball.mesh.clone(), &of_ball)?;
    let mut positions = Vec::new();
    Ok(Box::new(move |frame| {
        deform(scene, modes, frame, &mut positions);
        cloth.set_positions(&positions)?;
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
        Ok(intersections(&cloth, &ball))
    }))
}

/// The paper's baseline: spheres refitted from the leaves to the root.
fn layered<'a>(scene: &'a CurtainAndBall, modes: &'a Arc<Modes>) -> Result<Method<'a>> {
    let (form, settings) = (SphereForm::Layered, BuildSettings::default());
    let mut cloth = Body::free_spheres(scene.curtain.mesh.clone(), form, &settings)?;
    let mut ball = Body::rigid_spheres(scene.ball.mesh.clone(), SphereForm::Wrapped, &settings)?;
    let mut positions = Vec::new();
    Ok(Box::new(move |frame| {
        deform(scene, modes, frame, &mut positions);
        cloth.set_positions(&positions)?;
        ball.set_isometry(Isometry::from_translation(scene.ball.centers[frame])?);
        Ok(intersections(&cloth, &ball))
    }))
}

/// parry3d's update and leaf pairs, our exact test. The ball is moved vertex by vertex
/// outside of the clock: parry3d would carry it by a pose.
fn parry<'a>(scene: &'a CurtainAndBall, modes: &'a Arc<Modes>) -> Result<Method<'a>> {
    use crate::peers::parry::{deformable, vertices};
    let mut cloth = deformable(&scene.curtain.mesh)?;
    let balls = scene.ball.centers.iter().map(|center| {
        let moved: Vec<DVec3> = scene.ball.mesh.positions().iter().map(|p| *p + center).collect();
        let mut ball = deformable(&scene.ball.mesh)?;
        ball.set_vertices(&vertices(&moved));
        Ok((ball, moved))
    });
    let balls: Vec<_> = balls.collect::<Result<_>>()?;
    let mut positions = Vec::new();
    Ok(Box::new(move |frame| {
        deform(scene, modes, frame, &mut positions);
        cloth.set_vertices(&vertices(&positions));
        let (ball, moved) = &balls[frame];
        let pairs = crate::peers::parry::intersections(
            (&cloth, &scene.curtain.mesh, &positions),
            (ball, &scene.ball.mesh, moved),
        );
        Ok(Intersections { pairs, work: Work::default() })
    }))
}

/// Moves all vertices of the curtain.
fn deform(scene: &CurtainAndBall, modes: &Modes, frame: usize, out: &mut Vec<DVec3>) {
    let q = &scene.curtain.coordinates[frame];
    out.clear();
    let rest = scene.curtain.mesh.positions().iter().enumerate();
    out.extend(rest.map(|(vertex, &rest)| modes.displaced(rest, vertex, q)));
}
