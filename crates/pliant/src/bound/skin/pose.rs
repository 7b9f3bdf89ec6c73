//! A pose in the form that bounds use: joints in `f32`, and the magnitudes involved.

use glam::{DAffine3, DMat3, DVec3, Mat3A, Vec3A, Vec4};

use super::tuning::{MAX_MAGNITUDE, UNDERFLOW};
use crate::Mesh;
use crate::deform::{Binding, Blending, RigidJoint, Skin};
use crate::numeric::{F32_SLACK, F64_SLACK};
use crate::volume::round_up;

/// A joint in `f32`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    /// The images of the axes, and the translation.
    pub(super) columns: [Vec3A; 4],
    /// Upper bounds of the lengths of the matrix's rows: along an axis no vector grows by more.
    pub(super) row_lengths: Vec3A,
    /// The rotation as a quaternion, of either sign; without meaning for linear blending.
    pub(super) rotation: Vec4,
    /// An upper bound of the matrix's norm. Infinite if it was not asked for: boxes use the rows.
    pub(super) norm: f32,
}

impl Joint {
    /// Maps everything to the origin.
    pub(super) const ZERO: Self =
        Self { columns: [Vec3A::ZERO; 4], row_lengths: Vec3A::ZERO, rotation: Vec4::W, norm: 0.0 };

    /// The image of a point.
    #[inline(always)]
    pub(super) fn apply(&self, p: Vec3A) -> Vec3A {
        let [x, y, z, translation] = self.columns;
        x * p.x + y * p.y + z * p.z + translation
    }

    /// The images of the half sides of a box, without the translation.
    #[inline(always)]
    pub(super) fn apply_to_sides(&self, sides: [Vec3A; 3]) -> [Vec3A; 3] {
        let [x, y, z, _] = self.columns;
        sides.map(|side| x * side.x + y * side.y + z * side.z)
    }
}

/// A pose in `f32`.
///
/// Linear blending uses the joints as they were given. The other blendings blend rigid joints, and have
/// two poses: of the joints as given, and of the rigid ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Pose {
    pub(super) joints: Vec<Joint>,
    pub(super) morph_weights: Vec<f32>,
    /// An upper bound of every coordinate of an image of a vertex, and of what is computed on the way.
    pub(super) magnitude: f32,
    /// An upper bound of the factor by which a joint enlarges a coordinate.
    pub(super) growth: f32,
    /// What underflow can lose.
    pub(super) underflow: f32,
    /// Whether everything stays in the range of `f32`.
    pub(super) bounded: bool,
    /// An upper bound of the distance between the images of a vertex, or of a part's centre, under a
    /// given joint and under the rigid one, per unit of skew.
    pub(super) image_error_per_skew: f32,
    /// For each joint pair the squared sine of half the angle between the two rotations, where
    /// blending is not linear; see [`JointPairs`](super::joint_pairs::JointPairs).
    pub(super) half_angle_sines_squared: Vec<f32>,
}

/// The extent of a skin at rest, as far as poses need it.
#[derive(Debug, Clone)]
pub(super) struct RestExtent {
    /// The largest coordinate.
    reach: f64,
    /// The largest reach of a joint set.
    set_reach: f64,
    /// The largest displacement by each morph target along an axis.
    targets: Vec<f64>,
    /// A vertex near the middle of the skin, and the joint with the largest weight in it.
    middle: Option<(u32, DVec3)>,
}

