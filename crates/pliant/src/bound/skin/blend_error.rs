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
//! Q_w. With (c_i, s_i) = q_i q_w^-1 |q_w|, and y = Q_w x for any x, R_i x =
//! y + 2 c_i s_i × y + 2 s_i × (s_i × y), where sum w_i s_i = 0. So Q_w x and sum w_i R_i x differ by
//! |sum w_i (2 (c_i - 1) s_i × y + 2 s_i × (s_i × y))|. As q_w lies in the cone of the q_j, it is no
//! farther from q_i than they are: 45 degrees. Then 1 - c_i <= |s_i|^2 / 1.7 and |s_i| <= 0.7072,
//! so the difference is at most 2.84 sum w_i |s_i| |s_i × y|, and so 2.84 |x| sum w_i |s_i|^2. And s_i is
//! a part of q_i - q_w, whose weighted squares sum to half the sum of w_i w_j D_ij^2. With
//! x = v - o, of which no pose makes more than an `arm`: 2.84 k D_ij^2 |v - o|.
//!
//! Where a set is looked at alone, o is better known. It is a + x, a the set's anchor, and x makes the
//! joints' images of o come together as far as it can, by least squares, or goes a part of that way.
//! With A the linear map from x to all (R_i - R) x, R the mean of R_i, and p the images of a, less their
//! mean, x solves (A^T A + d) x = -A^T p: so |A x|^2 <= -p A x <= |p| |A x|, and |A x| <= |p|. Both are
//! also sums over pairs: the sum of all |(R_i - R_j) x|^2, and so each of them, is at most M^2, the sum
//! of all |p_i - p_j|^2. Let u_i = R_i x - Q_w x; its length is 2 |s_i × y|. It is within M of
//! the weighted mean u, the difference in question, and by the above |u| <= 1.42 sum w_i |s_i| |u_i| <=
//! 1.42 z (|u| + M), where z, the mean of |s_i|, is at most the root of that of squares, and so that of
//! S, the sum of w_i w_j D_ij^2 over all pairs: |u| <= 1.42 z M / (1 - 1.42 z), and z < 0.55. With
//! 2.84 S |v - a| for the rest of the way this is how far v strays. S is at most the same sum with the
//! largest w_i w_j of each pair, and k times the largest D_ij^2. (The computed x is off by less than 1e-9 of
//! the magnitudes, as the damping leaves no small pivots: nothing beside 24um, below.)
//!
//! Dual quaternions: from where linear blending takes v, with p_i the joints' images of it,
//! the vertex is at Im((sum w_i p_i q_i) q_w^-1), and sum w_i p_i = 0. That sum is half the sum of
//! w_i w_j (p_i - p_j) (q_i - q_j): the difference is at most k D_ij |p_i - p_j| / |q_w|, and
//! |q_w|^2 = 1 - sum w_i |q_i - q_w|^2 >= 1 - k D_ij^2 > 0.7.
//!
//! The signs of a set's joints are those of positive products, since all of them are within 45
//! degrees of the pivot. In `f32` images and their differences err by less than 24um. Of dual
//! quaternions less than a half of it counts: what a part's slack has to spare. M of spherical blending has
//! such an error for each pair, as a length less than 64um, and room for it is added. Images by the joints as they were given
//! are off by what the pose has for their skew; their differences by twice that, of which less than
//! a half counts.

use glam::{DVec3, Vec3A};

use super::skinned_pose::{Joint, Pose};
use super::skinned_rest::Rest;
use crate::deform::{Binding, Blending, Skin};
use crate::limits::F64_SLACK;
use crate::volume::round_up;

/// Each two joints of a skin that have a vertex in common, in ascending order.
///
/// How far they are turned against one another is computed once a pose: the topmost node asks for all of
/// them, and many others for some.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct JointPairs(Vec<[u32; 2]>);

