//! The state of bodies, and what a step derives from it.

use pliant::glam::{DMat3, DQuat, DVec3, Vec4};
use pliant::volume::Aabb;

use super::proxy_tree::row_factor;
use super::vibration::ModeStep;
use super::{Model, Settings};

/// Where a body starts: a vertex of the mesh at p is at `rotation * p + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// The rotation, of length 1.
    pub rotation: DQuat,
    /// Where the mesh's origin is.
    pub translation: DVec3,
    /// The velocity of the centre of mass.
    pub velocity: DVec3,
    /// The angular velocity.
    pub spin: DVec3,
}

impl Default for Placement {
    fn default() -> Self {
        let zero = DVec3::ZERO;
        Self { rotation: DQuat::IDENTITY, translation: zero, velocity: zero, spin: zero }
    }
}

impl Placement {
    /// At rest, at a place.
    #[must_use]
    pub fn at(translation: DVec3) -> Self {
        Self { translation, ..Self::default() }
    }
}

/// The rigid part of a body's state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidState {
    /// The centre of mass.
    pub position: DVec3,
    /// The rotation of the mesh about its centre of mass.
    pub rotation: DQuat,
    /// The momentum.
    pub momentum: DVec3,
    /// The angular momentum about the centre of mass.
    pub angular_momentum: DVec3,
}

/// The inverse inertia along the world's axes.
#[inline]
pub(super) fn inverse_inertia(model: &Model, rotation: &DMat3) -> DMat3 {
    *rotation * model.inverse_inertia * rotation.transpose()
}

/// What a step derives from a body's state, before contacts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    pub rotation: DMat3,
    pub position: DVec3,
    /// The velocity that the body would end the step with if nothing touched it.
    pub velocity: DVec3,
    pub spin: DVec3,
    pub inverse_mass: f64,
    pub inverse_inertia: DMat3,
    /// Scales the growth of nodes; see `proxy_tree`.
    pub stretch: f32,
    /// How far any point of the body turns in the step if nothing touches it, and bends if what pressed
    /// it in the step before presses on.
    pub turn: f64,
    /// How much of that is bending.
    pub bends: f64,
    /// How far its proxies reach from the centre of mass.
    pub reach: f64,
    /// Whether contacts bend the body. If not, it is rigid or at its strain limit.
    pub yields: bool,
}

impl Pose {
    /// The velocity of a point that moves with the frame.
    #[inline]
    pub(super) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.position)
    }
}

/// What a body's modes are like at the beginning of a step: for each the factor of its row,
/// (q, q, q, |q|), and the mean rates of its coordinate over the step.
pub(super) struct Bending<'a> {
    pub factors: &'a mut [Vec4],
    /// If nothing touches the body.
    pub free: &'a mut [f32],
    /// If the body is pressed as in the step before.
    pub pressed: &'a mut [f32],
}

/// Enlarges sums over modes of coordinates that are rounded to `f32`.
const ROUNDED: f64 = 1.0 + 1e-6;

/// Derives the pose of a body, and how it bends, from coordinates, their velocities, and the forces
/// along the modes in the step before.
pub(super) fn pose_of(
    model: &Model,
    steps: &[ModeStep],
    state: &RigidState,
    [q, velocities, loads]: [&[f64]; 3],
    settings: &Settings,
    bending: Bending,
) -> Pose {
    let h = settings.step;
    let Bending { factors, free, pressed: rates } = bending;
    let (mut square, mut bent, mut bends) = (0.0, 0.0, 0.0);
    let modes = steps.len();
    let limit = model.strain.as_ref();
    let stiff = limit.is_some_and(|limit| limit.is_reached(&model.proxies.strains, &q[..modes]));
    let modes_of = steps.iter().zip(&model.vibrations).zip(&model.proxies.mode_reaches);
    for (mode, ((step, vibration), &reach)) in modes_of.enumerate() {
        let (now, velocity) = (q[mode], velocities[mode]);
        let change = |load: f64| if stiff { 0.0 } else { step.apply(now, velocity, load).0 - now };
        let pressed = change(loads[mode]);
        square += (vibration.omega * now).powi(2);
        bent += f64::from(reach) * now.abs();
        bends += f64::from(reach) * pressed.abs();
        factors[mode] = row_factor(now);
        free[mode] = (change(0.0) / h) as f32;
        rates[mode] = (pressed / h) as f32;
    }
    let rotation = DMat3::from_quat(state.rotation);
    let inverse_inertia = inverse_inertia(model, &rotation);
    let spin = inverse_inertia * state.angular_momentum;
    let inverse_mass = 1.0 / model.mass.mass;
    // Rounded up: the coordinates that count are rounded to f32.
    let stretch = (square.sqrt() * (1.0 + 1e-6)) as f32;
    let (bends, reach) = (bends * ROUNDED, f64::from(model.proxies.reach) + bent * ROUNDED);
    Pose {
        rotation,
        position: state.position,
        velocity: state.momentum * inverse_mass + settings.gravity * h,
        spin,
        inverse_mass,
        inverse_inertia,
        stretch,
        turn: h * spin.length() * reach + bends,
        bends,
        reach,
        yields: modes > 0 && !stiff,
    }
}

/// A box around all proxies of a body, and as far as they may move in the step.
pub(super) fn bounding_box(model: &Model, pose: &Pose, factors: &[Vec4], step: f64) -> Aabb {
    let [middle, half] = model.proxies.moved_box(factors).map(|corner| corner.as_dvec3());
    let m = &pose.rotation;
    let half = m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
    let middle = pose.position + *m * middle;
    let margin = pose.turn + step * pose.velocity.length();
    // Covers the roundings of these lines and of the proxies, 2^-24 each at most.
    let half = half + DVec3::splat(margin + 1e-5 * pose.reach);
    Aabb::around([middle - half, middle + half])
}
