//! Boxes of linear blending, in loops that are short: what most bounds of a skin are made of.
//!
//! The formula is that of [`skinned_place`](super::skinned_place) for parts without slopes and morph
//! targets, with one joint C_p of each part, its pivot, taken off all others. With D_i = C_i - C_p,
//! and since weights sum to 1,
//!
//! v' = C_p v + sum w_i D_i v = B v + sum (w_i - m_i) D_i v, where B = C_p + sum m_i D_i.
//!
//! So along an axis v' is within sum d_i |D_i c| + |B e| + r sum d_i |row of D_i| of B c, and the last two
//! terms are also at most r times the longest row. The sums have no term for the pivot:
//! of two joints, the usual case, that is half the work for the same bound, and of more it
//! is a little looser. The joint whose weight varies most is the pivot.
//!
//! Rounding, in the terms of that file: D_i errs by 4um, as an image by 20um, of which the sum of all
//! m_i, at most 1, enters into the middle's image, and D into the shift: (n + 28)um and D (n + 24)um.
//! B errs by (n + 8)um, and so its images of the columns; with the final sums (n + 28)um. Rounded means
//! leave weights off by nu: 2num. Together less than (4n + 56 + D (2n + 48))um: a part's slack is more.

use glam::Vec3A;

use super::skinned_parts::Share;
use super::skinned_place::{Measure, Place};
use super::skinned_pose::Pose;
use super::skinned_rest::Rest;

/// Vertices of a node that one joint moves alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Carried {
    pub(super) rest: Rest,
    pub(super) joint: u32,
}

/// All vertices of a node that a joint moves, by any weight, with a box along the axes. It is looser than another, and
/// costs half as much: for nodes with many joints, where few of the boxes touch the one around all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Upright {
    center: Vec3A,
    half: Vec3A,
    radius: f32,
    joint: u32,
}

impl Upright {
    /// Of a box along the axes.
    pub(super) fn new(Rest { center, columns, radius }: Rest, joint: u32) -> Self {
        let half = Vec3A::new(columns[0].x, columns[1].y, columns[2].z);
        Self { center, half, radius, joint }
    }
}

/// Vertices of a node that the same joints move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Blended {
    rest: Rest,
    slack: f32,
    pivot: u32,
    pulls: [u32; 2],
}

/// A joint beside the pivot: all weights lie within `give` of `mean`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pull {
    joint: u32,
    mean: f32,
    give: f32,
}

impl Blended {
    /// Of shares without slopes, at least one; all but the pivot's are added to `pulls`.
    pub(super) fn new(rest: Rest, slack: f32, shares: &[Share], pulls: &mut Vec<Pull>) -> Self {
        let most = shares.iter().max_by(|a, b| a.give.total_cmp(&b.give));
        let pivot = most.map_or(0, |share| share.joint);
        let start = pulls.len() as u32;
        let others = shares.iter().filter(|share| share.joint != pivot);
        pulls.extend(others.map(|&Share { joint, mean, give, .. }| Pull { joint, mean, give }));
        Self { rest, slack, pivot, pulls: [start, pulls.len() as u32] }
    }
}

/// What holds vertices in a pose. Along each axis they are within min(reach of the sides + turn, limit) + rest
/// of the center.
#[derive(Debug, Clone, Copy)]
pub(super) struct Image {
    pub(super) center: Vec3A,
    /// From the center to the middles of three sides.
    pub(super) sides: [Vec3A; 3],
    turn: Vec3A,
    limit: Vec3A,
    rest: Vec3A,
}

impl Image {
    /// Each vertex is within this, along each axis, of some point of the box with these sides.
    #[inline(always)]
    pub(super) fn beside_sides(&self) -> Vec3A {
        self.turn + self.rest
    }

    #[inline(always)]
    pub(super) fn place<M: Measure>(&self) -> Place {
        let half = (M::box_reach(self.sides) + self.turn).min(self.limit) + self.rest;
        Place { center: self.center, half }
    }
}

/// The slack of a part with one joint, of the magnitudes that `place` takes.
const SLACK_OF_ONE: f32 = 34.0 * 2.0 * f32::EPSILON;

/// What a joint makes of the vertices that it moves, and room around it for how far they stray.
#[inline(always)]
pub(super) fn carry<M: Measure>(
    pose: &Pose,
) -> impl Fn(&Carried, f32) -> Image + Copy + use<'_, M> {
    let (joints, per_radius) = (&*pose.joints, 2.0 * pose.growth * SLACK_OF_ONE);
    let room = pose.magnitude * SLACK_OF_ONE + pose.underflow;
    move |&Carried { rest: Rest { center, columns, radius }, joint }, stray| {
        let joint = &joints[joint as usize];
        let [x, y, z, _] = joint.columns;
        Image {
            center: joint.apply(center),
            sides: columns.map(|side| x * side.x + y * side.y + z * side.z),
            turn: Vec3A::ZERO,
            limit: M::growth(joint) * radius,
            rest: Vec3A::splat(radius * per_radius + (room + stray)),
        }
    }
}

/// As [`carry`].
#[inline(always)]
pub(super) fn carry_upright<M: Measure>(
    pose: &Pose,
) -> impl Fn(&Upright, f32) -> Place + Copy + use<'_, M> {
    let (joints, per_radius) = (&*pose.joints, 2.0 * pose.growth * SLACK_OF_ONE);
    let room = pose.magnitude * SLACK_OF_ONE + pose.underflow;
    move |&Upright { center, half, radius, joint }, stray| {
        let joint = &joints[joint as usize];
        let [x, y, z, _] = joint.columns;
        let reach = M::upright_reach([x, y, z], half).min(M::growth(joint) * radius);
        let half = reach + Vec3A::splat(radius * per_radius + (room + stray));
        Place { center: joint.apply(center), half }
    }
}

/// Where blended vertices are, and room around for how far they stray.
#[inline(always)]
pub(super) fn blend<'a, M: Measure>(
    pose: &'a Pose,
    pulls: &'a [Pull],
) -> impl Fn(&Blended, f32) -> Image + Copy + use<'a, M> {
    let joints = &*pose.joints;
    let (magnitude, growth, underflow) = (pose.magnitude, 2.0 * pose.growth, pose.underflow);
    move |blended, stray| {
        let &Blended { rest, slack, pivot, pulls: [from, to] } = blended;
        let Rest { center, columns, radius } = rest;
        let pivot = &joints[pivot as usize];
        let mut blend = *pivot;
        let mut rows = M::growth(pivot);
        let (mut shift, mut turn) = (Vec3A::ZERO, Vec3A::ZERO);
        for &Pull { joint, mean, give } in &pulls[from as usize..to as usize] {
            let joint = &joints[joint as usize];
            let [dx, dy, dz, dt] = [0, 1, 2, 3].map(|k| joint.columns[k] - pivot.columns[k]);
            for (sum, part) in blend.columns.iter_mut().zip([dx, dy, dz, dt]) {
                *sum += part * mean;
            }
            shift += M::length(dx * center.x + dy * center.y + dz * center.z + dt) * give;
            turn += M::lengthening([dx, dy, dz]) * give;
            rows = rows.max(M::growth(joint));
        }
        let [x, y, z, _] = blend.columns;
        let loss = (magnitude + radius * growth) * slack + (underflow + stray);
        Image {
            center: blend.apply(center),
            sides: columns.map(|side| x * side.x + y * side.y + z * side.z),
            turn: turn * radius,
            limit: rows * radius,
            rest: shift + Vec3A::splat(loss),
        }
    }
}
