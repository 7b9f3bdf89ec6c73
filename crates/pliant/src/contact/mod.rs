//! Exact tests between primitives.

mod distance_floor;
mod intersection_segment;
mod point_triangle;
mod ray_triangle;
mod triangle_distance;

pub use distance_floor::computed_distance_floor;
pub use intersection_segment::{common_point, intersection_segment};
pub use point_triangle::{PointOnTriangle, closest_point_on_triangle};
pub use ray_triangle::{RayHit, ray_triangle};
pub use triangle_distance::{TriangleDistance, triangle_distance};

#[cfg(test)]
mod exact_distance;
