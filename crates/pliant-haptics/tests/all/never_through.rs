//! Random device paths never end on the wrong side of a closed body.
//!
//! `PLIANT_HAPTICS_PATHS` sets the number of paths along rigid bodies; a third as many go along bodies that move
//! and deform. `PLIANT_HAPTICS_FIRST` sets the number of the first, so that many paths can be split into runs.

use crate::support::*;
use pliant::glam::{DQuat, DVec3};
use pliant::query::brute_force;
use pliant::{AnyBody, Body, Inside, Isometry, Mesh, inside};
use pliant_haptics::{Changes, Material, Object, Proxy, Scene};
use pliant_scenes::{Random, cuboid, icosphere};

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The numbers of a share of the paths.
fn paths(share: u64) -> std::ops::Range<u64> {
    let first = number("PLIANT_HAPTICS_FIRST", 0);
    first / share..(first + number("PLIANT_HAPTICS_PATHS", 600)) / share
}

fn meshes() -> Vec<Mesh> {
    let star = {
        // Sharp spikes: grooves between acute corners.
        let ball = icosphere(1).unwrap();
        let spike = |(i, &p): (usize, &DVec3)| p * if i % 2 == 0 { 1.0 } else { 0.35 };
        let positions = ball.positions().iter().enumerate().map(spike).collect();
        Mesh::new(positions, ball.triangles().to_vec()).unwrap()
    };
    let thin = cuboid(DVec3::new(1.5, 1.5, 0.002), [3, 3, 1]).unwrap();
    vec![
        icosphere(2).unwrap(),
        cuboid(DVec3::ONE, [2, 2, 2]).unwrap(),
        torus(0.7, 0.3, 12, 8),
        star,
        thin,
    ]
}

/// Where the hand goes next: a little further, a jump, into a vertex, or nowhere.
fn next(random: &mut Random, device: DVec3, mesh: &Mesh) -> DVec3 {
    let vertex = mesh.positions()[random.bits() as usize % mesh.positions().len()];
    match random.bits() % 5 {
        0 => device + random.in_cube() * 0.02,
        1 => device + random.in_cube() * 0.3,
        2 => random.in_cube() * 1.5,
        3 => vertex * random.between(0.0, 1.1),
        _ => device,
    }
}

fn side(body: &AnyBody, point: DVec3) -> Inside {
    inside(body, point).unwrap().inside
}

#[test]
fn rigid_bodies() {
    let meshes = meshes();
    // Clones share mesh and tree.
    let bodies: Vec<AnyBody> = meshes.iter().map(|mesh| rigid(mesh.clone())).collect();
    let mut touched = 0;
    let paths = paths(1);
    for path in paths.clone() {
        let mut random = Random::new(path);
        let mesh = &meshes[path as usize % meshes.len()];
        let friction = random.between(0.0, 1.0);
        let material = Material::default().with_friction(friction, 0.8 * friction);
        let scene = scene(bodies[path as usize % bodies.len()].clone(), material);
        let mut device = random.in_cube() * 1.5;
        let radius = 10f64.powf(random.between(-3.0, -1.0));
        let mut proxy = Proxy::new(device, radius).unwrap();
        proxy.ready_for(&scene);
        let body = scene.object(0).unwrap().body();
        let mut place = side(body, device);
        for step in 0..30 {
            device = next(&mut random, device, mesh);
            proxy.advance(&scene, device, DT).unwrap();
            let now = side(body, proxy.center());
            // A start across the surface is pushed to the side where its centre is.
            if place == Inside::On {
                place = now;
            }
            assert_eq!(now, place, "path {path}, step {step}, radius {radius}");
            touched += usize::from(!proxy.contacts().is_empty());
        }
        let nearest = brute_force::closest_point(body, proxy.center()).unwrap();
        let apart = nearest.found.distance_squared.sqrt();
        // A start in a sheet thinner than 1/32 of the radius has less room than the least.
        let least = proxy.room() <= radius / 64.0;
        assert!(least || apart >= proxy.room() * (1.0 - 1e-6), "path {path}: {apart} {radius}");
    }
    assert!(touched as u64 > 5 * (paths.end - paths.start), "{touched} steps in contact");
}

