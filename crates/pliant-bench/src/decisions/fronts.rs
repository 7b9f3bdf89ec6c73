//! Fronts: queries of a world that start where the last ones ended, against queries from scratch.

use std::sync::Arc;

use anyhow::{Result, ensure};
use glam::{DAffine3, DQuat, DVec3};
use pliant::deform::{Binding, Blending, Keyframes, Modes};
use pliant::world::Coherence;
use pliant::{AnyBody, AnySelfContact, Body, BodyId, Mesh, Work, World};
use pliant_scenes::{Character, Random, curtain, man};

use super::bead_fronts;
use crate::measure::thread_seconds;
use crate::papers::skins::duel::weights_of;
use crate::table::{Table, count, figure, ratio, seconds};

/// Moves the bodies of a world to a time.
type SetTime = Box<dyn Fn(&mut World, &[BodyId], f64) -> pliant::Result<()>>;
type SharedSetTime = Arc<dyn Fn(&mut World, &[BodyId], f64) -> pliant::Result<()>>;

/// A scene of two bodies that are in contact from its begin to its end, or of one body with itself.
struct Scene {
    name: String,
    bodies: Vec<AnyBody>,
    /// What was prepared for contacts of the only body with itself.
    prepared: Option<Arc<AnySelfContact>>,
    /// Seconds.
    span: [f64; 2],
    set: SetTime,
}

/// Motion of the farthest vertices of both bodies per step, in mean lengths of edges: on the average over the
/// span.
const STEPS: [f64; 10] = [
    1.0,
    1.0 / 8.0,
    1.0 / 16.0,
    1.0 / 32.0,
    1.0 / 64.0,
    1.0 / 128.0,
    1.0 / 256.0,
    1.0 / 512.0,
    1.0 / 1024.0,
    0.0,
];

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Fronts: contacts of two bodies, per query, from scratch and from the last front",
        &[
            "bodies",
            "motion",
            "edges per step",
            "mean vertex",
            "pairs",
            "from scratch",
            "fronts",
            "gain",
            "tests",
            "with fronts",
            "triangles",
            "with fronts ",
            "front",
        ],
    )
    .with_keys(2);
    let pairs =
        [curtains(Kind::Reduced)?, men()?, curtains(Kind::Free)?, curtains(Kind::Keyframed)?];
    let alone = [curtains(Kind::Reduced)?, men()?, curtains(Kind::Free)?];
    let mut scenes = Vec::from(pairs);
    for scene in alone {
        scenes.extend(with_itself(scene)?);
    }
    for scene in scenes {
        eprintln!("fronts: {} ...", scene.name);
        let speed = edges_per_second(&scene)?;
        // A body with itself takes longer.
        let is_alone = scene.bodies.len() == 1;
        let is_asked =
            |step: f64| !is_alone || [1.0 / 8.0, 1.0 / 64.0, 1.0 / 256.0, 0.0].contains(&step);
        for step in STEPS.into_iter().filter(|&step| is_asked(step)) {
            // A walk to and fro within the span of contact.
            let count = if quick || is_alone { 60 } else { 240 };
            let [start, end] = scene.span;
            let length = end - start;
            let time = |k: usize| {
                let way = (0.31 * length + k as f64 * step / speed) % (2.0 * length);
                start + if way > length { 2.0 * length - way } else { way }
            };
            let name =
                if step == 0.0 { "at rest".into() } else { format!("1/{:.0} edge", 1.0 / step) };
            let times: Vec<f64> = (0..count).map(time).collect();
            row(&mut table, &scene, name, &times, quick)?;
        }
        let mut random = Random::new(7);
        let [start, end] = scene.span;
        let times: Vec<f64> = (0..if quick || is_alone { 30 } else { 120 })
            .map(|_| random.between(start, end))
            .collect();
        row(&mut table, &scene, "jumps".into(), &times, quick)?;
    }
    table.note(
        "edges per step: motion of the farthest vertices of both bodies, in mean lengths of edges; mean vertex: of all vertices",
    );
    table
        .note("from scratch, fronts: time of the thread per query; the state is set outside of it");
    table.note("tests, triangles: overlap tests and triangle tests per query; front: pairs kept at the end");
    table.note("itself: one body with itself; prepared: with what was prepared for that, and then without a front");
    Ok(vec![table, bead_fronts::table(quick)?, bead_fronts::with_bodies(quick)?])
}

#[derive(Default, Clone)]
struct Sum {
    time: f64,
    pairs: usize,
    work: Work,
}

