//! Bodies whose positions are given for every state, refitted bottom-up.

use std::sync::Arc;

use glam::DVec3;

use super::{BottomUp, Bounds, SphereForm};
use crate::deform::Free;
use crate::shape::check_finite;
use crate::tree::{BuildSettings, build_over_mesh};
use crate::volume::{Aabb, Fit, Sphere};
use crate::{Body, Error, Mesh, Result};

impl<V: Fit> Bounds<Free> for BottomUp<V> {
    type Volume = V;

    #[inline]
    fn bound(&self, _: &Free, node: u32) -> V {
        self.volumes()[node as usize]
    }
}

/// A body whose positions are given for every state, bounded by boxes: what [`Body::free`] makes.
pub type FreeBody = Body<Free, BottomUp<Aabb>>;

impl FreeBody {
    /// A freely deforming body in its rest shape, bounded by boxes.
    ///
    /// ```
    /// use pliant::{Body, Mesh, glam::DVec3};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let floor = Body::rigid(mesh.clone())?;
    /// let mut sheet = Body::free(mesh)?;
    /// assert_eq!(pliant::intersections(&floor, &sheet).pairs, [[0, 0]]);
    /// sheet.set_positions(&[DVec3::Z, DVec3::X + DVec3::Z, DVec3::Y + DVec3::Z])?;
    /// assert!(pliant::intersections(&floor, &sheet).pairs.is_empty());
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// None for a mesh that could be made; the tree's limits are the mesh's.
    pub fn free(mesh: Mesh) -> Result<Self> {
        Self::free_with(mesh, &BuildSettings::default())
    }

    /// As [`Body::free`], with a tree of the caller's choice.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn free_with(mesh: Mesh, settings: &BuildSettings) -> Result<Self> {
        Self::free_bounded(mesh, SphereForm::Layered, settings)
    }
}

impl Body<Free, BottomUp<Sphere>> {
    /// A freely deforming body in its rest shape, bounded by spheres.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn free_spheres(mesh: Mesh, form: SphereForm, settings: &BuildSettings) -> Result<Self> {
        Self::free_bounded(mesh, form, settings)
    }
}

impl<V: Fit> Body<Free, BottomUp<V>> {
    /// A freely deforming body in its rest shape, bounded by volumes of any kind.
    ///
    /// # Errors
    /// [`Error::InvalidSetting`].
    pub fn free_bounded(mesh: Mesh, form: SphereForm, settings: &BuildSettings) -> Result<Self> {
        let tree = build_over_mesh(&mesh, settings)?;
        let bounds = BottomUp::new(&tree, &mesh, mesh.positions(), form);
        let deformation = Free::new(mesh.positions().into());
        Ok(Self { mesh: Arc::new(mesh), tree: Arc::new(tree), deformation, bounds, prepared: None })
    }

    /// Moves all vertices and refits all volumes. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::NonFinitePosition`].
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<()> {
        let (given, expected) = (positions.len(), self.mesh.positions().len());
        if given != expected {
            return Err(Error::CountMismatch { what: "positions", expected, given });
        }
        if !self.deformation.set(positions) {
            return check_finite(positions);
        }
        self.bounds.refit(&self.tree, self.deformation.positions());
        Ok(())
    }
}
