//! The error type of the library.

/// Why an input was refused. Each variant names the offending element.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A mesh without triangles encloses nothing and collides with nothing.
    #[error("the mesh has no triangles")]
    EmptyMesh,
    /// Indices are 32 bits wide, and a tree holds up to twice as many nodes as primitives.
    #[error("{count} {what} are too many: the limit is {limit}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many were given.
        count: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// A query stopped because more pairs of triangles touch than it was allowed to find.
    #[error("more than {limit} pairs of triangles touch")]
    TooManyPairs {
        /// How many were allowed.
        limit: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but there are {vertices} vertices")]
    VertexOutOfRange {
        /// The triangle's number.
        triangle: usize,
        /// The vertex that it names.
        index: u32,
        /// The number of vertices of the mesh.
        vertices: usize,
    },
    /// A triangle that is to be removed does not exist, or is named twice.
    #[error("triangle {triangle} cannot be removed: {reason}")]
    NotRemovable {
        /// The triangle's number.
        triangle: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is not finite: {position:?}")]
    NonFinitePosition {
        /// The vertex's number.
        vertex: usize,
        /// Its coordinates.
        position: [f64; 3],
    },
    /// A state has a different size than the body.
    #[error("{given} {what} were given, but the body has {expected}")]
    CountMismatch {
        /// What was counted.
        what: &'static str,
        /// How many the body has.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// A coordinate of a reduced deformation is NaN or infinite.
    #[error("the coordinate of mode {mode} is not finite: {value}")]
    NonFiniteCoordinate {
        /// The mode's number.
        mode: usize,
        /// Its coordinate.
        value: f64,
    },
    /// A state would move vertices outside the supported range of coordinates.
    #[error("the state may move vertices as far as {reach:e}, outside the supported range")]
    OutOfRange {
        /// An upper bound of the coordinates that the state would produce.
        reach: f64,
    },
    /// The error that bounds must allow for is negative, NaN or infinite.
    #[error("bounds cannot allow for an error of {error}")]
    InvalidAllowance {
        /// The error given.
        error: f64,
    },
    /// A quaternion that is zero, infinite or NaN is not a rotation.
    #[error("the rotation {quaternion:?} has no direction: its length is zero or not finite")]
    InvalidRotation {
        /// x, y, z, w.
        quaternion: [f64; 4],
    },
    /// A vector of a query or of a state is NaN or infinite, or a direction is zero.
    #[error("the {what} {vector:?} is not usable: {reason}")]
    InvalidVector {
        /// Which vector.
        what: &'static str,
        /// Its components.
        vector: [f64; 3],
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A distance of a query is negative, NaN or infinite.
    #[error("{distance} is not usable as a distance")]
    InvalidDistance {
        /// The distance given.
        distance: f64,
    },
    /// A necklace or a chain of it has no beads.
    #[error("chain {chain} has no beads")]
    EmptyChain {
        /// The chain's number.
        chain: usize,
    },
    /// A bead's centre is NaN or infinite, or its radius is not a positive finite number.
    #[error("bead {bead} at {center:?} with radius {radius} is not usable: {reason}")]
    InvalidBead {
        /// The bead's number.
        bead: usize,
        /// Its centre.
        center: [f64; 3],
        /// Its radius.
        radius: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A bead violates a property that the caller had promised.
    #[error("bead {bead} breaks a promise: {promise} is {promised}, found {found}")]
    BrokenPromise {
        /// The bead's number.
        bead: usize,
        /// What was promised.
        promise: &'static str,
        /// The value promised.
        promised: f64,
        /// The value found.
        found: f64,
    },
    /// The joints and weights of a vertex are not a convex combination.
    #[error("the influences of vertex {vertex} are not usable: {reason}")]
    InvalidInfluences {
        /// The vertex's number.
        vertex: usize,
        /// What is wrong with them.
        reason: &'static str,
    },
    /// The blending does not support the transform of a joint.
    #[error("joint {joint} is not usable: {reason}")]
    InvalidJoint {
        /// The joint's number.
        joint: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A morph weight is NaN or infinite.
    #[error("the weight {weight} of morph target {target} is not finite")]
    NonFiniteMorphWeight {
        /// The target's number.
        target: usize,
        /// Its weight.
        weight: f64,
    },
    /// A keyframe's time is not usable.
    #[error("keyframe {keyframe} cannot be used: {reason}")]
    InvalidKeyframe {
        /// The keyframe's number.
        keyframe: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A vertex has an invalid flight plan.
    #[error("the plan of vertex {vertex} cannot be used: {reason}")]
    InvalidPlan {
        /// The vertex's number.
        vertex: usize,
        /// What is wrong with its plan.
        reason: &'static str,
    },
    /// A body cannot be set to this time.
    #[error("the time {time} cannot be used: {reason}")]
    InvalidTime {
        /// The time given.
        time: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A body that was removed from a world, or was never in it.
    #[error("there is no body {id} in this world")]
    NoSuchBody {
        /// The id given.
        id: crate::BodyId,
    },
    /// A necklace that was removed from a world, or was never in it.
    #[error("there is no necklace {id} in this world")]
    NoSuchNecklace {
        /// The id given.
        id: crate::NecklaceId,
    },
    /// A pair of bodies that is one body.
    #[error("body {id} was given twice: a pair has two bodies")]
    SameBody {
        /// The id given.
        id: crate::BodyId,
    },
    /// A tree setting lies outside its range.
    #[error("{setting} = {value} is outside {range}")]
    InvalidSetting {
        /// The setting's name.
        setting: &'static str,
        /// The value given.
        value: usize,
        /// The values allowed.
        range: &'static str,
    },
    /// A tree violates one of its invariants (see [`crate::tree::validate`]).
    #[error("the tree is not valid at node {node}: {reason}")]
    InvalidTree {
        /// The node's number.
        node: usize,
        /// The invariant that it violates.
        reason: &'static str,
    },
    /// What was prepared for one body was used for another.
    #[error("the body has another {what} than the one that was prepared")]
    PreparedForAnother {
        /// What differs: mesh or tree.
        what: &'static str,
    },
}

/// The result type of the library.
pub type Result<T> = std::result::Result<T, Error>;
