//! Numbers that tune the bounds of skins, with their units and reasons. No answer depends on them.

/// The largest magnitude for which bounds of a skin are computed: no sum or square of a few such
/// numbers leaves the range of `f32`. Beyond it bounds are infinite.
pub(super) const MAX_MAGNITUDE: f64 = 1e18;

/// The error of `f32` arithmetic on numbers below the normal range, per unit of the largest
/// factor involved: a thousand times the smallest number, 2^-149.
pub(super) const UNDERFLOW: f32 = f32::from_bits(1 << 10);

/// Blended quaternions of `f32` that are shorter say nothing about a rotation: their
/// rounding would turn it by more than a thousandth.
pub(super) const MIN_BLENDED_LENGTH: f32 = 1.0 / 64.0;

/// A node whose joint sets have no more joints together is bounded set by set. Other nodes are bounded
/// joint by joint, or by their children. Joint by joint takes a third of the time or less. With twice
/// as many, a ray at a large character takes a twentieth longer; with half as many it moves a tenth
/// more vertices.
pub(super) const MAX_SET_JOINTS: usize = 16;

/// The same for spherical blending, whose bounds joint by joint are looser.
pub(super) const MAX_SPHERICAL_SET_JOINTS: usize = 24;

/// The same where the bounds are spheres, for any blending. Spheres are for users who want small ones.
pub(super) const MAX_SPHERE_SET_JOINTS: usize = 48;

/// A node bounded by a sphere whose joint sets have no more joints between them also has a node part,
/// which holds all its vertices. On a walking creature this takes spheres of the third level from
/// 17 % above the smallest ones to 6 %.
pub(super) const MAX_NODE_PART_JOINTS: usize = 12;

/// Joint sets of a node of a linear skin with no more joints between them may be bounded as one part,
/// where the bound is a box.
pub(super) const MAX_MERGED_JOINTS: usize = 8;

/// Joint sets are merged if the deviations of all weights then sum to no more than this ...
pub(super) const MERGED_DEVIATION: f32 = 0.5;

/// ... or to no more than this many times the largest sum in one set. On a large character
/// rays then ask for hardly more boxes, and for cheaper ones.
pub(super) const MERGED_GROWTH: f32 = 1.2;

/// Weight gradients are computed for parts with radii in this range: their products with coordinates
/// then stay in the range of `f32`.
pub(super) const GRADIENT_RADII: std::ops::Range<f32> = 1e-12..1e12;

/// Damping of weight gradients, as a fraction of the squared radius. Across a surface that is
/// flatter than about a fifth of its size a gradient is hardly determined, and a steep one costs more
/// than it explains. On a walking man this, against 1e-3, takes spheres of the third level from 9.3 %
/// above the smallest ones to 8.5 %.
pub(super) const GRADIENT_DAMPING: f64 = 0.05;

/// Gradients are kept if the residuals are at most this fraction of the deviations without gradients:
/// a bound with gradients takes longer.
pub(super) const MAX_RESIDUAL: f32 = 0.7;

/// A node part whose sphere is at most this many times its ball at rest is good enough: the parts of
/// single joint sets are not looked at. For linear blending.
pub(super) const NODE_PART_GROWTH_LINEAR: f32 = 1.1;

/// The same for blended rotations, whose parts cost more.
pub(super) const NODE_PART_GROWTH_ROTATED: f32 = 1.2;

/// Nodes with no more triangles are bounded by spheres around their vertices. On a character of
/// 27,000 triangles, against bounds from joints down to the leaves, this takes a third off a contact
/// query. Twice as many gain little more.
pub(super) const EXACT_SPHERE_TRIANGLES: usize = 8;

/// If queries fitted at least this fraction of a skin's small subtrees in a pose, the adaptive policy
/// refits the next pose as a whole. On a character that overlaps its own copy this starts to pay at
/// about a quarter.
pub(super) const REFIT_ALL_FRACTION: usize = 4;

/// The adaptive policy never refits skins of fewer small subtrees as a whole: a touch of the hand
/// would be a quarter.
pub(super) const REFIT_ALL_SUBTREES: usize = 64;

/// After a pose that was refitted as a whole, the adaptive policy refits the next one as well if queries of
/// pairs took at least this fraction of as many bounds as the body has nodes, counted on both sides. A
/// descent that fits a quarter of the small subtrees takes about as many.
pub(super) const REFIT_AGAIN_FRACTION: u64 = 2;

/// The longest run of poses that the adaptive policy refits as a whole for rays before it tries one on demand.
pub(super) const REFIT_ALL_POSES: u32 = 8;

/// If this many rays were cast in a pose, the adaptive policy lets the rays of the next pose share
/// boxes. With fewer rays a frame per ray is faster.
pub(super) const SHARED_BOX_RAYS: u32 = 64;
