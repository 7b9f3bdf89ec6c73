//! k-d trees: planes across one axis at a time.

use super::box_tree::{BoxTree, LEAF_SIZE};
use crate::tree::{BuildSettings, Split, build};
use crate::volume::Aabb;

/// A k-d tree over the middles of the boxes. Each plane crosses the axis along which the middles of
/// its part lie furthest apart. A box belongs to the side of its middle, and each side keeps the box
/// around its boxes, so that none is cut or stored twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KdTree {
    /// Both sides of a plane have as many boxes: the least depth.
    EqualCount,
    /// Both sides of a plane have the same volume: empty space is separated early, and building is
    /// faster.
    #[default]
    EqualVolume,
}

impl KdTree {
    /// The tree of some boxes.
    #[must_use]
    pub fn tree(self, boxes: &[Aabb]) -> BoxTree {
        let split = match self {
            Self::EqualCount => Split::Median,
            Self::EqualVolume => Split::Midpoint,
        };
        let settings = BuildSettings { split, arity: 2, leaf_size: LEAF_SIZE };
        BoxTree::new(boxes, |boxes| build(boxes, &settings))
    }
}
