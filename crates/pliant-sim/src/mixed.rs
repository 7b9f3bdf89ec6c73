//! Rigid and modal bodies together with shape-matching ones.
//!
//! In the rigid and modal simulation, each point of a shape-matching body is a small ball that does not turn:
//! what it touches there, proxies and obstacles of every kind, pushes it by the same law as everything
//! else, and all these forces are solved together. Points of shape-matching bodies meet each other as in
//! [`shape_matching`](crate::shape_matching). A step is
//!
//! 1. points are drawn to their goals,
//! 2. a step of [`dynamics`](crate::dynamics), with gravity, for all bodies and points,
//! 3. points of different shape-matching bodies part, and all points move.
//!
//! Momentum changes by gravity and obstacles alone. Angular momentum also changes by friction at points,
//! which have no spin. Results are the same bits for any number of threads.

use pliant::glam::{DQuat, DVec3};

use crate::dynamics::{Contact, Energy, Model, Placement, Push, RigidState, Simulation, StepWork};
use crate::shape_matching::{
    ContactSettings, ShapeBody, ShapeSimulation, ShapeStep, SimulationSettings,
};
use crate::{Error, Result};

/// Bodies of both kinds, and the obstacles that all of them meet.
///
/// ```
/// use std::sync::Arc;
/// use pliant::{Mesh, glam::{DAffine3, DVec3}};
/// use pliant_sim::dynamics::{Model, ModelSettings, Obstacle, Placement, Settings, Simulation};
/// use pliant_sim::mixed::MixedSimulation;
/// use pliant_sim::shape_matching::{ContactSettings, Shape, ShapeBody, ShapeMaterial};
///
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let stone = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let mut dynamics = Simulation::new(Settings::default())?;
/// let stone = dynamics.add_model(Model::rigid(stone, &ModelSettings::default())?);
/// dynamics.add_body(stone, &Placement::at(DVec3::Y * 2.0))?;
/// dynamics.add_obstacle(Obstacle::floor(0.0))?;
///
/// let cube = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64));
/// let cube = Arc::new(Shape::new(cube.collect(), 500.0, 0.4, 1, ShapeMaterial::JELLY)?);
/// let jelly = ShapeBody::new(cube, DAffine3::from_translation(DVec3::Y * 0.5), DVec3::ZERO)?;
/// let mut run = MixedSimulation::new(dynamics, vec![jelly], ContactSettings::default())?;
/// for _ in 0..100 {
///     run.step()?;
/// }
/// assert!(run.momentum().is_finite());
/// # Ok::<(), pliant_sim::Error>(())
/// ```
#[derive(Debug)]
pub struct MixedSimulation {
    /// Rigid and modal bodies, and after them all points.
    dynamics: Simulation,
    shapes: ShapeSimulation,
    /// The number of rigid and modal bodies.
    bodies: u32,
}

/// What a step did.
#[derive(Debug, Clone, PartialEq)]
pub struct MixedStep {
    /// Contacts of rigid and modal bodies with each other, with points and with obstacles, and of points
    /// with obstacles.
    pub dynamics: StepWork,
    /// Contacts of shape-matching bodies with each other.
    pub shapes: ShapeStep,
}

impl MixedStep {
    /// All contacts.
    #[must_use]
    pub fn contacts(&self) -> u64 {
        self.dynamics.contacts + self.shapes.contacts.len() as u64
    }
}

impl MixedSimulation {
    /// Joins a simulation of rigid and modal bodies, whose settings and obstacles count for all, with
    /// shape-matching bodies.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`], [`Error::TooMany`].
    pub fn new(
        mut dynamics: Simulation,
        shapes: Vec<ShapeBody>,
        contacts: ContactSettings,
    ) -> Result<Self> {
        // Gravity moves points in the step of `dynamics`.
        let (step, gravity) = (dynamics.settings().step, DVec3::ZERO);
        let mut together = ShapeSimulation::new(SimulationSettings { step, gravity, contacts })?;
        let bodies = dynamics.bodies() as u32;
        for body in &shapes {
            let shape = body.shape();
            let mass = body.mass() / shape.points().len() as f64;
            let point = dynamics.add_model(Model::point(shape.radius(), mass)?);
            for (&translation, &velocity) in body.positions().iter().zip(body.velocities()) {
                dynamics.add_body(
                    point,
                    &Placement { translation, velocity, ..Placement::default() },
                )?;
            }
        }
        together.bodies = shapes;
        Ok(Self { dynamics, shapes: together, bodies })
    }

    /// Does one step. Returns what it did.
    ///
    /// # Errors
    /// Those of [`Simulation::step`]. The state is of no more use then.
    pub fn step(&mut self) -> Result<MixedStep> {
        self.shapes.pull();
        self.hand_over();
        let dynamics = self.dynamics.step()?;
        let mut first = self.bodies;
        for body in &mut self.shapes.bodies {
            let states = &self.dynamics;
            let mass = |point: usize| point_mass(states, first + point as u32);
            body.change_velocities(|point, before| {
                let state = states.state(first + point as u32);
                state.map_or(before, |state| state.momentum / mass(point))
            });
            first += body.positions().len() as u32;
        }
        let shapes = self.shapes.meet();
        self.hand_over();
        Ok(MixedStep { dynamics, shapes })
    }

