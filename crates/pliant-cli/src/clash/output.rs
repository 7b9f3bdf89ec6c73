//! The contract: every clash of every frame as JSON, written as frames come.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::Chosen;
use super::frames::ClashFrame;
use crate::write::Output;

#[derive(Serialize)]
struct FrameRow<'a> {
    index: usize,
    clashes: &'a [[u32; 2]],
    work: WorkRow,
}

/// What it took to search a frame.
#[derive(Serialize)]
pub(crate) struct WorkRow {
    bounds: u64,
    overlap_tests: u64,
    primitive_tests: u64,
    seconds: f64,
}

impl WorkRow {
    pub(crate) fn new(frame: &ClashFrame) -> Self {
        let work = frame.found.work;
        Self {
            bounds: work.bounds,
            overlap_tests: work.overlap_tests,
            primitive_tests: work.primitive_tests,
            seconds: frame.seconds,
        }
    }
}

pub(crate) struct JsonReport {
    out: Output,
    /// What stands before the next frame.
    before: String,
}

impl JsonReport {
    pub(crate) fn create(file: &Path, chosen: &Chosen) -> Result<Self> {
        let before = format!(
            "{{\"pliant\":\"{}\",\"beads\":{},\"frames\":[",
            env!("CARGO_PKG_VERSION"),
            chosen.necklace.len()
        );
        Ok(Self { out: Output::create(file)?, before })
    }

    pub(crate) fn add(&mut self, frame: &ClashFrame) -> Result<()> {
        let row =
            FrameRow { index: frame.index, clashes: &frame.found.pairs, work: WorkRow::new(frame) };
        let before = std::mem::replace(&mut self.before, ",".into());
        self.out.write(|out| {
            out.write_all(before.as_bytes())?;
            Ok(serde_json::to_writer(out, &row)?)
        })
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        // Without a frame the head is still to be written.
        let head =
            if self.before == "," { String::new() } else { std::mem::take(&mut self.before) };
        self.out.write(|out| writeln!(out, "{head}]}}"))?;
        self.out.finish()
    }
}
