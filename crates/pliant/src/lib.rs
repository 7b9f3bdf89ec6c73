//! Collision detection for things that bend.

mod body;
pub mod bound;
pub mod contact;
pub mod deform;
mod error;
pub mod limits;
pub mod query;
pub mod shape;
pub mod tree;
pub mod volume;

pub use body::{Body, Collide};
pub use deform::Isometry;
pub use error::{Error, Result};
pub use glam;
pub use query::{
    ClosestPoint, Distance, FoundPair, Intersections, RayCast, Work, closest_point, distance,
    intersections, intersects, ray_cast, self_intersections,
};
pub use shape::Mesh;
