//! Rigid joints: which affine maps count as rigid, and the rigid motion next to them.

use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4, Mat3A, Vec3A};

use crate::limits::RIGID_JOINT_SLACK;
use crate::volume::round_up;
use crate::{Error, Result};

/// A joint as a rigid motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigidJoint {
    /// The rotation as a quaternion of length 1.
    pub(crate) rotation: DVec4,
    /// The same rotation as a matrix, and the translation.
    pub(crate) map: DAffine3,
    /// The dual part of the dual quaternion: half the translation times the rotation.
    pub(crate) dual: DVec4,
}

impl RigidJoint {
    /// A rotation, and the image of one point.
    pub(super) fn new(rotation: DQuat, anchor: DVec3, image: DVec3) -> Self {
        let matrix3 = DMat3::from_quat(rotation);
        let translation = image - matrix3 * anchor;
        let dual = DQuat::from_vec4((0.5 * translation).extend(0.0)) * rotation;
        let map = DAffine3 { matrix3, translation };
        Self { rotation: rotation.into(), map, dual: dual.into() }
    }

    /// The sign with which the rotation of this joint is blended in a set with this pivot.
    ///
    /// q and -q are the same rotation. In a joint set each quaternion takes the sign that makes its
    /// product with the pivot's, that of the set's first joint, positive. The pivot has weight in all
    /// vertices of the set, so their blends never vanish: the component along the pivot is at least the
    /// pivot's weight.
    #[inline]
    pub(crate) fn sign(&self, pivot: &Self) -> f64 {
        if self.rotation.dot(pivot.rotation) < 0.0 { -1.0 } else { 1.0 }
    }
}

/// The skew of joints that [`quick_skew`] does not accept but [`rigid_joint`] does.
pub(super) const MAX_SKEW: f32 = 1.02e-4;

/// The skew of joints: an upper bound of how far any entry of R^T R of any of them is from the identity.
/// `None` if it may be too large, or if a joint mirrors or has large numbers. Then [`rigid_joint`] decides.
///
/// Guarantee: `rigid_joint` accepts every joint that this accepts, if the joint's anchor is below 1e100.
/// This takes a tenth of the time, so the rigid joints need not be computed until one is asked for.
///
/// Proof. Let |x|^2, |y|^2 and x·y of the columns be within e of 1, 1 and 0, and x × y within e of z along
/// each axis. Then x·z and y·z are within 1.8e of 0. |x × y|^2 = |x|^2 |y|^2 - (x·y)^2 is within 2.1e of 1,
/// so |z|^2 is within 5.6e of 1. The determinant is (x × y)·z > 0. In `f32` each number errs by less than
/// six roundings of 2^-24 of numbers near 1.
pub(super) fn quick_skew(joints: &[DAffine3]) -> Option<f32> {
    let [mut off, mut largest, mut away] = [Vec3A::ZERO; 3];
    for DAffine3 { matrix3, translation } in joints {
        let DMat3 { x_axis, y_axis, z_axis } = *matrix3;
        let [x, y, z] = [x_axis, y_axis, z_axis].map(|axis| axis.as_vec3a());
        let columns = Mat3A::from_cols(x * x, y * y, x * y).transpose();
        let products = columns.x_axis + columns.y_axis + columns.z_axis;
        off = off.max((products - Vec3A::new(1.0, 1.0, 0.0)).abs()).max((x.cross(y) - z).abs());
        largest = largest.max(x.abs()).max(y.abs()).max(z.abs());
        away = away.max(translation.as_vec3a().abs());
    }
    let skew = 5.6 * (off.max_element() + 6.0 * f32::EPSILON);
    // With entries of at most 2 nothing overflows, so there is no NaN.
    let plain = largest.max_element() <= 2.0
        && skew < 0.99 * RIGID_JOINT_SLACK as f32
        && away.max_element() < f32::INFINITY;
    plain.then_some(skew)
}

/// The skew of joints, computed in `f64`: it errs by a few 2^-53 for joints that count as rigid.
pub(super) fn exact_skew(joints: &[DAffine3]) -> f32 {
    let mut off = DVec3::ZERO;
    for joint in joints {
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = joint.matrix3;
        let sides = DVec3::new(x.dot(x), y.dot(y), z.dot(z)) - 1.0;
        off = off.max(sides.abs()).max(DVec3::new(x.dot(y), y.dot(z), z.dot(x)).abs());
    }
    round_up(off.max_element() + 1e-14)
}

