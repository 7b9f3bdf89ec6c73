//! The sphere of a part to first order in its size, where rotations are blended.
//!
//! As in [`part_image`](super::part_image) a part has a centre c, vertices c + e and weights w_i = m_i + d_i,
//! and here d_i = g_i·e + x_i with gradients g_i. The vertices' quaternions blend to q_w; b is the blend by
//! the means, of length B, Q its rotation, and Q_w that of q_w. With (r_i, s_i) the real and the other
//! components of q_i b⁻¹ B,
//!
//! q_w b⁻¹ B = (R, S), R = sum w_i r_i and S = sum d_i s_i, since sum m_i s_i = 0.
//!
//! Let l be a bound on |S| / R, the tangent of half the angle between Q_w and Q. So Q_w e and Q e differ by
//! at most 2l |e|.
//!
//! Both kinds of blending then have the form
//!
//! v' = Q_w e + sum d_i a_i + (terms without weights) + (terms of second order),
//!
//! where sum d_i a_i = G e + sum x_i a_i, G = sum a_i g_iᵀ. `gradient_reach` bounds Q_w e + G e, and the
//! residuals of the weights are bounded as for linear blending.
//!
//! Rounding, in the terms of `part_image`, for B of at least a half: s_i and Q err by (2n + 40)u, a point's
//! images and their blend by (2n + 20)um. An a_i errs by what those of points do, at most four times, and by
//! (8n + 160)u of the arm, which they are multiplied with. An error of a_i enters
//! into G e by r |g_i|, and into the rest by the residuals of the weights. Altogether less than
//! twice the rounding that stands for m, and four times the part's slack times the arm.

use glam::{Mat3A, Quat, Vec3A, Vec4};

use super::gradient_reach::{GradientSums, gradient_reach};
use super::part_image::{MorphedPart, PartSphere};
use super::parts::Part;
use super::pose::{Pose, length};
use super::rotated_part::quaternions;
use super::tuning::MAX_NODE_PART_JOINTS;
use super::weight_bounds::WeightBounds;
use crate::deform::Skin;

/// Shorter blends are left to [`rotated_part`](super::rotated_part).
const MIN_LENGTH: f32 = 0.5;

/// A node part takes the signs of all quaternions from one pivot. If all are
/// within arccos 0.93, less than 22 degrees, of one quaternion, then each two are within 45 degrees,
/// and any other pivot gives the same signs, or the opposite ones: the same motion.
const MIN_COMMON_COMPONENT: f32 = 0.93;

/// The joints of a part, and their blends by the means.
struct Blend<'a> {
    weights: &'a [WeightBounds],
    quaternions: [Vec4; MAX_NODE_PART_JOINTS],
    /// The joints' images of a point.
    images: [Vec3A; MAX_NODE_PART_JOINTS],
    image: Vec3A,
    /// The blended quaternion, normalised, and its length before.
    unit: Vec4,
    length: f32,
    rotation: Mat3A,
}

/// A joint relative to the blend: r_i, s_i, and the joint's image of the point.
struct Relative<'a> {
    weight: &'a WeightBounds,
    real: f32,
    axis: Vec3A,
    image: Vec3A,
}

impl<'a> Blend<'a> {
    #[inline(always)]
    fn new(skin: &Skin, pose: &Pose, weights: &'a [WeightBounds], point: Vec3A) -> Option<Self> {
        let mut all = [Vec4::ZERO; MAX_NODE_PART_JOINTS];
        let mut images = [Vec3A::ZERO; MAX_NODE_PART_JOINTS];
        if weights.len() > MAX_NODE_PART_JOINTS {
            return None;
        }
        let (mut blend, mut image) = (Vec4::ZERO, Vec3A::ZERO);
        for (at, (own, quaternion)) in quaternions(skin, pose, weights).enumerate() {
            all[at] = quaternion;
            images[at] = pose.joints[own.joint as usize].apply(point);
            blend += quaternion * own.mean;
            image += images[at] * own.mean;
        }
        let length = blend.length();
        if length < MIN_LENGTH {
            return None;
        }
        let unit = blend / length;
        let rotation = Mat3A::from_quat(Quat::from_vec4(unit));
        Some(Self { weights, quaternions: all, images, image, unit, length, rotation })
    }

    /// The joints relative to the blend.
    #[inline(always)]
    fn joints(&self) -> impl Iterator<Item = Relative<'a>> {
        let from = Vec3A::from_vec4(self.unit);
        let joints = self.weights.iter().zip(&self.quaternions).zip(&self.images);
        joints.map(move |((weight, &quaternion), &image)| {
            let to = Vec3A::from_vec4(quaternion);
            let axis = to * self.unit.w - from * quaternion.w - to.cross(from);
            Relative { weight, real: quaternion.dot(self.unit), axis, image }
        })
    }
}

/// How the weights of a part can vary its motion.
struct Variation {
    sums: GradientSums,
    /// An upper bound of |S|.
    axis: f32,
    /// An upper bound of |R - B|.
    real: f32,
    /// The smallest r_i.
    least_real: f32,
}

impl Variation {
    #[inline(always)]
    fn new(part: &Part) -> Self {
        let [axis, real] = [part.slack; 2];
        Self { sums: GradientSums::default(), axis, real, least_real: 1.0 }
    }

    /// Adds a joint and its a_i.
    #[inline(always)]
    fn add(&mut self, joint: &Relative<'_>, offset: Vec3A, blend_length: f32) {
        // Squares of tiny numbers underflow.
        self.sums.add(joint.weight, offset, offset.length() + 1e-21);
        self.axis += joint.axis.length() * joint.weight.deviation;
        self.real += (joint.real - blend_length).abs() * joint.weight.deviation;
        self.least_real = self.least_real.min(joint.real);
    }

