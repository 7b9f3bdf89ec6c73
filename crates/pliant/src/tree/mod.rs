//! The topology of a hierarchy over primitives, without geometry.
//!
//! [`build`] makes a [`Tree`] from the boxes of the primitives, [`validate`] checks one, and
//! [`statistics`] measures one. The tree does not store the boxes: the bounds of a node are stored
//! elsewhere and may be a function of a state.

mod build;
mod edit;
mod grow;
mod item;
mod over_mesh;
mod partition;
mod split;
mod statistics;
mod surface_area;
mod topology;
mod validate;
mod widen;

pub(crate) use build::check as check_build;
pub use build::{BuildSettings, build};
pub(crate) use edit::{EditedTree, NONE as NO_NODE, edit};
pub use grow::MAX_DEPTH;
pub use over_mesh::build_over_mesh;
pub use split::Split;
pub use statistics::{
    Statistics, level_of_nodes, node_boxes, primitive_runs, sah_cost, statistics,
};
pub use topology::{Node, Tree};
pub use validate::validate;