impl RestExtent {
    pub(super) fn new(mesh: &Mesh, binding: &Binding) -> Self {
        let largest = |most: f64, v: DVec3| most.max(v.abs().max_element());
        let reach = mesh.positions().iter().copied().fold(0.0, largest);
        let sets = &binding.sets;
        let set_reach = (0..sets.len() as u32).map(|set| sets.reach(set)).fold(0.0, f64::max);
        let mut targets = vec![0.0; binding.targets()];
        if let Some(modes) = &binding.morph {
            for vertex in 0..modes.vertices() {
                for (most, mode) in targets.iter_mut().zip(modes.of(vertex)) {
                    *most = largest(*most, mode.as_dvec3());
                }
            }
        }
        let (low, high) = mesh
            .positions()
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| {
                (low.min(p), high.max(p))
            });
        let middle = low * 0.5 + high * 0.5;
        let far = |vertex: &usize| mesh.positions()[*vertex].distance_squared(middle);
        let nearest = (0..mesh.positions().len()).min_by(|a, b| far(a).total_cmp(&far(b)));
        let middle = nearest.and_then(|vertex| {
            let own = binding.weights.of(vertex).iter();
            let most = own.max_by(|a, b| a.weight.total_cmp(&b.weight))?;
            Some((most.joint, mesh.positions()[vertex]))
        });
        Self { reach, set_reach, targets, middle }
    }

    /// About where the middle of the skin is in a pose.
    pub(super) fn middle(&self, joints: &[DAffine3]) -> Option<DVec3> {
        let (joint, vertex) = self.middle?;
        Some(joints.get(joint as usize)?.transform_point3(vertex))
    }
}

/// An upper bound of the norm of a rotation matrix with rounded entries.
const ROTATION_NORM: f32 = 1.0 + F32_SLACK;

impl Pose {
    /// Takes the joints of a skin as they were given. Norms are computed only if asked for.
    pub(super) fn update(&mut self, skin: &Skin, extent: &RestExtent, with_norms: bool) {
        let linear = skin.blending() == Blending::Linear;
        let joint = |map: &DAffine3| {
            let columns = to_f32(map);
            let (row_lengths, norm) = match linear {
                true if with_norms => (row_lengths(&columns), round_up(norm(&map.matrix3))),
                true => (row_lengths(&columns), f32::INFINITY),
                false => (Vec3A::splat(ROTATION_NORM), ROTATION_NORM),
            };
            Joint { columns, row_lengths, rotation: Vec4::W, norm }
        };
        self.fill(skin, extent, skin.joints(), joint);
        // A rigid joint and the given one have the same image of the joint's anchor, and their matrices
        // differ by at most 9 times the skew, as `rigid_joint` shows. Vertices and anchors are
        // within `reach` along each axis, and the centre of an oriented box is at most
        // 3 times `reach` from the origin. So the two images differ by at most 43 times skew times reach.
        self.image_error_per_skew = round_up(48.0 * extent.reach);
    }

    /// The pose of the rigid joints of a skin.
    pub(super) fn of_rigid_joints(skin: &Skin, extent: &RestExtent) -> Self {
        let mut made = Self::default();
        let joint = |joint: &RigidJoint| Joint {
            columns: to_f32(&joint.map),
            row_lengths: Vec3A::splat(ROTATION_NORM),
            rotation: joint.rotation.as_vec4(),
            norm: ROTATION_NORM,
        };
        made.fill(skin, extent, skin.rigid_joints(), joint);
        made
    }

    #[inline(always)]
    fn fill<T>(
        &mut self,
        skin: &Skin,
        extent: &RestExtent,
        joints: &[T],
        in_f32: impl Fn(&T) -> Joint,
    ) {
        let mut reach = self.take_morph_weights(skin, extent);
        if skin.blending() != Blending::Linear {
            // Rotation centres are at most the reach of their set away from its anchor.
            reach += extent.set_reach;
        }
        self.joints.resize(joints.len(), Joint::ZERO);
        for (own, joint) in self.joints.iter_mut().zip(joints) {
            *own = in_f32(joint);
        }
        self.measure(skin, reach, 1.0, 0.0);
    }

    /// Takes the weights of the morph targets. Returns an upper bound of the vertices' coordinates
    /// before the joints.
    #[inline]
    fn take_morph_weights(&mut self, skin: &Skin, extent: &RestExtent) -> f64 {
        let weights = skin.morph_weights();
        self.morph_weights.clear();
        self.morph_weights.extend(weights.iter().map(|&weight| weight as f32));
        let morphed = weights.iter().zip(&extent.targets).map(|(weight, most)| weight.abs() * most);
        extent.reach + morphed.sum::<f64>()
    }

