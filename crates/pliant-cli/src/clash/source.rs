//! Frames of a structure or a trajectory, read in order.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant_io::{Cell, Structure, Trajectory};

use super::range::FrameChoice;

/// Where frames come from: the models of the structure, or a trajectory.
pub(super) struct FrameSource {
    trajectory: Option<Box<Trajectory>>,
    choice: FrameChoice,
    /// The number of the next frame of the source.
    next: usize,
    /// Frames of the range so far.
    in_range: usize,
    /// The file of the frames.
    pub(super) file: PathBuf,
}

/// A frame that is not searched yet.
pub(super) struct RawFrame {
    pub(super) index: usize,
    /// One per atom.
    pub(super) positions: Vec<DVec3>,
    pub(super) cell: Option<Cell>,
}

impl FrameSource {
    /// `file` is that of the structure, which may be one in memory.
    pub(super) fn open(
        structure: &Structure,
        file: &Path,
        trajectory: Option<&Path>,
        choice: FrameChoice,
    ) -> Result<Self> {
        let atoms = structure.atoms.len();
        let opened = trajectory.map(|file| Trajectory::open(file, atoms)).transpose()?;
        let file = trajectory.unwrap_or(file).to_owned();
        Ok(Self { trajectory: opened.map(Box::new), choice, next: 0, in_range: 0, file })
    }

    /// The next frame that is looked at; `None` at the end, if any was in the range.
    pub(super) fn read(&mut self, structure: &Structure) -> Result<Option<RawFrame>> {
        let FrameChoice { range, shard } = self.choice;
        while !range.is_over(self.next) {
            let index = self.next;
            self.next += 1;
            let is_in_range = range.has(index);
            let is_asked = is_in_range && shard.is_none_or(|shard| shard.takes(self.in_range));
            let mut positions = Vec::new();
            let cell = match &mut self.trajectory {
                None => {
                    let Some(model) = structure.models.get(index) else { break };
                    if is_asked {
                        positions.clone_from(model);
                    }
                    structure.cell.as_ref()
                }
                Some(file) => {
                    if !file.read(&mut positions)? {
                        break;
                    }
                    file.cell()
                }
            };
            self.in_range += usize::from(is_in_range);
            if is_asked {
                return Ok(Some(RawFrame { index, positions, cell: cell.cloned() }));
            }
        }
        ensure!(self.in_range > 0, "{}: no frame is in the range asked for", self.file.display());
        Ok(None)
    }

    /// How many frames there seem to be to look at.
    pub(super) fn expected(&self, structure: &Structure) -> usize {
        let frames = match &self.trajectory {
            None => structure.models.len(),
            Some(file) => (self.next as f64 / file.share_read().max(1e-9)) as usize,
        };
        self.choice.count(frames)
    }
}
