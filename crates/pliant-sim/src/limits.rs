//! All limits of the crate, each with its unit and reason.

/// The largest magnitude of a coordinate of an animation: 2^500, about 3e150, so that squared
/// distances are finite.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 500) << 52);

/// The largest number of frames of an animation. Their Gram matrix is square and dense, 128 MiB at
/// this size, and its eigenvectors take several times as much memory, and minutes.
pub const MAX_FRAMES: usize = 4096;

/// The largest number of grid cells before cells outside the body are removed. A cell takes one
/// byte, and a corner four.
pub const MAX_GRID_CELLS: usize = 1 << 24;

/// The largest number of unknowns of a vibration problem, three per grid corner. Time and memory of
/// the sparse factors of a solid body grow much faster than its unknowns: a cube of 27,783 unknowns
/// took 10 s on one core and 0.6 GB, one of 98,304 took 86 s and 3.3 GB. Hollow bodies need a
/// fraction of that.
pub const MAX_UNKNOWNS: usize = 120_000;

/// The largest number of filled grid cells: each has at least one corner of its own, with three
/// unknowns.
pub const MAX_CELLS: usize = MAX_UNKNOWNS / 3;

/// The fraction of a cell's side that is neglected: a surface that enters a cell by less does not
/// fill it, and a vertex this close to a cell's side lies on it. Far above the rounding of
/// coordinates, far below what affects a vibration.
pub const GRAZE: f64 = 1e-6;

/// The largest eigenvalue of a mode that counts as rigid, in units of a bound of the largest
/// eigenvalue. Rounding of the stiffness matrix leaves about 1e-18 of that bound. An elastic mode
/// with such a low eigenvalue needs a bar that is one cell thick and some 900 cells long, held at
/// one end; there rigid and elastic modes can no longer be distinguished reliably.
pub const RIGID_EIGENVALUE: f64 = 1e-15;

/// The largest residual of a mode of K x = λ M x: the relative residual of the shifted and inverted
/// problem. The relative error of λ minus the shift is less than the residual, and about its
/// square.
pub const RESIDUAL: f64 = 1e-7;

/// The largest number of points of a shape: about 200 bytes each while it is prepared.
pub const MAX_SHAPE_POINTS: usize = 1 << 20;

/// The largest number of clusters of a shape. Every point and every vertex of a surface is compared with
/// every cluster once.
pub const MAX_CLUSTERS: usize = 4096;

/// The largest number of times that contacts are gone through per step.
pub const MAX_SWEEPS: usize = 1000;
