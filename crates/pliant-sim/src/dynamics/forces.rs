//! Forces of contacts, and their sums per body.
//!
//! A force is that of the law at the end of the step, where all forces have acted (implicit): stiff
//! springs do not overshoot. With b the push of each contact if nothing moved it, A the matrix by
//! which forces move contacts within the step, and K the stiffness, the forces along the normals
//! solve f = max(0, b - K A f): a convex problem with one solution. Sweeps approach it. In a sweep
//! each contact solves its own equation, as if it alone changed, so all are computed in parallel.
//!
//! A body with n contacts counts n times as light for each of them in a sweep, as if it were cut
//! into n parts that are joined again (mass splitting; Tonge, Benevolenski and Voroshilov 2012). By
//! Cauchy and Schwarz the diagonal that this gives is not below A, so sweeps do not overshoot
//! either. They are accelerated as Nesterov's method is (Mazhar, Heyn, Negrut and Tasora 2015).

use pliant::glam::{DVec3, Mat3, Vec4};
use rayon::prelude::*;

use super::Settings;
use super::carried::{Carried, begin};
use super::snapshot::{Contact, Other, Snapshot};
use super::state::Pose;
use super::vibration::ModeStep;

/// What acts on a body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Load {
    pub force: DVec3,
    pub torque: DVec3,
}

/// How far a contact yields in the step per unit of force, with its bodies cut into parts.
#[derive(Debug, Clone, Copy)]
struct Yielding {
    /// Along the normal.
    along: f64,
    /// At least that along any direction across it.
    across: f64,
}

/// A frame, and its velocities at the end of the step: all that a sweep reads of a body, side by side.
#[derive(Debug, Clone, Copy)]
struct MovingFrame {
    position: DVec3,
    velocity: DVec3,
    spin: DVec3,
    /// For what modes move, which is in `f32`.
    rotation: Mat3,
    yields: bool,
}

/// A contact as one of its bodies sees it.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    contact: u32,
    /// The body's own proxy.
    node: u32,
    /// 1 for the first body of the contact, -1 for the second.
    sign: f64,
    /// From the centre of mass to the contact.
    arm: DVec3,
}

/// The contacts of each body, ascending, and the forces of all contacts on their first body.
#[derive(Debug, Default)]
pub(super) struct Forces {
    /// Where the contacts of each body begin in `sides`.
    starts: Vec<u32>,
    sides: Vec<Side>,
    pub forces: Vec<DVec3>,
    /// Forces ahead of the sweep, by the last two.
    ahead: Vec<DVec3>,
    yielding: Vec<Yielding>,
    frames: Vec<MovingFrame>,
    rates: Vec<f32>,
}

impl Forces {
    /// Sorts contacts by body, and computes all forces, beginning with those of the step before.
    pub(super) fn compute(
        &mut self,
        snapshot: &Snapshot,
        steps: &[Vec<ModeStep>],
        contacts: &[Contact],
        carried: &[Carried],
    ) {
        self.sort(snapshot.poses, contacts);
        let starts = &self.starts;
        let parts = |body: u32| f64::from(starts[body as usize + 1] - starts[body as usize]);
        contacts
            .par_iter()
            .with_min_len(PER_TASK)
            .map(|contact| yielding_of(snapshot, steps, contact, parts))
            .collect_into_vec(&mut self.yielding);
        begin(contacts, carried, &mut self.forces);
        self.ahead.clone_from(&self.forces);
        self.rates.clear();
        self.rates.extend_from_slice(snapshot.free_rates);
        self.frames.clear();
        let free = |pose: &Pose| MovingFrame {
            position: pose.position,
            velocity: pose.velocity,
            spin: pose.spin,
            rotation: pose.rotation.as_mat3(),
            yields: pose.yields,
        };
        self.frames.extend(snapshot.poses.iter().map(free));
        for sweep in 0..snapshot.settings.sweeps {
            self.move_bodies(snapshot, steps);
            let part = f64::from(sweep) / (f64::from(sweep) + 3.0);
            self.sweep(snapshot, contacts, part);
        }
    }

    /// Solves each contact by itself, and looks ahead by a part of the change.
    fn sweep(&mut self, snapshot: &Snapshot, contacts: &[Contact], part: f64) {
        let Self { forces, ahead, yielding, frames, rates, .. } = self;
        let (frames, rates) = (&*frames, &*rates);
        let all = forces.par_iter_mut().zip(ahead).zip(contacts).zip(yielding);
        all.with_min_len(PER_TASK).for_each(|(((force, ahead), contact), yielding)| {
            let velocity = relative_velocity(snapshot, frames, rates, contact);
            let next = solved(snapshot.settings, contact, velocity, *ahead, yielding);
            *ahead = next + (next - *force) * part;
            *force = next;
        });
    }

