//! A body: a mesh, a deformation with its state, and bounds of that state.
//!
//! Here stands what a query asks ([`Collide`]) and what bounds answer ([`Bounds`],
//! [`RayBounds`]). The kinds of bounds, and the constructors and setters of each kind of
//! body, stand in [`bound`](crate::bound).

mod any_body;
mod as_body;
mod bounds;
mod collide;
mod ray_bounds;
mod refitted;
mod surface;

use std::sync::Arc;

use glam::DVec3;

pub use any_body::AnyBody;
pub(crate) use any_body::with_body;
pub use as_body::AsBody;
pub use bounds::Bounds;
pub use collide::Collide;
pub use ray_bounds::{FewTriangles, NodeEntry, RayBounds};
pub use refitted::Refitted;
pub use surface::Surface;

use crate::Mesh;
use crate::deform::Deformation;
use crate::tree::Tree;
use crate::volume::{Ray, Volume as _};

/// A mesh with a deformation `D` in some state, and bounds `B` of that state.
///
/// Each kind of body has its own constructors, such as [`Body::rigid`] and [`Body::free`].
/// Mesh and tree are shared between clones.
#[derive(Debug, Clone)]
pub struct Body<D, B> {
    pub(crate) mesh: Arc<Mesh>,
    pub(crate) tree: Arc<Tree>,
    pub(crate) deformation: D,
    pub(crate) bounds: B,
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

    /// Every query reads bounds here. Debug builds check that they are numbers: a NaN says nothing,
    /// and where it comes from something is out of range unnoticed.
    #[inline]
    fn bound(&self, node: u32) -> B::Volume {
        let bound = self.bounds.bound(&self.deformation, node);
        debug_assert!(
            bound.corners().iter().all(|corner| !corner.is_nan()),
            "the bound of node {node} has a NaN: {:?}, {}",
            bound.corners(),
            std::any::type_name::<B>()
        );
        bound
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
    fn for_ray(&self, ray: &Ray) -> Option<Box<dyn RayBounds + '_>> {
        self.bounds.for_ray(&self.mesh, &self.deformation, ray)
    }

    fn refitted(&self) -> Option<Refitted<'_>> {
        self.bounds.refitted(&self.mesh, &self.tree, &self.deformation)
    }

    fn looked_at(&self, bounds: u64) {
        self.bounds.looked_at(bounds);
    }
}
