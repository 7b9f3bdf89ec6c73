//! Necklaces: chains of beads in which only adjacent beads overlap.
//!
//! These are the inputs of Guibas, Nguyen, Russel and Zhang 2002, section 4, at their sizes. In
//! each of them consecutive beads have a point in common, and no others do (section 2.1).

mod curves;
mod globule;
mod random_protein;
mod spiral;
mod with_bodies;

use pliant::glam::DVec3;

pub use curves::{dense_helix, grill, helix, scaling_helix, spline, static_helix};
pub use globule::globule;
pub use random_protein::{random_protein, random_protein_of};
pub use spiral::rolling_spiral;
pub use with_bodies::{ProteinOnSurface, ROPE_BEADS, RopedMan, protein_on_surface, roped_man};

/// One chain of equal beads, in the order of the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Beads {
    /// The centres of the beads.
    pub positions: Vec<DVec3>,
    /// Their common radius.
    pub radius: f64,
}

/// The ratio of a bead's radius to half the largest distance between adjacent beads: they overlap
/// by a hundredth, so rounding cannot separate them.
const OVERLAP: f64 = 1.01;

impl Beads {
    /// Beads at given positions, just large enough that adjacent beads overlap.
    fn chained(positions: Vec<DVec3>) -> Self {
        let steps = positions.windows(2).map(|pair| pair[0].distance(pair[1]));
        let radius = OVERLAP * steps.fold(0.0, f64::max) / 2.0;
        Self { positions, radius }
    }
}
