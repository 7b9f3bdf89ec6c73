//! How deep the bodies of a world are in each other.

use super::contacts::Candidate;
use super::{BodyId, World};
use crate::query::pair_limit::PairLimit;
use crate::query::{Penetration, Region, Work};

/// All pieces of contact of a world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorldPenetrations {
    /// By ascending ids; a body with itself has its id twice.
    pub bodies: Vec<BodyPenetration>,
    /// What the query did.
    pub work: Work,
}

/// The pieces of contact of two bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPenetration {
    /// The two bodies, the smaller id first; twice the same for a body with itself.
    pub bodies: [BodyId; 2],
    /// As [`penetration`](crate::penetration()) or [`self_penetration`](crate::self_penetration())
    /// gives them; at least one.
    pub regions: Vec<Region>,
}

impl World {
    /// All pieces of contact with their depths, by pair of bodies in canonical order. A body that is
    /// wholly inside another is among them.
    ///
    /// Guarantee: for each pair of bodies that counts the answer of
    /// [`penetration`](crate::penetration()), and the same bits, work included, for any number of
    /// threads. Filters count as for [`World::contacts`].
    #[must_use]
    pub fn penetrations(&self) -> WorldPenetrations {
        let mut found = WorldPenetrations::default();
        let members = self.members();
        let ask = |[a, b]: Candidate| -> (Work, Option<BodyPenetration>) {
            let ((first, one), (second, other)) = (members[a as usize], members[b as usize]);
            let Penetration { regions, work } = match a == b {
                true => {
                    let touching = one.self_intersections_within(&PairLimit::none());
                    let mut found = one.body.self_penetration_of(&touching.pairs);
                    found.work += touching.work;
                    found
                }
                false => one.body.penetration(&other.body),
            };
            let found = BodyPenetration { bodies: [first, second], regions };
            (work, (!found.regions.is_empty()).then_some(found))
        };
        let with_itself = |&at: &u32| members[at as usize].1.with_itself;
        let alone = (0..members.len() as u32).filter(with_itself).map(|at| [at; 2]);
        let WorldPenetrations { bodies, work } = &mut found;
        let boxes = Self::boxes(&members, work);
        self.in_batches((&members, &boxes), alone, work, &PairLimit::none(), ask, bodies);
        bodies.sort_unstable_by_key(|found| found.bodies);
        found
    }
}
