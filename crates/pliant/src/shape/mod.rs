//! Rest geometry: what a body is made of, before anything moves it.

mod mesh;

pub use mesh::Mesh;
pub(crate) use mesh::check_finite;
