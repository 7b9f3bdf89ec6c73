//! Tests between primitives.
//!
//! Primitives are closed sets of points. Their `f64` coordinates are taken as real numbers. The
//! test whether two triangles touch is exact over the whole range of `f64`: rounding never decides
//! it. Distances, ray hits and contact points are rounded; each function states by how much and in
//! which direction.

mod axis_crossing;
mod ball_cast;
mod balls_touch;
mod certain_gap;
mod certified_distance;
mod distance_floor;
mod edge_hit;
mod impact;
mod intersection_segment;
mod margin;
mod near;
mod point_distance;
mod point_triangle;
mod predicate;
mod ray_triangle;
mod segment_triangle;
mod triangle_distance;
mod triangle_triangle;

pub(crate) use axis_crossing::axis_crossing;
pub use axis_crossing::point_on_triangle;
pub use ball_cast::{BallHit, BallPath, ball_cast_triangle};
pub use balls_touch::balls_touch;
pub(crate) use certain_gap::{certain_gap, certain_separation};
pub use distance_floor::computed_distance_floor;
pub(crate) use edge_hit::{EdgeHit, edge_hit, edge_lies_in};
pub use impact::{
    ImpactStages, ImpactTime, ball_ball_impact, ball_triangle_impact, edge_edge_approach,
    edge_edge_impact, edge_edge_impact_counted, vertex_face_approach, vertex_face_impact,
    vertex_face_impact_counted,
};
pub(crate) use impact::{close_edge_edge_impact, close_vertex_face_impact};
pub use intersection_segment::{common_point, intersection_segment};
pub(crate) use margin::{Margin, touch_margin};
pub(crate) use near::{NearTriangle, Reach, ball_margin, near_points};
pub use near::{ball_touches_triangle, triangles_within};
pub use point_distance::point_distance;
pub use point_triangle::{PointOnTriangle, closest_point_on_triangle};
pub(crate) use predicate::certain_sign;
pub use predicate::{orient2d, orient3d};
pub(crate) use ray_triangle::sheared_triangle;
pub use ray_triangle::{RayHit, ray_triangle};
pub use triangle_distance::{TriangleDistance, triangle_distance};
pub use triangle_triangle::triangles_touch;
pub(crate) use triangle_triangle::{PreparedTriangle, triangles_cross};

#[cfg(test)]
mod exact_distance;
