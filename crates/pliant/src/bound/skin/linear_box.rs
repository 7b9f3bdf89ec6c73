//! Boxes under linear blending, in short loops: what most bounds of a skin are made of.
//!
//! The formula is that of [`linear_part`](super::linear_part) for parts without gradients and morph
//! targets, with one joint C_p of each part, its pivot, subtracted from all others. With D_i = C_i - C_p,
//! and since weights sum to 1,
//!
//! v' = C_p v + sum w_i D_i v = B v + sum (w_i - m_i) D_i v, where B = C_p + sum m_i D_i.
//!
//! So along an axis v' is within sum d_i |D_i c| + |B e| + r sum d_i |row of D_i| of B c, and the last two
//! terms are also at most r times the longest row. The sums have no term for the pivot. For two joints,
//! the usual case, that is half the work for the same bound; for more joints it is a little looser. The
//! joint whose weight varies most is the pivot.
//!
//! Rounding, in the terms of [`part_image`](super::part_image): D_i errs by 4um, as an image by 20um,
//! of which the sum of all m_i, at most 1, enters into the centre's image, and D into the offset: (n + 28)um
//! and D (n + 24)um. B errs by (n + 8)um, and so do its images of the half sides; with the final sums
//! (n + 28)um. Rounded means leave weights off by nu: 2num. Together less than
//! (4n + 56 + D (2n + 48))um, which is less than a part's slack.

use glam::Vec3A;

use super::parts::{PartDraft, Span};
use super::pose::Pose;
use super::rest_shape::RestShape;
use super::weight_bounds::WeightBounds;
use crate::volume::Aabb;

/// Vertices of a node that one joint moves alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RigidPart {
    pub(super) rest: RestShape,
    pub(super) joint: u32,
}

/// All vertices of a node that a joint moves, by any weight, in an axis-aligned box. It is looser than an
/// oriented box, and costs half as much. It is for nodes with many joints, where few of the boxes touch
/// the one around all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct JointBox {
    center: Vec3A,
    half: Vec3A,
    radius: f32,
    joint: u32,
}

impl JointBox {
    /// Of an axis-aligned rest shape.
    pub(super) fn new(RestShape { center, half_sides, radius }: RestShape, joint: u32) -> Self {
        let half = Vec3A::new(half_sides[0].x, half_sides[1].y, half_sides[2].z);
        Self { center, half, radius, joint }
    }
}

/// Vertices of a node that the same joints move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BlendedPart {
    rest: RestShape,
    slack: f32,
    pivot: u32,
    weights: Span,
}

/// The weight of a joint other than the pivot: within `deviation` of `mean`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PivotedWeight {
    joint: u32,
    mean: f32,
    deviation: f32,
}

impl BlendedPart {
    /// Of a part without gradients. The weights of all joints but the pivot are added to `list`.
    pub(super) fn new(draft: &PartDraft, list: &mut Vec<PivotedWeight>) -> Self {
        let most = draft.weights.iter().max_by(|a, b| a.deviation.total_cmp(&b.deviation));
        let pivot = most.map_or(0, |own| own.joint);
        let others = draft.weights.iter().filter(|own| own.joint != pivot);
        let others = others.map(|&WeightBounds { joint, mean, deviation, .. }| PivotedWeight {
            joint,
            mean,
            deviation,
        });
        let weights = Span::append(list, others);
        Self { rest: draft.rest, slack: draft.slack(), pivot, weights }
    }
}

/// A box in a pose, by its centre.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartBox {
    pub(super) center: Vec3A,
    pub(super) half: Vec3A,
}

impl PartBox {
    /// Contains everything.
    pub(super) const INFINITE: Self = Self { center: Vec3A::ZERO, half: Vec3A::INFINITY };

    #[inline(always)]
    pub(super) fn to_aabb(self) -> Aabb {
        Aabb { min: self.center - self.half, max: self.center + self.half }
    }
}

/// The box around boxes.
#[inline(always)]
pub(super) fn around(boxes: impl Iterator<Item = PartBox>) -> Aabb {
    boxes.fold(Aabb::EMPTY, |all, own| all.merge(&own.to_aabb()))
}

/// How far a box reaches from its centre along each axis, given its half sides.
#[inline(always)]
pub(super) fn box_reach([x, y, z]: [Vec3A; 3]) -> Vec3A {
    x.abs() + y.abs() + z.abs()
}

