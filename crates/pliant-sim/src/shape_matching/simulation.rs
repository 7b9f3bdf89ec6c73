//! Many shape-matching bodies, their contacts, and the passing of time.

use pliant::glam::DVec3;
use rayon::prelude::*;

use super::body::ShapeBody;
use super::contact::{ContactSettings, PointContact, find, near_points};
use super::settings::{not_negative, positive};
use crate::dynamics::{Obstacle, PlacedObstacle};
use crate::limits::MAX_SWEEPS;
use crate::{Error, Result};

/// What moves all bodies alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulationSettings {
    /// The length of a step, in seconds.
    pub step: f64,
    /// The acceleration of gravity, in metres per second squared.
    pub gravity: DVec3,
    /// How contacts act.
    pub contacts: ContactSettings,
}

impl Default for SimulationSettings {
    /// 60 steps per second on earth, y up.
    fn default() -> Self {
        let (gravity, contacts) = (DVec3::new(0.0, -9.81, 0.0), ContactSettings::default());
        Self { step: 1.0 / 60.0, gravity, contacts }
    }
}

impl SimulationSettings {
    fn check(&self) -> Result<()> {
        positive("step", self.step)?;
        not_negative("friction", self.contacts.friction)?;
        if !self.gravity.is_finite() {
            let (setting, value) = ("gravity", self.gravity.length());
            return Err(Error::InvalidSetting { setting, value, range: "finite numbers" });
        }
        if !(0.0..=1.0).contains(&self.contacts.correction) {
            let (setting, value) = ("correction", self.contacts.correction);
            return Err(Error::InvalidSetting { setting, value, range: "0 to 1" });
        }
        if self.contacts.sweeps > MAX_SWEEPS {
            let (count, limit) = (self.contacts.sweeps as f64, MAX_SWEEPS);
            return Err(Error::TooMany { what: "sweeps", count, limit });
        }
        Ok(())
    }
}

/// What a step did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShapeStep {
    /// Points of different bodies that touch, or will within the step, by bodies and points, ascending.
    pub contacts: Vec<PointContact>,
    /// How many points touch an obstacle, each once per obstacle.
    pub obstacle_contacts: usize,
    /// Pairs of bodies whose boxes overlap.
    pub body_pairs: usize,
    /// Pairs of points whose distance was computed.
    pub point_tests: usize,
}

/// Bodies of points without connectivity that collide with each other and with obstacles.
///
/// A step is the scheme of Müller et al. (2005): velocities change by `alpha` times the way to the goals
/// over the step, then by contacts, and points move with their new velocities. Contacts are found in
/// parallel and resolved in one order: the same bits for any number of threads. Momentum changes by
/// gravity and obstacles alone. Angular momentum also changes by friction between points, which have no spin,
/// and where bodies have crossed and are pushed out of each other.
///
/// ```
/// use std::sync::Arc;
/// use pliant::glam::{DAffine3, DVec3};
/// use pliant_sim::dynamics::Obstacle;
/// use pliant_sim::shape_matching::{Shape, ShapeBody, ShapeMaterial, ShapeSimulation, SimulationSettings};
///
/// let corners = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64));
/// let cube = Arc::new(Shape::new(corners.collect(), 1.0, 0.4, 1, ShapeMaterial::JELLY)?);
/// let mut simulation = ShapeSimulation::new(SimulationSettings::default())?;
/// for height in [0.5, 2.5] {
///     let place = DAffine3::from_translation(DVec3::Y * height);
///     simulation.bodies.push(ShapeBody::new(Arc::clone(&cube), place, DVec3::ZERO)?);
/// }
/// simulation.set_obstacles(vec![Obstacle::floor(0.0)])?;
/// let touching: usize = (0..120).map(|_| simulation.step().contacts.len()).sum();
/// assert!(touching > 0);
/// assert!(simulation.bodies[1].center().y > 1.0); // it lies on the other
/// # Ok::<(), pliant_sim::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ShapeSimulation {
    /// The bodies. They may be changed between steps.
    pub bodies: Vec<ShapeBody>,
    obstacles: Vec<Obstacle>,
    settings: SimulationSettings,
    pub(super) steps: u64,
}

impl ShapeSimulation {
    /// An empty simulation.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] or [`Error::TooMany`] that names the setting.
    pub fn new(settings: SimulationSettings) -> Result<Self> {
        settings.check()?;
        Ok(Self { bodies: Vec::new(), obstacles: Vec::new(), settings, steps: 0 })
    }

    /// Replaces what points cannot enter: planes, balls and boxes, which may move. On an error nothing has
    /// changed.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`]; [`Error::Obstacle`] for a surface, which has no inside to keep out of.
    pub fn set_obstacles(&mut self, obstacles: Vec<Obstacle>) -> Result<()> {
        obstacles.iter().try_for_each(Obstacle::check)?;
        if obstacles.iter().any(|obstacle| matches!(obstacle, Obstacle::Surface(_))) {
            let reason = "points of shape matching keep out of planes, balls and boxes alone";
            return Err(Error::Obstacle { reason });
        }
        self.obstacles = obstacles;
        Ok(())
    }

    /// The obstacles.
    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &SimulationSettings {
        &self.settings
    }

    /// The number of steps so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The energies of all bodies: of motion, of place in the field of gravity, and of the pull towards
    /// goals. Summed in the order of the bodies.
    #[must_use]
    pub fn energy(&self) -> [f64; 3] {
        let of = |body: &ShapeBody| {
            let place = -body.mass() * self.settings.gravity.dot(body.center());
            [body.kinetic_energy(), place, body.stored_energy(self.settings.step)]
        };
        let parts: Vec<[f64; 3]> = self.bodies.par_iter().map(of).collect();
        parts.iter().fold([0.0; 3], |sum, part| [0, 1, 2].map(|at| sum[at] + part[at]))
    }

    /// For each body the points that lie in a box shared with another body, ascending: all that the search
    /// for contacts looks at.
    #[must_use]
    pub fn near_points(&self) -> Vec<Vec<u32>> {
        near_points(&self.bodies, self.settings.step)
    }

    /// One step on.
    pub fn step(&mut self) -> ShapeStep {
        self.pull();
        self.meet()
    }

    /// The first half of a step: velocities change by gravity and the goals.
    pub(crate) fn pull(&mut self) {
        let SimulationSettings { step, gravity, .. } = self.settings;
        self.bodies.par_iter_mut().for_each(|body| body.pull(step, gravity));
    }

    /// The second half: bodies meet each other and obstacles, and points move.
    pub(crate) fn meet(&mut self) -> ShapeStep {
        let SimulationSettings { step, contacts: settings, .. } = self.settings;
        let found = find(&self.bodies, step);
        settings.resolve(&mut self.bodies, &found.contacts, step);
        let time = self.steps as f64 * step;
        let obstacles: Vec<PlacedObstacle> =
            self.obstacles.iter().map(|obstacle| obstacle.placed(time, step)).collect();
        let advance = |body: &mut ShapeBody| {
            let touching = settings.keep_out(body, &obstacles, step);
            body.advance(step);
            touching
        };
        let obstacle_contacts = self.bodies.par_iter_mut().map(advance).sum();
        self.steps += 1;
        ShapeStep {
            contacts: found.contacts,
            obstacle_contacts,
            body_pairs: found.pairs,
            point_tests: found.tests,
        }
    }
}