    /// The same pose of a linear skin in a frame with this origin and these orthonormal axes.
    /// Magnitudes are doubled, and `room` is added to every bound.
    pub(super) fn in_frame(
        &self,
        skin: &Skin,
        extent: &RestExtent,
        axes: Mat3A,
        origin: DVec3,
        room: f64,
    ) -> Self {
        let mut made = Self::default();
        let reach = made.take_morph_weights(skin, extent);
        let in_frame = |(own, map): (&Joint, &DAffine3)| {
            let [x, y, z, _] = own.columns;
            let translation = axes * (map.translation - origin).as_vec3a();
            let columns = [axes * x, axes * y, axes * z, translation];
            let row_lengths = row_lengths(&columns);
            Joint { columns, row_lengths, rotation: Vec4::W, norm: f32::INFINITY }
        };
        made.joints.extend(self.joints.iter().zip(skin.joints()).map(in_frame));
        made.measure(skin, reach, 2.0, room);
        made
    }

    /// Takes the magnitudes of the joints.
    #[inline(always)]
    fn measure(&mut self, skin: &Skin, reach: f64, factor: f64, room: f64) {
        let [mut growth, mut away] = [Vec3A::ZERO; 2];
        for joint in &self.joints {
            let [x, y, z, translation] = joint.columns;
            growth = growth.max(x.abs() + y.abs() + z.abs());
            away = away.max(translation.abs());
        }
        // Covers what `f32` lost: three roundings of 2^-24, and underflow.
        let above = |most: Vec3A| {
            f64::from(most.max_element()) * f64::from(1.0 + F32_SLACK)
                + f64::from(f32::MIN_POSITIVE)
        };
        let [growth, away] = [growth, away].map(above);
        let magnitude = factor * (growth * reach + away);
        let weights = skin.morph_weights();
        let largest = weights.iter().fold(reach.max(growth), |most, weight| most.max(weight.abs()));
        self.bounded = magnitude.max(largest) < MAX_MAGNITUDE && room < MAX_MAGNITUDE;
        self.magnitude = round_up(magnitude);
        self.growth = round_up(factor * growth);
        // In `f64`, where the factor is a normal number: subnormal numbers cost a hundred times as much.
        let underflow = largest * f64::from(UNDERFLOW) + f64::from(f32::MIN_POSITIVE);
        self.underflow = round_up(underflow + room);
    }
}

/// The images of the axes, and the translation, rounded to nearest.
#[inline]
fn to_f32(map: &DAffine3) -> [Vec3A; 4] {
    let DMat3 { x_axis, y_axis, z_axis } = map.matrix3;
    [x_axis, y_axis, z_axis, map.translation].map(|column| column.as_vec3a())
}

/// Upper bounds of the lengths of a matrix's rows: along an axis no vector grows by more.
///
/// Squares of entries that were rounded once err by 3 * 2^-24, their sums by two roundings more,
/// and the root by half of all that and its own rounding: less than 4 * 2^-24. Entries
/// whose squares underflow are below 1e-22.
#[inline]
fn row_lengths([x, y, z, _]: &[Vec3A; 4]) -> Vec3A {
    let squares = *x * *x + *y * *y + *z * *z;
    // With four numbers the roots are one instruction.
    let lengths = Vec4::from_array(squares.extend(0.0).to_array().map(f32::sqrt));
    Vec3A::from_vec4(lengths) * (1.0 + F32_SLACK) + Vec3A::splat(1e-21)
}

/// An upper bound of a matrix's norm: its square is at most the largest sum of magnitudes in a row of
/// M^T M. For a rotation that is 1.
fn norm(matrix: &DMat3) -> f64 {
    let DMat3 { x_axis, y_axis, z_axis } = matrix.transpose() * *matrix;
    let sums = x_axis.abs() + y_axis.abs() + z_axis.abs();
    sums.max_element().sqrt() * (1.0 + F64_SLACK)
}

/// The length of a vector. Squares of tiny numbers underflow; the sum of the components is then an
/// upper bound.
#[inline(always)]
pub(super) fn length(v: Vec3A) -> f32 {
    let sides = v.abs();
    if sides.max_element() < 1e-15 { sides.element_sum() } else { sides.length() }
}
