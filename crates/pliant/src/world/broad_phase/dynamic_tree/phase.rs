//! A broad phase that keeps a dynamic tree.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::super::blocks::{OnPair, Report, Searches, in_order};
use super::super::solid::solid;
use super::super::{BoxIndex, BroadPhase, Found};
use super::{DynamicBoxTree, Leaf};
use crate::query::Work;
use crate::volume::{Aabb, Overlap as _};

/// A [`DynamicBoxTree`] that is kept from query to query: only boxes that left their fat boxes are
/// moved in it.
///
/// Each query first sets every box to the one given, so that nothing can be stale. What is reported
/// is tested with the boxes given and ordered by their numbers: it does not depend on the tree.
#[derive(Debug, Default)]
pub struct DynamicTree {
    /// Absent while a query uses it: another one at the same time makes a tree of its own.
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    tree: DynamicBoxTree,
    /// The leaf of each box.
    leaves: Vec<Leaf>,
}

/// The part of the boxes that may leave their fat boxes before building anew is faster: one in so
/// many.
const MOVED_PART: usize = 8;

impl DynamicTree {
    /// A broad phase that has seen no boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The tree of these boxes.
    fn take(&self, boxes: &[Aabb]) -> Kept {
        let kept = self.kept.lock().ok().and_then(|mut kept| kept.take());
        kept.and_then(|kept| kept.updated(boxes)).unwrap_or_else(|| {
            let (tree, leaves) = DynamicBoxTree::of(boxes);
            Kept { tree, leaves }
        })
    }

    fn put_back(&self, kept: Kept) {
        if let Ok(mut place) = self.kept.lock() {
            *place = Some(kept);
        }
    }
}

impl Kept {
    /// Sets all boxes, `None` if too many of them left their fat boxes.
    fn updated(mut self, boxes: &[Aabb]) -> Option<Self> {
        let mut left = boxes.len() / MOVED_PART + 16;
        while self.leaves.len() > boxes.len() {
            self.tree.remove(self.leaves.pop()?);
            left = left.checked_sub(1)?;
        }
        for (leaf, volume) in self.leaves.iter().zip(boxes) {
            if self.tree.set(*leaf, *volume) {
                left = left.checked_sub(1)?;
            }
        }
        for (number, volume) in (0..).zip(boxes).skip(self.leaves.len()) {
            self.leaves.push(self.tree.insert(*volume, number));
            left = left.checked_sub(1)?;
        }
        Some(self)
    }
}

impl BroadPhase for DynamicTree {
    fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        let kept = self.take(boxes);
        // What the tree tests depends on its history, so that it is not counted as work.
        let mut uncounted = Work::default();
        let flow = in_order(&BoxSearches { tree: &kept.tree, boxes }, &mut uncounted, found);
        work.overlap_tests += boxes.len() as u64;
        self.put_back(kept);
        flow
    }

    fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
        let kept = self.take(boxes);
        let tree = kept.tree.clone();
        self.put_back(kept);
        Box::new(tree)
    }
}

/// Each box looks for those with a larger number.
struct BoxSearches<'a> {
    tree: &'a DynamicBoxTree,
    boxes: &'a [Aabb],
}

impl Searches for BoxSearches<'_> {
    const PER_BLOCK: usize = 512;

    fn count(&self) -> usize {
        self.boxes.len()
    }

    fn search(&self, number: usize, to: &mut Report<impl OnPair>) -> ControlFlow<()> {
        let Some(own) = solid(&self.boxes[number]) else { return ControlFlow::Continue(()) };
        let number = number as u32;
        let hits = &mut to.memory;
        hits.clear();
        self.tree.visit(
            |around| own.overlaps(around),
            |other, volume| {
                if other > number && own.overlaps(volume) {
                    hits.push(other);
                }
            },
        );
        hits.sort_unstable();
        hits.iter().try_for_each(|&other| (to.found)([number, other]))
    }
}
