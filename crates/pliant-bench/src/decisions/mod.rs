//! Measurements that a decision of the library rests on.

mod bead_fronts;
pub(crate) mod fronts;
pub(crate) mod growth;
mod growth_forms;
mod growth_queries;
pub(crate) mod leaves;
mod mode_trees;
pub(crate) mod morph_sizes;
pub(crate) mod skin_trees;
pub(crate) mod sweep_steps;
pub(crate) mod volumes;
pub(crate) mod weight_corners;
