//! A world that keeps fronts answers as one that starts from scratch, and as brute force, whatever
//! happens between queries.

use std::sync::Arc;

use pliant::deform::{Binding, Blending, Influence, Keyframes, Modes, SkinWeights};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::world::{Coherence, Sweep, brute_force};
use pliant::{AnyBody, Body, BodyId, Isometry, Mesh, Result, World};

const SIDE: u32 = 14;

/// A square of unit size with two triangles per cell.
fn sheet() -> Mesh {
    let at = |k: u32| f64::from(k) / f64::from(SIDE) - 0.5;
    let corner = |i: u32, j: u32| i * (SIDE + 1) + j;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=SIDE {
        positions.extend((0..=SIDE).map(|j| DVec3::new(at(i), at(j), 0.0)));
    }
    for i in 0..SIDE {
        for j in 0..SIDE {
            let [a, b, c, d] =
                [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)].map(|(i, j)| corner(i, j));
            triangles.extend([[a, b, c], [c, b, d]]);
        }
    }
    Mesh::new(positions, triangles).unwrap()
}

/// Waves across the sheet.
fn waves(mesh: &Mesh) -> Arc<Modes> {
    let wave = |m: u32| {
        let (a, b) = (f64::from(1 + m % 3), f64::from(1 + m / 3));
        let height = |p: &DVec3| (3.1 * a * (p.x + 0.5)).sin() * (3.1 * b * (p.y + 0.5)).cos();
        mesh.positions().iter().map(|p| DVec3::new(0.01, 0.0, height(p))).collect()
    };
    let fields: Vec<Vec<DVec3>> = (0..6).map(wave).collect();
    Arc::new(Modes::from_fields(mesh.positions().len(), &fields).unwrap())
}

fn coordinates(time: f64, phase: f64) -> Vec<f64> {
    let q = |m: u32| {
        let m = f64::from(m + 1);
        0.06 * ((1.0 + 0.7 * m) * time + phase * m).sin()
    };
    (0..6).map(q).collect()
}

fn place(time: f64, phase: f64) -> DAffine3 {
    let turn = DQuat::from_rotation_x(0.2 * (time + phase).sin());
    let shift = DVec3::new(0.1 * phase, 0.03, 0.04 * (0.7 * time + phase).sin());
    DAffine3::from_rotation_translation(turn, shift)
}

/// Joints along x, each of which moves a strip.
const JOINTS: u32 = 5;

fn skinned(mesh: &Mesh, blending: Blending) -> AnyBody {
    let mut weights = SkinWeights::default();
    for p in mesh.positions() {
        let along = (p.x + 0.5) * f64::from(JOINTS - 1) * 0.999;
        let (joint, weight) = (along as u32, along.fract());
        let own =
            [Influence { joint, weight: 1.0 - weight }, Influence { joint: joint + 1, weight }];
        weights.push(&own);
    }
    let binding = Binding::new(weights, JOINTS as usize).unwrap();
    Body::skinned(mesh.clone(), binding, blending).unwrap().into()
}

fn joints(time: f64, phase: f64) -> Vec<DAffine3> {
    let joint = |k: u32| {
        let k = f64::from(k);
        let center = DVec3::X * (k / f64::from(JOINTS - 1) - 0.5);
        let turn = DQuat::from_rotation_y(0.3 * ((1.0 + 0.4 * k) * time + phase * k).sin());
        place(time, phase)
            * DAffine3::from_translation(center)
            * DAffine3::from_quat(turn)
            * DAffine3::from_translation(-center)
    };
    (0..JOINTS).map(joint).collect()
}

/// The waves of a free body at ten keyframes per second.
fn keyframed(mesh: &Mesh) -> AnyBody {
    let modes = waves(mesh);
    let frame = |time: f64| -> Vec<DVec3> {
        let q = coordinates(time, 0.3);
        let moved = mesh.positions().iter().enumerate();
        moved
            .map(|(v, &rest)| place(time, 0.3).transform_point3(modes.displaced(rest, v, &q)))
            .collect()
    };
    let times: Vec<f64> = (0..200).map(|k| f64::from(k) * 0.1).collect();
    let frames = times.iter().map(|&time| frame(time)).collect();
    Body::keyframed(mesh.clone(), Keyframes::new(times, frames).unwrap()).unwrap().into()
}

/// Two sheets that cross, as one mesh.
fn crossing() -> Mesh {
    let sheet = sheet();
    let count = sheet.positions().len() as u32;
    let turn = DQuat::from_rotation_x(0.7);
    let mut positions = sheet.positions().to_vec();
    positions.extend(sheet.positions().iter().map(|&p| turn * p));
    let mut triangles = sheet.triangles().to_vec();
    triangles.extend(sheet.triangles().iter().map(|corners| corners.map(|v| v + count)));
    Mesh::new(positions, triangles).unwrap()
}

