//! Where a part of a node is, to first order, where rotations are blended and the bound is a sphere.
//!
//! As in `skinned_place` a part has a middle c, vertices c + e and weights w_i = m_i + d_i, and here
//! d_i = g_i·e + x_i with slopes g_i. The vertices' quaternions blend to q_w; b is the blend by
//! the means, of length B, Q its rotation, and Q_w that of q_w. With (r_i, s_i) the real and the other
//! parts of q_i b⁻¹ B,
//!
//! q_w b⁻¹ B = (R, S), R = sum w_i r_i and S = sum d_i s_i, since sum m_i s_i = 0.
//!
//! Let l be a bound on |S| / R, the lean. The rotation Q_w differs from Q by the angle whose half has the
//! tangent |S| / R, so by no more than 2l of a vector's length.
//!
//! Both kinds of blending then have the form
//!
//! v' = Q_w e + sum d_i a_i + (what does not depend on the weights) + (what is of second order),
//!
//! where sum d_i a_i = G e + sum x_i a_i, G = sum a_i g_iᵀ. `bent_reach` bounds Q_w e + G e, and what
//! is left of the weights is bounded as for linear blending.
//!
//! Rounding, in the terms of `skinned_place`, for B of at least a half: s_i and Q err by (2n + 40)u, a point's images
//! and their blend by (2n + 20)um. An a_i errs by what those of points do, four times at the most, and by (8n + 160)u
//! of the arm, which is what they are multiplied with. An error of a_i enters
//! into G e by r |g_i|, and into the rest by what is left of the weights. All in all less than
//! twice the loss that stands for m, and four times the part's slack of the arm.

use glam::{Mat3A, Quat, Vec3A, Vec4};

use super::skinned_bend::{bent_reach, left_over};
use super::skinned_parts::{Part, Share};
use super::skinned_place::{Place, Start, length, quaternions};
use super::skinned_pose::Pose;
use crate::deform::Skin;
use crate::limits::MAX_WHOLE_JOINTS;

/// Shorter blends are left to bounds that ask for less.
const MIN_LENGTH: f32 = 0.5;

/// Parts of more joint sets than one take the signs of all quaternions from one pivot. If all are
/// within arccos 0.93, less than 22 degrees, of one, then each two are within 45 degrees,
/// and any other pivot gives the same signs, or the opposite ones: the same motion.
const MIN_COMMON_PART: f32 = 0.93;

/// The joints of a part, and their blends by the means.
struct Blend<'a> {
    shares: &'a [Share],
    quaternions: [Vec4; MAX_WHOLE_JOINTS],
    /// Where they take a point.
    images: [Vec3A; MAX_WHOLE_JOINTS],
    image: Vec3A,
    /// The blended quaternion, of length 1, and its length before.
    unit: Vec4,
    length: f32,
    rotation: Mat3A,
}

impl<'a> Blend<'a> {
    #[inline(always)]
    fn new(skin: &Skin, pose: &Pose, shares: &'a [Share], point: Vec3A) -> Option<Self> {
        let mut all = [Vec4::ZERO; MAX_WHOLE_JOINTS];
        let mut images = [Vec3A::ZERO; MAX_WHOLE_JOINTS];
        if shares.len() > MAX_WHOLE_JOINTS {
            return None;
        }
        let (mut blend, mut image) = (Vec4::ZERO, Vec3A::ZERO);
        for (at, (share, quaternion)) in quaternions(skin, pose, shares).enumerate() {
            all[at] = quaternion;
            images[at] = pose.joints[share.joint as usize].apply(point);
            blend += quaternion * share.mean;
            image += images[at] * share.mean;
        }
        let length = blend.length();
        if length < MIN_LENGTH {
            return None;
        }
        let unit = blend / length;
        let rotation = Mat3A::from_quat(Quat::from_vec4(unit));
        Some(Self { shares, quaternions: all, images, image, unit, length, rotation })
    }

    /// The shares, what takes the blended rotation to that of the joint, as its real part and the others,
    /// and the joint's image.
    #[inline(always)]
    fn joints(&self) -> impl Iterator<Item = (&'a Share, f32, Vec3A, Vec3A)> {
        let from = Vec3A::from_vec4(self.unit);
        let joints = self.shares.iter().zip(&self.quaternions).zip(&self.images);
        joints.map(move |((share, &quaternion), &image)| {
            let to = Vec3A::from_vec4(quaternion);
            let axis = to * self.unit.w - from * quaternion.w - to.cross(from);
            (share, quaternion.dot(self.unit), axis, image)
        })
    }
}

/// What the weights of a part can do.
struct Spread {
    /// G.
    bend: [Vec3A; 3],
    /// The sums of |a_i| times what is left of the weights, near the rim and anywhere, and of |a_i|.
    near: f32,
    left: f32,
    all: f32,
    /// No |S|, and no |R - B|, is larger.
    lean: f32,
    drop: f32,
    /// The least r_i.
    least: f32,
}

impl Spread {
    #[inline(always)]
    fn new(part: &Part) -> Self {
        let [lean, drop] = [part.slack; 2];
        let bend = [Vec3A::ZERO; 3];
        Self { bend, near: 0.0, left: 0.0, all: 0.0, lean, drop, least: 1.0 }
    }

    #[inline(always)]
    fn add(&mut self, share: &Share, apart: Vec3A, real: f32, axis: Vec3A, blend: &Blend<'_>) {
        // Squares of tiny numbers vanish.
        let by = apart.length() + 1e-21;
        self.near += by * share.near;
        self.left += by * share.left;
        self.all += by;
        self.bend[0] += apart * share.slope.x;
        self.bend[1] += apart * share.slope.y;
        self.bend[2] += apart * share.slope.z;
        self.lean += axis.length() * share.give;
        self.drop += (real - blend.length).abs() * share.give;
        self.least = self.least.min(real);
    }

