//! The three ways of blending joints, one function each.

use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4};

use super::{Influence, RigidJoint};

/// Added to the diagonal of the normal equations of a rotation centre, whose entries are at
/// most 1: 2^-16. Joints that are turned against one another by less than a quarter of a degree then
/// rotate about a point that is nearer to their vertices than the true centre. This moves
/// a vertex by less than 1e-5 of its distance from the true centre.
const ROTATION_CENTER_DAMPING: f64 = f64::from_bits((1023 - 16) << 52);

/// A blended quaternion whose squared length is below this, 2^-600, has lost its
/// direction to underflow. The pivot's rotation takes its place.
const MIN_BLENDED_LENGTH_SQUARED: f64 = f64::from_bits((1023 - 600) << 52);

/// Linear blending: the weighted sum of the joints' images of a point.
///
/// glTF prescribes this. Joints may be any affine maps.
///
/// ```
/// use pliant::{deform::{Influence, blend_linear}, glam::{DAffine3, DVec3}};
/// let joints = [DAffine3::IDENTITY, DAffine3::from_translation(DVec3::Y)];
/// let halves = [0, 1].map(|joint| Influence { joint, weight: 0.5 });
/// assert_eq!(blend_linear(&halves, &joints, DVec3::X), DVec3::new(1.0, 0.5, 0.0));
/// ```
///
/// # Panics
/// If an influence names a joint that does not exist.
#[must_use]
#[inline]
pub fn blend_linear(influences: &[Influence], joints: &[DAffine3], point: DVec3) -> DVec3 {
    influences.iter().fold(DVec3::ZERO, |sum, influence| {
        sum + influence.weight * joints[influence.joint as usize].transform_point3(point)
    })
}

/// Spherical blending (Kavan & Žára 2006, equation 1): the blended rotation about the
/// set's rotation centre, plus the image of that centre under linear blending.
#[inline]
pub(super) fn blend_spherical(
    influences: &[Influence],
    joints: &[RigidJoint],
    pivot: u32,
    center: DVec3,
    point: DVec3,
) -> DVec3 {
    let pivot = &joints[pivot as usize];
    let (mut rotation, mut image) = (DVec4::ZERO, DVec3::ZERO);
    for &Influence { joint, weight } in influences {
        let joint = &joints[joint as usize];
        rotation += (weight * joint.sign(pivot)) * joint.rotation;
        image += weight * joint.map.transform_point3(center);
    }
    DMat3::from_quat(unit(rotation, pivot)) * (point - center) + image
}

/// Blending of dual quaternions: one rigid motion per vertex, with the same rotation as
/// [`blend_spherical`] and a translation that does not depend on a centre.
#[inline]
pub(super) fn blend_dual_quaternions(
    influences: &[Influence],
    joints: &[RigidJoint],
    pivot: u32,
    point: DVec3,
) -> DVec3 {
    let pivot = &joints[pivot as usize];
    let (mut rotation, mut dual) = (DVec4::ZERO, DVec4::ZERO);
    for &Influence { joint, weight } in influences {
        let joint = &joints[joint as usize];
        let weight = weight * joint.sign(pivot);
        rotation += weight * joint.rotation;
        dual += weight * joint.dual;
    }
    let length_squared = rotation.length_squared();
    if length_squared < MIN_BLENDED_LENGTH_SQUARED {
        return pivot.map.transform_point3(point);
    }
    let product = DQuat::from_vec4(dual) * DQuat::from_vec4(rotation).conjugate();
    let translation = product.xyz() * (2.0 / length_squared);
    DMat3::from_quat(unit(rotation, pivot)) * point + translation
}

/// A blended quaternion as a rotation. If the blend is too short to have a direction, which tiny
/// weights can cause, the pivot's rotation.
#[inline]
fn unit(blended: DVec4, pivot: &RigidJoint) -> DQuat {
    let length_squared = blended.length_squared();
    if length_squared < MIN_BLENDED_LENGTH_SQUARED {
        return DQuat::from_vec4(pivot.rotation);
    }
    DQuat::from_vec4(blended / length_squared.sqrt())
}

/// The rotation centre of a joint set: the point whose images under the set's joints
/// are closest together, sought from the set's anchor.
///
/// Least squares: with R the mean of the n rotations and p_i the images of the anchor, the step x from
/// the anchor solves (I - R^T R) x = -mean((R_i - R)^T (p_i - p)). Along an axis that all joints share, x
/// is not determined. A small damping then gives the shortest step. It also follows the pose without
/// jumps, which a threshold on singular values would not do. The step is at most `limit` long. The
/// caller passes the distance of the farthest vertex that any of the joints moves, so that the centre
/// stays near these vertices. Vertices and bounds use the same result, so it need not be exact.
pub(super) fn rotation_center(
    set: &[u32],
    joints: &[RigidJoint],
    anchor: DVec3,
    limit: f64,
) -> DVec3 {
    let [pivot, .., _] = set else { return anchor };
    let share = 1.0 / set.len() as f64;
    let from = joints[*pivot as usize].map.transform_point3(anchor);
    let mut rotation = DMat3::ZERO;
    let (mut image, mut back) = (DVec3::ZERO, DVec3::ZERO);
    for &joint in set {
        let map = &joints[joint as usize].map;
        let apart = map.transform_point3(anchor) - from;
        rotation += map.matrix3 * share;
        image += apart * share;
        back += map.matrix3.transpose() * apart * share;
    }
    let spread = DMat3::IDENTITY - rotation.transpose() * rotation;
    let damped = spread + DMat3::from_diagonal(DVec3::splat(ROTATION_CENTER_DAMPING));
    let step = damped.inverse() * (rotation.transpose() * image - back);
    let length = step.length();
    if !length.is_finite() {
        anchor
    } else if length > limit {
        anchor + step * (limit / length)
    } else {
        anchor + step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_joints_on_a_hinge_turn_about_the_point_of_the_hinge_next_to_the_anchor() {
        // A hinge along z through (1, 2): the anchor's own height is kept.
        let hinge = DVec3::new(1.0, 2.0, 0.0);
        let turn = DQuat::from_rotation_z(1.0);
        let joints = [
            RigidJoint::new(DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO),
            RigidJoint::new(-turn, hinge, hinge),
        ];
        let anchor = DVec3::new(3.0, -1.0, 7.0);
        let center = rotation_center(&[0, 1], &joints, anchor, 100.0);
        assert!(center.distance(DVec3::new(1.0, 2.0, 7.0)) < 1e-3, "{center}");
        assert!(rotation_center(&[0, 1], &joints, anchor, 0.5).distance(anchor) < 0.6);
        assert_eq!(rotation_center(&[1], &joints, anchor, 100.0), anchor);
        assert_eq!(rotation_center(&[0, 0], &joints, anchor, 100.0), anchor);
    }
}
