//! What a sweep finds.

use std::cmp::Ordering;

use crate::contact::ImpactTime;
use crate::query::Work;

/// Two features that touch within a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Which two.
    pub features: Features,
    /// When they touch first, from 0 to 1.
    pub time: ImpactTime,
    /// Whether they certainly touch.
    pub certainty: Certainty,
}

/// Two features that may touch: a vertex and a face, or two edges. Two triangles that are apart at
/// first touch first in one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Features {
    /// A vertex of the first body, a triangle of the second.
    VertexFace {
        /// The vertex.
        vertex: u32,
        /// The triangle.
        face: u32,
    },
    /// A triangle of the first body, a vertex of the second. Not for a body with itself.
    FaceVertex {
        /// The triangle.
        face: u32,
        /// The vertex.
        vertex: u32,
    },
    /// An edge of the first body and one of the second, each as two vertices, the smaller first.
    /// For a body with itself the smaller edge comes first.
    EdgeEdge {
        /// The edge of the first body.
        first: [u32; 2],
        /// The edge of the second.
        second: [u32; 2],
    },
}

/// Whether two features certainly touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Certainty {
    /// They do, as real arithmetic says, and the time is exact: neighbouring `f64` around it.
    Certain,
    /// Along their true paths they come at least as near as this, and may touch. They do not touch
    /// before the first of both times.
    Within(f64),
}

impl Impact {
    /// The order of impacts: by features.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.features.cmp(&other.features)
    }

    /// Whether this comes first: by its earliest time, then by its features.
    pub(super) fn is_before(&self, other: &Self) -> bool {
        let key = |one: &Self| [one.time.lo, one.time.hi];
        let [[lo, hi], [other_lo, other_hi]] = [key(self), key(other)];
        let order = lo.total_cmp(&other_lo).then(hi.total_cmp(&other_hi));
        order.then(self.order(other)) == Ordering::Less
    }
}

/// What touches within a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Swept {
    /// Features that touch at some time, ascending, each pair once.
    pub contacts: Vec<Impact>,
    /// Triangles that touch at the start of the step, by the exact test: triangle of the first
    /// body, triangle of the second, ascending; for a body with itself the smaller number first.
    ///
    /// Things that run through one another at the start, and go on doing so, need not have any
    /// features that touch.
    pub pierced: Vec<[u32; 2]>,
    /// What the query did.
    pub work: Work,
}

impl Swept {
    /// The time of the first contact: 0 if triangles touch at the start; `None` if nothing touches.
    #[must_use]
    pub fn first(&self) -> Option<ImpactTime> {
        if !self.pierced.is_empty() {
            return Some(ImpactTime { lo: 0.0, hi: 0.0 });
        }
        self.first_impact().map(|impact| impact.time)
    }

    /// The earliest impact; of several, the one with the smallest features.
    #[must_use]
    pub fn first_impact(&self) -> Option<&Impact> {
        self.contacts.iter().reduce(|best, one| if one.is_before(best) { one } else { best })
    }

    /// Whether nothing touches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.pierced.is_empty()
    }

    /// In canonical order.
    pub(crate) fn sorted(mut self) -> Self {
        self.contacts.sort_unstable_by(Impact::order);
        self.pierced.sort_unstable();
        self
    }
}
