//! Tests between primitives.
//!
//! Primitives are closed sets of points whose coordinates are the given `f64`
//! numbers, taken as real numbers. Whether two triangles touch is answered for
//! them exactly: rounding never decides, over the whole range of `f64`.
//! Distances, rays and points of contact are numbers and therefore rounded; how
//! far, and in which direction, stands with each.

mod balls_touch;
mod certain_gap;
mod distance_floor;
mod intersection_segment;
mod point_triangle;
mod predicate;
mod ray_triangle;
mod segment_triangle;
mod triangle_distance;
mod triangle_triangle;

pub use balls_touch::balls_touch;
pub(crate) use certain_gap::certain_gap;
pub use distance_floor::computed_distance_floor;
pub use intersection_segment::{common_point, intersection_segment};
pub use point_triangle::{PointOnTriangle, closest_point_on_triangle};
pub use predicate::{orient2d, orient3d};
pub(crate) use ray_triangle::sheared_triangle;
pub use ray_triangle::{RayHit, ray_triangle};
pub use triangle_distance::{TriangleDistance, triangle_distance};
pub(crate) use triangle_triangle::PreparedTriangle;
pub use triangle_triangle::triangles_touch;

#[cfg(test)]
mod exact_distance;
