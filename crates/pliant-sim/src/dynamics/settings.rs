//! Settings of a simulation, and the law of contact.

use pliant::glam::DVec3;

use crate::Result;
use crate::error::refuse;

/// How two spheres push each other.
///
/// The force along the normal is that of a spring and a damper side by side (Kelvin–Voigt), and
/// never pulls. Friction is Coulomb's, regularised: below the slip speed it is proportional to the
/// speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// The stiffness of a contact in newtons per metre.
    pub stiffness: f64,
    /// The damping of a contact in newtons per metre and second.
    pub damping: f64,
    /// The coefficient of friction.
    pub friction: f64,
    /// The speed below which friction is proportional to the speed, in metres per second. A body
    /// that sticks creeps more slowly than this.
    pub slip_speed: f64,
}

impl Default for ContactLaw {
    fn default() -> Self {
        Self { stiffness: 1e5, damping: 1000.0, friction: 0.5, slip_speed: 1e-4 }
    }
}

/// Settings of a simulation. Lengths are in metres, y is up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The length of a step in seconds.
    pub step: f64,
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// How spheres push each other.
    pub contact: ContactLaw,
    /// The rate at which linear and angular momentum decay, in 1/s: air, roughly.
    pub drag: f64,
    /// Sweeps over all contacts per step, at least 1. They begin with the forces of the step before. More
    /// of them let force pass through more bodies within a step.
    pub sweeps: u32,
    /// More contacts than this in one step are an error: each takes about 200 bytes.
    pub max_contacts: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: 1.0 / 150.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            contact: ContactLaw::default(),
            drag: 0.0,
            sweeps: 8,
            max_contacts: 4_000_000,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<()> {
        let law = &self.contact;
        let from_zero =
            [("contact damping", law.damping), ("friction", law.friction), ("drag", self.drag)];
        let positive = [
            ("step", self.step),
            ("contact stiffness", law.stiffness),
            ("slip speed", law.slip_speed),
        ];
        for (setting, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return refuse(setting, value, "positive, finite numbers");
            }
        }
        for (setting, value) in from_zero {
            if !(value >= 0.0 && value.is_finite()) {
                return refuse(setting, value, "numbers from 0, finite");
            }
        }
        if self.sweeps == 0 {
            return refuse("sweeps", 0.0, "numbers from 1");
        }
        if !self.gravity.is_finite() {
            return refuse("gravity", self.gravity.length(), "finite numbers");
        }
        Ok(())
    }

    /// Stiffness and damping of a contact over a step, as one stiffness.
    pub(super) fn step_stiffness(&self) -> f64 {
        self.contact.stiffness + self.contact.damping / self.step
    }

    /// The force of a contact of this depth, negative for a gap, between spheres that approach at
    /// this speed, if the force itself moved nothing. Not above zero if there is none.
    ///
    /// With k the stiffness, c the damping, h the step and u = -h * approach the free change of the
    /// gap, the spring at the end of the step has k (depth - u), and the damper c approach. If there
    /// is a gap, both count from where it closes.
    #[inline]
    pub(super) fn push(&self, depth: f64, approach: f64) -> f64 {
        let both = self.step_stiffness();
        self.contact.stiffness * depth.max(0.0) + both * (depth.min(0.0) + approach * self.step)
    }
}
