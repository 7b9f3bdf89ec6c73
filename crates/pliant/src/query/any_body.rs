//! Pair queries of bodies of any kind.

use super::pair_limit::PairLimit;
use super::{
    FoundPair, Intersections, Within, Work, descent, intersections_within, intersects,
    self_intersections_within, self_within, within,
};
use crate::Result;
use crate::body::{AnyBody, with_body};

impl AnyBody {
    /// As [`intersections`](crate::intersections()), compiled for both kinds where pairs of these
    /// kinds are common, and for one kind otherwise: a descent for every pair of kinds takes
    /// minutes to compile.
    #[must_use]
    pub fn intersections(&self, other: &Self) -> Intersections {
        self.intersections_within(other, &PairLimit::none())
    }

    /// As [`AnyBody::intersections`]. Pairs are missing if the limit is exceeded, and only then.
    pub(crate) fn intersections_within(&self, other: &Self, limit: &PairLimit) -> Intersections {
        match (self, other) {
            (Self::Free(a), Self::Free(b)) => intersections_within(&**a, &**b, limit),
            (Self::Affine(a), Self::Affine(b)) => intersections_within(&**a, &**b, limit),
            (Self::Skinned(a), Self::Skinned(b)) => intersections_within(&**a, &**b, limit),
            (Self::Reduced(a), Self::Affine(b)) => intersections_within(&**a, &**b, limit),
            (Self::Affine(a), Self::Reduced(b)) => {
                intersections_within(&**b, &**a, limit).swapped()
            }
            (a, b) => with_body!(a, a => intersections_within(&**a, b, limit)),
        }
    }

    /// As [`intersects`](crate::intersects()).
    #[must_use]
    pub fn intersects(&self, other: &Self) -> FoundPair {
        intersects(self, other)
    }

    /// As [`self_intersections`](crate::self_intersections()).
    #[must_use]
    pub fn self_intersections(&self) -> Intersections {
        self.self_intersections_within(&PairLimit::none())
    }

    /// As [`AnyBody::self_intersections`]. Pairs are missing if the limit is exceeded, and only
    /// then.
    pub(crate) fn self_intersections_within(&self, limit: &PairLimit) -> Intersections {
        with_body!(self, body => self_intersections_within(&**body, limit))
    }

    /// As [`within`](crate::within()).
    ///
    /// # Errors
    /// [`Error::InvalidDistance`](crate::Error::InvalidDistance).
    pub fn within(&self, other: &Self, distance: f64) -> Result<Within> {
        match (self, other) {
            (Self::Skinned(a), Self::Skinned(b)) => within(&**a, &**b, distance),
            (a, b) => with_body!(a, a => within(&**a, b, distance)),
        }
    }

    /// As [`self_within`](crate::self_within()).
    ///
    /// # Errors
    /// [`Error::InvalidDistance`](crate::Error::InvalidDistance).
    pub fn self_within(&self, distance: f64) -> Result<Within> {
        with_body!(self, body => self_within(&**body, distance))
    }

    /// As [`descent`].
    #[must_use]
    pub fn descent(&self, other: &Self) -> Work {
        with_body!(self, a => descent(&**a, other))
    }
}
