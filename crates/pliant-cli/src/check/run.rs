//! All frames, on all threads.

use std::thread;

use anyhow::Result;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::body::Method;
use super::frame::{Bodies, Frame, QueryParts};
use super::in_order::InOrder;
use crate::source::Input;

/// Frames that a thread may be ahead of the first that is not done: enough that one slow
/// frame does not stop the others, few enough that their pairs fit the memory.
const AHEAD: usize = 8;

/// What is asked of every frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) method: Method,
    pub(crate) with_self: bool,
    /// Whether frames hold what a picture needs, and how many nodes of an object are drawn.
    pub(crate) picture: Option<usize>,
}

/// Finds the contacts at all times and hands over one frame after the other, in their order.
/// Memory does not grow with their number.
///
/// Frames do not depend on one another, so each thread takes the next one left. A
/// thread's queries stay on it (in a pool of one), or it would begin another
/// frame while it waits for part of a query, and the times measured would mean nothing.
/// Only where there are fewer frames than threads, the threads share the queries.
pub(crate) fn run(
    bodies: &Bodies,
    input: &Input,
    times: &[f64],
    question: Question,
    mut hand_over: impl FnMut(Frame) -> Result<()>,
) -> Result<()> {
    if !frames_share_threads(times, question) {
        let mut bodies = bodies.clone();
        return times.iter().try_for_each(|&time| hand_over(bodies.frame(input, time, question)?));
    }
    let threads = rayon::current_num_threads().min(times.len());
    let pools = (0..threads).map(|_| alone()).collect::<Result<Vec<ThreadPool>>>()?;
    let queue = InOrder::new(times.len(), threads * AHEAD);
    let queue = &queue;
    thread::scope(|scope| {
        for pool in pools {
            let mut bodies = bodies.clone();
            scope.spawn(move || {
                pool.install(|| {
                    queue.work(|number| bodies.frame(input, times[number], question));
                });
            });
        }
        // Of frames that fail, the first is the one that is reported.
        let mut outcome = Ok(());
        while outcome.is_ok()
            && let Some(frame) = queue.take()
        {
            outcome = frame.and_then(&mut hand_over);
        }
        queue.stop();
        outcome
    })
}

/// Whether each thread takes frames of its own. Brute force does not share its queries.
fn frames_share_threads(times: &[f64], question: Question) -> bool {
    let threads = rayon::current_num_threads();
    threads > 1 && (times.len() >= threads || question.method == Method::BruteForce)
}

/// A pool of one thread.
fn alone() -> Result<ThreadPool> {
    Ok(ThreadPoolBuilder::new().num_threads(1).build()?)
}

/// Frames at which the time of queries is divided, at the most.
const DIVIDED: usize = 5;

/// How long finding out may take: this part of the run, or so many seconds if that is more.
const DIVIDING: (f64, f64) = (0.1, 0.5);

/// Divides the time of queries into descent and triangle tests, on up to [`DIVIDED`] frames
/// spread over the run, each on as many threads as in the run. `None` where that would take too
/// long, or where there is no descent.
pub(crate) fn divide(
    bodies: &Bodies,
    input: &Input,
    times: &[f64],
    question: Question,
    ran: Ran,
) -> Result<Option<QueryParts>> {
    let allowed = (DIVIDING.0 * ran.seconds).max(DIVIDING.1);
    // A round takes as long as three frames at the most. As `usize`: rounded down, within its range.
    let rounds = f64::from(QueryParts::ROUNDS);
    let affordable = (allowed / (3.0 * rounds * ran.seconds_a_frame)) as usize;
    let count = times.len().min(DIVIDED).min(affordable);
    if count == 0 || question.method == Method::BruteForce {
        return Ok(None);
    }
    let mut bodies = bodies.clone();
    let mut sum = || {
        let mut sum = QueryParts::default();
        for at in 0..count {
            // One alone is taken from the middle.
            let number =
                if count == 1 { times.len() / 2 } else { at * (times.len() - 1) / (count - 1) };
            sum += bodies.query_parts(input, times[number], question)?;
        }
        Ok(Some(sum))
    };
    if frames_share_threads(times, question) { alone()?.install(sum) } else { sum() }
}

/// How long a run took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ran {
    pub(crate) seconds: f64,
    /// What one frame took on its thread, on average.
    pub(crate) seconds_a_frame: f64,
}