fn row(table: &mut Table, scene: &Scene, name: String, times: &[f64], quick: bool) -> Result<()> {
    let mut best = [f64::INFINITY; 2];
    let mut last = [Sum::default(), Sum::default()];
    let (mut edges, mut kept) = ([0.0; 2], 0);
    for round in 0..if quick || scene.bodies.len() == 1 { 1 } else { 3 } {
        let mut worlds = [Coherence::FromScratch, Coherence::Fronts].map(|coherence| {
            let mut world = World::new();
            world.set_coherence(coherence);
            world
        });
        let mut ids = Vec::new();
        for world in &mut worlds {
            ids.push(insert(world, scene)?);
        }
        let mut sums = [Sum::default(), Sum::default()];
        for (k, &time) in times.iter().enumerate() {
            let mut found = Vec::new();
            for turn in [k % 2, 1 - k % 2] {
                let before = (round == 0 && turn == 0).then(|| positions(&worlds[0]));
                (scene.set)(&mut worlds[turn], &ids[turn], time)?;
                let start = thread_seconds();
                let contacts = worlds[turn].contacts();
                sums[turn].time += thread_seconds() - start;
                sums[turn].work += contacts.work;
                sums[turn].pairs += contacts.contacts.iter().map(|c| c.pairs.len()).sum::<usize>();
                found.push(contacts.contacts);
                if let Some(before) = before
                    && k > 0
                {
                    let [farthest, mean] = moved(&before, &positions(&worlds[0]));
                    let edge = mean_edge(&worlds[0]);
                    edges = [edges[0] + farthest / edge, edges[1] + mean / edge];
                }
            }
            ensure!(found[0] == found[1], "{}, {name}, step {k}: contacts differ", scene.name);
        }
        for turn in [0, 1] {
            best[turn] = best[turn].min(sums[turn].time);
        }
        last = sums;
        kept = worlds[1].front_pairs();
    }
    let each = times.len() as f64;
    let mean = |n: u64| count(n / times.len() as u64);
    table.row([
        scene.name.as_str().into(),
        name.into(),
        figure(edges[0] / (each - 1.0), 3, "edges"),
        figure(edges[1] / (each - 1.0), 3, "edges"),
        count(last[0].pairs / times.len()),
        seconds(best[0] / each),
        seconds(best[1] / each),
        ratio(best[0] / best[1]),
        mean(last[0].work.overlap_tests),
        mean(last[1].work.overlap_tests),
        mean(last[0].work.primitive_tests),
        mean(last[1].work.primitive_tests),
        count(kept),
    ]);
    Ok(())
}

/// Puts the bodies of a scene into a world. A single one counts with itself.
fn insert(world: &mut World, scene: &Scene) -> Result<Vec<BodyId>> {
    let ids: Vec<BodyId> =
        scene.bodies.iter().map(|body| world.insert(body.clone())).collect::<Result<_, _>>()?;
    if let [alone] = ids[..] {
        world.set_self_contact(alone, true)?;
        world.set_prepared(alone, scene.prepared.clone())?;
    }
    Ok(ids)
}

/// How far the farthest vertices of the bodies move together, in edges, on the average over the span.
fn edges_per_second(scene: &Scene) -> Result<f64> {
    const PARTS: u32 = 32;
    let mut world = World::new();
    let ids = insert(&mut world, scene)?;
    let [start, end] = scene.span;
    (scene.set)(&mut world, &ids, start)?;
    let mut sum = 0.0;
    for part in 1..=PARTS {
        let before = positions(&world);
        let time = start + (end - start) * f64::from(part) / f64::from(PARTS);
        (scene.set)(&mut world, &ids, time)?;
        sum += moved(&before, &positions(&world))[0];
    }
    Ok(sum / mean_edge(&world) / (end - start))
}

/// The first body of a scene with itself: plain, and prepared for that.
fn with_itself(scene: Scene) -> Result<Vec<Scene>> {
    let Scene { name, mut bodies, span, set, .. } = scene;
    let name = name.replace("two", "one");
    bodies.truncate(1);
    let prepared = AnySelfContact::new(&bodies[0]).map(Arc::new);
    let set: SharedSetTime = Arc::from(set);
    let scene = |name: String, prepared| {
        let set = set.clone();
        let set: SetTime = Box::new(move |world, ids, time| set(world, ids, time));
        Scene { name, bodies: bodies.clone(), prepared, span, set }
    };
    Ok(vec![scene(format!("{name}, itself"), None), scene(format!("{name}, prepared"), prepared)])
}

/// The vertices of every body of a world.
fn positions(world: &World) -> Vec<Vec<DVec3>> {
    let of = |body: &AnyBody| {
        (0..body.mesh().positions().len() as u32).filter_map(|v| body.position(v)).collect()
    };
    world.iter().map(|(_, body)| of(body)).collect()
}

/// How far the farthest vertices of each body moved, together, and how far all did on the average.
fn moved(before: &[Vec<DVec3>], after: &[Vec<DVec3>]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (from, to) in before.iter().zip(after) {
        let ways: Vec<f64> = from.iter().zip(to).map(|(a, b)| a.distance(*b)).collect();
        sums[0] += ways.iter().copied().fold(0.0, f64::max);
        sums[1] += ways.iter().sum::<f64>() / ways.len() as f64;
    }
    sums
}

