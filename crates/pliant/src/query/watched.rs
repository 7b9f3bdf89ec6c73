//! Which nodes a query looks at.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;

use crate::Mesh;
use crate::body::{AsBody, Body, Collide, Surface};
use crate::tree::Tree;

/// A body that records which of its nodes are asked for their bounds: for pictures, and to
/// see whether the cost of a method follows the contact. Any query takes it in place of the
/// body.
///
/// Rays see no [`RayBounds`](crate::bound::RayBounds) through it: they ask for bounds.
///
/// ```
/// use pliant::{Body, Isometry, Mesh, glam::DVec3, query::Watched};
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 1, 2], [0, 1, 3]])?;
/// let (still, mut moved) = (Body::rigid(mesh.clone())?, Body::rigid(mesh)?);
/// moved.set_isometry(Isometry::from_translation(DVec3::X * 9.0)?);
/// let watched = Watched::new(&still);
/// assert!(pliant::intersects(&watched, &moved).pair.is_none());
/// assert_eq!(watched.visited(), [true, false, false]); // the root was enough
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug)]
pub struct Watched<'a, C> {
    body: &'a C,
    seen: Vec<AtomicBool>,
}

impl<'a, C: Collide> Watched<'a, C> {
    /// Watches a body. No node counts as visited yet.
    pub fn new(body: &'a C) -> Self {
        let seen = body.tree().nodes.iter().map(|_| AtomicBool::new(false)).collect();
        Self { body, seen }
    }

    /// For each node, whether its bound was asked for.
    #[must_use]
    pub fn visited(self) -> Vec<bool> {
        self.seen.into_iter().map(AtomicBool::into_inner).collect()
    }
}

impl<C: Collide> Collide for Watched<'_, C> {
    type Volume = C::Volume;

    fn tree(&self) -> &Tree {
        self.body.tree()
    }

    fn bound(&self, node: u32) -> C::Volume {
        self.seen[node as usize].store(true, Ordering::Relaxed);
        self.body.bound(node)
    }

    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.body.triangle(triangle)
    }

    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.body.adjacent(first, second)
    }
}

impl<C: Surface> Surface for Watched<'_, C> {
    fn mesh(&self) -> &Mesh {
        self.body.mesh()
    }

    fn vertex(&self, vertex: u32) -> DVec3 {
        self.body.vertex(vertex)
    }
}

impl<C: AsBody> AsBody for Watched<'_, C> {
    type Deformation = C::Deformation;
    type Bounds = C::Bounds;

    fn as_body(&self) -> &Body<C::Deformation, C::Bounds> {
        self.body.as_body()
    }
}
