//! Necklaces in a world: beads against triangles of bodies, and against other beads.

use std::ops::ControlFlow;

use crate::parallel::*;

use super::coherence::{BeadSession, Coherence};
use super::{BodyId, Groups, Member, World};
use crate::necklace::{BeadTriangles, Cages as _, Layered, beads_against, clashes, separate};
use crate::query::Work;
use crate::volume::Volume as _;
use crate::{Error, Necklace, Result};
use glam::DVec3;

/// The name of a necklace in a [`World`]. It stays valid until its necklace is removed, and is never
/// another necklace afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NecklaceId(BodyId);

impl std::fmt::Display for NecklaceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A necklace and what the world knows of it.
#[derive(Debug, Clone)]
pub(super) struct NecklaceMember {
    pub(super) cages: Layered,
    pub(super) groups: Groups,
    /// The smallest number of links between two beads of it that may clash; `None` if clashes within
    /// it do not count.
    pub(super) own_clashes: Option<u32>,
}

/// All contacts of a world's necklaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorldBeadContacts {
    /// By ascending necklace, with bodies before necklaces.
    pub contacts: Vec<BeadContact>,
    /// What the query did.
    pub work: Work,
}

/// A necklace that touches something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeadContact {
    /// The necklace.
    pub necklace: NecklaceId,
    /// What it touches.
    pub other: BeadPartner,
    /// Bead of the necklace; triangle of the body or bead of the other necklace. Ascending, each
    /// once. Clashes within a necklace have the smaller number first.
    pub pairs: Vec<[u32; 2]>,
}

/// What a necklace touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BeadPartner {
    /// Triangles of a body.
    Body(BodyId),
    /// Beads of a necklace: another one with a larger id, or itself.
    Necklace(NecklaceId),
}

