//! What a step of our piles costs.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use pliant_scenes::{falling_jelly, jelly_on_stairs};
use pliant_sim::dynamics::{Model, Obstacle, Placement, Simulation};
use pliant_sim::shape_matching::ShapeMaterial;

/// Steps whose times are taken.
const STEPS: usize = 41;
/// Steps of a pile of jelly before it is measured: two seconds, so that most have landed.
const JELLY_FALLS: usize = 120;

/// Figures of a pile.
pub(super) struct Measured {
    /// Seconds of a step.
    pub(super) step: f64,
    /// Seconds of finding the contacts alone.
    pub(super) detection: f64,
    pub(super) contacts: u64,
    pub(super) updated: u64,
    pub(super) tests: u64,
}

/// Steps a pile on, and measures steps.
pub(super) fn measured(run: &mut Simulation, quick: bool) -> Result<Measured> {
    let mut steps = Vec::new();
    let mut work = run.step()?;
    for _ in 0..if quick { 5 } else { STEPS } {
        let start = Instant::now();
        work = run.step()?;
        steps.push(start.elapsed().as_secs_f64());
    }
    let mut finds = Vec::new();
    for _ in 0..if quick { 3 } else { 9 } {
        let start = Instant::now();
        run.find_contacts()?;
        finds.push(start.elapsed().as_secs_f64());
    }
    Ok(Measured {
        step: median(&mut steps),
        detection: median(&mut finds),
        contacts: work.contacts,
        updated: work.proxies_moved + work.nodes_moved,
        tests: work.proxy_tests + work.node_tests,
    })
}

/// The same bodies at the same places, without modes, settled for a second.
pub(super) fn held_rigid(run: &Simulation, model: &Model, quick: bool) -> Result<Simulation> {
    let mut rigid = Simulation::new(*run.settings())?;
    let id = rigid.add_model(Arc::new(model.held_rigid()?));
    rigid.add_obstacle(Obstacle::floor(0.0))?;
    for (rotation, translation) in (0..).map_while(|body| run.frame(body)) {
        rigid.add_body(id, &Placement { rotation, translation, ..Placement::default() })?;
    }
    for _ in 0..if quick { 20 } else { 150 } {
        rigid.step()?;
    }
    Ok(rigid)
}

/// The seconds of a step of jelly on stairs, and its contacts.
pub(super) fn jelly(pieces: usize, quick: bool) -> Result<(f64, usize)> {
    let mut run = falling_jelly(&jelly_on_stairs(pieces, 1)?, ShapeMaterial::JELLY)?;
    for _ in 0..if quick { 40 } else { JELLY_FALLS } {
        run.step();
    }
    let (mut steps, mut contacts) = (Vec::new(), 0);
    for _ in 0..STEPS {
        let start = Instant::now();
        let step = run.step();
        steps.push(start.elapsed().as_secs_f64());
        contacts = step.contacts.len() + step.obstacle_contacts;
    }
    Ok((median(&mut steps), contacts))
}

/// The median of times.
pub(super) fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
