//! `pliant check`: which triangles of files run through which, when, and where.

pub(crate) mod baseline;
mod blending;
mod config;
pub(crate) mod contacts;
mod filter;
pub(crate) mod frame;
pub(crate) mod gate;
mod gate_arguments;
mod in_order;
mod looked_at;
mod method;
mod output;
pub(crate) mod picture;
pub(crate) mod progress;
mod query_parts;
pub(crate) mod reports;
pub(crate) mod row;
pub(crate) mod run;
mod shard;
mod sparkline;
mod speed;
mod summary;
pub(crate) mod times;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::number::not_negative;
use crate::source::{FILES, Input, InputArguments};
use crate::sweep::{self, StepArguments, SweepArguments};
use crate::terminal::tell;
use crate::view::{ContactsView, Textures};
use crate::write::print;
pub(crate) use blending::BlendingArgument;
use contacts::ContactSettings;
pub(crate) use gate_arguments::{GateArguments, Gates};
pub(crate) use looked_at::LookedAt;
pub(crate) use method::Method;
pub(crate) use output::JsonReport;
use picture::Shown;
use progress::Progress;
use reports::{ReportArguments, Reports};
use run::{MAX_PAIRS, Question, Ran};
pub(crate) use shard::Shard;
use times::TimeArguments;

const EXAMPLES: &str = "
Examples:
  pliant check walk.glb --self                      does a walking body cut itself?
  pliant check fox.glb --animation Run --fps 60     finer, in another animation
  pliant check a.glb b.glb --place b.glb@1,0,0,90   b one metre aside, turned by 90 degrees
  pliant check cloth.obj+cloth.pc2 ball.stl --json pairs.json
  pliant check hero.glb --animation all --ignore 'sword*:shield*' --touching ignore
  pliant check hero.glb --blending dual-quaternion  as an engine that keeps volume plays it
  pliant check robot.glb --fail-on-contact --quiet  for a build: exit code 1 if it touches
  pliant check hero.glb --baseline known.json --update-baseline   what is known may stay,
  pliant check hero.glb --baseline known.json       and only what is new or deeper fails

pliant.toml of the current folder holds the same options (only, ignore, animation, fps, self,
blending, touching, min-depth, margin, fail-on-contact, baseline) and limits of pairs of objects:
  [[limit]]
  objects = \"hand*:sword\"
  depth = 0.005

RAYON_NUM_THREADS sets the number of threads; the result does not depend on it.
Exit code: 0 fine, 1 violated rules (--fail-on-contact, --baseline, limits), 2 bad input or usage.";

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{FILES}\n{EXAMPLES}"))]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    input: InputArguments,
    /// Look at each file as a scene of its own.
    #[arg(long, conflicts_with_all = ["place", "report"])]
    each: bool,
    #[command(flatten)]
    times: TimeArguments,
    /// Also find the triangles of one object that touch one another, except those
    /// that share a position at rest.
    #[arg(long = "self")]
    with_self: bool,
    /// Find what touches between the frames, too: `pliant sweep`, which has more options.
    #[arg(long, conflicts_with_all = [
        "each", "margin", "no_depth", "shard", "report", "csv", "junit", "sarif", "markdown"
    ])]
    continuous: bool,
    /// How bounds are made. The pairs found are the same for every method.
    #[arg(long, value_enum, default_value = "auto")]
    method: Method,
    /// How the joints of skins are blended: linear if nothing else is said.
    #[arg(long, value_enum)]
    blending: Option<BlendingArgument>,
    #[command(flatten)]
    gate: GateArguments,
    /// Objects nearer than this are in contact, too.
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = not_negative)]
    margin: Option<f64>,
    /// Find pairs of triangles only: no regions, no depths.
    #[arg(long)]
    no_depth: bool,
    /// Look at one part of the frames, such as 3/16, for `pliant merge` to join.
    #[arg(long, value_name = "K/N", requires = "json")]
    shard: Option<Shard>,
    /// End with an error if more pairs of triangles touch in one frame. Things that lie in one
    /// another may have as many as the square of their number.
    #[arg(long, value_name = "N", default_value_t = MAX_PAIRS)]
    max_pairs: usize,
    /// Write one page to look at in a browser: bodies, bounds and contacts, moving.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Put base colours and textures of glTF files on the page, which grows by the size of the
    /// pictures.
    #[arg(long, requires = "report")]
    textures: bool,
    #[command(flatten)]
    reports: ReportArguments,
}

