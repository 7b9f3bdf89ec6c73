//! Any affine motion: what a node of a file does to its mesh.

use glam::{DAffine3, DVec3};

use super::{Deformation, row_sums};
use crate::limits::MAX_REACH;
use crate::{Error, Mesh, Result};

/// A mesh under an affine map, which may turn, scale, shear, mirror and flatten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    map: DAffine3,
    /// The largest coordinate of the mesh at rest.
    reach: f64,
}

impl Affine {
    /// The mesh at rest.
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let largest = mesh.positions().iter().map(|p| p.abs().max_element());
        Self { map: DAffine3::IDENTITY, reach: largest.fold(0.0, f64::max) }
    }

    /// The map from the mesh at rest to the world.
    #[must_use]
    pub fn map(&self) -> DAffine3 {
        self.map
    }

    /// No coordinate of a vertex at rest is larger.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// Takes a new map. On an error nothing has changed.
    ///
    /// No vertex exceeds [`MAX_REACH`], so that no product or sum on the way to a vertex
    /// overflows.
    ///
    /// # Errors
    /// Those of [`Body::set_map`](crate::Body::set_map).
    pub(crate) fn set(&mut self, map: DAffine3) -> Result<()> {
        let m = &map.matrix3;
        for vector in [m.x_axis, m.y_axis, m.z_axis, map.translation] {
            if !vector.is_finite() {
                let (what, vector) = ("column of the map", vector.to_array());
                return Err(Error::InvalidVector { what, vector, reason: "not finite" });
            }
        }
        let reach = row_sums(&map).max_element() * self.reach + map.translation.abs().max_element();
        // A product of infinity and zero is NaN, which is refused too.
        if reach > MAX_REACH || reach.is_nan() {
            return Err(Error::OutOfRange { reach });
        }
        self.map = map;
        Ok(())
    }
}

impl Deformation for Affine {
    #[inline]
    fn position(&self, mesh: &Mesh, vertex: u32) -> DVec3 {
        self.map.transform_point3(mesh.positions()[vertex as usize])
    }
}
