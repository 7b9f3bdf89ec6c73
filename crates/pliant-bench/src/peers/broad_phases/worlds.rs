//! All pairs of a world of boxes, at rest and in motion.

use std::time::Instant;

use anyhow::{Result, ensure};
use pliant::volume::Aabb;
use pliant::world::{Auto, BroadPhase as _};
use pliant_scenes::{BoxLayout, BoxWorld, box_world};

use super::contestants::{Contestant, all};
use super::rapier::Rapier;
use super::{Pairs, Part};
use crate::measure::thread_seconds;
use crate::table::{Cell, Table, ratio, seconds};

/// Seconds for one world, and in units of the time that `Auto` takes. A contestant that would need
/// longer than both, by how its times grow beside those of `Auto`, is not asked.
const LONG: f64 = 2.0;
const LONG_BESIDE_AUTO: f64 = 2.0;

/// Seconds per world and contestant, more or less.
const BUDGET: f64 = 0.1;

/// Seconds per step from which the first, checked run of a contestant is its only one.
const ONCE: f64 = 1.0;

/// Steps of a moving world that are measured, there and back.
const STEPS: u32 = 8;

/// How far boxes move per step at most along each axis; neighbours are 1 apart.
const SPEED: f64 = 0.02;

/// The table of a part, if it is one of a world.
pub(super) fn run(part: Part, most: usize) -> Result<Option<Table>> {
    let all = [100, 1000, 10_000, 100_000, 1_000_000];
    let sizes = &all[..all.iter().filter(|&&size| size <= most).count()];
    let (layout, motion) = match part {
        Part::Uniform => (BoxLayout::Uniform, Motion::Rest),
        Part::Clustered => (BoxLayout::Clustered, Motion::Rest),
        Part::Mixed => (BoxLayout::Mixed, Motion::Rest),
        Part::Flat => (BoxLayout::Flat, Motion::Rest),
        Part::MovingUniform => (BoxLayout::Uniform, Motion::Moving),
        Part::MovingClustered => (BoxLayout::Clustered, Motion::Moving),
        Part::Probes => return Ok(None),
    };
    if motion == Motion::Moving {
        check_rapier(layout, most.min(5000))?;
    }
    table(layout, motion, sizes).map(Some)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Motion {
    Rest,
    Moving,
}

fn table(layout: BoxLayout, motion: Motion, sizes: &[usize]) -> Result<Table> {
    let heads = ["100 boxes", "1 000", "10 000", "100 000", "1 000 000"];
    let mut columns = vec!["broad phase"];
    columns.extend(&heads[..sizes.len()]);
    let name = layout.name();
    let title = match motion {
        Motion::Rest => format!("All pairs of a world, {name}: build and search, one thread"),
        Motion::Moving => format!("All pairs of a moving world, {name}: per step, one thread"),
    };
    let mut table = Table::new(title, &columns);
    let mut contestants = all();
    // Rows of times, by contestant; two threads for `auto` at the end.
    let mut times = vec![vec![f64::INFINITY; sizes.len()]; contestants.len()];
    let mut on_two = vec![f64::INFINITY; sizes.len()];
    let mut counts = Vec::new();
    for (at, &count) in sizes.iter().enumerate() {
        eprintln!("broad-phases: {name}, {motion:?}, {count} boxes ...");
        let world = box_world(layout, count, SPEED, 1);
        let before: Vec<&[f64]> = times.iter().map(|row| &row[..at]).collect();
        let (best, pairs) = measure(&world, motion, &mut contestants, &before)?;
        for (row, best) in times.iter_mut().zip(best) {
            row[at] = best;
        }
        counts.push(pairs.count);
        on_two[at] = two_threads(&world, motion)?;
    }
    let row = |name: &str, times: &[f64]| {
        std::iter::once(Cell::from(name)).chain(times.iter().map(|&time| seconds(time))).collect()
    };
    let mut add = |cells: Vec<Cell>| table.row(cells);
    for (contestant, times) in contestants.iter().zip(&times) {
        if contestant.is_ours || motion == Motion::Moving || !contestant.is_fat {
            add(row(&contestant.name, times));
        }
    }
    add(row("auto, two threads", &on_two));
    let least = |ours: bool, at: usize| {
        let same = contestants.iter().zip(&times).filter(|(one, _)| one.is_ours == ours);
        same.filter(|(one, _)| one.name != "auto")
            .map(|(_, row)| row[at])
            .fold(f64::INFINITY, f64::min)
    };
    let against = |name: &str, of: &dyn Fn(usize) -> f64| {
        let ratios = (0..sizes.len()).map(|at| ratio(of(at)));
        std::iter::once(Cell::from(name)).chain(ratios).collect::<Vec<_>>()
    };
    add(against("auto over the best of ours", &|at| times[0][at] / least(true, at)));
    add(against("best of others over auto", &|at| least(false, at) / times[0][at]));
    if motion == Motion::Moving {
        let last = times.len() - 1;
        add(against("rapier3d over auto", &|at| times[last][at] / times[0][at]));
    }
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    table.note(format!("pairs that overlap: {}; every contestant finds these", counts.join(", ")));
    table.note("times are those of the thread on its core; two threads: of a clock");
    table
        .note("-: not asked, since it would take longer than 2 s, and than twice the time of auto");
    Ok(table)
}

/// Whether a contestant is asked for a world, given the time of `Auto` for it, and the times of both
/// for worlds of a tenth of its size and less.
fn is_asked(auto: f64, [own, autos]: [&[f64]; 2]) -> bool {
    let beside = |at: usize| own[at] / autos[at];
    match own.len() {
        // Infinite or NaN if it was not asked before.
        count @ 2.. => {
            let [before, last] = [beside(count - 2), beside(count - 1)];
            auto * last * (last / before).max(1.0) < LONG.max(LONG_BESIDE_AUTO * auto)
        }
        _ => true,
    }
}

/// Best times of the contestants that are asked, and the pairs. `before` has the times of each for
/// smaller worlds. The first contestant is `Auto`.
fn measure(
    world: &BoxWorld,
    motion: Motion,
    contestants: &mut [Contestant],
    before: &[&[f64]],
) -> Result<(Vec<f64>, Pairs)> {
    let steps: Vec<Vec<Aabb>> = match motion {
        Motion::Rest => vec![world.boxes(0)],
        // Far enough that what is kept must be changed: by up to 0.14, and fat boxes reach 0.04.
        Motion::Moving => (0..STEPS).map(|step| world.boxes(step)).collect(),
    };
    // Who keeps nothing takes as long for each step.
    let course = |keeps: bool, time: f64| match keeps || time < BUDGET {
        true => &steps[..],
        false => &steps[..1],
    };
    let mut best = vec![f64::INFINITY; contestants.len()];
    let mut first = best.clone();
    let mut expected: Vec<Pairs> = Vec::new();
    for at in 0..contestants.len() {
        let contestant = &mut contestants[at];
        // Who keeps fat boxes has nothing to do at rest.
        let is_shown = motion == Motion::Moving || !contestant.is_fat;
        if !is_shown || at > 0 && !is_asked(best[0].min(first[0]), [before[at], before[0]]) {
            continue;
        }
        // Once without the other clock: what is kept from step to step is there then.
        let start = thread_seconds();
        let mut found = vec![(contestant.step)(&steps[0])];
        first[at] = thread_seconds() - start;
        let rest = &course(contestant.keeps, first[at])[1..];
        found.extend(rest.iter().map(|boxes| (contestant.step)(boxes)));
        if at == 0 {
            expected.clone_from(&found);
        }
        let same = contestant.is_fat || found.iter().zip(&expected).all(|(a, b)| a == b);
        ensure!(same, "{} finds other pairs", contestant.name);
        let is_once = first[at] > ONCE && !contestant.keeps;
        best[at] = if is_once { first[at] } else { f64::MAX };
    }
    let start = thread_seconds();
    let budget = BUDGET * contestants.len() as f64;
    for round in 0..200 {
        for ((contestant, best), &first) in contestants.iter_mut().zip(&mut best).zip(&first) {
            // Who takes long is measured less often.
            let often = match *best {
                f64::MAX => true,
                best => best < BUDGET / 4.0 || (round < 3 && best < 2.0 * BUDGET),
            };
            if !often {
                continue;
            }
            let steps = course(contestant.keeps, first);
            // Once without a clock, and times of microseconds are those of many in a row: caches are
            // warm then, whoever was measured before.
            let repeats = (1e-3 / *best).clamp(1.0, 20.0) as usize;
            if first < BUDGET / 4.0 {
                std::hint::black_box((contestant.step)(&steps[steps.len() - 1]));
            }
            let before = thread_seconds();
            for _ in 0..repeats {
                // There and back, so that every step is a small one.
                for boxes in steps.iter().rev().chain(steps.iter().skip(1)) {
                    std::hint::black_box((contestant.step)(boxes));
                }
            }
            let steps = (repeats * (2 * steps.len() - 1)) as f64;
            let taken = (thread_seconds() - before) / steps;
            *best = best.min(taken);
        }
        if thread_seconds() - start > budget {
            break;
        }
    }
    Ok((best, expected.first().copied().unwrap_or_default()))
}

/// The time of `auto` per step on two threads.
fn two_threads(world: &BoxWorld, motion: Motion) -> Result<f64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let boxes = world.boxes(u32::from(motion == Motion::Moving));
    Ok(pool.install(|| {
        let mut best = f64::INFINITY;
        let start = Instant::now();
        let auto = Auto::new();
        for _ in 0..50 {
            let before = Instant::now();
            let mut found = Pairs::default();
            let _ = auto.pairs(&boxes, &mut pliant::Work::default(), &mut |pair| {
                found.add(pair);
                std::ops::ControlFlow::Continue(())
            });
            std::hint::black_box(found);
            best = best.min(before.elapsed().as_secs_f64());
            if start.elapsed().as_secs_f64() > BUDGET {
                break;
            }
        }
        best
    }))
}

/// rapier3d reports changes of its pairs, and boxes that are only near each other are among them. All
/// of ours must be.
fn check_rapier(layout: BoxLayout, count: usize) -> Result<()> {
    let world = box_world(layout, count, SPEED, 1);
    let mut rapier = Rapier::new();
    for step in 0..10 {
        let boxes = world.boxes(step);
        let _ = rapier.step(&boxes);
        let theirs = rapier.pairs();
        let missed =
            Auto::new().overlapping(&boxes).iter().filter(|pair| !theirs.contains(*pair)).count();
        ensure!(missed == 0, "rapier3d misses {missed} pairs at step {step}");
    }
    Ok(())
}