pub(crate) fn bodies() -> Vec<(&'static str, AnyBody)> {
    bodies_of(&sheet())
}

fn bodies_of(mesh: &Mesh) -> Vec<(&'static str, AnyBody)> {
    vec![
        ("rigid", Body::rigid(mesh.clone()).unwrap().into()),
        ("affine", Body::affine(mesh.clone()).unwrap().into()),
        ("free", Body::free(mesh.clone()).unwrap().into()),
        ("reduced", Body::reduced(mesh.clone(), waves(mesh)).unwrap().into()),
        ("skinned", skinned(mesh, Blending::Linear)),
        ("keyframed", keyframed(mesh)),
        ("skinned, dual quaternions", skinned(mesh, Blending::DualQuaternion)),
    ]
}

/// Moves a body of any kind to a time.
pub(crate) fn set(body: &mut AnyBody, time: f64, phase: f64) -> Result<()> {
    match body {
        AnyBody::Rigid(body) => {
            let turn = DQuat::from_rotation_x(0.2 * (time + phase).sin());
            body.set_isometry(Isometry::new(turn, place(time, phase).translation)?);
        }
        AnyBody::Affine(body) => body.set_map(place(time, phase))?,
        AnyBody::Free(body) => {
            let (mesh, q) = (body.mesh().clone(), coordinates(time, phase));
            let modes = waves(&mesh);
            let moved = mesh.positions().iter().enumerate().map(|(v, &rest)| {
                place(time, phase).transform_point3(modes.displaced(rest, v, &q))
            });
            body.set_positions(&moved.collect::<Vec<_>>())?;
        }
        AnyBody::Reduced(body) => body.set_state(&coordinates(time, phase), place(time, phase))?,
        AnyBody::Skinned(body) => body.set_pose(&joints(time, phase), &[])?,
        AnyBody::Keyframed(body) => body.rewind(time + phase)?,
        _ => {}
    }
    Ok(())
}

fn worlds() -> [World; 2] {
    [Coherence::FromScratch, Coherence::Fronts].map(|coherence| {
        let mut world = World::with_broad_phase(Sweep);
        world.set_coherence(coherence);
        world
    })
}

/// Small steps of several sizes, rests, and a jump now and then.
fn times() -> Vec<f64> {
    let (mut time, mut times, mut bits) = (0.4, Vec::new(), 12345_u64);
    for step in 0..140 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        time += match step % 35 {
            34 => 3.0 * unit,
            0..10 => 0.002 * unit,
            10..20 => 0.0005 * unit,
            20..23 => 0.0,
            _ => 0.01 * unit,
        };
        times.push(time);
    }
    times
}

/// Two bodies over a long motion, or one with itself.
fn walk(bodies: &[&AnyBody], name: &str) {
    let mut worlds = worlds();
    let mut ids: Vec<Vec<BodyId>> = Vec::new();
    for world in &mut worlds {
        ids.push(bodies.iter().map(|&body| world.insert(body.clone()).unwrap()).collect());
        if let [alone] = ids[ids.len() - 1][..] {
            world.set_self_contact(alone, true).unwrap();
        }
    }
    let (mut tests, mut touching, mut kept) = ([0; 2], 0, 0);
    for (step, time) in times().into_iter().enumerate() {
        let mut found = Vec::new();
        for (at, world) in worlds.iter_mut().enumerate() {
            for (&id, phase) in ids[at].iter().zip([0.3, 1.1]) {
                set(world.get_mut(id).unwrap(), time, phase).unwrap();
            }
            let contacts = world.contacts();
            tests[at] += contacts.work.overlap_tests + contacts.work.primitive_tests;
            found.push(contacts.contacts);
        }
        assert_eq!(found[0], found[1], "{name}, step {step}");
        if step % 20 == 7 {
            assert_eq!(brute_force::contacts(&worlds[1]).contacts, found[1], "{name}, step {step}");
        }
        touching += found[0].iter().map(|contact| contact.pairs.len()).sum::<usize>();
        kept = kept.max(worlds[1].front_pairs());
    }
    assert!(touching > 1000, "{name}: {touching} contacts in all");
    // Motion of dual quaternions has no bound, and what moves as one is prepared for itself.
    let is_prepared = bodies.len() == 1 && ["rigid", "affine"].contains(&name);
    // Two bodies that one map moves each are compared in the frames of both, which may cost less than a front.
    let in_frames = ["rigid and rigid", "affine and affine"].contains(&name);
    let has_front = !name.contains("dual") && !is_prepared;
    assert!(in_frames || (kept > 0) == has_front, "{name}: {kept} pairs kept");
    assert!(kept == 0 || tests[1] < tests[0], "{name}: {tests:?} tests");
}

