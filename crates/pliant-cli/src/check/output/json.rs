//! A run as JSON, a line per frame (docs/check.schema.json, docs/simulate.schema.json).

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::write::{Output, json_for_terminals};

/// Every frame as JSON, a line each, written as frames come. Nothing is written before the first.
pub(crate) struct JsonReport {
    out: Output,
    /// All that stands before the frames.
    head: String,
    frames: usize,
}

impl JsonReport {
    pub(crate) fn create(file: &Path, run: &impl Serialize) -> Result<Self> {
        let head = json_for_terminals(serde_json::to_string(run)?);
        let head = head.strip_suffix('}').unwrap_or(&head);
        let head = format!("{head},\"frames\":[");
        Ok(Self { out: Output::create(file)?, head, frames: 0 })
    }

    /// Writes the next frame.
    pub(crate) fn add(&mut self, frame: &impl Serialize) -> Result<()> {
        let before = if self.frames == 0 { &self.head } else { "," };
        self.frames += 1;
        let row = json_for_terminals(serde_json::to_string(frame)?);
        self.out.write(|out| write!(out, "{before}\n{row}"))
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let before = if self.frames == 0 { self.head.as_str() } else { "" };
        self.out.write(|out| writeln!(out, "{before}\n]}}"))?;
        self.out.finish()
    }
}
