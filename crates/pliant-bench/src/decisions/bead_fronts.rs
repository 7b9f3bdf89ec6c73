//! Fronts of necklaces in a world, against queries from scratch.

use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::world::Coherence;
use pliant::{Necklace, World};
use pliant_scenes::{Random, globule};

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
            let start = Instant::now();
            let contacts = world.bead_contacts();
            times[at] += start.elapsed().as_secs_f64();
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