    /// The velocities at the end of the step, under the forces ahead.
    fn move_bodies(&mut self, snapshot: &Snapshot, steps: &[Vec<ModeStep>]) {
        let mut frames = std::mem::take(&mut self.frames);
        let mut rates = std::mem::take(&mut self.rates);
        let (this, h) = (&*self, snapshot.settings.step);
        let all = frames.par_iter_mut().zip(rates.par_chunks_mut(snapshot.stride)).enumerate();
        all.with_min_len(16).for_each(|(body, (frame, rates))| {
            let start = body * snapshot.stride;
            let body = body as u32;
            let pose = snapshot.pose(body);
            let steps = &steps[snapshot.model_of[body as usize] as usize];
            let mut modal = ModalLoad::new(if pose.yields { steps.len() } else { 0 });
            let modal = modal.numbers();
            let load = this.sum(snapshot, &this.ahead, body, modal);
            frame.velocity = pose.velocity + load.force * (h * pose.inverse_mass);
            frame.spin = pose.spin + pose.inverse_inertia * load.torque * h;
            for (mode, (step, force)) in steps.iter().zip(modal).enumerate() {
                let force = f64::from(force.truncate().element_sum());
                rates[mode] = snapshot.free_rates[start + mode] + (step.qf * force / h) as f32;
            }
        });
        (self.frames, self.rates) = (frames, rates);
    }

    fn sort(&mut self, poses: &[Pose], contacts: &[Contact]) {
        self.starts.clear();
        self.starts.resize(poses.len() + 2, 0);
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
        self.sides.resize(self.starts.last().copied().unwrap_or(0) as usize, Side::default());
        let mut put = |number: u32, body: u32, node: u32, sign: f64| {
            let place = &mut self.starts[body as usize + 1];
            let arm = contacts[number as usize].point - poses[body as usize].position;
            self.sides[*place as usize] = Side { contact: number, node, sign, arm };
            *place += 1;
        };
        for (number, contact) in (0..).zip(contacts) {
            put(number, contact.body, contact.node, 1.0);
            if let Other::Body { body, node } = contact.other {
                put(number, body, node, -1.0);
            }
        }
    }

    /// The force and torque on a body, and the forces along its modes, summed in the order of the
    /// contacts.
    pub(super) fn sum<M: AlongMode>(
        &self,
        snapshot: &Snapshot,
        forces: &[DVec3],
        body: u32,
        modal: &mut [M],
    ) -> Load {
        let mut load = Load::default();
        let proxies = &snapshot.model(body).proxies;
        let bends = !modal.is_empty() && proxies.stride > 1;
        let inverse = snapshot.pose(body).rotation.as_mat3().transpose();
        let range = self.starts[body as usize] as usize..self.starts[body as usize + 1] as usize;
        for side in &self.sides[range] {
            let force = forces[side.contact as usize] * side.sign;
            load.force += force;
            load.torque += side.arm.cross(force);
            if bends {
                let own = (inverse * force.as_vec3()).extend(0.0);
                let rows = &proxies.rows_of(side.node)[1..];
                for (modal, row) in modal.iter_mut().zip(rows) {
                    modal.add(*row * own);
                }
            }
        }
        load
    }
}

/// A sum of forces along a mode, by their parts along the body's axes.
pub(super) trait AlongMode {
    /// Adds the products of a mode's displacement with a force; the fourth is 0.
    fn add(&mut self, products: Vec4);
}

impl AlongMode for f64 {
    #[inline]
    fn add(&mut self, products: Vec4) {
        *self += f64::from(products.truncate().element_sum());
    }
}

/// By axis, joined at the end: faster, and exact enough for sweeps, which only approach a solution.
impl AlongMode for Vec4 {
    #[inline]
    fn add(&mut self, products: Vec4) {
        *self += products;
    }
}

/// Contacts per task.
const PER_TASK: usize = 256;

/// Forces along the modes of one body, without an allocation if they are few.
pub(super) struct ModalLoad {
    few: [Vec4; 16],
    many: Vec<Vec4>,
    count: usize,
}

impl ModalLoad {
    pub(super) fn new(count: usize) -> Self {
        let many = if count > 16 { vec![Vec4::ZERO; count] } else { vec![] };
        Self { few: [Vec4::ZERO; 16], many, count }
    }

