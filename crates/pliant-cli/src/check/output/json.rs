//! The contract: a run and its frames as JSON (docs/check.schema.json, docs/clash.schema.json,
//! docs/sweep.schema.json, docs/simulate.schema.json).

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::write::{Output, json_for_terminals, write_json};

/// Every frame or step as JSON, a line each, written as they come. Nothing is written before the
/// first.
pub(crate) struct JsonReport {
    out: Output,
    /// All that stands before the frames.
    head: String,
    frames: usize,
}

impl JsonReport {
    /// A report of a run, with the rows in a list of this name.
    pub(crate) fn create(file: &Path, run: &impl Serialize, list: &str) -> Result<Self> {
        let head = json_for_terminals(serde_json::to_string(run)?);
        let head = head.strip_suffix('}').unwrap_or(&head);
        let head = format!("{head},\"{list}\":[");
        Ok(Self { out: Output::create(file)?, head, frames: 0 })
    }

    /// Writes the next row.
    pub(crate) fn add(&mut self, frame: &impl Serialize) -> Result<()> {
        let before = if self.frames == 0 { &self.head } else { "," };
        self.frames += 1;
        self.out.write(|out| {
            writeln!(out, "{before}")?;
            write_json(out, frame)
        })
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let before = if self.frames == 0 { self.head.as_str() } else { "" };
        self.out.write(|out| writeln!(out, "{before}\n]}}"))?;
        self.out.finish()
    }
}
