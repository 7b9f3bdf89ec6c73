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

/// Divides a step: at keyframes, and along true paths at all keys, and in halves until no vertex
/// strays from its straight line by more than the question allows.
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
        let mut waiting = vec![[span[0], span[1]]];
        while let Some([from, to]) = waiting.pop() {
            let strays = if follows_keys { input.strays(take, [from, to])? } else { Vec::new() };
            let middle = from.midpoint(to);
            let is_near = strays.iter().all(|&stray| stray <= question.within);
            if is_near || !(from < middle && middle < to) {
                parts.push(Part { from, to, strays });
            } else {
                waiting.extend([[middle, to], [from, middle]]);
            }
            ensure!(
                parts.len() + waiting.len() <= MOST_PARTS,
                "the step from {from} s needs more than {MOST_PARTS} parts: a larger --within needs fewer"
            );
        }
    }
    Ok(parts)
}
