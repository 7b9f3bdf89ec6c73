//! One step.

use pliant::glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

use super::carried::carry;
use super::detect::{StepWork, all_contacts};
use super::forces::{Forces, Load};
use super::snapshot::Count;
use super::state::inverse_inertia;
use super::{Model, Push, RigidState, Settings, Simulation};
use crate::{Error, Result};

impl Simulation {
    /// Does one step. Returns what it did.
    ///
    /// # Errors
    /// [`Error::TooMany`] contacts, and errors of obstacles; then nothing has moved.
    /// [`Error::Diverged`] if a body's state is not finite any more.
    pub fn step(&mut self) -> Result<StepWork> {
        self.place_obstacles()?;
        self.derive();
        let mut contacts = std::mem::take(&mut self.contacts);
        let mut forces = std::mem::take(&mut self.forces);
        let mut kept = std::mem::take(&mut self.kept);
        let obstacles = self.placed_obstacles();
        let snapshot = self.snapshot(&self.derived, &obstacles, Count::Pushing);
        let (boxes, phase) = (&self.derived.boxes, &*self.phase);
        let work = all_contacts(&snapshot, boxes, phase, &mut kept, &mut contacts);
        let work = match work {
            Ok(work) => work,
            Err(error) => {
                drop(obstacles);
                self.contacts = vec![];
                return Err(error);
            }
        };
        forces.compute(&snapshot, &self.mode_steps, &contacts, &self.carried);
        drop(obstacles);
        let diverged = self.advance(&forces);
        carry(&contacts, &forces.forces, &mut self.carried);
        (self.contacts, self.forces, self.kept) = (contacts, forces, kept);
        self.steps_done += 1;
        match diverged {
            None => Ok(work),
            Some(body) => Err(Error::Diverged { body, step: self.steps_done }),
        }
    }

    /// Moves all bodies under the forces. Returns the first one whose state is not finite.
    fn advance(&mut self, forces: &Forces) -> Option<u32> {
        let mut states = std::mem::take(&mut self.states);
        let mut coordinates = std::mem::take(&mut self.coordinates);
        let mut velocities = std::mem::take(&mut self.velocities);
        let mut loads = std::mem::take(&mut self.loads);
        let this = &*self;
        let snapshot = this.snapshot(&this.derived, &[], Count::Pushing);
        let stride = this.stride;
        let all = states
            .par_iter_mut()
            .zip(coordinates.par_chunks_mut(stride))
            .zip(velocities.par_chunks_mut(stride))
            .zip(loads.par_chunks_mut(stride))
            .enumerate()
            .with_min_len(16);
        let diverged = all.filter_map(|(body, (((state, q), v), loads))| {
            let body = body as u32;
            let model = snapshot.model(body);
            let steps = &this.mode_steps[this.model_of[body as usize] as usize];
            loads.fill(0.0);
            let mut load = forces.sum(&snapshot, &forces.forces, body, loads);
            for push in this.pushes.iter().filter(|push| push.body == body) {
                add_push(model, state, &q[..steps.len()], push, &mut load, loads);
            }
            move_frame(model, &this.settings, state, load.force, load.torque);
            for (mode, (step, force)) in steps.iter().zip(loads).enumerate() {
                (q[mode], v[mode]) = step.apply(q[mode], v[mode], *force);
            }
            let modes = steps.len();
            if let Some(limit) = &model.strain {
                limit.clamp(&model.proxies.strains, &mut q[..modes], &mut v[..modes]);
            }
            let finite = state.position.is_finite()
                && state.rotation.is_finite()
                && state.momentum.is_finite()
                && state.angular_momentum.is_finite()
                && q.iter().chain(&*v).all(|x| x.is_finite());
            (!finite).then_some(body)
        });
        let diverged = diverged.min();
        (self.states, self.coordinates) = (states, coordinates);
        (self.velocities, self.loads) = (velocities, loads);
        self.pushes.clear();
        diverged
    }
}

/// Adds a force from outside to what acts on a body: along its modes by how far they displace the point.
fn add_push(
    model: &Model,
    state: &RigidState,
    q: &[f64],
    push: &Push,
    load: &mut Load,
    loads: &mut [f64],
) {
    let own_force = state.rotation.inverse() * push.force;
    let (mesh, modes) = (model.mesh(), model.modes());
    let mut point = DVec3::ZERO;
    for (&vertex, weight) in mesh.triangles()[push.triangle as usize].iter().zip(push.weights) {
        let vertex = vertex as usize;
        point += modes.displaced(mesh.positions()[vertex], vertex, q) * weight;
        for (load, field) in loads.iter_mut().zip(modes.of(vertex)).take(q.len()) {
            *load += field.as_dvec3().dot(own_force) * weight;
        }
    }
    let arm = state.rotation * (point - model.mass.center);
    load.force += push.force;
    load.torque += arm.cross(push.force);
}

/// Moves a frame: momentum first, then places by the new momentum.
///
/// The rotation follows the angular velocity in the middle of the step, which keeps the energy of
/// a body that turns freely to second order. Angular momentum changes by the torque alone.
fn move_frame(
    model: &Model,
    settings: &Settings,
    state: &mut RigidState,
    force: DVec3,
    torque: DVec3,
) {
    let h = settings.step;
    let kept = 1.0 / (1.0 + h * settings.drag);
    let mass = model.mass.mass;
    state.momentum = (state.momentum + h * (force + settings.gravity * mass)) * kept;
    state.angular_momentum = (state.angular_momentum + h * torque) * kept;
    state.position += state.momentum * (h / mass);
    let spin = |rotation: DQuat| {
        inverse_inertia(model, &DMat3::from_quat(rotation)) * state.angular_momentum
    };
    let half = DQuat::from_scaled_axis(spin(state.rotation) * (0.5 * h)) * state.rotation;
    let turned = DQuat::from_scaled_axis(spin(half) * h) * state.rotation;
    state.rotation = turned.normalize();
}
