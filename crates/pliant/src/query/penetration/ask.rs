//! The questions that regions are made of, asked through trees or of every triangle.

use glam::DVec3;

use crate::body::Surface;
use crate::query::closest::closest_among;
use crate::query::{ClosestPoint, Inside, Work, brute_force, inside};

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::query) enum Ask {
    /// The queries.
    Tree,
    /// Their twins.
    EveryTriangle,
}

impl Ask {
    /// Whether a body encloses a point. A point that overflowed is outside.
    pub(super) fn inside<S: Surface>(self, body: &S, point: DVec3, work: &mut Work) -> Inside {
        let found = match self {
            Self::Tree => inside(body, point),
            Self::EveryTriangle => brute_force::inside(body, point),
        };
        let Ok(found) = found else { return Inside::Out };
        *work += found.work;
        found.inside
    }

    /// The closest point among the triangles that count, or any whose squared distance is below
    /// `enough`.
    pub(super) fn closest<S: Surface>(
        self,
        body: &S,
        point: DVec3,
        enough: f64,
        counts: impl Fn(u32) -> bool,
        work: &mut Work,
    ) -> ClosestPoint {
        let found = match self {
            Self::Tree => closest_among(body, point, enough, counts),
            Self::EveryTriangle => {
                let mut nearest = ClosestPoint::FARTHEST;
                for triangle in (0..body.mesh().triangles().len() as u32).filter(|&t| counts(t)) {
                    nearest.consider(body, point, triangle);
                }
                nearest
            }
        };
        *work += found.work;
        found
    }
}
