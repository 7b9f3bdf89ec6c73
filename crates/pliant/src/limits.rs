//! Limits that bound what the library accepts, each with its unit and its reason.
//!
//! None of these decides whether two things touch.

/// Vertices of one mesh: vertex numbers are `u32`.
pub const MAX_VERTICES: usize = u32::MAX as usize;

/// Primitives of one body. A tree has fewer than two nodes per primitive, and a node's number and
/// its leaf flag share 32 bits.
pub const MAX_PRIMITIVES: usize = 1 << 30;

/// Children per node that the builders can be asked for.
pub const MAX_ARITY: usize = 8;

/// Modes of one reduced deformation. So many roundings of `f32` in a row err by less than a
/// hundredth, which the bounds allow for.
pub const MAX_MODES: usize = 1 << 16;

/// The largest magnitude of a coordinate that a state may lead to: 2^1000. What is computed on the
/// way to a vertex then stays in the range of `f64`.
pub const MAX_REACH: f64 = f64::from_bits((1023 + 1000) << 52);

/// Coordinates that a [`Course`](crate::deform::Course) may reach until it ends: squares of such
/// numbers, and sums of a few, stay in the range of `f64`.
pub const MAX_COURSE_REACH: f64 = 1e150;

/// Twice the area, seen along the ray, that a triangle must have to be hit: 2^-1000. Below,
/// products lose their last bits to underflow, and nothing can be said about where the ray passes.
/// Triangles with sides of 1e-150 are that small.
pub const MIN_RAY_AREA: f64 = f64::from_bits((1023 - 1000) << 52);

/// The radius of a ball on its way, as a share of the largest coordinate of its way: 2^-24. Its
/// clearance is then 2^-44 of that coordinate, far more than the rounding of distances.
pub const MIN_BALL_SHARE: f64 = f64::from_bits((1023 - 24) << 52);

/// Beads of one necklace. A binary tree over them has fewer than twice as many nodes, and nodes
/// are numbered in 32 bits.
pub const MAX_BEADS: usize = 1 << 30;

/// How far the sum of a vertex's weights may be from 1: 2^-40. This is room for the roundings of
/// thousands of influences, and far below the spacing of `f32`, in which bounds are.
pub const WEIGHT_SUM_SLACK: f64 = f64::from_bits((1023 - 40) << 52);

/// How far R^T R may be from the identity, entry by entry, for a joint to count as rigid. Files
/// hold `f32` matrices, whose products are off by a few 1e-6; a scale of 1.0001 exceeds it. The
/// deviation is dropped, in vertices and bounds alike.
pub const RIGID_JOINT_SLACK: f64 = 1e-4;
