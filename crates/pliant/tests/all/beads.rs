//! Necklaces in a world: what brute force finds, against every kind of body.

use pliant::contact::ball_touches_triangle;
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant::world::{BeadPartner, Coherence, Groups, brute_force};
use pliant::{Body, Error, Mesh, Necklace, World};
use proptest::prelude::*;

fn rope(beads: u32, turns: f64, shift: DVec3) -> Vec<DVec3> {
    let at = |i: u32| {
        let part = f64::from(i) / f64::from(beads - 1);
        let angle = turns * std::f64::consts::TAU * part;
        shift + DVec3::new(0.4 * angle.cos(), 0.4 * angle.sin(), part - 0.5)
    };
    (0..beads).map(at).collect()
}

#[test]
fn a_world_of_beads_and_bodies_is_what_brute_force_says() {
    let mut world = World::new();
    let bodies: Vec<_> = super::coherence::bodies()
        .into_iter()
        .map(|(_, body)| world.insert(body).unwrap())
        .collect();
    let ropes = [(60, 3.0, DVec3::ZERO), (50, 2.0, DVec3::X * 0.3), (20, 1.0, DVec3::Y * 9.0)];
    let ropes: Vec<_> = ropes
        .into_iter()
        .map(|(beads, turns, shift)| {
            let necklace = Necklace::open(&rope(beads, turns, shift), 0.03).unwrap();
            world.insert_necklace(necklace).unwrap()
        })
        .collect();
    world.set_own_clashes(ropes[0], Some(2)).unwrap();
    let mut seen = [0; 3];
    for step in 0..30_u32 {
        let time = 0.13 * f64::from(step);
        for (number, &id) in bodies.iter().enumerate() {
            let phase = 0.2 * number as f64;
            super::coherence::set(world.get_mut(id).unwrap(), time, phase).unwrap();
        }
        // Flat enough that its turns lie on one another now and then.
        let flat = DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.3));
        let turn = DAffine3::from_quat(DQuat::from_rotation_x(time)) * flat;
        let turns = 3.0 + 7.0 * (0.4 * time).sin();
        let moved: Vec<_> =
            rope(60, turns, DVec3::ZERO).iter().map(|&p| turn.transform_point3(p)).collect();
        world.set_beads(ropes[0], &moved).unwrap();
        let found = world.bead_contacts();
        let expected = brute_force::bead_contacts(&world);
        assert_eq!(found.contacts, expected.contacts, "step {step}");
        assert!(found.work.primitive_tests < expected.work.primitive_tests);
        for contact in &found.contacts {
            match contact.other {
                BeadPartner::Body(_) => seen[0] += 1,
                BeadPartner::Necklace(id) if id == contact.necklace => seen[1] += 1,
                BeadPartner::Necklace(_) => seen[2] += 1,
            }
        }
        let pool = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        assert_eq!(
            pool(1).install(|| world.bead_contacts()),
            pool(3).install(|| world.bead_contacts())
        );
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");

    let only = Groups { member: 2, meets: 2 };
    world.set_necklace_groups(ropes[0], only).unwrap();
    world.set_own_clashes(ropes[0], None).unwrap();
    assert!(!world.beads_count(ropes[0], BeadPartner::Necklace(ropes[0])).unwrap());
    world.set_groups(bodies[0], Groups { member: 1, meets: 1 }).unwrap();
    assert!(!world.beads_count(ropes[0], BeadPartner::Body(bodies[0])).unwrap());
    assert_eq!(world.bead_contacts().contacts, brute_force::bead_contacts(&world).contacts);
    let removed = world.remove_necklace(ropes[1]).unwrap();
    assert_eq!(removed.len(), 50);
    assert_eq!(world.necklace(ropes[1]), Err(Error::NoSuchNecklace { id: ropes[1] }));
    assert_eq!(world.set_beads(ropes[1], &[]), Err(Error::NoSuchNecklace { id: ropes[1] }));
    assert!(world.set_beads(ropes[2], &[]).is_err());
    assert_eq!(world.necklaces().count(), 2);
    assert_eq!(world.bead_contacts().contacts, brute_force::bead_contacts(&world).contacts);
}

