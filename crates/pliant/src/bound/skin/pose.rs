//! A pose as the bounds of a skin want it: in `f32`, with the magnitudes involved.

use glam::{DAffine3, DMat3, DVec3, Mat3A, Vec3A, Vec4};

use crate::Mesh;
use crate::deform::{Binding, Blending, RigidJoint, Skin};
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
    /// Everything to the origin.
    const ZERO: Self =
        Self { columns: [Vec3A::ZERO; 4], rows: Vec3A::ZERO, rotation: Vec4::W, norm: 0.0 };

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
    /// The joints: for linear blending as they are. The others blend rigid joints, and there are
    /// two such lists: of the joints as they were given, and of the rigid ones.
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
    /// How far the image of a vertex, or of the middle of some, by a given joint may be from that by
    /// the rigid one, for each unit of skew.
    pub(super) off_by_skew: f32,
    /// How far each two joints are turned against one another, where somebody asks.
    pub(super) turns: Vec<f32>,
}

/// What poses need to know of a skin at rest.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    /// The largest coordinate.
    reach: f64,
    /// The largest reach of a joint set.
    set_reach: f64,
    /// The largest displacement of each morph target along an axis.
    targets: Vec<f64>,
    /// A vertex near the middle, and the joint that moves it most.
    middle: Option<(u32, DVec3)>,
}

impl Extent {
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

    /// Where about the middle of the skin is in a pose.
    pub(super) fn middle(&self, joints: &[DAffine3]) -> Option<DVec3> {
        let (joint, vertex) = self.middle?;
        Some(joints.get(joint as usize)?.transform_point3(vertex))
    }
}

/// A rotation lengthens nothing, but for the rounding of its matrix.
const ONE: f32 = 1.0 + F32_SLACK;

impl Pose {
    /// Takes the joints of a skin as they were given.
    pub(super) fn take(&mut self, skin: &Skin, extent: &Extent, with_norms: bool) {
        let linear = skin.blending() == Blending::Linear;
        let joint = |map: &DAffine3| {
            let columns = to_f32(map);
            let (rows, norm) = match linear {
                true if with_norms => (row_lengths(&columns), round_up(norm(&map.matrix3))),
                true => (row_lengths(&columns), f32::INFINITY),
                false => (Vec3A::splat(ONE), ONE),
            };
            Joint { columns, rows, rotation: Vec4::W, norm }
        };
        self.fill(skin, extent, skin.joints(), joint);
        // A rigid joint has the image of its anchor in common with the given one, and its matrix
        // differs by 9 times the skew at most, as `rigid_joint` shows. Vertices and anchors are
        // within the reach along each axis, and the middle of an oriented box is no farther
        // than 3 times the reach from the origin: the two images differ by 43 times skew and reach.
        self.off_by_skew = round_up(48.0 * extent.reach);
    }

    /// The pose in which the joints of a skin are the rigid ones.
    pub(super) fn rigid(skin: &Skin, extent: &Extent) -> Self {
        let mut made = Self::default();
        let joint = |joint: &RigidJoint| Joint {
            columns: to_f32(&joint.map),
            rows: Vec3A::splat(ONE),
            rotation: joint.rotation.as_vec4(),
            norm: ONE,
        };
        made.fill(skin, extent, skin.rigid(), joint);
        made
    }

    #[inline(always)]
    fn fill<T>(
        &mut self,
        skin: &Skin,
        extent: &Extent,
        joints: &[T],
        in_f32: impl Fn(&T) -> Joint,
    ) {
        let mut reach = self.take_weights(skin, extent);
        if skin.blending() != Blending::Linear {
            // Rotation centres lie at most the reach of their set away from its anchor.
            reach += extent.set_reach;
        }
        self.joints.resize(joints.len(), Joint::ZERO);
        for (own, joint) in self.joints.iter_mut().zip(joints) {
            *own = in_f32(joint);
        }
        self.measure(skin, reach, 1.0, 0.0);
    }

    /// Takes the weights of the morph targets; returns how far vertices are from the origin, along each axis.
    #[inline]
    fn take_weights(&mut self, skin: &Skin, extent: &Extent) -> f64 {
        let weights = skin.morph_weights();
        self.weights.clear();
        self.weights.extend(weights.iter().map(|&weight| weight as f32));
        let morphed = weights.iter().zip(&extent.targets).map(|(weight, most)| weight.abs() * most);
        extent.reach + morphed.sum::<f64>()
    }

    /// The same pose of a linear skin, seen from a point and along other axes, that are of length 1 and orthogonal
    /// to one another; with magnitudes twice as large, and some room around everything.
    pub(super) fn seen(
        &self,
        skin: &Skin,
        extent: &Extent,
        axes: Mat3A,
        from: DVec3,
        room: f64,
    ) -> Self {
        let mut made = Self::default();
        let reach = made.take_weights(skin, extent);
        let seen = |(own, map): (&Joint, &DAffine3)| {
            let [x, y, z, _] = own.columns;
            let translation = axes * (map.translation - from).as_vec3a();
            let columns = [axes * x, axes * y, axes * z, translation];
            Joint { columns, rows: row_lengths(&columns), rotation: Vec4::W, norm: f32::INFINITY }
        };
        made.joints.extend(self.joints.iter().zip(skin.joints()).map(seen));
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
        // What was lost in `f32`: three roundings of 2^-24, and what underflowed.
        let above = |most: Vec3A| {
            f64::from(most.max_element()) * f64::from(1.0 + F32_SLACK)
                + f64::from(f32::MIN_POSITIVE)
        };
        let [growth, away] = [growth, away].map(above);
        let magnitude = factor * (growth * reach + away);
        let weights = skin.morph_weights();
        let largest = weights.iter().fold(reach.max(growth), |most, weight| most.max(weight.abs()));
        self.bounded = magnitude.max(largest) < SKIN_RANGE && room < SKIN_RANGE;
        self.magnitude = round_up(magnitude);
        self.growth = round_up(factor * growth);
        // In `f64`, where the factor is a normal number: others cost a hundred times as much.
        let underflow = largest * f64::from(SKIN_UNDERFLOW) + f64::from(f32::MIN_POSITIVE);
        self.underflow = round_up(underflow + room);
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
    // Of four numbers, the roots are one instruction.
    let lengths = Vec4::from_array(squares.extend(0.0).to_array().map(f32::sqrt));
    Vec3A::from_vec4(lengths) * (1.0 + F32_SLACK) + Vec3A::splat(1e-21)
}

/// No vector grows by more than this: the square of a matrix's norm is at most the largest
/// sum of magnitudes in a row of M^T M. For a rotation that is 1.
fn norm(matrix: &DMat3) -> f64 {
    let DMat3 { x_axis, y_axis, z_axis } = matrix.transpose() * *matrix;
    let sums = x_axis.abs() + y_axis.abs() + z_axis.abs();
    sums.max_element().sqrt() * (1.0 + F64_SLACK)
}
