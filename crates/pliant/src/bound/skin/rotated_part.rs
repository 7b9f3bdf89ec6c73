//! Where a part of a node is in a pose: the formulas behind the bounds of a skin.
//!
//! A part has a middle c and vertices c + e, with e in an oriented box and in a ball of
//! radius r, and with weights w_i that sum to 1 and lie within d_i of means m_i that do, too.
//! (The mean sums to 1, so the differences w_i - m_i sum to 0: from each sum of
//! differences times things x_i a common thing may be taken off every x_i. This is why no
//! corner of the polytope of weights is needed: the largest value of a linear function
//! over it is the sum of d_i |x_i - x| with the right x, and not less with any other.)
//!
//! Everything is in `f32`. With u = 2^-24, n joints and D the sum of all d_i, and m a bound
//! on the magnitude of every coordinate on the way:
//! - A joint's image of a point errs by 6um, a blend of matrices by (n + 2)u of the entries, and so
//!   the middle's image by (n + 8)um.
//! - A difference of a joint and the blend, applied to the middle, errs by (2n + 20)um, of
//!   which D times as much enters; so does its norm times r.
//! - Rounded means leave weights and their sum off by nu: 2num.
//! - Columns of the box, their images, and the final sums: (n + 20)um.
//! - Slopes g_i of weights, with G the sum of r |g_i| (here of sums of magnitudes): a difference that
//!   errs by (2n + 20)um along an axis, and is at most 2m, is multiplied with g_i e, at most r |g_i|, and
//!   summed over n joints; and means that leave room for slopes sum to 1 up to nuG: all in all
//!   G (5n + 22)um. What bounds the bent part errs by less than 200u of its radius, which is
//!   a part of m.
//!
//! Together less than (4n + 48 + D (4n + 40) + G (5n + 22))um along an axis, and as a length, which
//! a sphere asks for, sqrt(3) times that. A part's `slack` is four times
//! (2n + 32 + D (4n + 40) + G (3n + 12))u, which is more. The vertices' own rounding, in
//! `f64`, is nothing beside it. Numbers below the normal range err by 2^-149 each, times the largest factor:
//! `underflow` covers a thousand of them.

use glam::{Mat3A, Quat, Vec3A, Vec4};

use super::skinned_parts::{Morph, Part, Share};
use super::skinned_pose::{Joint, Pose};
use super::skinned_rest::Rest;
use super::skinned_turned;
use crate::deform::{Blending, Skin};
use crate::limits::MIN_BLENDED_LENGTH;

/// The image of a part: everything is within `half` of `center`, in the measure asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) center: Vec3A,
    pub(super) half: Vec3A,
}

/// How lengths are taken: along each axis for a box, as a whole for a sphere.
pub(super) trait Measure {
    /// The length of a vector.
    fn length(v: Vec3A) -> Vec3A;
    /// How much a joint lengthens a vector.
    fn growth(joint: &Joint) -> Vec3A;
    /// How far a box reaches, given its columns.
    fn box_reach(columns: [Vec3A; 3]) -> Vec3A;
    /// How far a box along the axes reaches under a matrix, given its columns.
    fn upright_reach(columns: [Vec3A; 3], half: Vec3A) -> Vec3A;
    /// How far what is at rest reaches from its middle under the sum of two matrices, given their
    /// columns, and what is left of the weights. The first matrix is known up to `turn`, and lengthens
    /// nothing by more than `growth`.
    fn bent_reach(base: [Vec3A; 3], growth: Vec3A, turn: Vec3A, bend: &Bend, rest: &Rest) -> Vec3A;
    /// How much a matrix, given its columns, lengthens a vector, at most.
    fn lengthening(columns: [Vec3A; 3]) -> Vec3A;
}

/// What the slopes of weights make of a part: the matrix that bends it, and sums over the joints of how far apart
/// they are, and of that times what the slopes leave of the weights, near the rim and anywhere.
#[derive(Default)]
pub(super) struct Bend {
    pub(super) columns: [Vec3A; 3],
    pub(super) near: Vec3A,
    pub(super) left: Vec3A,
    pub(super) all: Vec3A,
}

/// What all three kinds of blending start from.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) shares: &'a [Share],
    /// The part's middle after its morph targets.
    pub(super) middle: Vec3A,
    /// How far the morph targets take a vertex from where they take the middle.
    pub(super) stray: f32,
    /// What arithmetic can lose.
    pub(super) loss: f32,
}

