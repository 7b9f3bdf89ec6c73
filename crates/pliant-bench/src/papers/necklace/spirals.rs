//! Table 7: two spirals roll up beside one another.

use std::hint::black_box;

use anyhow::Result;
use glam::DVec3;
use pliant::Necklace;
use pliant::necklace::{
    Layered, Motion, OnDemand, Unverified, Verification, Wrapped, brute_force, clashes_on_demand,
    separate,
};
use pliant_scenes::rolling_spiral;

use super::rivals::same;
use crate::measure::clock;
use crate::table::{Table, count, ratio_to, seconds};

/// Small steps from each conformation on.
const STEPS: usize = 16;
/// How much the spirals roll in a step.
const ROLL: f64 = 0.000_1;

/// A conformation: how far it has rolled up, and where the second spiral is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conformation {
    name: &'static str,
    progress: f64,
    place: Place,
    /// What the paper's table 7 says: layered set and milliseconds, lazy milliseconds.
    theirs: [&'static str; 3],
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// Mirrored, so far from the first along x.
    Beside(f64),
    /// Lifted by so much: cone in cone, strand between strands.
    Nested(f64),
}

/// The straight spirals: far apart, as in the first line of the paper's table.
pub(crate) const APART: Conformation = Conformation {
    name: "straight, apart",
    progress: 0.0,
    place: Place::Beside(1000.0),
    theirs: ["", "0.9", "0.005"],
};

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut table = Table::new(
        "Necklaces, table 7: two rolling spirals of 1000 beads, a step",
        &[
            "conformation",
            "layered",
            "wrapped",
            "unverified",
            "exact, promises",
            "exact, none",
            "layered/exact",
            "clashes",
            "set layered",
            "set wrapped",
            "missed",
            "their layered ms",
            "their lazy ms",
        ],
    );
    let conformation =
        |name, progress, place, theirs| Conformation { name, progress, place, theirs };
    for conformation in [
        APART,
        conformation("4 turns, apart", 0.25, Place::Beside(300.0), ["", "1.0", ""]),
        conformation("9 turns, apart", 0.5, Place::Beside(30.0), ["", "1.0", ""]),
        conformation("14 turns, nearly touching", 0.75, Place::Beside(1.2), ["2 400", "2.0", ""]),
        conformation("18 turns, cone in cone", 0.99, Place::Nested(1.6), ["3 700", "2.1", ""]),
    ] {
        let found = measure(conformation, if quick { 3 } else { 40 })?;
        let [layered, wrapped, unverified, promised, unknown] = found.seconds;
        table.row([
            conformation.name.into(),
            seconds(layered),
            seconds(wrapped),
            seconds(unverified),
            seconds(promised),
            seconds(unknown),
            ratio_to(layered / promised, 0),
            count(found.clashes),
            count(found.sets[0]),
            count(found.sets[1]),
            count(found.missed),
            conformation.theirs[1].into(),
            conformation.theirs[2].into(),
        ]);
    }
    table.note("layered, wrapped: all cages updated, then the search; unverified: the paper's lazy mode, which may miss clashes");
    table.note("exact: OnDemand, which equals brute force at every step; promises: the caller says how far beads moved at the most");
    table.note("set: pairs of cages at the first state; their layered sets for the last two: 2 400 and 3 700");
    Ok(vec![table])
}

pub(crate) struct SpiralTimes {
    /// Layered, wrapped, unverified, on demand with promises, and without; of a step.
    pub(crate) seconds: [f64; 5],
    clashes: usize,
    sets: [usize; 2],
    missed: usize,
}

/// Both spirals at every step.
fn states(conformation: Conformation) -> Result<(Vec<[Vec<DVec3>; 2]>, f64)> {
    let mut states = Vec::new();
    let mut radius = 0.0;
    let widest = |positions: &[DVec3]| positions.iter().fold(f64::MIN, |most, p| most.max(p.x));
    // Where the second is depends on the first state only: both then roll on freely.
    let first = rolling_spiral(conformation.progress)?;
    let mirror = 2.0 * widest(&first.positions);
    for step in 0..STEPS {
        let roll = rolling_spiral(conformation.progress + ROLL * step as f64)?;
        radius = roll.radius;
        let second = |p: &DVec3| match conformation.place {
            Place::Beside(apart) => DVec3::new(mirror + apart - p.x, p.y, p.z),
            Place::Nested(lift) => *p + DVec3::Y * lift,
        };
        let other = roll.positions.iter().map(second).collect();
        states.push([roll.positions, other]);
    }
    Ok((states, radius))
}

