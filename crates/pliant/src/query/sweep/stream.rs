//! What touches between two states, handed over while it is found.
//!
//! The search goes in rounds. A round takes some open pairs of nodes, in parts of a fixed size that
//! threads share. Each part opens a fixed number of pairs and leaves the rest for later rounds, last
//! ones first. So neither the parts nor their order depend on threads, and what is kept at any time
//! is what one round found, however much touches.

use std::ops::ControlFlow;

use super::step::Step;
use super::visitor::{All, Sweeping};
use super::{Adjacency, Swept, between, own_starts, prepared_whole, roots_meet, with_itself};
use crate::body::Surface;
use crate::parallel::*;
use crate::query::Work;
use crate::query::pair_limit::PairLimit;
use crate::query::share::Gather as _;
use crate::query::traverse::{BLOCK, Flow, NodePair, Stride, traverse};

/// Who takes what was found; `Break` if nothing more is wanted.
pub(crate) type HandOver<'a> = dyn FnMut(Swept) -> ControlFlow<()> + 'a;

/// Open pairs of nodes that a part begins with: those of a body with itself are many and small.
const PART_PAIRS: usize = 32;

/// Pairs of nodes that a part opens. All that touches below them is kept at once: with two triangles
/// at one place that is 15 pairs of features each.
const PART_STEPS: usize = 1024;

/// Parts of a round: enough for some threads to share evenly.
const ROUND_PARTS: usize = 32;

/// As [`sweep`](crate::sweep()), in batches: `hand_over` is given what touches a batch at a time, each
/// batch ascending, until it returns `Break`.
///
/// Guarantee: the batches together are what [`sweep`](crate::sweep()) returns, each contact in one of
/// them. Batches, their order and their work depend on the bodies alone, not on threads. Memory does
/// not grow with what touches. Returns the work of all batches that were handed over, and of the
/// search between them.
///
/// ```
/// use std::ops::ControlFlow;
/// use pliant::{Body, Mesh, glam::DVec3, query::{Step, sweep_streamed}};
/// let corners = |z: f64| vec![DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.0, 1.0, z)];
/// let plate = Body::free(Mesh::new(corners(0.0), vec![[0, 1, 2]])?)?;
/// let (mut above, mut below) = (plate.clone(), plate.clone());
/// above.set_positions(&corners(1.0))?;
/// below.set_positions(&corners(-3.0))?;
/// let (falling, still) = (Step::new(&above, &below)?, Step::still(&plate));
/// let mut contacts = 0;
/// sweep_streamed(&falling, &still, |batch| {
///     contacts += batch.contacts.len();
///     ControlFlow::Continue(())
/// });
/// assert_eq!(contacts, pliant::sweep(&falling, &still).contacts.len());
/// # Ok::<(), pliant::Error>(())
/// ```
pub fn sweep_streamed<A: Surface, B: Surface>(
    a: &Step<A>,
    b: &Step<B>,
    mut hand_over: impl FnMut(Swept) -> ControlFlow<()>,
) -> Work {
    stream(a, b, &PairLimit::none(), &mut hand_over)
}

/// As [`sweep_streamed`], for features of one body that do not share a vertex: what
/// [`self_sweep`](crate::self_sweep()) returns, in batches.
pub fn self_sweep_streamed<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    mut hand_over: impl FnMut(Swept) -> ControlFlow<()>,
) -> Work {
    self_stream(step, adjacency, &PairLimit::none(), &mut hand_over)
}

/// As [`sweep_streamed`]. The search ends early if the limit is exceeded.
pub(crate) fn stream<A: Surface, B: Surface>(
    a: &Step<A>,
    b: &Step<B>,
    limit: &PairLimit,
    hand_over: &mut HandOver,
) -> Work {
    let mut work = Work::default();
    if roots_meet(a, b, &mut work) {
        let visitor = between(a, b, All::new(limit));
        let _ = in_rounds((a, b), vec![[0, 0]], &visitor, &mut work, hand_over);
    }
    work
}

/// As [`self_sweep_streamed`]. The search ends early if the limit is exceeded.
pub(crate) fn self_stream<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    limit: &PairLimit,
    hand_over: &mut HandOver,
) -> Work {
    let mut work = Work::default();
    if !step.may_be_due([0, 0]) {
        return work;
    }
    let all = prepared_whole(step, adjacency);
    let visitor = with_itself(step, adjacency, all.as_deref(), All::new(limit));
    let _ = stream_below((vec![0], Vec::new()), step, visitor, &mut work, hand_over);
    work
}

/// Hands over what touches below some nodes and below some pairs of nodes that may meet.
pub(super) fn stream_below<A: Surface>(
    (nodes, mut pairs): (Vec<u32>, Vec<NodePair>),
    step: &Step<A>,
    mut visitor: Sweeping<All>,
    work: &mut Work,
    hand_over: &mut HandOver,
) -> ControlFlow<()> {
    // What touches within leaves: at most some times as much as there are triangles.
    let mut own = Work::default();
    let (mut starts, flow) = own_starts(step, nodes, &mut visitor, &mut own);
    *work += own;
    let fork = visitor.fork();
    let found = visitor.findings.swept(own);
    if !found.is_empty() {
        hand_over(found)?;
    }
    if flow == Flow::Stop {
        return ControlFlow::Break(());
    }
    pairs.append(&mut starts);
    in_rounds((step, step), pairs, &fork, work, hand_over)
}

/// Hands over what touches below pairs of nodes that may meet.
fn in_rounds<A: Surface, B: Surface>(
    (a, b): (&Step<A>, &Step<B>),
    mut open: Vec<NodePair>,
    visitor: &Sweeping<All>,
    work: &mut Work,
    hand_over: &mut HandOver,
) -> ControlFlow<()> {
    let search = |pairs: &[NodePair]| {
        let (mut part, mut work) = (visitor.fork(), Work::default());
        let stride = Stride { steps: PART_STEPS, block: BLOCK };
        let rest = traverse(a, b, pairs.to_vec(), stride, &mut work, &mut part);
        (rest, part.findings.swept(work))
    };
    while !open.is_empty() && !visitor.is_done() {
        let round = open.split_off(open.len().saturating_sub(ROUND_PARTS * PART_PAIRS));
        let mut take = |(mut rest, found): (Vec<NodePair>, Swept)| {
            open.append(&mut rest);
            *work += found.work;
            if found.is_empty() { ControlFlow::Continue(()) } else { hand_over(found) }
        };
        if round.len() <= PART_PAIRS || current_num_threads() == 1 {
            round.chunks(PART_PAIRS).map(search).try_for_each(take)?;
        } else {
            let parts: Vec<_> = round.par_chunks(PART_PAIRS).map(search).collect();
            parts.into_iter().try_for_each(&mut take)?;
        }
    }
    ControlFlow::Continue(())
}