impl World {
    /// Adds a necklace. It belongs to all groups; clashes within it do not count.
    ///
    /// # Errors
    /// [`Error::TooMany`] above 2^32 - 1 necklaces.
    ///
    /// ```
    /// use pliant::{Body, Mesh, Necklace, World, glam::DVec3, world::BeadPartner};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut world = World::new();
    /// let floor = world.insert(Body::rigid(mesh)?)?;
    /// let line: Vec<DVec3> = (0..4).map(|i| DVec3::new(0.2, 0.2, 0.1 * f64::from(i))).collect();
    /// let rope = world.insert_necklace(Necklace::open(&line, 0.06)?)?;
    /// let found = world.bead_contacts();
    /// assert_eq!((found.contacts[0].necklace, found.contacts[0].other), (rope, BeadPartner::Body(floor)));
    /// assert_eq!(found.contacts[0].pairs, [[0, 0]]);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn insert_necklace(&mut self, necklace: Necklace) -> Result<NecklaceId> {
        let cages = Layered::new(necklace);
        let member = NecklaceMember { cages, groups: Groups::ALL, own_clashes: None };
        Ok(NecklaceId(self.necklaces.insert(member)?))
    }

    /// Takes a necklace out. Its id is an error from then on.
    ///
    /// # Errors
    /// [`Error::NoSuchNecklace`].
    pub fn remove_necklace(&mut self, id: NecklaceId) -> Result<Necklace> {
        let removed = self.necklaces.remove(id.0).map_err(|_| Error::NoSuchNecklace { id })?;
        Ok(removed.cages.necklace().clone())
    }

    /// A necklace.
    ///
    /// # Errors
    /// [`Error::NoSuchNecklace`].
    pub fn necklace(&self, id: NecklaceId) -> Result<&Necklace> {
        let member = self.necklaces.get(id.0).map_err(|_| Error::NoSuchNecklace { id })?;
        Ok(member.cages.necklace())
    }

    /// All necklaces, by ascending id.
    pub fn necklaces(&self) -> impl Iterator<Item = (NecklaceId, &Necklace)> {
        self.necklaces.iter().map(|(id, member)| (NecklaceId(id), member.cages.necklace()))
    }

    /// Moves all beads of a necklace. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::NoSuchNecklace`], [`Error::CountMismatch`], [`Error::InvalidBead`].
    pub fn set_beads(&mut self, id: NecklaceId, centers: &[DVec3]) -> Result<()> {
        self.necklace_member(id)?.cages.set_positions(centers)
    }

    /// Sets the groups of a necklace.
    ///
    /// # Errors
    /// [`Error::NoSuchNecklace`].
    pub fn set_necklace_groups(&mut self, id: NecklaceId, groups: Groups) -> Result<()> {
        self.necklace_member(id)?.groups = groups;
        Ok(())
    }

    /// Sets whether clashes within a necklace count: of beads with at least so many links between
    /// them (see [`clashes`]), or none.
    ///
    /// # Errors
    /// [`Error::NoSuchNecklace`].
    pub fn set_own_clashes(&mut self, id: NecklaceId, min_gap: Option<u32>) -> Result<()> {
        self.necklace_member(id)?.own_clashes = min_gap;
        Ok(())
    }

    fn necklace_member(&mut self, id: NecklaceId) -> Result<&mut NecklaceMember> {
        self.necklaces.get_mut(id.0).map_err(|_| Error::NoSuchNecklace { id })
    }

    /// Whether contacts of a necklace with something count, by groups; of a necklace with itself by
    /// [`World::set_own_clashes`].
    ///
    /// # Errors
    /// [`Error::NoSuchNecklace`], [`Error::NoSuchBody`].
    pub fn beads_count(&self, id: NecklaceId, other: BeadPartner) -> Result<bool> {
        let of =
            |id: NecklaceId| self.necklaces.get(id.0).map_err(|_| Error::NoSuchNecklace { id });
        let member = of(id)?;
        let groups = match other {
            BeadPartner::Necklace(same) if same == id => return Ok(member.own_clashes.is_some()),
            BeadPartner::Necklace(other) => of(other)?.groups,
            BeadPartner::Body(body) => self.bodies.get(body)?.groups,
        };
        Ok(member.groups.count_with(groups))
    }

    /// The smallest number of links between beads of a necklace that may clash, if clashes within it
    /// count.
    ///
    /// # Errors
    /// [`Error::NoSuchNecklace`].
    pub fn own_clashes(&self, id: NecklaceId) -> Result<Option<u32>> {
        let member = self.necklaces.get(id.0).map_err(|_| Error::NoSuchNecklace { id })?;
        Ok(member.own_clashes)
    }

    /// All beads that touch triangles of bodies, beads of other necklaces, or beads of their own.
    ///
    /// Guarantee: the pairs of
    /// [`brute_force::bead_contacts`](super::brute_force::bead_contacts), and the same bits, work
    /// included, for any number of threads. Contacts between bodies are those of
    /// [`World::contacts`].
    #[must_use]
    pub fn bead_contacts(&self) -> WorldBeadContacts {
        let chains: Vec<_> = self.necklaces.iter().collect();
        match self.coherence {
            Coherence::FromScratch => self.bead_contacts_of(&chains, None),
            Coherence::Fronts => self.keeper.bead_query(&chains, &self.members(), |session| {
                self.bead_contacts_of(&chains, Some(session))
            }),
        }
    }

    /// Contacts of all necklaces, which start where the queries before ended, if there is something.
    fn bead_contacts_of(
        &self,
        chains: &[(BodyId, &NecklaceMember)],
        session: Option<&BeadSession<'_>>,
    ) -> WorldBeadContacts {
        let mut found = WorldBeadContacts::default();
        let own = chains.iter().filter(|(_, member)| member.own_clashes.is_some());
        let mut asked: Vec<(BodyId, BeadPartner)> =
            own.map(|&(id, _)| (id, BeadPartner::Necklace(NecklaceId(id)))).collect();
        if !chains.is_empty() {
            let members = self.members();
            let mut boxes = Self::boxes(&members, &mut found.work);
            found.work.bounds += chains.len() as u64;
            boxes.extend(chains.iter().map(|(_, member)| member.cages.cage(0).bounding_box()));
            let _ = self.broad_phase.pairs(&boxes, &mut found.work, &mut |[a, b]| {
                let (a, b) = (a as usize, b as usize);
                // Necklaces stand after all bodies, and the smaller number comes first.
                if let Some(&(id, _)) = b.checked_sub(members.len()).and_then(|b| chains.get(b)) {
                    let pair = match a.checked_sub(members.len()).and_then(|a| chains.get(a)) {
                        Some(&(first, _)) => (first, BeadPartner::Necklace(NecklaceId(id))),
                        None => (id, BeadPartner::Body(members[a].0)),
                    };
                    if self.beads_count(NecklaceId(pair.0), pair.1) == Ok(true) {
                        asked.push(pair);
                    }
                }
                ControlFlow::Continue(())
            });
        }
        asked.sort_unstable();
        let answers: Vec<_> = asked
            .par_iter()
            .map(|&(id, other)| self.ask_beads(NecklaceId(id), other, session))
            .collect();
        for ((id, other), BeadTriangles { pairs, work }) in asked.into_iter().zip(answers) {
            found.work += work;
            if !pairs.is_empty() {
                found.contacts.push(BeadContact { necklace: NecklaceId(id), other, pairs });
            }
        }
        found
    }

    /// The contacts of one necklace with one other thing. Ids that do not exist have none.
    fn ask_beads(
        &self,
        id: NecklaceId,
        other: BeadPartner,
        session: Option<&BeadSession<'_>>,
    ) -> BeadTriangles {
        let Ok(member) = self.necklaces.get(id.0) else { return BeadTriangles::default() };
        let key = (id.0, other);
        match other {
            BeadPartner::Body(number) => match self.bodies.get(number) {
                Ok(Member { body, .. }) => match session {
                    Some(session) => session.against_body(key, &member.cages, (number, body)),
                    None => beads_against(&member.cages, body),
                },
                Err(_) => BeadTriangles::default(),
            },
            BeadPartner::Necklace(same) if same == id => {
                let (necklace, min_gap) =
                    (member.cages.necklace(), member.own_clashes.unwrap_or(2));
                if let Some(session) = session {
                    return session.own_clashes(key, necklace, min_gap);
                }
                let found = clashes(necklace, min_gap);
                BeadTriangles { pairs: found.pairs, work: found.work }
            }
            BeadPartner::Necklace(NecklaceId(number)) => match self.necklaces.get(number) {
                Ok(other) => {
                    let both = [&member.cages, &other.cages];
                    if let Some(session) = session {
                        return session.clashes_between(key, both, number);
                    }
                    let found = separate(both[0], both[1]);
                    BeadTriangles { pairs: found.clashes().to_vec(), work: found.work() }
                }
                Err(_) => BeadTriangles::default(),
            },
        }
    }

    pub(super) fn cages_of(&self, id: NecklaceId) -> Option<&Layered> {
        self.necklaces.get(id.0).ok().map(|member| &member.cages)
    }
}
