//! Rest volumes carried along by a rigid motion.

use std::sync::Arc;

use glam::{Mat3A, Vec3, Vec3A};

use super::{BottomUp, Bounds, SphereForm};
use crate::deform::{Isometry, Rigid};
use crate::numeric::F32_SLACK;
use crate::tree::{BuildSettings, Tree, build_over_mesh};
use crate::volume::{Aabb, Sphere, Volume};
use crate::{Body, Mesh, Result};

/// The volumes of a mesh at rest, shared between all copies of a rigid body,
/// and the current motion in the form that suits them.
#[derive(Debug, Clone)]
pub struct Carried<R> {
    rest: Arc<[R]>,
    motion: Motion,
}

/// A box at rest as the rotation wants it: its middle and half its sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CenteredBox {
    pub(super) middle: Vec3A,
    pub(super) half: Vec3A,
}

impl From<&Aabb> for CenteredBox {
    /// The sides grow by the roundings of middle and half.
    fn from(aabb: &Aabb) -> Self {
        let middle = aabb.min * 0.5 + aabb.max * 0.5;
        let half = (aabb.max - middle).max(middle - aabb.min);
        Self { middle, half: half * (1.0 + F32_SLACK) + f32::MIN_POSITIVE }
    }
}

/// A body that moves as one, bounded by boxes: what [`Body::rigid`] makes.
pub type RigidBody = Body<Rigid, Carried<CenteredBox>>;

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
        let tree = build_over_mesh(&mesh, settings)?;
        let boxes = BottomUp::boxes(&tree, &mesh, mesh.positions());
        let reach = largest_coordinate(&boxes.volumes);
        let rest = boxes.volumes.iter().map(CenteredBox::from).collect();
        Ok(Self::carried(mesh, tree, rest, reach))
    }
}

impl Body<Rigid, Carried<Sphere>> {
    /// A rigid body at rest, bounded by spheres, which a rotation leaves as tight as they are.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting).
    pub fn rigid_spheres(mesh: Mesh, form: SphereForm, settings: &BuildSettings) -> Result<Self> {
        let tree = build_over_mesh(&mesh, settings)?;
        let spheres = BottomUp::spheres(&tree, &mesh, mesh.positions(), form);
        let reach = largest_coordinate(&spheres.volumes);
        Ok(Self::carried(mesh, tree, spheres.volumes.into(), reach))
    }
}

/// No coordinate of any of the volumes is larger. The root's do not bound the others':
/// wrapped spheres reach past their parents.
fn largest_coordinate(volumes: &[impl Volume]) -> f64 {
    let corners = volumes.iter().flat_map(Volume::corners);
    corners.map(|corner| corner.abs().max_element()).fold(0.0, f64::max)
}

impl<R> Body<Rigid, Carried<R>> {
    fn carried(mesh: Mesh, tree: Tree, rest: Arc<[R]>, reach: f64) -> Self {
        let isometry = Isometry::IDENTITY;
        Self {
            mesh: Arc::new(mesh),
            tree: Arc::new(tree),
            deformation: Rigid { isometry },
            bounds: Carried { rest, motion: Motion::new(&isometry, reach) },
            prepared: None,
        }
    }

    /// Places the body. Costs nothing a vertex and nothing a node.
    pub fn set_isometry(&mut self, isometry: Isometry) {
        self.deformation.isometry = isometry;
        self.bounds.motion = Motion::new(&isometry, self.bounds.motion.reach);
    }
}

/// An isometry prepared for carrying volumes.
#[derive(Debug, Clone, Copy)]
struct Motion {
    exact: Isometry,
    /// Whether the rotation does anything.
    turned: bool,
    rotation: Mat3A,
    /// The rotation's entries without their signs.
    spread: Mat3A,
    translation: Vec3A,
    /// What `f32` arithmetic can lose on any volume of the body.
    allowance: f32,
    /// No coordinate of a volume of the body at rest is larger.
    reach: f64,
    /// Whether all of it stays in the range of `f32`.
    bounded: bool,
}

impl Motion {
    fn new(isometry: &Isometry, reach: f64) -> Self {
        let rotation = Mat3A::from(isometry.rotation().as_mat3());
        let spread =
            Mat3A::from_cols(rotation.x_axis.abs(), rotation.y_axis.abs(), rotation.z_axis.abs());
        // A row of a rotation sums to less than the root of three.
        let magnitude = 2.0 * reach + isometry.translation().abs().max_element();
        Self {
            exact: *isometry,
            turned: rotation != Mat3A::IDENTITY,
            rotation,
            spread,
            translation: isometry.translation().as_vec3a(),
            allowance: magnitude as f32 * F32_SLACK + f32::MIN_POSITIVE,
            reach,
            bounded: magnitude < RANGE,
        }
    }
}

/// Magnitudes up to which no sum of a few can leave the range of `f32`.
const RANGE: f64 = 1e37;

impl Bounds<Rigid> for Carried<CenteredBox> {
    type Volume = Aabb;

    /// The box around the turned box.
    ///
    /// Along an axis every corner of the turned box lies within
    /// |R| h of R c + t, with middle c and half sides h. In `f32` the entries
    /// of R, t, c and h, the products and the sums are rounded, at most ten times
    /// by 2^-24 of at most |R| (|c| + h) + |t|; the computed `f64` vertices err by
    /// far less than one such rounding. The allowance, made for the largest
    /// coordinate of the whole body, covers all of it. A body that might leave the
    /// range of `f32` is not bounded at all.
    #[inline]
    fn bound(&self, _: &Rigid, node: u32) -> Aabb {
        let CenteredBox { middle, half } = self.rest[node as usize];
        let Motion { turned, rotation, spread, translation, allowance, bounded, .. } = self.motion;
        if !bounded {
            return Aabb { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };
        }
        let (center, reach) = if turned {
            (rotation * middle + translation, spread * half + Vec3A::splat(allowance))
        } else {
            (middle + translation, half + Vec3A::splat(allowance))
        };
        Aabb { min: center - reach, max: center + reach }
    }
}

impl Bounds<Rigid> for Carried<Sphere> {
    type Volume = Sphere;

    /// The sphere around the moved centre.
    ///
    /// The centre is moved in `f64` as vertices are; both err by a few 2^-53 of
    /// the magnitudes involved. Rounding the centre to `f32` costs 2^-24 of each of
    /// its coordinates, less than twice that as a length; the allowance is 2^-19 of
    /// the largest. Rounding the radius costs 2^-24 of itself, and the rotation's
    /// columns are unit vectors to within a few 2^-53.
    #[inline]
    fn bound(&self, _: &Rigid, node: u32) -> Sphere {
        let rest = &self.rest[node as usize];
        if !self.motion.bounded {
            return Sphere { center: Vec3::ZERO, radius: f32::INFINITY };
        }
        let center = self.motion.exact.apply(rest.center.as_dvec3()).as_vec3();
        let radius = rest.radius * (1.0 + F32_SLACK);
        Sphere { center, radius: radius + self.motion.allowance }
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
