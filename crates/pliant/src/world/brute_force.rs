//! Twins of a world's questions that look at every triangle of every body.

use glam::DVec3;

use super::{
    BeadContact, BeadPartner, BodiesSwept, BodiesWithin, BodyContact, BodyId, NearestBody, World,
    WorldBeadContacts, WorldContacts, WorldDistance, WorldNearest, WorldRayCast, WorldSwept,
    WorldWithin,
};
use crate::Result;
use crate::necklace::brute_force as beads;
use crate::query::pair_limit::PairLimit;
use crate::query::{Strays, SweepSettings, Work, brute_force};
use crate::volume::Ray;

/// Twin of [`World::contacts`].
#[must_use]
pub fn contacts(world: &World) -> WorldContacts {
    contacts_within(world, &PairLimit::none())
}

/// Twin of [`World::contacts_up_to`].
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs).
pub fn contacts_up_to(world: &World, most: usize) -> Result<WorldContacts> {
    let limit = PairLimit::new(most);
    limit.check(contacts_within(world, &limit))
}

/// Contacts are missing if the limit is exceeded, and only then.
fn contacts_within(world: &World, limit: &PairLimit) -> WorldContacts {
    let mut found = WorldContacts::default();
    let bodies: Vec<_> = world.iter().collect();
    for (at, &(a, first)) in bodies.iter().enumerate() {
        for &(b, second) in &bodies[at..] {
            if world.counts(a, b) != Ok(true) || limit.is_exceeded() {
                continue;
            }
            let hit = match a == b {
                true => brute_force::self_intersections_within(first, limit),
                false => brute_force::intersections_within(first, second, limit),
            };
            found.work += hit.work;
            if !hit.pairs.is_empty() {
                found.contacts.push(BodyContact { bodies: [a, b], pairs: hit.pairs });
            }
        }
    }
    found
}

/// Twin of [`World::within`].
///
/// # Errors
/// [`Error::InvalidDistance`](crate::Error::InvalidDistance).
pub fn within(world: &World, distance: f64) -> Result<WorldWithin> {
    let mut found = WorldWithin::default();
    let bodies: Vec<_> = world.iter().collect();
    for (at, &(a, first)) in bodies.iter().enumerate() {
        for &(b, second) in &bodies[at..] {
            if world.counts(a, b) != Ok(true) {
                continue;
            }
            let near = match a == b {
                true => brute_force::self_within(first, distance),
                false => brute_force::within(first, second, distance),
            }?;
            found.work += near.work;
            if !near.pairs.is_empty() {
                found.bodies.push(BodiesWithin { bodies: [a, b], pairs: near.pairs });
            }
        }
    }
    Ok(found)
}

/// Twin of [`World::sweep`].
///
/// # Errors
/// Those of [`World::sweep`].
pub fn sweep(
    world: &World,
    end: &World,
    strays: &[Strays],
    settings: &SweepSettings,
) -> Result<WorldSwept> {
    let limit = PairLimit::new(settings.most);
    let mut found = WorldSwept::default();
    let steps = world.steps(end, strays)?;
    let bodies: Vec<_> = world.iter().map(|(id, _)| id).zip(&steps).collect();
    for (at, &(a, first)) in bodies.iter().enumerate() {
        for &(b, second) in &bodies[at..] {
            if world.counts(a, b) != Ok(true) || limit.is_exceeded() {
                continue;
            }
            let other = (a != b).then_some(second);
            let swept = first.ask_brute_force(other, settings, &limit);
            found.work += swept.work;
            if !swept.is_empty() {
                found.bodies.push(BodiesSwept { bodies: [a, b], swept });
            }
        }
    }
    limit.check(found)
}

/// Twin of [`World::ray_cast`].
#[must_use]
pub fn ray_cast(world: &World, ray: &Ray) -> WorldRayCast {
    let mut found = WorldRayCast::default();
    for (id, body) in world.iter() {
        let cast = brute_force::ray_cast(body, ray);
        found.work += cast.work;
        if let Some((triangle, hit)) = cast.hit
            && found.hit.is_none_or(|(_, _, best)| hit.t < best.t)
        {
            found.hit = Some((id, triangle, hit));
        }
    }
    found
}

/// Twin of [`World::nearest_bodies`].
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
pub fn nearest_bodies(world: &World, point: DVec3, count: usize) -> Result<WorldNearest> {
    let mut bodies = Vec::new();
    let mut work = Work::default();
    for (body, of) in world.iter() {
        let closest = brute_force::closest_point(of, point)?;
        work += closest.work;
        bodies.push(NearestBody { body, closest });
    }
    bodies.sort_by(|a, b| {
        let [a, b] = [a, b].map(|near| near.closest.found.distance_squared);
        a.total_cmp(&b)
    });
    bodies.truncate(count);
    Ok(WorldNearest { bodies, work })
}

/// Twin of [`World::nearest_to`].
///
/// # Errors
/// [`Error::NoSuchBody`](crate::Error::NoSuchBody).
pub fn nearest_to(world: &World, id: BodyId) -> Result<WorldDistance> {
    let own = world.get(id)?;
    let mut found = WorldDistance::default();
    for (other, body) in world.iter() {
        if other == id || !world.counts(id, other)? {
            continue;
        }
        let way = brute_force::distance(own, body);
        found.work += way.work;
        if found.nearest.is_none_or(|(_, best)| way.squared < best.squared) {
            found.nearest = Some((other, way));
        }
    }
    Ok(found)
}

/// Twin of [`World::bead_contacts`].
#[must_use]
pub fn bead_contacts(world: &World) -> WorldBeadContacts {
    let mut found = WorldBeadContacts::default();
    for (id, necklace) in world.necklaces() {
        let bodies = world.iter().map(|(body, _)| BeadPartner::Body(body));
        let later = world.necklaces().filter(|&(other, _)| other >= id);
        for other in bodies.chain(later.map(|(other, _)| BeadPartner::Necklace(other))) {
            if world.beads_count(id, other) != Ok(true) {
                continue;
            }
            let (pairs, work) = match other {
                BeadPartner::Body(body) => {
                    let (Some(cages), Ok(body)) = (world.cages_of(id), world.get(body)) else {
                        continue;
                    };
                    let hit = beads::beads_against(cages, body);
                    (hit.pairs, hit.work)
                }
                BeadPartner::Necklace(other) if other == id => {
                    let min_gap = world.own_clashes(id).ok().flatten().unwrap_or(2);
                    let hit = beads::clashes(necklace, min_gap);
                    (hit.pairs, hit.work)
                }
                BeadPartner::Necklace(other) => {
                    let Ok(other) = world.necklace(other) else { continue };
                    let hit = beads::clashes_between(necklace, other);
                    (hit.pairs, hit.work)
                }
            };
            found.work += work;
            if !pairs.is_empty() {
                found.contacts.push(BeadContact { necklace: id, other, pairs });
            }
        }
    }
    found
}
