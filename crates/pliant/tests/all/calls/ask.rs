//! Queries, each compared with brute force.
//!
//! A finite isometry or pose may carry a vertex past the range of `f64`. No query panics then, and the
//! pairs of all other triangles must still be found.

use std::sync::Arc;

use pliant::query::{brute_force, proxy_contacts};
use pliant::volume::Ray;
use pliant::world::brute_force as world_brute_force;
use pliant::{
    AnySelfContact, Collide, World, closest_point, distance, intersections, intersects, ray_cast,
    self_intersections,
};

use super::bytes::{Bytes, power};
use super::made::{Made, View};
use crate::support::enclosed::Exact;

/// Evaluates an expression for a body with boxes or spheres.
macro_rules! with_view {
    ($view:expr, $body:ident => $run:expr) => {
        match $view {
            View::Boxes($body) => $run,
            View::Spheres($body) => $run,
        }
    };
}

/// The bodies of a program.
pub(super) struct Scene<'a> {
    pub(super) bodies: &'a [Made],
    /// The exponent of the world's unit.
    pub(super) world: i32,
}

/// Checks that every bound of every node holds what is below it. Returns how many are not everything.
pub(super) fn enclosed(made: &Made) -> usize {
    with_view!(made.view(), body => check_enclosed(made.name(), &body))
}

fn check_enclosed(name: &str, body: &impl Collide<Volume: Exact>) -> usize {
    let tree = body.tree();
    let mut bounded = 0;
    for (node, run) in (0..).zip(pliant::tree::primitive_runs(tree)) {
        let bound = body.bound(node);
        let corners = pliant::volume::Volume::corners(&bound);
        assert!(!corners[0].is_nan() && !corners[1].is_nan(), "{name}: node {node}, {bound:?}");
        bounded += usize::from(corners[0].is_finite() && corners[1].is_finite());
        for &triangle in &tree.primitives[run.start as usize..run.end as usize] {
            for corner in body.triangle(triangle).into_iter().filter(|corner| corner.is_finite()) {
                assert!(bound.holds(corner), "{name}: node {node}, {bound:?}, misses {corner:?}");
            }
        }
    }
    bounded
}

/// Which triangles of a body have only finite corners.
fn finite(made: &Made) -> Vec<bool> {
    made.corners().chunks(3).map(|corners| corners.iter().all(|c| c.is_finite())).collect()
}

