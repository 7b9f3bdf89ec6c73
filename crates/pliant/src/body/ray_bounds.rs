//! What bounds can tell one ray better than by the volumes of nodes.

use glam::DVec3;

use crate::volume::Ray;

/// What bounds can tell one ray better than by the volumes of nodes.
///
/// A ray visits few nodes, mostly once. For such a query there may be something quicker or
/// tighter than a volume that serves every query. [`Bounds::for_ray`](super::Bounds::for_ray)
/// makes it for one ray.
///
/// Guarantee: a ray query that skips what this says it may skip has the same answer.
pub trait RayBounds {
    /// Where the ray may enter a node. `ray` is the ray for which these bounds were made.
    fn entry(&self, ray: &Ray, node: u32) -> NodeEntry;

    /// All triangles below a node, if they are so few that it is quicker to test them all
    /// than to bound them.
    ///
    /// In that case the current positions of their vertices replace what is in `positions`.
    fn few_below(&self, node: u32, positions: &mut Vec<DVec3>) -> Option<FewTriangles<'_>>;
}

/// Where a ray may enter a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NodeEntry {
    /// Nothing is known: ask the volume of the node.
    Unknown,
    /// The ray hits no triangle below the node.
    Missed,
    /// The ray hits no triangle below the node at a computed `t` less than this.
    From(f64),
}

/// All triangles below a node.
#[derive(Debug, Clone, Copy)]
pub struct FewTriangles<'a> {
    /// The vertices of the triangles, each once.
    pub vertices: &'a [u32],
    /// The numbers of the triangles.
    pub numbers: &'a [u32],
    /// The corners of each triangle, as indices into `vertices`.
    pub corners: &'a [[u8; 3]],
}
