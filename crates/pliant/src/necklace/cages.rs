//! The interface of a hierarchy of cages for queries.

use std::sync::Arc;

use super::ChainTree;
use crate::shape::Necklace;
use crate::volume::Sphere;

/// A necklace with a sphere, its cage, per node of the tree over its beads.
///
/// Guarantee of an implementation, unless it states otherwise: a cage contains every bead of its
/// node at the current positions, rounding included.
pub trait Cages {
    /// The beads at their current positions.
    fn necklace(&self) -> &Necklace;

    /// The tree over the beads.
    fn tree(&self) -> &Arc<ChainTree>;

    /// The cage of a node.
    fn cage(&self, node: u32) -> Sphere;
}
