//! Collision detection for things that bend.

pub mod contact;
mod error;
pub mod limits;
pub mod shape;
pub mod tree;
pub mod volume;

pub use error::{Error, Result};
pub use glam;
pub use shape::Mesh;
