//! What a query asks of a body.

use glam::DVec3;

use super::{RayBounds, Refitted};
use crate::tree::Tree;
use crate::volume::{Ray, Volume};

/// What a query asks of a body.
///
/// [`Body`](super::Body) answers for every deformation and every kind of bound. Queries are
/// written against this trait alone, so that anything meets anything.
pub trait Collide: Sync {
    /// The kind of volume that encloses a node.
    type Volume: Volume;

    /// The hierarchy over the triangles.
    fn tree(&self) -> &Tree;

    /// A volume that contains every computed corner of every triangle below a node.
    fn bound(&self, node: u32) -> Self::Volume;

    /// The current corners of a triangle.
    fn triangle(&self, triangle: u32) -> [DVec3; 3];

    /// Whether two triangles of this body touch by construction.
    fn adjacent(&self, first: u32, second: u32) -> bool;

    /// What a ray asks instead of [`bound`](Self::bound), where there is something better.
    /// `None` is always right.
    ///
    /// A wrapper of a body may pass this on only if it passes on the tree and the corners
    /// unchanged.
    fn for_ray(&self, ray: &Ray) -> Option<Box<dyn RayBounds + '_>> {
        let _ = ray;
        None
    }

    /// The body in a form that is faster to read, if all of it was moved and refitted at once. `None` is
    /// always right.
    ///
    /// A wrapper of a body may pass this on only if it passes on everything else unchanged.
    fn refitted(&self) -> Option<Refitted<'_>> {
        None
    }

    /// Told by a query that descended into the body: of how many nodes of both its sides it took the
    /// bounds. A body may decide by this how it computes its next state.
    fn looked_at(&self, bounds: u64) {
        let _ = bounds;
    }
}

/// A reference collides as what it refers to. Queries over `&dyn Collide<Volume = V>` are
/// compiled once for all kinds of bodies, and call through a table.
impl<C: Collide + ?Sized> Collide for &C {
    type Volume = C::Volume;

    #[inline]
    fn tree(&self) -> &Tree {
        (**self).tree()
    }

    #[inline]
    fn bound(&self, node: u32) -> C::Volume {
        (**self).bound(node)
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        (**self).triangle(triangle)
    }

    #[inline]
    fn adjacent(&self, first: u32, second: u32) -> bool {
        (**self).adjacent(first, second)
    }

    #[inline]
    fn for_ray(&self, ray: &Ray) -> Option<Box<dyn RayBounds + '_>> {
        (**self).for_ray(ray)
    }

    #[inline]
    fn refitted(&self) -> Option<Refitted<'_>> {
        (**self).refitted()
    }

    #[inline]
    fn looked_at(&self, bounds: u64) {
        (**self).looked_at(bounds);
    }
}
