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
