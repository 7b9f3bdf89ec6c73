//! `pliant sweep`: what touches what between the frames of an animation, and when.

mod adjacency;
mod parts;
pub(crate) mod picture;
pub(crate) mod row;
mod step;
mod summary;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use pliant::query::{Impacts, SweepSettings};
use pliant_io::{BodySettings, SceneBodies, SelfContact};

use crate::check::baseline::Baseline;
use crate::check::gate::Verdict;
use crate::check::progress::Progress;
use crate::check::run::{MAX_PAIRS, blocks, on_threads};
use crate::check::times::{Moment, TimeArguments};
use crate::check::{GateArguments, JsonReport, LookedAt, Method};
use crate::number::positive;
use crate::source::{Input, InputArguments};
use crate::terminal::tell;
use crate::view::{StepsView, Textures};
use crate::write::{check_writable, is_stdout, print};
use adjacency::{AdjacencyArgument, PathArgument};
use step::{Ends, StepQuestion, Stepped};
use summary::Summary;

const EXAMPLES: &str = "\
Examples:
  pliant sweep walk.glb --self                       does a limb pass through another between frames?
  pliant sweep walk.glb --self --path linear --fps 60
  pliant sweep bullet.obj+bullet.pc2 plate.stl --first --json steps.json
  pliant sweep a.ply b.ply --frames --self           two frames of one mesh
  pliant sweep walk.glb --self --report steps.html   what touches, when within the step, on a page
  pliant sweep hero.glb --fail-on-contact --quiet    for a build: exit code 1 if anything touches

Between two frames every vertex moves along a straight line (--path linear), or as the file says
(--path true): then steps are divided until no vertex is farther than --within from a straight line,
but for features that leave their lines together. Contacts of what turns are not certain, but `within`
a distance. What nothing turns is certain.
Exit code: 0 fine, 1 violated rules (--fail-on-contact, --baseline, limits), 2 bad input or usage.";

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SweepArguments {
    #[command(flatten)]
    pub(crate) input: InputArguments,
    /// The files are frames of one mesh: OBJ or PLY files of one topology, in this order.
    #[arg(long, conflicts_with_all = ["place", "weights", "animation"])]
    pub(crate) frames: bool,
    #[command(flatten)]
    pub(crate) times: TimeArguments,
    /// Also find what touches within one object, except features that share a vertex.
    #[arg(long = "self")]
    pub(crate) with_self: bool,
    #[command(flatten)]
    pub(crate) asked: StepArguments,
    /// How bounds are made. What is found is the same for every method.
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) gate: GateArguments,
    /// End with an error if more touches in one step.
    #[arg(long, value_name = "N", default_value_t = MAX_PAIRS)]
    pub(crate) max_pairs: usize,
    /// Write all contacts of all steps as JSON (schema: docs/sweep.schema.json); `-` is standard
    /// output, in place of the summary.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write one page to look at in a browser: steps with contacts, when within the step, the two
    /// features and their paths.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Put base colours and textures of glTF files on the page.
    #[arg(long, requires = "report")]
    pub(crate) textures: bool,
    /// Print nothing but errors and violated rules.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What is asked of each step.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct StepArguments {
    /// How things move between two frames.
    #[arg(long, value_enum, default_value = "true")]
    path: PathArgument,
    /// How far a true path may be from the straight lines that stand for it. Else a
    /// ten-thousandth of the smallest object.
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = positive)]
    within: Option<f64>,
    /// Find only the first contact of each pair of objects in each step.
    #[arg(long)]
    first: bool,
    /// Which features of one object share a vertex.
    #[arg(long, value_enum, default_value = "place")]
    adjacency: AdjacencyArgument,
}

/// The part of the smallest object that `--within` is by default.
const USUAL_WITHIN: f64 = 1e-4;

/// Steps from which on it pays to prepare bodies for sweeps with themselves: along straight lines, and
/// along true paths, where a step has many parts.
const MANY_STEPS: [usize; 2] = [32, 4];