/// Bodies that are carried about, turned, blown up and dented while the device goes its way.
struct Moving {
    meshes: Vec<Mesh>,
    /// Of each mesh a free body and a rigid one. Clones share mesh and tree.
    bodies: Vec<[AnyBody; 2]>,
}

/// What became of a path.
struct Gone {
    /// Steps in contact.
    touched: u64,
    /// Whether surfaces left no room for the ball.
    squeezed: bool,
}

impl Moving {
    fn new() -> Self {
        let meshes = meshes();
        let of =
            |mesh: &Mesh| [AnyBody::from(Body::free(mesh.clone()).unwrap()), rigid(mesh.clone())];
        let bodies = meshes.iter().map(of).collect();
        Self { meshes, bodies }
    }

    /// Goes a path, up to where the ball has no room: from there on it may be passed.
    fn go(&self, path: u64) -> Gone {
        let Self { meshes, bodies } = self;
        let mut gone = Gone { touched: 0, squeezed: false };
        let mut random = Random::new(path + (1 << 40));
        let mesh = &meshes[path as usize % meshes.len()];
        let body = bodies[path as usize % meshes.len()][path as usize / meshes.len() % 2].clone();
        let object = Object::new(body, Material::default().with_friction(0.4, 0.3)).unwrap();
        let mut spare = Some(Box::new(object.clone()));
        let mut scene = Scene::of([object]);
        let mut device = random.in_cube() * 1.5;
        let radius = 10f64.powf(random.between(-2.0, -1.0));
        let mut proxy = Proxy::new(device, radius).unwrap();
        proxy.ready_for(&scene);
        proxy.advance(&scene, device, DT).unwrap();
        let place = side(scene.object(0).unwrap().body(), proxy.center());
        for step in 0..20 {
            device = next(&mut random, device, mesh);
            let mut object = spare.take().unwrap();
            let (large, shift) = (random.between(0.8, 1.3), random.in_cube() * 0.2);
            let turn = DQuat::from_scaled_axis(random.in_cube() * 0.3);
            object
                .set_state(|body| match body {
                    AnyBody::Free(body) => {
                        let dent =
                            |&p: &DVec3| turn * (p * (large + 0.1 * (7.0 * p.x).sin())) + shift;
                        body.set_positions(&mesh.positions().iter().map(dent).collect::<Vec<_>>())
                    }
                    AnyBody::Rigid(body) => {
                        body.set_isometry(Isometry::new(turn, shift)?);
                        Ok(())
                    }
                    _ => Ok(()),
                })
                .unwrap();
            let mut changes = Changes::new();
            changes.set(0, Some(object));
            proxy.follow(&mut scene, &mut changes);
            spare = changes.take(0);
            proxy.advance(&scene, device, DT).unwrap();
            gone.squeezed = proxy.squeezed() > 0;
            if gone.squeezed {
                break;
            }
            let now = side(scene.object(0).unwrap().body(), proxy.center());
            assert_eq!(now, place, "path {path}, step {step}, radius {radius}");
            gone.touched += u64::from(!proxy.contacts().is_empty());
        }
        gone
    }
}

#[test]
fn bodies_that_move_and_deform() {
    let moving = Moving::new();
    let [mut touched, mut squeezed] = [0, 0];
    let paths = paths(3);
    let count = paths.end - paths.start;
    for path in paths {
        let gone = moving.go(path);
        touched += gone.touched;
        squeezed += u64::from(gone.squeezed);
    }
    assert!(touched > count, "{touched} steps in contact");
    assert!(squeezed * 20 < count, "{squeezed} proxies without room");
}

/// A ball of 20 mm that starts inside a plate of 2 mm. While the plate is dented its two sides, whose
/// triangles are cut across each other, leave less than 1/64 of that between them; afterwards more again.
#[test]
fn a_path_on_which_a_plate_closes_in_between() {
    assert!(Moving::new().go(63_524).squeezed);
}
