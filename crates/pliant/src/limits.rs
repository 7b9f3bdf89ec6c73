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

/// Modes of one reduced deformation: so many roundings of `f32` in a row still
/// err by less than a hundredth, which the bounds allow for.
pub const MAX_MODES: usize = 1 << 16;

/// Coordinates that a state of a reduced deformation may reach: 2^1000. What is
/// computed on the way to a vertex then stays in the range of `f64`.
pub const MAX_REACH: f64 = f64::from_bits((1023 + 1000) << 52);

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

/// Factor on the sum of the magnitudes of a triple product's six terms, to bound
/// the error of the product as computed from three rounded differences.
///
/// With u = 2^-53: a term passes eight roundings on its way into the result (three
/// differences, two products, three sums), so it errs by less than (1 + u)^8 - 1 of
/// itself, which is below 8.1 u. The sum of magnitudes, as computed, is not below
/// the true one by more than eleven roundings, (1 - u)^11. Ten u covers both.
pub const TRIPLE_PRODUCT_ERROR: f64 = 5.0 * f64::EPSILON;

/// Factor on the sum of the magnitudes of a plane cross product's two terms, to
/// bound the error of the product as computed from two rounded differences.
///
/// With u = 2^-53: a term passes four roundings (two differences, product, sum),
/// the sum of magnitudes as many and that of this factor. Six u covers both.
pub const CROSS_PRODUCT_ERROR: f64 = 3.0 * f64::EPSILON;

/// Added where [`TRIPLE_PRODUCT_ERROR`] or [`CROSS_PRODUCT_ERROR`] bounds an error,
/// once to each sum of magnitudes and once to the bound, because products that
/// underflow err by up to 2^-1075 whatever their size.
///
/// 2^-960: even after multiplication by the factor it is above a few times
/// 2^-1075, and it is nothing beside products of coordinates that matter.
pub const UNDERFLOW_ALLOWANCE: f64 = f64::from_bits((1023 - 960) << 52);

/// Coordinates whose magnitude is 0, or from 1 / this to this, are safe for
/// expansion arithmetic in `f64` (the crate `robust`).
///
/// 2^250, about 1.8e75. Such coordinates are integer multiples of g = 2^-302, so
/// are their rounded differences and the differences' rounding errors. Rounding
/// keeps a multiple of a power of two a multiple of it (or makes it one of a
/// larger), so every partial product is a multiple of g^3 = 2^-906: nothing
/// underflows, and an error bound, 2^-105 of such a number at the least, does not
/// either. Products of three differences and their sums stay below 2^760, and
/// splitting a factor multiplies it by 2^28 at the most: nothing overflows.
pub const EXPANSION_RANGE: f64 = f64::from_bits((1023 + 250) << 52);

/// How far a point that is computed on a triangle may lie off the triangle, in
/// units of the largest magnitude among the triangle's coordinates.
///
/// Such a point is `a + v (b - a) + w (c - a)` with weights that lie in the
/// triangle exactly as they stand. With u = 2^-53 and coordinates up to M, a
/// coordinate errs by 2u in each product (together 4uM, since v + w <= 1 and
/// |b - a| <= 2M) and by u in each of the two sums (2uM): 6uM, in length sqrt(3)
/// times as much, 10.4uM. The rest of 16uM covers the terms of second order.
pub const COMPUTED_POINT_STRAY: f64 = 8.0 * f64::EPSILON;

/// The share of a squared distance between volumes that pays for the roundings
/// of the distances computed inside them; see
/// [`computed_distance_floor`](crate::contact::computed_distance_floor). It is
/// smaller than the rounding of the volumes themselves to `f32`, and large
/// enough that the rest of the payment, its inverse times a squared stray,
/// stays below 1e-11 of the coordinates, taken as a length.
pub const DISTANCE_FLOOR_SHARE: f64 = 1.0 / (1u64 << 26) as f64;

/// How far off a triangle's box the ray may be at the `t` that is computed for
/// that triangle, each axis for itself, in units of the largest coordinate of the
/// triangle as seen from the ray's origin: 18u for the triangle's own arithmetic
/// (counted at [`ray_triangle`](crate::contact::ray_triangle)), 4u for that of the
/// box, u = 2^-53; here 32u.
pub const RAY_BOX_STRAY: f64 = 16.0 * f64::EPSILON;

/// As [`RAY_BOX_STRAY`], for a sphere and as a length: sqrt(3) times 18u for the
/// triangle, 19u for the arithmetic of the sphere; here 64u.
pub const RAY_SPHERE_STRAY: f64 = 32.0 * f64::EPSILON;

/// Twice the area, seen along the ray, that a triangle must have to be hit:
/// 2^-1000. Below, products lose their last bits to underflow, and nothing can be
/// said about where the ray passes. Triangles with sides of 1e-150 are that small.
pub const MIN_RAY_AREA: f64 = f64::from_bits((1023 - 1000) << 52);

/// Relative allowance on lengths, strays and stretches of affine fits, which are computed
/// with fewer than 32 roundings of 2^-53; see `query::clearance`. Nothing beside
/// what decides: 2^-42.
pub const AFFINE_SLACK: f64 = 1024.0 * f64::EPSILON;

/// How far off the computed slip of two affine fits may be, as a part of the lengths that it
/// is a difference of: 8u, u = 2^-53, counted where it is used; here 64u.
pub const AFFINE_SLIP_ERROR: f64 = 32.0 * f64::EPSILON;

/// Factor on the squared length of a matrix (and on its cube) to bound the error of its Gram
/// matrix (and of its determinant): 12u and 8u, u = 2^-53, counted where they are used; here 64u.
pub const LEAST_STRETCH_ERROR: f64 = 32.0 * f64::EPSILON;

/// Relative allowance of `f32` arithmetic on the residuals of an affine fit: 10w, w = 2^-24,
/// counted where it is used; here 32w.
pub const FREE_FIT_ERROR: f64 = 16.0 * f32::EPSILON as f64;

/// Relative allowance on lower bounds of distances at rest, as a part of the lengths that they
/// are differences of: 8u, u = 2^-53, counted where it is used; here 64u.
pub const REST_GAP_ERROR: f64 = 32.0 * f64::EPSILON;

/// Steps of the search for a smallest enclosing sphere before it settles for the smallest
/// that it has seen. Each step enlarges the sphere of a basis, so that no basis comes twice; inputs
/// that need more than a dozen steps are rare, and what is returned encloses in any case.
pub const MAX_PIVOTS: usize = 200;

/// Added to radii that were computed from squares, in units of the coordinates: squares
/// below the normal numbers vanish, and with them lengths up to sqrt(3 * 2^-1022).
pub const VANISHED_LENGTH: f64 = 1e-153;

/// Beads of one necklace: a binary tree over them has fewer than twice as many nodes, and
/// nodes are numbered in 32 bits.
pub const MAX_BEADS: usize = 1 << 30;

/// How far the sum of a vertex's weights may be from 1: 2^-40, which is room for the
/// roundings of thousands of influences and far below what bounds in `f32` see.
pub const WEIGHT_SUM_SLACK: f64 = f64::from_bits((1023 - 40) << 52);

/// How far R^T R may be from the identity, entry by entry, for a joint to count as
/// rigid. Files hold `f32` matrices, whose products are off by a few 1e-6; a scale of
/// 1.0001 is over it. What a joint deviates by is dropped, in vertices and bounds alike.
pub const RIGID_JOINT_SLACK: f64 = 1e-4;