/// Where a part is. The blending is that of the skin.
#[inline(always)]
pub(super) fn place<M: Measure>(
    blending: Blending,
    skin: &Skin,
    pose: &Pose,
    part: &Part,
    shares: &[Share],
    morphs: &[Morph],
) -> Place {
    let (mut middle, mut stray) = (part.rest.center, 0.0);
    for morph in morphs {
        let weight = pose.weights[morph.target as usize];
        middle += morph.mean * weight;
        stray += morph.give * weight.abs();
    }
    stray += stray * part.slack;
    let magnitude = pose.magnitude + 2.0 * part.rest.radius * pose.growth;
    let morph_loss = morphs.len() as f32 * f32::EPSILON;
    let loss = magnitude * (part.slack + morph_loss) + pose.underflow;
    let start = Start { shares, middle, stray, loss };
    match blending {
        // One joint is the same in all blendings, up to the rounding of vertices.
        _ if shares.len() == 1 => linear::<M>(pose, part, start),
        Blending::Linear => linear::<M>(pose, part, start),
        blending => {
            let to_first_order = match blending {
                _ if !part.sloped => None,
                Blending::Spherical => skinned_turned::spherical(skin, pose, part, start),
                _ => skinned_turned::dual_quaternion(skin, pose, part, start),
            };
            match to_first_order {
                Some(place) => place,
                // The formulas below are for one joint set.
                None if part.whole => Place { center: Vec3A::ZERO, half: Vec3A::INFINITY },
                None if blending == Blending::Spherical => spherical::<M>(skin, pose, part, start),
                None => dual_quaternion::<M>(skin, pose, part, start),
            }
        }
    }
}

/// Linear blending. With joints A_i x + t_i and B the blend of them by the means,
///
/// v' - B c = sum (w_i - m_i) (C_i c - B c) + (sum w_i A_i) e,
///
/// and the last term is B e + sum (w_i - m_i) (A_i - B) e. So along an axis v' is
/// within sum d_i |(C_i - B) c| + |B e| + r sum d_i |row of (A_i - B)| of B c, where the sum of a
/// row's magnitudes serves as its length. The last two terms are also at most r times the
/// longest row of the A_i, as the w_i are convex.
///
/// For spheres weights have slopes, w_i - m_i = g_i e + x_i with |x_i| at most the smaller l_i, and
///
/// v' - B c = (sum w_i A_i + sum ((C_i - B) c) g_i^T) e + sum x_i (C_i - B) c:
///
/// what the slopes explain is a matrix that bends the part, and the rest is small, of
/// second order in the size of the part. Both bounds hold; the smaller counts.
#[inline(always)]
fn linear<M: Measure>(pose: &Pose, part: &Part, start: Start<'_>) -> Place {
    let Start { shares, middle, stray, loss } = start;
    let mut blend =
        Joint { columns: [Vec3A::ZERO; 4], rows: Vec3A::ZERO, norm: 0.0, rotation: Vec4::W };
    let mut growth = Vec3A::ZERO;
    if let [only] = shares {
        blend = pose.joints[only.joint as usize];
        growth = M::growth(&blend);
    } else {
        for share in shares {
            let joint = &pose.joints[share.joint as usize];
            for (sum, column) in blend.columns.iter_mut().zip(&joint.columns) {
                *sum += *column * share.mean;
            }
            growth = growth.max(M::growth(joint));
        }
    }
    let center = blend.apply(middle);
    let [x, y, z, _] = blend.columns;
    let mut reach =
        M::box_reach(part.rest.columns.map(|side| x * side.x + y * side.y + z * side.z));
    let radius = part.rest.radius;
    if part.steady {
        let reach = reach.min(growth * radius);
        return Place { center, half: reach + growth * stray + Vec3A::splat(loss) };
    }
    let (mut shift, mut turn) = (Vec3A::ZERO, Vec3A::ZERO);
    let mut bend = Bend::default();
    for share in shares {
        let joint = &pose.joints[share.joint as usize];
        let [dx, dy, dz, dt] = [0, 1, 2, 3].map(|k| joint.columns[k] - blend.columns[k]);
        let apart = dx * middle.x + dy * middle.y + dz * middle.z + dt;
        let length = M::length(apart);
        shift += length * share.give;
        turn += M::lengthening([dx, dy, dz]) * share.give;
        if part.sloped {
            bend.near += length * share.near;
            bend.left += length * share.left;
            bend.all += length;
            bend.columns[0] += apart * share.slope.x;
            bend.columns[1] += apart * share.slope.y;
            bend.columns[2] += apart * share.slope.z;
        }
    }
    reach += turn * radius;
    let mut most = shift + reach.min(growth * radius);
    if part.sloped {
        // In this order a sum that overflowed to NaN gives way.
        most = M::bent_reach([x, y, z], growth, turn, &bend, &part.rest).min(most);
    }
    Place { center, half: most + growth * stray + Vec3A::splat(loss) }
}

