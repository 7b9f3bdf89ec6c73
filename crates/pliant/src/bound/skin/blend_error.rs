//! The blend error: how far blended rotations take a vertex from where linear blending would take it.
//!
//! Linear blending keeps a vertex in the hull of its joints' images of it. The other blendings do not,
//! but they stay near if the rotations of each two joints that have a vertex in common differ by at most
//! 90 degrees. A bound of linear blending, enlarged by the blend error, then holds for them. Let q_i be the
//! quaternions with the signs of the set, q_w their blend, w_i the weights, and D_ij = |q_i - q_j|. Half the
//! sum of all w_i w_j x_ij is at most k = (n - 1) / 2n times the largest x_ij for n joints.
//!
//! # Spherical blending
//! The vertex is at Q_w (v - o) + sum w_i C_i o. Linear blending has R_i in place of
//! Q_w. With (c_i, s_i) = q_i q_w^-1 |q_w|, and y = Q_w x for any x, R_i x =
//! y + 2 c_i s_i × y + 2 s_i × (s_i × y), where sum w_i s_i = 0. So Q_w x and sum w_i R_i x differ by
//! |sum w_i (2 (c_i - 1) s_i × y + 2 s_i × (s_i × y))|. As q_w lies in the cone of the q_j, it is no
//! farther from q_i than they are: 45 degrees. Then 1 - c_i <= |s_i|^2 / 1.7 and |s_i| <= 0.7072,
//! so the difference is at most 2.84 sum w_i |s_i| |s_i × y|, and so 2.84 |x| sum w_i |s_i|^2. And s_i is
//! a component of q_i - q_w, whose weighted squares sum to half the sum of w_i w_j D_ij^2. With
//! x = v - o, whose length is at most `arm` in every pose: 2.84 k D_ij^2 |v - o|.
//!
//! For a single set more is known of o. It is a + x, where a is the set's anchor, and x brings the
//! joints' images of o together by least squares, or goes a part of that way.
//! With A the linear map from x to all (R_i - R) x, R the mean of R_i, and p the images of a, less their
//! mean, x solves (A^T A + d) x = -A^T p. So |A x|^2 <= -p A x <= |p| |A x|, and |A x| <= |p|. Both are
//! also sums over pairs: the sum of all |(R_i - R_j) x|^2, and so each of them, is at most M^2, the sum
//! of all |p_i - p_j|^2. Let u_i = R_i x - Q_w x; its length is 2 |s_i × y|. It is within M of
//! the weighted mean u, the difference in question, and by the above |u| <= 1.42 sum w_i |s_i| |u_i| <=
//! 1.42 z (|u| + M), where z, the mean of |s_i|, is at most the root of the mean of squares, and so that of
//! S, the sum of w_i w_j D_ij^2 over all pairs: |u| <= 1.42 z M / (1 - 1.42 z), and z < 0.55. With
//! 2.84 S |v - a| for the remaining way this bounds the blend error of v. S is at most the same sum with the
//! largest w_i w_j of each pair, and at most k times the largest D_ij^2. (The computed x errs by less than
//! 1e-9 of the magnitudes, as the damping leaves no small pivots. That is negligible beside 24um, below.)
//!
//! # Dual quaternions
//! Seen from where linear blending takes v, with p_i the joints' images of it,
//! the vertex is at Im((sum w_i p_i q_i) q_w^-1), and sum w_i p_i = 0. That sum is half the sum of
//! w_i w_j (p_i - p_j) (q_i - q_j), so the error is at most k D_ij |p_i - p_j| / |q_w|, and
//! |q_w|^2 = 1 - sum w_i |q_i - q_w|^2 >= 1 - k D_ij^2 > 0.7.
//!
//! # Signs and rounding
//! The signs of a set's joints are those of positive products, since all of them are within 45
//! degrees of the pivot. In `f32` images and their differences err by less than 24um, with u = 2^-24 and m the
//! magnitude. For dual quaternions less than half of that counts, which a part's slack covers. M of
//! spherical blending has such an error for each pair, as a length less than 64um, and room for it is added.
//! Images under the joints as they were given are off by [`SkewErrors::images`]; their differences by twice
//! that, of which less than half counts.

