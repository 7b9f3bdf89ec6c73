//! The image of a part under blended rotations, for one joint set and any pose.
//!
//! Where the joints of the set are turned against one another by little, other bounds are smaller:
//! [`blend_error`](super::blend_error) for boxes, [`first_order`](super::first_order) for spheres.

use glam::{Mat3A, Quat, Vec3A, Vec4};

use super::linear_box::{PartBox, box_reach};
use super::part_image::{MorphedPart, PartSphere};
use super::parts::Part;
use super::pose::{Pose, length};
use super::tuning::MIN_BLENDED_LENGTH;
use super::weight_bounds::WeightBounds;
use crate::deform::Skin;

/// Where a part is: the rest shape, rotated by about `rotation`, around about `center`.
pub(super) struct RotatedImage {
    center: Vec3A,
    rotation: BlendedRotation,
    /// How far the weights move the centre, along each axis, and as a length.
    shift: Vec3A,
    shift_length: f32,
    /// How far vertices may be off in any direction for other reasons.
    room: f32,
}

impl RotatedImage {
    /// A rotation within the angle takes e at most the chord, twice the sine of half the angle, from where
    /// the blended rotation takes it, and keeps its length.
    #[inline(always)]
    pub(super) fn to_box(&self, part: &Part) -> PartBox {
        let rotated = part.rest.half_sides.map(|side| self.rotation.matrix * side);
        let radius = part.rest.radius;
        let chord = Vec3A::splat(2.0 * self.rotation.half_angle_sine * radius);
        let reach = (box_reach(rotated) + chord).min(Vec3A::splat(radius));
        PartBox { center: self.center, half: self.shift + Vec3A::splat(self.room) + reach }
    }

    /// The ball around the part keeps its radius.
    #[inline(always)]
    pub(super) fn to_sphere(&self, part: &Part) -> PartSphere {
        let radius = self.shift_length + self.room + part.rest.radius;
        PartSphere { center: self.center, radius }
    }
}

/// The blended rotation of a part.
struct BlendedRotation {
    matrix: Mat3A,
    /// The sine of half the largest angle between it and a vertex's own rotation, at most 1.
    half_angle_sine: f32,
    /// The blend of the quaternions, not normalised, and its length.
    blend: Vec4,
    length: f32,
}

/// The quaternions of the joints in `f32`, with the signs that the vertices of the set give them.
///
/// The vertices' sign is that of a product in `f64`. A product in `f32` errs by less than 2^-20, so it
/// has the same sign unless it is about zero. Then the product in `f64` decides.
#[inline(always)]
pub(super) fn quaternions<'a>(
    skin: &'a Skin,
    pose: &'a Pose,
    weights: &'a [WeightBounds],
) -> impl Iterator<Item = (&'a WeightBounds, Vec4)> {
    let pivot = weights[0].joint as usize;
    let pivot_rotation = pose.joints[pivot].rotation;
    weights.iter().map(move |own| {
        let joint = own.joint as usize;
        let rotation = pose.joints[joint].rotation;
        let product = rotation.dot(pivot_rotation);
        let sign = if product.abs() > 1e-5 {
            product.signum()
        } else {
            skin.rigid_joints()[joint].sign(&skin.rigid_joints()[pivot]) as f32
        };
        (own, rotation * sign)
    })
}

/// The rotation blended by the means.
///
/// A vertex's quaternion is b + x, with b the blend by the means and |x| at most
/// sum d_i |q_i - b|. The angle between the two has a sine of at most |x| / |b|, if that
/// is below 1, and the rotations differ by twice that angle. Otherwise nothing is known.
#[inline(always)]
fn blended_rotation(skin: &Skin, pose: &Pose, morphed: MorphedPart<'_>) -> BlendedRotation {
    let MorphedPart { part, weights, .. } = morphed;
    let mut blend = Vec4::ZERO;
    for (own, quaternion) in quaternions(skin, pose, weights) {
        blend += quaternion * own.mean;
    }
    let length = blend.length();
    let mut deviation = part.slack;
    if !part.constant_weights {
        for (own, quaternion) in quaternions(skin, pose, weights) {
            deviation += (quaternion - blend).length() * own.deviation;
        }
    }
    // If the blend is too short to be divided by, any rotation will do.
    let (unit, half_angle_sine) = match length < MIN_BLENDED_LENGTH {
        true => (Vec4::W, 1.0),
        false => (blend / length, (deviation / length).min(1.0)),
    };
    let matrix = Mat3A::from_quat(Quat::from_vec4(unit));
    BlendedRotation { matrix, half_angle_sine, blend, length }
}

