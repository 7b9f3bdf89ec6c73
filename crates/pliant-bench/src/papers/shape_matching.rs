//! Jelly on stairs: what a step of shape matching costs (Müller, Heidelberger, Teschner and Gross 2005).

use std::time::Instant;

use anyhow::Result;
use pliant_scenes::{falling_jelly, jelly_on_stairs};
use pliant_sim::shape_matching::{Goal, ShapeMaterial};

use crate::table::{Table, count, figure, seconds};

/// Steps before the pile is measured: two seconds, so that most have landed.
const BEFORE: usize = 120;

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let columns = ["bodies", "goal", "contacts", "1 thread", "2 threads", "per second"];
    let mut table = Table::new("Jelly on stairs, per step", &columns).with_keys(2);
    let sizes: &[usize] = if quick { &[100] } else { &[100, 1000, 4000] };
    for &bodies in sizes {
        for (name, goal) in [
            ("rigid", Goal::Rigid),
            ("linear", ShapeMaterial::JELLY.goal),
            ("quadratic", Goal::Quadratic { beta: 0.6 }),
        ] {
            let [one, two] = [1, 2].map(|threads| per_step(bodies, goal, threads, quick));
            let ((one, contacts), (two, same)) = (one?, two?);
            anyhow::ensure!(contacts == same, "threads change the contacts");
            table.row([
                count(bodies),
                name.into(),
                count(contacts),
                seconds(one),
                seconds(two),
                figure(1.0 / two, 0, "1/s"),
            ]);
        }
    }
    table.note("bodies of 100 points in two clusters; the best of blocks of ten steps; contacts of the last step");
    Ok(vec![table])
}

/// The seconds of a step of the pile, and its contacts.
fn per_step(bodies: usize, goal: Goal, threads: usize, quick: bool) -> Result<(f64, usize)> {
    let material = ShapeMaterial { goal, ..ShapeMaterial::JELLY };
    let mut run = falling_jelly(&jelly_on_stairs(bodies, 1)?, material)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    Ok(pool.install(|| {
        for _ in 0..BEFORE {
            run.step();
        }
        let (mut best, mut contacts) = (f64::INFINITY, 0);
        for _ in 0..if quick { 2 } else { 12 } {
            let start = Instant::now();
            for _ in 0..10 {
                let step = run.step();
                contacts = step.contacts.len() + step.obstacle_contacts;
            }
            best = best.min(start.elapsed().as_secs_f64() / 10.0);
        }
        (best, contacts)
    }))
}