#[test]
fn every_kind_against_every_other_over_a_long_motion() {
    let bodies = bodies();
    for (at, (first, a)) in bodies.iter().enumerate() {
        for (second, b) in &bodies[at..] {
            let name = format!("{first} and {second}");
            walk(&[a, b], &name);
        }
    }
}

#[test]
fn every_kind_with_itself_over_a_long_motion() {
    for (name, body) in bodies_of(&crossing()) {
        walk(&[&body], name);
    }
}

#[test]
fn bodies_that_come_go_and_change_are_no_surprise() {
    let bodies = bodies();
    let mut worlds = worlds();
    let mut ids: Vec<Vec<BodyId>> = worlds
        .iter_mut()
        .map(|world| {
            bodies[..6].iter().map(|(_, body)| world.insert(body.clone()).unwrap()).collect()
        })
        .collect();
    for step in 0..60_u32 {
        let time = 0.4 + 0.0005 * f64::from(step);
        let mut found = Vec::new();
        for (at, world) in worlds.iter_mut().enumerate() {
            match step {
                // Another body in its place: a tree of its own.
                20 => *world.get_mut(ids[at][2]).unwrap() = Body::free(sheet()).unwrap().into(),
                // A clone of another: the same tree in another state.
                30 => {
                    let clone = world.get(ids[at][3]).unwrap().clone();
                    *world.get_mut(ids[at][3]).unwrap() = clone;
                }
                40 => {
                    world.remove(ids[at][0]).unwrap();
                    ids[at][0] = world.insert(bodies[3].1.clone()).unwrap();
                }
                50 => *world.get_mut(ids[at][1]).unwrap() = bodies[4].1.clone(),
                _ => {}
            }
            for (number, &id) in ids[at].iter().enumerate() {
                set(world.get_mut(id).unwrap(), time, 0.2 * number as f64).unwrap();
            }
            found.push(world.contacts().contacts);
        }
        assert_eq!(found[0], found[1], "step {step}");
    }
    assert!(worlds[1].front_pairs() > 0 && worlds[1].clone().front_pairs() == 0);
    assert_eq!(worlds[0].front_pairs(), 0);
    worlds[1].set_coherence(Coherence::FromScratch);
    assert_eq!(worlds[1].front_pairs(), 0);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new();
            world.set_coherence(Coherence::Fronts);
            let ids: Vec<_> =
                bodies()[..6].iter().map(|(_, body)| world.insert(body.clone()).unwrap()).collect();
            let mut all = Vec::new();
            for step in 0..20 {
                for (number, &id) in ids.iter().enumerate() {
                    let time = 0.4 + 0.0005 * f64::from(step);
                    set(world.get_mut(id).unwrap(), time, 0.2 * number as f64).unwrap();
                }
                all.push(world.contacts());
            }
            (all, world.front_pairs())
        })
    };
    let one = run(1);
    assert!(one.1 > 0);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

/// Everything moves by much in every step: fronts are never made, and the work is that of a query
/// from scratch.
#[test]
fn jumps_cost_no_work() {
    let bodies = bodies();
    let mut worlds = worlds();
    let ids: Vec<Vec<BodyId>> = worlds
        .iter_mut()
        .map(|world| {
            bodies[..6].iter().map(|(_, body)| world.insert(body.clone()).unwrap()).collect()
        })
        .collect();
    for step in 0..20 {
        let mut found = Vec::new();
        for (at, world) in worlds.iter_mut().enumerate() {
            for (number, &id) in ids[at].iter().enumerate() {
                set(world.get_mut(id).unwrap(), 1.7 * f64::from(step), 0.2 * number as f64)
                    .unwrap();
            }
            found.push(world.contacts());
        }
        assert_eq!(found[0], found[1], "step {step}, work included");
    }
}

#[test]
fn a_limit_holds_with_fronts() {
    let mut world = World::new();
    world.set_coherence(Coherence::Fronts);
    let ids = [0, 3].map(|at| world.insert(bodies()[at].1.clone()).unwrap());
    for step in 0..8 {
        for (id, phase) in ids.into_iter().zip([0.3, 1.1]) {
            set(world.get_mut(id).unwrap(), 0.4 + 1e-4 * f64::from(step), phase).unwrap();
        }
        let count: usize =
            world.contacts().contacts.iter().map(|contact| contact.pairs.len()).sum();
        assert!(world.contacts_up_to(count).is_ok() && world.contacts_up_to(count - 1).is_err());
    }
}
