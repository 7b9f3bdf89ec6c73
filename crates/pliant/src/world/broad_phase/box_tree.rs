//! Hierarchies of boxes: what octree, k-d tree, BSP and surface-area tree have in common.

use std::ops::ControlFlow;

use super::blocks::{OnPair, Report, Searches, in_order};
use super::row::ordered;
use super::solid::SolidBoxes;
use super::{BoxIndex, BroadPhase, Found, Probe};
use crate::Result;
use crate::query::Work;
use crate::tree::{BuildSettings, Node, Tree, build, node_boxes, validate};
use crate::volume::{Aabb, Overlap as _};

/// Boxes in a tree. Each box is in one leaf, and each node has the box around what is below it.
///
/// Methods differ in how they divide: [`Octree`](super::Octree), [`KdTree`](super::KdTree),
/// [`Bsp`](super::Bsp), [`SurfaceAreaTree`].
#[derive(Debug, Clone)]
pub struct BoxTree {
    /// `None` if there are no boxes.
    tree: Option<Tree>,
    bounds: Vec<Aabb>,
    /// Boxes and their numbers in the order of the leaves.
    boxes: Vec<Aabb>,
    numbers: Vec<u32>,
    /// For each node the end of its run of `boxes`.
    ends: Vec<u32>,
}

/// The tree of least expected cost by the surface area heuristic, as bodies have over their
/// triangles.
#[derive(Debug, Clone, Copy, Default)]
pub struct SurfaceAreaTree;

/// Boxes per leaf at most, unless they cannot be told apart.
pub(super) const LEAF_SIZE: usize = 4;

impl SurfaceAreaTree {
    /// The tree of some boxes.
    #[must_use]
    pub fn tree(self, boxes: &[Aabb]) -> BoxTree {
        let settings = BuildSettings { leaf_size: LEAF_SIZE, ..BuildSettings::SURFACE_AREA };
        BoxTree::new(boxes, |boxes| build(boxes, &settings))
    }
}

impl BoxTree {
    /// Organises boxes in the tree that `divide` makes of at least one box; none of them is empty or
    /// has a NaN. Should there be none, because there are too many boxes, all are in one leaf.
    pub(super) fn new(boxes: &[Aabb], divide: impl FnOnce(&[Aabb]) -> Result<Tree>) -> Self {
        let solid = SolidBoxes::of(boxes);
        let count = solid.len() as u32;
        let one_leaf =
            || Tree { nodes: vec![Node::leaf(0, count)], primitives: (0..count).collect() };
        let tree = (count > 0).then(|| divide(&solid.boxes).unwrap_or_else(|_| one_leaf()));
        let mut built = Self {
            tree: None,
            bounds: Vec::new(),
            boxes: Vec::new(),
            numbers: Vec::new(),
            ends: Vec::new(),
        };
        let Some(tree) = tree else { return built };
        built.bounds = node_boxes(&tree, &solid.boxes).unwrap_or_default();
        built.boxes = tree.primitives.iter().map(|&at| solid.boxes[at as usize]).collect();
        built.numbers = tree.primitives.iter().map(|&at| solid.number(at)).collect();
        built.ends = vec![0; tree.nodes.len()];
        for (number, node) in tree.nodes.iter().enumerate().rev() {
            let end = node.range().end;
            built.ends[number] = if node.is_leaf() { end } else { built.ends[end as usize - 1] };
        }
        built.tree = Some(tree);
        built
    }

    /// Checks that the tree is one, as [`validate`] does, that every node's box is around those below
    /// it, and that every box is in a leaf.
    ///
    /// # Errors
    /// [`Error::InvalidTree`](crate::Error::InvalidTree) with the first node that is wrong.
    pub fn check(&self) -> Result<()> {
        let Some(tree) = &self.tree else { return Ok(()) };
        validate(tree)?;
        let fail = |node, reason| Err(crate::Error::InvalidTree { node, reason });
        if self.bounds.len() != tree.nodes.len() || self.boxes.len() != tree.primitives.len() {
            return fail(0, "boxes are missing");
        }
        for (number, node) in tree.nodes.iter().enumerate() {
            let range = node.range().start as usize..node.range().end as usize;
            let below = if node.is_leaf() { &self.boxes[range] } else { &self.bounds[range] };
            if !below.iter().all(|volume| self.bounds[number].contains(volume)) {
                return fail(number, "a box below it is not inside its box");
            }
        }
        Ok(())
    }

