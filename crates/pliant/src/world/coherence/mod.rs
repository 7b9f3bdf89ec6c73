//! What a world keeps from one query to the next: fronts, and how far bodies moved.
//!
//! The first query of a calm pair of bodies makes a [`Front`]; the next ones start there. A front
//! is kept for a pair of ids as long as the pair is asked in every query, both bodies keep mesh, tree
//! and kind, and their motion has a cheap bound: rigid, affine, free and reduced bodies, skins that
//! are blended linearly without morph targets, and bodies that follow keyframes. All others are asked
//! from scratch.
//!
//! A front pays while steps are short beside the edges of triangles. So a front is made only after
//! [`CALM_STEPS`] short steps in a row, and given up where a step makes so many of its pairs due that
//! the last query from scratch took less; then it is not tried again for a while, and longer each
//! time. A world where everything jumps pays for a look at the motion alone.

mod beads;
mod motion;
mod track;

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::beads::NecklaceMember;
use super::{BodyId, Member};
use crate::body::{AnyBody, with_body};
use crate::query::front::{Front, PerPatch, Travel};
use crate::query::pair_limit::PairLimit;
use crate::query::{Intersections, Work};
pub(super) use beads::BeadSession;
use beads::KeptBeads;
use track::Track;

/// Whether a world starts queries where the last ones ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Coherence {
    /// Every query starts from scratch, and nothing is kept.
    #[default]
    FromScratch,
    /// [`World::contacts`](super::World::contacts) keeps the front of every pair of bodies that move
    /// little: the pairs of nodes and triangles where its last descent ended.
    /// [`World::bead_contacts`](super::World::bead_contacts) does so for necklaces. No answer depends on
    /// it. Work counts depend on the queries before, not on threads.
    Fronts,
}

/// A step is short if both bodies together move less than this share of an edge's length, on the
/// average over their patches. Measured (`pliant-bench fronts`): above, most triangles near contact
/// are due in every step, and a front gains nothing.
const SHORT_STEP: f64 = 0.06;

/// So many short steps in a row come before a front is made.
const CALM_STEPS: u32 = 2;

/// Queries from scratch after a front was given up: at first, and the most, if that happens again
/// and again before it was followed for a while.
const REST: u32 = 4;
const LONGEST_REST: u32 = 64;
const A_WHILE: u32 = 32;

/// What a query from scratch costs, in tests of two triangles, below which a front is not worth its
/// keep.
const LEAST_COST: u64 = 256;

/// The most pairs of one front, and of all fronts of a world as far as that is known before a query:
/// 14 bytes each.
const MOST_PAIRS: usize = 1 << 22;
const MOST_PAIRS_IN_ALL: usize = 1 << 24;

/// What is kept between queries.
#[derive(Debug, Default)]
pub(super) struct Kept {
    tracks: HashMap<BodyId, Track>,
    pairs: HashMap<[BodyId; 2], KeptPair>,
    /// How many tracks were ever started.
    started: u64,
}

/// What is kept of two bodies.
#[derive(Debug)]
struct KeptPair {
    front: Option<Front>,
    /// The tracks of both bodies, and how far they had travelled when the front was made.
    tracks: [u64; 2],
    since: [Box<PerPatch<f64>>; 2],
    /// Short steps in a row.
    calm: u32,
    /// Queries from scratch until a front is made again, and how many came after the last failure.
    rest: u32,
    last_rest: u32,
    /// Queries that followed the front.
    followed: u32,
    /// The last query from scratch.
    scratch: Work,
}

/// Keeps what a world keeps behind `&self`. A clone keeps nothing.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    bodies: Mutex<Kept>,
    beads: Mutex<KeptBeads>,
}

impl Clone for Keeper {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Keeper {
    /// Takes out what is kept. A query that runs at the same time finds nothing and starts from
    /// scratch.
    fn take(&self) -> Kept {
        std::mem::take(&mut *self.bodies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, kept: Kept) {
        *self.bodies.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// How many pairs of nodes, triangles and beads all fronts hold together.
    pub(super) fn front_pairs(&self) -> usize {
        let kept = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
        let beads = self.beads.lock().unwrap_or_else(PoisonError::into_inner);
        let of_bodies = kept.pairs.values().filter_map(|pair| pair.front.as_ref());
        of_bodies.map(Front::len).sum::<usize>() + beads.front_pairs()
    }

    /// Runs a query of beads with what is kept of the necklaces, and keeps what it leaves.
    pub(super) fn bead_query<T>(
        &self,
        members: &[(BodyId, &NecklaceMember)],
        run: impl FnOnce(&BeadSession) -> T,
    ) -> T {
        let lock = || self.beads.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = std::mem::take(&mut *lock());
        let session = BeadSession::new(kept, members);
        let answer = run(&session);
        *lock() = session.end();
        answer
    }

    /// Runs a query with what is kept of the members, and keeps what it leaves.
    pub(super) fn query<T>(
        &self,
        members: &[(BodyId, &Member)],
        run: impl FnOnce(&Session<'_>) -> T,
    ) -> T {
        let Kept { tracks, pairs, started } = self.take();
        let session = Session {
            members,
            most: (MOST_PAIRS_IN_ALL / pairs.len().max(1)).min(MOST_PAIRS),
            before: Mutex::new(pairs),
            after: Mutex::new(HashMap::new()),
            last: tracks,
            tracks: members.iter().map(|_| OnceLock::new()).collect(),
            started,
        };
        let answer = run(&session);
        self.put(session.end());
        answer
    }
}

/// What one query knows of the queries before.
pub(super) struct Session<'a> {
    members: &'a [(BodyId, &'a Member)],
    before: Mutex<HashMap<[BodyId; 2], KeptPair>>,
    after: Mutex<HashMap<[BodyId; 2], KeptPair>>,
    /// Tracks as the last query left them.
    last: HashMap<BodyId, Track>,
    /// Tracks of the members, each measured when it is first asked for.
    tracks: Vec<OnceLock<Option<Track>>>,
    started: u64,
    /// The most pairs of a front.
    most: usize,
}

impl Session<'_> {
    fn end(self) -> Kept {
        let Self { members, after, tracks, started, .. } = self;
        let own = members
            .iter()
            .zip(tracks)
            .filter_map(|(&(id, _), track)| track.into_inner().flatten().map(|track| (id, track)));
        let pairs = after.into_inner().unwrap_or_else(PoisonError::into_inner);
        Kept { tracks: own.collect(), pairs, started: started + members.len() as u64 }
    }

