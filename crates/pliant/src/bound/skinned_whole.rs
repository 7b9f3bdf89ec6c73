//! Rotation centers
use glam::Vec3A;

use super::skinned_place::length;
use super::skinned_pose::Pose;
use crate::deform::{Influence, Skin};
use crate::volume::round_up;

/// A joint set whose rotation centre is not the one that its node as a whole is bounded with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OtherCenter {
    set: u32,
    /// The sum of all products of two weights of a vertex is no larger.
    mixing: f32,
}

impl OtherCenter {
    /// Of the set of vertices with these influences.
    pub(super) fn new<'a>(set: u32, vertices: impl Iterator<Item = &'a [Influence]>) -> Self {
        let mixed = |own: &[Influence]| {
            own.iter().map(|own| own.weight * (1.0 - own.weight).powi(2)).sum::<f64>()
        };
        let most = vertices.map(mixed).fold(0.0, f64::max);
        Self { set, mixing: round_up(most + 1e-9) }
    }
}

/// How far vertices are from where the rotation center of the set `main` would take them.
#[inline(never)]
pub(super) fn stray(skin: &Skin, pose: &Pose, main: u32, others: &[OtherCenter]) -> f32 {
    let Some(_) = others.first() else { return 0.0 };
    let from = skin.center(main);
    let mut most = 0_f32;
    for other in others {
        let joints = skin.binding().sets.joints(other.set);
        let apart = skin.center(other.set) - from;
        let apart: Vec3A = apart.as_vec3a();
        let (mut least, mut turn, mut arm) = (1.0_f32, 0.0_f32, 0.0_f32);
        for (at, &first) in joints.iter().enumerate() {
            let first = pose.joints[first as usize].rotation;
            for &second in &joints[at + 1..] {
                let second = pose.joints[second as usize].rotation;
                // The axis of what takes the one rotation to the other, at rest.
                let [from, to] = [first, second].map(Vec3A::from_vec4);
                let axis = to * first.w - from * second.w - from.cross(to);
                least = least.min(first.dot(second).abs());
                turn = turn.max(length(axis));
                arm = arm.max(length(axis.cross(apart)));
            }
        }
        most = most.max(2.17 * other.mixing * turn * arm / least);
    }
    most * (1.0 + 1e-5)
}
