//! `pliant merge`: the parts of a divided run become the run.

use std::collections::VecDeque;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::check::GateArguments;
use crate::check::reports::{ReportArguments, Reports};
use crate::check::row::{FrameRow, RunRow, SCHEMA};
use crate::write::print;

const EXAMPLES: &str = "\
Example, on three machines and then on one:
  pliant check walk.glb --animation all --shard 1/3 --json 1.json
  pliant check walk.glb --animation all --shard 2/3 --json 2.json
  pliant check walk.glb --animation all --shard 3/3 --json 3.json
  pliant merge 1.json 2.json 3.json --json all.json --junit verdict.xml --fail-on-contact

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
    let stdout_is_taken = arguments.reports.check(None)?;
    let gates = arguments.gate.gates(&arguments.gate.config()?)?;
    ensure!(!gates.from_rest, "--baseline rest: a merged run does not know the files");
    let mut parts = arguments.files.iter().map(|file| read(file)).collect::<Result<Vec<Part>>>()?;
    let run = whole(&arguments.files, &parts)?;
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

fn read(file: &Path) -> Result<Part> {
    let name = || file.display().to_string();
    let part: Part = serde_json::from_reader(BufReader::new(File::open(file).with_context(name)?))
        .with_context(name)?;
    ensure!(
        part.run.schema == SCHEMA,
        "{}: version {} of the JSON is not known, only {SCHEMA}",
        file.display(),
        part.run.schema
    );
    Ok(part)
}

/// The run that all parts belong to. Each must be there once.
fn whole(files: &[PathBuf], parts: &[Part]) -> Result<RunRow> {
    let mut found: Vec<Option<&Path>> = Vec::new();
    let Some(first) = parts.first() else { bail!("there is no part") };
    let of = first.run.shard.map_or(1, |shard| shard.of);
    ensure!(of <= files.len(), "there are {} of {of} parts", files.len());
    found.resize(of, None);
    let whole = RunRow { shard: None, ..first.run.clone() };
    for (file, part) in files.iter().zip(parts) {
        let name = file.display();
        ensure!(
            RunRow { shard: None, ..part.run.clone() } == whole,
            "{name}: is part of another run than {}",
            files[0].display()
        );
        let (number, parts) = part.run.shard.map_or((1, 1), |shard| (shard.number, shard.of));
        ensure!(parts == of, "{name}: is a part of {parts}, not of {of}");
        let Some(place) = number.checked_sub(1).and_then(|at| found.get_mut(at)) else {
            bail!("{name}: there is no part {number} of {of}");
        };
        if let Some(other) = place.replace(file) {
            bail!("{name}: is part {number}, and so is {}", other.display());
        }
    }
    if let Some(missing) = found.iter().position(Option::is_none) {
        bail!("part {} of {of} is missing", missing + 1);
    }
    Ok(whole)
}
