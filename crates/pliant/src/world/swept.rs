//! What touches in a world between two of its states.

use super::contacts::Candidate;
use super::{BodyId, Member, World};
use crate::Result;
use crate::body::AnyBody;
use crate::query::pair_limit::PairLimit;
use crate::query::{Impacts, Step, Strays, SweepSettings, Swept, Work};
use crate::self_contact::PreparedSelfSweep;
use crate::volume::Aabb;

/// All that touches in a world between two of its states.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorldSwept {
    /// Pairs of bodies that touch, by ascending ids; a body with itself has its id twice.
    pub bodies: Vec<BodiesSwept>,
    /// What the query did.
    pub work: Work,
}

/// Two bodies that touch between two states.
#[derive(Debug, Clone, PartialEq)]
pub struct BodiesSwept {
    /// The two bodies, the smaller id first; twice the same for a body with itself.
    pub bodies: [BodyId; 2],
    /// What touches, and when.
    pub swept: Swept,
}

impl World {
    /// All that touches between this state of a world and another, `end`: a clone of it whose bodies
    /// were moved. Filters count as for [`World::contacts`]; those of this world do.
    ///
    /// `strays` says for each body, in ascending order, how far its vertices stray from their chords
    /// (see [`Step::straying_by`]); bodies without an entry move along their chords.
    ///
    /// Guarantee: what [`brute_force::sweep`](super::brute_force::sweep) finds, and the same bits,
    /// work included, for any number of threads.
    ///
    /// ```
    /// use pliant::{Body, Isometry, Mesh, World, glam::DVec3};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut start = World::new();
    /// start.insert(Body::rigid(mesh.clone())?)?;
    /// let bullet = start.insert(Body::affine(mesh)?)?;
    /// let mut end = start.clone();
    /// for (world, z) in [(&mut start, 1.0), (&mut end, -1.0)] {
    ///     if let pliant::AnyBody::Affine(body) = world.get_mut(bullet)? {
    ///         body.set_map(pliant::glam::DAffine3::from_translation(DVec3::Z * z))?;
    ///     }
    /// }
    /// let swept = start.sweep(&end, &[], &Default::default())?;
    /// assert_eq!(swept.bodies[0].swept.first().unwrap().lo, 0.5);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoSuchBody`](crate::Error::NoSuchBody) if a body is missing at the end,
    /// [`Error::PreparedForAnother`](crate::Error::PreparedForAnother) if it is another one there,
    /// or the strays are those of another, and
    /// [`Error::TooManyPairs`](crate::Error::TooManyPairs).
    pub fn sweep(
        &self,
        end: &Self,
        strays: &[Strays],
        settings: &SweepSettings,
    ) -> Result<WorldSwept> {
        let limit = PairLimit::new(settings.most);
        let mut found = WorldSwept::default();
        let members = self.members();
        let steps = self.steps(end, strays)?;
        let ask = |[a, b]: Candidate| -> (Work, Option<BodiesSwept>) {
            let ((first, _), (second, _)) = (members[a as usize], members[b as usize]);
            if limit.is_exceeded() {
                return (Work::default(), None);
            }
            let step = &steps[a as usize];
            let swept = if a != b {
                step.ask(Some(&steps[b as usize]), settings, &limit)
            } else {
                members[a as usize].1.self_sweep_within(step, settings, &limit)
            };
            let found = BodiesSwept { bodies: [first, second], swept };
            (found.swept.work, (!found.swept.is_empty()).then_some(found))
        };
        let with_itself = |&at: &u32| members[at as usize].1.with_itself;
        let alone = (0..members.len() as u32).filter(with_itself).map(|at| [at; 2]);
        let WorldSwept { bodies, work } = &mut found;
        let boxes = swept_boxes(&members, &steps, work);
        self.in_batches((&members, &boxes), alone, work, &limit, ask, bodies);
        bodies.sort_unstable_by_key(|swept| swept.bodies);
        limit.check(found)
    }

    /// The steps of all bodies, by ascending id.
    pub(super) fn steps<'a>(
        &'a self,
        end: &'a Self,
        strays: &'a [Strays],
    ) -> Result<Vec<Step<'a, AnyBody>>> {
        let strays = strays.iter().map(Some).chain(std::iter::repeat(None));
        let step = |((id, body), strays): ((BodyId, &'a AnyBody), Option<&'a Strays>)| {
            let step = Step::of_any(body, end.get(id)?)?;
            strays.map_or(Ok(step), |strays| step.straying_by(strays))
        };
        self.iter().zip(strays).map(step).collect()
    }
}

impl Member {
    /// What the body has with itself, by what is prepared if that answers the question.
    pub(super) fn self_sweep_within(
        &self,
        step: &Step<AnyBody>,
        settings: &SweepSettings,
        limit: &PairLimit,
    ) -> Swept {
        let prepared = self.prepared_for(settings);
        let found = prepared.and_then(|prepared| prepared.any_self_sweep_within(step, limit).ok());
        found.unwrap_or_else(|| step.ask(None, settings, limit))
    }

    /// What speeds up sweeps of the body with itself, if it answers the question.
    pub(super) fn prepared_for(&self, settings: &SweepSettings) -> Option<&PreparedSelfSweep> {
        let answers = |prepared: &&PreparedSelfSweep| {
            prepared.adjacency() == settings.adjacency && settings.impacts == Impacts::All
        };
        self.prepared_sweep.as_deref().filter(answers)
    }
}

/// A box around the way of each body.
pub(super) fn swept_boxes(
    members: &[(BodyId, &Member)],
    steps: &[Step<AnyBody>],
    work: &mut Work,
) -> Vec<Aabb> {
    work.bounds += 2 * members.len() as u64;
    steps.iter().map(Step::way).collect()
}
