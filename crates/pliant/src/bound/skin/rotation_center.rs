//! A node part under spherical blending: its joint sets have rotation centres of their own, but
//! the bound uses one for all.
//!
//! With o in place of its set's centre o_S a vertex would be off by sum w_i (R_i - Q_w) y, y = o - o_S. With
//! x = Q_w y and (c_i, s_i) = q_i q_w⁻¹ |q_w|, where sum w_i s_i = 0, that is
//!
//! sum w_i (2 (c_i - 1) s_i × x + 2 s_i × (s_i × x)).
//!
//! The two terms of a joint are at a right angle, and 1 - c_i = |s_i| tan(a/2) for the angle a of q_i and
//! q_w. Together they are at most 2 |s_i| |s_i × x| / cos(a/2), and 1 / cos(a/2) < 1.083 for a up to 45
//! degrees. (A node part is bounded only if each two of its quaternions are no farther apart, and q_w lies
//! between them.)
//!
//! At rest, rotated back by Q_w, s_i is sum w_j h_ij / |q_w|, with h_ij the vector part of q_j⁻¹ q_i. So
//! |s_i| is at most (1 - w_i) / |q_w| times the longest h_ij, and |s_i × x| as much times the largest
//! |h_ij × y|. Components of y along the axis about which joints turn against one another do not count, and
//! that is where the centres of sets differ most. |q_w|² is at least the smallest product of two quaternions.
//! Altogether the vertex is off by at most
//! 2.17 (sum w_i (1 - w_i)²) max |h_ij| max |h_ij × y| / min q_i·q_j.

use glam::Vec3A;

use super::pose::Pose;
use crate::deform::{Influence, Skin};
use crate::memo::{Memo, Remember};
use crate::volume::round_up;

/// A joint set whose rotation centre is not the one that its node part uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OtherCenter {
    pub(super) set: u32,
    /// The number of the pair of the node part's set and this one, among all such pairs of the skin.
    /// Nodes have them in common.
    pub(super) pair: u32,
    /// The largest mixing of a vertex.
    mixing: f32,
}

impl OtherCenter {
    /// Of the set of vertices with these influences. The pair is numbered later.
    pub(super) fn new<'a>(set: u32, vertices: impl Iterator<Item = &'a [Influence]>) -> Self {
        let most = vertices.map(mixing).fold(0.0, f64::max);
        Self { set, pair: u32::MAX, mixing: round_up(most * (1.0 + 1e-9)) }
    }
}

/// The mixing of a vertex: the sum of w_i (1 - w_i)².
pub(super) fn mixing(influences: &[Influence]) -> f64 {
    influences.iter().map(|own| own.weight * (1.0 - own.weight).powi(2)).sum()
}

/// The sensitivity of a set's vertices to its rotation centre. If the centre is off by y, a vertex of
/// mixing 1 is off by at most the root of y·M y. M is stored as its diagonal and the entries 23, 13, 12.
#[derive(Debug, Clone, Copy)]
struct Sensitivity {
    diagonal: Vec3A,
    off_diagonal: Vec3A,
}

impl Sensitivity {
    /// The sum over all h_ij of |h_ij|² - h_ij h_ijᵀ, in place of the largest, is a matrix.
    ///
    /// In `f32` an h_ij errs by less than 2e-6. For small ones that is more than is added here; there
    /// the factor 1.083 above, which is for 45 degrees, has 8 % to spare.
    fn new(pose: &Pose, joints: &[u32]) -> Self {
        let (mut least, mut longest) = (1.0_f32, 0.0_f32);
        let (mut diagonal, mut off_diagonal) = (Vec3A::ZERO, Vec3A::ZERO);
        for (at, &first) in joints.iter().enumerate() {
            let first = pose.joints[first as usize].rotation;
            for &second in &joints[at + 1..] {
                let second = pose.joints[second as usize].rotation;
                let [from, to] = [first, second].map(Vec3A::from_vec4);
                let h = to * first.w - from * second.w - from.cross(to);
                let square = h.dot(h);
                least = least.min(first.dot(second).abs());
                longest = longest.max(square);
                diagonal += Vec3A::splat(square * (1.0 + 1e-5) + 1e-9) - h * h;
                off_diagonal -= Vec3A::new(h.y * h.z, h.x * h.z, h.x * h.y);
            }
        }
        // A node part with larger angles between its joints is not bounded.
        let scale = 2.17 / least.max(0.7);
        let scale = scale * scale * (longest * (1.0 + 1e-5) + 1e-9);
        Self { diagonal: diagonal * scale, off_diagonal: off_diagonal * scale }
    }

