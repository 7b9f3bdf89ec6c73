//! The parts of a step in which every vertex is near a straight line.

use anyhow::{Result, ensure};

use super::adjacency::PathArgument;
use super::step::StepQuestion;
use crate::source::Input;

/// A part of a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) from: f64,
    pub(super) to: f64,
    /// For each object, how far its vertices stray from straight lines.
    pub(super) strays: Vec<f64>,
}

/// Parts of one step, at the most.
const MOST_PARTS: usize = 10_000;

/// Divides a step: at keyframes, and along true paths at all keys; then into equal parts, since a
/// stray goes with the square of the length, and these in halves, until no vertex strays from its
/// straight line by more than the question allows.
pub(super) fn parts(
    input: &Input,
    take: usize,
    [from, to]: [f64; 2],
    question: &StepQuestion,
) -> Result<Vec<Part>> {
    let follows_keys = question.path == PathArgument::True;
    let mut times = vec![from];
    times.extend(input.knots(take, [from, to], follows_keys));
    times.push(to);
    let mut parts = Vec::with_capacity(times.len() - 1);
    for span in times.windows(2) {
        let mut waiting = vec![([span[0], span[1]], MOST_PARTS as f64)];
        while let Some(([from, to], most)) = waiting.pop() {
            let strays = if follows_keys { input.strays(take, [from, to])? } else { Vec::new() };
            let stray = strays.iter().copied().fold(0.0, f64::max);
            let count = (stray / question.within).sqrt().ceil().clamp(2.0, most);
            let step = (to - from) / count;
            if stray <= question.within || !(from < from + step && to - step < to) {
                parts.push(Part { from, to, strays });
            } else {
                let ends = |i: usize| if i == count as usize { to } else { from + step * i as f64 };
                let spans = (0..count as usize).map(|i| ([ends(i), ends(i + 1)], 2.0));
                waiting.extend(spans.rev());
            }
            ensure!(
                parts.len() + waiting.len() <= MOST_PARTS,
                "the step from {from} s needs more than {MOST_PARTS} parts: a larger --within needs fewer"
            );
        }
    }
    Ok(parts)
}
