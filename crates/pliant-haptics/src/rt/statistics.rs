//! How long steps took, counted by classes of a few percent.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Classes per doubling of the time: neighbouring ones differ by at most an eighth.
const PER_DOUBLING: u64 = 8;

/// Classes in all: up to 2^40 ns, 18 minutes.
const CLASSES: usize = 40 * PER_DOUBLING as usize;

/// Doublings of a microsecond that are counted: up to a millisecond, and longer.
pub const DOUBLINGS: usize = 12;

/// Counts of times, which one thread adds to and any thread reads.
#[derive(Debug)]
pub(super) struct Histogram {
    counts: [AtomicU64; CLASSES],
    longest: AtomicU64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self { counts: std::array::from_fn(|_| AtomicU64::new(0)), longest: AtomicU64::new(0) }
    }

    pub(super) fn add(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.counts[class(nanoseconds)].fetch_add(1, Ordering::Relaxed);
        self.longest.fetch_max(nanoseconds, Ordering::Relaxed);
    }

    /// Counts by doublings of a microsecond; the last has all that are longer.
    pub(super) fn doublings(&self) -> [u64; DOUBLINGS] {
        let mut sums = [0; DOUBLINGS];
        for (class, count) in self.counts.iter().enumerate() {
            let doubling = (upper(class) / 1000).checked_ilog2().map_or(0, |log| log as usize + 1);
            sums[doubling.min(DOUBLINGS - 1)] += count.load(Ordering::Relaxed);
        }
        sums
    }

    fn times(&self) -> Times {
        let counts: Vec<u64> = self.counts.iter().map(|c| c.load(Ordering::Relaxed)).collect();
        let total = counts.iter().sum();
        let longest = self.longest.load(Ordering::Relaxed);
        let quantile = |share: f64| {
            let wanted = (share * total as f64).ceil() as u64;
            let mut seen = 0;
            let class = counts.iter().position(|&count| {
                seen += count;
                seen >= wanted.max(1)
            });
            Duration::from_nanos(class.map_or(0, |class| upper(class).min(longest)))
        };
        Times {
            count: total,
            median: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            longest: Duration::from_nanos(longest),
        }
    }
}

/// The class of a time: the exponent, and the next three bits.
fn class(nanoseconds: u64) -> usize {
    if nanoseconds < PER_DOUBLING {
        return nanoseconds as usize;
    }
    let exponent = u64::from(63 - nanoseconds.leading_zeros());
    let part = (nanoseconds >> (exponent - 3)) - PER_DOUBLING;
    (((exponent - 2) * PER_DOUBLING + part) as usize).min(CLASSES - 1)
}

/// The longest time of a class.
fn upper(class: usize) -> u64 {
    let class = class as u64;
    if class < PER_DOUBLING {
        return class;
    }
    let (doubling, part) = (class / PER_DOUBLING - 1, class % PER_DOUBLING);
    ((PER_DOUBLING + part + 1) << doubling) - 1
}

/// How long something took: quantiles, rounded up by at most an eighth, and the longest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// How many there were.
    pub count: u64,
    /// Half of them took no longer.
    pub median: Duration,
    /// 99 of 100 took no longer.
    pub p99: Duration,
    /// 999 of 1000 took no longer.
    pub p999: Duration,
    /// None took longer.
    pub longest: Duration,
}

/// What a force loop did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Steps from reading the device to its force: the loop's own work.
    pub steps: Times,
    /// How late the thread woke for a step: the machine's part.
    pub late: Times,
    /// Steps that began a whole period late or more.
    pub missed: u64,
    /// Changes of the scene that were taken.
    pub changes: u64,
}

/// All that the loop counts.
#[derive(Debug)]
pub(super) struct Counts {
    pub(super) steps: Histogram,
    pub(super) late: Histogram,
    pub(super) missed: AtomicU64,
    pub(super) changes: AtomicU64,
}

impl Counts {
    pub(super) fn new() -> Self {
        let (missed, changes) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { steps: Histogram::new(), late: Histogram::new(), missed, changes }
    }

    pub(super) fn statistics(&self) -> Statistics {
        Statistics {
            steps: self.steps.times(),
            late: self.late.times(),
            missed: self.missed.load(Ordering::Relaxed),
            changes: self.changes.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_contain_their_times() {
        let mut last = 0;
        for nanoseconds in (0..5_000).chain([1 << 20, (1 << 30) + 12_345, 1 << 39]) {
            let class = class(nanoseconds);
            assert!(class >= last, "{nanoseconds}");
            last = class;
            assert!(upper(class) >= nanoseconds, "{nanoseconds}");
            assert!(upper(class) <= nanoseconds + nanoseconds / 8, "{nanoseconds}");
        }
        assert_eq!(class(u64::MAX), CLASSES - 1);
    }

    #[test]
    fn quantiles_of_known_times() {
        let histogram = Histogram::new();
        (1..=1000).for_each(|n| histogram.add(Duration::from_micros(n)));
        let times = histogram.times();
        let near = |time: Duration, micros: u64| {
            let micros = Duration::from_micros(micros);
            time >= micros && time <= micros + micros / 8
        };
        assert!(near(times.median, 500) && near(times.p99, 990), "{times:?}");
        assert_eq!((times.count, times.longest), (1000, Duration::from_micros(1000)));
        assert_eq!(Histogram::new().times(), Times::default());
    }
}
