//! Bounds of a skin from its joints alone, in two forms: boxes and spheres.
//!
//! When a skin is bound, the vertices of each node are grouped by the joints that move them, and a route is
//! decided for the node: from which parts, by which formula its volume is computed. Setting a pose costs
//! one step per joint. A volume is computed when a query asks for it, and then remembered.
//!
//! # Glossary
//! - *Joint set*: the joints that have weight in a vertex. Its *anchor* is the mean of its vertices at rest.
//! - *Joint pair*: two joints of one joint set.
//! - *Part*: vertices of a node that are bounded together, mostly those of one joint set. A *rigid part* is
//!   moved by one joint alone, a *blended part* by several. A *node part* holds all vertices of a node.
//! - *Rest shape*: an oriented box and a ball around a part at rest.
//! - *Weight bounds*: how the weight of a joint varies within a part. It lies within a *deviation* of a mean,
//!   and within a *residual* of the mean plus a *gradient* times the offset from the part's centre. The *rim*
//!   is the surface of the ball around the part.
//! - *Pivot*: the joint of a part that is subtracted from the others; in a joint set, the joint that fixes
//!   the signs of the quaternions.
//! - *Blend error*: how far blended rotations take a vertex from where linear blending would take it.
//! - *Rotation centre*: the point about which spherical blending rotates the vertices of a joint set. Its
//!   *sensitivity* says how far vertices move if another centre is used.
//! - *Skew*: how far the matrices of given joints are from rotations.
//! - *Slack*: what `f32` arithmetic can lose, as a fraction of the magnitudes involved.
//! - *Small subtree*: a largest subtree of few triangles, bounded by its vertices.
//! - *Ray frame*: a frame with a ray as an axis, in which the ray computes boxes.
//!
//! # Files
//! - `boxes`, `spheres`: the two forms. `box_routes`, `sphere_routes`: the route of each node.
//! - `body`: constructors and setters. `refit_policy`: on demand or all at once.
//! - `grouping`, `parts`, `rest_shape`, `weight_bounds`: what is known of a part before any pose.
//! - `pose`, `joint_pairs`: what is known of a pose.
//! - `linear_box`: boxes in short loops. `part_image`, `linear_part`, `rotated_part`: boxes and spheres of any part.
//! - `first_order`, `gradient_reach`, `rotation_center`: smaller spheres.
//! - `blend_error`: from linear blending to blended rotations.
//! - `ray_frame`: what a ray asks instead. `tuning`: the numbers.

mod blend_error;
mod body;
mod box_routes;
mod boxes;
mod first_order;
mod gradient_reach;
mod grouping;
mod joint_pairs;
mod linear_box;
mod linear_part;
mod part_image;
mod parts;
mod pose;
mod ray_frame;
mod refit_policy;
mod rest_shape;
mod rotated_part;
mod rotation_center;
mod sphere_routes;
mod spheres;
mod tuning;
mod weight_bounds;

pub use body::SkinnedBody;
pub use boxes::SkinBoxes;
pub use refit_policy::RefitPolicy;
pub use spheres::SkinSpheres;
