//! What touches in a world.

use std::ops::ControlFlow;

use crate::parallel::*;

use super::coherence::{Coherence, Session};
use super::{BodyId, Member, World};
use crate::Result;
use crate::query::pair_limit::PairLimit;
use crate::query::{Intersections, Work};
use crate::volume::Aabb;

/// All contacts of a world.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorldContacts {
    /// Pairs of bodies that touch, by ascending ids; a body with itself has its id twice.
    pub contacts: Vec<BodyContact>,
    /// What the query did.
    pub work: Work,
}

/// Two bodies that touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyContact {
    /// The two bodies, the smaller id first; twice the same for a body with itself.
    pub bodies: [BodyId; 2],
    /// Triangle of the first body, triangle of the second; ascending, each once.
    pub pairs: Vec<[u32; 2]>,
}

/// Which pairs of bodies of a world touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorldPairs {
    /// By ascending ids; bodies with themselves are not among them.
    pub pairs: Vec<BodyPair>,
    /// What the query did.
    pub work: Work,
}

/// Two bodies that touch, with one pair of triangles that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyPair {
    /// The two bodies, the smaller id first.
    pub bodies: [BodyId; 2],
    /// Triangle of the first body, triangle of the second.
    pub triangles: [u32; 2],
}

/// Pairs of bodies that are asked at once, in parallel: enough to share among threads, and few
/// enough that pairs of overlapping boxes, of which there may be billions, take no memory.
const BATCH: usize = 1 << 12;

/// Two places in a list of members.
pub(super) type Candidate = [u32; 2];

impl World {
    /// All pairs of triangles that touch, by pair of bodies in canonical order.
    ///
    /// Guarantee: the pairs that [`brute_force::contacts`](super::brute_force::contacts) finds, and
    /// the same bits, work included, for any number of threads. Pairs of bodies are shared among
    /// the threads of rayon's current pool, and so is the query of a large pair.
    #[must_use]
    pub fn contacts(&self) -> WorldContacts {
        self.contacts_within(&PairLimit::none())
    }

    /// As [`World::contacts`], but stops where more pairs of triangles touch than are asked for: in
    /// the worst case there are as many as the square of the number of all triangles.
    ///
    /// # Errors
    /// [`Error::TooManyPairs`](crate::Error::TooManyPairs) if more than `most` pairs of triangles
    /// touch. No more memory is used than for some thousand pairs above `most` per thread.
    ///
    /// ```
    /// use pliant::{Body, Error, Mesh, World, glam::DVec3};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut world = World::new();
    /// for _ in 0..10 {
    ///     world.insert(Body::rigid(mesh.clone())?)?; // all at one place
    /// }
    /// assert_eq!(world.contacts_up_to(45)?.contacts.len(), 45);
    /// assert_eq!(world.contacts_up_to(44), Err(Error::TooManyPairs { limit: 44 }));
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn contacts_up_to(&self, most: usize) -> Result<WorldContacts> {
        let limit = PairLimit::new(most);
        limit.check(self.contacts_within(&limit))
    }

    /// Contacts are missing if the limit is exceeded, and only then.
    fn contacts_within(&self, limit: &PairLimit) -> WorldContacts {
        let members = self.members();
        match self.coherence {
            Coherence::FromScratch => self.contacts_of(&members, None, limit),
            Coherence::Fronts => self
                .keeper
                .query(&members, |session| self.contacts_of(&members, Some(session), limit)),
        }
    }

    /// Contacts of all members, which start where the queries before ended, if there is something.
    fn contacts_of(
        &self,
        members: &[(BodyId, &Member)],
        session: Option<&Session<'_>>,
        limit: &PairLimit,
    ) -> WorldContacts {
        let mut found = WorldContacts::default();
        let ask = |[a, b]: Candidate| -> (Work, Option<BodyContact>) {
            let ((first, one), (second, other)) = (members[a as usize], members[b as usize]);
            let Intersections { pairs, work } = match session {
                _ if limit.is_exceeded() => Intersections::default(),
                Some(session) => session.intersections_within([a as usize, b as usize], limit),
                None if a == b => one.self_intersections_within(limit),
                None => one.body.intersections_within(&other.body, limit),
            };
            let contact = BodyContact { bodies: [first, second], pairs };
            (work, (!contact.pairs.is_empty()).then_some(contact))
        };
        let with_itself = |&at: &u32| members[at as usize].1.with_itself;
        let alone = (0..members.len() as u32).filter(with_itself).map(|at| [at; 2]);
        let WorldContacts { contacts, work } = &mut found;
        let boxes = Self::boxes(members, work);
        self.in_batches((members, &boxes), alone, work, limit, ask, contacts);
        contacts.sort_unstable_by_key(|contact| contact.bodies);
        found
    }

