//! Frames of a structure or a trajectory, read in order and searched side by side.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use glam::DVec3;
use pliant::Error;
use pliant::contact::point_distance;
use pliant::necklace::{Clashes, clashes_up_to};
use rayon::prelude::*;

use super::Chosen;
use super::range::FrameChoice;
use super::row::ClashFrameRow;
use super::source::FrameSource;
use crate::check::row::WorkRow;

/// Frames that are read before they are searched, for each thread.
const BATCH: usize = 16;

/// Pairs that the frames of a batch may hold together: 32 megabytes. A frame with more than its
/// share is searched again when its turn comes, alone.
const BATCH_PAIRS: usize = 1 << 22;

/// Which beads may clash, and how many pairs a frame may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    /// The fewest links along a chain between two beads that may clash.
    pub(crate) min_gap: u32,
    /// The largest number of pairs of one frame.
    pub(crate) max_pairs: usize,
}

/// One frame and what clashes in it.
pub(crate) struct ClashFrame {
    pub(crate) index: usize,
    pub(crate) positions: Vec<DVec3>,
    pub(crate) found: Clashes,
    pub(crate) seconds: f64,
}

impl ClashFrame {
    /// What it took to search it.
    pub(crate) fn work(&self) -> WorkRow {
        let work = self.found.work;
        WorkRow {
            bounds: work.bounds,
            overlap_tests: work.overlap_tests,
            primitive_tests: work.primitive_tests,
            seconds: self.seconds,
        }
    }

    /// What reports say of it, if its beads have these radii.
    pub(crate) fn into_row(self, radii: &[f64]) -> ClashFrameRow {
        let overlap = |pair: &[u32; 2]| {
            let [(p, r), (q, s)] =
                pair.map(|bead| (self.positions[bead as usize], radii[bead as usize]));
            // Finite, as JSON needs it, also where the sum of the radii is not.
            (r + s - point_distance(p, q)).min(f64::MAX)
        };
        ClashFrameRow {
            index: self.index,
            overlaps: Some(self.found.pairs.iter().map(overlap).collect()),
            contacts: None,
            score: None,
            work: self.work(),
            clashes: self.found.pairs,
        }
    }
}

/// Frames of beads.
pub(crate) struct Frames(FrameSource);

impl Frames {
    /// `file` names the structure in messages.
    pub(crate) fn open(
        chosen: &Chosen,
        file: &Path,
        trajectory: Option<&Path>,
        frames: FrameChoice,
    ) -> Result<Self> {
        Ok(Self(FrameSource::open(&chosen.structure, file, trajectory, frames)?))
    }

    /// Searches all frames and hands them over in order, with the number of frames that there
    /// seem to be. Holds one batch at a time. A frame with too many pairs is an error.
    pub(crate) fn run(
        &mut self,
        chosen: &Chosen,
        search: Search,
        mut hand_over: impl FnMut(ClashFrame, usize) -> Result<()>,
    ) -> Result<()> {
        let size = BATCH * rayon::current_num_threads();
        loop {
            let batch = self.read(chosen, size)?;
            if batch.is_empty() {
                return Ok(());
            }
            let expected = self.0.expected(&chosen.structure);
            let share = search.max_pairs.min(BATCH_PAIRS / size);
            let run = |(index, positions)| (index, search.run(chosen, index, positions, share));
            let found: Vec<(usize, Result<Outcome>)> = batch.into_par_iter().map(run).collect();
            for (index, outcome) in found {
                let mut outcome = outcome?;
                if let Outcome::TooMany(positions) = outcome {
                    outcome = search.run(chosen, index, positions, search.max_pairs)?;
                }
                match outcome {
                    Outcome::Frame(frame) => hand_over(frame, expected)?,
                    Outcome::TooMany(_) => {
                        let limit = search.max_pairs;
                        return Err(anyhow!(
                            "more than {limit} pairs in frame {index}; --max-pairs raises the limit"
                        ));
                    }
                }
            }
        }
    }

    /// The positions of the beads in the next frames.
    fn read(&mut self, chosen: &Chosen, size: usize) -> Result<Vec<(usize, Vec<DVec3>)>> {
        let mut batch = Vec::new();
        while batch.len() < size {
            let Some(frame) = self.0.read(&chosen.structure)? else { break };
            let mut positions = Vec::new();
            chosen.beads.positions(&frame.positions, &mut positions);
            batch.push((frame.index, positions));
        }
        Ok(batch)
    }
}

/// What a search of a frame gives: the frame, or its positions if it has too many pairs.
enum Outcome {
    Frame(ClashFrame),
    TooMany(Vec<DVec3>),
}

impl Search {
    /// Searches one frame for at most `most` pairs.
    fn run(
        self,
        chosen: &Chosen,
        index: usize,
        positions: Vec<DVec3>,
        most: usize,
    ) -> Result<Outcome> {
        let start = Instant::now();
        let mut necklace = chosen.necklace.clone();
        necklace.set_positions(&positions).with_context(|| format!("frame {index}"))?;
        let found = match clashes_up_to(&necklace, self.min_gap, most) {
            Ok(found) => found,
            Err(Error::TooMany { .. }) => return Ok(Outcome::TooMany(positions)),
            Err(other) => return Err(other).with_context(|| format!("frame {index}")),
        };
        let seconds = start.elapsed().as_secs_f64();
        Ok(Outcome::Frame(ClashFrame { index, positions, found, seconds }))
    }
}
