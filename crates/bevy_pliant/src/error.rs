//! Why a mesh has no body, or no place.

use bevy_ecs::entity::Entity;

/// Why an entity is not picked and touches nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The mesh lives in the renderer only.
    #[error("the mesh is kept in the RenderWorld only: its asset_usage must include MAIN_WORLD")]
    Extracted,
    /// The mesh has no such attribute.
    #[error("the mesh has no attribute {0}")]
    Missing(&'static str),
    /// The attribute has a format that is not read.
    #[error("the attribute {attribute} has the format {format}, which is not read")]
    Format {
        /// Its name.
        attribute: &'static str,
        /// What it has.
        format: &'static str,
    },
    /// The mesh consists of lines or points.
    #[error("the mesh has no triangles: its topology is {0}")]
    Topology(String),
    /// A list has another length than the mesh needs.
    #[error("{what}: {given} were given, {expected} are needed")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The weights of a vertex move it nowhere.
    #[error("the joint weights of vertex {0} are negative, not finite, or all zero")]
    Weights(usize),
    /// A joint of the skin has no `GlobalTransform`.
    #[error("joint {number} of the skin, {entity}, has no GlobalTransform")]
    Joint {
        /// The number of the joint.
        number: usize,
        /// The entity that should be it.
        entity: Entity,
    },
    /// The inverse bind poses of the skin are not loaded.
    #[error("the inverse bind poses of the skin are not loaded")]
    BindPoses,
    /// The library refuses the mesh or its state.
    #[error(transparent)]
    Body(#[from] pliant::Error),
}
