//! Frames of a structure or a trajectory, read in order and searched side by side.

use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use pliant::necklace::{ClashMethod, Clashes};
use pliant::query::Work;
use pliant_io::{Clash, Error};
use rayon::prelude::*;

use super::Question;
use crate::clash::ClashArguments;
use crate::clash::frames::ClashFrame;
use crate::clash::row::{ClashFrameRow, ClashRun, ContactRow};
use crate::clash::source::{FrameSource, RawFrame};

/// Frames that are read before they are searched, for each thread.
const BATCH: usize = 4;

/// One frame and what clashes in it.
pub(super) struct StructureFrame {
    /// The frame as beads.
    pub(super) frame: ClashFrame,
    /// The same pairs with atoms of the structure, distances and overlaps.
    pub(super) clashes: Vec<Clash>,
}

impl StructureFrame {
    /// What reports say of it.
    pub(super) fn into_row(self, run: &ClashRun) -> ClashFrameRow {
        let pairs = &self.frame.found.pairs;
        let contacts = pairs.iter().zip(&self.clashes).map(|(pair, clash)| ContactRow {
            atoms: pair.map(|bead| run.label(bead)),
            distance: clash.distance,
            overlap: clash.overlap,
        });
        ClashFrameRow {
            index: self.frame.index,
            contacts: Some(contacts.collect()),
            overlaps: None,
            score: Some(run.score(self.clashes.len())),
            work: self.frame.work(),
            clashes: self.frame.found.pairs,
        }
    }
}

/// Frames of the atoms of a structure.
pub(super) struct StructureFrames {
    source: FrameSource,
    is_periodic: bool,
}

impl StructureFrames {
    pub(super) fn open(arguments: &ClashArguments, question: &Question) -> Result<Self> {
        let structure = &question.chosen.structure;
        let trajectory = arguments.trajectory.as_deref();
        let frames = arguments.frames();
        let source = FrameSource::open(structure, &arguments.structure, trajectory, frames)?;
        Ok(Self { source, is_periodic: arguments.periodic })
    }

    /// Searches all frames and hands them over in order, with the number of frames that there
    /// seem to be. Holds one batch at a time.
    pub(super) fn run(
        &mut self,
        question: &Question,
        mut hand_over: impl FnMut(StructureFrame, usize) -> Result<()>,
    ) -> Result<()> {
        let size = BATCH * rayon::current_num_threads();
        loop {
            let mut batch = Vec::new();
            while batch.len() < size {
                let Some(frame) = self.read(question)? else { break };
                batch.push(frame);
            }
            if batch.is_empty() {
                return Ok(());
            }
            let expected = self.source.expected(&question.chosen.structure);
            let file = self.source.file.display();
            let search = |raw: RawFrame| {
                let index = raw.index;
                search(question, &raw).with_context(|| format!("{file}: frame {index}"))
            };
            let found: Vec<Result<StructureFrame>> = batch.into_par_iter().map(search).collect();
            for frame in found {
                hand_over(frame?, expected)?;
            }
        }
    }

    /// The next frame of the range, with a cell if and only if one is asked for.
    fn read(&mut self, question: &Question) -> Result<Option<RawFrame>> {
        let Some(mut frame) = self.source.read(&question.chosen.structure)? else {
            return Ok(None);
        };
        frame.cell = frame.cell.filter(|_| self.is_periodic);
        ensure!(
            !self.is_periodic || frame.cell.is_some(),
            "{}: frame {} has no periodic cell, which --periodic needs",
            self.source.file.display(),
            frame.index
        );
        Ok(Some(frame))
    }
}

fn search(question: &Question, raw: &RawFrame) -> Result<StructureFrame> {
    let start = Instant::now();
    let found = question.search.clashes(&raw.positions, raw.cell.as_ref());
    let found = found.map_err(|error| match error {
        Error::Atoms { element, reason } if element == "clashes" => {
            anyhow!("{reason}; --max-pairs raises the limit")
        }
        other => other.into(),
    })?;
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