use glam::{DVec3, Vec3A};

use super::joint_pairs::{JointPairs, SkewErrors, chord_squared, image_distance_squared, pairs_of};
use super::parts::Span;
use super::pose::Pose;
use super::rest_shape::RestShape;
use crate::deform::{Binding, Blending, Skin};
use crate::numeric::F64_SLACK;
use crate::volume::round_up;

/// The k of n joints: (n - 1) / 2n, rounded up.
fn mixing_limit(joints: usize) -> f32 {
    round_up((joints - 1) as f64 / (2 * joints) as f64)
}

/// Two joints that have vertices of a node in common, for [`node_blend_error`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NodePair {
    joints: [u32; 2],
    /// The number of this joint pair.
    number: u32,
    /// k of the largest set that has both joints.
    mixing_limit: f32,
    /// No vertex of both is farther from the rotation centre of its set, in any pose.
    arm: f32,
    /// A ball around the vertices of both.
    center: Vec3A,
    radius: f32,
}

/// A joint pair, and the vertices of one set that has both, each with its set.
type PairInSet<'a> = ([u32; 2], &'a [(u32, u32)]);

/// The joint pairs of vertices, which are given with their sets and sorted by them.
pub(super) fn node_pairs(
    binding: &Binding,
    numbers: &JointPairs,
    positions: &[DVec3],
    vertices: &[(u32, u32)],
    fit: fn(&[DVec3]) -> RestShape,
) -> Vec<NodePair> {
    let sets = &binding.sets;
    let mut found: Vec<PairInSet<'_>> = Vec::new();
    for own in vertices.chunk_by(|a, b| a.0 == b.0) {
        found.extend(pairs_of(sets.joints(own[0].0)).map(|pair| (pair, own)));
    }
    found.sort_by_key(|found| found.0);
    let node_pair = |own: &[PairInSet<'_>]| {
        let mut points = Vec::new();
        let (mut most, mut arm) = (2, 0_f64);
        for (_, vertices) in own {
            let set = vertices[0].0;
            most = most.max(sets.joints(set).len());
            for &(_, vertex) in *vertices {
                let point = positions[vertex as usize];
                points.push(point);
                arm = arm.max(point.distance(sets.anchor(set)) + sets.reach(set));
            }
        }
        let RestShape { center, radius, .. } = fit(&points);
        let joints = own[0].0;
        NodePair {
            joints,
            number: numbers.number(joints),
            mixing_limit: mixing_limit(most),
            arm: round_up(arm * (1.0 + F64_SLACK)),
            center,
            radius,
        }
    };
    found.chunk_by(|a, b| a.0 == b.0).map(node_pair).collect()
}

/// The largest blend error of a node's vertices; `None` if two of its joints are turned against one
/// another by more than 90 degrees.
pub(super) fn node_blend_error(skin: &Skin, pose: &Pose, pairs: &[NodePair]) -> Option<f32> {
    let mut most = 0_f32;
    let spherical = skin.blending() == Blending::Spherical;
    // The quick skew, because the topmost nodes are asked for in every pose, and are large.
    let skew = SkewErrors::new(pose, skin.quick_skew());
    for pair in pairs {
        let square = chord_squared(pose, pair.number, skew)?;
        let error = if spherical {
            2.85 * pair.mixing_limit * square * pair.arm
        } else {
            // Rotations differ by twice the sine of twice the half angle: at most 2 D.
            // |q_w| is at least sqrt(0.7).
            let apart = image_distance_squared(pose, pair.joints, pair.center);
            1.2 * pair.mixing_limit * ((square * apart).sqrt() + 2.0 * square * pair.radius)
        };
        most = most.max(error);
    }
    Some(most * (1.0 + 1e-5) + skew.images)
}