/// Ropes that creep, rest, and jump now and then; a limit of links that changes, a rope that goes.
#[test]
fn a_world_that_keeps_fronts_of_beads_is_what_brute_force_says() {
    let mut worlds = [Coherence::FromScratch, Coherence::Fronts].map(|coherence| {
        let mut world = World::new();
        world.set_coherence(coherence);
        world
    });
    let shifts = [DVec3::ZERO, DVec3::X * 0.3, DVec3::Y * 0.2];
    let mut ropes: Vec<Vec<_>> = Vec::new();
    for world in &mut worlds {
        let insert = |shift: &DVec3| {
            let necklace = Necklace::open(&rope(80, 4.0, *shift), 0.03).unwrap();
            world.insert_necklace(necklace).unwrap()
        };
        ropes.push(shifts.iter().map(insert).collect());
    }
    let (mut tests, mut kept, mut touching) = ([0; 2], 0, 0);
    for step in 0..120_u32 {
        let time = 0.001 * f64::from(step) + if step > 60 { 1.0 } else { 0.0 };
        let mut found = Vec::new();
        for (at, (world, ropes)) in worlds.iter_mut().zip(&ropes).enumerate() {
            match step {
                0 => ropes.iter().for_each(|&id| world.set_own_clashes(id, Some(2)).unwrap()),
                40 => world.set_own_clashes(ropes[0], Some(5)).unwrap(),
                90 => drop(world.remove_necklace(ropes[2]).unwrap()),
                _ => {}
            }
            for (&id, shift) in ropes.iter().zip(&shifts).take(if step < 90 { 3 } else { 2 }) {
                let turns = 4.0 + 3.0 * (time + shift.y).sin();
                let flat = DVec3::new(1.0, 1.0, 0.3);
                let moved: Vec<_> = rope(80, turns, *shift).iter().map(|p| *p * flat).collect();
                world.set_beads(id, &moved).unwrap();
            }
            let contacts = world.bead_contacts();
            tests[at] += contacts.work.overlap_tests + contacts.work.primitive_tests;
            found.push(contacts.contacts);
        }
        assert_eq!(found[0], found[1], "step {step}");
        if step % 10 == 3 {
            assert_eq!(found[1], brute_force::bead_contacts(&worlds[1]).contacts, "step {step}");
        }
        touching += found[0].iter().map(|contact| contact.pairs.len()).sum::<usize>();
        kept = kept.max(worlds[1].front_pairs());
    }
    assert!(touching > 1000 && kept > 0, "{touching} contacts, {kept} pairs kept");
    assert!(tests[1] < tests[0], "{tests:?} tests");
}

/// Ropes on bodies of every kind that creep, rest, jump, and change.
#[test]
fn a_world_that_keeps_fronts_of_beads_and_triangles_is_what_brute_force_says() {
    let mut worlds = [Coherence::FromScratch, Coherence::Fronts].map(|coherence| {
        let mut world = World::new();
        world.set_coherence(coherence);
        world
    });
    let bodies = super::coherence::bodies();
    let mut ids = Vec::new();
    for world in &mut worlds {
        let bodies: Vec<_> =
            bodies.iter().map(|(_, body)| world.insert(body.clone()).unwrap()).collect();
        let line = Necklace::open(&rope(60, 3.0, DVec3::ZERO), 0.03).unwrap();
        ids.push((world.insert_necklace(line).unwrap(), bodies));
    }
    let (mut tests, mut kept, mut touching) = ([0; 2], 0, 0);
    for step in 0..100_u32 {
        let creep = if step % 25 < 5 { 0.0 } else { 1e-4 };
        let time = 0.4 + creep * f64::from(step) + if step > 60 { 1.0 } else { 0.0 };
        let mut found = Vec::new();
        for (at, (world, (line, bodies_of))) in worlds.iter_mut().zip(&ids).enumerate() {
            match step {
                70 => *world.get_mut(bodies_of[2]).unwrap() = bodies[3].1.clone(),
                80 => drop(world.remove(bodies_of[0]).unwrap()),
                _ => {}
            }
            for (number, &id) in bodies_of.iter().enumerate().skip(usize::from(step >= 80)) {
                let body = world.get_mut(id).unwrap();
                super::coherence::set(body, time, 0.2 * number as f64).unwrap();
            }
            let flat = DVec3::new(0.6, 0.6, 0.2 + 0.1 * time.sin());
            let moved: Vec<_> = rope(60, 3.0, DVec3::ZERO).iter().map(|p| *p * flat).collect();
            world.set_beads(*line, &moved).unwrap();
            let contacts = world.bead_contacts();
            tests[at] += contacts.work.overlap_tests + contacts.work.primitive_tests;
            found.push(contacts.contacts);
        }
        assert_eq!(found[0], found[1], "step {step}");
        if step % 10 == 3 {
            assert_eq!(found[1], brute_force::bead_contacts(&worlds[1]).contacts, "step {step}");
        }
        touching += found[0].iter().map(|contact| contact.pairs.len()).sum::<usize>();
        kept = kept.max(worlds[1].front_pairs());
    }
    assert!(touching > 1000 && kept > 0, "{touching} contacts, {kept} pairs kept");
    assert!(tests[1] < tests[0], "{tests:?} tests");
}

/// Coordinates of all magnitudes, some equal.
fn coordinate() -> impl Strategy<Value = f64> {
    let exponent =
        prop_oneof![6 => -3..3i32, 1 => -1040..-900i32, 1 => 900..1020i32, 1 => -60..60i32];
    let mantissa = prop_oneof![(-4..=4i32).prop_map(f64::from), -1.0..1.0f64];
    (mantissa, exponent).prop_map(|(m, e)| m * 2f64.powi(e / 2) * 2f64.powi(e - e / 2))
}

