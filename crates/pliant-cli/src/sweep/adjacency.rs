//! `--adjacency` and `--path`: what is asked of a step.

use pliant::query::Adjacency;

/// Which features of one object share a vertex, and so do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum AdjacencyArgument {
    /// Vertices with the same position at rest are one.
    #[default]
    Place,
    /// Only vertices with the same number are.
    Index,
}

impl From<AdjacencyArgument> for Adjacency {
    fn from(argument: AdjacencyArgument) -> Self {
        match argument {
            AdjacencyArgument::Place => Self::ByPlace,
            AdjacencyArgument::Index => Self::ByIndex,
        }
    }
}

/// How things move between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum PathArgument {
    /// Every vertex along a straight line from frame to frame.
    Linear,
    /// As the file says: nodes and joints turn as its keys say. Caches, morph targets and keyframes
    /// are linear by nature.
    #[default]
    True,
}
