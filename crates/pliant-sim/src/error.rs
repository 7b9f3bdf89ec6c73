//! The crate's one error type.

/// Why a reduced model could not be made. Each variant names the element at fault.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What the library refuses, the crate refuses.
    #[error(transparent)]
    Library(#[from] pliant::Error),
    /// An animation without frames has no shape.
    #[error("the animation has no frames")]
    NoFrames,
    /// A frame, or the rest shape, has another number of vertices than the first frame.
    #[error("{what} {number} has {given} vertices, but the first frame has {expected}")]
    VertexCount {
        /// `frame` or `rest shape`.
        what: &'static str,
        /// The frame's number.
        number: usize,
        /// Vertices of the first frame.
        expected: usize,
        /// Vertices of this one.
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
    /// Rounding, of modes to `f32` above all, keeps the error above what was asked for.
    #[error(
        "a vertex error of {asked} is out of reach: with all {rank} components it is {reached}"
    )]
    ErrorOutOfReach {
        /// The largest vertex error that was asked for.
        asked: f64,
        /// How many components the motion has, as far as `f64` can tell.
        rank: usize,
        /// The largest vertex error with all of them.
        reached: f64,
    },
    /// A number lies outside its range.
    #[error("{setting} = {value} is outside {range}")]
    InvalidSetting {
        /// The setting's name.
        setting: &'static str,
        /// The value given.
        value: f64,
        /// The values allowed.
        range: &'static str,
    },
    /// More of something than memory and time are planned for.
    #[error("{count} {what} are too many: the limit is {limit}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many there are.
        count: f64,
        /// How many are allowed.
        limit: usize,
    },
    /// A vertex to be held does not exist.
    #[error("vertex {vertex} cannot be fixed: there are {vertices} vertices")]
    NoSuchVertex {
        /// The vertex's number.
        vertex: u32,
        /// The number of vertices of the mesh.
        vertices: usize,
    },
    /// A body that is held everywhere does not vibrate.
    #[error("all {cells} cells are fixed at all corners")]
    NothingMoves {
        /// The number of cells.
        cells: usize,
    },
    /// The linear algebra did not succeed.
    #[error("the solver failed: {reason}")]
    Solver {
        /// In which step, and why.
        reason: &'static str,
    },
    /// A computed mode does not solve its equation.
    #[error("mode {mode} is not accurate: its residual is {residual}, the limit is {limit}")]
    Inaccurate {
        /// The mode's number, rigid ones counted.
        mode: usize,
        /// The residual, relative to the shifted eigenvalue.
        residual: f64,
        /// What is allowed.
        limit: f64,
    },
    /// The number of modes below a frequency, counted independently, is another.
    #[error("{found} modes were found where there are {counted}")]
    ModesMissed {
        /// How many were found.
        found: usize,
        /// How many there are.
        counted: usize,
    },
}

/// A result of the crate.
pub type Result<T> = std::result::Result<T, Error>;