    /// A lower bound of R. As weights are convex, R is also at least the smallest r_i. `None` if the bound
    /// is too small, or if the joint sets of a node part may not have the same signs.
    #[inline(always)]
    fn shortest(&self, part: &Part, blend: &Blend<'_>) -> Option<f32> {
        let shortest = (blend.length - self.real).max(self.least_real - part.slack);
        let signs_differ = part.is_node_part && self.least_real < MIN_COMMON_COMPONENT;
        (shortest >= MIN_LENGTH && !signs_differ).then_some(shortest)
    }

    /// The largest distance of a vertex from the image of the centre, up to terms of second order.
    /// `tangent` is l.
    #[inline(always)]
    fn reach(&self, part: &Part, blend: &Blend<'_>, tangent: f32) -> Option<f32> {
        let Mat3A { x_axis, y_axis, z_axis } = blend.rotation;
        let base = [x_axis, y_axis, z_axis];
        let deviation = 2.0 * tangent.min(1.0);
        let reach = gradient_reach(base, self.sums.columns, 1.0, deviation, part.rest.radius);
        reach.is_finite().then_some(reach + self.sums.residual_reach(reach))
    }
}

/// Spherical blending about o: v' = Q_w e + Q_w (c - o) + sum w_i C_i o. With X = Q (c - o) and
/// t = S / R, Q_w Q⁻¹ X is
///
/// X + (2 t×X + 2 t×(t×X)) / (1 + t²) = X + 2 t×X - 2t² / (1 + t²) (X' + t×X),
///
/// X' the component of X across t, and 2 t×X differs from 2/B S×X by at most 2l |R - B| / B |X|. So a_i
/// is C_i o less the blend of them, plus 2/B s_i×X. The term with X' is between 0 and 2l² |X| long and
/// always points back, so with (1 - l²) X in place of X it is within l² |X| to either side. The term with
/// t×X is at most 2l³ |X|.
#[inline(always)]
pub(super) fn spherical(skin: &Skin, pose: &Pose, morphed: MorphedPart<'_>) -> Option<PartSphere> {
    let MorphedPart { part, weights, morph_deviation, rounding, .. } = morphed;
    let rotation_center = skin.rotation_center(part.set).as_vec3a();
    let blend = Blend::new(skin, pose, weights, rotation_center)?;
    let arm = blend.rotation * (morphed.center - rotation_center);
    let mut variation = Variation::new(part);
    let factor = 2.0 / blend.length;
    for joint in blend.joints() {
        let offset = joint.image - blend.image + joint.axis.cross(arm) * factor;
        variation.add(&joint, offset, blend.length);
    }
    let tangent = variation.axis / variation.shortest(part, &blend)?;
    let reach = variation.reach(part, &blend, tangent)?;
    let square = tangent * tangent;
    let second_order = square * (1.0 + 2.0 * tangent) + factor * tangent * variation.real;
    let room = (second_order + 4.0 * part.slack) * length(arm) + morph_deviation + 2.0 * rounding;
    Some(PartSphere { center: blend.image + arm * (1.0 - square), radius: reach + room })
}

/// Dual quaternions, with the centre as origin, as in [`rotated_part`](super::rotated_part):
/// v' = Q_w e + Im(z_w), and
///
/// z_w - z = sum d_i (p_i - z) q_i q_w⁻¹ = Y (1 + y)⁻¹, Y = sum d_i (p_i - z) q_i b⁻¹, 1 + y = q_w b⁻¹.
///
/// So a_i = Im((p_i - z) q_i b⁻¹), and the remainder is Y (1 + y)⁻¹ y. |Y (1 + y)⁻¹| is
/// at most sum |d_i| |p_i - z| / |q_w|, and |y| = |(R - B, S)| / B.
///
/// The arm, in the sense of rounding, is the largest of |p_i - z| and |z|, and enters divided by B³.
#[inline(always)]
pub(super) fn dual_quaternion(
    skin: &Skin,
    pose: &Pose,
    morphed: MorphedPart<'_>,
) -> Option<PartSphere> {
    let MorphedPart { part, weights, morph_deviation, rounding, .. } = morphed;
    let blend = Blend::new(skin, pose, weights, morphed.center)?;
    let inverse = 1.0 / blend.length;
    // z, seen from the blend of the images: the sum of m_i (p_i - blend) (r_i, s_i), divided by B.
    let (mut translation, mut scalar) = (Vec3A::ZERO, 0.0);
    for joint in blend.joints() {
        let p = (joint.image - blend.image) * (joint.weight.mean * inverse);
        translation += p * joint.real + p.cross(joint.axis);
        scalar -= p.dot(joint.axis);
    }
    let mut variation = Variation::new(part);
    let (mut moved, mut arm) = (0.0, 0.0_f32);
    for joint in blend.joints() {
        let p = joint.image - blend.image - translation;
        let offset = (p * joint.real + p.cross(joint.axis) - joint.axis * scalar) * inverse;
        variation.add(&joint, offset, blend.length);
        let far = p.length() + scalar.abs() + 1e-21;
        moved += far * joint.weight.deviation;
        arm = arm.max(far);
    }
    let shortest = variation.shortest(part, &blend)?;
    let reach = variation.reach(part, &blend, variation.axis / shortest)?;
    let second_order = moved / shortest * (variation.axis + variation.real) * inverse;
    let square = inverse * inverse;
    let lost = 4.0 * part.slack * (arm + length(translation)) * square * inverse;
    let radius = reach + second_order + lost + morph_deviation + 2.0 * rounding * square;
    Some(PartSphere { center: blend.image + translation, radius })
}
