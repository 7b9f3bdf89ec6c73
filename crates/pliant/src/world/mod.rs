//! A world: many bodies, and questions about all of them.
//!
//! A [`World`] owns bodies of any kind under stable ids. Every query reads the bodies' states as
//! they are: it asks each body for the box of its root, lets a [`BroadPhase`] find the pairs of
//! boxes that overlap, and asks the pairs that count. Nothing is kept between queries that could be
//! stale.

mod beads;
mod body_id;
mod broad_phase;
pub mod brute_force;
mod coherence;
mod contacts;
mod filter;
mod inside;
mod nearest;
mod penetration;
mod swept;
mod swept_streamed;
mod within;

pub use beads::{BeadContact, BeadPartner, NecklaceId, WorldBeadContacts};
pub use body_id::BodyId;
pub use broad_phase::{
    Auto, BROAD_PHASES, BoxIndex, BoxTree, BroadPhase, Bsp, DynamicBoxTree, DynamicTree, EveryPair,
    Found, Grid, KdTree, Leaf, Octree, Probe, SurfaceAreaTree, Sweep, SweepAndPrune,
    broad_phase_named,
};
pub use coherence::Coherence;
pub use contacts::{BodyContact, BodyPair, WorldContacts, WorldPairs};
pub use filter::Groups;
pub use inside::WorldInside;
pub use nearest::{NearestBody, WorldDistance, WorldNearest, WorldRayCast};
pub use penetration::{BodyPenetration, WorldPenetrations};
pub use swept::{BodiesSwept, WorldSwept};
pub use within::{BodiesWithin, WorldWithin};

use std::sync::Arc;

use crate::body::{AnyBody, Collide as _};
use crate::query::pair_limit::PairLimit;
use crate::query::{Intersections, Work};
use crate::self_contact::{AnySelfContact, PreparedSelfSweep};
use crate::volume::Aabb;
use crate::{Error, Result};
use beads::NecklaceMember;
use body_id::Slots;
use coherence::Keeper;
use filter::{IgnoredPairs, PairRule};

/// Many bodies, in which anything may meet anything.
///
/// ```
/// use pliant::{Body, Isometry, Mesh, World, glam::DVec3};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let mut world = World::new();
/// let floor = world.insert(Body::rigid(mesh.clone())?)?;
/// let cloth = world.insert(Body::free(mesh)?)?;
/// let found = world.contacts();
/// assert_eq!(found.contacts[0].bodies, [floor, cloth]);
/// assert_eq!(found.contacts[0].pairs, [[0, 0]]);
///
/// world.remove(floor)?;
/// assert!(world.get(floor).is_err()); // never another body
/// assert!(world.contacts().contacts.is_empty());
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct World {
    bodies: Slots<Member>,
    necklaces: Slots<NecklaceMember>,
    ignored: IgnoredPairs,
    rule: Option<PairRule>,
    broad_phase: Arc<dyn BroadPhase>,
    coherence: Coherence,
    /// What is kept from one query to the next.
    keeper: Keeper,
}

/// Whether preparing costs little: a list is made with the first query.
fn is_moved_as_one(body: &AnyBody) -> bool {
    matches!(body, AnyBody::Rigid(_) | AnyBody::Affine(_))
}

/// A body and what the world knows of it.
#[derive(Debug, Clone)]
struct Member {
    body: AnyBody,
    groups: Groups,
    /// Whether contacts of the body with itself count.
    with_itself: bool,
    /// What speeds up contacts of the body with itself.
    prepared: Option<Arc<AnySelfContact>>,
    /// What speeds up sweeps of the body with itself.
    prepared_sweep: Option<Arc<PreparedSelfSweep>>,
}

impl Member {
    /// All contacts of the body with itself. Some are missing if the limit is exceeded, and only
    /// then.
    fn self_intersections_within(&self, limit: &PairLimit) -> Intersections {
        let prepared = self.prepared.as_ref();
        let found = prepared
            .and_then(|prepared| prepared.self_intersections_within(&self.body, limit).ok());
        found.unwrap_or_else(|| self.body.self_intersections_within(limit))
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world, with the broad phase that suits its bodies: [`Auto`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_broad_phase(Auto::new())
    }

    /// An empty world with a broad phase of the caller's choice. No answer depends on it.
    #[must_use]
    pub fn with_broad_phase(broad_phase: impl BroadPhase + 'static) -> Self {
        Self {
            bodies: Slots::new(),
            necklaces: Slots::new(),
            ignored: IgnoredPairs::default(),
            rule: None,
            broad_phase: Arc::new(broad_phase),
            coherence: Coherence::default(),
            keeper: Keeper::default(),
        }
    }

    /// Sets whether [`World::contacts`] and [`World::bead_contacts`] start where they last ended. No
    /// answer depends on it.
    ///
    /// ```
    /// use pliant::{Body, Mesh, World, glam::DVec3, world::Coherence};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut world = World::new();
    /// world.set_coherence(Coherence::Fronts);
    /// world.insert(Body::rigid(mesh.clone())?)?;
    /// world.insert(Body::rigid(mesh)?)?;
    /// for _ in 0..10 {
    ///     assert_eq!(world.contacts().contacts.len(), 1);
    /// }
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn set_coherence(&mut self, coherence: Coherence) {
        self.coherence = coherence;
        self.keeper.clear();
    }

    /// How many pairs of nodes, of triangles and of beads are kept in fronts: the memory that they take,
    /// about 12 bytes each.
    #[must_use]
    pub fn front_pairs(&self) -> usize {
        self.keeper.front_pairs()
    }

    /// Adds a body of any kind. It belongs to all groups; contacts with itself do not count.
    ///
    /// # Errors
    /// [`Error::TooMany`] above 2^32 - 1 bodies.
    pub fn insert(&mut self, body: impl Into<AnyBody>) -> Result<BodyId> {
        let body = body.into();
        self.bodies.insert(Member {
            body,
            groups: Groups::ALL,
            with_itself: false,
            prepared: None,
            prepared_sweep: None,
        })
    }

    /// Takes a body out. Its id is an error from then on.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn remove(&mut self, id: BodyId) -> Result<AnyBody> {
        let member = self.bodies.remove(id)?;
        self.ignored.forget(id);
        Ok(member.body)
    }

