//! Pairs that are not looked at until enough has moved.

use super::patches::PerPatch;

/// Pairs, and until which motion of their two patches together each of them stays what it is.
///
/// A pair of triangles with a margin shorter than a step is due in every query, and then the margin
/// costs more than the answer. Such a pair is [`HOT`]: it is tested without a margin, except now
/// and then.
///
/// Blocks of pairs know what the first of them outlasts: blocks of pairs that are far apart are passed
/// over.
#[derive(Debug, Clone, Default)]
pub(super) struct Watched {
    pub(super) pairs: Vec<[u32; 2]>,
    until: Vec<f32>,
    patches: Vec<[u8; 2]>,
    /// Not above what any pair of each block outlasts.
    least: Vec<f32>,
}

/// Before every motion: always due.
pub(super) const HOT: f32 = f32::NEG_INFINITY;

/// Pairs per block.
const BLOCK: usize = 128;

impl Watched {
    pub(super) fn add(&mut self, pair: [u32; 2], patches: [u8; 2], until: f32) {
        if self.pairs.len().is_multiple_of(BLOCK) {
            self.least.push(f32::INFINITY);
        }
        self.pairs.push(pair);
        self.until.push(f32::INFINITY);
        self.patches.push(patches);
        self.set_until(self.pairs.len() - 1, until);
    }

    pub(super) fn append(&mut self, other: &Self) {
        for (at, &pair) in other.pairs.iter().enumerate() {
            self.add(pair, other.patches[at], other.until[at]);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.pairs.swap_remove(at);
        self.until.swap_remove(at);
        self.patches.swap_remove(at);
        self.least.truncate(self.pairs.len().div_ceil(BLOCK));
        if let Some(&until) = self.until.get(at) {
            self.set_until(at, until);
        }
    }

    pub(super) fn patches(&self, at: usize) -> [u8; 2] {
        self.patches[at]
    }

    pub(super) fn until(&self, at: usize) -> f32 {
        self.until[at]
    }

    pub(super) fn set_until(&mut self, at: usize, until: f32) {
        self.until[at] = until;
        self.least[at / BLOCK] = self.least[at / BLOCK].min(until);
    }

    /// Puts pairs that outlast little first, by powers of two.
    pub(super) fn sort(&mut self) {
        // Motions are not negative: the bits of the exponent order them.
        let digit = |until: f32| until.max(0.0).to_bits() as usize >> 23;
        let mut next = [0_usize; 257];
        self.until.iter().for_each(|&until| next[digit(until) + 1] += 1);
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        let mut order = vec![0; self.len()];
        for (at, &until) in self.until.iter().enumerate() {
            order[next[digit(until)]] = at;
            next[digit(until)] += 1;
        }
        let mut sorted = Self::default();
        for at in order {
            sorted.add(self.pairs[at], self.patches[at], self.until[at]);
        }
        *self = sorted;
    }

    /// The pairs that do not outlast a motion, replacing what is in `due`.
    pub(super) fn due(&mut self, moved: [&PerPatch<f32>; 2], due: &mut Vec<u32>) {
        // A sum of larger numbers is not smaller, rounded as it is.
        let [a, b] = moved.map(|moved| moved.iter().copied().fold(0.0, f32::max));
        let farthest = a + b;
        due.resize(self.len() + 1, 0);
        let mut count = 0;
        for (block, least) in self.least.iter_mut().enumerate() {
            if *least > farthest {
                continue;
            }
            let start = block * BLOCK;
            let end = self.until.len().min(start + BLOCK);
            *least = f32::INFINITY;
            // Each writes its place; the next one writes over it unless it is due. Which pairs are due
            // cannot be predicted: this has no branch.
            let pairs = self.until[start..end].iter().zip(&self.patches[start..end]);
            for (at, (&until, &patches)) in (start as u32..).zip(pairs) {
                due[count] = at;
                count += usize::from(until <= moved_together(moved, patches));
                *least = if until < *least { until } else { *least };
            }
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
