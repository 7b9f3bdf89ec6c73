//! Pairs that are not looked at until enough has moved.

use super::patches::PerPatch;

/// Pairs, and until which motion of their two patches together each of them stays what it is.
///
/// A pair of triangles with a margin shorter than a step is due in every query, and then the margin
/// costs more than the answer. Such a pair is [`HOT`]: it is tested without a margin, except now
/// and then.
#[derive(Debug, Clone, Default)]
pub(super) struct Watched {
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) until: Vec<f32>,
    patches: Vec<[u8; 2]>,
}

/// Before every motion: always due.
pub(super) const HOT: f32 = f32::NEG_INFINITY;

impl Watched {
    pub(super) fn add(&mut self, pair: [u32; 2], patches: [u8; 2], until: f32) {
        self.pairs.push(pair);
        self.until.push(until);
        self.patches.push(patches);
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.pairs.extend_from_slice(&other.pairs);
        self.until.extend_from_slice(&other.until);
        self.patches.extend_from_slice(&other.patches);
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.pairs.swap_remove(at);
        self.until.swap_remove(at);
        self.patches.swap_remove(at);
    }

    pub(super) fn patches(&self, at: usize) -> [u8; 2] {
        self.patches[at]
    }

    /// The pairs that do not outlast a motion, replacing what is in `due`.
    pub(super) fn due(&self, moved: [&PerPatch<f32>; 2], due: &mut Vec<u32>) {
        // Each writes its place; the next one writes over it unless it is due. Which pairs are due
        // cannot be predicted: this has no branch.
        due.resize(self.len() + 1, 0);
        let mut count = 0;
        for (at, (&until, &patches)) in (0..).zip(self.until.iter().zip(&self.patches)) {
            due[count] = at;
            count += usize::from(until <= moved_together(moved, patches));
        }
        due.truncate(count);
    }
}

/// How far two patches moved together, at most a rounding less: see [`outlasts`].
#[inline(always)]
fn moved_together([a, b]: [&PerPatch<f32>; 2], [of_a, of_b]: [u8; 2]) -> f32 {
    a[usize::from(of_a)] + b[usize::from(of_b)]
}

/// The motion that a pair outlasts which is looked at now. Rounded down by more than a sum of two
/// `f32` is rounded.
#[inline(always)]
pub(super) fn outlasts(moved: f64, margin: f64) -> f32 {
    const SLACK: f64 = 4.0 * f32::EPSILON as f64;
    crate::numeric::round_down((moved + margin) * (1.0 - SLACK)).min(f32::MAX)
}
