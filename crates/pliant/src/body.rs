//! A body: a mesh, a deformation with its state, and bounds of that state.

mod any_body;

use std::sync::Arc;

use glam::DVec3;

use crate::Mesh;
use crate::bound::{Bounds, RayFrame};
use crate::deform::Deformation;
use crate::query::{Clearance, Prepared};
use crate::tree::Tree;
use crate::volume::{Ray, Volume};

pub use any_body::AnyBody;

/// What a query asks of a body.
///
/// [`Body`] answers for every deformation and every kind of bound; queries are
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

    /// What a ray is to ask instead of [`bound`](Self::bound), where there is something quicker;
    /// `None` is always right. What wraps a body may pass it on only if it passes on
    /// tree and corners as they are.
    fn sight(&self, ray: &Ray) -> Option<RayFrame<'_>> {
        let _ = ray;
        None
    }

    /// What is known of where the body keeps clear of itself; `None` is always right, and
    /// makes [`self_intersections`](crate::self_intersections) look everywhere.
    ///
    /// It holds for the tree, the corners and the adjacency of the [`Body`] that it is asked
    /// of: what wraps a body may pass it on only if it passes on all of these, or calls more
    /// triangles adjacent. What wraps a body and leaves this out is right too.
    fn clearance(&self) -> Option<Clearance<'_>> {
        None
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
    fn sight(&self, ray: &Ray) -> Option<RayFrame<'_>> {
        (**self).sight(ray)
    }

    #[inline]
    fn clearance(&self) -> Option<Clearance<'_>> {
        (**self).clearance()
    }
}

/// A mesh with a deformation `D` in some state, and bounds `B` of that state.
///
/// Bodies are made by one constructor a kind: [`Body::rigid`], [`Body::free`].
/// Mesh and tree are shared between clones.
#[derive(Debug, Clone)]
pub struct Body<D, B> {
    pub(crate) mesh: Arc<Mesh>,
    pub(crate) tree: Arc<Tree>,
    pub(crate) deformation: D,
    pub(crate) bounds: B,
    /// What speeds up self-intersections, if it was asked for.
    pub(crate) prepared: Option<Arc<Prepared<D>>>,
}

impl<D, B> Body<D, B> {
    /// The mesh at rest.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// How many nodes the tree has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.tree.nodes.len()
    }

    /// The deformation and its current state.
    #[must_use]
    pub fn deformation(&self) -> &D {
        &self.deformation
    }

    /// The bounds of the current state.
    #[must_use]
    pub fn bounds(&self) -> &B {
        &self.bounds
    }
}

impl<D: Deformation, B: Bounds<D>> Body<D, B> {
    /// The current position of a vertex, or `None` if there is no such vertex.
    #[must_use]
    pub fn position(&self, vertex: u32) -> Option<DVec3> {
        ((vertex as usize) < self.mesh.positions().len())
            .then(|| self.deformation.position(&self.mesh, vertex))
    }
}

impl<D: Deformation, B: Bounds<D>> Collide for Body<D, B> {
    type Volume = B::Volume;

    #[inline]
    fn tree(&self) -> &Tree {
        &self.tree
    }

    #[inline]
    fn bound(&self, node: u32) -> B::Volume {
        self.bounds.bound(&self.deformation, node)
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.deformation.triangle(&self.mesh, triangle)
    }

    #[inline]
    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.mesh.adjacent(first, second)
    }

    #[inline]
    fn sight(&self, ray: &Ray) -> Option<RayFrame<'_>> {
        self.bounds.sight(&self.mesh, &self.deformation, ray)
    }

    fn clearance(&self) -> Option<Clearance<'_>> {
        let prepared = self.prepared.as_ref()?;
        Some(prepared.clearance(&self.mesh, &self.deformation))
    }
}
