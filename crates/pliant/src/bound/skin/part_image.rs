//! The image of a part in a pose: a box or a sphere that holds its vertices.
//!
//! A part has a centre c and vertices c + e, where e lies in an oriented box and in a ball of
//! radius r. The weights w_i of a vertex sum to 1 and lie within d_i of means m_i, which sum to 1, too.
//! (So the differences w_i - m_i sum to 0, and from each sum of differences times things x_i a common x may
//! be subtracted from every x_i. This is why no corner of the polytope of weights is needed: the largest
//! value of a linear function over it is the sum of d_i |x_i - x| with the right x, and not less with any
//! other.)
//!
//! # Rounding
//! Everything is in `f32`. With u = 2^-24, n joints, D the sum of all d_i, and m a bound
//! on the magnitude of every coordinate on the way:
//! - A joint's image of a point errs by 6um, a blend of matrices by (n + 2)u of the entries, and so
//!   the centre's image by (n + 8)um.
//! - A difference of a joint and the blend, applied to the centre, errs by (2n + 20)um, of
//!   which D times as much enters; so does its norm times r.
//! - Rounded means leave weights and their sum off by nu: 2num.
//! - Half sides of the box, their images, and the final sums: (n + 20)um.
//! - Gradients g_i of weights, with G the sum of r |g_i| (here of sums of magnitudes): a difference that
//!   errs by (2n + 20)um along an axis, and is at most 2m, is multiplied with g_i e, at most r |g_i|, and
//!   summed over n joints; and means that leave room for gradients sum to 1 up to nuG. Altogether
//!   G (5n + 22)um. `gradient_reach` errs by less than 200u of the radius, which is at most m.
//!
//! Together less than (4n + 48 + D (4n + 40) + G (5n + 22))um along an axis, and as a length, which
//! a sphere needs, sqrt(3) times that. A part's `slack` is four times
//! (2n + 32 + D (4n + 40) + G (3n + 12))u, which is more. The vertices' own rounding, in
//! `f64`, is negligible beside it. Numbers below the normal range err by 2^-149 each, times the largest
//! factor: `underflow` covers a thousand of them.

use glam::Vec3A;

use super::first_order;
use super::linear_box::PartBox;
use super::linear_part::{linear_box, linear_sphere};
use super::parts::{Part, PartLists};
use super::pose::Pose;
use super::rotated_part::{RotatedImage, dual_quaternion, spherical};
use super::weight_bounds::WeightBounds;
use crate::deform::{Blending, Skin};

/// A sphere that holds a part in a pose.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartSphere {
    pub(super) center: Vec3A,
    pub(super) radius: f32,
}

impl PartSphere {
    /// Contains everything.
    pub(super) const INFINITE: Self = Self { center: Vec3A::ZERO, radius: f32::INFINITY };
}

/// A part after its morph targets: what all blendings start from.
#[derive(Clone, Copy)]
pub(super) struct MorphedPart<'a> {
    pub(super) part: &'a Part,
    pub(super) weights: &'a [WeightBounds],
    /// The part's centre after its morph targets.
    pub(super) center: Vec3A,
    /// How far the morph targets move a vertex relative to the centre, at most.
    pub(super) morph_deviation: f32,
    /// What arithmetic can lose.
    pub(super) rounding: f32,
}

impl<'a> MorphedPart<'a> {
    #[inline(always)]
    fn new(pose: &Pose, lists: &'a PartLists, part: &'a Part) -> Self {
        let (mut center, mut morph_deviation) = (part.rest.center, 0.0);
        let morphs = lists.morphs(part);
        for morph in morphs {
            let weight = pose.morph_weights[morph.target as usize];
            center += morph.mean * weight;
            morph_deviation += morph.deviation * weight.abs();
        }
        morph_deviation += morph_deviation * part.slack;
        let magnitude = pose.magnitude + 2.0 * part.rest.radius * pose.growth;
        let morph_rounding = morphs.len() as f32 * f32::EPSILON;
        let rounding = magnitude * (part.slack + morph_rounding) + pose.underflow;
        Self { part, weights: lists.weights(part), center, morph_deviation, rounding }
    }
}

/// The box of a part. The blending is that of the skin. For blended rotations the pose is that of the
/// rigid joints.
#[inline(always)]
pub(super) fn part_box(
    blending: Blending,
    skin: &Skin,
    pose: &Pose,
    lists: &PartLists,
    part: &Part,
) -> PartBox {
    let morphed = MorphedPart::new(pose, lists, part);
    // One joint alone is the same in all blendings, up to the rounding of vertices.
    if blending == Blending::Linear || morphed.weights.len() == 1 {
        return linear_box(pose, morphed);
    }
    let image = match blending {
        Blending::Spherical => Some(spherical(skin, pose, morphed)),
        _ => dual_quaternion(skin, pose, morphed),
    };
    image.map_or(PartBox::INFINITE, |image: RotatedImage| image.to_box(part))
}

/// The sphere of a part, as [`part_box`].
#[inline(always)]
pub(super) fn part_sphere(
    blending: Blending,
    skin: &Skin,
    pose: &Pose,
    lists: &PartLists,
    part: &Part,
) -> PartSphere {
    let morphed = MorphedPart::new(pose, lists, part);
    if blending == Blending::Linear || morphed.weights.len() == 1 {
        return linear_sphere(pose, morphed);
    }
    let first_order = match blending {
        _ if part.constant_weights => None,
        Blending::Spherical => first_order::spherical(skin, pose, morphed),
        _ => first_order::dual_quaternion(skin, pose, morphed),
    };
    let image = match blending {
        _ if first_order.is_some() => None,
        // The formulas below are for one joint set.
        _ if part.is_node_part => None,
        Blending::Spherical => Some(spherical(skin, pose, morphed)),
        _ => dual_quaternion(skin, pose, morphed),
    };
    first_order.or_else(|| image.map(|image| image.to_sphere(part))).unwrap_or(PartSphere::INFINITE)
}
