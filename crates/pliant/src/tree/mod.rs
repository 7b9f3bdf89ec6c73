//! Who contains whom: a hierarchy over primitives, without any geometry.

mod topology;

pub use topology::{Node, Tree};
