//! All frames, on all threads.

use std::thread;

use anyhow::Result;
use pliant_io::{BodySettings, SceneBodies, SelfContact};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::contacts::ContactSettings;
use super::frame::{Frame, frame};
use super::in_order::InOrder;
use super::method::Method;
use super::picture::Shown;
use super::query_parts::QueryParts;
use super::times::Moment;
use crate::source::Input;

/// What is asked of every frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) method: Method,
    pub(crate) with_self: bool,
    /// Pairs of triangles of one frame, at the most.
    pub(crate) max_pairs: usize,
    /// Whether frames hold their pairs of triangles, or only who touches whom.
    pub(crate) keeps_pairs: bool,
    /// Whether contacts are divided into regions and measured.
    pub(crate) contacts: ContactSettings,
    /// Whether frames hold what a picture needs, and how much of it.
    pub(crate) picture: Option<Shown>,
}

/// Pairs of triangles of one frame where nobody says otherwise. Far more than things have that only
/// touch, and few enough that the frames that threads work on fit the memory: a pair takes 16 bytes
/// in a frame with few objects, and some 500 bytes if each is a pair of objects of its own.
pub(crate) const MAX_PAIRS: usize = 1_000_000;

/// Frames from which on it pays to prepare bodies for contacts with themselves, which takes as long
/// as it saves on 80 to 120 frames.
const MANY_FRAMES: usize = 120;

impl Question {
    /// The bodies of a run of so many frames, at rest.
    pub(crate) fn bodies(&self, input: &Input, frames: usize) -> Result<SceneBodies> {
        let self_contact = match self.with_self {
            false => SelfContact::Ignored,
            true if frames < MANY_FRAMES || self.method == Method::BruteForce => {
                SelfContact::Counted
            }
            true => SelfContact::Prepared,
        };
        let settings = BodySettings {
            method: self.method.of_bodies(),
            self_contact,
            blending: input.blending(),
        };
        SceneBodies::of_scenes(input.scenes(), settings).map_err(|error| input.in_file(error))
    }
}

/// Consecutive frames that one thread takes together, at the most. Within a block bodies learn
/// from one frame to the next. A new block starts anew, so that the counts of work do not depend
/// on the number of threads.
const BLOCK: usize = 8;

/// Blocks of a run, at the least, if it has so many frames: there must be some for every thread.
const LEAST_BLOCKS: usize = 16;

/// Blocks that are done or begun for each thread, at the most: enough that one slow block does not
/// stop the others, few enough that their pairs fit the memory.
const AHEAD: usize = 2;

/// A run in blocks: frames of one take that follow one another. They must not depend on the number
/// of threads.
pub(crate) fn blocks(moments: &[Moment]) -> Vec<&[Moment]> {
    let size = (moments.len() / LEAST_BLOCKS).clamp(1, BLOCK);
    let takes = moments.chunk_by(|one, next| one.take == next.take);
    takes.flat_map(|take| take.chunks(size)).collect()
}

/// The frames of one block, one by one, each when it is asked for.
fn block_frames<'a>(
    bodies: &'a mut SceneBodies,
    input: &'a Input,
    block: &'a [Moment],
    question: &'a Question,
) -> impl Iterator<Item = Result<Frame>> + 'a {
    bodies.forget_history();
    block.iter().map(move |&moment| frame(bodies, input, moment, question))
}

/// Finds the contacts of all blocks and hands over one frame after the other, in their order.
/// Memory does not grow with their number.
///
/// Blocks of frames do not depend on one another, so each thread takes the next one left. A
/// thread's queries stay on it (in a pool of one), or it would begin another
/// frame while it waits for part of a query, and the times measured would mean nothing.
/// Only where there are fewer frames than threads, the threads share the queries.
pub(crate) fn run(
    bodies: &SceneBodies,
    input: &Input,
    blocks: &[&[Moment]],
    question: &Question,
    mut hand_over: impl FnMut(Frame) -> Result<()>,
) -> Result<()> {
    if !frames_share_threads(blocks, question) {
        let mut bodies = bodies.clone();
        return blocks.iter().try_for_each(|block| {
            let mut frames = block_frames(&mut bodies, input, block, question);
            frames.try_for_each(|frame| hand_over(frame?))
        });
    }
    on_threads(bodies, blocks.len(), hand_over, |bodies, number| {
        block_frames(bodies, input, blocks[number], question).collect()
    })
}

/// Lets every thread, with a copy of some bodies of its own, make frames of the next block left, and
/// hands over one frame after the other, in their order.
pub(crate) fn on_threads<S: Clone + Send, T: Send>(
    bodies: &S,
    blocks: usize,
    mut hand_over: impl FnMut(T) -> Result<()>,
    make: impl Fn(&mut S, usize) -> Vec<Result<T>> + Sync,
) -> Result<()> {
    let threads = rayon::current_num_threads().min(blocks);
    let pools = (0..threads).map(|_| alone()).collect::<Result<Vec<ThreadPool>>>()?;
    let queue = InOrder::new(blocks, threads * AHEAD);
    let (queue, make) = (&queue, &make);
    thread::scope(|scope| {
        for pool in pools {
            let mut bodies = bodies.clone();
            scope.spawn(move || {
                pool.install(|| queue.work(|number| make(&mut bodies, number)));
            });
        }
        // Of frames that fail, the first is the one that is reported.
        let mut outcome = Ok(());
        while outcome.is_ok()
            && let Some(frames) = queue.take()
        {
            outcome = frames.into_iter().try_for_each(|frame| hand_over(frame?));
        }
        queue.stop();
        outcome
    })
}

/// Whether each thread takes frames of its own. Brute force does not share its queries.
fn frames_share_threads(blocks: &[&[Moment]], question: &Question) -> bool {
    let threads = rayon::current_num_threads();
    let frames: usize = blocks.iter().map(|block| block.len()).sum();
    threads > 1 && (frames >= threads || question.method == Method::BruteForce)
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
    bodies: &SceneBodies,
    input: &Input,
    blocks: &[&[Moment]],
    question: &Question,
    ran: Ran,
) -> Result<Option<QueryParts>> {
    let moments: Vec<Moment> = blocks.concat();
    let allowed = (DIVIDING.0 * ran.seconds).max(DIVIDING.1);
    // A round takes as long as three frames at the most. As `usize`: rounded down, within its range.
    let rounds = f64::from(QueryParts::ROUNDS);
    let affordable = (allowed / (3.0 * rounds * ran.seconds_a_frame)) as usize;
    let count = moments.len().min(DIVIDED).min(affordable);
    if count == 0 || question.method == Method::BruteForce {
        return Ok(None);
    }
    let mut bodies = bodies.clone();
    let mut sum = || {
        let mut sum = QueryParts::default();
        for at in 0..count {
            // One alone is taken from the middle.
            let number =
                if count == 1 { moments.len() / 2 } else { at * (moments.len() - 1) / (count - 1) };
            sum += QueryParts::measure(&mut bodies, input, moments[number], question)?;
        }
        Ok(Some(sum))
    };
    if frames_share_threads(blocks, question) { alone()?.install(sum) } else { sum() }
}

/// How long a run took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ran {
    pub(crate) seconds: f64,
    /// What one frame took on its thread, on average.
    pub(crate) seconds_a_frame: f64,
}
