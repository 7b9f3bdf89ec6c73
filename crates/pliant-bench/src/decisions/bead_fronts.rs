//! Fronts of necklaces in a world, against queries from scratch.

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::deform::{Binding, Blending};
use pliant::world::{Coherence, NecklaceId};
use pliant::{AnyBody, Body, BodyId, Mesh, Necklace, World};
use pliant_scenes::{Random, globule, protein_on_surface, roped_man};

use crate::measure::thread_seconds;
use crate::papers::skins::duel::weights_of;
use crate::table::{Table, count, figure, ratio, seconds};

/// Motion of the farthest bead per step, in radii.
const STEPS: [f64; 5] = [3.0, 0.3, 0.1, 0.01, 0.0];

/// Two globules that lie in one another and vibrate: clashes within each, and between them.
pub(super) fn table(quick: bool) -> Result<Table> {
    let columns = [
        "beads",
        "radii per step",
        "pairs",
        "from scratch",
        "fronts",
        "gain",
        "tests",
        "with fronts",
    ];
    let mut table =
        Table::new("Fronts of beads, per query, from scratch and from the last front", &columns)
            .with_keys(2);
    for beads in if quick { vec![1000] } else { vec![1000, 10_000] } {
        for step in STEPS {
            row(&mut table, beads, step, if quick { 20 } else { 60 })?;
        }
    }
    table.note("two globules with a third of their boxes in common, each with itself and with the other; one thread");
    Ok(table)
}

fn row(table: &mut Table, beads: usize, step: f64, queries: usize) -> Result<()> {
    let globules = [globule(beads, 1)?, globule(beads, 2)?];
    let (low, high) = globules[0]
        .positions
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| (low.min(p), high.max(p)));
    let shifts = [DVec3::ZERO, DVec3::X * (high - low).x * 0.67];
    let mut random = Random::new(3);
    let ways: Vec<DVec3> = (0..beads).map(|_| random.in_cube()).collect();
    // The way of a bead swings with a period of 40 queries; its fastest step is `step` radii.
    let place = |globule: usize, query: usize| -> Vec<DVec3> {
        let turn = std::f64::consts::TAU / 40.0;
        let swing = (query as f64 * turn).sin() * step / turn / 3f64.sqrt();
        let own = &globules[globule];
        let moved = own.positions.iter().zip(&ways);
        moved.map(|(p, way)| *p + shifts[globule] + *way * (swing * own.radius)).collect()
    };
    let mut worlds = [Coherence::FromScratch, Coherence::Fronts].map(|coherence| {
        let mut world = World::new();
        world.set_coherence(coherence);
        world
    });
    let mut ids = Vec::new();
    for world in &mut worlds {
        for (globule, own) in globules.iter().enumerate() {
            let id = world.insert_necklace(Necklace::open(&place(globule, 0), own.radius)?)?;
            world.set_own_clashes(id, Some(2))?;
            ids.push(id);
        }
    }
    let (mut times, mut tests, mut pairs) = ([0.0; 2], [0; 2], 0);
    for query in 0..queries {
        let mut found = Vec::new();
        for (at, world) in worlds.iter_mut().enumerate() {
            for globule in [0, 1] {
                world.set_beads(ids[2 * at + globule], &place(globule, query))?;
            }
            let start = thread_seconds();
            let contacts = world.bead_contacts();
            times[at] += thread_seconds() - start;
            tests[at] += contacts.work.overlap_tests + contacts.work.primitive_tests;
            found.push(contacts.contacts);
        }
        ensure!(
            found[0] == found[1],
            "{beads} beads, {step} radii, query {query}: contacts differ"
        );
        pairs += found[0].iter().map(|contact| contact.pairs.len()).sum::<usize>();
    }
    table.row([
        count(beads),
        figure(step, 2, "radii"),
        count(pairs / queries),
        seconds(times[0] / queries as f64),
        seconds(times[1] / queries as f64),
        ratio(times[0] / times[1]),
        count(tests[0] / queries as u64),
        count(tests[1] / queries as u64),
    ]);
    Ok(())
}

/// Moves a necklace and a body of a world to a time.
type SetTime = Box<dyn Fn(&mut World, NecklaceId, BodyId, f64) -> pliant::Result<()>>;

