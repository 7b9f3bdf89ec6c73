//! The error type of the crate.

use std::path::PathBuf;

/// Why a reduced model could not be made, or a simulation not go on. Each variant names the offending element.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the library.
    #[error(transparent)]
    Library(#[from] pliant::Error),
    /// The animation has no frames.
    #[error("the animation has no frames")]
    NoFrames,
    /// A frame or the rest shape has a different number of vertices than the first frame.
    #[error("{what} {number} has {given} vertices, but the first frame has {expected}")]
    VertexCount {
        /// `frame` or `rest shape`.
        what: &'static str,
        /// The frame's number.
        number: usize,
        /// The number of vertices of the first frame.
        expected: usize,
        /// The number of vertices of this frame.
        given: usize,
    },
    /// A coordinate of an animation is NaN, infinite or beyond
    /// [`MAX_COORDINATE`](crate::limits::MAX_COORDINATE).
    #[error("vertex {vertex} of {what} {number} is not usable: {position:?}")]
    InvalidPosition {
        /// `frame` or `rest shape`.
        what: &'static str,
        /// The frame's number.
        number: usize,
        /// The vertex's number.
        vertex: usize,
        /// Its coordinates.
        position: [f64; 3],
    },
    /// Rounding, mainly of modes to `f32`, keeps the error above the requested one.
    #[error(
        "a vertex error of {asked} is out of reach: with all {rank} components it is {reached}"
    )]
    ErrorOutOfReach {
        /// The requested largest vertex error.
        asked: f64,
        /// The number of components that the motion has within `f64` accuracy.
        rank: usize,
        /// The largest vertex error with all components.
        reached: f64,
    },
    /// A number is outside its range.
    #[error("{setting} = {value} is outside {range}")]
    InvalidSetting {
        /// The setting's name.
        setting: &'static str,
        /// The value given.
        value: f64,
        /// The values allowed.
        range: &'static str,
    },
    /// More elements than memory and time allow.
    #[error("{count} {what} are too many: the limit is {limit}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many there are.
        count: f64,
        /// How many are allowed.
        limit: usize,
    },
    /// A shape has no points.
    #[error("the shape has no points")]
    NoPoints,
    /// A fixed vertex does not exist.
    #[error("vertex {vertex} cannot be fixed: there are {vertices} vertices")]
    NoSuchVertex {
        /// The vertex's number.
        vertex: u32,
        /// The number of vertices of the mesh.
        vertices: usize,
    },
    /// All corners of all cells are fixed, so the body does not vibrate.
    #[error("all {cells} cells are fixed at all corners")]
    NothingMoves {
        /// The number of cells.
        cells: usize,
    },
    /// The linear algebra failed.
    #[error("the solver failed: {reason}")]
    Solver {
        /// The step that failed, and why.
        reason: &'static str,
    },
    /// A computed mode does not solve its equation.
    #[error("mode {mode} is not accurate: its residual is {residual}, the limit is {limit}")]
    Inaccurate {
        /// The mode's number, including rigid modes.
        mode: usize,
        /// The residual, relative to the shifted eigenvalue.
        residual: f64,
        /// The largest residual allowed.
        limit: f64,
    },
    /// An independent count of the modes below a frequency gives another number.
    #[error("{found} modes were found where there are {counted}")]
    ModesMissed {
        /// The number of modes that were found.
        found: usize,
        /// The number of modes that exist.
        counted: usize,
    },
    /// A model does not exist in a simulation.
    #[error("there is no model {model}: the simulation has {models}")]
    NoSuchModel {
        /// The model's number.
        model: usize,
        /// The number of models.
        models: usize,
    },
    /// A body does not exist in a simulation.
    #[error("there is no body {body}: the simulation has {bodies}")]
    NoSuchBody {
        /// The body's number.
        body: u32,
        /// The number of bodies.
        bodies: usize,
    },
    /// A moving surface that cannot be an obstacle.
    #[error("the obstacle cannot move so: {reason}")]
    Obstacle {
        /// Why not.
        reason: &'static str,
    },
    /// A body's state is not finite any more.
    #[error("body {body} is not at a finite place after step {step}")]
    Diverged {
        /// The body's number.
        body: u32,
        /// The number of steps done.
        step: u64,
    },
    /// Bytes that a simulation cannot go on from.
    #[error("the saved simulation cannot be restored: {reason}")]
    Saved {
        /// Why not.
        reason: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {reason}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// The result type of the crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The refusal of a number outside its range.
pub(crate) fn refuse<T>(setting: &'static str, value: f64, range: &'static str) -> Result<T> {
    Err(Error::InvalidSetting { setting, value, range })
}
