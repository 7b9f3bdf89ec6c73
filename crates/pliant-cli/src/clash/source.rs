//! Frames of a structure or a trajectory, read in order.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant_io::{Cell, Structure, Trajectory};

use super::range::FrameRange;

/// Where frames come from: the models of the structure, or a trajectory.
pub(super) struct FrameSource {
    trajectory: Option<Box<Trajectory>>,
    range: FrameRange,
    /// The number of the next frame of the source.
    next: usize,
    /// Frames that were handed over.
    done: usize,
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
        range: FrameRange,
    ) -> Result<Self> {
        let atoms = structure.atoms.len();
        let opened = trajectory.map(|file| Trajectory::open(file, atoms)).transpose()?;
        let file = trajectory.unwrap_or(file).to_owned();
        Ok(Self { trajectory: opened.map(Box::new), range, next: 0, done: 0, file })
    }

    /// The next frame of the range; `None` at the end, if there was any.
    pub(super) fn read(&mut self, structure: &Structure) -> Result<Option<RawFrame>> {
        while !self.range.is_over(self.next) {
            let index = self.next;
            self.next += 1;
            let is_asked = self.range.has(index);
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
            if is_asked {
                self.done += 1;
                return Ok(Some(RawFrame { index, positions, cell: cell.cloned() }));
            }
        }
        ensure!(self.done > 0, "{}: no frame is in the range asked for", self.file.display());
        Ok(None)
    }

    /// How many frames of the range there seem to be.
    pub(super) fn expected(&self, structure: &Structure) -> usize {
        let frames = match &self.trajectory {
            None => structure.models.len(),
            Some(file) => (self.next as f64 / file.share_read().max(1e-9)) as usize,
        };
        self.range.count(frames)
    }
}
