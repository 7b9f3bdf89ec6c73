//! A body whose vertices were all moved and whose boxes were all refitted.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::DVec3;

use super::Collide;
use crate::Mesh;
use crate::tree::Tree;
use crate::volume::Aabb;

/// A body of which every vertex and every box of the current state is there to be read.
///
/// Bodies whose bounds are computed on demand look up on every access whether something is known. Queries
/// that look at most of such a body read it faster in this form, and are compiled once for all kinds.
#[derive(Debug, Clone, Copy)]
pub struct Refitted<'a> {
    pub(crate) mesh: &'a Mesh,
    pub(crate) tree: &'a Tree,
    /// One per vertex of the mesh.
    pub(crate) positions: &'a [DVec3],
    /// One per node of the tree.
    pub(crate) boxes: &'a [Aabb],
    /// Sums what queries looked at.
    pub(crate) looked_at: &'a AtomicU64,
}

impl Collide for Refitted<'_> {
    type Volume = Aabb;

    #[inline]
    fn tree(&self) -> &Tree {
        self.tree
    }

    #[inline]
    fn bound(&self, node: u32) -> Aabb {
        self.boxes[node as usize]
    }

    #[inline]
    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.mesh.triangles()[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    #[inline]
    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.mesh.adjacent(first, second)
    }

    fn looked_at(&self, bounds: u64) {
        self.looked_at.fetch_add(bounds, Ordering::Relaxed);
    }
}
