//! All reports of a run at once: frames go in, files come out.

use std::path::Path;

use anyhow::Result;

use super::row::{ClashFrameRow, ClashRun};
use super::structure::{CsvReport, StructureSummary};
use super::summary::Summary;
use crate::check::JsonReport;

/// The reports of a run.
pub(crate) struct ClashReports<'a> {
    run: &'a ClashRun,
    json: Option<JsonReport>,
    csv: Option<CsvReport>,
    summary: AnySummary,
}

/// What people read of either question.
enum AnySummary {
    Beads(Summary),
    Structure(StructureSummary),
}

impl<'a> ClashReports<'a> {
    /// Makes the files that are asked for.
    pub(crate) fn create(
        run: &'a ClashRun,
        json: Option<&Path>,
        csv: Option<&Path>,
    ) -> Result<Self> {
        let summary = match run.bonds {
            None => AnySummary::Beads(Summary::default()),
            Some(_) => AnySummary::Structure(StructureSummary::default()),
        };
        Ok(Self {
            run,
            json: json.map(|file| JsonReport::create(file, run, "frames")).transpose()?,
            csv: csv.map(CsvReport::create).transpose()?,
            summary,
        })
    }

    /// Takes in the next frame.
    pub(crate) fn add(&mut self, frame: &ClashFrameRow) -> Result<()> {
        if let Some(json) = &mut self.json {
            json.add(frame)?;
        }
        if let Some(csv) = &mut self.csv {
            csv.add(frame, self.run)?;
        }
        match &mut self.summary {
            AnySummary::Beads(summary) => summary.add(frame),
            AnySummary::Structure(summary) => summary.add(frame, self.run),
        }
        Ok(())
    }

    pub(crate) fn frames(&self) -> usize {
        match &self.summary {
            AnySummary::Beads(summary) => summary.counts.frames,
            AnySummary::Structure(summary) => summary.counts.frames,
        }
    }

    /// Writes all files. What is left: whether anything clashes, and what people read of a run that
    /// took so many seconds.
    pub(crate) fn finish(self, elapsed: Option<f64>) -> Result<(bool, String)> {
        self.json.map_or(Ok(()), JsonReport::finish)?;
        self.csv.map_or(Ok(()), CsvReport::finish)?;
        Ok(match &self.summary {
            AnySummary::Beads(summary) => {
                (summary.counts.has_clashes(), summary.text(self.run, elapsed))
            }
            AnySummary::Structure(summary) => {
                (summary.counts.has_clashes(), summary.text(self.run, elapsed))
            }
        })
    }
}
