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

/// Coordinates that a [`Course`](crate::deform::Course) may reach until it ends: squares of such
/// numbers, and sums of a few, stay in the range of `f64`.
pub const MAX_COURSE_REACH: f64 = 1e150;

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

/// Added to the diagonal of the normal equations of a rotation centre, whose entries are at
/// most 1: 2^-16. Joints turned by less than a quarter of a degree towards one another
/// then turn about a point nearer to their vertices than the true centre, which moves
/// a vertex by less than 1e-5 of its distance from that.
pub const ROTATION_CENTER_DAMPING: f64 = f64::from_bits((1023 - 16) << 52);

/// Blended quaternions whose squared length is below this, 2^-600, have lost their
/// direction to underflow, and the pivot's rotation takes their place.
pub const MIN_BLENDED_LENGTH_SQUARED: f64 = f64::from_bits((1023 - 600) << 52);

/// The largest magnitude for which bounds of a skin are computed: no sum or square of a few such
/// numbers leaves the range of `f32`. Beyond it they are unbounded.
pub const SKIN_RANGE: f64 = 1e18;

/// What `f32` arithmetic on numbers below the normal range can lose, times the largest
/// factor involved: a thousand times the smallest number, 2^-149.
pub const SKIN_UNDERFLOW: f32 = f32::from_bits(1 << 10);

/// Blended quaternions, of `f32`, that are shorter say nothing about a rotation: their
/// rounding would turn it by more than a thousandth.
pub const MIN_BLENDED_LENGTH: f32 = 1.0 / 64.0;

/// Where the joint sets of a node of a skin have more joints together, it is bounded joint by joint
/// or by its children. Joint by joint takes a third of the time or less; with twice as many a ray at a
/// large character takes a twentieth longer, with half as many it moves a tenth more vertices.
pub const MAX_SET_JOINTS: usize = 16;

/// The same for spherical blending, whose bounds joint by joint are looser.
pub const MAX_SPHERICAL_SET_JOINTS: usize = 24;

/// The same where the bounds are spheres, for any blending: they are for those who want them small.
pub const MAX_SPHERE_SET_JOINTS: usize = 48;

/// Radii of parts of a skin whose weights may have slopes: their products with coordinates then
/// stay in the range of `f32`.
pub const SLOPED_RADII: std::ops::Range<f32> = 1e-12..1e12;

/// Damping of the slopes of weights, as a part of the squared radius: across a surface that is
/// flatter than about a fifth of its size a slope is hardly determined, and steep ones bend the part more
/// than they explain. On a walking man this, against 1e-3, takes spheres of the third level from 9.3 %
/// above the smallest ones to 8.5 %.
pub const SLOPE_DAMPING: f64 = 0.05;

/// Slopes are kept where they leave no more of the weights' variation than this: a bound with slopes
/// takes longer.
pub const MAX_SLOPED_REST: f32 = 0.7;

/// A node of a skin whose joint sets have no more joints between them is also bounded as a
/// whole, where it has a sphere. On a walking creature this takes spheres of the third level from
/// 17 % above the smallest ones to 6 %.
pub const MAX_WHOLE_JOINTS: usize = 12;

/// Nodes of skinned and reduced bodies with no more triangles are bounded by their vertices, which
/// the test of the triangles needs anyway, the largest such subtrees at once.
///
/// More triangles save bounds in contact, fewer spare a ray vertices that it does not need: with
/// this many it moves less than 1 % of those of a large character (`pliant bench men`).
pub const PATCH_TRIANGLES: usize = 24;

/// Where queries fit the n-th part of a skin's patches in a pose, all of the next is moved at once.
/// On a character in its own copy's way that starts to pay at about a quarter.
pub const ALL_AT_ONCE_SHARE: usize = 4;

/// Skins of fewer patches are never moved at once: a touch of the hand would be a quarter.
pub const ALL_AT_ONCE_PATCHES: usize = 64;

/// How many poses in a row a skin is moved at once before one goes without, at the most.
pub const ALL_AT_ONCE_POSES: u32 = 8;

/// So many rays a pose look at a skin for themselves; those after them share boxes, which pays only
/// where there are many.
pub const RAYS_APART: u32 = 64;

/// Joint sets of a node of a linear skin that have no more joints between them may be bounded as one set, where
/// they have a box.
pub const MAX_MERGED_JOINTS: usize = 8;

/// They are where all weights together then give no more than this ...
pub const MERGED_GIVE: f32 = 0.5;

/// ... or than this many times what they give in the set that gives most. On a large character
/// rays then ask for hardly more boxes, and for cheaper ones.
pub const MERGED_MORE: f32 = 1.2;
