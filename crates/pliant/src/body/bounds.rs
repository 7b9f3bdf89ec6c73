//! What bounds of a body's nodes must answer.

use super::{RayBounds, Refitted};
use crate::Mesh;
use crate::tree::Tree;
use crate::volume::{Ray, Volume};

/// Volumes of a tree's nodes for the state of a deformation `D`.
///
/// As long as a body keeps its state, the same node has the same volume, and may be asked for
/// from any number of threads. Which volume that is may depend on what was asked in the
/// states before (skins deep in contact do).
///
/// Guarantee: the volume of a node contains every vertex of every triangle
/// below it as [`Deformation::position`](crate::deform::Deformation::position)
/// computes it, rounding included.
pub trait Bounds<D>: Send + Sync {
    /// The kind of volume.
    type Volume: Volume;

    /// The volume of a node of the tree that these bounds were made for.
    fn bound(&self, deformation: &D, node: u32) -> Self::Volume;

    /// What a ray asks instead of [`bound`](Self::bound). `None` is always right.
    fn for_ray<'a>(
        &'a self,
        mesh: &'a Mesh,
        deformation: &'a D,
        ray: &Ray,
    ) -> Option<Box<dyn RayBounds + 'a>> {
        let _ = (mesh, deformation, ray);
        None
    }

    /// The body, if all vertices and all boxes of the current state are known. `None` is always right.
    fn refitted<'a>(
        &'a self,
        mesh: &'a Mesh,
        tree: &'a Tree,
        deformation: &'a D,
    ) -> Option<Refitted<'a>> {
        let _ = (mesh, tree, deformation);
        None
    }

    /// See [`Collide::looked_at`](super::Collide::looked_at).
    fn looked_at(&self, bounds: u64) {
        let _ = bounds;
    }
}
