//! What a step begins with: a snapshot of all bodies, and questions to it.

use pliant::glam::Vec4;
use pliant::volume::Aabb;
use pliant::world::BroadPhase;
use rayon::prelude::*;

use super::Simulation;
use super::brute_force::every_contact;
use super::detect::{StepWork, all_contacts, moved_proxies};
use super::obstacle::PlacedObstacle;
use super::snapshot::{Contact, Count, Snapshot};
use super::state::{Bending, Pose, bounding_box, pose_of};
use crate::Result;

/// What a step derives from the state; kept to use its memory again.
#[derive(Debug, Default)]
pub(super) struct Derived {
    pub(super) poses: Vec<Pose>,
    pub(super) factors: Vec<Vec4>,
    pub(super) free_rates: Vec<f32>,
    pub(super) rates: Vec<f32>,
    pub(super) boxes: Vec<Aabb>,
}

impl Simulation {
    /// The contacts of the current state, in canonical order, and what it took to find them:
    /// proxies that the next step will push. The state does not change.
    ///
    /// # Errors
    /// Those of [`Simulation::step`] before anything moves.
    pub fn find_contacts(&mut self) -> Result<(Vec<Contact>, StepWork)> {
        self.find(Count::Pushing)
    }

    /// The contacts of [`Simulation::find_contacts`], by testing every proxy with every other.
    ///
    /// # Errors
    /// Those of obstacles.
    pub fn find_contacts_by_brute_force(&mut self) -> Result<Vec<Contact>> {
        self.look(Count::Pushing, |snapshot, _, _| Ok(every_contact(snapshot)))
    }

    /// For each body, the proxies whose spheres the next step computes from the coordinates, as
    /// nodes of its model's [`ProxyTree`](super::ProxyTree), ascending (James and Pai 2004, figure
    /// 7). The search passes all others by.
    ///
    /// # Errors
    /// Those of [`Simulation::find_contacts`].
    pub fn find_moved_proxies(&mut self) -> Result<Vec<Vec<u32>>> {
        self.look(Count::Pushing, moved_proxies)
    }

    pub(super) fn find(&mut self, count: Count) -> Result<(Vec<Contact>, StepWork)> {
        let mut kept = std::mem::take(&mut self.kept);
        let found = self.look(count, |snapshot, boxes, phase| {
            let mut contacts = Vec::new();
            let work = all_contacts(snapshot, boxes, phase, &mut kept, &mut contacts)?;
            Ok((contacts, work))
        });
        self.kept = kept;
        found
    }

    /// Looks at the current state, without changing it.
    fn look<T>(
        &mut self,
        count: Count,
        see: impl FnOnce(&Snapshot, &[Aabb], &dyn BroadPhase) -> Result<T>,
    ) -> Result<T> {
        self.place_obstacles()?;
        let mut derived = Derived::default();
        self.derive_into(&mut derived);
        let obstacles = self.placed_obstacles();
        see(&self.snapshot(&derived, &obstacles, count), &derived.boxes, &*self.phase)
    }

    /// Moves surfaces to the time of the next step.
    pub(super) fn place_obstacles(&mut self) -> Result<()> {
        let (time, step) = (self.time(), self.settings.step);
        self.obstacles.iter_mut().try_for_each(|obstacle| obstacle.follow(time, step))
    }

    pub(super) fn placed_obstacles(&self) -> Vec<PlacedObstacle<'_>> {
        let (time, step) = (self.time(), self.settings.step);
        self.obstacles.iter().map(|obstacle| obstacle.placed(time, step)).collect()
    }

    /// Derives poses and boxes from the state.
    pub(super) fn derive(&mut self) {
        let mut derived = std::mem::take(&mut self.derived);
        self.derive_into(&mut derived);
        self.derived = derived;
    }

    fn derive_into(&self, derived: &mut Derived) {
        let (bodies, stride) = (self.states.len(), self.stride);
        derived.factors.resize(bodies * stride, Vec4::ZERO);
        derived.rates.resize(bodies * stride, 0.0);
        derived.free_rates.resize(bodies * stride, 0.0);
        let Derived { poses, factors, free_rates, rates, boxes } = derived;
        let of_body = |(body, ((factors, free), pressed)): (usize, ((&mut [_], &mut [_]), _))| {
            let range = body * stride..(body + 1) * stride;
            let numbers = [&self.coordinates, &self.velocities, &self.loads];
            let numbers = numbers.map(|numbers| &numbers[range.clone()]);
            let bending = Bending { factors: &mut *factors, free, pressed };
            let model = &self.models[self.model_of[body] as usize];
            let steps = &self.mode_steps[self.model_of[body] as usize];
            let state = &self.states[body];
            let pose = pose_of(model, steps, state, numbers, &self.settings, bending);
            let around = bounding_box(model, &pose, factors, self.settings.step);
            (pose, around)
        };
        factors
            .par_chunks_mut(stride)
            .zip(free_rates.par_chunks_mut(stride))
            .zip(rates.par_chunks_mut(stride))
            .enumerate()
            .with_min_len(64)
            .map(of_body)
            .unzip_into_vecs(poses, boxes);
    }

    pub(super) fn snapshot<'a>(
        &'a self,
        derived: &'a Derived,
        obstacles: &'a [PlacedObstacle<'a>],
        count: Count,
    ) -> Snapshot<'a> {
        Snapshot {
            models: &self.models,
            model_of: &self.model_of,
            poses: &derived.poses,
            boxes: &derived.boxes,
            stride: self.stride,
            factors: &derived.factors,
            free_rates: &derived.free_rates,
            rates: &derived.rates,
            obstacles,
            carried: &self.carried,
            settings: &self.settings,
            count,
        }
    }
}
