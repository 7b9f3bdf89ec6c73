//! Pair queries of bodies of any kind.

use super::penetration::{Ask, regions_between, regions_within};
use super::{
    FoundPair, Intersections, Penetration, Within, Work, descent, intersections, intersects,
    self_intersections, self_within, within,
};
use crate::Result;
use crate::body::{AnyBody, with_body};
use crate::volume::Overlap as _;

impl AnyBody {
    /// As [`intersections`](crate::intersections()), compiled for both kinds where pairs of these
    /// kinds are common, and for one kind otherwise: a descent for every pair of kinds takes
    /// minutes to compile.
    #[must_use]
    pub fn intersections(&self, other: &Self) -> Intersections {
        match (self, other) {
            (Self::Free(a), Self::Free(b)) => intersections(&**a, &**b),
            (Self::Affine(a), Self::Affine(b)) => intersections(&**a, &**b),
            (Self::Skinned(a), Self::Skinned(b)) => intersections(&**a, &**b),
            (Self::Reduced(a), Self::Affine(b)) => intersections(&**a, &**b),
            (Self::Affine(a), Self::Reduced(b)) => intersections(&**b, &**a).swapped(),
            (a, b) => with_body!(a, a => intersections(&**a, b)),
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
        with_body!(self, body => self_intersections(&**body))
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

    /// As [`penetration`](crate::penetration()).
    #[must_use]
    pub fn penetration(&self, other: &Self) -> Penetration {
        let work = Work { bounds: 2, overlap_tests: 1, primitive_tests: 0 };
        if !self.bounding_box().overlaps(&other.bounding_box()) {
            return Penetration { regions: Vec::new(), work };
        }
        let found = self.intersections(other);
        let mut all = regions_between(self, other, found.pairs, Ask::Tree, found.work);
        all.work += work;
        all
    }

    /// As [`self_penetration`](crate::self_penetration()).
    #[must_use]
    pub fn self_penetration(&self) -> Penetration {
        self.penetration_of(self.self_intersections())
    }

    /// The regions of the body with itself, whose touching triangles are known.
    pub(crate) fn penetration_of(&self, found: Intersections) -> Penetration {
        regions_within(self, found.pairs, Ask::Tree, found.work)
    }

    /// As [`descent`].
    #[must_use]
    pub fn descent(&self, other: &Self) -> Work {
        with_body!(self, a => descent(&**a, other))
    }
}
