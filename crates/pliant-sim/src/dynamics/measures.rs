//! Energy and momentum of a simulation.

use pliant::glam::{DMat3, DVec3};

use super::Simulation;
use super::snapshot::Count;
use super::state::inverse_inertia;
use crate::Result;

/// Energy by kind, in joules.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Of moving and turning frames.
    pub kinetic: f64,
    /// Of heights, zero at the origin.
    pub gravity: f64,
    /// Of modes: their elastic and their kinetic energy.
    pub vibration: f64,
    /// Of springs between spheres that overlap.
    pub contact: f64,
}

impl Energy {
    /// The sum.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.vibration + self.contact
    }
}

impl Simulation {
    /// The energy of the current state. Finds the overlapping proxies for it.
    ///
    /// # Errors
    /// Those of [`Simulation::find_contacts`].
    pub fn energy(&mut self) -> Result<Energy> {
        let overlapping = self.find(Count::Overlapping)?.0;
        let spring = 0.5 * self.settings.contact.stiffness;
        Ok(Energy {
            contact: overlapping.iter().map(|contact| spring * contact.depth.powi(2)).sum(),
            ..self.energy_of_bodies()
        })
    }

    /// The energy of the current state without that of contacts.
    #[must_use]
    pub fn energy_of_bodies(&self) -> Energy {
        let mut energy = Energy::default();
        for (body, state) in self.states.iter().enumerate() {
            let model = &self.models[self.model_of[body] as usize];
            let inverse = inverse_inertia(model, &DMat3::from_quat(state.rotation));
            let turning = state.angular_momentum.dot(inverse * state.angular_momentum);
            let mass = model.mass.mass;
            energy.kinetic += 0.5 * (state.momentum.length_squared() / mass + turning);
            energy.gravity -= mass * self.settings.gravity.dot(state.position);
            let start = body * self.stride;
            for (mode, vibration) in model.vibrations.iter().enumerate() {
                let (q, v) = (self.coordinates[start + mode], self.velocities[start + mode]);
                energy.vibration += 0.5 * ((vibration.omega * q).powi(2) + v * v);
            }
        }
        energy
    }

    /// The momentum of all bodies, and their angular momentum about the origin.
    #[must_use]
    pub fn momentum(&self) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        for state in &self.states {
            sum[0] += state.momentum;
            sum[1] += state.position.cross(state.momentum) + state.angular_momentum;
        }
        sum
    }
}
