//! Power diagrams of balls, kept as regular triangulations.
//!
//! In a tightly packed necklace, the beads that may clash next are neighbours in the power diagram
//! (Guibas, Nguyen, Russel and Zhang, "Deformable necklaces", 2002, section 3.2). [`PowerDiagram`]
//! is built by inserting one ball after another. All its decisions are exact ([`power_side`]).
//! After a motion it removes the balls at failed certificates and inserts them again
//! ([`PowerDiagram::advance`]).

mod cells;
mod certificates;
mod closest_pair;
mod diagram;
mod edges;
mod exact_side;
mod insert;
mod order;
mod predicate;
mod remove;
mod update;

pub use certificates::PowerDefect;
pub use closest_pair::{ClosestPairMethod, NonadjacentPair, closest_nonadjacent_pair};
pub use diagram::PowerDiagram;
pub use predicate::power_side;
pub use update::PowerUpdate;
