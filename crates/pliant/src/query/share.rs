//! A traversal to its end, shared between threads where it is large.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::parallel::{current_num_threads, for_each_number};

use super::Work;
use super::traverse::{BLOCK, BoundedTree, NodePair, PairVisitor, Stride, traverse};

/// A visitor that gathers results, and whose work can be shared between threads.
///
/// If it stops a traversal, its other parts have nothing to find either: see `is_done`.
pub(crate) trait Gather: Send + Sync {
    /// A visitor of the same question that has found nothing yet.
    fn fork(&self) -> Self;

    /// Whether there is nothing more to find, for this visitor and all of its forks.
    fn is_done(&self) -> bool;

    /// Takes over what a fork has found.
    fn join(&mut self, other: Self);
}

/// Node pairs opened on the calling thread before other threads are asked: below this
/// number, waking them costs more than the query.
const SEQUENTIAL_STEPS: usize = 8192;

/// Node pairs that are handed out to threads: enough to share evenly.
const SHARED_PAIRS: usize = 256;

/// Shows a visitor everything below the given pairs of nodes.
///
/// What is visited, and so the work, does not depend on threads. Only the order does. Both sides are told
/// how many bounds were taken.
pub(crate) fn traverse_all<A, B, V>(
    a: &A,
    b: &B,
    starts: Vec<NodePair>,
    work: &mut Work,
    visitor: &mut V,
) where
    A: BoundedTree + Sync,
    B: BoundedTree + Sync,
    V: PairVisitor<A, B> + Gather,
{
    let before = work.bounds;
    share(a, b, starts, work, visitor);
    let taken = work.bounds - before;
    a.looked_at(taken);
    b.looked_at(taken);
}

fn share<A, B, V>(a: &A, b: &B, starts: Vec<NodePair>, work: &mut Work, visitor: &mut V)
where
    A: BoundedTree + Sync,
    B: BoundedTree + Sync,
    V: PairVisitor<A, B> + Gather,
{
    let go = |starts: Vec<NodePair>, steps: usize, work: &mut Work, visitor: &mut V| {
        traverse(a, b, starts, Stride { steps, block: BLOCK }, work, visitor)
    };
    let rest = go(starts, SEQUENTIAL_STEPS, work, visitor);
    if rest.is_empty() {
        return;
    }
    if current_num_threads() == 1 {
        let _ = go(rest, usize::MAX, work, visitor);
        return;
    }
    // A traversal leaves few pairs, some far larger than others: open the oldest in turn
    // until there are enough to share.
    let mut front = VecDeque::from(rest);
    while front.len() < SHARED_PAIRS
        && let Some(pair) = front.pop_front()
    {
        front.extend(go(vec![pair], 1, work, visitor));
    }
    let rest = Vec::from(front);
    let root = &*visitor;
    let size = rest.len().div_ceil(SHARED_PAIRS).max(1);
    // As many visitors as threads are at work at once, each with what its parts found. Threads see the query through
    // a table: it is compiled for many kinds of bodies, what shares work only once.
    let idle: Mutex<Vec<(V, Work)>> = Mutex::default();
    for_each_number(rest.len().div_ceil(size), &|number| {
        let taken = idle.lock().ok().and_then(|mut idle| idle.pop());
        let (mut part, mut work) = taken.unwrap_or_else(|| (root.fork(), Work::default()));
        if !part.is_done() {
            let pairs = rest.iter().skip(number * size).take(size).copied().collect();
            let _ = go(pairs, usize::MAX, &mut work, &mut part);
        }
        if let Ok(mut idle) = idle.lock() {
            idle.push((part, work));
        }
    });
    // The lock is never poisoned: nothing in it panics.
    for (part, part_work) in idle.into_inner().unwrap_or_default() {
        visitor.join(part);
        *work += part_work;
    }
}