/// A necklace on a body.
struct OnBody {
    name: &'static str,
    body: AnyBody,
    necklace: Necklace,
    start: f64,
    /// Radii per second, about.
    speed: f64,
    set: SetTime,
}

/// Beads against triangles: a rope around a walking man, a protein that sinks into a surface.
pub(super) fn with_bodies(quick: bool) -> Result<Table> {
    let columns = [
        "scene",
        "radii per step",
        "pairs",
        "from scratch",
        "fronts",
        "gain",
        "tests",
        "with fronts",
    ];
    let title =
        "Fronts of beads against triangles, per query, from scratch and from the last front";
    let mut table = Table::new(title, &columns).with_keys(2);
    for scene in [rope()?, protein()?] {
        for step in STEPS {
            body_row(&mut table, &scene, step, if quick { 40 } else { 240 })?;
        }
    }
    table.note("motion of the farthest bead; one thread");
    Ok(table)
}

fn rope() -> Result<OnBody> {
    let scene = roped_man()?;
    let binding = Binding::new(weights_of(&scene.man), scene.man.joints.len())?;
    let body = Body::skinned(Mesh::clone(&scene.man.mesh), binding, Blending::Linear)?.into();
    let necklace = Necklace::open(&scene.rope(0.1), scene.radius)?;
    let speed = fastest(&scene.rope(0.1), &scene.rope(0.101)) / 0.001 / scene.radius;
    let set = Box::new(move |world: &mut World, rope: NecklaceId, man: BodyId, time: f64| {
        if let AnyBody::Skinned(body) = world.get_mut(man)? {
            body.set_pose(&scene.man.pose(time), &[])?;
        }
        world.set_beads(rope, &scene.rope(time))
    });
    Ok(OnBody { name: "rope and man", body, necklace, start: 0.1, speed, set })
}

fn protein() -> Result<OnBody> {
    let scene = protein_on_surface(1000, 1)?;
    let body = Body::rigid(scene.surface.clone())?.into();
    let radius = scene.protein.radius;
    let necklace = Necklace::open(&scene.beads(0.8), radius)?;
    let speed = fastest(&scene.beads(0.8), &scene.beads(0.801)) / 0.001 / radius;
    let set = Box::new(move |world: &mut World, protein: NecklaceId, _: BodyId, time: f64| {
        world.set_beads(protein, &scene.beads(time))
    });
    Ok(OnBody { name: "protein and surface", body, necklace, start: 0.8, speed, set })
}

fn fastest(from: &[DVec3], to: &[DVec3]) -> f64 {
    from.iter().zip(to).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

fn body_row(table: &mut Table, scene: &OnBody, step: f64, queries: usize) -> Result<()> {
    let mut worlds = [Coherence::FromScratch, Coherence::Fronts].map(|coherence| {
        let mut world = World::new();
        world.set_coherence(coherence);
        world
    });
    let mut ids = Vec::new();
    for world in &mut worlds {
        let necklace = world.insert_necklace(scene.necklace.clone())?;
        ids.push((necklace, world.insert(scene.body.clone())?));
    }
    let (mut times, mut tests, mut pairs) = ([0.0; 2], [0; 2], 0);
    for query in 0..queries {
        // To and fro, a tenth of a second at most.
        let way = (query as f64 * step / scene.speed) % 0.2;
        let time = scene.start + way.min(0.2 - way);
        let mut found = Vec::new();
        for (at, world) in worlds.iter_mut().enumerate() {
            (scene.set)(world, ids[at].0, ids[at].1, time)?;
            let start = thread_seconds();
            let contacts = world.bead_contacts();
            times[at] += thread_seconds() - start;
            tests[at] += contacts.work.overlap_tests + contacts.work.primitive_tests;
            found.push(contacts.contacts);
        }
        ensure!(found[0] == found[1], "{}, {step} radii, query {query}", scene.name);
        pairs += found[0].iter().map(|contact| contact.pairs.len()).sum::<usize>();
    }
    table.row([
        scene.name.into(),
        figure(step, 2, "radii"),
        count(pairs / queries),
        seconds(times[0] / queries as f64),
        seconds(times[1] / queries as f64),
        ratio(times[0] / times[1]),
        count(tests[0] / queries as u64),
        count(tests[1] / queries as u64),
    ]);
    Ok(())
}