impl JointPairs {
    pub(super) fn new(binding: &Binding) -> Self {
        let mut pairs = Vec::new();
        for set in 0..binding.joint_sets() as u32 {
            let joints = binding.sets.joints(set);
            for (at, &first) in joints.iter().enumerate() {
                pairs.extend(joints[at + 1..].iter().map(|&second| [first, second]));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    fn find(&self, joints: [u32; 2]) -> u32 {
        self.0.partition_point(|&pair| pair < joints) as u32
    }

    /// How far the joints of each pair are [`turned`] in a pose.
    pub(super) fn measure(&self, joints: &[Joint], turns: &mut Vec<f32>) {
        turns.clear();
        let of = |joint: u32| &joints[joint as usize];
        turns.extend(self.0.iter().map(|&[first, second]| turned(of(first), of(second))));
    }
}

/// Two joints that move a vertex of a node together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Link {
    joints: [u32; 2],
    /// The number of these two.
    pair: u32,
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
    pairs: &JointPairs,
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
        let joints = sets[0].0;
        Link { joints, pair: pairs.find(joints), share, arm, middle: center, radius }
    };
    found.chunk_by(|a, b| a.0 == b.0).map(link).collect()
}

/// How far vertices are from where linear blending of the rigid joints takes them, at the most; `None`
/// where two linked joints are turned against one another by more than 90 degrees.
pub(super) fn stray(skin: &Skin, pose: &Pose, links: &[Link]) -> Option<f32> {
    let mut most = 0_f32;
    let spherical = skin.blending() == Blending::Spherical;
    // The topmost nodes are asked for in every pose, and are large.
    let skew = Skew::new(pose, skin.skew());
    for link in links {
        let square = chord_squared(pose.turns[link.pair as usize], skew.of_trace)?;
        let stray = if spherical {
            2.85 * link.share * square * link.arm
        } else {
            let [first, second] = link.joints.map(|joint| &pose.joints[joint as usize]);
            // Rotations differ by twice the sine of twice the half angle: at most 2 D.
            // |q_w| is at least sqrt(0.7).
            let apart = apart_squared(first, second, link.middle);
            1.2 * link.share * ((square * apart).sqrt() + 2.0 * square * link.radius)
        };
        most = most.max(stray);
    }
    Some(most * (1.0 + 1e-5) + skew.of_images)
}

/// What is known of the vertices of one joint set in a node, for [`stray_of_set`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bend {
    /// The set's anchor for spherical blending, else the middle of the vertices.
    point: Vec3A,
    /// No vertex is farther from it.
    reach: f32,
    /// (n - 1) / 2n for n joints, rounded up.
    share: f32,
    ties: [u32; 2],
}

/// Two joints of a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tie {
    joints: [u32; 2],
    /// The number of these two.
    pair: u32,
    /// The largest product of their weights in a vertex, rounded up.
    product: f32,
}

impl Bend {
    /// Of the vertices of one set, of at least two joints; its pairs of joints are added to `ties`.
    pub(super) fn new(
        binding: &Binding,
        pairs: &JointPairs,
        blending: Blending,
        positions: &[DVec3],
        rest: &Rest,
        vertices: &[(u32, u32)],
        ties: &mut Vec<Tie>,
    ) -> Self {
        let set = vertices[0].0;
        let joints = binding.sets.joints(set);
        let start = ties.len() as u32;
        for (at, &first) in joints.iter().enumerate() {
            for &second in &joints[at + 1..] {
                let product = |&(_, vertex): &(u32, u32)| {
                    let weight = |joint: u32| {
                        let own = binding.weights.of(vertex as usize).iter();
                        own.filter(|own| own.joint == joint).map(|own| own.weight).sum::<f64>()
                    };
                    weight(first) * weight(second)
                };
                let product = vertices.iter().map(product).fold(0.0, f64::max);
                let product = round_up(product * (1.0 + 1e-9));
                let joints = [first, second];
                ties.push(Tie { joints, pair: pairs.find(joints), product });
            }
        }
        let share = round_up((joints.len() - 1) as f64 / (2 * joints.len()) as f64);
        let ties = [start, ties.len() as u32];
        if blending != Blending::Spherical {
            return Self { point: rest.center, reach: rest.radius, share, ties };
        }
        let anchor = binding.sets.anchor_of(set);
        let far = vertices.iter().map(|&(_, vertex)| positions[vertex as usize].distance(anchor));
        let reach = round_up(far.fold(0.0, f64::max) * (1.0 + F64_SLACK));
        Self { point: anchor.as_vec3a(), reach, share, ties }
    }
}

impl Bend {
    /// The same where so many ties stand before its list.
    pub(super) fn after(self, before: u32) -> Self {
        Self { ties: self.ties.map(|tie| before + tie), ..self }
    }
}

