//! Joint pairs: how far two joints are turned against one another, once per pose.

use glam::Vec3A;

use super::pose::{Joint, Pose};
use crate::deform::Binding;

/// Each two joints of a skin that have a vertex in common, in ascending order.
///
/// The angle between them is computed once per pose: the topmost node needs those of all pairs, and
/// many other nodes need some.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct JointPairs(Vec<[u32; 2]>);

impl JointPairs {
    pub(super) fn new(binding: &Binding) -> Self {
        let mut pairs = Vec::new();
        for set in 0..binding.joint_sets() as u32 {
            pairs.extend(pairs_of(binding.sets.joints(set)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    /// The number of a pair, which must be one of these.
    pub(super) fn number(&self, joints: [u32; 2]) -> u32 {
        self.0.partition_point(|&pair| pair < joints) as u32
    }

    /// Computes the angles of a pose.
    pub(super) fn measure(&self, pose: &mut Pose) {
        let Pose { joints, half_angle_sines_squared: sines, .. } = pose;
        sines.clear();
        let of = |joint: u32| &joints[joint as usize];
        let pairs = self.0.iter();
        sines.extend(pairs.map(|&[first, second]| half_angle_sine_squared(of(first), of(second))));
    }
}

/// Each two of some joints.
pub(super) fn pairs_of(joints: &[u32]) -> impl Iterator<Item = [u32; 2]> {
    let pairs_from = |(at, &first): (usize, &u32)| {
        joints[at + 1..].iter().map(move |&second| [first, second]).collect::<Vec<_>>()
    };
    joints.iter().enumerate().flat_map(pairs_from)
}

/// Errors due to the skew of a pose's joints, whose rotations are known only up to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SkewErrors {
    /// How far the trace in [`chord_squared`] may be off.
    trace: f32,
    /// How far the images of a point under a given joint and under the rigid one may be apart, twice;
    /// and the error of roots whose squares underflowed, which are below 1e-22.
    pub(super) images: f32,
}

impl SkewErrors {
    #[inline]
    pub(super) fn new(pose: &Pose, skew: f32) -> Self {
        Self { trace: 56.0 * skew + 2e-6, images: 2.0 * skew * pose.image_error_per_skew + 1e-21 }
    }
}

/// An upper bound of the squared distance |q_i - q_j|² of the quaternions of joint pair number `pair`, with
/// the signs that make it small. `None` if the rotations may differ by more than 90 degrees.
///
/// The trace of R_i^T R_j is 4 (q_i q_j)^2 - 1, and that of M_i^T M_j is the sum of nine
/// products of entries. The matrices M of the given joints are within 9 times the skew of the
/// rotations R, so the two traces differ by less than 56 times the skew. `f32` adds less than
/// 2e-6: products that sum to at most 3, each sum rounded five times.
///
/// With e = 1 - (q_i q_j)^2, the squared sine of half the angle, the squared distance is
/// 2 - 2 sqrt(1 - e) = e (1 + e / 4 + e^2 / 8 + ..), whose terms are all positive. For e up to 0.5, where
/// it is 0.5858, the terms after e / 4 sum to at most 0.19 e^2.
#[inline(always)]
pub(super) fn chord_squared(pose: &Pose, pair: u32, skew: SkewErrors) -> Option<f32> {
    chord_squared_of(pose.half_angle_sines_squared[pair as usize], skew.trace)
}

#[inline(always)]
fn chord_squared_of(half_angle_sine_squared: f32, trace_error: f32) -> Option<f32> {
    let e = half_angle_sine_squared + 0.25 * trace_error;
    // Below a half by more than rounding; the comparison fails for NaN.
    (e < 0.4999).then(|| e.max(0.0) * (1.0 + e * (0.25 + 0.19 * e)) + 1e-6)
}

/// The e of [`chord_squared`], up to rounding and skew.
#[inline(always)]
fn half_angle_sine_squared(first: &Joint, second: &Joint) -> f32 {
    let [a, b] = [&first.columns, &second.columns];
    let products = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    (3.0 - products.element_sum()) * 0.25
}

/// The squared distance of two joints' images of a point.
#[inline(always)]
pub(super) fn image_distance_squared(pose: &Pose, joints: [u32; 2], point: Vec3A) -> f32 {
    let [first, second] = joints.map(|joint| &pose.joints[joint as usize]);
    let [x, y, z, t] = [0, 1, 2, 3].map(|k| first.columns[k] - second.columns[k]);
    (x * point.x + y * point.y + z * point.z + t).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    #[test]
    fn chords_are_not_too_short() {
        let joint = |turn: DQuat| {
            let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (turn * axis).as_vec3a());
            Joint { columns: [x, y, z, Vec3A::ZERO], ..Joint::ZERO }
        };
        for step in 0..2000 {
            let angle = f64::from(step) * 1e-3;
            let first = DQuat::from_rotation_x(0.3 * f64::from(step));
            let second = first * DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
            let chord = 2.0 - 2.0 * (angle / 2.0).cos();
            let sine = half_angle_sine_squared(&joint(first), &joint(second));
            match chord_squared_of(sine, 2e-6) {
                Some(found) => {
                    let found = f64::from(found);
                    assert!(
                        found >= chord && found < chord * 1.004 + 3e-6,
                        "{angle}: {found} {chord}"
                    );
                    assert!(angle < std::f64::consts::FRAC_PI_2);
                }
                None => assert!(angle > 1.57, "{angle}"),
            }
        }
    }
}
