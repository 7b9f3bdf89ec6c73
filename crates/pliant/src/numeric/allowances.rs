//! Rounding allowances and error factors, each with its unit and its proof.
//!
//! None of these decides whether two things touch. They enlarge bounds and lower distances, so
//! that the exact test at the end sees every pair that it must see. In the proofs u = 2^-53 is
//! one rounding of `f64` and w = 2^-24 one rounding of `f32`.

// Arithmetic in general.

/// Relative allowance for a handful of roundings of `f32`: 32w. An overlap test of spheres has
/// five roundings on each side of its comparison; a moved box has ten.
pub(crate) const F32_SLACK: f32 = 16.0 * f32::EPSILON;

/// Relative allowance for lengths computed in `f64` before they are rounded up to `f32`: 128u.
/// They have a dozen roundings; the allowance is still far below the spacing of `f32`.
pub(crate) const F64_SLACK: f64 = 64.0 * f64::EPSILON;

/// Magnitudes below this can be added, a few of them, without leaving the range of `f32`, which
/// ends at 3.4e38. Volumes of a body that reaches farther are not bounded.
pub(crate) const F32_RANGE: f64 = 1e37;

/// Lengths between these can be squared in `f64`: neither do the squares lose digits to underflow
/// that a relative error of [`F64_SLACK`] would not cover, nor do sums of three overflow.
pub(crate) const SQUARABLE: std::ops::Range<f64> = 1e-150..1e150;

/// A length, in units of the coordinates, that is added to radii computed from squares. Squares
/// below the normal numbers vanish, and with them lengths up to sqrt(3 * 2^-1022).
pub(crate) const VANISHED_LENGTH: f64 = 1e-153;

// Distances between volumes: `volume/apart.rs`, `contact/distance_floor.rs`.

/// Factor on a squared `f64` distance of a volume, so that the computed value is never above the
/// true one. Three rounded differences, squares and sums err by less than 8 units in the last
/// place.
pub(crate) const SQUARED_DISTANCE_SHRINK: f64 = 1.0 - 8.0 * f64::EPSILON;

/// How far a point that is computed on a triangle may lie off the triangle, in units of the
/// largest magnitude among the triangle's coordinates: 16u.
///
/// Such a point is `a + v (b - a) + w (c - a)` with weights that lie in the triangle exactly. With
/// coordinates up to M, a coordinate errs by 2u in each product (together 4uM, since v + w <= 1
/// and |b - a| <= 2M) and by u in each of the two sums (2uM): 6uM. As a length that is sqrt(3)
/// times as much, 10.4uM. The rest covers the terms of second order.
pub(crate) const COMPUTED_POINT_ERROR: f64 = 8.0 * f64::EPSILON;

/// The share of a squared distance between volumes that covers the roundings of the distances
/// computed inside them; see [`computed_distance_floor`](crate::contact::computed_distance_floor).
/// It is smaller than the rounding of the volumes to `f32`. It is so large that the rest of the
/// allowance, its inverse times a squared [`COMPUTED_POINT_ERROR`], stays below 1e-11 of the
/// coordinates, taken as a length.
pub(crate) const DISTANCE_FLOOR_SHARE: f64 = 1.0 / (1u64 << 26) as f64;

// Rays: `volume/ray_entry.rs`.

/// How far off a triangle's box the ray may be at the `t` that is computed for that triangle,
/// along each axis, in units of the largest coordinate of the triangle as seen from the ray's
/// origin: 18u for the arithmetic of the triangle (counted at
/// [`ray_triangle`](crate::contact::ray_triangle)) and 4u for that of the box. Here 32u.
pub(crate) const RAY_BOX_ERROR: f64 = 16.0 * f64::EPSILON;

/// As [`RAY_BOX_ERROR`], for a sphere and as a length: sqrt(3) times 18u for the triangle and 19u
/// for the arithmetic of the sphere. Here 64u.
pub(crate) const RAY_SPHERE_ERROR: f64 = 32.0 * f64::EPSILON;