fn mean_edge(world: &World) -> f64 {
    let (mut sum, mut edges) = (0.0, 0.0);
    for (_, body) in world.iter() {
        for &[a, b, c] in body.mesh().triangles() {
            for [i, j] in [[a, b], [b, c], [c, a]] {
                let at = |v: u32| body.position(v).unwrap_or_default();
                sum += at(i).distance(at(j));
                edges += 1.0;
            }
        }
    }
    sum / edges
}

/// How curtains are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reduced,
    Free,
    Keyframed,
}

/// Two curtains that swing through one another: from coordinates, as positions, or along keyframes, 30
/// per second.
fn curtains(kind: Kind) -> Result<Scene> {
    let scene = curtain(0)?;
    let mesh = scene.mesh.clone();
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &scene.modes)?);
    let middle = mesh.positions().iter().sum::<DVec3>() / mesh.positions().len() as f64;
    let turned = DAffine3::from_translation(middle)
        * DAffine3::from_quat(DQuat::from_rotation_y(0.25))
        * DAffine3::from_translation(-middle);
    let coordinates = move |time: f64| -> Vec<f64> {
        let frame = (time * 30.0).clamp(0.0, (scene.coordinates.len() - 1) as f64);
        let (at, part) = (frame as usize, frame.fract());
        let next = (at + 1).min(scene.coordinates.len() - 1);
        let blend =
            |i: usize| scene.coordinates[at][i] * (1.0 - part) + scene.coordinates[next][i] * part;
        (0..scene.coordinates[at].len()).map(blend).collect()
    };
    let span = [0.1, 2.6];
    // The second is a second behind the first.
    let times = |time: f64| [time, time + 1.0];
    if kind == Kind::Reduced {
        let body = Body::reduced(mesh, modes)?;
        let mut other = body.clone();
        other.set_frame(turned)?;
        return Ok(Scene {
            name: "two reduced".into(),
            prepared: None,
            bodies: vec![body.into(), other.into()],
            span,
            set: Box::new(move |world, ids, time| {
                for (&id, time) in ids.iter().zip(times(time)) {
                    if let AnyBody::Reduced(body) = world.get_mut(id)? {
                        body.set_coordinates(&coordinates(time))?;
                    }
                }
                Ok(())
            }),
        });
    }
    let places = [DAffine3::IDENTITY, turned];
    let body = Body::free(mesh.clone())?;
    let positions = move |time: f64, place: DAffine3| -> Vec<DVec3> {
        let q = coordinates(time);
        let displaced =
            |(v, &rest): (usize, &DVec3)| place.transform_point3(modes.displaced(rest, v, &q));
        mesh.positions().iter().enumerate().map(displaced).collect()
    };
    if kind == Kind::Keyframed {
        let keys: Vec<f64> = (0..=120).map(|frame| f64::from(frame) / 30.0).collect();
        let make = |place: DAffine3| -> Result<AnyBody> {
            let frames = keys.iter().map(|&time| positions(time, place)).collect();
            let keyframes = Keyframes::new(keys.clone(), frames)?;
            Ok(Body::keyframed(Mesh::clone(body.mesh()), keyframes)?.into())
        };
        return Ok(Scene {
            name: "two keyframed".into(),
            prepared: None,
            bodies: vec![make(places[0])?, make(places[1])?],
            span,
            set: Box::new(move |world, ids, time| {
                for (&id, time) in ids.iter().zip(times(time)) {
                    if let AnyBody::Keyframed(body) = world.get_mut(id)? {
                        body.rewind(time)?;
                    }
                }
                Ok(())
            }),
        });
    }
    Ok(Scene {
        name: "two free".into(),
        prepared: None,
        bodies: vec![body.clone().into(), body.into()],
        span,
        set: Box::new(move |world, ids, time| {
            for ((&id, time), place) in ids.iter().zip(times(time)).zip(places) {
                if let AnyBody::Free(body) = world.get_mut(id)? {
                    body.set_positions(&positions(time, place))?;
                }
            }
            Ok(())
        }),
    })
}

/// Two men who pass one another closely.
fn men() -> Result<Scene> {
    let character = man()?;
    let make = |character: &Character| -> Result<AnyBody> {
        let binding = Binding::new(weights_of(character), character.joints.len())?;
        Ok(Body::skinned(Mesh::clone(&character.mesh), binding, Blending::Linear)?.into())
    };
    let bodies = vec![make(&character)?, make(&character)?];
    Ok(Scene {
        name: "two skinned".into(),
        prepared: None,
        bodies,
        span: [-0.06, 0.06],
        set: Box::new(move |world, ids, time| {
            let turned = DQuat::from_rotation_y(std::f64::consts::PI);
            let places = [
                DAffine3::from_translation(DVec3::X * -0.17),
                DAffine3::from_rotation_translation(turned, DVec3::X * 0.17),
            ];
            for (&id, place) in ids.iter().zip(places) {
                let joints: Vec<_> =
                    character.pose(time).into_iter().map(|joint| place * joint).collect();
                if let AnyBody::Skinned(body) = world.get_mut(id)? {
                    body.set_pose(&joints, &[])?;
                }
            }
            Ok(())
        }),
    })
}