/// The vertices of one joint set in a node, for [`set_blend_error`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SetVertices {
    /// The set's anchor for spherical blending, else the centre of the vertices.
    point: Vec3A,
    /// No vertex is farther from it.
    reach: f32,
    /// k of the set's joints.
    mixing_limit: f32,
    pairs: Span,
}

/// Two joints of a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SetPair {
    joints: [u32; 2],
    /// The number of this joint pair.
    number: u32,
    /// The largest product of the two weights in a vertex, rounded up.
    product: f32,
}

/// The joint pairs of the set of some vertices, which all have the same set, of at least two joints.
pub(super) fn set_pairs(
    binding: &Binding,
    numbers: &JointPairs,
    vertices: &[(u32, u32)],
) -> Vec<SetPair> {
    let pair = |joints: [u32; 2]| {
        let product = |&(_, vertex): &(u32, u32)| {
            let weight = |joint: u32| {
                let own = binding.weights.of(vertex as usize).iter();
                own.filter(|own| own.joint == joint).map(|own| own.weight).sum::<f64>()
            };
            weight(joints[0]) * weight(joints[1])
        };
        let product = vertices.iter().map(product).fold(0.0, f64::max);
        let product = round_up(product * (1.0 + 1e-9));
        SetPair { joints, number: numbers.number(joints), product }
    };
    pairs_of(binding.sets.joints(vertices[0].0)).map(pair).collect()
}

impl SetVertices {
    /// Of vertices that all have the same set, of at least two joints. The set's joint pairs are added
    /// later.
    pub(super) fn new(
        binding: &Binding,
        blending: Blending,
        positions: &[DVec3],
        rest: &RestShape,
        vertices: &[(u32, u32)],
    ) -> Self {
        let set = vertices[0].0;
        let pairs = Span::default();
        let mixing_limit = mixing_limit(binding.sets.joints(set).len());
        if blending != Blending::Spherical {
            return Self { point: rest.center, reach: rest.radius, mixing_limit, pairs };
        }
        let anchor = binding.sets.anchor(set);
        let far = vertices.iter().map(|&(_, vertex)| positions[vertex as usize].distance(anchor));
        let reach = round_up(far.fold(0.0, f64::max) * (1.0 + F64_SLACK));
        Self { point: anchor.as_vec3a(), reach, mixing_limit, pairs }
    }

    /// The same with these joint pairs.
    pub(super) fn with_pairs(self, pairs: Span) -> Self {
        Self { pairs, ..self }
    }
}

/// The largest blend error of the vertices of one joint set; `None` if two of its joints are turned
/// against one another by more than 90 degrees.
#[inline(always)]
pub(super) fn set_blend_error(
    blending: Blending,
    pose: &Pose,
    skew: SkewErrors,
    vertices: &SetVertices,
    pairs: &[SetPair],
) -> Option<f32> {
    let SetVertices { point, reach, mixing_limit, pairs: own } = *vertices;
    let pairs = own.of(pairs);
    let (mut sum, mut most, mut spread) = (0_f32, 0_f32, 0_f32);
    for pair in pairs {
        let square = chord_squared(pose, pair.number, skew)?;
        let apart = image_distance_squared(pose, pair.joints, point);
        let term = if blending == Blending::Spherical {
            spread += apart;
            square
        } else {
            (square * apart).sqrt() + 2.0 * square * reach
        };
        sum += pair.product * term;
        most = most.max(term);
    }
    let sum = sum.min(mixing_limit * most);
    let error = if blending == Blending::Spherical {
        let sines = 1.43 * sum.sqrt();
        let rounding = 32.0 * f32::EPSILON * (pose.magnitude + reach * pose.growth);
        let spread = spread.sqrt() + pairs.len() as f32 * (skew.images + rounding);
        // If the sum of squares overflowed, the result must be infinite, not NaN.
        let center = if spread < f32::INFINITY { sines / (1.0 - sines) * spread } else { spread };
        2.85 * sum * reach + center
    } else {
        1.2 * sum
    };
    Some(error * (1.0 + 1e-5) + skew.images)
}
