//! The proxy moves towards the device, along what it touches.

use pliant::contact::BallPath;
use pliant::glam::DVec3;

use super::{Contact, Contacts, Grip, HalfSpace, Proxy, Workspace};
use crate::planes::{Nearest, nearest_in};
use crate::{Result, Scene};

/// Straight moves per step, at most. What is left of the way is gone in the next step.
const MOST_MOVES: usize = 24;

/// Moves shorter than this share of the room are none.
const REST: f64 = BallPath::CLEARANCE;

/// Where the planes allow the proxy to go.
struct Goal {
    /// From the centre.
    way: DVec3,
    contacts: Contacts,
}

impl Proxy {
    /// Moves towards the device for a step of `dt` seconds, and stops where it is held.
    ///
    /// Sections 3 and 4 of the paper: it moves along a straight line to the first contact; then to the
    /// point nearest to the device in front of the planes that it touches; and again, until it rests.
    ///
    /// # Errors
    /// [`Error::Pliant`](crate::Error::Pliant) if the device is not a place within
    /// [`Proxy::reach`]. Then the proxy stays.
    pub fn advance(&mut self, scene: &Scene, device: DVec3, dt: f64) -> Result<()> {
        self.check_device(device)?;
        if self.room() < self.radius {
            self.make_room(scene, 1.0);
        }
        let before = self.grip;
        let mut slid = false;
        self.contacts = Contacts::default();
        self.grip = Grip::Free;
        for _ in 0..MOST_MOVES {
            let room = self.room();
            self.look(scene, 1.0, room * (1.0 + 2.0 * BallPath::CLEARANCE));
            self.constrain(room);
            let goal = self.goal(scene, device - self.center);
            self.contacts = goal.contacts;
            let hold = self.hold(scene, dt);
            let full = goal.way.length();
            // It sticks in the cone of static friction; once it slides, dynamic friction holds it.
            let slides = slid || before == Grip::Slides;
            let within = if slides { hold.dynamic } else { hold.sticking };
            let touches = !self.contacts.as_slice().is_empty();
            if touches {
                self.grip = if slid { Grip::Slides } else { Grip::Sticks };
            }
            if full <= within + REST * room {
                break;
            }
            let share = hold.share * (full - hold.dynamic) / full;
            let path = BallPath::new(self.center, self.center + goal.way * share, room)?;
            let until = self.cast(scene, 1.0, &path);
            self.center = path.at(until);
            if touches {
                slid = true;
                self.grip = Grip::Slides;
            } else if until == 1.0 {
                break;
            }
            if hold.share < 1.0 && until == 1.0 {
                // A viscous surface lets it go so far in one step.
                self.look(scene, 1.0, room * (1.0 + 2.0 * BallPath::CLEARANCE));
                self.constrain(room);
                self.contacts = self.goal(scene, device - self.center).contacts;
                break;
            }
        }
        Ok(())
    }

    /// The point nearest to the target in front of all planes, in two passes where a surface is to feel
    /// smooth (section 5): first with the normals of the vertices, then from there with the true ones.
    fn goal(&mut self, scene: &Scene, target: DVec3) -> Goal {
        let Workspace { touching, planes, shaded, .. } = &mut self.workspace;
        shaded.clear();
        let mut smooth = false;
        for (touched, plane) in touching.iter().zip(planes.iter()) {
            let normal = scene.object(touched.slot).and_then(|object| {
                object.smooth_normal(touched.triangle, touched.closest.barycentric)
            });
            let normal = normal.map(|n| if n.dot(touched.normal) < 0.0 { -n } else { n });
            smooth |= normal.is_some();
            shaded.push(HalfSpace { normal: normal.unwrap_or(plane.normal), offset: plane.offset });
        }
        let first = nearest_in(target, shaded);
        let second = match first {
            Some(first) if smooth => nearest_in(first.point, planes),
            _ => first,
        };
        let mut contacts = Contacts::default();
        let (Some(first), Some(second)) = (first, second) else {
            // No room at all: it stays.
            return Goal { way: DVec3::ZERO, contacts };
        };
        let Nearest { active, .. } = first;
        for &(number, depth) in active.as_slice() {
            let touched = touching[number];
            contacts.push(Contact {
                slot: touched.slot,
                triangle: touched.triangle,
                weights: touched.closest.barycentric,
                point: touched.closest.point,
                normal: shaded[number].normal,
                depth,
            });
        }
        contacts.sort();
        Goal { way: second.point, contacts }
    }

    /// How far friction holds the proxy back, and which share of the rest viscosity lets it go.
    ///
    /// The tangential force is the stiffness times the way left to the goal, the normal force the
    /// stiffness times the depth. So the cone of friction is a disk around the goal whose radius is the
    /// coefficient times the depth. A viscous surface lets the way x left beyond it fall as
    /// dx/dt = -(stiffness / viscosity) x.
    fn hold(&self, scene: &Scene, dt: f64) -> Hold {
        let mut hold = Hold { sticking: 0.0, dynamic: 0.0, share: 1.0 };
        let (mut viscosity, mut stiffness, mut depth) = (0.0, 0.0, 0.0);
        for contact in self.contacts.as_slice() {
            let Some(object) = scene.object(contact.slot) else { continue };
            let material = object.material();
            let factor = object.friction_factor(contact);
            hold.sticking += factor * material.static_friction * contact.depth;
            hold.dynamic += factor * material.dynamic_friction * contact.depth;
            viscosity += material.viscosity * contact.depth;
            stiffness += material.stiffness * contact.depth;
            depth += contact.depth;
        }
        if viscosity > 0.0 && depth > 0.0 {
            hold.share = -(-dt * stiffness / viscosity).exp_m1();
        }
        hold
    }

    fn check_device(&self, device: DVec3) -> Result<()> {
        let reach = self.reach();
        if device.abs().max_element() <= reach && device.is_finite() {
            return Ok(());
        }
        let (what, vector, reason) = ("device", device.to_array(), "not within the proxy's reach");
        Err(pliant::Error::InvalidVector { what, vector, reason }.into())
    }
}

/// What friction and viscosity allow.
struct Hold {
    /// The way left to the goal up to which static friction holds.
    sticking: f64,
    /// The way left to the goal at which dynamic friction stops it.
    dynamic: f64,
    /// The share of the rest that it goes in this step.
    share: f64,
}