    /// A body.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn get(&self, id: BodyId) -> Result<&AnyBody> {
        Ok(&self.bodies.get(id)?.body)
    }

    /// A body, to set its state.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn get_mut(&mut self, id: BodyId) -> Result<&mut AnyBody> {
        Ok(&mut self.bodies.get_mut(id)?.body)
    }

    /// All bodies, by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = (BodyId, &AnyBody)> {
        self.bodies.iter().map(|(id, member)| (id, &member.body))
    }

    /// How many bodies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the groups of a body.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn set_groups(&mut self, id: BodyId, groups: Groups) -> Result<()> {
        self.bodies.get_mut(id)?.groups = groups;
        Ok(())
    }

    /// Sets whether contacts of a body with itself count.
    ///
    /// Rigid and affine bodies are prepared for that by themselves: from the second query on only
    /// pairs are looked at that rounding could change. See [`World::set_prepared`] for others, and
    /// for many clones of one body, which may share what is prepared.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn set_self_contact(&mut self, id: BodyId, counts: bool) -> Result<()> {
        let member = self.bodies.get_mut(id)?;
        member.with_itself = counts;
        if counts && member.prepared.is_none() && is_moved_as_one(&member.body) {
            member.prepared = AnySelfContact::new(&member.body).map(Arc::new);
        }
        Ok(())
    }

    /// Sets what speeds up contacts of a body with itself. Clones of one body may share it. No
    /// answer depends on it: it is not used while the body is not the one that it was made of, or
    /// a clone of that.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn set_prepared(
        &mut self,
        id: BodyId,
        prepared: Option<Arc<AnySelfContact>>,
    ) -> Result<()> {
        self.bodies.get_mut(id)?.prepared = prepared;
        Ok(())
    }

    /// Sets what speeds up sweeps of a body with itself, in the world that is the start of a step.
    /// Clones of one body may share it. No answer depends on it: it is not used while the body is
    /// not the one that it was made of, or a clone of that, or where another adjacency or only the
    /// first impact is asked for.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn set_prepared_sweep(
        &mut self,
        id: BodyId,
        prepared: Option<Arc<PreparedSelfSweep>>,
    ) -> Result<()> {
        self.bodies.get_mut(id)?.prepared_sweep = prepared;
        Ok(())
    }

    /// What speeds up contacts of a body with itself, if there is something.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn prepared(&self, id: BodyId) -> Result<Option<&AnySelfContact>> {
        Ok(self.bodies.get(id)?.prepared.as_deref())
    }

    /// Sets whether a pair of bodies is ignored, whatever their groups. The order of the two does
    /// not matter.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]; [`Error::SameBody`] for a body with itself, see
    /// [`World::set_self_contact`].
    pub fn set_ignored(&mut self, a: BodyId, b: BodyId, ignored: bool) -> Result<()> {
        self.bodies.get(a)?;
        self.bodies.get(b)?;
        if a == b {
            return Err(Error::SameBody { id: a });
        }
        self.ignored.set([a, b], ignored);
        Ok(())
    }

    /// Sets a rule that says of two bodies, the smaller id first, whether their contacts count. A
    /// pair counts if groups, ignored pairs and this rule all agree. Bodies with themselves are not
    /// asked for; see [`World::set_self_contact`].
    ///
    /// The rule must give the same answer whenever it is asked.
    ///
    /// ```
    /// use pliant::{Body, Mesh, World, glam::DVec3};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut world = World::new();
    /// let hero = world.insert(Body::rigid(mesh.clone())?)?;
    /// for _ in 0..3 {
    ///     world.insert(Body::rigid(mesh.clone())?)?;
    /// }
    /// world.set_pair_rule(move |a, b| a == hero || b == hero);
    /// assert_eq!(world.contacts().contacts.len(), 3); // instead of 6
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn set_pair_rule(
        &mut self,
        counts: impl Fn(BodyId, BodyId) -> bool + Send + Sync + 'static,
    ) {
        self.rule = Some(PairRule::new(counts));
    }

    /// Whether contacts of two bodies count; of a body with itself if both ids are the same.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`].
    pub fn counts(&self, a: BodyId, b: BodyId) -> Result<bool> {
        let (first, second) = (self.bodies.get(a)?, self.bodies.get(b)?);
        Ok(if a == b { first.with_itself } else { self.pair_counts((a, first), (b, second)) })
    }

    #[inline]
    fn pair_counts(&self, (a, first): (BodyId, &Member), (b, second): (BodyId, &Member)) -> bool {
        first.groups.count_with(second.groups)
            && !self.ignored.contains([a, b])
            && self.rule.as_ref().is_none_or(|rule| rule.counts([a, b]))
    }

    /// All members by ascending id.
    fn members(&self) -> Vec<(BodyId, &Member)> {
        self.bodies.iter().collect()
    }

    /// The box of each member, now.
    fn boxes(members: &[(BodyId, &Member)], work: &mut Work) -> Vec<Aabb> {
        work.bounds += members.len() as u64;
        members.iter().map(|(_, member)| member.body.bound(0)).collect()
    }
}