/// Whether the exit code has to tell of violated rules.
pub(crate) fn run(arguments: &CheckArguments) -> Result<bool> {
    let CheckArguments { reports: to, report, .. } = arguments;
    let config = arguments.gate.config()?;
    let blending = arguments.blending.or(config.blending).unwrap_or_default();
    if arguments.continuous {
        ensure!(
            blending == BlendingArgument::Linear,
            "--blending and --continuous: how far vertices leave their lines between two frames is \
             known for linear blending alone"
        );
        return sweep::run(&SweepArguments {
            input: arguments.input.clone(),
            frames: false,
            times: arguments.times.clone(),
            with_self: arguments.with_self,
            asked: StepArguments::default(),
            method: arguments.method,
            gate: arguments.gate.clone(),
            max_pairs: arguments.max_pairs,
            json: to.json.clone(),
            report: report.clone(),
            textures: arguments.textures,
            quiet: to.quiet,
        });
    }
    let stdout_is_taken = to.check(report.as_ref())?;
    let mut gates = arguments.gate.gates(&config)?;
    ensure!(
        !gates.from_rest || arguments.shard.is_none(),
        "--baseline rest and --shard: a merged run cannot know what is in contact at rest"
    );
    let (mut input, mut times) = (arguments.input.clone(), arguments.times.clone());
    if input.animation.is_empty() {
        input.animation.clone_from(&config.animation);
    }
    times.fps_by_default(config.fps);
    let with_self = arguments.with_self || config.with_self;
    let scenes = input.scenes(arguments.each)?;
    let load = |files: &Vec<_>| Ok(input.load(files)?.blended(blending));
    let scenes = scenes.iter().map(load).collect::<Result<Vec<Input>>>()?;
    let looked_at = LookedAt::new(&scenes, &times, arguments.method, arguments.shard)?;
    if !to.quiet {
        scenes.iter().for_each(Input::print_warnings);
        if !with_self && scenes.iter().all(|input| input.objects().len() == 1) {
            tell("note: one object alone can only meet itself, which --self looks for");
        }
        for idle in gates.filter.idle(&looked_at.names()) {
            tell(&format!("note: no pair of objects is called {idle:?}"));
        }
    }
    let margin = arguments.margin.or(config.margin).unwrap_or(0.0);
    let frames = looked_at.frames();
    let picture = report.as_ref().map(|_| Shown::of(looked_at.run.objects.len(), frames));
    let contacts = ContactSettings { measured: !arguments.no_depth, margin };
    let question = Question {
        method: arguments.method,
        with_self,
        max_pairs: arguments.max_pairs,
        keeps_pairs: to.json.is_some() || picture.is_some(),
        contacts,
        picture,
    };
    if gates.from_rest {
        gates.gate.baseline = Some(looked_at.at_rest(&scenes, &question, &gates)?);
    }
    let start = Instant::now();
    let mut reports =
        Reports::create(to, &looked_at.run, &gates.gate, gates.update.clone(), looked_at.total)?;
    let mut progress = Progress::new(frames, to.quiet);
    let (mut parts, mut elapsed) = (None, 0.0);
    for (number, input) in scenes.iter().enumerate() {
        let part = &looked_at.parts[number];
        let blocks = part.blocks();
        let mut bodies = question.bodies(input, part.moments.len())?;
        gates.filter.apply(input, &mut bodies)?;
        let textures = if arguments.textures { Textures::Shown } else { Textures::Omitted };
        let page = report
            .as_ref()
            .map(|_| ContactsView::new(input, &bodies, question.method, textures, &blocks));
        let mut page = page.transpose()?;
        let mut numbers = part.numbers();
        let outcome = run::run(&bodies, input, &blocks, &question, |mut frame| {
            if let Some(page) = &mut page {
                page.add(&frame)?;
            }
            part.number(&mut frame.row, numbers.next().unwrap_or_default());
            reports.add(&frame.row, Some(frame.spent))?;
            progress.step();
            Ok(())
        });
        if outcome.is_err() {
            progress.finish();
            return outcome.map(|()| false);
        }
        elapsed = start.elapsed().as_secs_f64();
        if let (Some(file), Some(page)) = (report, page) {
            page.write(file, input)?;
        }
        if let ([_], false) = (&scenes[..], to.quiet || stdout_is_taken) {
            let seconds_a_frame = reports.summary.seconds_a_frame();
            let ran = Ran { seconds: elapsed, seconds_a_frame };
            parts = run::divide(&bodies, input, &blocks, &question, ran)?;
            let note = speed::note(&bodies, input, &part.moments, &looked_at.run)?;
            note.iter().for_each(|note| tell(&format!("note: {note}")));
        }
    }
    progress.finish();
    let (verdict, summary, said) = reports.finish()?;
    if !stdout_is_taken {
        let mut text = String::new();
        if !to.quiet {
            text += &summary.text(&looked_at.run, Some(elapsed), parts.as_ref());
            if !to.any() && report.is_none() && !gates.gate.is_set() && gates.update.is_none() {
                text += "Next: `pliant view` (or --report FILE.html) to look at it, --json FILE for every pair of triangles,\n      \
                         --csv FILE for a row per frame, `pliant info` for what is in a file.\n";
            }
            text += said.as_deref().unwrap_or_default();
        }
        print(&(text + &verdict.text(&looked_at.run)))?;
    }
    Ok(verdict.fails())
}
