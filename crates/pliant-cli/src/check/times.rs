//! The times at which contacts are looked for.

use anyhow::{Result, ensure};

use crate::number::{finite, positive};
use crate::source::Input;

/// Frames a second where nobody says otherwise.
const USUAL_FPS: f64 = 30.0;

/// Frames of one run, at the most: a file that claims an animation of a million
/// years is told so instead of filling the memory.
const MAX_FRAMES: f64 = 1e6;

/// The last frame of a row takes the place of the one before it if they are closer than this
/// part of a frame: animation lengths are `f32` in most files and miss whole frames by a hair.
const SAME_FRAME: f64 = 1e-3;

/// What the command line says of times.
#[derive(Debug, clap::Args)]
pub(crate) struct TimeArguments {
    /// The times to look at, in seconds, such as 0,0.5,1.
    #[arg(
        long,
        value_name = "SECONDS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = finite,
        conflicts_with = "fps"
    )]
    times: Option<Vec<f64>>,
    /// Frames a second over the length of the animation, first and last included (30 if neither
    /// this nor --times is given). Without an animation there is one frame, at time 0.
    #[arg(long, value_name = "N", value_parser = positive)]
    fps: Option<f64>,
}

impl TimeArguments {
    /// The times of all frames. Where files have animations of different lengths, the
    /// frames go from the first start to the last end; outside its own, an animation stands still.
    pub(crate) fn choose(&self, input: &Input) -> Result<Vec<f64>> {
        if let Some(times) = &self.times {
            return Ok(times.clone());
        }
        let Some((start, end)) = input.animated_span() else { return Ok(vec![0.0]) };
        at_rate(start, end, self.fps.unwrap_or(USUAL_FPS))
    }
}

/// From start to end, both included.
fn at_rate(start: f64, end: f64, fps: f64) -> Result<Vec<f64>> {
    let frames = ((end - start) * fps).floor();
    ensure!(
        frames <= MAX_FRAMES,
        "{frames} frames are more than {MAX_FRAMES}: give a lower --fps, or --times"
    );
    let mut times: Vec<f64> = (0..=frames as u64).map(|frame| start + frame as f64 / fps).collect();
    // The first frame stays, however short the animation is.
    match times.as_mut_slice() {
        [_, .., last] if end - *last < SAME_FRAME / fps => *last = end,
        [only] if *only == end => {}
        _ => times.push(end),
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_frames() {
        assert_eq!(at_rate(0.0, 1.0, 4.0).unwrap(), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(at_rate(1.0, 2.1, 2.0).unwrap(), [1.0, 1.5, 2.0, 2.1]);
        assert_eq!(at_rate(3.0, 3.0, 30.0).unwrap(), [3.0]);
        assert_eq!(at_rate(0.0, 0.01, 30.0).unwrap(), [0.0, 0.01]);
        assert_eq!(at_rate(0.0, 1.0, 0.0005).unwrap(), [0.0, 1.0]);
        assert_eq!(at_rate(0.0, 1e-5, 30.0).unwrap(), [0.0, 1e-5]);
        // A hair longer, and a hair shorter, than 30 frames.
        for end in [1.0000001, 0.9999999] {
            let times = at_rate(0.0, end, 30.0).unwrap();
            assert_eq!((times.len(), times[30]), (31, end));
        }
    }

    #[test]
    fn absurd_lengths_are_refused() {
        assert!(at_rate(0.0, 1e30, 30.0).is_err());
        assert!(at_rate(-1e308, 1e308, 1e308).is_err());
    }
}
