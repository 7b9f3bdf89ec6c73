//! How far something went since it is watched.

use std::sync::Arc;

use super::SHORT_STEP;
use crate::query::front::{Patches, PerPatch, Travel};

/// The way of the patches of a body or necklace.
#[derive(Debug, Clone)]
pub(super) struct Course {
    pub(super) patches: Arc<Patches>,
    /// What a step is compared with: the mean length of edges, the mean radius of beads.
    pub(super) size: f64,
    /// Tells one course from another.
    pub(super) number: u64,
    /// The sum of all steps of each patch, then of the whole: nothing is farther from where it was at
    /// the first.
    pub(super) travelled: Box<PerPatch<f64>>,
    /// The last step of each patch, then of the whole.
    pub(super) step: Box<PerPatch<f64>>,
    /// The mean of the last step over the patches; infinite after a jump.
    pub(super) mean_step: f64,
}

/// Patches whose steps are measured before all others: where they jump the others do not matter.
const SAMPLE: usize = 8;

impl Course {
    pub(super) fn new(patches: Arc<Patches>, size: f64, number: u64) -> Self {
        Self {
            patches,
            size,
            number,
            travelled: Box::new([0.0; 256]),
            step: Box::new([0.0; 256]),
            mean_step: f64::INFINITY,
        }
    }

    /// Takes a step, given how far each patch went at most. After a jump it begins anew, with another
    /// number.
    pub(super) fn advance(&mut self, number: u64, step: impl Fn(usize) -> f64) {
        let count = self.patches.count();
        let sample = || (0..count).step_by(count.div_ceil(SAMPLE).max(1));
        let sum: f64 = sample().map(&step).sum();
        let is_short = |mean: f64| mean <= SHORT_STEP * self.size;
        self.mean_step = sum / sample().count().max(1) as f64;
        if is_short(self.mean_step) {
            for patch in 0..count {
                self.step[patch] = step(patch);
            }
            let sum: f64 = self.step[..count].iter().sum();
            self.mean_step = sum / count.max(1) as f64;
        }
        if is_short(self.mean_step) {
            self.step[count] = self.step[..count].iter().fold(0.0, |most, step| step.max(most));
            for (travelled, step) in self.travelled.iter_mut().zip(&*self.step) {
                *travelled = (*travelled + step).next_up();
            }
        } else {
            (self.number, self.mean_step) = (number, f64::INFINITY);
        }
    }

    /// The motion of the last step, and of so far before.
    pub(super) fn travel<'a>(&'a self, moved: &'a PerPatch<f64>) -> Travel<'a> {
        Travel { patches: &self.patches, moved, step: &self.step }
    }

    /// How far each patch went since it had travelled so far.
    pub(super) fn moved_since(&self, since: &PerPatch<f64>) -> PerPatch<f64> {
        std::array::from_fn(|patch| (self.travelled[patch] - since[patch]).next_up())
    }
}
