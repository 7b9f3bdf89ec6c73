//! Compares the answers of queries with those of brute force.

use pliant::glam::DVec3;
use pliant::query::brute_force;
use pliant::volume::{Apart, Overlap, Ray, Volume};
use pliant::{ClosestPoint, Collide, Distance, RayCast};
use pliant::{
    closest_point, distance, intersections, intersects, ray_cast, ray_hits, self_intersections,
};

use crate::support::{Kinds, for_each_kind};

fn bits(v: DVec3) -> [u64; 3] {
    v.to_array().map(f64::to_bits)
}

/// A distance without its work, told apart by the last bit and the sign of zero.
pub(crate) fn distance_bits(d: &Distance) -> ([u32; 2], [[u64; 3]; 2], u64) {
    (d.pair, [bits(d.on_a), bits(d.on_b)], d.squared.to_bits())
}

pub(crate) fn ray_bits(cast: &RayCast) -> Option<(u32, u64, [u64; 3])> {
    cast.hit.map(|(triangle, hit)| (triangle, hit.t.to_bits(), hit.barycentric.map(f64::to_bits)))
}

pub(crate) fn closest_bits(c: &ClosestPoint) -> (u32, [u64; 3], [u64; 3], u64) {
    let weights = c.found.barycentric.map(f64::to_bits);
    (c.triangle, bits(c.found.point), weights, c.found.distance_squared.to_bits())
}

/// What brute force says about two bodies.
struct Truth {
    pairs: Vec<[u32; 2]>,
    /// Dear, so not always asked for.
    distance: Option<Distance>,
}

fn compare<V, W>(
    names: [&str; 2],
    a: &dyn Collide<Volume = V>,
    b: &dyn Collide<Volume = W>,
    truth: &Truth,
) where
    V: Volume + Overlap<W> + Apart<W>,
    W: Volume,
{
    let (a, b) = (&a, &b);
    let found = intersections(a, b);
    // As a whole: thousands of pairs say nothing in a message.
    assert!(found.pairs == truth.pairs, "{names:?}: {}", difference(&found.pairs, &truth.pairs));
    let some = intersects(a, b).pair;
    assert_eq!(some.is_some(), !truth.pairs.is_empty(), "{names:?}");
    assert!(some.is_none_or(|pair| truth.pairs.binary_search(&pair).is_ok()), "{names:?} {some:?}");
    if let Some(expected) = &truth.distance {
        let found = distance(a, b);
        let same = distance_bits(&found) == distance_bits(expected);
        assert!(same, "{names:?}: {found:?}, not {expected:?}");
        assert_eq!(found.squared == 0.0, !truth.pairs.is_empty(), "{names:?}");
    }
}

/// What is missing and what is too much, in short.
fn difference(found: &[[u32; 2]], expected: &[[u32; 2]]) -> String {
    let without = |from: &[[u32; 2]], other: &[[u32; 2]]| {
        let left: Vec<_> =
            from.iter().filter(|pair| !other.contains(pair)).take(4).copied().collect();
        left
    };
    let (missing, extra) = (without(expected, found), without(found, expected));
    format!("{} pairs, not {}: {missing:?} missing, {extra:?} extra", found.len(), expected.len())
}

/// Compares all kinds with all kinds, and gives the pairs.
pub(crate) fn check_two(a: &Kinds, b: &Kinds, with_distance: bool) -> Vec<[u32; 2]> {
    let pairs = brute_force::intersections(&a.free_boxes, &b.free_boxes).pairs;
    let distance = with_distance.then(|| brute_force::distance(&a.free_boxes, &b.free_boxes));
    let truth = Truth { pairs, distance };
    for_each_kind!(a, |name_a, body_a| {
        for_each_kind!(b, |name_b, body_b| compare([name_a, name_b], body_a, body_b, &truth));
    });
    truth.pairs
}

/// Compares the self-intersections of all kinds, and gives the pairs.
pub(crate) fn check_self(kinds: &Kinds) -> Vec<[u32; 2]> {
    let expected = brute_force::self_intersections(&kinds.free_boxes).pairs;
    check_self_against(kinds, &expected);
    expected
}

pub(crate) fn check_self_against(kinds: &Kinds, expected: &[[u32; 2]]) {
    for_each_kind!(kinds, |name, body| {
        let found = self_intersections(body).pairs;
        assert!(found == expected, "{name}: {}", difference(&found, expected));
    });
}

/// Compares rays and closest points of all kinds, and gives the number of hits.
pub(crate) fn check_rays_and_points(kinds: &Kinds, rays: &[Ray], points: &[DVec3]) -> usize {
    let mut hits = 0;
    for ray in rays {
        let expected = brute_force::ray_cast(&kinds.free_boxes, ray);
        let all = brute_force::ray_hits(&kinds.free_boxes, ray).hits;
        hits += usize::from(expected.hit.is_some());
        for_each_kind!(kinds, |name, body| {
            let found = ray_cast(body, ray);
            assert_eq!(ray_bits(&found), ray_bits(&expected), "{name}, {ray:?}");
            assert_eq!(ray_hits(body, ray).hits, all, "{name}, all along {ray:?}");
        });
    }
    for &point in points {
        let expected = brute_force::closest_point(&kinds.free_boxes, point).unwrap();
        for_each_kind!(kinds, |name, body| {
            let found = closest_point(body, point).unwrap();
            assert_eq!(closest_bits(&found), closest_bits(&expected), "{name}, {point}");
        });
    }
    hits
}

/// Rays at vertices and through middles of triangles; points at and around them.
pub(crate) fn aim(body: &impl Collide, from: DVec3) -> (Vec<Ray>, Vec<DVec3>) {
    let count = body.tree().primitives.len() as u32;
    let mut points = vec![from];
    for triangle in [0, count / 2, count - 1] {
        let [a, b, c] = body.triangle(triangle);
        points.extend([a, a * 0.5 + b * 0.5, a / 3.0 + b / 3.0 + c / 3.0]);
    }
    let ray = |&to: &DVec3| Ray::new(from, to - from).ok();
    let mut rays: Vec<_> = points.iter().filter_map(ray).collect();
    rays.extend(DVec3::AXES.map(|axis| Ray::new(from, axis).unwrap()));
    points.extend(points.clone().iter().map(|&p| p * 0.75 + from * 0.25));
    (rays, points)
}

pub(crate) fn check_everything(a: &Kinds, b: &Kinds, eye: DVec3) -> Vec<[u32; 2]> {
    let (rays, points) = aim(&a.free_boxes, eye);
    check_rays_and_points(a, &rays, &points);
    check_self(a);
    check_two(a, b, true)
}
