//! Many shape-matching bodies, their contacts, and the passing of time.

use pliant::glam::DVec3;
use rayon::prelude::*;

use super::body::ShapeBody;
use super::contact::{ContactSettings, PointContact, find};
use super::obstacle::Obstacle;
use super::settings::{not_negative, positive};
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
        let contacts = ContactSettings { correction: 0.2, friction: 0.4, sweeps: 2 };
        Self { step: 1.0 / 60.0, gravity: DVec3::new(0.0, -9.81, 0.0), contacts }
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
    /// Points of different bodies that touch, by bodies and points, ascending.
    pub contacts: Vec<PointContact>,
    /// How many points touch an obstacle, each once per obstacle.
    pub obstacle_contacts: usize,
    /// Pairs of bodies whose boxes overlap.
    pub body_pairs: usize,
    /// Pairs of points whose distance was computed.
    pub point_tests: usize,
    /// The energy of the pull to the goals at the beginning of the step.
    pub stored_energy: f64,
}

/// Bodies of points without connectivity that collide with each other and with obstacles.
///
/// A step is the scheme of Müller et al. (2005): velocities change by `alpha` times the way to the goals
/// over the step, then by contacts, and points move with their new velocities. Contacts are found in
/// parallel and resolved in one order: the same bits for any number of threads. Momentum changes by
/// gravity and obstacles alone; angular momentum also by friction between points, which have no spin.
///
/// ```
/// use std::sync::Arc;
/// use pliant::glam::{DAffine3, DVec3};
/// use pliant_sim::shape_matching::{Shape, ShapeBody, ShapeMaterial, ShapeSimulation, SimulationSettings};
///
/// let corners = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64));
/// let cube = Arc::new(Shape::new(corners.collect(), 1.0, 0.4, 1, ShapeMaterial::JELLY)?);
/// let mut simulation = ShapeSimulation::new(SimulationSettings::default())?;
/// for height in [0.5, 2.5] {
///     let place = DAffine3::from_translation(DVec3::Y * height);
///     simulation.bodies.push(ShapeBody::new(Arc::clone(&cube), place, DVec3::ZERO)?);
/// }
/// simulation.set_obstacles(vec![pliant_sim::shape_matching::Obstacle::HalfSpace { normal: DVec3::Y, offset: 0.0 }])?;
/// let touching: usize = (0..120).map(|_| simulation.step().contacts.len()).sum();
/// assert!(touching > 0);
/// assert!(simulation.bodies[1].center().y > 1.0); // it lies on the other
/// # Ok::<(), pliant_sim::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
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

    /// Replaces what points cannot enter. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn set_obstacles(&mut self, obstacles: Vec<Obstacle>) -> Result<()> {
        obstacles.iter().try_for_each(Obstacle::check)?;
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

    /// The kinetic energy of all bodies, and their energy of place in the field of gravity.
    #[must_use]
    pub fn energy(&self) -> [f64; 2] {
        let of = |body: &ShapeBody| {
            [body.kinetic_energy(), -body.mass() * self.settings.gravity.dot(body.center())]
        };
        let parts: Vec<[f64; 2]> = self.bodies.par_iter().map(of).collect();
        parts.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    }

    /// One step on.
    pub fn step(&mut self) -> ShapeStep {
        let SimulationSettings { step, gravity, contacts: settings } = self.settings;
        // Energies are summed in the order of the bodies.
        let stored: Vec<f64> =
            self.bodies.par_iter_mut().map(|body| body.pull(step, gravity)).collect();
        let found = find(&self.bodies);
        settings.resolve(&mut self.bodies, &found.contacts, step);
        let obstacles = &self.obstacles;
        let advance = |body: &mut ShapeBody| {
            let touching = settings.keep_out(body, obstacles, step);
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
            stored_energy: stored.iter().sum(),
        }
    }
}
