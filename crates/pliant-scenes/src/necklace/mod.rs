//! Necklaces: chains of beads in which only neighbours overlap.
//!
//! The inputs of Guibas, Nguyen, Russel and Zhang 2002, section 4, at their sizes. In each
//! of them consecutive beads have a point in common, and no others do (their section 2).

mod curves;
mod globule;
mod random_protein;
mod spiral;

use pliant::glam::DVec3;

pub use curves::{dense_helix, grill, helix, scaling_helix, spline, static_helix};
pub use globule::globule;
pub use random_protein::{random_protein, random_protein_of};
pub use spiral::rolling_spiral;

/// One chain of equal beads, in the order of the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Beads {
    /// The middles of the beads.
    pub positions: Vec<DVec3>,
    /// Their common radius.
    pub radius: f64,
}

/// How much more than half the largest step between neighbours a bead's radius is: they
/// overlap by a hundredth, and rounding cannot part them.
const OVERLAP: f64 = 1.01;

impl Beads {
    /// Beads at given places, just large enough that neighbours overlap.
    fn chained(positions: Vec<DVec3>) -> Self {
        let steps = positions.windows(2).map(|pair| pair[0].distance(pair[1]));
        let radius = OVERLAP * steps.fold(0.0, f64::max) / 2.0;
        Self { positions, radius }
    }
}