    /// The topology, if there are boxes.
    #[must_use]
    pub fn topology(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// As [`BroadPhase::pairs`], for the boxes of the tree.
    pub fn pairs(&self, work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
        let Some(tree) = &self.tree else { return ControlFlow::Continue(()) };
        let leaves = tree.nodes.iter().enumerate().filter(|(_, node)| node.is_leaf());
        let mut leaves: Vec<u32> = leaves.map(|(number, _)| number as u32).collect();
        leaves.sort_unstable_by_key(|&leaf| self.ends[leaf as usize]);
        in_order(&LeafSearches { of: self, tree, leaves }, work, found)
    }
}

impl BoxIndex for BoxTree {
    fn find(&self, probe: &Probe, work: &mut Work, hits: &mut Vec<u32>) {
        hits.clear();
        let Some(tree) = &self.tree else { return };
        let mut stack = vec![0];
        work.overlap_tests += 1;
        if !probe.meets(&self.bounds[0]) {
            return;
        }
        while let Some(number) = stack.pop() {
            let node = tree.node(number);
            work.overlap_tests += u64::from(node.count());
            for at in node.range() {
                if node.is_leaf() {
                    if probe.meets(&self.boxes[at as usize]) {
                        hits.push(self.numbers[at as usize]);
                    }
                } else if probe.meets(&self.bounds[at as usize]) {
                    stack.push(at);
                }
            }
        }
        hits.sort_unstable();
    }
}

/// Each leaf looks for the boxes after its own.
struct LeafSearches<'a> {
    of: &'a BoxTree,
    tree: &'a Tree,
    /// In the order of their boxes.
    leaves: Vec<u32>,
}

impl Searches for LeafSearches<'_> {
    const PER_BLOCK: usize = 256;

    fn count(&self) -> usize {
        self.leaves.len()
    }

    /// All pairs of a box of a leaf and a box after it.
    fn search(&self, at: usize, to: &mut Report<impl OnPair>) -> ControlFlow<()> {
        let BoxTree { bounds, boxes, numbers, ends, .. } = self.of;
        let leaf = self.leaves[at];
        let around = &bounds[leaf as usize];
        let own = self.tree.node(leaf).range();
        let Report { tests, found, memory: stack } = to;
        stack.clear();
        stack.push(0);
        while let Some(number) = stack.pop() {
            let node = self.tree.node(number);
            if !node.is_leaf() {
                // A child whose boxes all come before those of this leaf has looked itself.
                for child in node.range().rev() {
                    if ends[child as usize] > own.start {
                        *tests += 1;
                        if around.overlaps(&bounds[child as usize]) {
                            stack.push(child);
                        }
                    }
                }
                continue;
            }
            for a in own.clone() {
                let others = node.range().start.max(a + 1)..node.range().end;
                let own = &boxes[a as usize];
                *tests += others.len() as u64;
                for b in others {
                    if own.overlaps(&boxes[b as usize]) {
                        found(ordered(numbers[a as usize], numbers[b as usize]))?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// A broad phase that divides boxes into a tree.
macro_rules! tree_broad_phase {
    ($method:ty) => {
        impl BroadPhase for $method {
            fn pairs(&self, boxes: &[Aabb], work: &mut Work, found: Found<'_>) -> ControlFlow<()> {
                self.tree(boxes).pairs(work, found)
            }

            fn index(&self, boxes: &[Aabb]) -> Box<dyn BoxIndex> {
                Box::new(self.tree(boxes))
            }
        }
    };
}

tree_broad_phase!(SurfaceAreaTree);
tree_broad_phase!(super::Octree);
tree_broad_phase!(super::KdTree);
tree_broad_phase!(super::Bsp);
