//! Reduced bodies: constructors and setters.

use std::sync::Arc;

use glam::DAffine3;

use super::rest_table::fit_any;
use super::{
    BoundedDeformation, BoxTable, ReducedBounds, RestTable, RowUnits, SphereCenter, Table,
};
use crate::deform::{Modes, Reduced};
use crate::tree::{BuildSettings, build_over_mesh};
use crate::volume::{Aabb, Fit, Sphere};
use crate::{Body, Error, Mesh, Result};

/// A body that deforms by modes, bounded by boxes. Made by [`Body::reduced`].
pub type ReducedBody = Body<Reduced, BoundedDeformation<Aabb, BoxTable>>;

impl ReducedBody {
    /// A body that deforms by modes, in its rest shape, bounded by boxes, with a tree of small
    /// leaves ([`BuildSettings::SMALL_LEAVES`]).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::{Body, Mesh, deform::Modes, glam::DVec3};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let floor = Body::rigid(mesh.clone())?;
    /// // One mode: the first corner goes up, and the second half as far.
    /// let modes = Modes::from_fields(3, &[vec![DVec3::Z, 0.5 * DVec3::Z, DVec3::ZERO]])?;
    /// let mut sheet = Body::reduced(mesh, Arc::new(modes))?;
    /// sheet.set_coordinates(&[3.0])?; // no vertex is touched
    /// assert_eq!(sheet.position(1), Some(DVec3::new(1.0, 0.0, 1.5)));
    /// assert_eq!(pliant::intersections(&floor, &sheet).pairs, [[0, 0]]); // in the third corner
    /// # Ok::<(), pliant::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the modes have another number of vertices than the mesh,
    /// [`Error::TooMany`] above [`MAX_MODES`](crate::limits::MAX_MODES) modes.
    pub fn reduced(mesh: Mesh, modes: Arc<Modes>) -> Result<Self> {
        // Measured on the curtain: a tenth faster in contact than one triangle per leaf, and as
        // fast apart. Four or eight children per node take longer.
        Self::reduced_with(mesh, modes, &BuildSettings::SMALL_LEAVES)
    }

    /// As [`Body::reduced`], with a tree of the caller's choice.
    ///
    /// # Errors
    /// Those of [`Body::reduced`] and [`Error::InvalidSetting`].
    pub fn reduced_with(mesh: Mesh, modes: Arc<Modes>, settings: &BuildSettings) -> Result<Self> {
        let deformation = Reduced::new(&mesh, modes)?;
        let tree = Arc::new(build_over_mesh(&mesh, settings)?);
        let mesh = Arc::new(mesh);
        let units = RowUnits::new(&deformation);
        let modes = deformation.modes();
        let table = BoxTable::new(Arc::clone(&mesh), Arc::clone(&tree), modes, &units);
        let bounds = BoundedDeformation::new(table, units, tree.nodes.len(), &deformation);
        Ok(Self { mesh, tree, deformation, bounds })
    }
}

impl Body<Reduced, BoundedDeformation<Sphere>> {
    /// A body that deforms by modes, in its rest shape, bounded by spheres: the BD-Tree of the
    /// paper. Boxes are faster where bodies are in contact.
    ///
    /// # Errors
    /// Those of [`Body::reduced`] and [`Error::InvalidSetting`].
    pub fn reduced_spheres(
        mesh: Mesh,
        modes: Arc<Modes>,
        center: SphereCenter,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let deformation = Reduced::new(&mesh, modes)?;
        let tree = build_over_mesh(&mesh, settings)?;
        let units = RowUnits::new(&deformation);
        let table = RestTable::around(&mesh, &tree, deformation.modes(), &units, center);
        let bounds = BoundedDeformation::new(table, units, tree.nodes.len(), &deformation);
        Ok(Self { mesh: Arc::new(mesh), tree: Arc::new(tree), deformation, bounds })
    }
}

