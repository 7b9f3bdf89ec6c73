//! Devices: they tell where the hand is, and are told which force to apply.

mod recorded;
mod remote;
mod simulated;

pub use recorded::{Keeping, RecordedPath, Recording};
pub use remote::{RemoteDevice, RemoteHand};
pub use simulated::{Hand, SimulatedDevice};

use pliant::glam::DVec3;

/// Where the hand is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reading {
    /// Metres.
    pub position: DVec3,
    /// Metres per second.
    pub velocity: DVec3,
}

impl Reading {
    /// A hand at rest.
    #[must_use]
    pub fn at(position: DVec3) -> Self {
        Self { position, velocity: DVec3::ZERO }
    }
}

/// A device. Its calls are made by the force loop: they must not wait, and must not allocate.
pub trait Device: Send {
    /// Where the hand is, `dt` seconds after the last time. `None` ends the loop.
    fn read(&mut self, dt: f64) -> Option<Reading>;

    /// Applies a force of so many newtons until the next call.
    fn apply(&mut self, force: DVec3);

    /// Whether the hand is there, as [`Device::read`] saw it last. One that is not touches nothing; where
    /// it comes back, the proxy begins anew.
    fn is_present(&self) -> bool {
        true
    }
}

impl<D: Device + ?Sized> Device for Box<D> {
    fn read(&mut self, dt: f64) -> Option<Reading> {
        (**self).read(dt)
    }

    fn apply(&mut self, force: DVec3) {
        (**self).apply(force);
    }

    fn is_present(&self) -> bool {
        (**self).is_present()
    }
}