/// A joint as a rigid motion, if it is one up to [`RIGID_JOINT_SLACK`]. The rigid motion keeps the image
/// of the joint's anchor, the mean of the vertices that it moves, so that the difference from the given
/// map matters least.
///
/// The rotation R is within 9e of the matrix M, as a norm, if M^T M is within e of the identity. Proof:
/// M = Q S with a rotation Q and a symmetric S, and S is within f = 1.51 e of the identity, as a norm. The
/// quaternion's direction is a sum of entries of M, of which one errs by 3f and three by 2f. Its
/// length for Q is nearly 2 at least, since the largest of four forms is taken. So its
/// angle errs by 2.4 f, and R by twice that.
pub(super) fn rigid_joint(joint: usize, map: &DAffine3, anchor: DVec3) -> Result<RigidJoint> {
    let matrix = map.matrix3;
    let off = matrix.transpose() * matrix - DMat3::IDENTITY;
    let largest = off.to_cols_array().iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest > RIGID_JOINT_SLACK {
        let reason = "it scales or shears, which only linear blending knows";
        return Err(Error::InvalidJoint { joint, reason });
    }
    if matrix.determinant() < 0.0 {
        let reason = "it mirrors, which only linear blending knows";
        return Err(Error::InvalidJoint { joint, reason });
    }
    let made = nearest_rigid(map, anchor);
    if !made.map.is_finite() || !made.dual.is_finite() {
        return Err(Error::InvalidJoint { joint, reason: "its numbers are too large" });
    }
    Ok(made)
}

/// The rigid motion of a joint that [`rigid_joint`] accepts.
pub(super) fn nearest_rigid(map: &DAffine3, anchor: DVec3) -> RigidJoint {
    let rotation = DQuat::from_mat3(&map.matrix3).normalize();
    RigidJoint::new(rotation, anchor, map.transform_point3(anchor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers from -1 to 1.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn what_the_quick_test_accepts_is_rigid_and_near_its_rotation() {
        let mut next = numbers();
        let (mut accepted, mut refused) = (0, 0);
        for round in 0..20_000 {
            let axis = DVec3::new(next(), next(), next()).normalize();
            let turn = if round % 7 == 0 { std::f64::consts::PI } else { 4.0 * next() };
            let mut matrix = DMat3::from_quat(DQuat::from_axis_angle(axis, turn));
            let size = 10_f64.powf(4.0 * next() - 6.0);
            let noise = DMat3::from_cols_array(&[(); 9].map(|()| size * next()));
            matrix += noise;
            if round % 11 == 0 {
                matrix.z_axis = -matrix.z_axis;
            }
            let anchor = DVec3::new(next(), next(), next());
            let map = DAffine3 { matrix3: matrix, translation: 10.0 * anchor };
            let quick = quick_skew(&[map]);
            match rigid_joint(0, &map, anchor) {
                Ok(rigid) => {
                    let exact = exact_skew(&[map]);
                    assert!(quick.is_none_or(|quick| quick >= exact), "{quick:?} {exact}");
                    assert!(exact <= MAX_SKEW);
                    // The Frobenius norm is at least the spectral norm.
                    let off = (rigid.map.matrix3 - matrix).to_cols_array();
                    let off = off.iter().map(|x| x * x).sum::<f64>().sqrt();
                    assert!(off <= 9.0 * f64::from(exact) + 1e-14, "{off} {exact}");
                    let image = map.transform_point3(anchor);
                    assert!(rigid.map.transform_point3(anchor).distance(image) < 1e-13);
                }
                Err(_) => assert_eq!(quick, None),
            }
            accepted += usize::from(quick.is_some());
            refused += usize::from(quick.is_none());
        }
        assert!(accepted > 5000 && refused > 1000, "{accepted} {refused}");
    }

    #[test]
    fn what_is_large_or_no_rotation_is_left_to_the_exact_test() {
        let far = DAffine3::from_translation(DVec3::new(0.0, 1e39, 0.0));
        let large = DAffine3::from_scale(DVec3::new(1.0, 1e300, 1.0));
        let sheared = DAffine3::from_mat3(DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::ONE));
        for map in [far, large, sheared, DAffine3::from_scale(-DVec3::ONE), DAffine3::ZERO] {
            assert_eq!(quick_skew(&[DAffine3::IDENTITY, map]), None, "{map}");
        }
        assert!(quick_skew(&[DAffine3::IDENTITY]).is_some_and(|skew| skew < 1e-5));
        assert!(rigid_joint(0, &far, DVec3::ONE).is_ok());
    }
}