impl Scene<'_> {
    fn is_finite(&self, body: usize) -> bool {
        finite(&self.bodies[body]).iter().all(|&finite| finite)
    }

    /// Pairs, one pair, the distance, and proxies of two bodies. Returns the number of pairs.
    pub(super) fn pairs(&self, first: usize, second: usize) -> usize {
        let (a, b) = (&self.bodies[first], &self.bodies[second]);
        let names = [a.name(), b.name()];
        let [finite_a, finite_b] = [a, b].map(finite);
        let all_finite = self.is_finite(first) && self.is_finite(second);
        let count = with_view!(a.view(), x => with_view!(b.view(), y => {
            let counts = |pair: &[u32; 2]| finite_a[pair[0] as usize] && finite_b[pair[1] as usize];
            let keep = |pairs: Vec<[u32; 2]>| -> Vec<_> { pairs.into_iter().filter(counts).collect() };
            let truth = keep(brute_force::intersections(&x, &y).pairs);
            let found = keep(intersections(&x, &y).pairs);
            assert!(found == truth, "{names:?}: {} pairs, not {}", found.len(), truth.len());
            let some = intersects(&x, &y).pair;
            assert!(some.is_some() || truth.is_empty(), "{names:?}: a contact is missed");
            if let Some(pair) = some.filter(counts) {
                assert!(truth.binary_search(&pair).is_ok(), "{names:?}: {pair:?} do not touch");
            }
            let found = distance(&x, &y);
            if all_finite {
                let truth = brute_force::distance(&x, &y);
                assert_eq!(
                    (found.pair, found.squared.to_bits(), found.on_a, found.on_b),
                    (truth.pair, truth.squared.to_bits(), truth.on_a, truth.on_b),
                    "{names:?}"
                );
            }
            truth.len()
        }));
        if let (Made::ReducedSpheres(a, level_a), Made::ReducedSpheres(b, level_b)) = (a, b) {
            let found = proxy_contacts(a, *level_a, b, *level_b).contacts;
            let truth = brute_force::proxy_contacts(a, *level_a, b, *level_b).contacts;
            assert!(found.iter().map(|c| c.nodes).eq(truth.iter().map(|c| c.nodes)), "{names:?}");
        }
        count
    }

    /// The contacts of a body with itself, also with what can be prepared. Returns their number.
    pub(super) fn alone(&self, first: usize) -> usize {
        let (made, finite) = (&self.bodies[first], finite(&self.bodies[first]));
        let keep = |pairs: Vec<[u32; 2]>| -> Vec<_> {
            pairs.into_iter().filter(|pair| pair.iter().all(|&t| finite[t as usize])).collect()
        };
        let (found, truth) = with_view!(made.view(), body => (
            keep(self_intersections(&body).pairs),
            keep(brute_force::self_intersections(&body).pairs),
        ));
        assert!(found == truth, "{}: {} pairs, not {}", made.name(), found.len(), truth.len());
        if let Some(any) = made.any()
            && let Some(prepared) = AnySelfContact::new(&any)
        {
            let found = keep(prepared.self_intersections(&any).expect("prepared for it").pairs);
            assert!(found == truth, "{}, prepared: {found:?}, not {truth:?}", made.name());
        }
        truth.len()
    }

    /// A ray and a point. Returns the number of hits.
    pub(super) fn ray_and_point(&self, bytes: &mut Bytes, first: usize) -> usize {
        let unit = power(self.world);
        let (from, to, point) = (bytes.vector() * unit, bytes.vector(), bytes.vector() * unit);
        let made = &self.bodies[first];
        let all_finite = self.is_finite(first);
        with_view!(made.view(), body => {
            let found = closest_point(&body, point).expect("a finite point");
            let truth = brute_force::closest_point(&body, point).expect("a finite point");
            if all_finite {
                assert_eq!((found.triangle, found.found), (truth.triangle, truth.found), "{}", made.name());
            }
            let Ok(ray) = Ray::new(from, to) else { return 0 };
            let (found, truth) = (ray_cast(&body, &ray).hit, brute_force::ray_cast(&body, &ray).hit);
            assert!(!all_finite || found == truth, "{}: {found:?}, not {truth:?}", made.name());
            usize::from(truth.is_some())
        })
    }

    /// All bodies that a world takes, in one.
    pub(super) fn world(&self, bytes: &mut Bytes) {
        let mut world = World::new();
        let mut ids = Vec::new();
        for (number, made) in self.bodies.iter().enumerate() {
            let Some(body) = made.any().filter(|_| self.is_finite(number)) else { continue };
            let prepared = if bytes.below(2) == 0 { AnySelfContact::new(&body) } else { None };
            let id = world.insert(body).expect("a place");
            let with_itself = bytes.below(2) == 0;
            world.set_self_contact(id, with_itself).expect("a body of the world");
            if let Some(prepared) = prepared {
                world.set_prepared(id, Some(Arc::new(prepared))).expect("prepared for it");
            }
            ids.push(id);
        }
        let (found, truth) = (world.contacts(), world_brute_force::contacts(&world));
        assert_eq!(found.contacts, truth.contacts);
        let touching: Vec<_> = world.touching().pairs.iter().map(|pair| pair.bodies).collect();
        let other = truth.contacts.iter().map(|contact| contact.bodies).filter(|[a, b]| a != b);
        assert!(touching.iter().copied().eq(other));
        let unit = power(self.world);
        let (from, to) = (bytes.vector() * unit, bytes.vector());
        if let Ok(ray) = Ray::new(from, to) {
            assert_eq!(world.ray_cast(&ray).hit, world_brute_force::ray_cast(&world, &ray).hit);
        }
        let found = world.nearest_bodies(from, 2).expect("a finite point").bodies;
        let truth =
            world_brute_force::nearest_bodies(&world, from, 2).expect("a finite point").bodies;
        let nearest = |bodies: Vec<pliant::world::NearestBody>| -> Vec<_> {
            bodies
                .iter()
                .map(|near| (near.body, near.closest.triangle, near.closest.found))
                .collect()
        };
        assert_eq!(nearest(found), nearest(truth));
        for id in ids {
            let way = |of: pliant::world::WorldDistance| {
                of.nearest.map(|(body, way)| (body, way.pair, way.squared.to_bits()))
            };
            let found = way(world.nearest_to(id).expect("a body of the world"));
            let truth =
                way(world_brute_force::nearest_to(&world, id).expect("a body of the world"));
            assert_eq!(found, truth);
        }
    }
}
