//! A pose as the bounds of a skin want it: in `f32`, with the magnitudes involved.

use glam::{DAffine3, DMat3, Vec3A, Vec4};

use crate::deform::{Blending, Skin};
use crate::limits::{F32_SLACK, F64_SLACK, SKIN_RANGE, SKIN_UNDERFLOW};
use crate::volume::round_up;

/// A joint in `f32`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    /// The images of the axes, and the translation.
    pub(super) columns: [Vec3A; 4],
    /// The lengths of the matrix's rows: along an axis no vector grows by more.
    pub(super) rows: Vec3A,
    /// Its rotation as a quaternion, of either sign; of no meaning for linear blending.
    pub(super) rotation: Vec4,
    /// No vector grows by more than this. Infinite where nobody asks: boxes have the rows.
    pub(super) norm: f32,
}

impl Joint {
    /// Where a point goes.
    #[inline(always)]
    pub(super) fn apply(&self, p: Vec3A) -> Vec3A {
        let [x, y, z, translation] = self.columns;
        x * p.x + y * p.y + z * p.z + translation
    }
}

/// The current pose.
#[derive(Debug, Clone, Default)]
pub(super) struct Pose {
    pub(super) joints: Vec<Joint>,
    pub(super) weights: Vec<f32>,
    /// No coordinate of an image of a vertex, or of what is computed on the way, is larger.
    pub(super) magnitude: f32,
    /// No joint makes a coordinate larger by more than this factor.
    pub(super) growth: f32,
    /// What underflow can lose.
    pub(super) underflow: f32,
    /// Whether all of it stays in the range of `f32`.
    pub(super) bounded: bool,
}

impl Pose {
    /// Takes the pose of a skin. `reach` is the largest coordinate at rest, `targets` the
    /// largest displacement of each morph target along an axis.
    pub(super) fn take(&mut self, skin: &Skin, reach: f64, targets: &[f64], with_norms: bool) {
        let weights = skin.morph_weights();
        self.weights.clear();
        self.weights.extend(weights.iter().map(|&weight| weight as f32));
        self.joints.clear();
        let morphed = weights.iter().zip(targets).map(|(weight, most)| weight.abs() * most);
        let mut reach = reach + morphed.sum::<f64>();
        if skin.blending() == Blending::Linear {
            self.joints.extend(skin.joints().iter().map(|map| {
                let columns = to_f32(map);
                let norm = if with_norms { round_up(norm(&map.matrix3)) } else { f32::INFINITY };
                Joint { columns, rows: row_lengths(&columns), rotation: Vec4::W, norm }
            }));
        } else {
            // Rotation centres lie at most the reach of their set away from its anchor.
            let sets = &skin.binding().sets;
            reach += (0..sets.len() as u32).map(|set| sets.reach(set)).fold(0.0, f64::max);
            // A rotation lengthens nothing, but for the rounding of its matrix.
            const ONE: f32 = 1.0 + F32_SLACK;
            self.joints.extend(skin.rigid().iter().map(|joint| Joint {
                columns: to_f32(&joint.map),
                rows: Vec3A::splat(ONE),
                rotation: joint.rotation.as_vec4(),
                norm: ONE,
            }));
        }
        let [mut growth, mut away] = [Vec3A::ZERO; 2];
        for Joint { columns: [x, y, z, translation], .. } in &self.joints {
            growth = growth.max(x.abs() + y.abs() + z.abs());
            away = away.max(translation.abs());
        }
        // What was lost in `f32`: three roundings of 2^-24, and what underflowed.
        let above = |most: Vec3A| {
            f64::from(most.max_element()) * f64::from(1.0 + F32_SLACK)
                + f64::from(f32::MIN_POSITIVE)
        };
        let [growth, away] = [growth, away].map(above);
        let magnitude = growth * reach + away;
        let largest = weights.iter().fold(reach.max(growth), |most, weight| most.max(weight.abs()));
        self.bounded = magnitude.max(largest) < SKIN_RANGE;
        self.magnitude = round_up(magnitude);
        self.growth = round_up(growth);
        self.underflow = largest as f32 * SKIN_UNDERFLOW + f32::MIN_POSITIVE;
    }
}

/// The images of the axes, and the translation, rounded to nearest.
#[inline]
fn to_f32(map: &DAffine3) -> [Vec3A; 4] {
    let DMat3 { x_axis, y_axis, z_axis } = map.matrix3;
    [x_axis, y_axis, z_axis, map.translation].map(|column| column.as_vec3a())
}

/// The lengths of a matrix's rows, rounded up: along an axis no vector grows by more.
///
/// Squares of entries that were rounded once err by 3 * 2^-24, their sums by two roundings more,
/// and the root by half of all that and its own: less than 4 * 2^-24. Entries
/// whose squares vanish are below 1e-22.
#[inline]
fn row_lengths([x, y, z, _]: &[Vec3A; 4]) -> Vec3A {
    let squares = *x * *x + *y * *y + *z * *z;
    let lengths = Vec3A::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt());
    lengths * (1.0 + F32_SLACK) + Vec3A::splat(1e-21)
}

/// No vector grows by more than this: the square of a matrix's norm is at most the largest
/// sum of magnitudes in a row of M^T M. For a rotation that is 1.
fn norm(matrix: &DMat3) -> f64 {
    let DMat3 { x_axis, y_axis, z_axis } = matrix.transpose() * *matrix;
    let sums = x_axis.abs() + y_axis.abs() + z_axis.abs();
    sums.max_element().sqrt() * (1.0 + F64_SLACK)
}
