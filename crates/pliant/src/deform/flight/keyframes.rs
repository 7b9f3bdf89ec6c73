//! Positions of all vertices at some times.

use glam::DVec3;

use crate::shape::check_finite;
use crate::{Error, Result};

/// Positions of all vertices at increasing times. Between two keyframes every vertex moves on a
/// straight line at constant speed. Before the first and after the last keyframe it rests.
///
/// ```
/// use pliant::{deform::Keyframes, glam::DVec3};
/// let frames = vec![vec![DVec3::ZERO], vec![DVec3::X]];
/// assert!(Keyframes::new(vec![0.0, 2.0], frames.clone()).is_ok());
/// let twice = Keyframes::new(vec![2.0, 2.0], frames);
/// assert_eq!(twice.unwrap_err().to_string(), "keyframe 1 cannot be used: it is not after the one before");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    pub(super) times: Vec<f64>,
    pub(super) frames: Vec<Vec<DVec3>>,
}

impl Keyframes {
    /// Checks times and, for each time, one position per vertex.
    ///
    /// # Errors
    /// [`Error::InvalidKeyframe`] if there is no keyframe, if a time is not finite or not after
    /// the previous one, or if the difference of two consecutive times overflows;
    /// [`Error::CountMismatch`], [`Error::NonFinitePosition`].
    pub fn new(times: Vec<f64>, frames: Vec<Vec<DVec3>>) -> Result<Self> {
        let refused = |keyframe, reason| Err(Error::InvalidKeyframe { keyframe, reason });
        if times.len() != frames.len() {
            let (expected, given) = (times.len(), frames.len());
            return Err(Error::CountMismatch { what: "frames", expected, given });
        }
        let Some(first) = frames.first() else { return refused(0, "there is none") };
        for (keyframe, time) in times.iter().enumerate() {
            if !time.is_finite() {
                return refused(keyframe, "its time is not finite");
            }
            if keyframe > 0 && times[keyframe - 1] >= *time {
                return refused(keyframe, "it is not after the one before");
            }
            if keyframe > 0 && !(time - times[keyframe - 1]).is_finite() {
                return refused(keyframe, "the time since the one before is not finite");
            }
        }
        for frame in &frames {
            if frame.len() != first.len() {
                let (expected, given) = (first.len(), frame.len());
                return Err(Error::CountMismatch { what: "positions", expected, given });
            }
            check_finite(frame)?;
        }
        Ok(Self { times, frames })
    }

    /// The times, increasing.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// For each time, one position per vertex.
    #[must_use]
    pub fn frames(&self) -> &[Vec<DVec3>] {
        &self.frames
    }
}
