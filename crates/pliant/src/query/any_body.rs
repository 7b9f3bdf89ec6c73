//! Pair queries of bodies of any kind.

use std::borrow::Cow;

use super::frames::intersections_in_frames;
use super::pair_limit::PairLimit;
use super::penetration::{Ask, regions_between, regions_within};
use super::{
    FoundPair, Intersections, Penetration, Within, Work, descent, intersections_within, intersects,
    self_intersections_within, self_within, within,
};
use crate::Result;
use crate::body::{AnyBody, with_body};
use crate::volume::Overlap as _;

impl AnyBody {
    /// As [`intersections`](crate::intersections()), compiled for both kinds where pairs of these
    /// kinds are common, and for one kind otherwise: a descent for every pair of kinds takes
    /// minutes to compile. Boxes of two bodies that each move by one map are compared in the frames of
    /// both.
    #[must_use]
    pub fn intersections(&self, other: &Self) -> Intersections {
        self.intersections_within(other, &PairLimit::none())
    }

    /// As [`AnyBody::intersections`]. Pairs are missing if the limit is exceeded, and only then.
    pub(crate) fn intersections_within(&self, other: &Self, limit: &PairLimit) -> Intersections {
        match (self, other) {
            (Self::Free(a), Self::Free(b)) => intersections_within(&**a, &**b, limit),
            (Self::Affine(a), Self::Affine(b)) => intersections_in_frames(&**a, &**b, limit),
            (Self::Rigid(a), Self::Rigid(b)) => intersections_in_frames(&**a, &**b, limit),
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

    /// As [`penetration`](crate::penetration()).
    #[must_use]
    pub fn penetration(&self, other: &Self) -> Penetration {
        let work = Work { bounds: 2, overlap_tests: 1, primitive_tests: 0 };
        if !self.bounding_box().overlaps(&other.bounding_box()) {
            return Penetration { regions: Vec::new(), work };
        }
        let found = self.intersections(other);
        let mut all = regions_between(self, other, &found.pairs, Ask::Tree, found.work);
        all.work += work;
        all
    }

    /// As [`self_penetration`](crate::self_penetration()).
    #[must_use]
    pub fn self_penetration(&self) -> Penetration {
        let found = self.self_intersections();
        regions_within(self, &found.pairs, Ask::Tree, found.work)
    }

    /// As [`AnyBody::penetration`], for those who know which triangles touch: `pairs` are those that
    /// [`AnyBody::intersections`] found in this state. Pairs of triangles that do not exist are left
    /// out.
    #[must_use]
    pub fn penetration_of(&self, other: &Self, pairs: &[[u32; 2]]) -> Penetration {
        let pairs = existing(pairs, [self, other]);
        regions_between(self, other, &pairs, Ask::Tree, Work::default())
    }

    /// As [`AnyBody::self_penetration`], for those who know which triangles touch: `pairs` are those
    /// that [`AnyBody::self_intersections`] found in this state. Pairs of triangles that do not exist
    /// are left out.
    #[must_use]
    pub fn self_penetration_of(&self, pairs: &[[u32; 2]]) -> Penetration {
        let pairs = existing(pairs, [self, self]);
        regions_within(self, &pairs, Ask::Tree, Work::default())
    }

    /// As [`descent`].
    #[must_use]
    pub fn descent(&self, other: &Self) -> Work {
        with_body!(self, a => descent(&**a, other))
    }
}

/// The pairs whose triangles exist.
fn existing<'a>(pairs: &'a [[u32; 2]], bodies: [&AnyBody; 2]) -> Cow<'a, [[u32; 2]]> {
    let [of_first, of_second] = bodies.map(|body| body.mesh().triangles().len());
    let exists = |&[i, j]: &[u32; 2]| (i as usize) < of_first && (j as usize) < of_second;
    if pairs.iter().all(exists) {
        Cow::Borrowed(pairs)
    } else {
        Cow::Owned(pairs.iter().copied().filter(exists).collect())
    }
}
