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

    /// What a query answers that finds at most so many.
    ///
    /// # Errors
    /// [`Error::TooManyPairs`].
    pub(crate) fn up_to<T>(most: usize, ask: impl FnOnce(&Self) -> T) -> Result<T> {
        let limit = Self::new(most);
        let answer = ask(&limit);
        limit.check(answer)
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

/// Items that a thread finds before it tells the limit: often enough that memory stays bounded, and
/// seldom enough that it costs nothing.
const TOLD_AT_ONCE: usize = 4096;

/// What a query finds, counted by a limit.
#[derive(Debug)]
pub(crate) struct LimitedList<'a, T> {
    items: Vec<T>,
    limit: &'a PairLimit,
    /// How many of the items the limit knows of.
    told: usize,
}

impl<'a, T> LimitedList<'a, T> {
    pub(crate) fn new(limit: &'a PairLimit) -> Self {
        Self::with(Vec::new(), limit)
    }

    /// A list that holds items already. The limit does not know of them.
    pub(crate) fn with(items: Vec<T>, limit: &'a PairLimit) -> Self {
        Self { items, limit, told: 0 }
    }

    /// Adds an item. `Stop` if there are too many.
    #[inline(always)]
    pub(crate) fn push(&mut self, item: T) -> Flow {
        self.items.push(item);
        if self.items.len() - self.told >= TOLD_AT_ONCE { self.tell() } else { Flow::Continue }
    }

    /// Tells the limit of the items that it does not know of.
    #[cold]
    #[inline(never)]
    fn tell(&mut self) -> Flow {
        let flow = self.limit.count(self.items.len() - self.told);
        self.told = self.items.len();
        flow
    }

    /// An empty list with the same limit.
    pub(crate) fn fork(&self) -> Self {
        Self::new(self.limit)
    }

    /// Whether the limit is exceeded.
    pub(crate) fn is_done(&self) -> bool {
        self.limit.is_exceeded()
    }

    /// Takes over what a fork has found.
    pub(crate) fn join(&mut self, mut other: Self) {
        self.items.append(&mut other.items);
        self.told += other.told;
    }

    /// The items. The limit knows of all of them afterwards.
    pub(crate) fn finish(mut self) -> Vec<T> {
        if self.told < self.items.len() {
            let _ = self.tell();
        }
        self.items
    }
}