    pub(super) fn numbers(&mut self) -> &mut [Vec4] {
        if self.many.is_empty() { &mut self.few[..self.count] } else { &mut self.many }
    }
}

/// The velocity of the first body at a contact, from that of the second.
#[inline]
fn relative_velocity(
    snapshot: &Snapshot,
    frames: &[MovingFrame],
    rates: &[f32],
    contact: &Contact,
) -> DVec3 {
    let of = |body: u32, node: u32| {
        let frame = &frames[body as usize];
        let rigid = frame.velocity + frame.spin.cross(contact.point - frame.position);
        if !frame.yields {
            return rigid;
        }
        let rows = &snapshot.model(body).proxies.rows_of(node)[1..];
        let rates = &rates[body as usize * snapshot.stride..];
        let drift = rows.iter().zip(rates).fold(Vec4::ZERO, |sum, (row, rate)| sum + *row * *rate);
        rigid + (frame.rotation * drift.truncate()).as_dvec3()
    };
    let first = of(contact.body, contact.node);
    match contact.other {
        Other::Body { body, node } => first - of(body, node),
        Other::Obstacle { .. } => first - contact.pushed,
    }
}

/// The force of a contact on its first body that solves its own equation, given the velocity under
/// the forces of before.
#[inline]
fn solved(
    settings: &Settings,
    contact: &Contact,
    velocity: DVec3,
    before: DVec3,
    yielding: &Yielding,
) -> DVec3 {
    let law = &settings.contact;
    let normal = contact.normal;
    let (stiffness, approach) = (settings.step_stiffness(), velocity.dot(normal));
    let along_before = -before.dot(normal);
    let push = settings.push(contact.depth, approach);
    let give = stiffness * yielding.along;
    let along = ((push + give * along_before) / (1.0 + give)).max(0.0);
    let most = law.friction * along;
    if most == 0.0 {
        return -normal * along;
    }
    // Friction per slip within the step, below the slip speed.
    let grip = most / (law.slip_speed * settings.step);
    let slip = (velocity - normal * approach) * settings.step;
    let across_before = before + normal * along_before;
    let give = grip * yielding.across;
    let across = (across_before * give - slip * grip) / (1.0 + give);
    -normal * along + across.clamp_length_max(most)
}

/// How far a contact yields.
fn yielding_of(
    snapshot: &Snapshot,
    steps: &[Vec<ModeStep>],
    contact: &Contact,
    parts: impl Fn(u32) -> f64,
) -> Yielding {
    let of = |body, node| {
        let (point, normal) = (contact.point, contact.normal);
        compliance(snapshot, steps, body, node, point, normal).map(|yields| parts(body) * yields)
    };
    let [mut along, mut in_all] = of(contact.body, contact.node);
    if let Other::Body { body, node } = contact.other {
        let second = of(body, node);
        (along, in_all) = (along + second[0], in_all + second[1]);
    }
    Yielding { along, across: (in_all - along).max(0.0) }
}

/// How far a proxy moves along a direction in the step per unit of force there, and the sum of this over three
/// directions at right angles, which is the same for all such: the trace of the matrix.
fn compliance(
    snapshot: &Snapshot,
    steps: &[Vec<ModeStep>],
    body: u32,
    node: u32,
    point: DVec3,
    direction: DVec3,
) -> [f64; 2] {
    let pose = snapshot.pose(body);
    let arm = point - pose.position;
    let (turned, inverse) = (arm.cross(direction), &pose.inverse_inertia);
    let rigid = pose.inverse_mass + turned.dot(*inverse * turned);
    // The sum of (r x d) S (r x d) over such directions d is tr(S) r² - r S r.
    let diagonal = inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z;
    let turning = diagonal * arm.length_squared() - arm.dot(*inverse * arm);
    let rigid_in_all = 3.0 * pose.inverse_mass + turning;
    let square = snapshot.settings.step * snapshot.settings.step;
    let (mut along, mut in_all) = (square * rigid, square * rigid_in_all);
    if pose.yields {
        let own = (pose.rotation.transpose() * direction).as_vec3();
        let rows = &snapshot.model(body).proxies.rows_of(node)[1..];
        let steps = &steps[snapshot.model_of[body as usize] as usize];
        for (row, step) in rows.iter().zip(steps) {
            let (row, yields) = (row.truncate(), step.qf);
            let part = f64::from(row.dot(own));
            along += yields * part * part;
            in_all += yields * f64::from(row.length_squared());
        }
    }
    [along, in_all]
}
