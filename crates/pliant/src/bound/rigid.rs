//! Rest volumes moved by an isometry.

use std::sync::Arc;

use glam::DAffine3;

use super::one_map::{MovedAsOne, OneMap};
use super::{BottomUp, Bounds, SphereForm};
use crate::deform::{Isometry, Rigid};
use crate::tree::{BuildSettings, build_over_mesh};
use crate::volume::{Aabb, Fit, Motion, Sphere, Volume};
use crate::{Body, Mesh, Result};

/// The volumes of a mesh at rest, which all clones of a rigid body share, and the current motion.
///
/// The volume of a node is computed when it is asked for: the image of its rest volume.
#[derive(Debug, Clone)]
pub struct RigidBounds<V: Fit> {
    rest: Arc<[V::Rest]>,
    /// No coordinate of a volume at rest is larger.
    reach: f64,
    map: V::Map,
    /// Whether the images of all volumes stay in the range of `f32`.
    bounded: bool,
}

/// A body that moves as one, bounded by boxes: what [`Body::rigid`] makes.
pub type RigidBody = Body<Rigid, RigidBounds<Aabb>>;

impl RigidBody {
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
        Self::rigid_bounded(mesh, SphereForm::Layered, settings)
    }
}

impl Body<Rigid, RigidBounds<Sphere>> {
    /// A rigid body at rest, bounded by spheres. A rotation leaves them as tight as they are.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn rigid_spheres(mesh: Mesh, form: SphereForm, settings: &BuildSettings) -> Result<Self> {
        Self::rigid_bounded(mesh, form, settings)
    }
}

impl<V: Fit> Body<Rigid, RigidBounds<V>> {
    /// A rigid body at rest, bounded by volumes of any kind.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn rigid_bounded(mesh: Mesh, form: SphereForm, settings: &BuildSettings) -> Result<Self> {
        let tree = build_over_mesh(&mesh, settings)?;
        let fitted: BottomUp<V> = BottomUp::new(&tree, &mesh, mesh.positions(), form);
        let reach = largest_coordinate(fitted.volumes());
        let rest = fitted.volumes().iter().map(Fit::at_rest).collect();
        let isometry = Isometry::IDENTITY;
        Ok(Self {
            mesh: Arc::new(mesh),
            tree: Arc::new(tree),
            deformation: Rigid { isometry },
            bounds: RigidBounds::new(rest, reach, DAffine3::IDENTITY),
        })
    }

    /// Places the body. Costs nothing per vertex and nothing per node.
    pub fn set_isometry(&mut self, isometry: Isometry) {
        self.deformation.isometry = isometry;
        let (matrix3, translation) = (isometry.rotation(), isometry.translation());
        let map = DAffine3 { matrix3, translation };
        let RigidBounds { rest, reach, .. } = &self.bounds;
        self.bounds = RigidBounds::new(Arc::clone(rest), *reach, map);
    }
}

impl<V: Fit> RigidBounds<V> {
    fn new(rest: Arc<[V::Rest]>, reach: f64, map: DAffine3) -> Self {
        let motion = Motion::rigid(map, reach);
        Self { rest, reach, map: V::map(&motion), bounded: motion.is_bounded() }
    }
}

impl MovedAsOne for RigidBody {
    fn one_map(&self) -> OneMap<'_> {
        let isometry = self.deformation.isometry;
        let (matrix3, translation) = (isometry.rotation(), isometry.translation());
        let map = DAffine3 { matrix3, translation };
        OneMap { rest: &self.bounds.rest, reach: self.bounds.reach, map }
    }
}

/// No coordinate of any of the volumes is larger. All are asked, because the root's volume need not
/// contain the others: wrapped spheres reach past their parents.
pub(super) fn largest_coordinate(volumes: &[impl Volume]) -> f64 {
    let corners = volumes.iter().flat_map(Volume::corners);
    corners.map(|corner| corner.abs().max_element()).fold(0.0, f64::max)
}

impl<V: Fit> Bounds<Rigid> for RigidBounds<V> {
    type Volume = V;

    #[inline]
    fn bound(&self, _: &Rigid, node: u32) -> V {
        if self.bounded { V::moved(&self.rest[node as usize], &self.map) } else { V::EVERYWHERE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};
    use proptest::prelude::*;

    proptest! {
        /// One triangle, any placement, any scale: the bound holds what is computed.
        #[test]
        fn moved_volumes_contain_the_moved_vertices(
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
