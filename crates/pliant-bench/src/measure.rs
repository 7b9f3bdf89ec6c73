//! Measuring on a noisy machine.

use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Result;

/// Runs contestants in turn, round after round, and keeps the best time of each. Other programs on
/// the machine slow all contestants alike; the best round is the least disturbed one.
pub(crate) fn best_of<const N: usize>(
    rounds: usize,
    mut contestants: [&mut dyn FnMut(); N],
) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (run, best) in contestants.iter_mut().zip(&mut best) {
            let start = clock();
            run();
            *best = best.min(clock() - start);
        }
    }
    best
}

/// Bytes per second that this machine copies from memory to memory in blocks of a size. Bytes read
/// and bytes written both count. Nothing that streams as much can be faster.
pub(crate) fn copy_rate(bytes: usize) -> f64 {
    let from = vec![1_u8; bytes];
    let mut to = vec![0_u8; bytes];
    let [time] = best_of(10, [&mut || to.copy_from_slice(black_box(&from))]);
    black_box(&to);
    2.0 * bytes as f64 / time
}

/// The number of rounds for which an experiment on so many triangles takes a second or two.
pub(crate) fn rounds(triangles: usize, quick: bool) -> usize {
    let full = (4_000_000 / triangles.max(1)).clamp(8, 200);
    if quick { 3 } else { full }
}

/// As [`best_of`], for contestants that measure themselves and may fail. `run` gets the number of
/// the contestant. Rounds end when the budget, in seconds, is spent; there is at least one round.
pub(crate) fn in_turns<const N: usize>(
    budget: f64,
    run: impl FnMut(usize) -> Result<f64>,
) -> Result<[f64; N]> {
    in_rounds(1, budget, run)
}

/// As [`in_turns`], with a least number of rounds, whatever they cost: for contestants whose times
/// are compared within a few percent.
pub(crate) fn in_rounds<const N: usize>(
    least: usize,
    budget: f64,
    mut run: impl FnMut(usize) -> Result<f64>,
) -> Result<[f64; N]> {
    let start = Instant::now();
    let mut best = [f64::INFINITY; N];
    for round in 1..=least.max(50) {
        for (turn, best) in best.iter_mut().enumerate() {
            *best = best.min(run(turn)?);
        }
        if round >= least && start.elapsed().as_secs_f64() > budget {
            break;
        }
    }
    Ok(best)
}

/// The seconds that something takes which may fail.
pub(crate) fn timed<E>(run: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let start = clock();
    run()?;
    Ok(clock() - start)
}

/// Whether time is that of the processor.
static OF_PROCESSOR: AtomicBool = AtomicBool::new(false);

/// From now on [`clock`] counts what this thread has run on a core: for machines that others use, and for
/// experiments on one thread.
pub(crate) fn count_processor_time() {
    OF_PROCESSOR.store(true, Ordering::Relaxed);
}

/// Seconds since some moment: of the clock on the wall, or of [`thread_seconds`], whose readings take some
/// 0.3 µs themselves.
pub(crate) fn clock() -> f64 {
    if OF_PROCESSOR.load(Ordering::Relaxed) { thread_seconds() } else { wall_seconds() }
}

/// Seconds by the clock on the wall, for more than one thread.
pub(crate) fn wall_seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// The seconds that this thread has run on a core: unlike a clock on the wall it does not count what
/// other programs took.
#[cfg(unix)]
pub(crate) fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Where the system does not tell: the clock on the wall.
#[cfg(not(unix))]
pub(crate) fn thread_seconds() -> f64 {
    wall_seconds()
}
