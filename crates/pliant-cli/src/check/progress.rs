//! A line on a terminal that says how far a long run has come.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// How long between two updates: often enough to see it move.
const EVERY: Duration = Duration::from_millis(100);

/// Characters of the bar.
const WIDTH: usize = 30;

/// Progress over a number of frames, on standard error if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    noun: &'static str,
    frames: usize,
    state: Option<State>,
}

#[derive(Debug)]
struct State {
    done: usize,
    started: Instant,
    shown: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(frames: usize, quiet: bool) -> Self {
        Self::of("frames", frames, quiet)
    }

    /// Progress over a number of something else.
    pub(crate) fn of(noun: &'static str, frames: usize, quiet: bool) -> Self {
        let is_shown = !quiet && stderr().is_terminal();
        let fresh = || State { done: 0, started: Instant::now(), shown: None };
        Self { noun, frames, state: is_shown.then(fresh) }
    }

    /// One frame more is done.
    pub(crate) fn step(&mut self) {
        let done = self.state.as_ref().map_or(0, |state| state.done + 1);
        self.reach(done, self.frames);
    }

    /// So many frames are done of as many as there seem to be.
    pub(crate) fn reach(&mut self, done: usize, frames: usize) {
        self.reach_with(done, frames, "");
    }

    /// The same, with something to say about them.
    pub(crate) fn reach_with(&mut self, done: usize, frames: usize, note: &str) {
        self.frames = frames;
        let Some(state) = &mut self.state else { return };
        state.done = done;
        if state.shown.unwrap_or(state.started).elapsed() < EVERY {
            return;
        }
        let done = format!("{} of {} {}{note}", state.done, self.frames, self.noun);
        let line = bar(state.done, self.frames, &done, state.started.elapsed().as_secs_f64());
        let _ = write!(stderr(), "\r{line}");
        state.shown = Some(Instant::now());
    }

    /// Takes the line away.
    pub(crate) fn finish(self) {
        if self.state.is_some_and(|state| state.shown.is_some()) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn bar(done: usize, frames: usize, text: &str, elapsed: f64) -> String {
    let filled = (WIDTH * done).checked_div(frames).unwrap_or(WIDTH).min(WIDTH);
    let left = elapsed / done.max(1) as f64 * frames.saturating_sub(done) as f64;
    let (full, empty) = ("█".repeat(filled), "░".repeat(WIDTH - filled));
    format!("{full}{empty} {text}, {left:.0} s left\x1b[K")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_up() {
        assert!(bar(0, 10, "", 0.0).starts_with(&"░".repeat(WIDTH)));
        assert_eq!(
            bar(5, 10, "5 of 10 frames", 20.0),
            format!("{}{} 5 of 10 frames, 20 s left\x1b[K", "█".repeat(15), "░".repeat(15))
        );
        assert!(bar(0, 0, "", 0.0).starts_with(&"█".repeat(WIDTH)));
    }
}