    /// No R is smaller: as weights are convex, neither than the least r_i. `None` if that says too
    /// little, or the joint sets of the part may not have the same signs.
    #[inline(always)]
    fn shortest(&self, part: &Part, blend: &Blend<'_>) -> Option<f32> {
        let shortest = (blend.length - self.drop).max(self.least - part.slack);
        let apart = part.whole && self.least < MIN_COMMON_PART;
        (shortest >= MIN_LENGTH && !apart).then_some(shortest)
    }

    /// How far the vertices are from where the middle goes, but for what is of second order; the lean
    /// is given as a tangent.
    #[inline(always)]
    fn reach(&self, part: &Part, blend: &Blend<'_>, lean: f32) -> Option<f32> {
        let Mat3A { x_axis, y_axis, z_axis } = blend.rotation;
        let base = [x_axis, y_axis, z_axis];
        let reach = bent_reach(base, self.bend, 1.0, 2.0 * lean.min(1.0), part.rest.radius);
        let left = left_over(reach, self.near, self.left, self.all);
        reach.is_finite().then_some(reach + left)
    }
}

/// Spherical blending about o: v' = Q_w e + Q_w (c - o) + sum w_i C_i o. With X = Q (c - o) and
/// t = S / R, Q_w Q⁻¹ X is
///
/// X + (2 t×X + 2 t×(t×X)) / (1 + t²) = X + 2 t×X - 2t² / (1 + t²) (X' + t×X),
///
/// X' the part of X across t, and 2 t×X differs from 2/B S×X by at most 2l |R - B| / B |X|. So a_i
/// is C_i o less the blend of them, and 2/B s_i×X. Of what is left X' is between 0 and 2l² |X| long and always
/// points back: from (1 - l²) X, in whose place X is not, it is l² |X| to either side. The term with t×X
/// is at most 2l³ |X|.
#[inline(always)]
pub(super) fn spherical(skin: &Skin, pose: &Pose, part: &Part, start: Start<'_>) -> Option<Place> {
    let about = skin.center(part.set).as_vec3a();
    let blend = Blend::new(skin, pose, start.shares, about)?;
    let arm = blend.rotation * (start.middle - about);
    let mut spread = Spread::new(part);
    let twice = 2.0 / blend.length;
    for (share, real, axis, image) in blend.joints() {
        let apart = image - blend.image + axis.cross(arm) * twice;
        spread.add(share, apart, real, axis, &blend);
    }
    let lean = spread.lean / spread.shortest(part, &blend)?;
    let reach = spread.reach(part, &blend, lean)?;
    let square = lean * lean;
    let off = square * (1.0 + 2.0 * lean) + twice * lean * spread.drop;
    let lost = (off + 4.0 * part.slack) * length(arm) + start.stray + 2.0 * start.loss;
    let center = blend.image + arm * (1.0 - square);
    Some(Place { center, half: Vec3A::splat(reach + lost) })
}

/// Dual quaternions, with the middle as origin, as in `skinned_place`: v' = Q_w e + Im(z_w), and
///
/// z_w - z = sum d_i (p_i - z) q_i q_w⁻¹ = Y (1 + y)⁻¹, Y = sum d_i (p_i - z) q_i b⁻¹, 1 + y = q_w b⁻¹.
///
/// So a_i = Im((p_i - z) q_i b⁻¹), and what is left is Y (1 + y)⁻¹ y: |Y (1 + y)⁻¹| is
/// at most sum |d_i| |p_i - z| / |q_w|, and |y| = |(R - B, S)| / B.
///
/// The arm, in the sense of rounding, is the largest of |p_i - z| and |z|, and enters divided by B³.
#[inline(always)]
pub(super) fn dual_quaternion(
    skin: &Skin,
    pose: &Pose,
    part: &Part,
    start: Start<'_>,
) -> Option<Place> {
    let blend = Blend::new(skin, pose, start.shares, start.middle)?;
    let inverse = 1.0 / blend.length;
    // z, from the blend of the images: the sum of m_i (p_i - blend) (r_i, s_i), divided by B.
    let (mut from, mut scalar) = (Vec3A::ZERO, 0.0);
    for (share, real, axis, image) in blend.joints() {
        let p = (image - blend.image) * (share.mean * inverse);
        from += p * real + p.cross(axis);
        scalar -= p.dot(axis);
    }
    let mut spread = Spread::new(part);
    let (mut moved, mut arm) = (0.0, 0.0_f32);
    for (share, real, axis, image) in blend.joints() {
        let p = image - blend.image - from;
        let apart = (p * real + p.cross(axis) - axis * scalar) * inverse;
        spread.add(share, apart, real, axis, &blend);
        let far = p.length() + scalar.abs() + 1e-21;
        moved += far * share.give;
        arm = arm.max(far);
    }
    let shortest = spread.shortest(part, &blend)?;
    let reach = spread.reach(part, &blend, spread.lean / shortest)?;
    let off = moved / shortest * (spread.lean + spread.drop) * inverse;
    let square = inverse * inverse;
    let lost = 4.0 * part.slack * (arm + length(from)) * square * inverse;
    let half = reach + off + lost + start.stray + 2.0 * start.loss * square;
    Some(Place { center: blend.image + from, half: Vec3A::splat(half) })
}
