//! A pose as the bounds of a skin want it: in `f32`, with the magnitudes involved.

use glam::{DMat3, DVec3, DVec4, Vec3A, Vec4};

use crate::deform::{Blending, Skin};
use crate::limits::{F64_SLACK, SKIN_RANGE, SKIN_UNDERFLOW};
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
        let (mut growth, mut away) = (0_f64, 0_f64);
        let mut add =
            |matrix: &DMat3, translation: DVec3, rotation: DVec4, rows: DVec3, norm: f64| {
                let DMat3 { x_axis, y_axis, z_axis } = *matrix;
                let sums = x_axis.abs() + y_axis.abs() + z_axis.abs();
                growth = growth.max(sums.max_element());
                away = away.max(translation.abs().max_element());
                let columns = [x_axis, y_axis, z_axis, translation].map(|column| column.as_vec3a());
                let up = |x: f64| round_up(x * (1.0 + F64_SLACK));
                let rows = Vec3A::new(up(rows.x), up(rows.y), up(rows.z));
                let rotation = rotation.as_vec4();
                self.joints.push(Joint { columns, rows, rotation, norm: up(norm) });
            };
        let morphed = weights.iter().zip(targets).map(|(weight, most)| weight.abs() * most);
        let mut reach = reach + morphed.sum::<f64>();
        if skin.blending() == Blending::Linear {
            for map in skin.joints() {
                let DMat3 { x_axis, y_axis, z_axis } = map.matrix3;
                let squares = x_axis * x_axis + y_axis * y_axis + z_axis * z_axis;
                let rows = DVec3::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt());
                let norm = if with_norms { norm(&map.matrix3) } else { f64::INFINITY };
                add(&map.matrix3, map.translation, DVec4::W, rows, norm);
            }
        } else {
            // Rotation centres lie at most the reach of their set away from its anchor.
            let sets = &skin.binding().sets;
            reach += (0..sets.len() as u32).map(|set| sets.reach(set)).fold(0.0, f64::max);
            for joint in skin.rigid() {
                let map = &joint.map;
                add(&map.matrix3, map.translation, joint.rotation, DVec3::ONE, 1.0);
            }
        }
        let magnitude = growth * reach + away;
        let largest = weights.iter().fold(reach.max(growth), |most, weight| most.max(weight.abs()));
        self.bounded = magnitude.max(largest) < SKIN_RANGE;
        self.magnitude = round_up(magnitude);
        self.growth = round_up(growth);
        self.underflow = largest as f32 * SKIN_UNDERFLOW + f32::MIN_POSITIVE;
    }
}

/// No vector grows by more than this: the square of a matrix's norm is at most the largest
/// sum of magnitudes in a row of M^T M. For a rotation that is 1.
fn norm(matrix: &DMat3) -> f64 {
    let DMat3 { x_axis, y_axis, z_axis } = matrix.transpose() * *matrix;
    let sums = x_axis.abs() + y_axis.abs() + z_axis.abs();
    sums.max_element().sqrt()
}
