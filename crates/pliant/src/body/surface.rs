//! What a query asks of a body whose triangles form a surface.

use glam::DVec3;

use super::{Body, Bounds, Collide};
use crate::Mesh;
use crate::deform::Deformation;

/// A body of which a query may ask which triangles share vertices.
///
/// Must hold: triangle `t` of [`Collide`] has the corners `mesh().triangles()[t]`, where
/// [`vertex`](Self::vertex) says.
pub trait Surface: Collide {
    /// The mesh at rest.
    fn mesh(&self) -> &Mesh;

    /// The current position of a vertex.
    ///
    /// # Panics
    /// If the vertex does not exist.
    fn vertex(&self, vertex: u32) -> DVec3;
}

impl<D: Deformation, B: Bounds<D>> Surface for Body<D, B> {
    #[inline]
    fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    #[inline]
    fn vertex(&self, vertex: u32) -> DVec3 {
        self.deformation.position(&self.mesh, vertex)
    }
}

impl<C: Surface + ?Sized> Surface for &C {
    #[inline]
    fn mesh(&self) -> &Mesh {
        (**self).mesh()
    }

    #[inline]
    fn vertex(&self, vertex: u32) -> DVec3 {
        (**self).vertex(vertex)
    }
}