    /// Which pairs of bodies touch: yes or no for each, without all of their triangles.
    #[must_use]
    pub fn touching(&self) -> WorldPairs {
        let mut found = WorldPairs::default();
        let members = self.members();
        let ask = |[a, b]: Candidate| -> (Work, Option<BodyPair>) {
            let ((first, one), (second, other)) = (members[a as usize], members[b as usize]);
            let hit = one.body.intersects(&other.body);
            let bodies = [first, second];
            (hit.work, hit.pair.map(|triangles| BodyPair { bodies, triangles }))
        };
        let WorldPairs { pairs, work } = &mut found;
        let boxes = Self::boxes(&members, work);
        let limit = PairLimit::none();
        self.in_batches((&members, &boxes), std::iter::empty(), work, &limit, ask, pairs);
        pairs.sort_unstable_by_key(|pair| pair.bodies);
        found
    }

    /// Calls `found` with every pair of bodies that counts and whose boxes overlap, the smaller id
    /// first: what [`World::contacts`] asks, for those who ask something else. The order depends on
    /// the boxes alone. Bodies with themselves are not among them.
    pub fn candidates(&self, mut found: impl FnMut([BodyId; 2])) -> Work {
        let mut work = Work::default();
        let members = self.members();
        let boxes = Self::boxes(&members, &mut work);
        self.counting_pairs(&members, &boxes, &mut work, &mut |[a, b]| {
            found([members[a as usize].0, members[b as usize].0]);
            ControlFlow::Continue(())
        });
        work
    }

    /// The pairs of the broad phase that count.
    pub(super) fn counting_pairs(
        &self,
        members: &[(BodyId, &Member)],
        boxes: &[Aabb],
        work: &mut Work,
        found: &mut dyn FnMut(Candidate) -> ControlFlow<()>,
    ) {
        let _ = self.broad_phase.pairs(boxes, work, &mut |pair| {
            let [a, b] = pair.map(|at| members[at as usize]);
            if self.pair_counts(a, b) { found(pair) } else { ControlFlow::Continue(()) }
        });
    }

    /// Asks for all candidates, in parallel, a batch at a time, until the limit is exceeded.
    ///
    /// Sums of counts do not depend on the order of what is added, and answers are sorted by the
    /// caller: neither depends on threads.
    pub(super) fn in_batches<T: Send>(
        &self,
        (members, boxes): (&[(BodyId, &Member)], &[Aabb]),
        before: impl Iterator<Item = Candidate>,
        work: &mut Work,
        limit: &PairLimit,
        ask: impl Fn(Candidate) -> (Work, Option<T>) + Sync,
        answers: &mut Vec<T>,
    ) {
        let mut sum = Work::default();
        let mut batch: Vec<Candidate> = before.collect();
        let mut empty = |batch: &mut Vec<Candidate>| {
            for (work, answer) in answered(batch, &ask) {
                sum += work;
                answers.extend(answer);
            }
            batch.clear();
        };
        self.counting_pairs(members, boxes, work, &mut |pair| {
            batch.push(pair);
            if batch.len() >= BATCH {
                empty(&mut batch);
            }
            if limit.is_exceeded() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        empty(&mut batch);
        *work += sum;
    }
}

/// The answers to all candidates.
pub(super) fn answered<T: Send>(
    batch: &[Candidate],
    ask: &(impl Fn(Candidate) -> (Work, Option<T>) + Sync),
) -> Vec<(Work, Option<T>)> {
    // One candidate has all threads to itself, and a single thread needs no sharing.
    if batch.len() < 2 || current_num_threads() == 1 {
        return batch.iter().map(|&candidate| ask(candidate)).collect();
    }
    batch.par_iter().map(|&candidate| ask(candidate)).collect()
}
