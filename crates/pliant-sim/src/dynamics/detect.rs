//! All contacts of a step.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant::Work;
use pliant::volume::{Aabb, Overlap as _};
use pliant::world::BroadPhase;
use rayon::prelude::*;

use super::carried::InOrder;
use super::kept_pairs::{KeptPair, KeptPairs};
use super::obstacle_search::{moved_near, obstacle_contacts};
use super::pair_search::{Scratch, near_proxies, pair_contacts};
use super::snapshot::{Contact, Snapshot};
use super::surface_search::SurfaceScratch;
use crate::{Error, Result};

/// What a step did. Pairs of bodies, tests of proxies and contacts depend on the state alone; lists, tests of
/// nodes and spheres computed also on what was kept from steps before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepWork {
    /// Pairs of bodies whose boxes overlap.
    pub body_pairs: u64,
    /// Pairs of bodies whose lists of near proxies were made anew.
    pub lists_made: u64,
    /// Tests of two nodes, or of a node and an obstacle.
    pub node_tests: u64,
    /// Spheres of nodes that were computed from the coordinates, on the way to proxies.
    pub nodes_moved: u64,
    /// Proxies whose spheres were computed from the coordinates.
    pub proxies_moved: u64,
    /// Exact tests of two proxies that may approach each other so far in the step, or of a proxy and an
    /// obstacle or triangle.
    pub proxy_tests: u64,
    /// Contacts.
    pub contacts: u64,
}

impl StepWork {
    fn add(&mut self, other: &Self) {
        self.body_pairs += other.body_pairs;
        self.lists_made += other.lists_made;
        self.node_tests += other.node_tests;
        self.nodes_moved += other.nodes_moved;
        self.proxies_moved += other.proxies_moved;
        self.proxy_tests += other.proxy_tests;
        self.contacts += other.contacts;
    }
}

/// Pairs or bodies per task: enough to be worth a task, few enough to share evenly.
const PER_TASK: usize = 32;

/// All contacts, in an order that does not depend on threads: pairs of bodies ascending, then
/// bodies with their obstacles ascending.
pub(super) fn all_contacts(
    snapshot: &Snapshot,
    boxes: &[Aabb],
    phase: &dyn BroadPhase,
    kept: &mut KeptPairs,
    contacts: &mut Vec<Contact>,
) -> Result<StepWork> {
    let limit = snapshot.settings.max_contacts;
    if !kept.hold(boxes) {
        match overlapping_pairs(snapshot, kept.enlarge(snapshot, boxes), phase, limit) {
            Ok(pairs) => kept.replace(&pairs),
            Err(error) => {
                kept.forget();
                return Err(error);
            }
        }
    }
    let found = AtomicUsize::new(0);
    // Past the limit the step is an error, so what is left does not matter.
    let full = |more: usize| found.fetch_add(more, Ordering::Relaxed) + more > limit;
    let of_pairs = |scratch: &mut Scratch, run: &mut [KeptPair]| {
        let (mut here, mut work) = (Vec::new(), StepWork::default());
        // What a thread remembers depends on the tasks that it took; forgetting keeps counts the same.
        scratch.memos.iter_mut().for_each(|memo| memo.forget());
        let first = run.first().map_or([0, 0], |kept| kept.bodies);
        let mut carried = InOrder::from_pair(snapshot.carried, first);
        for kept in run {
            let before = here.len();
            let [a, b] = kept.bodies.map(|body| &boxes[body as usize]);
            if !a.overlaps(b) {
                continue;
            }
            work.body_pairs += 1;
            let carried = carried.of_pair(kept.bodies);
            pair_contacts(snapshot, kept, carried, scratch, &mut here, &mut work);
            if full(here.len() - before) {
                break;
            }
        }
        (here, work)
    };
    let bodies: Vec<u32> = (0..boxes.len() as u32).collect();
    let of_bodies = |scratch: &mut SurfaceScratch, run: &[u32]| {
        let (mut here, mut work) = (Vec::new(), StepWork::default());
        scratch.forget();
        for &body in run {
            let before = here.len();
            obstacle_contacts(snapshot, body, scratch, &mut here, &mut work);
            if full(here.len() - before) {
                break;
            }
        }
        (here, work)
    };
    let pairs = kept.pairs.par_chunks_mut(PER_TASK);
    let between: Vec<_> = pairs.map_init(Scratch::default, of_pairs).collect();
    let with_obstacles: Vec<_> = match snapshot.obstacles.is_empty() {
        true => vec![],
        false => {
            let runs = bodies.par_chunks(PER_TASK);
            runs.map_init(SurfaceScratch::default, of_bodies).collect()
        }
    };
    let count = found.into_inner();
    if count > limit {
        return Err(Error::TooMany { what: "contacts", count: count as f64, limit });
    }
    contacts.clear();
    contacts.reserve(count);
    let mut work = StepWork::default();
    for (here, done) in between.iter().chain(&with_obstacles) {
        contacts.extend_from_slice(here);
        work.add(done);
    }
    work.contacts = contacts.len() as u64;
    Ok(work)
}

/// For each body, the proxies whose spheres a step computes from the coordinates, ascending.
pub(super) fn moved_proxies(
    snapshot: &Snapshot,
    boxes: &[Aabb],
    phase: &dyn BroadPhase,
) -> Result<Vec<Vec<u32>>> {
    let mut moved = vec![Vec::new(); boxes.len()];
    let (mut scratch, mut work) = (Scratch::default(), StepWork::default());
    for [a, b] in overlapping_pairs(snapshot, boxes, phase, snapshot.settings.max_contacts)? {
        let margin = snapshot.margin(a, b);
        let (near, _) = near_proxies(snapshot, [a, b], margin, &mut scratch, &mut work);
        for &[node_a, node_b] in near {
            moved[a as usize].push(node_a);
            moved[b as usize].push(node_b);
        }
    }
    let mut scratch = SurfaceScratch::default();
    for (body, moved) in (0..).zip(&mut moved) {
        for obstacle in snapshot.obstacles {
            moved.extend(moved_near(snapshot, body, obstacle, &mut scratch, &mut work));
        }
        moved.sort_unstable();
        moved.dedup();
    }
    Ok(moved)
}

/// The pairs of bodies that may touch and whose boxes overlap, ascending.
fn overlapping_pairs(
    snapshot: &Snapshot,
    boxes: &[Aabb],
    phase: &dyn BroadPhase,
    limit: usize,
) -> Result<Vec<[u32; 2]>> {
    let mut pairs = Vec::new();
    let flow = phase.pairs(boxes, &mut Work::default(), &mut |pair| {
        if !snapshot.may_touch(pair[0], pair[1]) {
            return ControlFlow::Continue(());
        }
        if pairs.len() >= limit {
            return ControlFlow::Break(());
        }
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    if flow.is_break() {
        let count = pairs.len() as f64 + 1.0;
        return Err(Error::TooMany { what: "pairs of bodies", count, limit });
    }
    pairs.par_sort_unstable();
    Ok(pairs)
}
