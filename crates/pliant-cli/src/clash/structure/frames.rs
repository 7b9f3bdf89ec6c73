//! Frames of a structure or a trajectory, read in order and searched side by side.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use glam::DVec3;
use pliant::necklace::{ClashMethod, Clashes};
use pliant::query::Work;
use pliant_io::{Cell, Clash, Trajectory};
use rayon::prelude::*;

use super::super::frames::ClashFrame;
use super::super::{ClashArguments, FrameRange};
use super::Question;

/// Frames that are read before they are searched, for each thread.
const BATCH: usize = 4;

/// One frame and what clashes in it.
pub(super) struct StructureFrame {
    /// The frame as beads.
    pub(super) frame: ClashFrame,
    /// The same pairs with atoms of the structure, distances and overlaps.
    pub(super) clashes: Vec<Clash>,
}

/// Where frames come from.
pub(super) struct StructureFrames {
    source: Source,
    range: FrameRange,
    /// The number of the next frame of the source.
    next: usize,
    is_periodic: bool,
    file: PathBuf,
}

enum Source {
    /// The models of the structure.
    Models,
    Trajectory(Box<Trajectory>),
}

/// A frame that is not searched yet.
struct Raw {
    index: usize,
    positions: Vec<DVec3>,
    cell: Option<Cell>,
}

impl StructureFrames {
    pub(super) fn open(arguments: &ClashArguments, question: &Question) -> Result<Self> {
        let atoms = question.chosen.structure.atoms.len();
        let (source, file) = match &arguments.trajectory {
            Some(file) => (Source::Trajectory(Box::new(Trajectory::open(file, atoms)?)), file),
            None => (Source::Models, &arguments.structure),
        };
        let range = arguments.range();
        let is_periodic = arguments.periodic;
        Ok(Self { source, range, next: 0, is_periodic, file: file.clone() })
    }

    /// Searches all frames and hands them over in order, with the number of frames that there
    /// seem to be. Holds one batch at a time.
    pub(super) fn run(
        &mut self,
        question: &Question,
        mut hand_over: impl FnMut(StructureFrame, usize) -> Result<()>,
    ) -> Result<()> {
        let size = BATCH * rayon::current_num_threads();
        let mut done = 0;
        loop {
            let mut batch = Vec::new();
            while batch.len() < size {
                match self.read(question)? {
                    Some(frame) => batch.push(frame),
                    None => break,
                }
            }
            if batch.is_empty() {
                ensure!(done > 0, "{}: no frame is in the range asked for", self.file.display());
                return Ok(());
            }
            done += batch.len();
            let expected = match &self.source {
                Source::Models => self.range.count(question.chosen.structure.models.len()),
                Source::Trajectory(file) => (done as f64 / file.share_read().max(1e-9)) as usize,
            };
            let place = |index| format!("{}: frame {index}", self.file.display());
            let search = |raw: Raw| {
                let index = raw.index;
                search(question, raw).with_context(|| place(index))
            };
            let found: Vec<Result<StructureFrame>> = batch.into_par_iter().map(search).collect();
            for frame in found {
                hand_over(frame?, expected)?;
            }
        }
    }

    /// The next frame of the range.
    fn read(&mut self, question: &Question) -> Result<Option<Raw>> {
        let structure = &question.chosen.structure;
        while !self.range.is_over(self.next) {
            let index = self.next;
            self.next += 1;
            let mut positions = Vec::new();
            let cell = match &mut self.source {
                Source::Models => {
                    let Some(model) = structure.models.get(index) else { return Ok(None) };
                    if !self.range.has(index) {
                        continue;
                    }
                    positions.clone_from(model);
                    structure.cell.clone()
                }
                Source::Trajectory(file) => {
                    if !file.read(&mut positions)? {
                        return Ok(None);
                    }
                    file.cell().cloned()
                }
            };
            if !self.range.has(index) {
                continue;
            }
            let cell = cell.filter(|_| self.is_periodic);
            let file = self.file.display();
            ensure!(
                !self.is_periodic || cell.is_some(),
                "{file}: frame {index} has no periodic cell, which --periodic needs"
            );
            return Ok(Some(Raw { index, positions, cell }));
        }
        Ok(None)
    }
}

fn search(question: &Question, raw: Raw) -> Result<StructureFrame> {
    let start = Instant::now();
    let found = question.search.clashes(&raw.positions, raw.cell.as_ref())?;
    let seconds = start.elapsed().as_secs_f64();
    let beads = question.search.atoms();
    // The search names only atoms that take part, which are beads.
    let bead = |atom: u32| beads.binary_search(&atom).unwrap_or_default() as u32;
    let pairs = found.clashes.iter().map(|clash| clash.atoms.map(bead)).collect();
    let work = Work { bounds: 0, overlap_tests: 0, primitive_tests: found.distance_tests };
    let mut positions = Vec::new();
    question.chosen.beads.positions(&raw.positions, &mut positions);
    let found_pairs = Clashes { pairs, method: ClashMethod::Cells, work };
    let frame = ClashFrame { index: raw.index, positions, found: found_pairs, seconds };
    Ok(StructureFrame { frame, clashes: found.clashes })
}