    /// The track of a member, up to its state now.
    fn track(&self, at: usize) -> Option<&Track> {
        let measure = || {
            let (id, member) = self.members[at];
            let number = self.started + at as u64;
            let last = self.last.get(&id).cloned();
            let followed = last.and_then(|last| last.follow(&member.body, number));
            followed.or_else(|| Track::new(&member.body, number))
        };
        self.tracks[at].get_or_init(measure).as_ref()
    }

    /// All touching pairs of triangles of two members. Pairs are missing if the limit is exceeded,
    /// and only then.
    pub(super) fn intersections_within(
        &self,
        [first, second]: [usize; 2],
        limit: &PairLimit,
    ) -> Intersections {
        let [(a, one), (b, other)] = [self.members[first], self.members[second]];
        let (one, other) = (&one.body, &other.body);
        let (Some(of_a), Some(of_b)) = (self.track(first), self.track(second)) else {
            return one.intersections_within(other, limit);
        };
        let kept = self.before.lock().unwrap_or_else(PoisonError::into_inner).remove(&[a, b]);
        let mut pair = kept.unwrap_or_default();
        let found = pair.intersections_within([one, other], [of_a, of_b], self.most, limit);
        if !limit.is_exceeded() {
            self.after.lock().unwrap_or_else(PoisonError::into_inner).insert([a, b], pair);
        }
        found
    }
}

impl Default for KeptPair {
    fn default() -> Self {
        Self {
            front: None,
            tracks: [u64::MAX; 2],
            since: [0, 1].map(|_| Box::new([0.0; 256])),
            calm: 0,
            rest: 0,
            last_rest: 0,
            followed: 0,
            scratch: Work::default(),
        }
    }
}

impl KeptPair {
    fn intersections_within(
        &mut self,
        [a, b]: [&AnyBody; 2],
        tracks: [&Track; 2],
        most: usize,
        limit: &PairLimit,
    ) -> Intersections {
        let numbers = tracks.map(|track| track.number);
        let step = tracks[0].mean_step + tracks[1].mean_step;
        let edge = tracks[0].edge.min(tracks[1].edge);
        if numbers != self.tracks {
            // What was learned of the pair stays.
            (self.front, self.tracks, self.calm) = (None, numbers, 0);
        }
        self.calm = if step <= SHORT_STEP * edge { self.calm + 1 } else { 0 };
        let mut work = Work::default();
        if let Some(mut front) = self.front.take()
            && self.calm > 0
        {
            let moved = [0, 1].map(|i| moved_since(&self.since[i], &tracks[i].travelled));
            let travel = [0, 1].map(|i| travel(tracks[i], &moved[i]));
            if front.find_due(travel) > cost(&self.scratch) {
                self.give_up();
            } else if front.is_spent() {
                // Made again below.
            } else {
                with_body!(a, a => front.follow((&**a, b), travel, most, &mut work));
                if front.len() <= most {
                    self.followed += 1;
                    if self.followed > A_WHILE {
                        self.last_rest = 0;
                    }
                    return self.keep(front, work, limit);
                }
                self.give_up();
            }
        }
        if self.rest > 0 {
            self.rest -= 1;
        } else if self.calm >= CALM_STEPS && cost(&self.scratch) >= LEAST_COST {
            let travel = tracks.map(|track| travel(track, &[0.0; 256]));
            let made = with_body!(a, a => Front::new((&**a, b), travel, most, &mut work));
            self.since = tracks.map(|track| track.travelled.clone());
            self.followed = 0;
            match made {
                Some(front) => return self.keep(front, work, limit),
                None => self.give_up(),
            }
        }
        let mut found = a.intersections_within(b, limit);
        self.scratch = found.work;
        found.work += work;
        found
    }

    fn give_up(&mut self) {
        self.last_rest = (2 * self.last_rest).clamp(REST, LONGEST_REST);
        self.rest = self.last_rest;
    }

    fn keep(&mut self, front: Front, work: Work, limit: &PairLimit) -> Intersections {
        let pairs = front.pairs().to_vec();
        let _ = limit.count(pairs.len());
        self.front = Some(front);
        Intersections { pairs, work }
    }
}

/// About what a query from scratch cost, in tests of two triangles. Measured: five tests of boxes cost
/// about as much as one.
fn cost(scratch: &Work) -> u64 {
    scratch.overlap_tests / 5 + scratch.primitive_tests
}

/// How far each patch went since it had travelled so far.
fn moved_since(since: &PerPatch<f64>, travelled: &PerPatch<f64>) -> PerPatch<f64> {
    std::array::from_fn(|patch| (travelled[patch] - since[patch]).next_up())
}

fn travel<'a>(track: &'a Track, moved: &'a PerPatch<f64>) -> Travel<'a> {
    Travel { patches: &track.patches, moved, step: &track.step }
}
