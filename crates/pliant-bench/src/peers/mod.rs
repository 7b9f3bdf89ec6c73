//! Other libraries beside pliant, on the same input in the same run.

pub(crate) mod build;
pub(crate) mod ccd;
pub(crate) mod cgal;
pub(crate) mod parry;
pub(crate) mod query;
pub(crate) mod refit;
pub(crate) mod triangles;
