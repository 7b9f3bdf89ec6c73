//! Forces of contacts, and their sums per body.
//!
//! A force is that of the law at the end of the step (implicit): stiff springs do not overshoot. A
//! body with n contacts counts n times as light for each of them, as if it were cut into n parts
//! that are joined again after the step (mass splitting; Tonge, Benevolenski and Voroshilov 2012).
//! So contacts need not know of each other, all are computed in parallel, and together they do not
//! overshoot either.

use pliant::glam::DVec3;
use rayon::prelude::*;

use super::snapshot::{Contact, Other, Snapshot};
use super::vibration::ModeStep;

/// What acts on a body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Load {
    pub force: DVec3,
    pub torque: DVec3,
}

/// The contacts of each body, ascending, and the forces of all contacts on their first body.
#[derive(Debug, Default)]
pub(super) struct Forces {
    /// Where the contacts of each body begin in `sides`.
    starts: Vec<u32>,
    /// Twice the number of a contact, plus one if the body is its second.
    sides: Vec<u32>,
    pub forces: Vec<DVec3>,
}

impl Forces {
    /// Sorts contacts by body, and computes all forces.
    pub(super) fn compute(
        &mut self,
        snapshot: &Snapshot,
        steps: &[Vec<ModeStep>],
        contacts: &[Contact],
    ) {
        self.sort(snapshot.poses.len(), contacts);
        let starts = &self.starts;
        let parts = |body: u32| f64::from(starts[body as usize + 1] - starts[body as usize]);
        contacts
            .par_iter()
            .map(|contact| force_of(snapshot, steps, contact, parts))
            .collect_into_vec(&mut self.forces);
    }

    fn sort(&mut self, bodies: usize, contacts: &[Contact]) {
        self.starts.clear();
        self.starts.resize(bodies + 2, 0);
        // One place further than the body's: the loop below moves each start to its body's place.
        for contact in contacts {
            self.starts[contact.body as usize + 2] += 1;
            if let Other::Body { body, .. } = contact.other {
                self.starts[body as usize + 2] += 1;
            }
        }
        for body in 2..self.starts.len() {
            self.starts[body] += self.starts[body - 1];
        }
        self.sides.clear();
        self.sides.resize(self.starts.last().copied().unwrap_or(0) as usize, 0);
        let mut put = |body: u32, side: u32| {
            let place = &mut self.starts[body as usize + 1];
            self.sides[*place as usize] = side;
            *place += 1;
        };
        for (number, contact) in (0..).zip(contacts) {
            put(contact.body, 2 * number);
            if let Other::Body { body, .. } = contact.other {
                put(body, 2 * number + 1);
            }
        }
    }

    /// The force and torque on a body, and the forces along its modes, summed in the order of the
    /// contacts.
    pub(super) fn sum(
        &self,
        snapshot: &Snapshot,
        contacts: &[Contact],
        body: u32,
        modal: &mut [f64],
    ) -> Load {
        let mut load = Load::default();
        let pose = snapshot.pose(body);
        let proxies = &snapshot.model(body).proxies;
        let range = self.starts[body as usize] as usize..self.starts[body as usize + 1] as usize;
        for &side in &self.sides[range] {
            let contact = &contacts[side as usize / 2];
            let (node, sign) = match contact.other {
                Other::Body { node, .. } if side % 2 == 1 => (node, -1.0),
                _ => (contact.node, 1.0),
            };
            let force = self.forces[side as usize / 2] * sign;
            load.force += force;
            load.torque += (contact.point - pose.position).cross(force);
            if proxies.stride > 1 {
                let own = (pose.rotation.transpose() * force).as_vec3();
                let rows = &proxies.rows_of(&proxies.nodes[node as usize])[1..];
                for (modal, row) in modal.iter_mut().zip(rows) {
                    *modal += f64::from(row.truncate().dot(own));
                }
            }
        }
        load
    }
}

/// The force of a contact on its first body.
fn force_of(
    snapshot: &Snapshot,
    steps: &[Vec<ModeStep>],
    contact: &Contact,
    parts: impl Fn(u32) -> f64,
) -> DVec3 {
    let settings = snapshot.settings;
    let law = &settings.contact;
    let yielding = |direction: DVec3| {
        let of = |body, node| {
            parts(body) * compliance(snapshot, steps, body, node, contact.point, direction)
        };
        let first = of(contact.body, contact.node);
        match contact.other {
            Other::Body { body, node } => first + of(body, node),
            Other::Obstacle { .. } => first,
        }
    };
    let Contact { normal, velocity, push, .. } = *contact;
    let along = push / (1.0 + settings.step_stiffness() * yielding(normal));
    let slip = velocity - normal * velocity.dot(normal);
    let speed = slip.length();
    if law.friction == 0.0 || speed == 0.0 {
        return -normal * along;
    }
    let direction = slip / speed;
    let most = law.friction * along;
    // The friction of the speed at the end of the step.
    let per_speed = most / law.slip_speed;
    let across = per_speed * speed / (1.0 + per_speed * yielding(direction) / settings.step);
    -normal * along - direction * across.min(most)
}

/// How far a proxy moves along a direction in the step per unit of force there.
fn compliance(
    snapshot: &Snapshot,
    steps: &[Vec<ModeStep>],
    body: u32,
    node: u32,
    point: DVec3,
    direction: DVec3,
) -> f64 {
    let pose = snapshot.pose(body);
    let arm = (point - pose.position).cross(direction);
    let rigid = pose.inverse_mass + arm.dot(pose.inverse_inertia * arm);
    let mut sum = snapshot.settings.step * snapshot.settings.step * rigid;
    let proxies = &snapshot.model(body).proxies;
    if proxies.stride > 1 {
        let own = (pose.rotation.transpose() * direction).as_vec3();
        let rows = &proxies.rows_of(&proxies.nodes[node as usize])[1..];
        let steps = &steps[snapshot.model_of[body as usize] as usize];
        for (row, step) in rows.iter().zip(steps) {
            let along = f64::from(row.truncate().dot(own));
            sum += step.qf * along * along;
        }
    }
    sum
}