/// Whether the exit code has to tell of violated rules.
pub(crate) fn run(arguments: &SweepArguments) -> Result<bool> {
    let to_stdout = arguments.json.as_ref().is_some_and(|file| is_stdout(file));
    arguments.json.as_ref().map_or(Ok(()), |file| check_writable(file))?;
    arguments.report.as_ref().map_or(Ok(()), |file| check_writable(file))?;
    let config = arguments.gate.config()?;
    let gates = arguments.gate.gates(&config)?;
    ensure!(!gates.from_rest, "--baseline rest: there is no step at rest to compare with");
    let (mut files, mut times) = (arguments.input.clone(), arguments.times.clone());
    if files.animation.is_empty() && !arguments.frames {
        files.animation.clone_from(&config.animation);
    }
    times.fps_by_default(config.fps);
    let input = match arguments.frames {
        true => Input::of_frames(&files.files()?)?,
        false => Input::load(&files)?,
    };
    let looked_at = LookedAt::new(std::slice::from_ref(&input), &times, arguments.method, None)?;
    let mut run = looked_at.run;
    run.schema = row::SCHEMA;
    let moments = &looked_at.parts[0].moments;
    let ascend =
        moments.windows(2).all(|two| two[0].take != two[1].take || two[0].time <= two[1].time);
    ensure!(ascend, "--times must ascend: steps go forward");
    let takes = step_blocks(moments);
    let steps = takes.iter().map(|block| block.len() - 1).sum();
    ensure!(
        steps > 0,
        "there is only one frame, and a step needs two: give --times, or an animation"
    );
    if !arguments.quiet {
        input.print_warnings();
        let names: Vec<&str> = run.objects.iter().map(|object| object.name.as_str()).collect();
        for idle in gates.filter.idle(&names) {
            tell(&format!("note: no pair of objects is called {idle:?}"));
        }
    }
    let asked = &arguments.asked;
    let smallest = run.objects.iter().map(|object| object.size).fold(f64::INFINITY, f64::min);
    let usual = (USUAL_WITHIN * smallest).max(f64::MIN_POSITIVE);
    let question = StepQuestion {
        settings: SweepSettings {
            impacts: if asked.first { Impacts::First } else { Impacts::All },
            adjacency: asked.adjacency.into(),
            most: arguments.max_pairs,
        },
        path: asked.path,
        within: asked.within.unwrap_or(usual),
        method: arguments.method,
        pictured: arguments.report.is_some(),
    };
    let many_steps = MANY_STEPS[usize::from(asked.path == PathArgument::True)];
    let self_contact = match (arguments.with_self || config.with_self, asked.first) {
        (false, _) => SelfContact::Ignored,
        (true, false) if steps >= many_steps && arguments.method != Method::BruteForce => {
            SelfContact::PreparedForSteps(asked.adjacency.into())
        }
        _ => SelfContact::Counted,
    };
    let mut bodies = bodies(&input, arguments.method, self_contact)?;
    gates.filter.apply(&input, &mut bodies)?;
    let page = arguments.report.as_ref().map(|_| {
        let textures = if arguments.textures { Textures::Shown } else { Textures::Omitted };
        StepsView::new(&input, &bodies, arguments.method, textures, moments)
    });
    let mut page = page.transpose()?;
    let json = arguments.json.as_ref().map(|file| JsonReport::create(file, &run, "steps"));
    let mut json = json.transpose()?;
    let mut learned = gates.update.as_ref().map(|_| Baseline::new());
    let (mut verdict, mut summary) = (Verdict::default(), Summary::default());
    let mut progress = Progress::new(steps, arguments.quiet);
    let hand_over = |mut stepped: Stepped| -> Result<()> {
        stepped.row.number = summary.steps;
        stepped.frame.number = summary.steps;
        json.as_mut().map_or(Ok(()), |json| json.add(&stepped.row))?;
        page.as_mut().map_or(Ok(()), |page| page.add(&stepped.frame, stepped.picture.as_ref()))?;
        match &mut learned {
            Some(baseline) => baseline.learn(&run, &stepped.frame, |one| gates.gate.counts(one)),
            None => verdict.add(&gates.gate, &run, &stepped.frame),
        }
        summary.add(&stepped);
        progress.step();
        Ok(())
    };
    let outcome = find(&bodies, &input, &takes, &question, hand_over);
    progress.finish();
    outcome?;
    json.map_or(Ok(()), JsonReport::finish)?;
    if let (Some(page), Some(file)) = (page, &arguments.report) {
        page.write(file, &input)?;
    }
    let mut said = String::new();
    if let (Some(baseline), Some(file)) = (learned, &gates.update) {
        baseline.write(file)?;
        said = format!(
            "{} knows {} pairs of objects and animations.\n",
            file.display(),
            baseline.len()
        );
    }
    if !to_stdout {
        let text = if arguments.quiet { String::new() } else { summary.text(&run) + &said };
        print(&(text + &verdict.text(&run)))?;
    }
    Ok(verdict.fails())
}

/// The bodies of a run, at rest.
fn bodies(input: &Input, method: Method, self_contact: SelfContact) -> Result<SceneBodies> {
    let settings =
        BodySettings { method: method.of_bodies(), self_contact, ..BodySettings::default() };
    SceneBodies::of_scenes(input.scenes(), settings).map_err(|error| input.in_file(error))
}

/// Frames of one take that follow one another, in blocks of which each begins with the last frame of
/// the one before, so that every step is in one block.
fn step_blocks(moments: &[Moment]) -> Vec<Vec<Moment>> {
    let mut all: Vec<Vec<Moment>> = Vec::new();
    for block in blocks(moments) {
        let before = all.last().and_then(|last| last.last()).copied();
        let before = before.filter(|before| before.take == block[0].take);
        all.push(before.into_iter().chain(block.iter().copied()).collect());
    }
    // The first block of a take may have one frame alone.
    all.retain(|block| block.len() > 1);
    all
}

/// Finds what touches in all steps and hands over one after the other, in their order.
fn find(
    bodies: &SceneBodies,
    input: &Input,
    takes: &[Vec<Moment>],
    question: &StepQuestion,
    mut hand_over: impl FnMut(Stepped) -> Result<()>,
) -> Result<()> {
    let ends = Ends::new(bodies);
    // Few steps share their queries between threads.
    if takes.len() < rayon::current_num_threads() || rayon::current_num_threads() == 1 {
        let mut ends = ends;
        return takes.iter().try_for_each(|take| {
            ends.steps(input, take, question)?.try_for_each(|step| hand_over(step?))
        });
    }
    on_threads(&ends, takes.len(), hand_over, |ends, number| {
        match ends.steps(input, &takes[number], question) {
            Ok(steps) => steps.collect(),
            Err(error) => vec![Err(error)],
        }
    })
}