/// Every method over all steps, round by round in turn; what each finds is checked.
pub(crate) fn measure(conformation: Conformation, rounds: usize) -> Result<SpiralTimes> {
    let (states, radius) = states(conformation)?;
    let farthest = |a: &[DVec3], b: &[DVec3]| {
        let far = a.iter().zip(b).fold(0.0f64, |far, (p, q)| far.max(p.distance(*q)));
        Motion::AtMost(far * 1.000_001)
    };
    let mut necklaces = Vec::new();
    for positions in &states[0] {
        necklaces.push(Necklace::open(positions, radius)?);
    }
    let (mut clashes, mut missed) = (0, 0);
    let expected: Vec<Vec<[u32; 2]>> = states
        .iter()
        .map(|state| {
            let mut now = necklaces.clone();
            now[0].set_positions(&state[0])?;
            now[1].set_positions(&state[1])?;
            Ok(brute_force::clashes_between(&now[0], &now[1]).pairs)
        })
        .collect::<Result<_>>()?;
    let pair = |side: usize| necklaces[side].clone();
    let layered = [Layered::new(pair(0)), Layered::new(pair(1))];
    let wrapped = [Wrapped::new(pair(0)), Wrapped::new(pair(1))];
    let sets = [
        separate(&layered[0], &layered[1]).family().len(),
        separate(&wrapped[0], &wrapped[1]).family().len(),
    ];
    let demand = [OnDemand::new(pair(0)), OnDemand::new(pair(1))];
    let steps = (STEPS - 1) as f64;
    let mut best = [f64::INFINITY; 5];
    for _ in 0..rounds {
        let [mut a, mut b] = layered.clone();
        let mut found = Vec::new();
        let start = clock();
        for [p, q] in &states[1..] {
            a.set_positions(black_box(p))?;
            b.set_positions(black_box(q))?;
            found.push(separate(&a, &b));
        }
        best[0] = best[0].min((clock() - start) / steps);
        for (step, found) in found.iter().enumerate() {
            same("the layered hierarchy", found.clashes(), &expected[step + 1])?;
        }

        let [mut a, mut b] = wrapped.clone();
        let mut found = Vec::new();
        let start = clock();
        for [p, q] in &states[1..] {
            a.advance(black_box(p), Verification::Cascade)?;
            b.advance(black_box(q), Verification::Cascade)?;
            found.push(separate(&a, &b));
        }
        best[1] = best[1].min((clock() - start) / steps);
        for (step, found) in found.iter().enumerate() {
            same("the wrapped hierarchy", found.clashes(), &expected[step + 1])?;
        }

        let mut states_now = wrapped.clone().map(Unverified::new);
        let [a, b] = &mut states_now;
        let mut found = Vec::new();
        let start = clock();
        for [p, q] in &states[1..] {
            a.set_positions(black_box(p))?;
            b.set_positions(black_box(q))?;
            found.push(separate(a, b));
        }
        best[2] = best[2].min((clock() - start) / steps);
        let all = expected[1..].iter().map(Vec::len).sum::<usize>();
        missed = all - found.iter().map(|found| found.clashes().len()).sum::<usize>();
        clashes = expected[STEPS - 1].len();

        for (mode, best) in best[3..].iter_mut().enumerate() {
            let [mut a, mut b] = demand.clone();
            let motions: Vec<[Motion; 2]> = states
                .windows(2)
                .map(|two| [0, 1].map(|side| farthest(&two[0][side], &two[1][side])))
                .map(|motion| if mode == 0 { motion } else { [Motion::Unknown; 2] })
                .collect();
            let mut found = Vec::with_capacity(STEPS);
            let start = clock();
            for ([p, q], [m, n]) in states[1..].iter().zip(&motions) {
                a.moved(*m)?;
                b.moved(*n)?;
                found.push(clashes_on_demand((&mut a, black_box(p)), (&mut b, black_box(q)))?);
            }
            *best = best.min((clock() - start) / steps);
            for (step, found) in found.iter().enumerate() {
                same("on demand", &found.pairs, &expected[step + 1])?;
            }
        }
    }
    Ok(SpiralTimes { seconds: best, clashes, sets, missed })
}
