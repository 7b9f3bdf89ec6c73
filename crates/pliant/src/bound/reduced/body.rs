//! Reduced bodies: constructors and setters.

use std::sync::Arc;

use glam::DAffine3;

use super::{BoundedDeformation, BoxTable, Center, SphereTable, Table};
use crate::deform::{Modes, Reduced};
use crate::tree::{BuildSettings, build_over_mesh};
use crate::{Body, Error, Mesh, Result};

/// A body that deforms by modes, bounded by boxes: what [`Body::reduced`] makes.
pub type ReducedBody = Body<Reduced, BoundedDeformation<BoxTable>>;

impl ReducedBody {
    /// A body that deforms by modes, in its rest shape, bounded by boxes, with a tree of small
    /// leaves ([`BuildSettings::SMALL_LEAVES`]).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::{Body, Mesh, deform::Modes, glam::DVec3};
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let floor = Body::rigid(mesh.clone())?;
    /// // One mode: the first corner goes up, and so does, half as far, the second.
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
        // A tenth faster than one triangle a leaf where the curtain is in contact, and as fast
        // apart; four or eight children a node take twice as long.
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
        let table = BoxTable::new(Arc::clone(&mesh), Arc::clone(&tree), deformation.modes());
        let bounds = BoundedDeformation::new(table, tree.nodes.len(), &deformation);
        Ok(Self { mesh, tree, deformation, bounds, prepared: None })
    }
}

impl Body<Reduced, BoundedDeformation<SphereTable>> {
    /// A body that deforms by modes, in its rest shape, bounded by spheres: the tree
    /// of the paper. Boxes are faster where bodies are in contact.
    ///
    /// # Errors
    /// Those of [`Body::reduced`] and [`Error::InvalidSetting`].
    pub fn reduced_spheres(
        mesh: Mesh,
        modes: Arc<Modes>,
        center: Center,
        settings: &BuildSettings,
    ) -> Result<Self> {
        let deformation = Reduced::new(&mesh, modes)?;
        let tree = build_over_mesh(&mesh, settings)?;
        let table = SphereTable::new(&mesh, &tree, deformation.modes(), center);
        let bounds = BoundedDeformation::new(table, tree.nodes.len(), &deformation);
        Ok(Self { mesh: Arc::new(mesh), tree: Arc::new(tree), deformation, bounds, prepared: None })
    }
}

impl Body<Reduced, BoundedDeformation<SphereTable>> {
    /// The same body with the spheres of a level as contact proxies: coarser spheres are
    /// enlarged to contain them in every state (section 3.4), so that
    /// [`proxy_contacts`](crate::query::proxy_contacts) at that level misses none.
    #[must_use]
    pub fn with_proxies(mut self, level: u32) -> Self {
        Arc::make_mut(&mut self.bounds.table).wrap_proxies(&self.tree, level);
        self.bounds.memo.forget();
        self
    }
}

impl<T: Table> Body<Reduced, BoundedDeformation<T>> {
    /// Deforms the body: O(modes), no vertex and no node is touched. On an error nothing has
    /// changed.
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::NonFiniteCoordinate`], [`Error::OutOfRange`].
    pub fn set_coordinates(&mut self, q: &[f64]) -> Result<()> {
        self.set_state(q, self.deformation.frame())
    }

    /// Places the body; the frame may turn, scale and shear. On an error nothing has changed.
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

    /// The same body with bounds that reach `error` further, in the body's own space.
    ///
    /// For modes that stand for something else up to an error, such as the principal components
    /// of an animation with their largest vertex error: bounds then contain the original's
    /// vertices too, so that bodies whose bounds are apart are apart in the original, and
    /// [`proxy_contacts`](crate::query::proxy_contacts) miss no contact of it. Triangles
    /// are tested where the modes put them: pairs are those of the reduced body.
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
