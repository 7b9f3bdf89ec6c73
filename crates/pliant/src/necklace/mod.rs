//! Necklaces: chains of beads, and their clashes.
//!
//! Two beads clash if they have a point in common and are not adjacent along a chain:
//! `|p - q|^2 <= (r + s)^2` in real arithmetic, touching included
//! ([`balls_touch`](crate::contact::balls_touch)). Every method finds the same pairs in the same
//! order, those of [`brute_force`].
//!
//! Which method to use:
//!
//! | situation | method |
//! | --- | --- |
//! | one state | [`clashes`], which chooses by how densely the beads are packed |
//! | one state, perhaps with very many clashes | [`clashes_up_to`], which stops at a limit |
//! | a sequence of states, all positions given | [`ClashFront`], which keeps the separating pairs of the last step |
//! | two necklaces that are mostly far apart | [`OnDemand`], which reads only the positions that it needs |
//! | beads against the triangles of a body | [`beads_against`]; a [`World`](crate::World) of both asks all pairs |
//! | cages, bases and separating families are wanted | [`Wrapped`] and [`Layered`] with [`separate_self`] and [`separate`] |
//!
//! The hierarchies are those of Guibas, Nguyen, Russel and Zhang, "Deformable necklaces", 2002.

mod advance;
mod against_body;
mod block_pairs;
mod blocks;
mod body_front;
pub mod brute_force;
mod cages;
mod cell_list;
mod chain_tree;
mod clashes;
mod front;
mod front_family;
mod layered;
mod nearest_beads;
mod on_demand;
mod on_demand_pairs;
mod pairing;
mod separate;
mod sparse_cells;
mod unverified;
mod wrapped;

pub use advance::{Advance, Verification};
pub use against_body::{BeadTriangles, beads_against};
pub use block_pairs::clashes_by_blocks;
pub(crate) use body_front::{BeadsAndBody, bead_patches};
pub use cages::Cages;
pub use cell_list::clashes_by_cells;
pub use chain_tree::{ChainNode, ChainTree};
pub use clashes::{ClashMethod, Clashes, clashes, clashes_up_to};
pub use front::ClashFront;
pub use layered::Layered;
pub use nearest_beads::{NearestBeads, nearest_beads, nearest_own_beads};
pub use on_demand::{Motion, OnDemand};
pub use on_demand_pairs::{clashes_on_demand, first_clash_on_demand};
pub use separate::{Separation, first_clash, first_own_clash, separate, separate_self};
pub use unverified::Unverified;
pub use wrapped::Wrapped;
