//! Boxes around points in `f64`, and how far maps move them.

use glam::{DAffine3, DVec3};

use crate::deform::row_sums;
use crate::numeric::VANISHED_LENGTH;

/// Roundings of a map of a point, as a part of the sum of the magnitudes of its terms: a computed
/// image passes less than a dozen of them, each 2^-53. Here 2^-46.
pub(super) const MAP_ERROR: f64 = 64.0 * f64::EPSILON;

/// A box around points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    low: DVec3,
    high: DVec3,
}

impl Extent {
    pub(super) const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    pub(super) fn with(self, point: DVec3) -> Self {
        Self { low: self.low.min(point), high: self.high.max(point) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.low.cmpgt(self.high).any()
    }

    /// The largest magnitude of a coordinate.
    pub(super) fn reach(&self) -> f64 {
        self.low.abs().max(self.high.abs()).max_element()
    }

    /// Its middle and half of its sides.
    pub(super) fn middle_and_half(&self) -> (DVec3, DVec3) {
        (0.5 * self.low + 0.5 * self.high, 0.5 * self.high - 0.5 * self.low)
    }
}

/// A bound of the coordinates of the images of points with coordinates up to `reach`, and of all sums
/// on the way.
pub(super) fn mapped_reach(map: &DAffine3, reach: f64) -> f64 {
    row_sums(map).max_element() * reach + map.translation.abs().max_element()
}

/// The difference of two maps.
#[derive(Debug, Clone, Copy)]
pub(super) struct MapStep {
    by: DAffine3,
    /// The lengths of the columns of its linear part.
    columns: DVec3,
    /// Whether both maps are equal.
    pub(super) is_none: bool,
}

impl MapStep {
    pub(super) fn new(from: &DAffine3, to: &DAffine3) -> Self {
        let by = DAffine3 {
            matrix3: to.matrix3 - from.matrix3,
            translation: to.translation - from.translation,
        };
        let m = &by.matrix3;
        let columns = DVec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
        Self { by, columns: columns + VANISHED_LENGTH, is_none: from == to }
    }

    /// How far a point of a box is at most from one image to the other: the way of the middle, and
    /// the columns times how far the point is from the middle. Without the roundings, which are
    /// below [`MAP_ERROR`] times the [reaches](mapped_reach) of both images.
    #[inline]
    pub(super) fn moves(&self, middle: DVec3, half: DVec3) -> f64 {
        self.by.transform_point3(middle).length() + VANISHED_LENGTH + self.columns.dot(half)
    }
}
