//! Table 4: self-collision at moments of a motion, from scratch and with last step's front.

use std::hint::black_box;

use anyhow::{Result, ensure};
use glam::DVec3;
use pliant::Necklace;
use pliant::necklace::{ClashFront, Clashes, clashes};
use pliant_scenes::{Beads, globule, rolling_spiral, scaling_helix, static_helix};

use super::rivals::{check_all, same};
use super::scenes::{absent, vibrating_protein};
use super::self_collision::self_collision;
use super::separating_sets::family_sizes;
use super::villin::{self, Villin};
use super::{micros, rounds};
use crate::measure::best_of;
use crate::table::{Cell, Table, count, ratio_to};

/// A moment of a motion, and the states just after it.
pub(crate) struct Moment {
    pub(crate) name: String,
    radius: f64,
    steps: Vec<Vec<DVec3>>,
    /// What the paper's table 4 says: set sizes and microseconds, wrapped and layered.
    theirs: [&'static str; 4],
}

/// States of a moment that a front goes through, to and fro.
const STEPS: usize = 9;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces, table 4: self-collision while it deforms, µs",
        &[
            "motion",
            "beads",
            "wrapped",
            "layered",
            "cells",
            "ours",
            "front",
            "cells/front",
            "watched",
            "clashes",
            "set wrapped",
            "set layered",
            "their sets",
            "their µs",
        ],
    );
    let (moments, notes) = moments()?;
    for moment in moments {
        let necklace = Necklace::open(&moment.steps[0], moment.radius)?;
        let rounds = rounds(necklace.len(), quick);
        let found = check_all(&necklace, quick)?;
        let times = self_collision(&necklace, rounds);
        let [wrapped, layered] = family_sizes(&necklace);
        let front = front(&moment, rounds)?;
        let [set_wrapped, set_layered, wrapped_time, layered_time] = moment.theirs;
        table.row([
            moment.name.into(),
            count(necklace.len()),
            micros(times.wrapped),
            micros(times.layered),
            micros(times.cells),
            micros(times.ours),
            micros(front.seconds),
            ratio_to(times.cells / front.seconds, 1),
            count(front.watched),
            count(found.len()),
            count(wrapped),
            count(layered),
            pair_of(set_wrapped, set_layered),
            pair_of(wrapped_time, layered_time),
        ]);
    }
    table.note("front: a step of ClashFront under small motion, from positions to pairs; watched: pairs that it tests");
    table.note("theirs: wrapped / layered, the search alone; their proteins were simulated, villin with 108 beads");
    notes.into_iter().for_each(|note| table.note(note));
    Ok(vec![table])
}

fn pair_of(a: &str, b: &str) -> Cell {
    if a.is_empty() { Cell::default() } else { format!("{a} / {b}").into() }
}

/// The motions of the paper's table, and helix and globule under small motion.
fn moments() -> Result<(Vec<Moment>, Vec<String>)> {
    let mut moments = Vec::new();
    for (progress, theirs) in [
        (0.0, ["1 000", "1 000", "240", "250"]),
        (0.5, ["2 400", "2 400", "720", "740"]),
        (0.99, ["6 400", "7 200", "280", "270"]),
    ] {
        let states = (0..STEPS).map(|step| rolling_spiral(progress + 0.000_02 * step as f64));
        let states: Vec<Beads> = states.collect::<pliant::Result<_>>()?;
        let radius = states[0].radius;
        let steps = states.into_iter().map(|state| state.positions).collect();
        moments.push(Moment {
            name: format!("spiral, {:.0} turns", 18.0 * progress),
            radius,
            steps,
            theirs,
        });
    }
    let mut notes = Vec::new();
    if let Some(run) = Villin::read()? {
        for (frame, theirs) in [
            (0, ["110", "110", "28", "28"]),
            (5000, ["120", "150", "31", "38"]),
            (9900, ["140", "150", "35", "38"]),
        ] {
            let frames = || frame..frame + STEPS;
            let steps = frames().filter_map(|frame| run.frame(frame)).collect();
            let name = format!("villin, frame {frame}");
            moments.push(Moment { name, radius: villin::RADIUS, steps, theirs: [""; 4] });
            let steps = frames().filter_map(|frame| run.backbone_frame(frame)).collect();
            let name = format!("villin backbone, frame {frame}");
            moments.push(Moment { name, radius: villin::BACKBONE_RADIUS, steps, theirs });
        }
        notes.push("villin: 35 alpha carbons rebuilt from dihedrals, with the angles of 1vii; its frames are far apart; backbone: residues of 1vii carried by them".into());
    } else {
        notes.push(format!("villin is left out: {}", absent(villin::DIHEDRALS)));
    }
    for (frame, theirs) in [
        (0, ["310", "315", "76", "78"]),
        (400, ["600", "600", "83", "100"]),
        (900, ["380", "420", "93", "106"]),
    ] {
        let states = (frame..frame + STEPS).map(vibrating_protein);
        let (steps, radii): (Vec<_>, Vec<_>) = states.unzip();
        let name = format!("random protein, frame {frame}");
        moments.push(Moment { name, radius: radii[0], steps, theirs });
    }
    for (name, beads) in [
        ("static helix", static_helix(10_240)?),
        ("scaling helix", scaling_helix(10_240)?),
        ("globule", globule(10_000, 1)?),
    ] {
        moments.push(swaying(name.into(), &beads));
    }
    notes.push("random protein: vibrating in waves, kept a necklace; helix and globule: swaying by a fiftieth of a radius per step".into());
    Ok((moments, notes))
}

/// Beads that sway smoothly in space.
pub(crate) fn swaying(name: String, beads: &Beads) -> Moment {
    let size = beads.positions.iter().fold(0.0f64, |most, p| most.max(p.abs().max_element()));
    let step = |number: usize| {
        let far = 0.02 * beads.radius * number as f64;
        let moved = |p: &DVec3| {
            let q = *p * (3.0 / size);
            p + DVec3::new(q.y.sin(), q.z.cos(), q.x.sin()) * far
        };
        beads.positions.iter().map(moved).collect()
    };
    let steps = (0..STEPS).map(step).collect();
    Moment { name, radius: beads.radius, steps, theirs: [""; 4] }
}

pub(crate) struct FrontTime {
    pub(crate) seconds: f64,
    watched: usize,
}

/// Seconds of a step with last step's front, to and fro through the states.
pub(crate) fn front(moment: &Moment, rounds: usize) -> Result<FrontTime> {
    let mut necklace = Necklace::open(&moment.steps[0], moment.radius)?;
    let mut front = ClashFront::new(necklace.clone(), 2);
    let count = moment.steps.len();
    ensure!(count > 1, "a motion of one state");
    let there = (1..count).chain((0..count - 1).rev());
    let path: Vec<&Vec<DVec3>> = there.map(|step| &moment.steps[step]).collect();
    for centers in &path {
        necklace.set_positions(centers)?;
        same("the front", &front.step(centers)?.pairs, &clashes(&necklace, 2).pairs)?;
    }
    let mut outcome: pliant::Result<()> = Ok(());
    let [seconds] = best_of(
        rounds.div_ceil(4),
        [&mut || {
            for centers in &path {
                let found: pliant::Result<Clashes> = front.step(black_box(centers));
                outcome = black_box(found).map(drop);
            }
        }],
    );
    outcome?;
    Ok(FrontTime { seconds: seconds / path.len() as f64, watched: front.watched().len() })
}