fn point() -> impl Strategy<Value = DVec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Integers on a grid, where the squared distance to a plane, an edge or a corner is a fraction
    /// that integers decide.
    #[test]
    fn balls_against_triangles_as_integers_say(
        corners in prop::array::uniform3(prop::array::uniform3(-6..=6i64)),
        center in prop::array::uniform3(-8..=8i64), radius in 1..=8i64, exponent in prop_oneof![Just(0), Just(-530), Just(480)],
    ) {
        let unit = 2f64.powi(exponent);
        let place = |p: [i64; 3]| DVec3::from_array(p.map(|x| x as f64 * unit));
        let expected = within(corners, center, radius);
        let ball = Ball::new(place(center), radius as f64 * unit);
        prop_assert_eq!(ball_touches_triangle(&ball, &corners.map(place)), expected);
    }

    /// From end to end of `f64`: the world finds what brute force finds.
    #[test]
    fn extremes(
        corners in prop::collection::vec(prop::array::uniform3(point()), 1..4),
        beads in prop::collection::vec((point(), coordinate()), 1..5),
        others in prop::collection::vec((point(), coordinate()), 1..5),
    ) {
        let mut world = World::new();
        let positions: Vec<DVec3> = corners.iter().flatten().copied().collect();
        let triangles = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        world.insert(Body::rigid(Mesh::new(positions, triangles).unwrap()).unwrap()).unwrap();
        for beads in [beads, others] {
            let balls: Vec<_> = beads.iter().map(|&(p, r)| Ball::new(p, r.abs().max(1e-300))).collect();
            let chain = Chain { beads: balls.len(), closed: false };
            let id = world.insert_necklace(Necklace::new(balls, &[chain]).unwrap()).unwrap();
            world.set_own_clashes(id, Some(2)).unwrap();
        }
        prop_assert_eq!(world.bead_contacts().contacts, brute_force::bead_contacts(&world).contacts);
    }
}

/// Whether a point of a triangle is within a distance of a centre, in integers: the face if the
/// centre projects into it, else the edges.
fn within([a, b, c]: [[i64; 3]; 3], center: [i64; 3], radius: i64) -> bool {
    let sub = |p: [i64; 3], q: [i64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]].map(i128::from);
    let dot = |u: [i128; 3], v: [i128; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let cross = |u: [i128; 3], v: [i128; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let square = i128::from(radius) * i128::from(radius);
    let edge = |p: [i64; 3], q: [i64; 3]| {
        let (d, w) = (sub(q, p), sub(center, p));
        let (along, length) = (dot(d, w), dot(d, d));
        if along <= 0 {
            dot(w, w) <= square
        } else if along >= length {
            let w = sub(center, q);
            dot(w, w) <= square
        } else {
            // |w|^2 - along^2 / length
            dot(w, w) * length - along * along <= square * length
        }
    };
    let normal = cross(sub(b, a), sub(c, a));
    let size = dot(normal, normal);
    let inside = size > 0
        && [[a, b], [b, c], [c, a]]
            .iter()
            .all(|&[p, q]| dot(cross(sub(q, p), sub(center, p)), normal) >= 0);
    let height = dot(normal, sub(center, a));
    (inside && height * height <= square * size) || edge(a, b) || edge(b, c) || edge(c, a)
}

#[test]
fn a_protein_sinks_into_a_surface() {
    let scene = pliant_scenes::protein_on_surface(300, 1).unwrap();
    let mut world = World::new();
    world.insert(Body::rigid(scene.surface.clone()).unwrap()).unwrap();
    let necklace = Necklace::open(&scene.beads(0.0), scene.protein.radius).unwrap();
    let protein = world.insert_necklace(necklace).unwrap();
    let mut touching = Vec::new();
    for step in [0.0, 0.3, 0.6, 1.0] {
        world.set_beads(protein, &scene.beads(step)).unwrap();
        let found = world.bead_contacts();
        assert_eq!(found.contacts, brute_force::bead_contacts(&world).contacts);
        touching.push(found.contacts.iter().map(|contact| contact.pairs.len()).sum::<usize>());
    }
    assert!(touching[0] == 0 && touching[3] > 20, "{touching:?}");
}

#[test]
fn a_rope_around_a_walking_man() {
    let scene = pliant_scenes::roped_man().unwrap();
    let body = super::skin_support::bound_to_joints(&scene.man, pliant::deform::Blending::Linear);
    let mut world = World::new();
    let man = world.insert(body).unwrap();
    let rope =
        world.insert_necklace(Necklace::open(&scene.rope(0.0), scene.radius).unwrap()).unwrap();
    for time in [0.0, 0.2, 0.45] {
        if let pliant::AnyBody::Skinned(body) = world.get_mut(man).unwrap() {
            body.set_pose(&scene.man.pose(time), &[]).unwrap();
        }
        world.set_beads(rope, &scene.rope(time)).unwrap();
        let found = world.bead_contacts();
        assert_eq!(found.contacts, brute_force::bead_contacts(&world).contacts);
        assert!(!found.contacts.is_empty(), "at {time} s");
    }
}
