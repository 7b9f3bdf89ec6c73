//! Parts of a divided `clash`.

use std::collections::VecDeque;

use anyhow::{Result, ensure};
use serde::Deserialize;

use super::MergeArguments;
use super::parts::{read, whole};
use crate::clash::reports::ClashReports;
use crate::clash::row::{ClashFrameRow, ClashRun};
use crate::write::print;

/// A part as it is read.
#[derive(Debug, Deserialize)]
struct Part {
    #[serde(flatten)]
    run: ClashRun,
    frames: VecDeque<ClashFrameRow>,
}

/// Whether the exit code has to tell of clashes.
pub(super) fn run(arguments: &MergeArguments) -> Result<bool> {
    let to = &arguments.reports;
    ensure!(
        arguments.gate.is_plain() && to.is_plain(),
        "parts of `clash` take --json, --csv, --fail-on-contact and --quiet only"
    );
    let stdout_is_taken = to.check(None)?;
    let files = &arguments.files;
    let mut parts = files.iter().map(|file| read(file)).collect::<Result<Vec<Part>>>()?;
    let heads: Vec<&ClashRun> = parts.iter().map(|part| &part.run).collect();
    let (run, order) = whole(files, &heads)?;
    ensure!(
        to.csv.is_none() || run.bonds.is_some(),
        "--csv: `clash --radius` has no distances to write"
    );
    let total: usize = parts.iter().map(|part| part.frames.len()).sum();
    let mut reports = ClashReports::create(&run, to.json.as_deref(), to.csv.as_deref())?;
    let mut last = None;
    for number in 0..total {
        // Parts take the frames in turn.
        let place = order[number % order.len()];
        let frame = parts[place].frames.pop_front();
        let frame = frame.filter(|frame| last.is_none_or(|last| last < frame.index));
        let Some(frame) = frame else {
            anyhow::bail!("{}: is not a part of one run with the others", files[place].display());
        };
        last = Some(frame.index);
        reports.add(&frame)?;
    }
    let (has_clashes, text) = reports.finish(None)?;
    if !to.quiet && !stdout_is_taken {
        print(&text)?;
    }
    Ok(arguments.gate.fails_on_contact() && has_clashes)
}
