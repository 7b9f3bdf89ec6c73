//! Rest volumes carried along by a rigid motion.

use std::sync::Arc;

use glam::{Mat3A, Vec3, Vec3A};

use super::{BottomUp, Bounds, SphereForm};
use crate::deform::{Isometry, Rigid};
use crate::limits::F32_SLACK;
use crate::tree::{BuildSettings, build_over_mesh};
use crate::volume::{Aabb, Sphere};
use crate::{Body, Mesh, Result};

/// The volumes of a mesh at rest, shared between all copies of a rigid body,
/// and the current motion in the form that suits them.
#[derive(Debug, Clone)]
pub struct Carried<V> {
    rest: Arc<BottomUp<V>>,
    motion: Motion,
}

impl Body<Rigid, Carried<Aabb>> {
    /// A rigid body at rest, bounded by boxes.
    ///
    /// ```
    /// use pliant::{Body, Isometry, Mesh, glam::DVec3};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let still = Body::rigid(mesh.clone())?;
    /// let mut moved = still.clone(); // shares mesh, tree and rest volumes
    /// moved.set_isometry(Isometry::from_translation(DVec3::Z)?);
    /// assert!(pliant::intersects(&still, &moved).pair.is_none());
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// None for a mesh that could be made; the tree's limits are the mesh's.
    pub fn rigid(mesh: Mesh) -> Result<Self> {
        Self::rigid_with(mesh, &BuildSettings::default())
    }

    /// As [`Body::rigid`], with a tree of the caller's choice.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn rigid_with(mesh: Mesh, settings: &BuildSettings) -> Result<Self> {
        let tree = build_over_mesh(&mesh, settings)?;
        let rest = BottomUp::boxes(&tree, &mesh, mesh.positions());
        Ok(Self::carried(mesh, tree, rest))
    }
}

impl Body<Rigid, Carried<Sphere>> {
    /// A rigid body at rest, bounded by spheres, which a rotation leaves as tight as they are.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn rigid_spheres(mesh: Mesh, form: SphereForm, settings: &BuildSettings) -> Result<Self> {
        let tree = build_over_mesh(&mesh, settings)?;
        let rest = BottomUp::spheres(&tree, &mesh, mesh.positions(), form);
        Ok(Self::carried(mesh, tree, rest))
    }
}

impl<V> Body<Rigid, Carried<V>> {
    fn carried(mesh: Mesh, tree: crate::tree::Tree, rest: BottomUp<V>) -> Self {
        let isometry = Isometry::IDENTITY;
        Self {
            mesh: Arc::new(mesh),
            tree: Arc::new(tree),
            deformation: Rigid { isometry },
            bounds: Carried { rest: Arc::new(rest), motion: Motion::new(&isometry) },
        }
    }

    /// Places the body. Costs nothing a vertex and nothing a node.
    pub fn set_isometry(&mut self, isometry: Isometry) {
        self.deformation.isometry = isometry;
        self.bounds.motion = Motion::new(&isometry);
    }
}

/// An isometry prepared for carrying volumes.
#[derive(Debug, Clone, Copy)]
struct Motion {
    exact: Isometry,
    rotation: Mat3A,
    /// The rotation's entries without their signs.
    spread: Mat3A,
    translation: Vec3A,
    /// The sum of the translation's sides.
    reach: f64,
}

impl Motion {
    fn new(isometry: &Isometry) -> Self {
        let rotation = Mat3A::from(isometry.rotation().as_mat3());
        let spread =
            Mat3A::from_cols(rotation.x_axis.abs(), rotation.y_axis.abs(), rotation.z_axis.abs());
        Self {
            exact: *isometry,
            rotation,
            spread,
            translation: isometry.translation().as_vec3a(),
            reach: isometry.translation().abs().element_sum(),
        }
    }
}

impl Bounds<Rigid> for Carried<Aabb> {
    type Volume = Aabb;