/// As [`stray`], of the vertices of one set.
#[inline(always)]
pub(super) fn stray_of_set(
    blending: Blending,
    pose: &Pose,
    skew: Skew,
    bend: &Bend,
    ties: &[Tie],
) -> Option<f32> {
    let Bend { point, reach, share, ties: [from, to] } = *bend;
    let ties = &ties[from as usize..to as usize];
    let (mut sum, mut most, mut spread) = (0_f32, 0_f32, 0_f32);
    for tie in ties {
        let [first, second] = tie.joints.map(|joint| &pose.joints[joint as usize]);
        let square = chord_squared(pose.turns[tie.pair as usize], skew.of_trace)?;
        let apart = apart_squared(first, second, point);
        let term = if blending == Blending::Spherical {
            spread += apart;
            square
        } else {
            (square * apart).sqrt() + 2.0 * square * reach
        };
        sum += tie.product * term;
        most = most.max(term);
    }
    let sum = sum.min(share * most);
    let stray = if blending == Blending::Spherical {
        let sines = 1.43 * sum.sqrt();
        let rounding = 32.0 * f32::EPSILON * (pose.magnitude + reach * pose.growth);
        let spread = spread.sqrt() + ties.len() as f32 * (skew.of_images + rounding);
        // A sum of squares that overflowed says nothing, whatever it is multiplied with.
        let center = if spread < f32::INFINITY { sines / (1.0 - sines) * spread } else { spread };
        2.85 * sum * reach + center
    } else {
        1.2 * sum
    };
    Some(stray * (1.0 + 1e-5) + skew.of_images)
}

/// What the skew of a pose's joints can bring about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Skew {
    /// How far the trace of [`chord_squared`] may be off.
    of_trace: f32,
    /// How far two images of a point may be off together, and by how much more
    /// roots of squares may be that vanished: they are below 1e-22.
    pub(super) of_images: f32,
}

impl Skew {
    #[inline]
    pub(super) fn new(pose: &Pose, skew: f32) -> Self {
        Self { of_trace: 56.0 * skew + 2e-6, of_images: 2.0 * skew * pose.off_by_skew + 1e-21 }
    }
}

/// At least the square of the distance of two joints' quaternions, of signs such that it is small;
/// `None` if their rotations may differ by more than 90 degrees.
///
/// The trace of R_i^T R_j is 4 (q_i q_j)^2 - 1, and that of M_i^T M_j is the sum of nine
/// products of entries. As the matrices M of the given joints are within 9 times the skew of the
/// rotations R, the two differ by less than 56 times the skew, and `f32` adds less than
/// 2e-6: products that sum to 3 at the most, each sum rounded five times.
///
/// With e = 1 - (q_i q_j)^2 the square is 2 - 2 sqrt(1 - e) = e (1 + e / 4 + e^2 / 8 + ..), whose
/// terms are all positive. Up to e = 0.5, where it is 0.5858, what follows e / 4 is thus at most 0.19 e^2.
#[inline(always)]
fn chord_squared(turned: f32, loss: f32) -> Option<f32> {
    let e = turned + 0.25 * loss;
    // Below a half by more than rounding can be; and what is no number is not below.
    (e < 0.4999).then(|| e.max(0.0) * (1.0 + e * (0.25 + 0.19 * e)) + 1e-6)
}

/// The e of [`chord_squared`], but for rounding and skew.
#[inline(always)]
fn turned(first: &Joint, second: &Joint) -> f32 {
    let [a, b] = [&first.columns, &second.columns];
    let products = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    (3.0 - products.element_sum()) * 0.25
}

/// The square of how far two joints' images of a point are apart.
#[inline(always)]
fn apart_squared(first: &Joint, second: &Joint, point: Vec3A) -> f32 {
    let [x, y, z, t] = [0, 1, 2, 3].map(|k| first.columns[k] - second.columns[k]);
    (x * point.x + y * point.y + z * point.z + t).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, Vec4};

    #[test]
    fn chords_are_not_too_short() {
        let joint = |turn: DQuat| {
            let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| (turn * axis).as_vec3a());
            let columns = [x, y, z, Vec3A::ZERO];
            Joint { columns, rows: Vec3A::ONE, rotation: Vec4::W, norm: 1.0 }
        };
        for step in 0..2000 {
            let angle = f64::from(step) * 1e-3;
            let first = DQuat::from_rotation_x(0.3 * f64::from(step));
            let second = first * DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
            let chord = 2.0 - 2.0 * (angle / 2.0).cos();
            match chord_squared(turned(&joint(first), &joint(second)), 2e-6) {
                Some(found) => {
                    let found = f64::from(found);
                    assert!(
                        found >= chord && found < chord * 1.004 + 3e-6,
                        "{angle}: {found} {chord}"
                    );
                    assert!(angle < std::f64::consts::FRAC_PI_2);
                }
                None => assert!(angle > 1.57, "{angle}"),
            }
        }
    }
}
