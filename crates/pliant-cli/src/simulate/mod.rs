//! `pliant simulate`: thousands of things that bend fall into a pile.

mod built_in;
mod checkpoint;
mod coarse;
mod glb;
mod glb_obstacles;
mod json;
mod motion;
mod page;
mod scene;
mod scene_file;
mod scene_table;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::check::JsonReport;
use crate::check::progress::Progress;
use crate::interrupt;
use crate::table::{count, seconds};
use crate::terminal::tell;
use crate::write::{check_writable, is_stdout, print};
pub(crate) use built_in::Choice;
use built_in::{NAMES, built_in};
use checkpoint::{Asked, motion_file};
use json::{FrameRow, RunRow};
use motion::{Counters, Reader, Recorder};
pub(crate) use scene::{Felt, Look, LookMotion, Scene, Spheres, World};

const EXAMPLES: &str = "\
Examples:
  pliant simulate jelly                        jelly falls down stairs: 1000 bodies of 100 points
  pliant simulate jelly --bodies 200 --report jelly.html   the same, to look at
  pliant simulate chairs --bodies 60 --steps 300 --out chairs.glb
  pliant simulate fish --bodies 200 --json fish.json
  pliant simulate scene.toml                   your own files: docs/scene-format.md
  pliant simulate --resume simulate.checkpoint a run that Ctrl-C stopped goes on

Ctrl-C saves a checkpoint and ends the run; so does every minute without ending it.
Exit code: 0 fine, 2 bad input or usage, 130 stopped by Ctrl-C.";

/// How often a run is saved, in case it ends badly.
const SAVED_EVERY: Duration = Duration::from_secs(60);

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimulateArguments {
    /// chairs, fish, jelly, or a TOML file.
    #[arg(value_name = "SCENE", required_unless_present = "resume")]
    scene: Option<String>,
    /// How many bodies: 1000 if none are given. A TOML file says so itself.
    #[arg(long, value_name = "N")]
    bodies: Option<usize>,
    /// The level of the trees whose spheres touch: 10 for chairs, 7 for fish.
    #[arg(long, value_name = "L")]
    level: Option<u32>,
    /// How many steps.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// The seed of places and rotations.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many threads; all processors if none are given. Results do not depend on it.
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Write the motion as GLB.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The size of the GLB in megabytes at the most; bodies that do not fit are left out.
    #[arg(long, value_name = "MB", default_value_t = 256)]
    max_size: usize,
    /// Write a page to look at.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write counters and energies of every frame as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Go on from a checkpoint.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Where checkpoints go. The motion is recorded beside it while the run lasts.
    #[arg(long, value_name = "FILE", default_value = "simulate.checkpoint")]
    checkpoint: PathBuf,
    /// No progress.
    #[arg(long)]
    quiet: bool,
}

/// Simulates, then writes what was asked for.
pub(crate) fn run(arguments: &SimulateArguments) -> Result<()> {
    for file in [&arguments.out, &arguments.report, &arguments.json].into_iter().flatten() {
        if !is_stdout(file) {
            check_writable(file)?;
        }
    }
    ensure!(arguments.threads != Some(0), "--threads: there must be at least one");
    ensure!(arguments.max_size <= 4000, "--max-size: a GLB holds at most 4000 megabytes");
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = arguments.threads {
        pool = pool.num_threads(threads);
    }
    pool.build()?.install(|| simulate(arguments))
}

fn simulate(arguments: &SimulateArguments) -> Result<()> {
    let (mut asked, state) = asked(arguments)?;
    let choice = Choice { bodies: asked.bodies, level: asked.level, seed: asked.seed };
    let mut scene = load(&asked.scene, choice)?;
    if asked.steps == 0 {
        asked.steps = scene.usual_steps;
    }
    let checkpoint = arguments.resume.as_deref().unwrap_or(&arguments.checkpoint);
    check_writable(checkpoint)?;
    let motion = motion_file(checkpoint);
    let recorder = match &state {
        None => Recorder::create(&motion, scene.bodies(), scene.numbers_per_body())?,
        Some(state) => {
            scene.restore(state).with_context(|| checkpoint.display().to_string())?;
            Recorder::resume(&motion, asked.motion_bytes)?
        }
    };
    let spheres = if arguments.report.is_some() { Spheres::Listed } else { Spheres::Counted };
    let files = Files { checkpoint, motion: &motion };
    if !advance(&mut scene, &mut asked, recorder, &files, spheres, arguments.quiet)? {
        tell(&format!(
            "stopped after step {} of {}; to go on: pliant simulate --resume {}",
            scene.steps_done(),
            asked.steps,
            checkpoint.display()
        ));
        std::process::exit(130);
    }
    write_all(arguments, &scene, &asked, &motion)?;
    // What was recorded has been written. A checkpoint of before is of no more use.
    let _ = std::fs::remove_file(&motion);
    let _ = std::fs::remove_file(checkpoint);
    Ok(())
}

/// What is asked for: by the command line, or by a checkpoint with its state.
fn asked(arguments: &SimulateArguments) -> Result<(Asked, Option<Vec<u8>>)> {
    let &SimulateArguments { bodies, level, seed, .. } = arguments;
    let Some(file) = &arguments.resume else {
        let scene = arguments.scene.clone().unwrap_or_default();
        let steps = arguments.steps.unwrap_or(0);
        ensure!(arguments.steps != Some(0), "--steps: there must be at least one");
        ensure!(bodies != Some(0), "--bodies: there must be at least one");
        let (motion_bytes, seconds) = (0, 0.0);
        return Ok((Asked { scene, bodies, level, seed, steps, motion_bytes, seconds }, None));
    };
    let (mut asked, state) = checkpoint::read(file)?;
    if let Some(scene) = &arguments.scene {
        ensure!(*scene == asked.scene, "{}: a checkpoint of {}", file.display(), asked.scene);
    }
    asked.steps = arguments.steps.unwrap_or(asked.steps);
    Ok((asked, Some(state)))
}

