//! `pliant merge`: the parts of a divided run become the run.

mod clash;
mod parts;

use std::collections::VecDeque;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use serde::Deserialize;

use crate::check::GateArguments;
use crate::check::reports::{ReportArguments, Reports};
use crate::check::row::{FrameRow, RunRow, SCHEMA};
use crate::clash::row::SCHEMA as CLASH_SCHEMA;
use crate::write::print;
use parts::{Question, question, read, whole};

const EXAMPLES: &str = "\
Example, on three machines and then on one:
  pliant check walk.glb --animation all --shard 1/3 --json 1.json
  pliant check walk.glb --animation all --shard 2/3 --json 2.json
  pliant check walk.glb --animation all --shard 3/3 --json 3.json
  pliant merge 1.json 2.json 3.json --json all.json --junit verdict.xml --fail-on-contact

Parts of `pliant clash` are merged in the same way, with --json, --csv and --fail-on-contact.
The result is, byte for byte but for seconds, that of one run without --shard.
Exit code: 0 fine, 1 violated rules, 2 bad input or usage.";

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeArguments {
    /// The JSON of every part, in any order.
    #[arg(required = true, value_name = "FILE.json")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    gate: GateArguments,
    #[command(flatten)]
    reports: ReportArguments,
}

/// A part as it is read.
#[derive(Debug, Deserialize)]
struct Part {
    #[serde(flatten)]
    run: RunRow,
    frames: VecDeque<FrameRow>,
}

/// Whether the exit code has to tell of violated rules.
pub(crate) fn run(arguments: &MergeArguments) -> Result<bool> {
    let mut asked = None;
    for file in &arguments.files {
        let (question, version) = question(file)?;
        let known = match question {
            Question::Check => SCHEMA,
            Question::Clash => CLASH_SCHEMA,
        };
        ensure!(
            version == known,
            "{}: version {version} of the JSON is not known, only {known}",
            file.display()
        );
        ensure!(
            *asked.get_or_insert(question) == question,
            "{}: some parts are of `check`, and some of `clash`",
            file.display()
        );
    }
    match asked {
        Some(Question::Clash) => clash::run(arguments),
        _ => run_check(arguments),
    }
}

fn run_check(arguments: &MergeArguments) -> Result<bool> {
    let stdout_is_taken = arguments.reports.check(None)?;
    let gates = arguments.gate.gates(&arguments.gate.config()?)?;
    ensure!(!gates.from_rest, "--baseline rest: a merged run does not know the files");
    let mut parts = arguments.files.iter().map(|file| read(file)).collect::<Result<Vec<Part>>>()?;
    let heads: Vec<&RunRow> = parts.iter().map(|part| &part.run).collect();
    let (run, _) = whole(&arguments.files, &heads)?;
    let total: usize = parts.iter().map(|part| part.frames.len()).sum();
    let expected: usize = run.animations.iter().map(|animation| animation.frames).sum();
    ensure!(total == expected, "the parts have {total} frames of {expected}");
    let to = &arguments.reports;
    let mut reports = Reports::create(to, &run, &gates.gate, gates.update.clone(), total)?;
    for number in 0..total {
        let has_next =
            |part: &&mut Part| part.frames.front().is_some_and(|frame| frame.number == number);
        let next = parts.iter_mut().find(has_next).and_then(|part| part.frames.pop_front());
        let Some(mut frame) = next else { bail!("frame {number} is in none of the parts") };
        let counts = |objects| gates.filter.counts(run.names(objects));
        frame.contacts.retain(|contact| counts(contact.objects));
        frame.pairs.retain(|&[a, _, b, _]| counts([a, b]));
        reports.add(&frame, None)?;
    }
    let (verdict, summary, said) = reports.finish()?;
    if !stdout_is_taken {
        let mut text = String::new();
        if !to.quiet {
            text += &summary.text(&run, None, None);
            text += said.as_deref().unwrap_or_default();
        }
        print(&(text + &verdict.text(&run)))?;
    }
    Ok(verdict.fails())
}