/// The length of a vector; squares of tiny numbers vanish, and the sum of sides takes its place.
#[inline(always)]
pub(super) fn length(v: Vec3A) -> f32 {
    let sides = v.abs();
    if sides.max_element() < 1e-15 { sides.element_sum() } else { sides.length() }
}

/// The blended rotation of a part.
struct Turn {
    rotation: Mat3A,
    /// The sine of the half of the largest angle from it to a vertex's own rotation, at most 1.
    sine: f32,
    /// The blend of the quaternions, not normalised, and its length.
    blend: Vec4,
    length: f32,
}

/// The quaternions of the joints in `f32`, with the signs that the vertices of the set give them.
///
/// The vertices' sign is that of a product in `f64`. One in `f32` errs by less than 2^-20, so it
/// has the same sign unless it is about zero; then the other one is asked.
#[inline(always)]
pub(super) fn quaternions<'a>(
    skin: &'a Skin,
    pose: &'a Pose,
    shares: &'a [Share],
) -> impl Iterator<Item = (&'a Share, Vec4)> {
    let pivot = shares[0].joint as usize;
    let side = pose.joints[pivot].rotation;
    shares.iter().map(move |share| {
        let joint = share.joint as usize;
        let rotation = pose.joints[joint].rotation;
        let product = rotation.dot(side);
        let sign = if product.abs() > 1e-5 {
            product.signum()
        } else {
            skin.rigid()[joint].sign(&skin.rigid()[pivot]) as f32
        };
        (share, rotation * sign)
    })
}

/// A vertex's quaternion is b + x, with b the blend by the means and |x| at most
/// sum d_i |q_i - b|. The angle between the two has at most the sine |x| / |b|, if that
/// is below 1, and the rotations differ by twice that angle. Nothing is known otherwise.
#[inline(always)]
fn turn(skin: &Skin, pose: &Pose, part: &Part, shares: &[Share]) -> Turn {
    let mut blend = Vec4::ZERO;
    for (share, quaternion) in quaternions(skin, pose, shares) {
        blend += quaternion * share.mean;
    }
    let length = blend.length();
    let mut give = part.slack;
    if !part.steady {
        for (share, quaternion) in quaternions(skin, pose, shares) {
            give += (quaternion - blend).length() * share.give;
        }
    }
    let sine = if length < MIN_BLENDED_LENGTH { 1.0 } else { (give / length).min(1.0) };
    // Where it is too short to be divided by, any rotation will do.
    let unit = if length < MIN_BLENDED_LENGTH { Vec4::W } else { blend / length };
    Turn { rotation: Mat3A::from_quat(Quat::from_vec4(unit)), sine, blend, length }
}

/// How far a turned e reaches: a rotation within the angle keeps its length, and takes it at most
/// the chord, twice the sine of half the angle, from where the blended rotation does.
#[inline(always)]
fn turned_reach<M: Measure>(turn: &Turn, part: &Part) -> Vec3A {
    let around = M::box_reach(part.rest.columns.map(|side| turn.rotation * side));
    let radius = part.rest.radius;
    (around + Vec3A::splat(2.0 * turn.sine * radius)).min(Vec3A::splat(radius))
}

