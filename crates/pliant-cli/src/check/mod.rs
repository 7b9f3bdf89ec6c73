//! `pliant check`: which triangles of files run through which, when, and where.

pub(crate) mod frame;
mod in_order;
mod method;
pub(crate) mod output;
pub(crate) mod picture;
pub(crate) mod progress;
mod query_parts;
pub(crate) mod run;
mod sparkline;
mod summary;
pub(crate) mod times;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::source::{CACHES, Input, InputArguments};
use crate::view::ContactsView;
use crate::write::{check_writable, is_stdout, print};
pub(crate) use method::Method;
use output::{CsvReport, JsonReport};
use picture::nodes_shown;
use progress::Progress;
use run::{Question, Ran};
use summary::Summary;
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
    /// Write a row for each frame and each pair of objects in contact; `-` as above. A name that a
    /// spreadsheet would take for a formula gets an apostrophe in front.
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
    let reports = [&arguments.json, &arguments.csv, &arguments.report];
    let reports: Vec<&PathBuf> = reports.into_iter().flatten().collect();
    for file in &reports {
        check_writable(file)?;
    }
    let to_stdout = reports.iter().filter(|file| is_stdout(file)).count();
    ensure!(to_stdout < 2, "only one of --json, --csv and --report can go to standard output");
    let input = Input::load(&arguments.input)?;
    if !quiet {
        input.print_warnings();
    }
    let times = arguments.times.choose(&input)?;
    let picture =
        arguments.report.as_ref().map(|_| nodes_shown(input.objects().len(), times.len()));
    let question = Question { method, with_self, picture };
    let json = arguments.json.as_ref().map(|file| JsonReport::create(file, &input, method));
    let mut json = json.transpose()?;
    let csv = arguments.csv.as_ref().map(|file| CsvReport::create(file, &input));
    let mut csv = csv.transpose()?;
    let start = Instant::now();
    let bodies = question.bodies(&input, times.len())?;
    let page =
        arguments.report.as_ref().map(|_| ContactsView::new(&input, &bodies, method, &times));
    let mut page = page.transpose()?;
    let mut summary = Summary::new(times.len());
    let mut progress = Progress::new(times.len(), quiet);
    let outcome = run::run(&bodies, &input, &times, question, |frame| {
        if let Some(json) = &mut json {
            json.add(&frame)?;
        }
        if let Some(csv) = &mut csv {
            csv.add(&frame)?;
        }
        if let Some(page) = &mut page {
            page.add(&frame);
        }
        summary.add(&frame);
        progress.step();
        Ok(())
    });
    let elapsed = start.elapsed().as_secs_f64();
    progress.finish();
    outcome?;
    json.map_or(Ok(()), JsonReport::finish)?;
    csv.map_or(Ok(()), CsvReport::finish)?;
    if let (Some(file), Some(page)) = (&arguments.report, page) {
        page.write(file, &input)?;
    }
    if !quiet && to_stdout == 0 {
        let ran = Ran { seconds: elapsed, seconds_a_frame: summary.seconds_a_frame() };
        let parts = run::divide(&bodies, &input, &times, question, ran)?;
        let mut text = summary.text(&input, elapsed, parts.as_ref());
        if reports.is_empty() {
            text += "Next: `pliant view` (or --report FILE.html) to look at it, --json FILE for every pair of triangles,\n      \
                     --csv FILE for a row each frame, `pliant info` for what is in a file.\n";
        }
        print(&text)?;
    }
    Ok(arguments.fail_on_contact && summary.has_contacts())
}
