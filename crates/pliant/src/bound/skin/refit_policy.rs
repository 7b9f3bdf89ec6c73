//! Deep in contact: all boxes of a skin at once.
//!
//! A bound from joints costs as much as fifty refitted boxes. As long as a query looks at few of
//! them that is nothing; where most of a body is looked at, pose after pose, it is better to move
//! all vertices and refit. What the last pose needed tells what the next one will.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::{DVec3, Vec3A};

use super::BottomUp;
use super::patches::Patches;
use crate::Mesh;
use crate::limits::{ALL_AT_ONCE_PATCHES, ALL_AT_ONCE_POSES, ALL_AT_ONCE_SHARE};
use crate::memo::Memo;
use crate::tree::Tree;
use crate::volume::Aabb;

/// The boxes of a skin that is moved at once, and when it is.
#[derive(Debug, Default)]
pub(super) struct AllAtOnce {
    /// The boxes of the current pose, if it was moved at once; else none.
    current: Vec<Aabb>,
    /// What makes them, and has them in between.
    boxes: Option<BottomUp<Aabb>>,
    /// Memory to work in.
    points: Vec<Vec3A>,
    /// How many patches were fitted in the current pose; two threads may count one twice.
    fits: AtomicU32,
    /// How many poses in a row are moved at once before one goes without.
    poses: u32,
    /// How many of them are left, the current one included.
    left: u32,
}

impl AllAtOnce {
    /// A patch was fitted.
    #[inline]
    pub(super) fn note_fit(&self) {
        self.fits.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether it pays to move all of the next pose at once. Called once a pose, before what is
    /// known of the last one is forgotten.
    ///
    /// What is decided does not depend on threads: patches are counted anew where it matters.
    pub(super) fn pays(&mut self, patches: &Patches, known: &Memo) -> bool {
        let was_current = !self.current.is_empty();
        if let Some(boxes) = &mut self.boxes
            && was_current
        {
            boxes.volumes = std::mem::take(&mut self.current);
        }
        let fits = std::mem::take(self.fits.get_mut()) as usize;
        if was_current {
            self.left = self.left.saturating_sub(1);
        } else {
            let many = |fits: usize| fits * ALL_AT_ONCE_SHARE >= patches.len();
            let large = patches.len() >= ALL_AT_ONCE_PATCHES;
            let deep = large && many(fits) && many(patches.fitted(known));
            self.poses = if deep { (2 * self.poses).clamp(1, ALL_AT_ONCE_POSES) } else { 0 };
            self.left = self.poses;
        }
        self.left > 0
    }

    /// Refits all boxes around positions.
    pub(super) fn refit(&mut self, tree: &Tree, mesh: &Mesh, positions: &[DVec3]) {
        let boxes = self.boxes.get_or_insert_with(|| BottomUp::boxes(tree, mesh, positions));
        boxes.refit(tree, positions, &mut self.points);
        self.current = std::mem::take(&mut boxes.volumes);
    }

    /// The boxes of the current pose, if it was moved at once; else none.
    #[inline(always)]
    pub(super) fn boxes(&self) -> &[Aabb] {
        &self.current
    }
}

/// A copy starts anew: it will have states of its own.
impl Clone for AllAtOnce {
    fn clone(&self) -> Self {
        Self::default()
    }
}
