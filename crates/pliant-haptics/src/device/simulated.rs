//! A device with a hand, in numbers: a mass that a hand pulls and forces push, measured with noise.

use pliant::glam::DVec3;

use super::{Device, Reading};
use crate::Result;
use crate::error::{check_amount, check_positive};

/// How the simulated hand and device are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hand {
    /// Kilograms of hand and device together.
    pub mass: f64,
    /// Newtons per metre with which the hand pulls towards where it wants to be.
    pub stiffness: f64,
    /// Newton seconds per metre of the hand.
    pub damping: f64,
    /// Metres: readings are off by at most so much along each axis.
    pub noise: f64,
    /// The numbers of the noise.
    pub seed: u64,
}

impl Default for Hand {
    /// 100 g, 200 N/m and 2 Ns/m, with noise of a hundredth of a millimetre.
    fn default() -> Self {
        Self { mass: 0.1, stiffness: 200.0, damping: 2.0, noise: 1e-5, seed: 1 }
    }
}

/// A device and a hand whose wish is a function of time.
#[derive(Debug, Clone)]
pub struct SimulatedDevice<F> {
    hand: Hand,
    wish: F,
    time: f64,
    until: f64,
    position: DVec3,
    velocity: DVec3,
    force: DVec3,
    state: u64,
    started: bool,
}

impl<F: FnMut(f64) -> DVec3 + Send> SimulatedDevice<F> {
    /// A device at rest at the place that the hand wants at time 0, for so many seconds.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting).
    pub fn new(hand: Hand, until: f64, mut wish: F) -> Result<Self> {
        check_positive("mass", hand.mass)?;
        check_amount("stiffness", hand.stiffness)?;
        check_amount("damping", hand.damping)?;
        check_amount("noise", hand.noise)?;
        let position = wish(0.0);
        Ok(Self {
            hand,
            wish,
            time: 0.0,
            until,
            position,
            velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            state: hand.seed,
            started: false,
        })
    }

    /// Where the device is, without noise.
    #[must_use]
    pub fn position(&self) -> DVec3 {
        self.position
    }

    /// How fast it moves, without noise.
    #[must_use]
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Gives the device a speed.
    pub fn set_velocity(&mut self, velocity: DVec3) {
        self.velocity = velocity;
    }

    /// A number in -1 .. 1 from the seed: splitmix64 of Steele, Lea and Flood (2014).
    fn random(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl<F: FnMut(f64) -> DVec3 + Send> Device for SimulatedDevice<F> {
    /// One step of the semi-implicit Euler method under the force that was applied last.
    fn read(&mut self, dt: f64) -> Option<Reading> {
        if self.started {
            self.time += dt;
            let pull = ((self.wish)(self.time) - self.position) * self.hand.stiffness;
            let total = pull - self.velocity * self.hand.damping + self.force;
            self.velocity += total * (dt / self.hand.mass);
            self.position += self.velocity * dt;
        }
        self.started = true;
        if self.time > self.until {
            return None;
        }
        let noise = DVec3::new(self.random(), self.random(), self.random()) * self.hand.noise;
        Some(Reading { position: self.position + noise, velocity: self.velocity })
    }

    fn apply(&mut self, force: DVec3) {
        self.force = force;
    }
}