/// Spherical blending (Kavan & Žára 2006, sections 4.2 to 4.4, without the corners of section 4.1).
/// With x_i the images of the rotation centre o, x their blend by the means, and Q the blended rotation,
///
/// v' = Q_w e + Q_w (c - o) + sum w_i x_i.
///
/// The last term is within sum d_i |x_i - x| of x. The one before lies on a cap: on the sphere of radius
/// |c - o| around 0, within the angle a of Q (c - o). For a up to 90 degrees the cap lies in
/// the ball around cos a Q (c - o) of radius sin a |c - o|, as the paper's Lemma 5 says.
/// Beyond, that ball is too small, and the ball of the whole sphere takes its place. With s the sine
/// of a / 2, cos a = 1 - 2s² and sin a = 2s sqrt(1 - s²).
#[inline(always)]
pub(super) fn spherical(skin: &Skin, pose: &Pose, morphed: MorphedPart<'_>) -> RotatedImage {
    let MorphedPart { part, weights, center, morph_deviation, rounding } = morphed;
    let rotation_center = skin.rotation_center(part.set).as_vec3a();
    let image_of = |own: &WeightBounds| pose.joints[own.joint as usize].apply(rotation_center);
    let mut image = Vec3A::ZERO;
    for own in weights {
        image += image_of(own) * own.mean;
    }
    let (mut shift, mut shift_length) = (Vec3A::ZERO, 0.0);
    if !part.constant_weights {
        for own in weights {
            let apart = image_of(own) - image;
            shift += apart.abs() * own.deviation;
            shift_length += length(apart) * own.deviation;
        }
    }
    let rotation = blended_rotation(skin, pose, morphed);
    let arm = center - rotation_center;
    let square = rotation.half_angle_sine * rotation.half_angle_sine;
    let (cosine, sine) = if square <= 0.5 {
        (1.0 - 2.0 * square, 2.0 * (square * (1.0 - square)).sqrt())
    } else {
        (0.0, 1.0)
    };
    let center = image + rotation.matrix * arm * cosine;
    // The arm may be twice as long as the largest coordinate, along each axis.
    let room = sine * length(arm) + morph_deviation + 2.0 * rounding;
    RotatedImage { center, rotation, shift, shift_length, room }
}

/// Dual quaternions. `None` if nothing is known of the translation.
///
/// Such a blend does not depend on the origin. With the centre as origin,
/// p_i its images, taken from a common point, as quaternions without real part, and
/// q_i the rotations,
///
/// v' = Q_w e + Im(z_w), z_w = (sum w_i p_i q_i) (sum w_i q_i)^-1.
///
/// Let z be that for the means. Then sum m_i (p_i - z) q_i = 0, and
///
/// z_w - z = (sum w_i (p_i - z) q_i) q_w^-1 = (sum (w_i - m_i) (p_i - z) q_i) q_w^-1,
///
/// which is at most sum d_i |p_i - z| / |q_w|, since the q_i have length 1. The real part of z
/// is small, and its magnitude is simply added. |q_w| is at least its component along the blend b by the
/// means: at least |b| less sum d_i of the differences along b, and at least the smallest component of
/// all q_i. If that is near zero, nothing is known of the translation.
#[inline(always)]
pub(super) fn dual_quaternion(
    skin: &Skin,
    pose: &Pose,
    morphed: MorphedPart<'_>,
) -> Option<RotatedImage> {
    let MorphedPart { part, weights, center, morph_deviation, rounding } = morphed;
    let rotation = blended_rotation(skin, pose, morphed);
    let blend_length = rotation.length;
    if blend_length < MIN_BLENDED_LENGTH {
        return None;
    }
    let image_of = |own: &WeightBounds| pose.joints[own.joint as usize].apply(center);
    let mut image = Vec3A::ZERO;
    for own in weights {
        image += image_of(own) * own.mean;
    }
    let mut sum = Quat::from_vec4(Vec4::ZERO);
    for (own, quaternion) in quaternions(skin, pose, weights) {
        let p = (image_of(own) - image) * own.mean;
        sum += Quat::from_vec4(p.extend(0.0)) * Quat::from_vec4(quaternion);
    }
    let square = blend_length * blend_length;
    let z = sum * Quat::from_vec4(rotation.blend).conjugate() * (1.0 / square);
    let translation = Vec3A::from(z.xyz());
    let (mut moved, mut shortening, mut least) = (0.0, 0.0, 1.0_f32);
    for (own, quaternion) in quaternions(skin, pose, weights) {
        let p = image_of(own) - image - translation;
        moved += own.deviation * (length(p) + z.w.abs());
        let along = quaternion.dot(rotation.blend) / blend_length;
        shortening += own.deviation * (along - blend_length).abs();
        least = least.min(along);
    }
    let shortest = (blend_length - shortening).max(least) - part.slack;
    if shortest < MIN_BLENDED_LENGTH {
        return None;
    }
    // Errors of z are those of its sum, of magnitudes up to twice that of the images, divided by
    // the square of the length.
    let rounding = rounding * 4.0 / (shortest * shortest).min(square);
    let room = moved / shortest + morph_deviation + rounding;
    let (shift, shift_length) = (Vec3A::ZERO, 0.0);
    Some(RotatedImage { center: image + translation, rotation, shift, shift_length, room })
}
