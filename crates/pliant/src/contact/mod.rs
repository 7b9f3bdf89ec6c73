//! Exact tests between primitives.
//!
//! Primitives are closed sets of points whose coordinates are the given `f64`
//! numbers, taken as real numbers. Every test answers for them exactly: rounding
//! never decides, over the whole range of `f64`.

mod exact_integer;
mod predicate;
mod segment_triangle;
mod triangle_triangle;

pub use predicate::{orient2d, orient3d};
pub use triangle_triangle::triangles_touch;
