//! What a query of a hierarchy sees.

use std::sync::Arc;

use super::ChainTree;
use crate::shape::Necklace;
use crate::volume::Sphere;

/// A necklace with a sphere, its cage, for each node of the tree over its beads.
///
/// Guarantee of an implementation, unless it says otherwise: a cage contains every bead of
/// its node as it is now, rounding included.
pub trait Cages {
    /// The beads as they are now.
    fn necklace(&self) -> &Necklace;

    /// The tree over them.
    fn tree(&self) -> &Arc<ChainTree>;

    /// The cage of a node.
    fn cage(&self, node: u32) -> Sphere;
}