    /// The box around the turned box.
    ///
    /// Along an axis every corner of the turned box lies within
    /// |R| h of R c + t, with middle c and half sides h. In `f32` the entries
    /// of R, t, c and h, the products and the sums are rounded, at most ten times
    /// by 2^-24 of at most |R| (|c| + h) + |t|; the computed `f64` vertices err by
    /// far less than one such rounding. The allowance covers all of it. Whatever
    /// leaves the range of `f32` on the way ends as NaN or infinity and becomes an
    /// unbounded side.
    #[inline]
    fn bound(&self, _: &Rigid, node: u32) -> Aabb {
        let rest = &self.rest.volumes[node as usize];
        let Motion { rotation, spread, translation, .. } = &self.motion;
        let middle = rest.min * 0.5 + rest.max * 0.5;
        let half = rest.max * 0.5 - rest.min * 0.5;
        let center = *rotation * middle + *translation;
        let allowance = (*spread * (middle.abs() + half) + translation.abs())
            * Vec3A::splat(F32_SLACK)
            + Vec3A::splat(f32::MIN_POSITIVE);
        let reach = *spread * half + allowance;
        let (min, max) = (center - reach, center + reach);
        Aabb {
            min: Vec3A::select(min.cmpeq(min), min, Vec3A::NEG_INFINITY),
            max: Vec3A::select(max.cmpeq(max), max, Vec3A::INFINITY),
        }
    }
}

impl Bounds<Rigid> for Carried<Sphere> {
    type Volume = Sphere;

    /// The sphere around the moved centre.
    ///
    /// The centre is moved in `f64` as vertices are; both err by a few 2^-53 of
    /// the magnitudes involved, of which 2^-44 is taken. Rounding the centre to
    /// `f32` costs 2^-24 of each of its coordinates, rounding the radius 2^-24 of
    /// itself, and the rotation's columns are unit vectors to within a few 2^-53.
    #[inline]
    fn bound(&self, _: &Rigid, node: u32) -> Sphere {
        let rest = &self.rest.volumes[node as usize];
        let center = self.motion.exact.apply(rest.center.as_dvec3());
        let size = center.abs().element_sum();
        let magnitude = rest.center.abs().element_sum() + rest.radius;
        let rounding = size * f64::from(f32::EPSILON)
            + (f64::from(magnitude) + self.motion.reach) * F64_MAGNITUDE;
        let radius = (f64::from(rest.radius) + rounding) * (1.0 + f64::from(f32::EPSILON));
        // The sum is above the range of f32 before any part of it is.
        if !(size + radius < f64::from(f32::MAX)) {
            return Sphere { center: Vec3::ZERO, radius: f32::INFINITY };
        }
        Sphere { center: center.as_vec3(), radius: radius as f32 + f32::MIN_POSITIVE }
    }
}

/// Rounding of a vertex and of a centre in `f64`, relative to the magnitudes
/// that enter: 2^-44, far more than the dozen roundings of 2^-53 that happen.
const F64_MAGNITUDE: f64 = 512.0 * f64::EPSILON;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Volume;
    use glam::{DQuat, DVec3};
    use proptest::prelude::*;

    proptest! {
        /// One triangle, any placement, any scale: the bound holds what is computed.
        #[test]
        fn carried_volumes_contain_the_moved_vertices(
            corners in proptest::array::uniform9(-1.0..1.0f64),
            turn in proptest::array::uniform4(-1.0..1.0f64),
            shift in proptest::array::uniform3(-1.0..1.0f64),
            exponents in proptest::array::uniform3(-40..40i32),
        ) {
            let [size, offset, away] = exponents.map(|e| 10f64.powi(e));
            let corner = |i: usize| {
                DVec3::new(corners[i], corners[i + 1], corners[i + 2]) * size + offset
            };
            let mesh = Mesh::new(vec![corner(0), corner(3), corner(6)], vec![[0, 1, 2]]).unwrap();
            prop_assume!(DQuat::from_array(turn).length() > 1e-3);
            let isometry =
                Isometry::new(DQuat::from_array(turn), DVec3::from_array(shift) * away).unwrap();
            let mut boxes = Body::rigid(mesh.clone()).unwrap();
            let form = SphereForm::Wrapped;
            let mut spheres =
                Body::rigid_spheres(mesh, form, &BuildSettings::default()).unwrap();
            boxes.set_isometry(isometry);
            spheres.set_isometry(isometry);
            for vertex in 0..3 {
                let p = boxes.position(vertex).unwrap();
                let aabb = boxes.bounds().bound(boxes.deformation(), 0);
                let sphere = spheres.bounds().bound(spheres.deformation(), 0);
                prop_assert!(aabb.contains_point(p), "{aabb:?} misses {p}");
                prop_assert!(sphere.contains_point(p), "{sphere:?} misses {p}");
            }
        }
    }
}
