//! All frames, on all threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use anyhow::Result;

use super::body::Method;
use super::frame::{Bodies, Frame};
use super::progress::Progress;
use crate::source::Input;

/// What is asked of every frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) method: Method,
    pub(crate) with_self: bool,
    /// Whether frames hold what a picture needs, and how many nodes of an object are drawn.
    pub(crate) picture: Option<usize>,
}

/// Finds the contacts at all times, in their order.
///
/// Frames do not depend on one another, so each thread takes the next one left. A
/// thread's queries stay on it (in a pool of one), or it would begin another
/// frame while it waits for part of a query, and the times measured would mean nothing.
/// Only where there are fewer frames than threads, the threads share the queries.
pub(crate) fn run(
    input: &Input,
    times: &[f64],
    question: Question,
    progress: &Progress,
) -> Result<Vec<Frame>> {
    let bodies = Bodies::new(input, question.method)?;
    let threads = rayon::current_num_threads();
    let next = Next { frame: AtomicUsize::new(0), failed: AtomicBool::new(false) };
    let work = |bodies| work(bodies, input, times, question, progress, &next);
    // Brute force does not share its queries.
    let frames_share = times.len() >= threads || question.method == Method::BruteForce;
    let mut done = if threads == 1 || !frames_share {
        work(bodies)
    } else {
        thread::scope(|scope| -> Result<_> {
            let mut workers = Vec::new();
            for _ in 0..threads.min(times.len()) {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
                let bodies = bodies.clone();
                let work = &work;
                workers.push(scope.spawn(move || pool.install(|| work(bodies))));
            }
            let mut done = Vec::with_capacity(times.len());
            for worker in workers {
                done.extend(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            Ok(done)
        })?
    };
    // Frames are begun in order: of those that failed, the first is always there.
    done.sort_by_key(|(frame, _)| *frame);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// What is left to do.
struct Next {
    frame: AtomicUsize,
    failed: AtomicBool,
}

/// Takes frames until none is left, or until one failed.
fn work(
    mut bodies: Bodies,
    input: &Input,
    times: &[f64],
    question: Question,
    progress: &Progress,
    next: &Next,
) -> Vec<(usize, Result<Frame>)> {
    let mut done = Vec::new();
    while !next.failed.load(Ordering::Relaxed) {
        let number = next.frame.fetch_add(1, Ordering::Relaxed);
        let Some(&time) = times.get(number) else { break };
        let outcome = bodies.frame(input, time, question);
        if outcome.is_err() {
            next.failed.store(true, Ordering::Relaxed);
        }
        done.push((number, outcome));
        progress.step();
    }
    done
}
