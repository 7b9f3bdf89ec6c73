//! A world answers as brute force does, whatever is in it, whatever was removed, however many
//! threads there are.

use std::sync::Arc;

use pliant::deform::{Keyframes, Modes};
use pliant::glam::{DAffine3, DMat3, DVec3};
use pliant::volume::Ray;
use pliant::world::{EveryPair, Groups, brute_force};
use pliant::{AnyBody, Body, BodyId, Error, Isometry, Mesh, World};
use pliant_scenes::{Random, icosphere, triangle_soup};

use crate::skin_support::{BLENDINGS, Kind, random_joints, random_skin};

fn mesh(random: &mut Random) -> Mesh {
    match random.bits() % 3 {
        0 => icosphere(1).unwrap(),
        1 => icosphere(2).unwrap(),
        _ => triangle_soup(60, 0.5, random.bits()).unwrap(),
    }
}

/// A body of a random kind in a random state, about the size of 1.
fn body(random: &mut Random) -> AnyBody {
    let kind = random.bits() % 6;
    let mesh = mesh(random);
    let mut made: AnyBody = match kind {
        0 => Body::rigid(mesh).unwrap().into(),
        1 => Body::affine(mesh).unwrap().into(),
        2 => Body::free(mesh).unwrap().into(),
        3 => {
            let fields: Vec<Vec<DVec3>> = (0..3)
                .map(|_| mesh.positions().iter().map(|_| random.in_cube() * 0.1).collect())
                .collect();
            let modes = Modes::from_fields(mesh.positions().len(), &fields).unwrap();
            Body::reduced(mesh, Arc::new(modes)).unwrap().into()
        }
        4 => {
            let skin = random_skin(random, 2, 3, 2, 0, 1.0);
            let blending = BLENDINGS[(random.bits() % 3) as usize];
            Body::skinned(skin.mesh, skin.binding, blending).unwrap().into()
        }
        _ => {
            let end: Vec<DVec3> =
                mesh.positions().iter().map(|p| *p + random.in_cube() * 0.3 + DVec3::X).collect();
            let frames = vec![mesh.positions().to_vec(), end];
            let keyframes = Keyframes::new(vec![0.0, 1.0], frames).unwrap();
            Body::keyframed(mesh, keyframes).unwrap().into()
        }
    };
    change(random, &mut made);
    made
}

/// Another state of the same body.
fn change(random: &mut Random, body: &mut AnyBody) {
    let place = random.in_cube() * 3.0;
    match body {
        AnyBody::Rigid(body) => {
            body.set_isometry(Isometry::new(random.rotation(), place).unwrap());
        }
        AnyBody::Affine(body) => {
            let columns = [0; 3].map(|_| random.in_cube());
            let matrix3 = DMat3::from_cols(columns[0], columns[1], columns[2]);
            body.set_map(DAffine3 { matrix3, translation: place }).unwrap();
        }
        AnyBody::Free(body) => {
            let moved = body.mesh().positions().iter().map(|p| *p + place + random.in_cube() * 0.1);
            let moved: Vec<DVec3> = moved.collect();
            body.set_positions(&moved).unwrap();
        }
        AnyBody::Reduced(body) => {
            let q = [0; 3].map(|_| random.between(-1.0, 1.0));
            body.set_state(&q, DAffine3::from_translation(place)).unwrap();
        }
        AnyBody::Skinned(body) => {
            let joints = random_joints(random, 3, Kind::Gentle, 1.0);
            body.set_pose(&joints, &[]).unwrap();
        }
        AnyBody::Keyframed(body) => body.rewind(random.unit()).unwrap(),
        _ => unreachable!("a kind that this test does not know"),
    }
}

/// Answers of a world against those of its twin, on 1, 2 and 8 threads.
fn compare(world: &World, random: &mut Random, seed: u64) -> usize {
    let expected = brute_force::contacts(world);
    let mut first = None;
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| world.contacts());
        assert_eq!(found.contacts, expected.contacts, "seed {seed}, {threads} threads");
        let first = first.get_or_insert(found.work);
        assert_eq!(*first, found.work, "seed {seed}: work on {threads} threads");
    }
    let touching = world.touching();
    let between = expected.contacts.iter().filter(|contact| contact.bodies[0] != contact.bodies[1]);
    let between: Vec<_> = between.collect();
    assert_eq!(
        touching.pairs.iter().map(|pair| pair.bodies).collect::<Vec<_>>(),
        between.iter().map(|contact| contact.bodies).collect::<Vec<_>>(),
        "seed {seed}"
    );
    for (pair, contact) in touching.pairs.iter().zip(between) {
        assert!(contact.pairs.contains(&pair.triangles), "seed {seed}");
    }
    for _ in 0..5 {
        let (point, direction) = (random.in_cube() * 5.0, random.in_cube());
        let ray = Ray::new(point, direction).unwrap();
        assert_eq!(world.ray_cast(&ray).hit, brute_force::ray_cast(world, &ray).hit, "seed {seed}");
        for count in [0, 1, 3, 100] {
            let found = world.nearest_bodies(point, count).unwrap();
            let twin = brute_force::nearest_bodies(world, point, count).unwrap();
            let told = |nearest: &pliant::world::WorldNearest| -> Vec<_> {
                let one = |near: &pliant::world::NearestBody| {
                    (near.body, near.closest.triangle, near.closest.found)
                };
                nearest.bodies.iter().map(one).collect()
            };
            assert_eq!(told(&found), told(&twin), "seed {seed}");
        }
    }
    for (id, _) in world.iter().take(2) {
        let found = world.nearest_to(id).unwrap().nearest;
        let twin = brute_force::nearest_to(world, id).unwrap().nearest;
        let told = |(other, way): (BodyId, pliant::Distance)| (other, way.pair, way.squared);
        assert_eq!(found.map(told), twin.map(told), "seed {seed}");
    }
    expected.contacts.len()
}

