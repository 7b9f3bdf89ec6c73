//! A simulation: models, bodies, obstacles, and steps.

use std::sync::Arc;

use pliant::glam::{DMat3, DQuat, DVec3};
use pliant::world::{Auto, BroadPhase};

use super::carried::Carried;
use super::forces::Forces;
use super::kept_pairs::KeptPairs;
use super::look::Derived;
use super::snapshot::Contact;
use super::strain::largest_strain;
use super::vibration::ModeStep;
use super::{Model, Obstacle, Placement, RigidState, Settings};
use crate::error::refuse;
use crate::{Error, Result};

/// The number of a model in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModelId(pub(super) u32);

/// Bodies that fall, touch and vibrate.
///
/// Bodies share their models; each adds its frame, its coordinates and their velocities. A step
/// finds all contacts of the state at its beginning, and then moves every body. All results are the
/// same bits for any number of threads.
///
/// ```
/// use pliant::{Mesh, glam::DVec3};
/// use pliant_sim::dynamics::{Model, ModelSettings, Obstacle, Placement, Settings, Simulation};
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let solid = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// let mut run = Simulation::new(Settings::default())?;
/// let stone = run.add_model(Model::rigid(solid, &ModelSettings::default())?);
/// run.add_obstacle(Obstacle::floor(0.0))?;
/// run.add_body(stone, &Placement::at(DVec3::new(0.0, 3.0, 0.0)))?;
/// for _ in 0..300 {
///     run.step()?;
/// }
/// let (_, translation) = run.frame(0).unwrap();
/// // It has fallen, and rests on the spheres of its large triangles.
/// assert!(0.0 < translation.y && translation.y < 2.0, "{translation}");
/// # Ok::<(), pliant_sim::Error>(())
/// ```
#[derive(Debug)]
pub struct Simulation {
    pub(super) settings: Settings,
    pub(super) models: Vec<Arc<Model>>,
    /// For each model, the steps of its modes.
    pub(super) mode_steps: Vec<Vec<ModeStep>>,
    pub(super) model_of: Vec<u32>,
    pub(super) states: Vec<RigidState>,
    /// Modes per body in the arrays of coordinates: the most that a model has, at least one.
    pub(super) stride: usize,
    pub(super) coordinates: Vec<f64>,
    pub(super) velocities: Vec<f64>,
    /// Forces along the modes in the last step.
    pub(super) loads: Vec<f64>,
    /// Forces of the last step, with which the next one begins.
    pub(super) carried: Vec<Carried>,
    pub(super) obstacles: Vec<Obstacle>,
    pub(super) steps_done: u64,
    pub(super) phase: Box<dyn BroadPhase>,
    pub(super) kept: KeptPairs,
    pub(super) contacts: Vec<Contact>,
    pub(super) derived: Derived,
    pub(super) forces: Forces,
    /// Forces from outside in the next step, in the order in which they came.
    pub(super) pushes: Vec<Push>,
}

/// A force from outside on a point of a body's surface, in the next step.
///
/// The point is on a triangle of the body's mesh, by the weights of the corners, wherever it is now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push {
    /// The body.
    pub body: u32,
    /// The triangle.
    pub triangle: u32,
    /// The weights of its corners; they sum to 1.
    pub weights: [f64; 3],
    /// Newtons, along the world's axes.
    pub force: DVec3,
}