/// As [`RAY_BOX_ERROR`], for slabs of any direction, in units of the distance of origin and middle
/// plus the reach of the volume: 84u, counted at `volume/ray_entry.rs`. Here 128u.
pub(crate) const RAY_SLAB_ERROR: f64 = 64.0 * f64::EPSILON;

// Oriented boxes: `volume/obb/`.

/// What entries of rotations between two oriented boxes may be off by, because axes are rounded to
/// `f32` and so not quite orthonormal: 300w, counted at `separated`. Here 512w.
pub(crate) const OBB_SLACK: f32 = 16.0 * F32_SLACK;

// Signs of determinants: `contact/predicate.rs`.

/// Factor on the sum of the magnitudes of a triple product's six terms, which bounds the error of
/// the product as computed from three rounded differences: 10u.
///
/// A term passes eight roundings on its way into the result (three differences, two products,
/// three sums). So it errs by less than (1 + u)^8 - 1 of itself, which is below 8.1u. The computed
/// sum of magnitudes is below the true one by at most eleven roundings, (1 - u)^11. 10u covers
/// both.
pub(crate) const TRIPLE_PRODUCT_ERROR: f64 = 5.0 * f64::EPSILON;

/// Factor on the sum of the magnitudes of a plane cross product's two terms, which bounds the
/// error of the product as computed from two rounded differences: 6u.
///
/// A term passes four roundings (two differences, product, sum). The sum of magnitudes passes as
/// many, and that of this factor.
pub(crate) const CROSS_PRODUCT_ERROR: f64 = 3.0 * f64::EPSILON;

/// Added where [`TRIPLE_PRODUCT_ERROR`] or [`CROSS_PRODUCT_ERROR`] bounds an error, once to each
/// sum of magnitudes and once to the bound, because products that underflow err by up to 2^-1075
/// whatever their size.
///
/// 2^-960: after multiplication by the factor it is still above a few times 2^-1075, and it is
/// negligible beside products of coordinates that matter.
pub(crate) const UNDERFLOW_ALLOWANCE: f64 = f64::from_bits((1023 - 960) << 52);

/// Coordinates whose magnitude is 0, or from 1 / this to this, are safe for expansion arithmetic
/// in `f64` (the crate `robust`).
///
/// 2^250, about 1.8e75. Such coordinates are integer multiples of g = 2^-302, and so are their
/// rounded differences and the differences' rounding errors. Rounding keeps a multiple of a power
/// of two a multiple of it, or makes it one of a larger power. So every partial product is a
/// multiple of g^3 = 2^-906: nothing underflows. An error bound is at least 2^-105 of such a
/// number and does not underflow either. Products of three differences and their sums stay below
/// 2^760, and splitting a factor multiplies it by at most 2^28: nothing overflows.
pub(crate) const EXPANSION_RANGE: f64 = f64::from_bits((1023 + 250) << 52);

// Clusters of triangles that keep clear of one another: `self_contact/`.

/// Relative allowance on lengths, residuals and stretches of affine fits, which are computed with
/// fewer than 32 roundings of u each: 2^-42.
pub(crate) const AFFINE_SLACK: f64 = 1024.0 * f64::EPSILON;

/// How far off the computed offset of two affine fits may be, as a part of the lengths that it is
/// a difference of: 8u, counted where it is used. Here 64u.
pub(crate) const AFFINE_OFFSET_ERROR: f64 = 32.0 * f64::EPSILON;

/// Factor on the squared length of a matrix (and on its cube), which bounds the error of its Gram
/// matrix (and of its determinant): 12u and 8u, counted where they are used. Here 64u.
pub(crate) const LEAST_STRETCH_ERROR: f64 = 32.0 * f64::EPSILON;

/// Relative allowance of `f32` arithmetic on the residuals of an affine fit: 10w, counted where it
/// is used. Here 32w.
pub(crate) const FREE_FIT_ERROR: f64 = 16.0 * f32::EPSILON as f64;

/// Relative allowance on lower bounds of distances at rest, as a part of the lengths that they are
/// differences of: 8u, counted where it is used. Here 64u.
pub(crate) const REST_GAP_ERROR: f64 = 32.0 * f64::EPSILON;
