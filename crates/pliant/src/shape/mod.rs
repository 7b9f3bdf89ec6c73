//! Rest geometry: what a body consists of before it moves.

mod connectivity;
mod features;
mod mesh;
mod necklace;
mod necklace_health;
mod position;

pub use connectivity::{Closure, Connectivity};
pub(crate) use connectivity::{DisjointSets, NO_EDGE};
pub(crate) use features::OwnedFeatures;
pub use mesh::Mesh;
pub use necklace::{Chain, Necklace};
pub(crate) use necklace::{check_bead, check_positions_count};
pub use necklace_health::NecklaceHealth;
pub use position::Position;
pub(crate) use position::check_finite;