impl Simulation {
    /// A simulation without bodies.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn new(settings: Settings) -> Result<Self> {
        settings.check()?;
        Ok(Self {
            settings,
            models: vec![],
            mode_steps: vec![],
            model_of: vec![],
            states: vec![],
            stride: 1,
            coordinates: vec![],
            velocities: vec![],
            loads: vec![],
            carried: vec![],
            obstacles: vec![],
            steps_done: 0,
            phase: Box::new(Auto::new()),
            kept: KeptPairs::default(),
            contacts: vec![],
            derived: Derived::default(),
            forces: Forces::default(),
            pushes: vec![],
        })
    }

    /// Uses another broad phase. Results are the same.
    pub fn set_broad_phase(&mut self, phase: Box<dyn BroadPhase>) {
        self.phase = phase;
    }

    /// Adds a model, for bodies to share.
    pub fn add_model(&mut self, model: impl Into<Arc<Model>>) -> ModelId {
        let model = model.into();
        let step = |&mode: &_| ModeStep::new(mode, self.settings.step);
        self.mode_steps.push(model.vibrations.iter().map(step).collect());
        let stride = self.stride.max(model.vibrations.len());
        if stride > self.stride {
            for numbers in [&mut self.coordinates, &mut self.velocities, &mut self.loads] {
                let mut wider = vec![0.0; numbers.len() / self.stride * stride];
                for (to, from) in wider.chunks_mut(stride).zip(numbers.chunks(self.stride)) {
                    to[..from.len()].copy_from_slice(from);
                }
                *numbers = wider;
            }
            self.stride = stride;
        }
        self.models.push(model);
        ModelId(self.models.len() as u32 - 1)
    }

    /// Adds a body at rest shape. Returns its number; bodies are numbered from 0.
    ///
    /// # Errors
    /// [`Error::NoSuchModel`]; [`Error::InvalidSetting`] for a placement that is not finite or whose
    /// rotation is not of length 1; [`Error::TooMany`] bodies.
    pub fn add_body(&mut self, model: ModelId, at: &Placement) -> Result<u32> {
        let Some(shape) = self.models.get(model.0 as usize) else {
            let (model, models) = (model.0 as usize, self.models.len());
            return Err(Error::NoSuchModel { model, models });
        };
        let length = at.rotation.length();
        if length.is_nan() || (length - 1.0).abs() > 1e-6 {
            return refuse("length of a rotation", length, "1");
        }
        for vector in [at.translation, at.velocity, at.spin] {
            if !vector.is_finite() {
                return refuse("length of a placement's vector", vector.length(), "finite numbers");
            }
        }
        if self.states.len() >= MAX_BODIES {
            let (what, count) = ("bodies", self.states.len() as f64 + 1.0);
            return Err(Error::TooMany { what, count, limit: MAX_BODIES });
        }
        let rotation = at.rotation.normalize();
        let turned = DMat3::from_quat(rotation);
        let inertia = turned * shape.mass.inertia * turned.transpose();
        self.states.push(RigidState {
            position: at.translation + rotation * shape.mass.center,
            rotation,
            momentum: at.velocity * shape.mass.mass,
            angular_momentum: inertia * at.spin,
        });
        self.model_of.push(model.0);
        self.coordinates.resize(self.states.len() * self.stride, 0.0);
        self.velocities.resize(self.states.len() * self.stride, 0.0);
        self.loads.resize(self.states.len() * self.stride, 0.0);
        Ok(self.states.len() as u32 - 1)
    }

    /// Adds an obstacle. Returns its number; obstacles are numbered from 0.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`] for one that is not finite or not normalised.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<u32> {
        obstacle.check()?;
        self.obstacles.push(obstacle);
        Ok(self.obstacles.len() as u32 - 1)
    }

    /// Deforms a body and sets the velocities of its coordinates.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]; [`Error::InvalidSetting`] for numbers that are not finite or not one
    /// per mode.
    pub fn set_vibration(&mut self, body: u32, q: &[f64], velocities: &[f64]) -> Result<()> {
        let Some(&model) = self.model_of.get(body as usize) else {
            return Err(Error::NoSuchBody { body, bodies: self.states.len() });
        };
        let modes = self.models[model as usize].vibrations.len();
        for numbers in [q, velocities] {
            if numbers.len() != modes {
                return refuse("number of coordinates", numbers.len() as f64, "one per mode");
            }
            if let Some(&value) = numbers.iter().find(|x| !x.is_finite()) {
                return refuse("coordinate", value, "finite numbers");
            }
        }
        let start = body as usize * self.stride;
        self.coordinates[start..start + modes].copy_from_slice(q);
        self.velocities[start..start + modes].copy_from_slice(velocities);
        self.loads[start..start + modes].fill(0.0);
        Ok(())
    }

    /// Pushes a body from outside in the next step: it moves, turns and vibrates. Contacts of that step
    /// do not know of it; those of the step after do.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]; [`Error::InvalidSetting`] for a triangle that the body does not have, and for
    /// numbers that are not finite.
    pub fn push(&mut self, push: Push) -> Result<()> {
        let Some(model) = self.model(push.body) else {
            return Err(Error::NoSuchBody { body: push.body, bodies: self.states.len() });
        };
        let triangles = model.mesh().triangles().len();
        if push.triangle as usize >= triangles {
            return refuse("triangle", f64::from(push.triangle), "triangles of the body's mesh");
        }
        let numbers = push.weights.into_iter().chain(push.force.to_array());
        if let Some(value) = numbers.into_iter().find(|number| !number.is_finite()) {
            return refuse("push", value, "finite numbers");
        }
        self.pushes.push(push);
        Ok(())
    }

    /// Replaces the rigid part of a body's state.
    pub(crate) fn put_state(&mut self, body: u32, state: RigidState) {
        if let Some(own) = self.states.get_mut(body as usize) {
            *own = state;
        }
    }

    /// The contacts of the last step, in canonical order.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The forces of the last step's contacts on their first bodies.
    #[must_use]
    pub fn contact_forces(&self) -> &[DVec3] {
        &self.forces.forces
    }

    /// The number of bodies.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.states.len()
    }

    /// The model of a body.
    #[must_use]
    pub fn model(&self, body: u32) -> Option<&Arc<Model>> {
        self.model_of.get(body as usize).map(|&model| &self.models[model as usize])
    }

    /// The obstacles; surfaces stand where the last step began.
    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The number of steps done.
    #[must_use]
    pub fn steps_done(&self) -> u64 {
        self.steps_done
    }

    /// The time: steps done times their length.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.steps_done as f64 * self.settings.step
    }

    /// The rigid part of a body's state.
    #[must_use]
    pub fn state(&self, body: u32) -> Option<&RigidState> {
        self.states.get(body as usize)
    }

    /// Where a body is: a vertex of the mesh at p, displaced by the modes to p', is at
    /// `rotation * p' + translation`.
    #[must_use]
    pub fn frame(&self, body: u32) -> Option<(DQuat, DVec3)> {
        let state = self.state(body)?;
        let center = self.model(body)?.mass.center;
        Some((state.rotation, state.position - state.rotation * center))
    }

    /// The coordinates of a body, one per mode.
    #[must_use]
    pub fn coordinates(&self, body: u32) -> Option<&[f64]> {
        let modes = self.model(body)?.vibrations.len();
        let start = body as usize * self.stride;
        self.coordinates.get(start..start + modes)
    }

    /// The largest growth of a sphere of a body over its radius at rest.
    #[must_use]
    pub fn strain(&self, body: u32) -> Option<f64> {
        Some(largest_strain(&self.model(body)?.proxies.strains, self.coordinates(body)?))
    }
}

/// The largest number of bodies: numbers are 32 bits, and contacts are counted twice.
const MAX_BODIES: usize = 1 << 24;