/// Spherical blending (section 4 of the paper, without corners). With x_i the images of the rotation
/// center o, x their blend by the means, and Q the blended rotation,
///
/// v' = Q_w e + Q_w (c - o) + sum w_i x_i.
///
/// The last term is within sum d_i |x_i - x| of x. The one before lies on a cap: on the sphere of radius
/// |c - o| around 0, within the angle a of Q (c - o). For a up to 90 degrees the cap lies in
/// the ball around cos a Q (c - o) of radius sin a |c - o|, as the paper's Lemma 5 says;
/// beyond, that ball is too small, and the whole sphere takes its place. With s the sine
/// of a / 2, cos a = 1 - 2s² and sin a = 2s sqrt(1 - s²).
#[inline(always)]
fn spherical<M: Measure>(skin: &Skin, pose: &Pose, part: &Part, start: Start<'_>) -> Place {
    let Start { shares, middle, stray, loss } = start;
    let about = skin.center(part.set).as_vec3a();
    let mut image = Vec3A::ZERO;
    for share in shares {
        image += pose.joints[share.joint as usize].apply(about) * share.mean;
    }
    let mut shift = Vec3A::ZERO;
    if !part.steady {
        for share in shares {
            let apart = pose.joints[share.joint as usize].apply(about) - image;
            shift += M::length(apart) * share.give;
        }
    }
    let turn = turn(skin, pose, part, shares);
    let arm = middle - about;
    let square = turn.sine * turn.sine;
    let (along, across) = if square <= 0.5 {
        (1.0 - 2.0 * square, 2.0 * (square * (1.0 - square)).sqrt())
    } else {
        (0.0, 1.0)
    };
    let center = image + turn.rotation * arm * along;
    // The arm may be twice as long as the largest coordinate, along each axis.
    let cap = Vec3A::splat(across * length(arm) + stray + 2.0 * loss);
    Place { center, half: shift + cap + turned_reach::<M>(&turn, part) }
}

/// Dual quaternions. Such a blend does not depend on the origin; with the middle as origin,
/// p_i its images, taken from a common point, as quaternions without real part, and
/// q_i the rotations,
///
/// v' = Q_w e + Im(z_w), z_w = (sum w_i p_i q_i) (sum w_i q_i)^-1.
///
/// Let z be that for the means. Then sum m_i (p_i - z) q_i = 0, and
///
/// z_w - z = (sum w_i (p_i - z) q_i) q_w^-1 = (sum (w_i - m_i) (p_i - z) q_i) q_w^-1,
///
/// which is at most sum d_i |p_i - z| / |q_w|, since the q_i have length 1; the real part of z
/// is small, and its magnitude is simply added. And |q_w| is at
/// least its part along the blend b by the means: |b| less sum d_i of the differences along
/// b, and the least such part of all q_i. Where that is near zero nothing is known of the translation.
#[inline(always)]
fn dual_quaternion<M: Measure>(skin: &Skin, pose: &Pose, part: &Part, start: Start<'_>) -> Place {
    let Start { shares, middle, stray, loss } = start;
    let turn = turn(skin, pose, part, shares);
    let mut image = Vec3A::ZERO;
    for share in shares {
        image += pose.joints[share.joint as usize].apply(middle) * share.mean;
    }
    if turn.length < MIN_BLENDED_LENGTH {
        return Place { center: Vec3A::ZERO, half: Vec3A::INFINITY };
    }
    let mut sum = Quat::from_vec4(Vec4::ZERO);
    for (share, quaternion) in quaternions(skin, pose, shares) {
        let p = (pose.joints[share.joint as usize].apply(middle) - image) * share.mean;
        sum += Quat::from_vec4(p.extend(0.0)) * Quat::from_vec4(quaternion);
    }
    let square = turn.length * turn.length;
    let z = sum * Quat::from_vec4(turn.blend).conjugate() * (1.0 / square);
    let from = Vec3A::from(z.xyz());
    let (mut give, mut less, mut least) = (0.0, 0.0, 1.0_f32);
    for (share, quaternion) in quaternions(skin, pose, shares) {
        let p = pose.joints[share.joint as usize].apply(middle) - image - from;
        give += share.give * (length(p) + z.w.abs());
        let along = quaternion.dot(turn.blend) / turn.length;
        less += share.give * (along - turn.length).abs();
        least = least.min(along);
    }
    let shortest = (turn.length - less).max(least) - part.slack;
    if shortest < MIN_BLENDED_LENGTH {
        return Place { center: Vec3A::ZERO, half: Vec3A::INFINITY };
    }
    // Errors of z are those of its sum, of magnitudes up to twice that of the images, divided by
    // the square of the length.
    let loss = loss * 4.0 / (shortest * shortest).min(square);
    let moved = give / shortest + stray + loss;
    Place { center: image + from, half: turned_reach::<M>(&turn, part) + Vec3A::splat(moved) }
}
