//! Frames of a structure or a trajectory, read in order and searched side by side.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use glam::DVec3;
use pliant::necklace::{Clashes, clashes};
use pliant_io::Trajectory;
use rayon::prelude::*;

use super::Chosen;

/// Frames that are read before they are searched, for each thread.
const BATCH: usize = 16;

/// One frame and what clashes in it.
pub(crate) struct ClashFrame {
    pub(crate) index: usize,
    pub(crate) positions: Vec<DVec3>,
    pub(crate) found: Clashes,
    pub(crate) seconds: f64,
}

/// Where frames come from.
pub(crate) enum Frames {
    /// Every model of the structure.
    Models(usize),
    Trajectory(Box<Trajectory>),
}

impl Frames {
    pub(crate) fn open(chosen: &Chosen, trajectory: Option<&Path>) -> Result<Self> {
        Ok(match trajectory {
            Some(file) => {
                let atoms = chosen.structure.atoms.len();
                Self::Trajectory(Box::new(Trajectory::open(file, atoms)?))
            }
            None => Self::Models(chosen.structure.models.len()),
        })
    }

    /// Searches all frames and hands them over in order, with the number of frames that there
    /// seem to be. Holds one batch at a time.
    pub(crate) fn run(
        &mut self,
        chosen: &Chosen,
        min_gap: u32,
        mut hand_over: impl FnMut(ClashFrame, usize) -> Result<()>,
    ) -> Result<()> {
        let size = BATCH * rayon::current_num_threads();
        let mut index = 0;
        loop {
            let batch = self.read(chosen, index, size)?;
            if batch.is_empty() {
                return Ok(());
            }
            let first = index;
            index += batch.len();
            let expected = match self {
                Self::Models(models) => *models,
                Self::Trajectory(file) => (index as f64 / file.share_read().max(1e-9)) as usize,
            };
            let search = |(at, positions)| search(chosen, min_gap, first + at, positions);
            let found: Vec<Result<ClashFrame>> =
                batch.into_par_iter().enumerate().map(search).collect();
            for frame in found {
                hand_over(frame?, expected)?;
            }
        }
    }

    /// The positions of the beads in the next frames.
    fn read(&mut self, chosen: &Chosen, done: usize, size: usize) -> Result<Vec<Vec<DVec3>>> {
        let mut batch = Vec::new();
        let mut atoms = Vec::new();
        while batch.len() < size {
            let mut positions = Vec::new();
            match self {
                Self::Models(_) => {
                    let Some(model) = chosen.structure.models.get(done + batch.len()) else {
                        break;
                    };
                    chosen.beads.positions(model, &mut positions);
                }
                Self::Trajectory(file) => {
                    if !file.read(&mut atoms)? {
                        break;
                    }
                    chosen.beads.positions(&atoms, &mut positions);
                }
            }
            batch.push(positions);
        }
        Ok(batch)
    }
}

fn search(
    chosen: &Chosen,
    min_gap: u32,
    index: usize,
    positions: Vec<DVec3>,
) -> Result<ClashFrame> {
    let start = Instant::now();
    let mut necklace = chosen.necklace.clone();
    necklace.set_positions(&positions).with_context(|| format!("frame {index}"))?;
    let found = clashes(&necklace, min_gap);
    Ok(ClashFrame { index, positions, found, seconds: start.elapsed().as_secs_f64() })
}
