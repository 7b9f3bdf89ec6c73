//! What encloses: spheres and boxes in `f32`, always rounded outward.
//!
//! A volume is a closed set of points of real coordinates. Whatever is made
//! from `f64` geometry contains that geometry exactly: constructors round
//! outward, never to nearest. Overlap tests err in one direction only: `false`
//! means that the two sets have no point in common; `true` may be spurious by a
//! relative error of about a millionth.

mod aabb;
mod apart;
mod overlap;
mod ray;
mod ray_entry;
mod sphere;

pub use aabb::Aabb;
pub use apart::Apart;
pub use overlap::Overlap;
pub use ray::Ray;
pub use ray_entry::RayEntry;
pub use sphere::Sphere;

pub use crate::numeric::{
    Ball, SmallestSphere, SphereBasis, round_down, round_up, smallest_sphere, smallest_sphere_from,
};

pub use crate::memo::{Remember, Words};

use glam::DVec3;

/// A volume that a tree's nodes may have.
pub trait Volume:
    Copy + Send + Sync + Overlap<Aabb> + Overlap<Sphere> + Apart<Aabb> + Apart<Sphere> + RayEntry
{
    /// A length that orders volumes of any kind by how much room they take: a
    /// box's longest side, a sphere's diameter. Of two nodes at a distance the larger
    /// one is opened first.
    fn extent(&self) -> f32;

    /// Whether a point lies inside or on the border.
    fn contains_point(&self, point: DVec3) -> bool;

    /// The squared distance to a point, never more than the true one.
    fn distance_squared_to_point(&self, point: DVec3) -> f64;

    /// How far outside the volume a point may lie that was computed on a triangle
    /// inside it, because it was rounded. What
    /// [`computed_distance_floor`](crate::contact::computed_distance_floor) asks for.
    fn stray(&self) -> f64;

    /// A box around the volume, rounded outward.
    fn bounding_box(&self) -> Aabb;

    /// The lowest and the highest corner of a box around the volume, in `f64`.
    fn corners(&self) -> [DVec3; 2];
}