impl<V: Fit> Body<Reduced, BoundedDeformation<V>> {
    /// A body that deforms by modes, in its rest shape, bounded by volumes of any kind.
    ///
    /// # Errors
    /// Those of [`Body::reduced`] and [`Error::InvalidSetting`].
    pub fn reduced_bounded(
        mesh: Mesh,
        modes: Arc<Modes>,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let deformation = Reduced::new(&mesh, modes)?;
        let tree = build_over_mesh(&mesh, settings)?;
        let modes = deformation.modes();
        let units = RowUnits::new(&deformation);
        let table = RestTable::new(&mesh, &tree, modes, &units, fit_any::<V>(modes));
        let bounds = BoundedDeformation::new(table, units, tree.nodes.len(), &deformation);
        Ok(Self { mesh: Arc::new(mesh), tree: Arc::new(tree), deformation, bounds })
    }
}

impl<B: ReducedBounds> Body<Reduced, B> {
    /// Deforms the body in O(modes). No vertex and no node is touched. On an error nothing
    /// changes.
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::NonFiniteCoordinate`], [`Error::OutOfRange`].
    pub fn set_coordinates(&mut self, q: &[f64]) -> Result<()> {
        self.set_state(q, self.deformation.frame())
    }

    /// Places the body. The frame may rotate, scale and shear. On an error nothing changes.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] for a frame that is not finite, [`Error::OutOfRange`].
    pub fn set_frame(&mut self, frame: DAffine3) -> Result<()> {
        self.deformation.set(None, frame)?;
        self.bounds.follow(&self.deformation);
        Ok(())
    }

    /// [`Body::set_coordinates`] and [`Body::set_frame`] at once.
    ///
    /// # Errors
    /// Those of both.
    pub fn set_state(&mut self, q: &[f64], frame: DAffine3) -> Result<()> {
        self.deformation.set(Some(q), frame)?;
        self.bounds.follow(&self.deformation);
        Ok(())
    }
}

impl<V: Fit, T: Table> Body<Reduced, BoundedDeformation<V, T>> {
    /// The same body with bounds that reach `error` further, in the body's own space.
    ///
    /// For modes that approximate something else, such as the principal components of an animation
    /// with their largest vertex error. Bounds then contain the vertices of the original too:
    /// bodies whose bounds are apart are apart in the original, and
    /// [`proxy_contacts`](crate::query::proxy_contacts) misses no contact of it. Triangles are
    /// tested where the modes put them, so pairs are those of the reduced body.
    ///
    /// # Errors
    /// [`Error::InvalidAllowance`] if it is negative or not finite.
    pub fn with_error(mut self, error: f64) -> Result<Self> {
        if !(error >= 0.0 && error.is_finite()) {
            return Err(Error::InvalidAllowance { error });
        }
        self.bounds.error = error;
        self.bounds.follow(&self.deformation);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collide;
    use crate::test_meshes::bumpy_sheet;
    use glam::DVec3;

    fn modes(mesh: &Mesh) -> Arc<Modes> {
        let lift = mesh.positions().iter().map(|p| DVec3::Z * p.x).collect();
        Arc::new(Modes::from_fields(mesh.positions().len(), &[lift]).unwrap())
    }

    #[test]
    fn clones_share_their_tables() {
        let mesh = bumpy_sheet(9, 0.0);
        let body = Body::reduced(mesh.clone(), modes(&mesh)).unwrap();
        let mut other = body.clone();
        other.set_coordinates(&[2.0]).unwrap();
        assert!(Arc::ptr_eq(&body.bounds.table, &other.bounds.table));
        assert!(Arc::ptr_eq(body.deformation.modes(), other.deformation.modes()));
        assert_ne!(body.bound(0), other.bound(0));
        let settings = BuildSettings::default();
        let center = SphereCenter::Mean;
        let spheres = Body::reduced_spheres(mesh.clone(), modes(&mesh), center, &settings).unwrap();
        let wrapped = spheres.clone().with_proxies(3);
        assert!(Arc::ptr_eq(&spheres.bounds.table, &spheres.clone().bounds.table));
        assert!(!Arc::ptr_eq(&spheres.bounds.table, &wrapped.bounds.table));
    }
}