#[test]
fn random_worlds_of_all_kinds() {
    let mut touching = 0;
    for seed in 0..12 {
        let random = &mut Random::new(seed);
        let mut world =
            if seed % 4 == 0 { World::with_broad_phase(EveryPair) } else { World::new() };
        let mut ids = Vec::new();
        let mut removed: Vec<BodyId> = Vec::new();
        for round in 0..4 {
            for _ in 0..5 {
                let id = world.insert(body(random)).unwrap();
                assert!(!removed.contains(&id), "seed {seed}: {id} is used again");
                ids.push(id);
                if random.bits().is_multiple_of(2) {
                    world.set_self_contact(id, true).unwrap();
                }
            }
            for _ in 0..round {
                let id = ids.swap_remove(random.bits() as usize % ids.len());
                world.remove(id).unwrap();
                removed.push(id);
            }
            for &id in &ids {
                if random.bits().is_multiple_of(3) {
                    change(random, world.get_mut(id).unwrap());
                }
                if random.bits().is_multiple_of(4) {
                    let [member, meets] = [0; 2].map(|_| random.bits() as u32 & 7);
                    world.set_groups(id, Groups { member, meets }).unwrap();
                }
            }
            let [a, b] = [0; 2].map(|_| ids[random.bits() as usize % ids.len()]);
            if a != b {
                world.set_ignored(a, b, true).unwrap();
                assert_eq!(world.counts(b, a), Ok(false));
            }
            for id in &removed {
                assert_eq!(world.get(*id).unwrap_err(), Error::NoSuchBody { id: *id });
                assert_eq!(world.remove(*id).unwrap_err(), Error::NoSuchBody { id: *id });
            }
            assert_eq!(world.len(), ids.len());
            touching += compare(&world, random, seed);
        }
    }
    assert!(touching > 100, "{touching} pairs of bodies touch: too few to tell");
}

#[test]
fn filters_decide_what_counts() {
    let ball = Body::rigid(icosphere(1).unwrap()).unwrap();
    let mut world = World::new();
    let ids: Vec<BodyId> = (0..3).map(|_| world.insert(ball.clone()).unwrap()).collect();
    let pairs = |world: &World| {
        let contacts = world.contacts().contacts;
        contacts.iter().map(|contact| contact.bodies).collect::<Vec<_>>()
    };
    let [a, b, c] = [ids[0], ids[1], ids[2]];
    assert_eq!(pairs(&world), [[a, b], [a, c], [b, c]]);
    world.set_groups(a, Groups { member: 1, meets: 2 }).unwrap();
    world.set_groups(b, Groups { member: 2, meets: 1 }).unwrap();
    world.set_groups(c, Groups { member: 4, meets: 7 }).unwrap();
    assert_eq!(pairs(&world), [[a, b]], "c meets both, but neither meets c");
    world.set_ignored(b, a, true).unwrap();
    assert!(pairs(&world).is_empty());
    world.set_ignored(a, b, false).unwrap();
    assert_eq!(pairs(&world), [[a, b]]);
    assert_eq!(world.set_ignored(a, a, true), Err(Error::SameBody { id: a }));
}

#[test]
fn an_empty_world_answers() {
    let world = World::default();
    assert!(world.is_empty() && world.contacts().contacts.is_empty());
    assert!(world.touching().pairs.is_empty());
    assert_eq!(world.closest_point(DVec3::ZERO).unwrap().bodies, []);
    assert!(world.closest_point(DVec3::NAN).is_err());
    let ray = Ray::new(DVec3::ZERO, DVec3::X).unwrap();
    assert_eq!(world.ray_cast(&ray).hit, None);
}

/// Every map against every other: mirrored, sheared, flat, tiny and huge.
#[test]
fn affine_bodies_in_extreme_maps() {
    let shear = DMat3::from_cols(DVec3::X, DVec3::new(3.0, 1.0, 0.0), DVec3::new(0.0, 5.0, 1.0));
    let scaled = |x, y, z| DMat3::from_diagonal(DVec3::new(x, y, z));
    let maps = [
        DMat3::IDENTITY,
        shear,
        scaled(-1.0, 1.0, 1.0),
        scaled(-2.0, 3.0, -0.5) * shear,
        scaled(1.0, 1.0, 0.0),
        scaled(0.0, 0.0, 1.0),
        DMat3::ZERO,
        scaled(1e-20, 1e-20, 1e-20),
        scaled(1e20, 1e20, 1e20),
        scaled(1e20, 1e-20, 1.0),
    ];
    let mut touching = 0;
    for mesh in [icosphere(1).unwrap(), triangle_soup(40, 0.5, 7).unwrap()] {
        let body = Body::affine(mesh).unwrap();
        for (at, &first) in maps.iter().enumerate() {
            for &second in &maps[at..] {
                for shift in [DVec3::ZERO, DVec3::new(1.5, 0.1, 0.0), DVec3::new(0.0, 1e-20, 0.0)] {
                    let mut world = World::new();
                    for (matrix3, translation) in [(first, DVec3::ZERO), (second, shift)] {
                        let mut body = body.clone();
                        body.set_map(DAffine3 { matrix3, translation }).unwrap();
                        let id = world.insert(body).unwrap();
                        world.set_self_contact(id, true).unwrap();
                    }
                    let expected = brute_force::contacts(&world).contacts;
                    assert_eq!(world.contacts().contacts, expected, "{first} {second} {shift}");
                    touching += expected.len();
                }
            }
        }
    }
    assert!(touching > 100);
}
