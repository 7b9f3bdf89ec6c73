//! The times at which contacts are looked for.

use anyhow::{Context as _, Result, ensure};
use pliant_io::{MAX_FRAME_TIMES, frame_times};

use crate::number::{finite, positive};
use crate::source::Input;

/// Frames per second where nobody says otherwise.
const USUAL_FPS: f64 = 30.0;

/// One frame of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    /// The take that is played, a number into [`Input::takes`].
    pub(crate) take: usize,
    /// The frame's number in its take: of keyframes and caches, that of the file.
    pub(crate) frame: usize,
    /// In seconds.
    pub(crate) time: f64,
}

/// What the command line says of times.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct TimeArguments {
    /// The times to look at, in seconds, such as 0,0.5,1.
    #[arg(
        long,
        value_name = "SECONDS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = finite,
        conflicts_with_all = ["fps", "start", "end", "step"]
    )]
    times: Option<Vec<f64>>,
    /// Frames per second over the length of each animation, first and last included. Else point
    /// caches and keyframes are looked at in their own frames, all others 30 times per second.
    /// Without an animation there is one frame, at time 0.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = positive)]
    pub(crate) fps: Option<f64>,
    /// Leave out frames before this time, in seconds.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = finite)]
    start: Option<f64>,
    /// Leave out frames after this time, in seconds.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = finite)]
    end: Option<f64>,
    /// Take the first frame and every N-th after it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    step: Option<u32>,
}

impl TimeArguments {
    /// Sets the frames per second if nothing is said of times.
    pub(crate) fn fps_by_default(&mut self, fps: Option<f64>) {
        if self.times.is_none() && self.fps.is_none() {
            self.fps = fps;
        }
    }

    /// All frames of all takes. Where files have animations of different lengths, the
    /// frames go from the first start to the last end; outside its own, an animation stands still.
    pub(crate) fn choose(&self, input: &Input) -> Result<Vec<Moment>> {
        let mut all = Vec::new();
        for take in 0..input.takes().len() {
            let times = self.of_take(input, take)?;
            all.extend(times.into_iter().map(|(frame, time)| Moment { take, frame, time }));
            ensure!(all.len() <= MAX_FRAME_TIMES, too_many(all.len() as f64));
        }
        ensure!(!all.is_empty(), "there is no frame between --start and --end");
        Ok(all)
    }

    /// The frames of one take, by number and time.
    fn of_take(&self, input: &Input, take: usize) -> Result<Vec<(usize, f64)>> {
        let times = match (&self.times, input.animated_span(take)) {
            (Some(times), _) => times.clone(),
            (None, None) => vec![0.0],
            (None, Some((start, end))) => match (self.fps, input.keyframe_times(take)) {
                (None, Some(keyframes)) => keyframes.to_vec(),
                (fps, _) => frame_times(start, end, fps.unwrap_or(USUAL_FPS))
                    .with_context(|| too_many((end - start) * fps.unwrap_or(USUAL_FPS)))?,
            },
        };
        let start = self.start.unwrap_or(f64::NEG_INFINITY);
        let end = self.end.unwrap_or(f64::INFINITY);
        let within = times.into_iter().enumerate().filter(|(_, time)| (start..=end).contains(time));
        Ok(within.step_by(self.step.unwrap_or(1) as usize).collect())
    }
}

/// The error of a run that would take for ever.
fn too_many(frames: f64) -> String {
    format!("{frames:.3e} frames are more than {MAX_FRAME_TIMES:e}: give a lower --fps, or --times")
}
