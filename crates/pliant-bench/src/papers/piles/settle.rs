//! Piles at rest: bodies that fell and settled, or the state of that from a file.

use std::path::Path;

use anyhow::{Context as _, Result};
use pliant_sim::dynamics::Simulation;

/// A pile counts as at rest below this root of the mean squared speed, in metres per second.
const AT_REST: f64 = 0.05;
/// Steps before a pile is asked whether it is at rest: bodies start at rest, too.
const LEAST: u64 = 300;
/// Steps after which a pile counts as settled in any case: ten seconds.
const MOST: u64 = 1500;

/// A pile.
pub(super) struct Pile {
    pub(super) run: Simulation,
}

impl Pile {
    pub(super) fn of(run: Simulation) -> Self {
        Self { run }
    }

    /// The root of the mean squared speed of its bodies, vibration not counted.
    pub(super) fn speed(&self) -> f64 {
        let mass: f64 =
            (0..).map_while(|body| self.run.model(body)).map(|model| model.mass().mass).sum();
        (2.0 * self.run.energy_of_bodies().kinetic / mass).sqrt()
    }
}

/// Lets bodies fall until they are at rest, or for so many steps. With a folder, the state is taken from
/// there if it is there, and put there otherwise.
pub(super) fn settled(
    run: Simulation,
    name: &str,
    steps: Option<u64>,
    states: Option<&Path>,
) -> Result<Pile> {
    let mut pile = Pile::of(run);
    let file = states.map(|folder| {
        folder.join(format!("{name}-{}-{:016x}", pile.run.bodies(), pile.run.fingerprint()))
    });
    if let Some(file) = file.as_deref().filter(|file| file.exists()) {
        pile.run.restore(file)?;
        return Ok(pile);
    }
    while pile.run.steps_done() < steps.unwrap_or(MOST) {
        pile.run.step()?;
        let asked = pile.run.steps_done().is_multiple_of(50) && pile.run.steps_done() >= LEAST;
        if asked && pile.speed() < AT_REST {
            break;
        }
    }
    if let (Some(file), Some(folder)) = (file, states) {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        pile.run.save(&file)?;
    }
    Ok(pile)
}
