//! All reports of a run at once: frames go in, files come out.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::baseline::Baseline;
use super::frame::Spent;
use super::gate::{Gate, Verdict};
use super::output::{CsvReport, JsonReport, write_junit, write_markdown, write_sarif};
use super::row::{FrameRow, RunRow};
use super::summary::{Sort, Summary, Up};
use crate::write::{check_writable, is_stdout};

/// What the command line says of reports.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ReportArguments {
    /// Write every pair of every frame as JSON (schema: docs/check.schema.json);
    /// `-` is standard output, in place of the summary.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write a row for each frame and each pair of objects in contact; `-` as above. A name that a
    /// spreadsheet would take for a formula gets an apostrophe in front.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the verdict as JUnit XML, for a build server.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the verdict as SARIF, for a code host.
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write verdict and table as Markdown, for a comment.
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// The order of the table.
    #[arg(long, value_enum, default_value = "depth")]
    pub(crate) sort: Sort,
    /// The axis that points up in what is printed; z prints x, -z, y.
    #[arg(long, value_enum, default_value = "y")]
    pub(crate) up: Up,
    /// Print nothing but errors and violated rules.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl ReportArguments {
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.json, &self.csv, &self.junit, &self.sarif, &self.markdown].into_iter().flatten()
    }

    /// Whether no report is asked for but JSON and CSV, and the table is as it is.
    pub(crate) fn is_plain(&self) -> bool {
        let others = [&self.junit, &self.sarif, &self.markdown];
        others.into_iter().all(Option::is_none)
            && self.sort == Sort::default()
            && self.up == Up::default()
    }

    /// Whether anything is written to a file.
    pub(crate) fn any(&self) -> bool {
        self.files().next().is_some()
    }

    /// Whether standard output belongs to a report. Refuses what cannot be written.
    pub(crate) fn check(&self, also: Option<&PathBuf>) -> Result<bool> {
        let files: Vec<&PathBuf> = self.files().chain(also).collect();
        for file in &files {
            check_writable(file)?;
        }
        let to_stdout = files.iter().filter(|file| is_stdout(file)).count();
        ensure!(to_stdout < 2, "only one report can go to standard output");
        Ok(to_stdout == 1)
    }
}

/// The reports of a run, and what they say of it.
pub(crate) struct Reports<'a> {
    arguments: &'a ReportArguments,
    run: &'a RunRow,
    gate: &'a Gate,
    json: Option<JsonReport>,
    csv: Option<CsvReport>,
    pub(crate) verdict: Verdict,
    pub(crate) summary: Summary,
    /// What becomes known, if a baseline is to be written.
    learned: Option<(Baseline, PathBuf)>,
}

impl<'a> Reports<'a> {
    /// Of a run of so many frames.
    pub(crate) fn create(
        arguments: &'a ReportArguments,
        run: &'a RunRow,
        gate: &'a Gate,
        update: Option<PathBuf>,
        frames: usize,
    ) -> Result<Self> {
        let json = arguments.json.as_ref().map(|file| JsonReport::create(file, run, "frames"));
        let csv = arguments.csv.as_ref().map(|file| CsvReport::create(file));
        Ok(Self {
            arguments,
            run,
            gate,
            json: json.transpose()?,
            csv: csv.transpose()?,
            verdict: Verdict::default(),
            summary: Summary::new(frames, arguments.sort, arguments.up),
            learned: update.map(|file| (Baseline::new(), file)),
        })
    }

    /// Takes in the next frame.
    pub(crate) fn add(&mut self, frame: &FrameRow, spent: Option<Spent>) -> Result<()> {
        if let Some(json) = &mut self.json {
            json.add(frame)?;
        }
        if let Some(csv) = &mut self.csv {
            csv.add(self.run, frame)?;
        }
        if let Some((baseline, _)) = &mut self.learned {
            baseline.learn(self.run, frame, |contact| self.gate.counts(contact));
        } else {
            self.verdict.add(self.gate, self.run, frame);
        }
        self.summary.add(self.gate, frame);
        self.summary.add_time(spent.unwrap_or_default());
        Ok(())
    }

    /// Writes all files. What is left: the verdict, the summary, and a line about the baseline.
    pub(crate) fn finish(self) -> Result<(Verdict, Summary, Option<String>)> {
        self.json.map_or(Ok(()), JsonReport::finish)?;
        self.csv.map_or(Ok(()), CsvReport::finish)?;
        let Self { arguments, run, gate, verdict, summary, learned, .. } = self;
        if let Some(file) = &arguments.junit {
            write_junit(file, run, &verdict)?;
        }
        if let Some(file) = &arguments.sarif {
            write_sarif(file, run, &verdict)?;
        }
        if let Some(file) = &arguments.markdown {
            write_markdown(file, run, gate, &verdict, &summary)?;
        }
        let mut said = None;
        if let Some((baseline, file)) = learned {
            baseline.write(&file)?;
            said = Some(format!(
                "{} knows {} pairs of objects and animations.\n",
                file.display(),
                baseline.len()
            ));
        }
        Ok((verdict, summary, said))
    }
}
