//! `--method`: how bounds are made.

use pliant::AnyBody;
use pliant::bound::RefitPolicy;
use pliant_io as io;

/// How bounds are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Method {
    /// What suits each object best: bounds of rigid objects from their boxes at rest, from weights
    /// for large ones with morph targets, from joints for large skins, from both ends of a span for
    /// keyframes, bottom-up for all others.
    Auto,
    /// Bounds from the weights of morph targets, without moving vertices that no test asks
    /// for; objects that deform in another way are refitted bottom-up.
    BoundedDeformation,
    /// Bounds of skins from their joints, without moving vertices that no test asks for;
    /// objects that deform in another way are refitted bottom-up.
    Skinned,
    /// Bounds of objects with keyframes from those before and after, refitted once per keyframe;
    /// objects that deform in another way, or hang from a node that moves, are refitted bottom-up.
    Keyframed,
    /// Move all vertices, then refit all boxes from the leaves to the root.
    BottomUp,
    /// No bounds: test every triangle with every other. Slow; for comparison.
    BruteForce,
}

impl Method {
    /// Its name on the command line and in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::BoundedDeformation => "bounded-deformation",
            Self::Skinned => "skinned",
            Self::Keyframed => "keyframed",
            Self::BottomUp => "bottom-up",
            Self::BruteForce => "brute-force",
        }
    }

    /// How bodies are made for it.
    pub(crate) fn of_bodies(self) -> io::Method {
        match self {
            Self::Auto => io::Method::Auto,
            Self::BoundedDeformation => io::Method::BoundedDeformation,
            Self::Skinned => io::Method::Skinned,
            Self::Keyframed => io::Method::Keyframed,
            Self::BottomUp | Self::BruteForce => io::Method::BottomUp,
        }
    }

    /// How it makes the bounds of a body, for people.
    pub(crate) fn name_for(self, body: &AnyBody) -> &'static str {
        match (self, body) {
            (Self::BruteForce, _) => "brute-force",
            (_, AnyBody::Free(_)) => "bottom-up",
            (_, AnyBody::Skinned(body)) if body.policy() == RefitPolicy::AllAtOnce => "bottom-up",
            (_, AnyBody::Reduced(_)) => "bounded-deformation",
            (_, other) => other.kind(),
        }
    }
}
