//! Piles at rest: bodies that fell and settled, or the state of that from a file.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use pliant_sim::dynamics::{Other, Simulation};

/// A pile counts as at rest below this root of the mean squared speed, in metres per second.
const AT_REST: f64 = 0.05;
/// Steps before a pile is asked whether it is at rest: bodies start at rest, too.
const LEAST: u64 = 300;
/// Steps after which a pile counts as settled in any case: ten seconds.
const MOST: u64 = 1500;

/// How often the state of a pile that still settles is kept: large ones take many minutes.
const KEPT_EVERY: Duration = Duration::from_secs(30);

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

    /// The root of the mean squared speed of bodies against the obstacles that they touch, at their
    /// contacts of the last step.
    pub(super) fn speed_on_obstacles(&self) -> f64 {
        let (mut squares, mut contacts) = (0.0, 0);
        for contact in self.run.contacts() {
            let (Other::Obstacle { .. }, Some(state)) =
                (contact.other, self.run.state(contact.body))
            else {
                continue;
            };
            let mass = self.run.model(contact.body).map_or(1.0, |model| model.mass().mass);
            squares += (state.momentum / mass - contact.pushed).length_squared();
            contacts += 1;
        }
        (squares / f64::from(contacts.max(1))).sqrt()
    }
}

/// Lets bodies fall until they are at rest, or for so many steps. With a folder, the state is taken from
/// there if it is there, and put there otherwise; a run that was stopped goes on where it was.
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
    let part = file.as_ref().map(|file| file.with_extension("part"));
    if let Some(file) = file.as_deref().filter(|file| file.exists()) {
        pile.run.restore(file)?;
        return Ok(pile);
    }
    if let Some(part) = part.as_deref().filter(|part| part.exists()) {
        pile.run.restore(part)?;
    }
    if let Some(folder) = states {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut kept = Instant::now();
    while pile.run.steps_done() < steps.unwrap_or(MOST) {
        pile.run.step()?;
        let asked = pile.run.steps_done().is_multiple_of(50) && pile.run.steps_done() >= LEAST;
        if asked && pile.speed() < AT_REST {
            break;
        }
        if let Some(part) = part.as_deref().filter(|_| kept.elapsed() >= KEPT_EVERY) {
            pile.run.save(part)?;
            kept = Instant::now();
        }
    }
    if let (Some(file), Some(part)) = (file, part) {
        pile.run.save(&file)?;
        let _ = std::fs::remove_file(part);
    }
    Ok(pile)
}
