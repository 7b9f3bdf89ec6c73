//! What is within a distance of each other in a world.

use super::contacts::Candidate;
use super::{BodyId, World};
use crate::Result;
use crate::query::pair_limit::PairLimit;
use crate::query::{Within, WithinPair, Work, within::check_distance};
use crate::volume::Aabb;

/// All triangles of different bodies that are within a distance of each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorldWithin {
    /// By ascending ids; a body with itself has its id twice.
    pub bodies: Vec<BodiesWithin>,
    /// What the query did.
    pub work: Work,
}

/// Two bodies that are within a distance of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct BodiesWithin {
    /// The two bodies, the smaller id first; twice the same for a body with itself.
    pub bodies: [BodyId; 2],
    /// Their triangles, as [`within`](crate::within()) or [`self_within`](crate::self_within())
    /// gives them.
    pub pairs: Vec<WithinPair>,
}

impl World {
    /// All pairs of triangles that are at most so far apart, by pair of bodies in canonical order.
    ///
    /// Guarantee: the pairs that [`brute_force::within`](super::brute_force::within) finds, and the
    /// same bits, work included, for any number of threads. Filters count as for
    /// [`World::contacts`].
    ///
    /// # Errors
    /// [`Error::InvalidDistance`](crate::Error::InvalidDistance).
    pub fn within(&self, distance: f64) -> Result<WorldWithin> {
        check_distance(distance)?;
        let mut found = WorldWithin::default();
        let members = self.members();
        let ask = |[a, b]: Candidate| -> (Work, Option<BodiesWithin>) {
            let ((first, one), (second, other)) = (members[a as usize], members[b as usize]);
            let near = match a == b {
                true => one.body.self_within(distance),
                false => one.body.within(&other.body, distance),
            };
            // The distance was checked.
            let Within { pairs, work } = near.unwrap_or_default();
            let near = BodiesWithin { bodies: [first, second], pairs };
            (work, (!near.pairs.is_empty()).then_some(near))
        };
        let with_itself = |&at: &u32| members[at as usize].1.with_itself;
        let alone = (0..members.len() as u32).filter(with_itself).map(|at| [at; 2]);
        let WorldWithin { bodies, work } = &mut found;
        let boxes: Vec<_> =
            Self::boxes(&members, work).iter().map(|around| grown(around, distance)).collect();
        self.in_batches((&members, &boxes), alone, work, &PairLimit::none(), ask, bodies);
        bodies.sort_unstable_by_key(|near| near.bodies);
        Ok(found)
    }
}

/// A box, grown on each side by a little more than half a distance: two such boxes overlap if the
/// boxes were within the distance of each other.
///
/// A sum in `f64` is rounded once, by less than 2^-52 of its terms. Rounding to `f32` is outward.
fn grown(around: &Aabb, distance: f64) -> Aabb {
    let (min, max) = (around.min.as_dvec3(), around.max.as_dvec3());
    let slack = (min.abs().max(max.abs()) + distance) * (4.0 * f64::EPSILON);
    Aabb::from_corners(min - 0.5 * distance - slack, max + 0.5 * distance + slack)
}
