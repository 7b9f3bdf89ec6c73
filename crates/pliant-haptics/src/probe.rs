//! From where the hand is to the force that it feels.

use pliant::glam::DVec3;

use crate::error::{check_amount, check_positive};
use crate::proxy::Contacts;
use crate::{Changes, Grip, Proxy, Reading, Result, Scene};

/// What a probe is made with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Metres: the proxy's radius.
    pub radius: f64,
    /// Newtons: no force is larger.
    pub force_limit: f64,
    /// What happens if more energy comes out than went in.
    pub passivity: Passivity,
}

/// What happens if more energy comes out of what is touched than went in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Passivity {
    /// It is counted: [`Touch::energy`].
    Watched,
    /// It is counted, and what came out too much is braked away in the next step, with at most so many
    /// newton seconds per metre (Hannaford and Ryu, "Time-Domain Passivity Control of Haptic
    /// Interfaces", 2002).
    Kept {
        /// Newton seconds per metre, at most.
        most_damping: f64,
    },
}

impl Default for Settings {
    /// A ball of 5 mm and at most 20 N, watched.
    fn default() -> Self {
        Self { radius: 0.005, force_limit: 20.0, passivity: Passivity::Watched }
    }
}

/// What one step gave.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Touch {
    /// Where the device is.
    pub device: DVec3,
    /// Where the proxy is.
    pub proxy: DVec3,
    /// Newtons on the hand.
    pub force: DVec3,
    /// What is touched.
    pub contacts: Contacts,
    /// How the proxy moves along it.
    pub grip: Grip,
    /// Joules that went into what is touched less those that came out, the work of what moves by itself
    /// apart. Where it is negative, energy came out of nothing: a spring that is held for a step gives
    /// back more than it took.
    pub energy: f64,
}

/// The proxy, and the force between it and the device.
#[derive(Debug, Clone)]
pub struct Probe {
    proxy: Proxy,
    settings: Settings,
    /// What the step before gave.
    last: Option<Touch>,
    /// How far the proxy was carried since then.
    carried: DVec3,
    energy: f64,
}

impl Probe {
    /// A probe whose proxy is at a place.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) names a setting that cannot be used.
    pub fn new(start: DVec3, settings: Settings) -> Result<Self> {
        check_positive("force_limit", settings.force_limit)?;
        if let Passivity::Kept { most_damping } = settings.passivity {
            check_amount("most_damping", most_damping)?;
        }
        let proxy = Proxy::new(start, settings.radius)?;
        Ok(Self { proxy, settings, last: None, carried: DVec3::ZERO, energy: 0.0 })
    }

    /// The proxy.
    #[must_use]
    pub fn proxy(&self) -> &Proxy {
        &self.proxy
    }

    /// Takes the memory that a scene's bodies need, so that no step takes any.
    pub fn ready_for(&mut self, scene: &Scene) {
        self.proxy.ready_for(scene);
    }

    /// Takes changes of the scene as a whole: see [`Proxy::follow`].
    pub fn follow(&mut self, scene: &mut Scene, changes: &mut Changes) {
        self.carried += self.proxy.follow(scene, changes);
    }

    /// Goes along with a scene whose changes have begun, and have not ended.
    pub(crate) fn go_along(&mut self, scene: &Scene) {
        self.carried += self.proxy.go_along(scene);
    }

    /// Takes the memory of a hand that came with changes.
    pub(crate) fn take_memory(&mut self, hand: usize, changes: &mut Changes) {
        self.proxy.take_memory(hand, changes);
    }

    /// Begins anew at a place, as a hand does that comes back. A place that cannot be used is not taken.
    pub fn start_at(&mut self, place: DVec3) {
        if self.proxy.start_at(place) {
            (self.last, self.carried) = (None, DVec3::ZERO);
        }
    }

    /// One step of `dt` seconds: moves the proxy towards the device and says which force the hand feels.
    ///
    /// A reading that is not finite, or beyond [`Proxy::reach`], is not taken: the last one stays.
    pub fn step(&mut self, scene: &Scene, reading: Reading, dt: f64) -> Touch {
        let mut reading = reading;
        if self.proxy.advance(scene, reading.position, dt).is_err() || !reading.velocity.is_finite()
        {
            let position = self.last.map_or(self.proxy.center(), |last| last.device);
            reading = Reading::at(position);
            // The last place was taken before.
            let _ = self.proxy.advance(scene, position, dt);
        }
        if let Some(last) = &self.last {
            let moved = reading.position - last.device;
            self.energy -= last.force.dot(moved - self.carried);
        }
        let mut force = self.force(scene, reading, dt);
        if let Passivity::Kept { most_damping } = self.settings.passivity
            && self.energy < 0.0
        {
            let speed_squared = reading.velocity.length_squared();
            let needed = -self.energy / (speed_squared * dt);
            if needed > 0.0 {
                force -= reading.velocity * needed.min(most_damping);
            }
        }
        let force = limited(force, self.settings.force_limit);
        self.carried = DVec3::ZERO;
        let touch = Touch {
            device: reading.position,
            proxy: self.proxy.center(),
            force,
            contacts: self.proxy.contacts_now(),
            grip: self.proxy.grip(),
            energy: self.energy,
        };
        self.last = Some(touch);
        touch
    }

    /// The springs and dampers of the contacts.
    ///
    /// The way from the device to the proxy is the sum of depth times normal over the contacts, and a
    /// rest along the surface, which friction holds. Each depth is a spring of its object's stiffness
    /// with its damping, and never pulls. The rest is a spring of their mean stiffness by depth.
    fn force(&self, scene: &Scene, reading: Reading, dt: f64) -> DVec3 {
        let velocity = reading.velocity - if dt > 0.0 { self.carried / dt } else { DVec3::ZERO };
        let mut rest = self.proxy.center() - reading.position;
        let (mut force, mut stiffness, mut depth) = (DVec3::ZERO, 0.0, 0.0);
        for contact in self.proxy.contacts() {
            let Some(object) = scene.object(contact.slot) else { continue };
            let material = object.material();
            let spring = material.stiffness * contact.depth;
            // A carved surface is a spring that begins deeper: the force is the slope of its energy
            // k (depth - carved)^2 / 2, so that no energy comes from going back and forth.
            let (carved, slope) = object.carved(contact);
            let pressed = material.stiffness * (contact.depth - carved).max(0.0);
            let push = pressed - material.damping * velocity.dot(contact.normal);
            force += (contact.normal + slope) * push.max(0.0);
            rest -= contact.normal * contact.depth;
            stiffness += spring;
            depth += contact.depth;
        }
        if depth > 0.0 { force + rest * (stiffness / depth) } else { force }
    }
}

/// A force no larger than a limit. One that is not finite is none.
fn limited(force: DVec3, limit: f64) -> DVec3 {
    if !force.is_finite() {
        return DVec3::ZERO;
    }
    let clamped = force.clamp_length_max(limit);
    // Rounding may leave it a little longer.
    if clamped.length() > limit { clamped * (1.0 - 4.0 * f64::EPSILON) } else { clamped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scenes::Random;

    #[test]
    fn no_force_is_above_its_limit() {
        let mut random = Random::new(3);
        for _ in 0..10_000 {
            let (force, limit) = (random.in_cube() * 50.0, random.between(1e-3, 20.0));
            let length = limited(force, limit).length();
            assert!(length <= limit, "{length} {limit}");
            assert!(length >= limit.min(force.length()) * (1.0 - 1e-14), "{length} {limit}");
        }
        assert_eq!(limited(DVec3::X * f64::INFINITY, 1.0), DVec3::ZERO);
    }
}
