//! Reduced bodies whose own space lies far from the units of the world, up to the ends of `f32` and
//! `f64`: the frame brings them back. Every kind of bounds finds what brute force finds.

use std::sync::Arc;

use crate::support::enclosed::{Exact, check};
use crate::support::mapped;
use pliant::bound::SphereCenter;
use pliant::deform::Modes;
use pliant::glam::{DAffine3, DVec3};
use pliant::query::{brute_force, proxy_contacts};
use pliant::tree::BuildSettings;
use pliant::volume::{Aabb, Overlap, Sphere, Volume};
use pliant::{Body, Collide, Mesh, RigidBody, intersections, self_intersections};
use pliant_scenes::icosphere;

/// A ball with coordinates around `unit`, a mode that moves each vertex by where it rests, and the
/// state in which the ball has a radius of about 1 in the world.
struct Ball {
    mesh: Mesh,
    modes: Arc<Modes>,
    q: [f64; 1],
    frame: DAffine3,
    /// A second ball that crosses the first.
    other: RigidBody,
}

/// With 80 triangles, or 320 if refined once more.
fn ball(refinements: u32, unit: f64, mode_unit: f64, q: f64) -> Ball {
    let ball = icosphere(refinements).unwrap();
    let mesh = mapped(&ball, |p| p * unit);
    let field = ball.positions().iter().map(|&p| p * mode_unit).collect();
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &[field]).unwrap());
    let frame = DAffine3::from_scale(DVec3::splat(1.0 / (unit + mode_unit * q)));
    let other = Body::rigid(mapped(&ball, |p| p + DVec3::new(0.5, 0.25, 0.125))).unwrap();
    Ball { mesh, modes, q: [q], frame, other }
}

/// Checks bounds and pairs of one body against brute force. Returns the number of pairs.
fn meets<V>(name: &str, body: &dyn Collide<Volume = V>, other: &RigidBody) -> usize
where
    V: Exact + Overlap<Aabb> + Overlap<V>,
    Aabb: Overlap<V>,
{
    let body = &body;
    check(name, body);
    let truth = brute_force::intersections(body, other).pairs;
    assert_eq!(intersections(body, other).pairs, truth, "{name}");
    let mut turned: Vec<[u32; 2]> = truth.iter().map(|&[i, j]| [j, i]).collect();
    turned.sort_unstable();
    assert_eq!(intersections(other, body).pairs, turned, "{name}, second");
    let own = brute_force::self_intersections(body).pairs;
    assert_eq!(self_intersections(body).pairs, own, "{name}");
    truth.len()
}

/// All kinds of bounds. Returns the number of pairs.
fn check_ball(ball: &Ball) -> usize {
    let Ball { mesh, modes, q, frame, other } = ball;
    let settings = BuildSettings::default();
    let mut boxes = Body::reduced(mesh.clone(), Arc::clone(modes)).unwrap();
    boxes.set_state(q, *frame).unwrap();
    let count = meets("boxes", &boxes, other);
    let mut plain: Body<_, pliant::bound::BoundedDeformation<Aabb>> =
        Body::reduced_bounded(mesh.clone(), Arc::clone(modes), &settings).unwrap();
    plain.set_state(q, *frame).unwrap();
    assert_eq!(meets("boxes of any kind", &plain, other), count);
    for center in [SphereCenter::Mean, SphereCenter::SmallestBall] {
        let spheres = || {
            let modes = Arc::clone(modes);
            Body::reduced_spheres(mesh.clone(), modes, center, &settings).unwrap()
        };
        let mut around = spheres();
        around.set_state(q, *frame).unwrap();
        assert_eq!(meets("spheres", &around, other), count);
        let mut proxies = spheres().with_proxies(3);
        proxies.set_state(q, *frame).unwrap();
        assert_eq!(meets("proxies", &proxies, other), count);
        check_proxies(&proxies, &proxies);
        let mut anchored =
            Body::reduced_anchored(mesh.clone(), Arc::clone(modes), center, &settings).unwrap();
        anchored.set_state(q, *frame).unwrap();
        assert_eq!(meets("anchored at rest", &anchored, other), count);
        anchored.anchor();
        assert_eq!(meets("anchored here", &anchored, other), count);
        let near = [q[0] * (1.0 + 1e-6)];
        anchored.set_state(&near, *frame).unwrap();
        meets("anchored near", &anchored, other);
    }
    count
}

