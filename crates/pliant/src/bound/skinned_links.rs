//! How far blended rotations take a vertex from where linear blending would: what bounds nodes
//! of many joint sets, without looking at each set.
//!
//! Linear blending keeps a vertex in the hull of its joints' images of it. The other blendings do not,
//! but if the rotations of each two joints that have a vertex in common differ by at most 90
//! degrees, they stay near. Let q_i be the quaternions with the signs of the
//! set, q_w their blend, w_i the weights, and D_ij = |q_i - q_j|. A half of the sum of all
//! w_i w_j x_ij is at most k = (n - 1) / 2n times the largest x_ij for n joints.
//!
//! Spherical: the vertex is at Q_w (v - o) + sum w_i C_i o, linear blending has R_i in the place of
//! Q_w. With (c_i, s_i) = q_i q_w^-1 |q_w|, and x = Q_w (v - o), R_i (v - o) =
//! x + 2 c_i s_i × x + 2 s_i × (s_i × x), where sum w_i s_i = 0. So the two differ by
//! |sum w_i (2 (c_i - 1) s_i × x + 2 s_i × (s_i × x))|. As q_w lies in the cone of the q_j, it is no
//! farther from q_i than they are: 45 degrees. Then 1 - c_i <= |s_i|^2 / 1.7 and |s_i| <= 0.7072,
//! so the difference is at most 2.84 |x| sum w_i |s_i|^2. And s_i is a part of q_i - q_w, whose
//! weighted squares sum to half the sum of w_i w_j D_ij^2. Together: 2.84 k D_ij^2 |v - o|.
//!
//! Dual quaternions: from where linear blending takes v, with p_i the joints' images of it,
//! the vertex is at Im((sum w_i p_i q_i) q_w^-1), and sum w_i p_i = 0. That sum is half the sum of
//! w_i w_j (p_i - p_j) (q_i - q_j): the difference is at most k D_ij |p_i - p_j| / |q_w|, and
//! |q_w|^2 = 1 - sum w_i |q_i - q_w|^2 >= 1 - k D_ij^2 > 0.7.

use glam::{DVec3, Vec3A};

use super::skinned_place::length;
use super::skinned_pose::Pose;
use super::skinned_rest::Rest;
use crate::deform::{Binding, Blending};
use crate::limits::F64_SLACK;
use crate::volume::round_up;

/// Two joints that move a vertex of a node together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Link {
    joints: [u32; 2],
    /// (n - 1) / 2n for the largest set of both, rounded up.
    share: f32,
    /// No vertex of both is farther from the rotation centre of its set, in any pose.
    arm: f32,
    /// A ball around the vertices of both.
    middle: Vec3A,
    radius: f32,
}

/// Two joints and the vertices, with their sets, of one set of both.
type SetOfBoth<'a> = ([u32; 2], &'a [(u32, u32)]);

/// The links of vertices, given with their sets and sorted by them.
pub(super) fn links(
    binding: &Binding,
    positions: &[DVec3],
    vertices: &[(u32, u32)],
    fit: fn(&[DVec3]) -> Rest,
) -> Vec<Link> {
    // Of each two joints the sets, by the run of their vertices.
    let mut found: Vec<SetOfBoth<'_>> = Vec::new();
    for own in vertices.chunk_by(|a, b| a.0 == b.0) {
        let joints = binding.sets.joints(own[0].0);
        for (at, &first) in joints.iter().enumerate() {
            found.extend(joints[at + 1..].iter().map(|&second| ([first, second], own)));
        }
    }
    found.sort_by_key(|link| link.0);
    let link = |sets: &[SetOfBoth<'_>]| {
        let mut points = Vec::new();
        let (mut most, mut arm) = (2, 0_f64);
        for (_, own) in sets {
            let set = own[0].0;
            most = most.max(binding.sets.joints(set).len());
            for &(_, vertex) in *own {
                let point = positions[vertex as usize];
                points.push(point);
                let from = binding.sets.anchor_of(set);
                arm = arm.max(point.distance(from) + binding.sets.reach(set));
            }
        }
        let Rest { center, radius, .. } = fit(&points);
        let share = round_up((most - 1) as f64 / (2 * most) as f64);
        let arm = round_up(arm * (1.0 + F64_SLACK));
        Link { joints: sets[0].0, share, arm, middle: center, radius }
    };
    found.chunk_by(|a, b| a.0 == b.0).map(link).collect()
}

/// How far vertices are from where linear blending takes them, at the most; `None` where two linked
/// joints are turned against one another by more than 90 degrees.
///
/// In `f32` a product of quaternions errs by less than 1e-6; the signs of a set's joints
/// are those of positive products, since all of them are within 45 degrees of the pivot. Images
/// and their differences err by less than 24um, of which less than a half counts: what a part's
/// slack has to spare.
pub(super) fn stray(blending: Blending, pose: &Pose, links: &[Link]) -> Option<f32> {
    let mut most = 0_f32;
    for link in links {
        let [first, second] = link.joints.map(|joint| &pose.joints[joint as usize]);
        let product = first.rotation.dot(second.rotation).abs();
        if product < 0.7072 {
            return None;
        }
        let square = (2.0 - 2.0 * product).max(0.0) + 4e-6;
        let stray = if blending == Blending::Spherical {
            2.85 * link.share * square * link.arm
        } else {
            // Rotations differ by twice the sine of twice the half angle: at most 2 D.
            let chord = square.sqrt();
            let apart = length(first.apply(link.middle) - second.apply(link.middle));
            // |q_w| is at least sqrt(0.7).
            1.2 * link.share * chord * (apart + 2.0 * chord * link.radius)
        };
        most = most.max(stray);
    }
    Some(most * (1.0 + 1e-5))
}
