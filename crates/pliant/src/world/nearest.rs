//! What is nearest in a world: along a ray, to a point, to a body.

use glam::DVec3;

use super::{BodyId, Member, World};
use crate::Result;
use crate::body::Collide as _;
use crate::contact::{RayHit, computed_distance_floor};
use crate::query::{ClosestPoint, Distance, Work, check_point, closest_point, distance, ray_cast};
use crate::volume::{Apart as _, Ray, RayEntry as _, Volume as _};

/// What a ray hits first in a world.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WorldRayCast {
    /// The body, its triangle and where on it. Of several at the same computed `t` the smallest
    /// id, then the smallest triangle.
    pub hit: Option<(BodyId, u32, RayHit)>,
    /// What the query did.
    pub work: Work,
}

/// The bodies nearest to a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorldNearest {
    /// By ascending distance; bodies at the same computed distance by ascending id.
    pub bodies: Vec<NearestBody>,
    /// What the query did.
    pub work: Work,
}

/// A body and its point that is closest to a given point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestBody {
    /// The body.
    pub body: BodyId,
    /// Its closest point.
    pub closest: ClosestPoint,
}

/// The body nearest to another body.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WorldDistance {
    /// The other body and the way there; its first points and triangles are those of the body
    /// that was asked for. Of several at the same computed distance the smallest id.
    pub nearest: Option<(BodyId, Distance)>,
    /// What the query did.
    pub work: Work,
}

impl World {
    /// The first triangle of any body that a ray hits.
    ///
    /// Guarantee: bit for bit the nearest of what [`ray_cast`] finds on every body.
    #[must_use]
    pub fn ray_cast(&self, ray: &Ray) -> WorldRayCast {
        self.ray_cast_where(ray, |_| true)
    }

    /// As [`World::ray_cast`], among the bodies that count.
    #[must_use]
    pub fn ray_cast_where(&self, ray: &Ray, counts: impl Fn(BodyId) -> bool) -> WorldRayCast {
        let mut found = WorldRayCast::default();
        let by_entry = self.by_floor(&mut found.work, counts, |member| {
            member.body.bound(0).ray_entry(ray, f64::INFINITY)
        });
        for (entry, id, member) in by_entry {
            let until = found.hit.map_or(f64::INFINITY, |(_, _, hit)| hit.t);
            if entry > until {
                break;
            }
            let cast = ray_cast(&member.body, ray);
            found.work += cast.work;
            if let Some((triangle, hit)) = cast.hit
                && found.hit.is_none_or(|(other, _, best)| (hit.t, id) < (best.t, other))
            {
                found.hit = Some((id, triangle, hit));
            }
        }
        found
    }

    /// The body whose surface is closest to a point, and the point there.
    ///
    /// # Errors
    /// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
    pub fn closest_point(&self, point: DVec3) -> Result<WorldNearest> {
        self.nearest_bodies(point, 1)
    }

    /// The bodies whose surfaces are nearest to a point, at most so many.
    ///
    /// Guarantee: bit for bit the nearest of what [`closest_point`] finds on every body.
    ///
    /// # Errors
    /// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
    pub fn nearest_bodies(&self, point: DVec3, count: usize) -> Result<WorldNearest> {
        check_point(point)?;
        let mut found = WorldNearest::default();
        let by_floor = self.by_floor(
            &mut found.work,
            |_| true,
            |member| {
                let volume = member.body.bound(0);
                Some(computed_distance_floor(
                    volume.distance_squared_to_point(point),
                    volume.point_error(),
                ))
            },
        );
        let order = |near: &NearestBody| (near.closest.found.distance_squared, near.body);
        for (floor, id, member) in by_floor {
            let full = found.bodies.len() >= count;
            if full && found.bodies.last().is_none_or(|last| floor > order(last).0) {
                break;
            }
            let closest = closest_point(&member.body, point)?;
            found.work += closest.work;
            let near = NearestBody { body: id, closest };
            let at = found.bodies.partition_point(|other| order(other) < order(&near));
            found.bodies.insert(at, near);
            found.bodies.truncate(count);
        }
        Ok(found)
    }

    /// The nearest body that counts with a body, and the way there.
    ///
    /// Guarantee: bit for bit the nearest of what [`distance`](crate::distance()) finds for every
    /// other body.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`](crate::Error::NoSuchBody).
    pub fn nearest_to(&self, id: BodyId) -> Result<WorldDistance> {
        let own = self.bodies.get(id)?;
        let around = own.body.bound(0);
        let mut found = WorldDistance::default();
        let counts = |other: BodyId| {
            let others = self.bodies.get(other);
            id != other && others.is_ok_and(|member| self.pair_counts((id, own), (other, member)))
        };
        let by_floor = self.by_floor(&mut found.work, counts, |member| {
            let volume = member.body.bound(0);
            let apart = around.distance_squared_to(&volume);
            Some(computed_distance_floor(apart, around.point_error() + volume.point_error()))
        });
        for (floor, other, member) in by_floor {
            if found.nearest.is_some_and(|(_, best)| floor > best.squared) {
                break;
            }
            let way = distance(&own.body, &member.body);
            found.work += way.work;
            let nearer =
                |(body, best): (BodyId, Distance)| (way.squared, other) < (best.squared, body);
            if found.nearest.is_none_or(nearer) {
                found.nearest = Some((other, way));
            }
        }
        Ok(found)
    }

    /// The bodies that count and have a floor, by ascending floor.
    fn by_floor(
        &self,
        work: &mut Work,
        counts: impl Fn(BodyId) -> bool,
        floor: impl Fn(&Member) -> Option<f64>,
    ) -> Vec<(f64, BodyId, &Member)> {
        let counting = self.bodies.iter().filter(|&(id, _)| counts(id));
        let mut bodies: Vec<_> = counting
            .filter_map(|(id, member)| {
                work.bounds += 1;
                work.overlap_tests += 1;
                Some((floor(member)?, id, member))
            })
            .collect();
        bodies.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        bodies
    }
}