    /// How far a vertex of mixing 1 is off, at most, if the centre is off by y.
    fn error(&self, y: Vec3A) -> f32 {
        let products = Vec3A::new(y.y * y.z, y.x * y.z, y.x * y.y);
        let square = (y * y).dot(self.diagonal) + 2.0 * products.dot(self.off_diagonal);
        // `max` would turn NaN into 0.
        let square = if square.is_nan() { f32::INFINITY } else { square.max(0.0) };
        square.sqrt() * (1.0 + 1e-5) + 1e-21
    }
}

impl Remember for Sensitivity {
    type Words = [u64; 3];

    #[inline]
    fn to_words(self) -> [u64; 3] {
        let pair = |low: f32, high: f32| u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32;
        let (a, b) = (self.diagonal, self.off_diagonal);
        [pair(a.x, a.y), pair(a.z, b.x), pair(b.y, b.z)]
    }

    #[inline]
    fn from_words(words: [u64; 3]) -> Self {
        let [low, high] = [0, 32].map(|by| words.map(|word| f32::from_bits((word >> by) as u32)));
        Self {
            diagonal: Vec3A::new(low[0], high[0], low[1]),
            off_diagonal: Vec3A::new(high[1], low[2], high[2]),
        }
    }
}

/// How far vertices of mixing 1 are off.
#[derive(Debug, Clone, Copy)]
struct CenterError(f32);

impl Remember for CenterError {
    type Words = [u64; 1];

    #[inline]
    fn to_words(self) -> [u64; 1] {
        [u64::from(self.0.to_bits())]
    }

    #[inline]
    fn from_words([bits]: [u64; 1]) -> Self {
        Self(f32::from_bits(bits as u32))
    }
}

/// What is remembered for a pose: the sensitivities of sets, and the errors of pairs of sets.
#[derive(Debug, Clone)]
pub(super) struct CenterErrors {
    sensitivities: Memo<Sensitivity>,
    pairs: Memo<CenterError>,
}

impl CenterErrors {
    pub(super) fn new(sets: usize, pairs: usize) -> Self {
        Self { sensitivities: Memo::new(sets), pairs: Memo::new(pairs) }
    }

    /// Forgets everything: the pose changed.
    pub(super) fn forget(&mut self) {
        self.sensitivities.forget();
        self.pairs.forget();
    }

    /// How far any vertex is, at most, from where the rotation centre of the set `used` would take it.
    #[inline]
    pub(super) fn largest(
        &self,
        skin: &Skin,
        pose: &Pose,
        used: u32,
        others: &[OtherCenter],
    ) -> f32 {
        let mut most = 0_f32;
        for &OtherCenter { set, pair, mixing } in others {
            let CenterError(error) = self.pairs.get_or(pair as usize, || {
                let joints = || skin.binding().sets.joints(set);
                let sensitivity =
                    self.sensitivities.get_or(set as usize, || Sensitivity::new(pose, joints()));
                let offset = skin.rotation_center(set) - skin.rotation_center(used);
                CenterError(sensitivity.error(offset.as_vec3a()))
            });
            most = most.max(mixing * error);
        }
        most
    }
}