/// Whether a name is that of a scene, built-in or a file.
pub(crate) fn is_scene(name: &str) -> bool {
    NAMES.contains(&name) || is_scene_file(name)
}

fn is_scene_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// Makes a scene: a built-in one, or one from a file.
pub(crate) fn load(name: &str, choice: Choice) -> Result<Scene> {
    if let Some(scene) = built_in(name, choice)? {
        return Ok(scene);
    }
    if is_scene_file(name) {
        return scene_file::read(Path::new(name), choice);
    }
    bail!("there is no scene {name:?}: it is one of {}, or a TOML file", NAMES.join(", "))
}

struct Files<'a> {
    checkpoint: &'a Path,
    motion: &'a Path,
}

/// Goes on to the last step. Returns whether it got there; otherwise there is a checkpoint.
fn advance(
    scene: &mut Scene,
    asked: &mut Asked,
    mut recorder: Recorder,
    files: &Files,
    spheres: Spheres,
    quiet: bool,
) -> Result<bool> {
    interrupt::wait_for_it();
    let mut progress = Progress::of("steps", asked.steps as usize, quiet);
    if scene.steps_done() == 0 {
        let first = scene.frame(Counters::default(), Vec::new(), spheres)?;
        recorder.add(&first)?;
    }
    let mut saved = Instant::now();
    while scene.steps_done() < asked.steps {
        let start = Instant::now();
        let steps = scene.steps_per_frame.min(asked.steps - scene.steps_done());
        let (counters, touching) = scene.step(steps, spheres)?;
        asked.seconds += start.elapsed().as_secs_f64();
        recorder.add(&scene.frame(counters, touching, spheres)?)?;
        let note = format!(", {} contacts", count(counters.contacts));
        progress.reach_with(scene.steps_done() as usize, asked.steps as usize, &note);
        let is_stopped = interrupt::is_asked();
        if is_stopped || saved.elapsed() >= SAVED_EVERY {
            asked.motion_bytes = recorder.flushed()?;
            checkpoint::write(files.checkpoint, asked, &scene.save())?;
            saved = Instant::now();
        }
        if is_stopped {
            progress.finish();
            return Ok(false);
        }
    }
    progress.finish();
    let bytes = recorder.flushed()?;
    let on_disk = std::fs::metadata(files.motion).map(|found| found.len()).unwrap_or(0);
    ensure!(on_disk == bytes, "{}: it was changed during the run", files.motion.display());
    Ok(true)
}

/// Writes the GLB, the page, the JSON and what people read.
fn write_all(
    arguments: &SimulateArguments,
    scene: &Scene,
    asked: &Asked,
    motion: &Path,
) -> Result<()> {
    let mut all: Vec<Counters> = Vec::new();
    let mut reader = Reader::open(motion)?;
    while let Some(frame) = reader.next()? {
        all.push(frame.counters);
    }
    let mut run = RunRow {
        format: "pliant-simulate",
        version: 1,
        pliant: env!("CARGO_PKG_VERSION"),
        scene: scene.name.clone(),
        kind: scene.kind(),
        bodies: scene.bodies(),
        seed: asked.seed,
        level: asked.level,
        step: scene.step_length(),
        steps: scene.steps_done(),
        steps_per_frame: scene.steps_per_frame,
        seconds: asked.seconds,
        contacts_total: all.iter().map(|counters| counters.contacts_since).sum(),
        most_contacts: all.iter().map(|counters| counters.contacts).max().unwrap_or(0),
        left_out: Vec::new(),
    };
    if let Some(file) = &arguments.out {
        run.left_out.extend(glb::write(file, scene, motion, arguments.max_size * 1_000_000)?);
    }
    if let Some(file) = &arguments.report {
        run.left_out.extend(page::left_out(file, scene.bodies(), all.len()));
        page::write(
            file,
            scene,
            motion,
            &RunRow { format: "pliant-simulation", ..run.clone() },
            all.len(),
        )?;
    }
    if let Some(file) = &arguments.json {
        let mut json = JsonReport::create(file, &run, "frames")?;
        for (number, counters) in all.iter().enumerate() {
            json.add(&FrameRow::new(number, counters, run.step))?;
        }
        json.finish()?;
    }
    for left in &run.left_out {
        tell(&format!("left out: {left}"));
    }
    if !arguments.json.as_deref().is_some_and(is_stdout) {
        print(&summary(&run, &all))?;
    }
    Ok(())
}

/// The run in a few lines.
fn summary(run: &RunRow, all: &[Counters]) -> String {
    let mut text = String::new();
    let per_step = run.seconds / run.steps.max(1) as f64;
    let energy = |counters: Option<&Counters>| -> f64 {
        counters.map_or(0.0, |counters| counters.energy.iter().sum())
    };
    let _ = writeln!(
        text,
        "{}: {} bodies, {} steps of {}\n{} contacts per step on average, {} at most\n\
         {} per step; energy {:.1} J at first, {:.1} J at last",
        run.scene,
        count(run.bodies),
        count(run.steps),
        seconds(run.step),
        count(run.contacts_total / run.steps.max(1)),
        count(run.most_contacts),
        seconds(per_step),
        energy(all.first()),
        energy(all.last())
    );
    text
}
