//! The same questions, answered by looking at every primitive.
//!
//! Each query has a function of the same signature here. These use no bounds and no trees, so
//! that a test that compares the two sees a mistake in either. They also serve tiny bodies.

pub use super::sweep::brute_force::{
    first_impact, first_self_impact, self_sweep, self_sweep_up_to, sweep, sweep_up_to,
};

use glam::DVec3;

use super::closest::check_point;
use super::inside::{Count, Direction, Seen, located};
use super::pair_limit::PairLimit;
use super::penetration::{Ask, regions_between, regions_within};
use super::proxies::{contact, is_proxy};
use super::ray::Kept as _;
use super::traverse::Flow;
use super::within::{check_distance, pair_within};
use super::{
    BallCast, ClosestPoint, Distance, FoundPair, Intersections, Penetration, PointLocation,
    PointLocations, ProxyContacts, RayCast, RayHits, TrianglesNear, Within, Work,
};
use crate::Result;
use crate::body::{Collide, Surface};
use crate::contact::{BallPath, closest_point_on_triangle, triangles_touch};
use crate::tree::{Tree, level_of_nodes};
use crate::volume::{Ray, Sphere};

/// As [`intersections`](super::intersections).
#[must_use]
pub fn intersections<A: Collide, B: Collide>(a: &A, b: &B) -> Intersections {
    intersections_within(a, b, &PairLimit::none())
}

/// As [`intersections_up_to`](super::intersections_up_to).
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs).
pub fn intersections_up_to<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    most: usize,
) -> Result<Intersections> {
    PairLimit::up_to(most, |limit| intersections_within(a, b, limit))
}

/// Pairs are missing if the limit is exceeded, and only then.
pub(crate) fn intersections_within<A: Collide, B: Collide>(
    a: &A,
    b: &B,
    limit: &PairLimit,
) -> Intersections {
    let mut found = Intersections::default();
    let triangles_b: Vec<_> = (0..triangles(b)).map(|j| b.triangle(j)).collect();
    for i in 0..triangles(a) {
        let triangle = a.triangle(i);
        let before = found.pairs.len();
        for (j, other) in (0..).zip(&triangles_b) {
            found.work.primitive_tests += 1;
            if triangles_touch(&triangle, other) {
                found.pairs.push([i, j]);
            }
        }
        if limit.count(found.pairs.len() - before) == Flow::Stop {
            break;
        }
    }
    found
}

/// As [`intersects`](super::intersects). It may find another pair.
#[must_use]
pub fn intersects<A: Collide, B: Collide>(a: &A, b: &B) -> FoundPair {
    let mut work = Work::default();
    for i in 0..triangles(a) {
        let triangle = a.triangle(i);
        for j in 0..triangles(b) {
            work.primitive_tests += 1;
            if triangles_touch(&triangle, &b.triangle(j)) {
                return FoundPair { pair: Some([i, j]), work };
            }
        }
    }
    FoundPair { pair: None, work }
}

/// As [`self_intersections`](super::self_intersections).
#[must_use]
pub fn self_intersections<A: Collide>(body: &A) -> Intersections {
    self_intersections_within(body, &PairLimit::none())
}

/// As [`self_intersections_up_to`](super::self_intersections_up_to).
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs).
pub fn self_intersections_up_to<A: Collide>(body: &A, most: usize) -> Result<Intersections> {
    PairLimit::up_to(most, |limit| self_intersections_within(body, limit))
}

/// Pairs are missing if the limit is exceeded, and only then.
pub(crate) fn self_intersections_within<A: Collide>(body: &A, limit: &PairLimit) -> Intersections {
    let mut found = Intersections::default();
    for i in 0..triangles(body) {
        let triangle = body.triangle(i);
        let before = found.pairs.len();
        for j in i + 1..triangles(body) {
            if body.adjacent(i, j) {
                continue;
            }
            found.work.primitive_tests += 1;
            if triangles_touch(&triangle, &body.triangle(j)) {
                found.pairs.push([i, j]);
            }
        }
        if limit.count(found.pairs.len() - before) == Flow::Stop {
            break;
        }
    }
    found
}

/// As [`within`](super::within()).
///
/// # Errors
/// [`Error::InvalidDistance`](crate::Error::InvalidDistance).
pub fn within<A: Collide, B: Collide>(a: &A, b: &B, distance: f64) -> Result<Within> {
    let reach = check_distance(distance)?;
    let mut found = Within::default();
    for i in 0..triangles(a) {
        for j in 0..triangles(b) {
            found.work.primitive_tests += 1;
            found.pairs.extend(pair_within([i, j], &a.triangle(i), &b.triangle(j), reach));
        }
    }
    Ok(found)
}

/// As [`self_within`](super::self_within).
///
/// # Errors
/// [`Error::InvalidDistance`](crate::Error::InvalidDistance).
pub fn self_within<A: Collide>(body: &A, distance: f64) -> Result<Within> {
    let reach = check_distance(distance)?;
    let mut found = Within::default();
    for i in 0..triangles(body) {
        for j in (i + 1..triangles(body)).filter(|&j| !body.adjacent(i, j)) {
            found.work.primitive_tests += 1;
            found.pairs.extend(pair_within([i, j], &body.triangle(i), &body.triangle(j), reach));
        }
    }
    Ok(found)
}

