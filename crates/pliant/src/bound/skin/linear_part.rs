//! The image of a part under linear blending.
//!
//! With joints C_i: x -> A_i x + t_i and B the blend of them by the means,
//!
//! v' - B c = sum (w_i - m_i) (C_i c - B c) + (sum w_i A_i) e,
//!
//! and the last term is B e + sum (w_i - m_i) (A_i - B) e. So along an axis v' is
//! within sum d_i |(C_i - B) c| + |B e| + r sum d_i |row of (A_i - B)| of B c, where the sum of a
//! row's magnitudes serves as its length. The last two terms are also at most r times the
//! longest row of the A_i, as the w_i are convex.
//!
//! For spheres weights have gradients, w_i - m_i = g_i e + x_i with |x_i| at most the smaller l_i, and
//!
//! v' - B c = (sum w_i A_i + sum ((C_i - B) c) g_i^T) e + sum x_i (C_i - B) c.
//!
//! The gradients add a matrix to the map of e, and the rest is small, of second order in the size of the
//! part. Both bounds hold; the smaller counts. Boxes, which are tighter to begin with, would become smaller
//! by less than a hundredth with gradients, and cost half as much again.

use glam::Vec3A;

use super::gradient_reach::{GradientSums, gradient_reach};
use super::linear_box::{PartBox, box_reach};
use super::part_image::{MorphedPart, PartSphere};
use super::pose::{Joint, Pose, length};

/// The blend of a part's joints by the mean weights.
#[inline(always)]
fn blend_by_means(pose: &Pose, morphed: MorphedPart<'_>) -> Joint {
    let mut blend = Joint::ZERO;
    if let [only] = morphed.weights {
        blend.columns = pose.joints[only.joint as usize].columns;
        return blend;
    }
    for own in morphed.weights {
        let joint = &pose.joints[own.joint as usize];
        for (sum, column) in blend.columns.iter_mut().zip(&joint.columns) {
            *sum += *column * own.mean;
        }
    }
    blend
}

/// The columns of a joint less a blend, and the image of a point under the difference.
#[inline(always)]
fn difference(joint: &Joint, blend: &Joint, point: Vec3A) -> ([Vec3A; 3], Vec3A) {
    let [dx, dy, dz, dt] = [0, 1, 2, 3].map(|k| joint.columns[k] - blend.columns[k]);
    ([dx, dy, dz], dx * point.x + dy * point.y + dz * point.z + dt)
}

/// The box of a part, whose weights have no gradients.
#[inline(always)]
pub(super) fn linear_box(pose: &Pose, morphed: MorphedPart<'_>) -> PartBox {
    let MorphedPart { part, weights, morph_deviation, rounding, .. } = morphed;
    let blend = blend_by_means(pose, morphed);
    let joints = || weights.iter().map(|own| (own, &pose.joints[own.joint as usize]));
    let growth = joints().fold(Vec3A::ZERO, |most, (_, joint)| most.max(joint.row_lengths));
    let center = blend.apply(morphed.center);
    let mut reach = box_reach(blend.apply_to_sides(part.rest.half_sides));
    let mut shift = Vec3A::ZERO;
    if !part.constant_weights {
        let mut spread = Vec3A::ZERO;
        for (own, joint) in joints() {
            let (columns, offset) = difference(joint, &blend, morphed.center);
            shift += offset.abs() * own.deviation;
            spread += box_reach(columns) * own.deviation;
        }
        reach += spread * part.rest.radius;
    }
    let most = shift + reach.min(growth * part.rest.radius);
    PartBox { center, half: most + growth * morph_deviation + Vec3A::splat(rounding) }
}

/// The sphere of a part.
#[inline(always)]
pub(super) fn linear_sphere(pose: &Pose, morphed: MorphedPart<'_>) -> PartSphere {
    let MorphedPart { part, weights, morph_deviation, rounding, .. } = morphed;
    let blend = blend_by_means(pose, morphed);
    let joints = || weights.iter().map(|own| (own, &pose.joints[own.joint as usize]));
    let growth = joints().fold(0.0_f32, |most, (_, joint)| most.max(joint.norm));
    let center = blend.apply(morphed.center);
    let mut most = growth * part.rest.radius;
    if !part.constant_weights {
        let (mut shift, mut spread) = (0.0, 0.0);
        let mut sums = GradientSums::default();
        for (own, joint) in joints() {
            let (columns, offset) = difference(joint, &blend, morphed.center);
            let length = length(offset);
            shift += length * own.deviation;
            spread += norm(columns) * own.deviation;
            sums.add(own, offset, length);
        }
        most += shift;
        let [x, y, z, _] = blend.columns;
        let radius = part.rest.radius;
        let reach = gradient_reach([x, y, z], sums.columns, growth, spread, radius);
        // `min` ignores a NaN that overflow may have caused.
        most = (reach + sums.residual_reach(reach)).min(most);
    }
    PartSphere { center, radius: most + growth * morph_deviation + rounding }
}

/// An upper bound of a matrix's norm, given its columns: the root of the sum of all squares. Entries whose
/// squares underflow are below 1e-22.
#[inline(always)]
fn norm([x, y, z]: [Vec3A; 3]) -> f32 {
    (x.dot(x) + y.dot(y) + z.dot(z)).sqrt() + 1e-21
}
