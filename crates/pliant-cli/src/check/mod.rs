//! `pliant check`: which triangles of files run through which, when, and where.

pub(crate) mod body;
pub(crate) mod frame;
pub(crate) mod output;
pub(crate) mod picture;
pub(crate) mod progress;
pub(crate) mod run;
mod sparkline;
mod summary;
pub(crate) mod times;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;

use crate::source::{CACHES, Input, InputArguments};
use crate::write::{check_writable, is_stdout, print};
pub(crate) use body::Method;
use picture::nodes_shown;
use progress::Progress;
use run::Question;
use times::TimeArguments;

/// What the command line says.
#[derive(Debug, clap::Args)]
#[command(after_help = CACHES)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    times: TimeArguments,
    /// Also find the triangles of one object that touch one another, except those
    /// that share a position at rest.
    #[arg(long = "self")]
    with_self: bool,
    /// How bounds are made. The pairs found are the same for every method.
    #[arg(long, value_enum, default_value = "auto")]
    method: Method,
    /// Write every pair of every frame as JSON (schema: docs/check.schema.json);
    /// `-` is standard output, in place of the summary.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a row for each frame and each pair of objects in contact; `-` as above.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write one page to look at in a browser: bodies, bounds and contacts, moving.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Exit with code 1 if anything touches.
    #[arg(long)]
    fail_on_contact: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    quiet: bool,
}

/// Whether the exit code has to tell of contacts.
pub(crate) fn run(arguments: &CheckArguments) -> Result<bool> {
    let &CheckArguments { with_self, method, quiet, .. } = arguments;
    for file in [&arguments.json, &arguments.csv, &arguments.report].into_iter().flatten() {
        check_writable(file)?;
    }
    let input = Input::load(&arguments.input)?;
    if !quiet {
        input.print_warnings();
    }
    let times = arguments.times.choose(&input)?;
    let picture =
        arguments.report.as_ref().map(|_| nodes_shown(input.objects().len(), times.len()));
    let progress = Progress::new(times.len(), quiet);
    let start = Instant::now();
    let outcome = run::run(&input, &times, Question { method, with_self, picture }, &progress);
    let elapsed = start.elapsed().as_secs_f64();
    progress.finish();
    let frames = outcome?;

    let mut stdout_taken = false;
    if let Some(file) = &arguments.json {
        output::write_json(file, &input, method, &frames)?;
        stdout_taken |= is_stdout(file);
    }
    if let Some(file) = &arguments.csv {
        output::write_csv(file, &input, &frames)?;
        stdout_taken |= is_stdout(file);
    }
    if let Some(file) = &arguments.report {
        crate::view::report(file, &input, method, &times, &frames)?;
        stdout_taken |= is_stdout(file);
    }
    if !quiet && !stdout_taken {
        let mut text = summary::summary(&input, &frames, elapsed);
        if arguments.json.is_none() && arguments.csv.is_none() {
            text += "Next: --json FILE for every pair of triangles, --csv FILE for a row each frame,\n      \
                     `pliant info` for what is in a file.\n";
        }
        print(&text)?;
    }
    let in_contact = frames.iter().any(|frame| !frame.pairs.is_empty());
    Ok(arguments.fail_on_contact && in_contact)
}