/// The descent finds the proxies that brute force finds.
fn check_proxies(a: &dyn Collide<Volume = Sphere>, b: &dyn Collide<Volume = Sphere>) {
    let (a, b) = (&a, &b);
    let nodes = |found: pliant::query::ProxyContacts| -> Vec<_> {
        found.contacts.iter().map(|contact| contact.nodes).collect()
    };
    let found = nodes(proxy_contacts(a, 3, b, 3));
    let truth = nodes(brute_force::proxy_contacts(a, 3, b, 3));
    assert!(!truth.is_empty());
    assert_eq!(found, truth);
}

/// Coordinates of 1e40 in own space: sums of products left the range of `f32`, the box of the root
/// was NaN, and no pair was found.
#[test]
fn own_space_beyond_f32() {
    assert!(check_ball(&ball(2, 1e30, 1e30, 1e10)) > 20);
}

/// Coordinates of 1e39: only the products with the coordinates left the range.
#[test]
fn coordinates_beyond_f32() {
    assert!(check_ball(&ball(2, 1e10, 1e10, 1e29)) > 20);
}

/// Coordinates near the end of `f32`: the radii of spheres and of enlarged proxies left the range.
#[test]
fn own_space_at_the_end_of_f32() {
    for q in [0.1, 1.0, 10.0, 30.0, 100.0, 1e30] {
        for unit in [1e36, 9e36, 1e37, 1e38] {
            assert!(check_ball(&ball(1, unit, unit, q)) > 10, "{unit:e}, {q:e}");
        }
    }
}

/// A rest shape or a mode that is all zero in a tiny own space: its factor was infinite, and zero
/// times infinity is NaN.
#[test]
fn rows_of_zeros_in_a_tiny_unit() {
    let corners = vec![DVec3::ZERO; 3];
    let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]; 40]).unwrap();
    let tiny = vec![DVec3::ZERO, DVec3::X * 1e-30, DVec3::Y * 1e-30];
    let modes = Arc::new(Modes::from_fields(3, &[tiny, corners]).unwrap());
    let settings = BuildSettings::default();
    let floor =
        Body::rigid(Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap());
    let floor = floor.unwrap();
    for q in [0.0, 1.0, 1e-200] {
        for scale in [1e20, 1e-20] {
            let (q, frame) = ([q, 1e300], DAffine3::from_scale(DVec3::splat(scale)));
            let modes = || Arc::clone(&modes);
            let mut boxes = Body::reduced(mesh.clone(), modes()).unwrap();
            boxes.set_state(&q, frame).unwrap();
            assert_eq!(meets("boxes", &boxes, &floor), 40);
            let center = SphereCenter::SmallestBall;
            let mut spheres =
                Body::reduced_spheres(mesh.clone(), modes(), center, &settings).unwrap();
            spheres.set_state(&q, frame).unwrap();
            assert_eq!(meets("spheres", &spheres, &floor), 40);
        }
    }
}

/// Rest shape, mode and coordinate in units of their own, from end to end of `f64`.
#[test]
fn units_of_any_size() {
    for unit in [1e-300, 1e-200, 1e-44, 1e-20, 1.0, 1e20, 1e38, 1e150, 1e290] {
        for mode_unit in [1e-44, 1e-38, 1e-20, 1.0, 1e20, 1e38] {
            for q in [unit / mode_unit, 1e-3 * unit / mode_unit, 10.0 * unit / mode_unit] {
                let ball = ball(1, unit, mode_unit, q);
                if ball.frame.is_finite() && q > 1e-307 && q < 1e307 {
                    assert!(check_ball(&ball) > 10, "{unit:e}, {mode_unit:e}, {q:e}");
                }
            }
        }
    }
}

/// Bounds that the frame brings back into `f32` are as tight as those of the same ball in units of 1.
#[test]
fn bounds_are_tight_in_any_unit() {
    let extent = |unit: f64, mode_unit: f64, q: f64| {
        let Ball { mesh, modes, q, frame, .. } = ball(2, unit, mode_unit, q);
        let mut body = Body::reduced(mesh, modes).unwrap();
        body.set_state(&q, frame).unwrap();
        body.bound(0).extent()
    };
    let expected = extent(1.0, 1.0, 1.0);
    assert!(expected < 2.5);
    for (unit, mode_unit) in [(1e30, 1e30), (1e250, 1e38), (1e-200, 1e-30), (1e-40, 1e30)] {
        let found = extent(unit, mode_unit, unit / mode_unit);
        assert!((found - expected).abs() < 1e-5, "{unit:e}: {found}, not {expected}");
    }
    let found = extent(1e10, 1e10, 1e29);
    assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
}
