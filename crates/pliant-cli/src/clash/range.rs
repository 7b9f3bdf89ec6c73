//! Which frames are looked at.

use crate::check::Shard;

/// Frames of a range, and of those one part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameChoice {
    pub(crate) range: FrameRange,
    /// Takes the frames of the range in turn; `None` takes all.
    pub(crate) shard: Option<Shard>,
}

impl FrameChoice {
    pub(crate) const ALL: Self = Self { range: FrameRange::ALL, shard: None };

    /// How many of so many frames are looked at.
    pub(crate) fn count(self, frames: usize) -> usize {
        let frames = self.range.count(frames);
        self.shard.map_or(frames, |shard| shard.share(frames))
    }
}

/// Frames from `start` on, before `stop`, every `step`-th one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRange {
    pub(crate) start: usize,
    pub(crate) stop: Option<usize>,
    /// At least 1.
    pub(crate) step: usize,
}

impl FrameRange {
    pub(crate) const ALL: Self = Self { start: 0, stop: None, step: 1 };

    pub(crate) fn has(self, frame: usize) -> bool {
        let is_step = frame.checked_sub(self.start).is_some_and(|at| at % self.step.max(1) == 0);
        is_step && !self.is_over(frame)
    }

    /// Whether no frame from this one on is in the range.
    pub(crate) fn is_over(self, frame: usize) -> bool {
        self.stop.is_some_and(|stop| frame >= stop)
    }

    /// How many of so many frames are in the range.
    pub(crate) fn count(self, frames: usize) -> usize {
        let end = self.stop.unwrap_or(frames).min(frames);
        end.saturating_sub(self.start).div_ceil(self.step.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_what_they_have() {
        for (start, stop, step) in [(0, None, 1), (2, Some(9), 3), (5, Some(5), 1), (3, None, 4)] {
            let range = FrameRange { start, stop, step };
            let frames: Vec<usize> = (0..12).filter(|&frame| range.has(frame)).collect();
            let expected: Vec<usize> = (start..stop.unwrap_or(12)).step_by(step).collect();
            assert_eq!(frames, expected);
            assert_eq!(range.count(12), expected.len());
        }
    }
}
