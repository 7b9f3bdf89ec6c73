//! Bodies whose positions are given for every state, refitted bottom-up.

use std::mem;
use std::sync::Arc;

use glam::Vec3;

use super::{BottomUp, Bounds, PositionsMut, SphereForm};
use crate::deform::Free;
use crate::shape::{Position, check_finite};
use crate::tree::{BuildSettings, build_over_mesh};
use crate::volume::{Aabb, Fit, Sphere};
use crate::{Body, Error, Mesh, Result};

impl<V: Fit, P: Position> Bounds<Free<P>> for BottomUp<V> {
    type Volume = V;

    #[inline]
    fn bound(&self, _: &Free<P>, node: u32) -> V {
        self.volumes()[node as usize]
    }
}

/// A body whose positions are given for every state, bounded by boxes: what [`Body::free`] makes.
pub type FreeBody = Body<Free, BottomUp<Aabb>>;

/// A body whose positions are given for every state in `f32`: what [`Body::free_f32`] makes.
pub type FreeBodyF32 = Body<Free<Vec3>, BottomUp<Aabb>>;

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

impl FreeBodyF32 {
    /// A freely deforming body that stores its positions in `f32`, for files, engines and caches that do:
    /// half the memory, and nothing is converted. Everything is decided exactly on these values. It begins
    /// at the rest positions, each coordinate rounded to the nearest `f32`.
    ///
    /// ```
    /// use pliant::{Body, Mesh, glam::{DVec3, Vec3}};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let floor = Body::rigid(mesh.clone())?;
    /// let mut sheet = Body::free_f32(mesh)?;
    /// assert_eq!(pliant::intersections(&floor, &sheet).pairs, [[0, 0]]);
    /// sheet.set_positions(&[Vec3::Z, Vec3::X + Vec3::Z, Vec3::Y + Vec3::Z])?;
    /// assert!(pliant::intersections(&floor, &sheet).pairs.is_empty());
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NonFinitePosition`] if a rest position is beyond `f32`.
    pub fn free_f32(mesh: Mesh) -> Result<Self> {
        Self::free_f32_with(mesh, &BuildSettings::default())
    }

    /// As [`Body::free_f32`], with a tree of the caller's choice.
    ///
    /// # Errors
    /// Those of [`Body::free_f32`] and [`Error::InvalidSetting`].
    pub fn free_f32_with(mesh: Mesh, settings: &BuildSettings) -> Result<Self> {
        Self::made(mesh, SphereForm::Layered, settings)
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
        Self::made(mesh, form, settings)
    }
}

impl<V: Fit, P: Position> Body<Free<P>, BottomUp<V>> {
    fn made(mesh: Mesh, form: SphereForm, settings: &BuildSettings) -> Result<Self> {
        let positions: Vec<P> = mesh.positions().iter().map(|&p| P::nearest(p)).collect();
        check_finite(&positions)?;
        let tree = build_over_mesh(&mesh, settings)?;
        let bounds = BottomUp::new(&tree, &mesh, &positions, form);
        let deformation = Free::new(positions);
        Ok(Self { mesh: Arc::new(mesh), tree: Arc::new(tree), deformation, bounds })
    }

    /// Moves all vertices and refits all volumes. On an error nothing has changed.
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::NonFinitePosition`].
    pub fn set_positions(&mut self, positions: &[P]) -> Result<()> {
        self.check_count(positions)?;
        if !self.deformation.set(positions) {
            return check_finite(positions);
        }
        self.bounds.refit(&self.tree, self.deformation.positions());
        Ok(())
    }

    /// As [`Body::set_positions`], without a copy: takes the positions, and gives the old ones in their
    /// place. On an error neither the body nor `positions` has changed.
    ///
    /// ```
    /// # use pliant::{Body, Mesh, glam::DVec3};
    /// # let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut sheet = Body::free(mesh)?;
    /// let mut positions = vec![DVec3::Z; 3];
    /// sheet.swap_positions(&mut positions)?;
    /// assert_eq!(sheet.position(1), Some(DVec3::Z));
    /// assert_eq!(positions, [DVec3::ZERO, DVec3::X, DVec3::Y]);
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Body::set_positions`].
    pub fn swap_positions(&mut self, positions: &mut Vec<P>) -> Result<()> {
        self.check_count(positions)?;
        if !P::all_finite(positions) {
            return check_finite(positions);
        }
        let before = self.deformation.exchange(mem::take(positions));
        *positions = before.unwrap_or_else(|shared| shared.to_vec());
        self.bounds.refit(&self.tree, self.deformation.positions());
        Ok(())
    }

    /// The positions, to be written in place. The body moves when the writing
    /// [ends](PositionsMut::finish).
    ///
    /// ```
    /// # use pliant::{Body, Mesh, glam::DVec3};
    /// # let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let mut sheet = Body::free(mesh)?;
    /// let mut positions = sheet.positions_mut();
    /// positions[2] += DVec3::Z;
    /// positions.finish()?;
    /// assert_eq!(sheet.position(2), Some(DVec3::new(0.0, 1.0, 1.0)));
    /// # Ok::<(), pliant::Error>(())
    /// ```
    pub fn positions_mut(&mut self) -> PositionsMut<'_, V, P> {
        PositionsMut::new(self)
    }

    fn check_count(&self, positions: &[P]) -> Result<()> {
        let (given, expected) = (positions.len(), self.mesh.positions().len());
        match given == expected {
            true => Ok(()),
            false => Err(Error::CountMismatch { what: "positions", expected, given }),
        }
    }
}
