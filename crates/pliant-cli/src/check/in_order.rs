//! Frames done by many threads, handed over in their order, in bounded memory.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Numbers 0, 1, 2 ... given out to threads, and what they make of them given back in order.
///
/// No more than `ahead` numbers are out or waiting at a time: one slow frame makes the others
/// wait rather than fill the memory.
#[derive(Debug)]
pub(crate) struct InOrder<T> {
    count: usize,
    ahead: usize,
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    /// The next number to give out.
    next: usize,
    /// The next number to hand over.
    wanted: usize,
    done: BTreeMap<usize, T>,
    stopped: bool,
}

impl<T> InOrder<T> {
    pub(crate) fn new(count: usize, ahead: usize) -> Self {
        let state = State { next: 0, wanted: 0, done: BTreeMap::new(), stopped: false };
        Self { count, ahead: ahead.max(1), state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Makes something of numbers until none is left. If it panics, everybody stops.
    pub(crate) fn work(&self, mut make: impl FnMut(usize) -> T) {
        let _guard = StopOnPanic(self);
        while let Some(number) = self.begin() {
            let made = make(number);
            self.lock().done.insert(number, made);
            self.changed.notify_all();
        }
    }

    fn begin(&self) -> Option<usize> {
        let is_far = |state: &mut State<T>| {
            !state.stopped && state.next < self.count && state.next >= state.wanted + self.ahead
        };
        let waited = self.changed.wait_while(self.lock(), is_far);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.stopped || state.next == self.count {
            return None;
        }
        state.next += 1;
        Some(state.next - 1)
    }

    /// The next in order, as soon as it is done; `None` after the last, or if all was stopped.
    pub(crate) fn take(&self) -> Option<T> {
        let is_missing = |state: &mut State<T>| {
            !state.stopped && state.wanted < self.count && !state.done.contains_key(&state.wanted)
        };
        let waited = self.changed.wait_while(self.lock(), is_missing);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        let wanted = state.wanted;
        let taken = state.done.remove(&wanted)?;
        state.wanted += 1;
        self.changed.notify_all();
        Some(taken)
    }

    /// Lets every thread finish what it does and then end.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that panicked gives nothing back: nobody must wait for it.
struct StopOnPanic<'a, T>(&'a InOrder<T>);

impl<T> Drop for StopOnPanic<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn all_come_in_order_and_few_wait() {
        let queue = InOrder::new(1000, 5);
        let begun = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    queue.work(|number| {
                        begun.fetch_add(1, Ordering::SeqCst);
                        // Some take longer, so that others overtake them.
                        if number % 7 == 0 {
                            thread::yield_now();
                        }
                        number
                    });
                });
            }
            for expected in 0..1000 {
                assert!(begun.load(Ordering::SeqCst) <= expected + 5);
                assert_eq!(queue.take(), Some(expected));
            }
            assert_eq!(queue.take(), None);
        });
    }

    #[test]
    fn a_stop_ends_everybody() {
        let queue = InOrder::new(usize::MAX, 2);
        thread::scope(|scope| {
            (0..2).for_each(|_| drop(scope.spawn(|| queue.work(|number| number))));
            assert_eq!(queue.take(), Some(0));
            queue.stop();
        });
    }

    #[test]
    fn a_panic_ends_everybody() {
        let queue = InOrder::new(100, 2);
        let ended = thread::scope(|scope| {
            let worker = scope.spawn(|| queue.work(|number| assert!(number < 1, "on purpose")));
            assert_eq!(queue.take(), Some(()));
            assert_eq!(queue.take(), None);
            worker.join()
        });
        assert!(ended.is_err());
    }
}
