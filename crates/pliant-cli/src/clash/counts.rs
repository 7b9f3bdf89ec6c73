//! How many clashes a run found, in how many frames, how fast.

use super::summary::counted_clashes;
use crate::table::{count, counted, seconds};

/// Counts over all frames.
#[derive(Debug, Default)]
pub(super) struct ClashCounts {
    pub(super) frames: usize,
    frames_with_clashes: usize,
    pub(super) clashes: usize,
    /// Most clashes and their frame.
    pub(super) worst: Option<(usize, usize)>,
    seconds: f64,
}

impl ClashCounts {
    /// Takes in a frame with so many clashes.
    pub(super) fn add(&mut self, clashes: usize, frame: usize, seconds: f64) {
        self.frames += 1;
        self.frames_with_clashes += usize::from(clashes > 0);
        self.clashes += clashes;
        self.seconds += seconds;
        if clashes > self.worst.map_or(0, |(most, _)| most) {
            self.worst = Some((clashes, frame));
        }
    }

    /// How many clashes, and in which frame there are most; a line.
    pub(super) fn total(&self) -> String {
        let Some((most, worst)) = self.worst else { return "Nothing clashes.\n".into() };
        if self.frames == 1 {
            return format!("{}.\n", counted_clashes(self.clashes));
        }
        format!(
            "{} in {} of {}; most: {} in frame {worst}.\n",
            counted_clashes(self.clashes),
            count(self.frames_with_clashes),
            counted(self.frames, "frame"),
            count(most)
        )
    }

    pub(super) fn has_clashes(&self) -> bool {
        self.clashes > 0
    }

    /// How fast a run of so many seconds was; a line. A run that is read again took none.
    pub(super) fn speed(&self, elapsed: Option<f64>) -> String {
        let Some(elapsed) = elapsed else { return String::new() };
        format!(
            "{} in {} ({:.0} frames per second; {} to search a frame).\n",
            counted(self.frames, "frame"),
            seconds(elapsed),
            self.frames as f64 / elapsed,
            seconds(self.seconds / self.frames.max(1) as f64)
        )
    }
}
