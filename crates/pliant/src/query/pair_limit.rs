//! How many pairs queries may find before they stop.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::traverse::Flow;
use crate::{Error, Result};

/// How many pairs of triangles one query, or several together, may find. Threads share it.
///
/// Whether it is exceeded depends on the number of all pairs alone, not on threads: no query stops
/// before more pairs are counted than are allowed, and every pair is counted in the end.
#[derive(Debug)]
pub(crate) struct PairLimit {
    most: usize,
    counted: AtomicUsize,
}

impl PairLimit {
    /// At most so many.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, counted: AtomicUsize::new(0) }
    }

    /// Any number.
    pub(crate) fn none() -> Self {
        Self::new(usize::MAX)
    }

    /// Counts pairs that were found. `Stop` if there are too many.
    pub(crate) fn count(&self, pairs: usize) -> Flow {
        let before = self.counted.fetch_add(pairs, Ordering::Relaxed);
        if before.saturating_add(pairs) > self.most { Flow::Stop } else { Flow::Continue }
    }

    /// Whether more pairs were counted than are allowed.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.counted.load(Ordering::Relaxed) > self.most
    }

    /// The answer, or an error if more pairs were counted than are allowed: then the answer is not
    /// complete.
    pub(crate) fn check<T>(&self, answer: T) -> Result<T> {
        if self.is_exceeded() { Err(Error::TooManyPairs { limit: self.most }) } else { Ok(answer) }
    }
}
