//! A node as a whole where blending is spherical: its joint sets turn about centres of their own, but
//! the bound takes one for all.
//!
//! About o in place of its set's o_S a vertex would be off by sum w_i (R_i - Q_w) y, y = o - o_S. With x = Q_w y
//! and (c_i, s_i) = q_i q_w⁻¹ |q_w|, where sum w_i s_i = 0, that is
//!
//! sum w_i (2 (c_i - 1) s_i × x + 2 s_i × (s_i × x)).
//!
//! The two terms of a joint are at a right angle, and 1 - c_i = |s_i| tan(a/2) for the angle a of q_i and
//! q_w: together they are at most 2 |s_i| |s_i × x| / cos(a/2), and 1 / cos(a/2) < 1.083 for a up to 45 degrees. (A
//! part holds its sets together only if each two of its quaternions are no farther apart, and q_w lies
//! between them.)
//!
//! At rest, turned back by Q_w, s_i is sum w_j h_ij / |q_w|, with h_ij what is not real of q_j⁻¹ q_i. So
//! |s_i| is at most (1 - w_i) / |q_w| times the longest h_ij, and |s_i × x| as much times the largest
//! |h_ij × y|: what lies along the axis on which joints turn against one another does not count, and it is there
//! that the centres of sets differ most. |q_w|² is no less than the least product of two quaternions. All in all
//! 2.17 (sum w_i (1 - w_i)²) max |h_ij| max |h_ij × y| / min q_i·q_j.

use glam::Vec3A;

use super::skinned_pose::Pose;
use crate::deform::{Influence, Skin};
use crate::memo::{Memo, Remember};
use crate::volume::round_up;

/// A joint set whose rotation centre is not the one that its node as a whole is bounded with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OtherCenter {
    set: u32,
    /// The number of these two sets, of all such pairs of the skin: nodes have them in common.
    pub(super) pair: u32,
    /// No vertex has a larger sum of w_i (1 - w_i)².
    mixing: f32,
}

impl OtherCenter {
    /// Of the set of vertices with these influences.
    pub(super) fn new<'a>(set: u32, vertices: impl Iterator<Item = &'a [Influence]>) -> Self {
        let most = vertices.map(mixing).fold(0.0, f64::max);
        Self { set, pair: u32::MAX, mixing: round_up(most * (1.0 + 1e-9)) }
    }

    /// Its set.
    pub(super) fn set(&self) -> u32 {
        self.set
    }
}

/// The sum of w_i (1 - w_i)².
pub(super) fn mixing(influences: &[Influence]) -> f64 {
    influences.iter().map(|own| own.weight * (1.0 - own.weight).powi(2)).sum()
}

/// How much a set minds where it turns about: the square of what it is off by, for mixing 1, is at most
/// y·M y, with the diagonal and the other entries (23, 13, 12) of M.
#[derive(Debug, Clone, Copy)]
struct Mind {
    diagonal: Vec3A,
    off: Vec3A,
}

impl Mind {
    /// The sum over all h_ij of |h_ij|² - h_ij h_ijᵀ, in the place of the largest, is a matrix.
    ///
    /// In `f32` an h_ij errs by less than 2e-6. Of small ones that is more than is added here: there
    /// the factor 1.083 above, which is for 45 degrees, has 8 % to spare.
    fn new(pose: &Pose, joints: &[u32]) -> Self {
        let (mut least, mut longest) = (1.0_f32, 0.0_f32);
        let (mut diagonal, mut off) = (Vec3A::ZERO, Vec3A::ZERO);
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
                off -= Vec3A::new(h.y * h.z, h.x * h.z, h.x * h.y);
            }
        }
        // A part with larger angles between its joints is not bounded as a whole.
        let scale = 2.17 / least.max(0.7);
        let scale = scale * scale * (longest * (1.0 + 1e-5) + 1e-9);
        Self { diagonal: diagonal * scale, off: off * scale }
    }

    fn off_by(&self, y: Vec3A) -> f32 {
        let crossed = Vec3A::new(y.y * y.z, y.x * y.z, y.x * y.y);
        let square = (y * y).dot(self.diagonal) + 2.0 * crossed.dot(self.off);
        // `max` would make a number of what is none.
        let square = if square.is_nan() { f32::INFINITY } else { square.max(0.0) };
        square.sqrt() * (1.0 + 1e-5) + 1e-21
    }
}

/// How far vertices of mixing 1 are off.
#[derive(Debug, Clone, Copy)]
struct Off(f32);

impl Remember for Off {
    #[inline]
    fn to_words(self) -> [u64; 3] {
        [u64::from(self.0.to_bits()), 0, 0]
    }

    #[inline]
    fn from_words([bits, ..]: [u64; 3]) -> Self {
        Self(f32::from_bits(bits as u32))
    }
}

/// What is remembered for a pose: how much sets mind, and what pairs of sets make of it.
#[derive(Debug, Clone)]
pub(super) struct Minds {
    sets: Memo,
    pairs: Memo,
}

impl Minds {
    /// Of so many sets and pairs of sets.
    pub(super) fn new(sets: usize, pairs: usize) -> Self {
        Self { sets: Memo::new(sets), pairs: Memo::new(pairs) }
    }

    /// The pose changed.
    pub(super) fn forget(&mut self) {
        self.sets.forget();
        self.pairs.forget();
    }
}

impl Remember for Mind {
    #[inline]
    fn to_words(self) -> [u64; 3] {
        let pair = |low: f32, high: f32| u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32;
        let (a, b) = (self.diagonal, self.off);
        [pair(a.x, a.y), pair(a.z, b.x), pair(b.y, b.z)]
    }

    #[inline]
    fn from_words(words: [u64; 3]) -> Self {
        let [low, high] = [0, 32].map(|by| words.map(|word| f32::from_bits((word >> by) as u32)));
        Self {
            diagonal: Vec3A::new(low[0], high[0], low[1]),
            off: Vec3A::new(high[1], low[2], high[2]),
        }
    }
}

/// How far vertices are, at the most, from where the rotation center of the set `main` would take
/// them.
#[inline]
pub(super) fn stray(
    skin: &Skin,
    pose: &Pose,
    main: u32,
    others: &[OtherCenter],
    minds: &Minds,
) -> f32 {
    let mut most = 0_f32;
    for &OtherCenter { set, pair, mixing } in others {
        let Off(off) = minds.pairs.get_or(pair as usize, || {
            let joints = || skin.binding().sets.joints(set);
            let mind = minds.sets.get_or(set as usize, || Mind::new(pose, joints()));
            Off(mind.off_by((skin.center(set) - skin.center(main)).as_vec3a()))
        });
        most = most.max(mixing * off);
    }
    most
}
