//! When a skin is refitted as a whole, and when each box is computed on demand.
//!
//! A box from joints costs as much as fifty boxes of a bottom-up refit. As long as queries look at few
//! nodes, boxes on demand are much cheaper. Where queries look at most of a body in every pose, it is
//! cheaper to skin all vertices and to refit all boxes. What the last pose needed tells what the next one will:
//! on demand by the vertices that were needed, at once by the bounds that queries took.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use glam::DVec3;

use super::tuning::{
    REFIT_AGAIN_FRACTION, REFIT_ALL_FRACTION, REFIT_ALL_POSES, REFIT_ALL_SUBTREES, SHARED_BOX_RAYS,
};
use crate::Mesh;
use crate::bound::small_subtrees::SmallSubtrees;
use crate::bound::{BottomUp, SphereForm};
use crate::memo::Memo;
use crate::tree::Tree;
use crate::volume::Aabb;

/// When the boxes of a skinned body are computed.
///
/// No answer of a query depends on it. Times and work counts do. For each policy they are the same for
/// any number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum RefitPolicy {
    /// A pose costs nothing per vertex and nothing per node. Each box is computed when a query asks for it,
    /// and remembered until the pose changes. A ray computes boxes in its own frame, which are not
    /// remembered. Best if queries look at a small part of the body, and for few rays per pose.
    OnDemand,
    /// [`set_pose`](crate::SkinnedBody::set_pose) computes all vertices and all boxes. Best if queries look at
    /// a large part of the body in every pose, and for thousands of rays per pose.
    AllAtOnce,
    /// The last pose decides. If queries fitted a quarter of a large body around its vertices, the next pose
    /// is refitted as a whole, and so are those after it as long as queries of pairs take many bounds in each.
    /// If at least 64 rays were cast in the last pose, the rays of the next one share boxes instead of
    /// computing them in their own frames; if there are many rays and no pairs, up to eight poses in a row are
    /// refitted as a whole before one is computed on demand to see whether this still pays.
    ///
    /// What is decided for a pose depends only on which queries were asked in the poses before, not on the
    /// order in which threads asked them. A clone starts without history.
    #[default]
    Adaptive,
}

/// The policy of a body, what it has decided for the current pose, and what it needs to decide the next.
#[derive(Debug, Default)]
pub(super) struct Refits {
    policy: RefitPolicy,
    /// Whether the current pose was refitted as a whole.
    is_whole: bool,
    /// The boxes of the last pose that was refitted as a whole.
    bottom_up: Option<BottomUp<Aabb>>,
    /// How many small subtrees were fitted in the current pose. Two threads may count one twice, so this is
    /// an upper bound of a number that is counted again before anything is decided.
    subtrees: AtomicU32,
    /// How many rays were cast in the current pose, counted up to [`SHARED_BOX_RAYS`].
    rays: AtomicU32,
    /// Whether rays share boxes in the current pose.
    rays_share_boxes: bool,
    /// How many bounds queries of pairs took in the current pose, on both of their sides.
    looked_at: AtomicU64,
    /// How many poses in a row are refitted as a whole for rays before one is computed on demand.
    run: u32,
    /// How many of them are left, the current one included.
    left: u32,
    /// Whether what was asked in the current pose is not to count.
    reset: bool,
}

impl Refits {
    pub(super) fn policy(&self) -> RefitPolicy {
        self.policy
    }

    /// Changes the policy, from the next pose on, and forgets the history.
    pub(super) fn set_policy(&mut self, policy: RefitPolicy) {
        self.policy = policy;
        self.reset_history();
    }

    /// Decides the next pose as if no query had been asked before.
    pub(super) fn reset_history(&mut self) {
        self.reset = true;
    }

    /// Counts a small subtree that was fitted.
    #[inline]
    pub(super) fn count_subtree(&self) {
        self.subtrees.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a ray. Returns whether it is to use a frame of its own, which is the same for all rays of a
    /// pose.
    pub(super) fn count_ray(&self) -> bool {
        // Once there are enough, threads do not write to the counter any more.
        if self.rays.load(Ordering::Relaxed) < SHARED_BOX_RAYS {
            self.rays.fetch_add(1, Ordering::Relaxed);
        }
        !self.is_whole && !self.rays_share_boxes
    }

    /// Sums the bounds that queries of pairs take in the current pose.
    pub(super) fn looked_at(&self) -> &AtomicU64 {
        &self.looked_at
    }

    /// Decides the next pose, and returns whether it is to be refitted as a whole. Called once per pose,
    /// while `known` still holds the boxes of the last one.
    pub(super) fn next_pose(
        &mut self,
        subtrees: &SmallSubtrees,
        nodes: usize,
        known: &Memo<Aabb>,
    ) -> bool {
        let was_whole = std::mem::take(&mut self.is_whole);
        let fitted = std::mem::take(self.subtrees.get_mut()) as usize;
        let rays = std::mem::take(self.rays.get_mut());
        let looked_at = std::mem::take(self.looked_at.get_mut());
        if std::mem::take(&mut self.reset) {
            (self.run, self.left, self.rays_share_boxes) = (0, 0, false);
            return self.policy == RefitPolicy::AllAtOnce;
        }
        match self.policy {
            RefitPolicy::OnDemand => false,
            RefitPolicy::AllAtOnce => true,
            RefitPolicy::Adaptive => {
                self.rays_share_boxes = rays >= SHARED_BOX_RAYS;
                if was_whole {
                    let again = looked_at * REFIT_AGAIN_FRACTION >= nodes as u64;
                    match (again, self.rays_share_boxes) {
                        (true, _) => {}
                        (false, true) => self.left = self.left.saturating_sub(1),
                        (false, false) => (self.run, self.left) = (0, 0),
                    }
                } else {
                    let many = |fitted: usize| fitted * REFIT_ALL_FRACTION >= subtrees.len();
                    let large = subtrees.len() >= REFIT_ALL_SUBTREES;
                    let deep = large && many(fitted) && many(subtrees.fitted(known));
                    self.run = if deep { (2 * self.run).clamp(1, REFIT_ALL_POSES) } else { 0 };
                    self.left = self.run;
                }
                self.left > 0
            }
        }
    }

    /// Refits all boxes around positions.
    pub(super) fn refit_all(&mut self, tree: &Tree, mesh: &Mesh, positions: &[DVec3]) {
        self.is_whole = true;
        match &mut self.bottom_up {
            Some(boxes) => boxes.refit(tree, positions),
            None => {
                self.bottom_up = Some(BottomUp::new(tree, mesh, positions, SphereForm::Layered));
            }
        }
    }

    /// The boxes of the current pose, if it was refitted as a whole; else empty.
    #[inline(always)]
    pub(super) fn boxes(&self) -> &[Aabb] {
        match &self.bottom_up {
            Some(boxes) if self.is_whole => boxes.volumes(),
            _ => &[],
        }
    }
}

/// A clone has the same policy and no history: it will have poses of its own.
impl Clone for Refits {
    fn clone(&self) -> Self {
        Self { policy: self.policy, ..Self::default() }
    }
}
