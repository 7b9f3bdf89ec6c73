//! Who contains whom: a hierarchy over primitives, without any geometry.

mod build;
mod grow;
mod item;
mod over_mesh;
mod split;
mod statistics;
mod surface_area;
mod topology;
mod validate;
mod widen;

pub use build::{BuildSettings, build};
pub use grow::MAX_DEPTH;
pub use over_mesh::build_over_mesh;
pub use split::Split;
pub use statistics::{
    Statistics, level_of_nodes, node_boxes, primitive_runs, sah_cost, statistics,
};
pub use topology::{Node, Tree};
pub use validate::validate;

use grow::grow;
use widen::widen;