    /// Tells the rigid and modal simulation where all points are, and how they move.
    fn hand_over(&mut self) {
        let mut number = self.bodies;
        for body in &self.shapes.bodies {
            for (&position, &velocity) in body.positions().iter().zip(body.velocities()) {
                let momentum = velocity * point_mass(&self.dynamics, number);
                let (rotation, angular_momentum) = (DQuat::IDENTITY, DVec3::ZERO);
                let state = RigidState { position, rotation, momentum, angular_momentum };
                self.dynamics.put_state(number, state);
                number += 1;
            }
        }
    }

    /// Pushes a rigid or modal body from outside in the next step.
    ///
    /// # Errors
    /// As [`Simulation::push`].
    pub fn push(&mut self, push: Push) -> Result<()> {
        if push.body >= self.bodies {
            return Err(Error::NoSuchBody { body: push.body, bodies: self.bodies as usize });
        }
        self.dynamics.push(push)
    }

    /// Pushes a shape-matching body, of the number that it has among those, from outside at a place, by newton
    /// seconds in the next step.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], and as [`ShapeBody::push`].
    pub fn push_shape(&mut self, body: u32, place: DVec3, impulse: DVec3) -> Result<()> {
        let bodies = self.shapes.bodies.len();
        let own = self.shapes.bodies.get_mut(body as usize);
        own.ok_or(Error::NoSuchBody { body, bodies })?.push(place, impulse)
    }

    /// The rigid and modal bodies, numbered from 0, and after them the points of all shape-matching bodies, each
    /// a body of its own here.
    #[must_use]
    pub fn dynamics(&self) -> &Simulation {
        &self.dynamics
    }

    /// The number of rigid and modal bodies.
    #[must_use]
    pub fn bodies(&self) -> u32 {
        self.bodies
    }

    /// The shape-matching bodies.
    #[must_use]
    pub fn shapes(&self) -> &[ShapeBody] {
        &self.shapes.bodies
    }

    /// The energy of the current state; that of the pulls towards goals counts as vibration. Energy of
    /// contacts between shape-matching bodies does not exist: they part by changes of velocity.
    ///
    /// # Errors
    /// Those of [`Simulation::find_contacts`].
    pub fn energy(&mut self) -> Result<Energy> {
        let mut energy = self.dynamics.energy()?;
        let step = self.dynamics.settings().step;
        energy.vibration +=
            self.shapes.bodies.iter().map(|body| body.stored_energy(step)).sum::<f64>();
        Ok(energy)
    }

    /// The momentum of all bodies.
    #[must_use]
    pub fn momentum(&self) -> DVec3 {
        self.dynamics.momentum()[0]
    }

    /// The contacts that the next step finds among bodies, points and obstacles, and those that testing every
    /// sphere with every other finds.
    ///
    /// # Errors
    /// Those of [`Simulation::find_contacts`].
    pub fn find_contacts_both_ways(&mut self) -> Result<(Vec<Contact>, Vec<Contact>)> {
        let found = self.dynamics.find_contacts()?.0;
        Ok((found, self.dynamics.find_contacts_by_brute_force()?))
    }

    /// For each body and then each point of the shape-matching bodies the spheres that the next step
    /// computes; see [`Simulation::find_moved_proxies`].
    ///
    /// # Errors
    /// Those of [`Simulation::find_contacts`].
    pub fn find_moved_proxies(&mut self) -> Result<Vec<Vec<u32>>> {
        self.dynamics.find_moved_proxies()
    }

    /// The state as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (first, second) = (self.dynamics.to_bytes(), self.shapes.save());
        let mut bytes = MAGIC.to_vec();
        bytes.extend((first.len() as u64).to_le_bytes());
        bytes.extend(first);
        bytes.extend(second);
        bytes
    }

    /// Takes a state from bytes that [`MixedSimulation::to_bytes`] of the same simulation wrote. From then on
    /// it goes on with the same bits. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::Saved`].
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let refuse = |reason: &str| Error::Saved { reason: reason.into() };
        let (magic, rest) = bytes.split_first_chunk().ok_or_else(|| refuse("it is too short"))?;
        if magic != MAGIC {
            return Err(refuse("it is not a saved simulation of bodies of both kinds"));
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(|| refuse("it is too short"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (first, second) =
            rest.split_at_checked(length).ok_or_else(|| refuse("it is too short"))?;
        let before = self.shapes.save();
        self.shapes.restore(second)?;
        self.dynamics.restore_bytes(first).inspect_err(|_| {
            // What was just saved can be restored.
            let _ = self.shapes.restore(&before);
        })
    }
}

/// The first bytes: what this is, and its version.
const MAGIC: &[u8; 8] = b"PLMIXED1";

/// The mass of a point.
fn point_mass(dynamics: &Simulation, number: u32) -> f64 {
    dynamics.model(number).map_or(1.0, |model| model.mass().mass)
}