/// As [`penetration`](super::penetration()), with questions that look at every triangle.
#[must_use]
pub fn penetration<A: Surface, B: Surface>(a: &A, b: &B) -> Penetration {
    let Intersections { pairs, work } = intersections(a, b);
    regions_between(a, b, &pairs, Ask::EveryTriangle, work)
}

/// As [`self_penetration`](super::self_penetration), with questions that look at every triangle.
#[must_use]
pub fn self_penetration<A: Surface>(body: &A) -> Penetration {
    let Intersections { pairs, work } = self_intersections(body);
    regions_within(body, &pairs, Ask::EveryTriangle, work)
}

/// As [`distance`](super::distance()).
#[must_use]
pub fn distance<A: Collide, B: Collide>(a: &A, b: &B) -> Distance {
    let mut nearest = Distance::FARTHEST;
    for i in 0..triangles(a) {
        for j in 0..triangles(b) {
            nearest.consider(a, b, [i, j]);
        }
    }
    nearest
}

/// As [`ray_cast`](super::ray_cast).
#[must_use]
pub fn ray_cast<A: Collide>(body: &A, ray: &Ray) -> RayCast {
    let mut nearest = RayCast::default();
    for triangle in 0..triangles(body) {
        nearest.consider(body, ray, triangle);
    }
    nearest
}

/// As [`ray_hits`](super::ray_hits).
#[must_use]
pub fn ray_hits<A: Collide>(body: &A, ray: &Ray) -> RayHits {
    let mut all = RayHits::default();
    for triangle in 0..triangles(body) {
        all.consider(body, ray, triangle);
    }
    all.sorted()
}

/// As [`ball_cast`](super::ball_cast).
#[must_use]
pub fn ball_cast<A: Collide>(body: &A, path: &BallPath) -> BallCast {
    let mut nearest = BallCast::default();
    for triangle in 0..triangles(body) {
        nearest.consider(body, path, triangle);
    }
    nearest
}

/// As [`triangles_near`](super::triangles_near).
///
/// # Errors
/// As there.
pub fn triangles_near<A: Collide>(body: &A, point: DVec3, distance: f64) -> Result<TrianglesNear> {
    check_point(point)?;
    check_distance(distance)?;
    let mut near = TrianglesNear::default();
    for triangle in 0..triangles(body) {
        near.work.primitive_tests += 1;
        let found = closest_point_on_triangle(point, &body.triangle(triangle));
        if found.distance_squared <= distance * distance {
            near.triangles.push((triangle, found));
        }
    }
    Ok(near)
}

/// As [`closest_point`](super::closest_point).
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
pub fn closest_point<A: Collide>(body: &A, point: DVec3) -> Result<ClosestPoint> {
    check_point(point)?;
    let mut nearest = ClosestPoint::FARTHEST;
    for triangle in 0..triangles(body) {
        nearest.consider(body, point, triangle);
    }
    Ok(nearest)
}

/// As [`inside`](super::inside()), with rays that look at every triangle.
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if the point is not finite.
pub fn inside<A: Surface>(body: &A, point: DVec3) -> Result<PointLocation> {
    check_point(point)?;
    let see = |direction: Direction, work: &mut Work| {
        let mut count = Count::new(direction);
        for triangle in 0..triangles(body) {
            work.primitive_tests += 1;
            if !count.add(body, point, triangle) {
                return Seen::On;
            }
        }
        count.seen()
    };
    Ok(located(body, Direction::ALL[0], see, Work::default()))
}

/// As [`inside_many`](super::inside_many).
///
/// # Errors
/// [`Error::InvalidVector`](crate::Error::InvalidVector) if a point is not finite.
pub fn inside_many<A: Surface>(body: &A, points: &[DVec3]) -> Result<PointLocations> {
    let mut all = PointLocations::default();
    for &point in points {
        let location = inside(body, point)?;
        all.inside.push(location.inside);
        all.work += location.work;
    }
    Ok(all)
}

/// As [`proxy_contacts`](super::proxy_contacts).
#[must_use]
pub fn proxy_contacts<A, B>(a: &A, level_a: u32, b: &B, level_b: u32) -> ProxyContacts
where
    A: Collide<Volume = Sphere>,
    B: Collide<Volume = Sphere>,
{
    let mut found = ProxyContacts::default();
    let proxies_b = proxies(b.tree(), level_b);
    for i in proxies(a.tree(), level_a) {
        let sphere = a.bound(i);
        for &j in &proxies_b {
            found.work.bounds += 2;
            found.work.overlap_tests += 1;
            found.contacts.extend(contact([i, j], &sphere, &b.bound(j)));
        }
    }
    found
}

/// The nodes of a level, and the leaves above it.
fn proxies(tree: &Tree, level: u32) -> Vec<u32> {
    let levels = (0..).zip(level_of_nodes(tree));
    let proxies = levels.filter(|&(node, depth)| {
        depth == level || (depth < level && is_proxy(tree, node, depth, level))
    });
    proxies.map(|(node, _)| node).collect()
}

/// How many triangles a body has.
fn triangles<A: Collide>(body: &A) -> u32 {
    body.tree().primitives.len() as u32
}
