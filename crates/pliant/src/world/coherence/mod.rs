//! What a world keeps from one query to the next: fronts, and how far bodies moved.
//!
//! The first query of a calm pair of bodies, or of a body with itself, makes a
//! [`Front`](crate::query::front::Front); the next ones start there. A front is kept for a pair of ids
//! as long as the pair is asked in every query, both bodies keep mesh, tree and kind, and their motion has a cheap bound: rigid, affine, free and reduced bodies, skins that
//! are blended linearly without morph targets, and bodies that follow keyframes. All others are asked
//! from scratch.
//!
//! A front pays while steps are short beside the edges of triangles. So a front is made only after
//! [`CALM_STEPS`] short steps in a row, and given up where a step makes so many of its pairs due that
//! the last query from scratch took less; then it is not tried again for a while, and longer each
//! time. A world where everything jumps pays for a look at the motion now and then.

mod beads;
mod course;
mod kept_pair;
mod motion;
mod track;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::beads::NecklaceMember;
use super::{BodyId, Member};
use crate::body::{AnyBody, with_body};
use crate::query::Intersections;
use crate::query::front::{Moved, OneBody, TwoBodies};
use crate::query::pair_limit::PairLimit;
pub(super) use beads::BeadSession;
use beads::KeptBeads;
use kept_pair::KeptPair;
use track::{KeptTracks, Tracks};

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
const SHORT_STEP: f64 = 0.025;

/// So many short steps in a row come before a front is made.
const CALM_STEPS: u32 = 2;

/// The most pairs of one front, and of all fronts of a world as far as that is known before a query:
/// 14 bytes each.
const MOST_PAIRS: usize = 1 << 22;
const MOST_PAIRS_IN_ALL: usize = 1 << 24;

/// What is kept between queries.
#[derive(Debug, Default)]
pub(super) struct Kept {
    tracks: KeptTracks,
    pairs: HashMap<[BodyId; 2], KeptPair>,
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
        kept.pairs.values().map(KeptPair::front_pairs).sum::<usize>() + beads.front_pairs()
    }

    /// Runs a query of beads with what is kept of the necklaces and bodies, and keeps what it leaves.
    pub(super) fn bead_query<T>(
        &self,
        chains: &[(BodyId, &NecklaceMember)],
        members: &[(BodyId, &Member)],
        run: impl FnOnce(&BeadSession<'_>) -> T,
    ) -> T {
        let lock = || self.beads.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = std::mem::take(&mut *lock());
        let session = BeadSession::new(kept, chains, members);
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
        let Kept { tracks, pairs } = self.take();
        let session = Session {
            most: most_of_each(pairs.len()),
            tracks: Tracks::new(tracks, members),
            before: Mutex::new(pairs),
            after: Mutex::new(HashMap::new()),
        };
        let answer = run(&session);
        self.put(session.end());
        answer
    }
}

/// The most pairs of one of so many fronts.
fn most_of_each(fronts: usize) -> usize {
    (MOST_PAIRS_IN_ALL / fronts.max(1)).min(MOST_PAIRS)
}

/// What one query knows of the queries before.
pub(super) struct Session<'a> {
    tracks: Tracks<'a>,
    before: Mutex<HashMap<[BodyId; 2], KeptPair>>,
    after: Mutex<HashMap<[BodyId; 2], KeptPair>>,
    /// The most pairs of a front.
    most: usize,
}

impl Session<'_> {
    fn end(self) -> Kept {
        let pairs = self.after.into_inner().unwrap_or_else(PoisonError::into_inner);
        Kept { tracks: self.tracks.end(), pairs }
    }

    /// All touching pairs of triangles of two members, or of one with itself. Pairs are missing if the
    /// limit is exceeded, and only then.
    pub(super) fn intersections_within(
        &self,
        [first, second]: [usize; 2],
        limit: &PairLimit,
    ) -> Intersections {
        let members = self.tracks.members;
        let [(a, one), (b, other)] = [members[first], members[second]];
        let from_scratch = || match first == second {
            true => one.self_intersections_within(limit),
            false => one.body.intersections_within(&other.body, limit),
        };
        // What is prepared looks at less than a front does.
        if first == second && one.prepared.is_some() {
            return from_scratch();
        }
        let kept = self.before.lock().unwrap_or_else(PoisonError::into_inner).remove(&[a, b]);
        let mut pair = kept.unwrap_or_default();
        let found = if pair.rests() {
            pair.start_over(from_scratch)
        } else if let (Some(of_a), Some(of_b)) =
            (self.tracks.course(first), self.tracks.course(second))
        {
            let (courses, most) = ([of_a, of_b], self.most);
            let (body, other) = (&one.body, &other.body);
            // Their vertices are computed from many numbers.
            let keeps = |body: &AnyBody| matches!(body, AnyBody::Reduced(_) | AnyBody::Skinned(_));
            let keeps = [keeps(body), keeps(other)];
            match first == second {
                true => with_body!(body, own => {
                    let sides = OneBody(Moved::new(&**own, keeps[0]));
                    pair.ask(&sides, courses, most, limit, from_scratch)
                }),
                false => with_body!(body, a => {
                    let sides =
                        TwoBodies { a: Moved::new(&**a, keeps[0]), b: Moved::new(other, keeps[1]) };
                    pair.ask(&sides, courses, most, limit, from_scratch)
                }),
            }
        } else {
            pair.is_not_watched();
            from_scratch()
        };
        if !limit.is_exceeded() {
            self.after.lock().unwrap_or_else(PoisonError::into_inner).insert([a, b], pair);
        }
        found
    }
}
