//! Every limit of the crate, with its unit and its reason.

/// Coordinates of an animation, in magnitude: 2^500, about 3e150, so that squared
/// distances stay finite.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 500) << 52);

/// Frames of an animation: their Gram matrix is square and dense, 128 MiB at this
/// size, and its eigenvectors take several times as much and minutes.
pub const MAX_FRAMES: usize = 4096;

/// Cells of a grid before those outside the body are left out, a byte each, and
/// four bytes for each of their corners.
pub const MAX_GRID_CELLS: usize = 1 << 24;

/// Unknowns of a vibration problem, three a grid corner. Time and memory of the sparse factors of
/// a solid body grow much faster than its unknowns: a cube of 27,783 took 10 s of one core and
/// 0.6 GB, one of 98,304 took 86 s and 3.3 GB. Hollow bodies need a fraction of that.
pub const MAX_UNKNOWNS: usize = 120_000;

/// Filled cells of a grid: each has a corner of its own with three unknowns.
pub const MAX_CELLS: usize = MAX_UNKNOWNS / 3;

/// Share of a cell's side that counts as nothing: a surface that reaches less deep
/// into a cell does not fill it, and a vertex this near to a cell's side lies on it.
/// Far above the rounding of coordinates, far below what matters to a vibration.
pub const GRAZE: f64 = 1e-6;

/// Largest eigenvalue that counts as that of a rigid mode, in units of a bound of the
/// largest eigenvalue of all. Rounding of the stiffness matrix leaves about 1e-18 of that
/// bound. An elastic mode this low takes a bar one cell thick of some 900 cells in a row, held
/// at one end; there the two can no longer be told apart with confidence.
pub const RIGID_EIGENVALUE: f64 = 1e-15;

/// How well a mode must solve K x = λ M x: the relative residual of the shifted and inverted
/// problem. λ plus the distance of the shift errs by about its square, and by less than it.
pub const RESIDUAL: f64 = 1e-7;