/// An oriented box that holds vertices in a pose, and room around it. Along each axis they are within
/// min(reach of the half sides + `spread`, `limit`) + `offset` of the centre.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrientedImage {
    pub(super) center: Vec3A,
    pub(super) half_sides: [Vec3A; 3],
    spread: Vec3A,
    limit: Vec3A,
    offset: Vec3A,
}

impl OrientedImage {
    /// Along each axis each vertex is within this of some point of the oriented box.
    #[inline(always)]
    pub(super) fn room(&self) -> Vec3A {
        self.spread + self.offset
    }

    #[inline(always)]
    pub(super) fn to_box(self) -> PartBox {
        let half = (box_reach(self.half_sides) + self.spread).min(self.limit) + self.offset;
        PartBox { center: self.center, half }
    }
}

/// The slack of a part with one joint, as a fraction of the magnitudes.
pub(super) const SLACK_OF_ONE: f32 = 34.0 * 2.0 * f32::EPSILON;

/// The images of rigid parts, each enlarged by a blend error.
#[inline(always)]
pub(super) fn rigid_images(
    pose: &Pose,
) -> impl Fn(&RigidPart, f32) -> OrientedImage + Copy + use<'_> {
    let (joints, per_radius) = (&*pose.joints, 2.0 * pose.growth * SLACK_OF_ONE);
    let rounding = pose.magnitude * SLACK_OF_ONE + pose.underflow;
    move |&RigidPart { rest: RestShape { center, half_sides, radius }, joint }, blend_error| {
        let joint = &joints[joint as usize];
        OrientedImage {
            center: joint.apply(center),
            half_sides: joint.apply_to_sides(half_sides),
            spread: Vec3A::ZERO,
            limit: joint.row_lengths * radius,
            offset: Vec3A::splat(radius * per_radius + (rounding + blend_error)),
        }
    }
}

/// The images of joint boxes, each enlarged by a blend error.
#[inline(always)]
pub(super) fn joint_box_images(pose: &Pose) -> impl Fn(&JointBox, f32) -> PartBox + Copy + use<'_> {
    let (joints, per_radius) = (&*pose.joints, 2.0 * pose.growth * SLACK_OF_ONE);
    let rounding = pose.magnitude * SLACK_OF_ONE + pose.underflow;
    move |&JointBox { center, half, radius, joint }, blend_error| {
        let joint = &joints[joint as usize];
        let [x, y, z, _] = joint.columns;
        let reach = x.abs() * half.x + y.abs() * half.y + z.abs() * half.z;
        let reach = reach.min(joint.row_lengths * radius);
        let half = reach + Vec3A::splat(radius * per_radius + (rounding + blend_error));
        PartBox { center: joint.apply(center), half }
    }
}

/// The images of blended parts, each enlarged by a blend error.
#[inline(always)]
pub(super) fn blended_images<'a>(
    pose: &'a Pose,
    weights: &'a [PivotedWeight],
) -> impl Fn(&BlendedPart, f32) -> OrientedImage + Copy + use<'a> {
    let joints = &*pose.joints;
    let (magnitude, growth, underflow) = (pose.magnitude, 2.0 * pose.growth, pose.underflow);
    move |part, blend_error| {
        let &BlendedPart { rest, slack, pivot, weights: own } = part;
        let RestShape { center, half_sides, radius } = rest;
        let pivot = &joints[pivot as usize];
        let mut blend = *pivot;
        let mut longest_rows = pivot.row_lengths;
        let (mut offset, mut spread) = (Vec3A::ZERO, Vec3A::ZERO);
        for &PivotedWeight { joint, mean, deviation } in own.of(weights) {
            let joint = &joints[joint as usize];
            let [dx, dy, dz, dt] = [0, 1, 2, 3].map(|k| joint.columns[k] - pivot.columns[k]);
            for (sum, part) in blend.columns.iter_mut().zip([dx, dy, dz, dt]) {
                *sum += part * mean;
            }
            offset += (dx * center.x + dy * center.y + dz * center.z + dt).abs() * deviation;
            // The sum of a row's magnitudes is at least its length.
            spread += (dx.abs() + dy.abs() + dz.abs()) * deviation;
            longest_rows = longest_rows.max(joint.row_lengths);
        }
        let rounding = (magnitude + radius * growth) * slack + (underflow + blend_error);
        OrientedImage {
            center: blend.apply(center),
            half_sides: blend.apply_to_sides(half_sides),
            spread: spread * radius,
            limit: longest_rows * radius,
            offset: offset + Vec3A::splat(rounding),
        }
    }
}
