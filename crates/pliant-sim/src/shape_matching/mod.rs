//! Bodies of points without connectivity that are drawn to a match of their rest shape.
//!
//! After Müller, Heidelberger, Teschner and Gross 2005, Meshless Deformations Based on Shape Matching.
//!
//! | | |
//! | --- | --- |
//! | at rest | [`Shape`]: points, clusters with smooth weights, [`ShapeMaterial`] with its [`Goal`] |
//! | now | [`ShapeBody`]: positions, velocities, kept stretch |
//! | many | [`ShapeSimulation`]: contacts of points as small balls, [`Obstacle`](crate::dynamics::Obstacle)s, [`step`](ShapeSimulation::step) |
//! | surfaces | [`Shape::skin_weights`] and [`ShapeBody::joints`]: each cluster is a joint of a linear skin |
//! | meshes | [`sample_surface`]: points on a surface |
//!
//! # Stability
//!
//! Velocities change by `alpha` times the way to the goal over the step. A point that is drawn to a fixed
//! goal swings about it without gain for any `alpha` from 0 to 1 and any step. What is not rigid about a
//! goal is limited, so that goals stay within a fixed distance of the middle of their cluster. The rotation
//! always exists ([`nearest_rotation`]). But goals follow the points, and from violent states (points at
//! random, fast) the scheme alone gains energy slowly. So each body keeps account of what its pulls gain,
//! which is known exactly, and gives it back out of its inner motion (`ledger`, with the proof): energy of
//! motion and of the pull together stay below three times their start, for any `alpha` from 0 to 1, any step and
//! no damping at all, as long as no debt is left open: that none is, is not proven.

mod body;
mod cluster;
mod contact;
mod ledger;
mod outward;
mod rotation;
mod sample;
mod settings;
mod shape;
mod simulation;
mod state;
mod symmetric_eigen;
mod weights;

pub use body::ShapeBody;
pub use contact::{ContactSettings, PointContact};
pub use rotation::nearest_rotation;
pub use sample::sample_surface;
pub use settings::{Goal, Plasticity, ShapeMaterial};
pub use shape::Shape;
pub use simulation::{ShapeSimulation, ShapeStep, SimulationSettings};
