//! Every limit and every rounding allowance of the library, with its unit and its reason.
//!
//! None of these decides whether two things touch: allowances only enlarge
//! bounds, so that the exact test at the end sees every pair that it must see.

/// Vertices of one mesh: vertex numbers are `u32`.
pub const MAX_VERTICES: usize = u32::MAX as usize;

/// Primitives of one body: a tree has fewer than two nodes a primitive, and a
/// node's number and its leaf flag share 32 bits.
pub const MAX_PRIMITIVES: usize = 1 << 30;

/// Children of one node, at the most, that the builders are asked for.
pub const MAX_ARITY: usize = 8;

/// Factor on a squared `f64` distance between a volume and something else, so
/// that the computed value is never above the true one: three rounded
/// differences, squares and sums err by less than 8 units in the last place.
pub const SQUARED_DISTANCE_SHRINK: f64 = 1.0 - 8.0 * f64::EPSILON;

/// Relative allowance, a few units in the last place of `f32`, on the far side of
/// overlap tests between spheres and of radii computed in `f32`: five roundings
/// of at most 2^-24 each, on both sides of the comparison.
pub const F32_SLACK: f32 = 16.0 * f32::EPSILON;

/// Relative allowance on radii computed in `f64` before they are rounded up to
/// `f32`: a dozen roundings of 2^-53, with room to spare, still far below the
/// spacing of `f32`.
pub const F64_SLACK: f64 = 64.0 * f64::EPSILON;
