//! How far apart two volumes are, never overestimated.

use glam::DVec3;

use super::{Aabb, Sphere};
use crate::limits::{F64_SLACK, SQUARED_DISTANCE_SHRINK};

/// How far apart two volumes are.
pub trait Apart<Other> {
    /// The squared distance between the two sets, never more than the true one;
    /// zero where they overlap. Empty volumes are as far away as numbers go.
    ///
    /// ```
    /// use pliant::{glam::DVec3, volume::{Aabb, Apart, Sphere}};
    /// let cube = Aabb::around([DVec3::ZERO, DVec3::ONE]);
    /// let ball = Sphere::new(DVec3::new(4.0, 0.5, 0.5), 1.0);
    /// let squared = cube.distance_squared_to(&ball);
    /// assert!(squared <= 4.0 && squared > 4.0 - 1e-6);
    /// ```
    fn distance_squared_to(&self, other: &Other) -> f64;
}

impl Apart<Aabb> for Aabb {
    #[inline]
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        let (min, max) = (self.min.as_dvec3(), self.max.as_dvec3());
        let gap = (other.min.as_dvec3() - max).max(min - other.max.as_dvec3());
        never_above(gap.max(DVec3::ZERO).length_squared())
    }
}

impl Apart<Sphere> for Sphere {
    #[inline]
    fn distance_squared_to(&self, other: &Sphere) -> f64 {
        let between = (self.center.as_dvec3() - other.center.as_dvec3()).length_squared();
        beyond_reach(between, f64::from(self.radius) + f64::from(other.radius))
    }
}

impl Apart<Sphere> for Aabb {
    #[inline]
    fn distance_squared_to(&self, other: &Sphere) -> f64 {
        let center = other.center.as_dvec3();
        let gap = (self.min.as_dvec3() - center).max(center - self.max.as_dvec3());
        beyond_reach(gap.max(DVec3::ZERO).length_squared(), f64::from(other.radius))
    }
}

impl Apart<Aabb> for Sphere {
    #[inline]
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        other.distance_squared_to(self)
    }
}

/// The squared distance that is left of one after a reach is taken away, given
/// the square of the former; never more than the true one.
///
/// The root carries six roundings, the reach one. Where the true reach is the
/// smaller, the slack on the root outweighs the reach's rounding too; where it is
/// the larger, the difference stays negative. A difference of infinities is NaN,
/// which `max` turns into zero.
#[inline]
pub(super) fn beyond_reach(between_squared: f64, reach: f64) -> f64 {
    let beyond = (between_squared.sqrt() * (1.0 - F64_SLACK) - reach).max(0.0);
    never_above(beyond * beyond)
}

/// A computed sum of three squares, lowered so that it is not above the true one.
///
/// The factor covers the roundings. A sum that overflowed is at least as large as
/// the largest number, up to those roundings. Squares that lost bits to underflow
/// are off by less than the smallest normal number.
#[inline]
pub(super) fn never_above(squared: f64) -> f64 {
    (squared.min(f64::MAX) * SQUARED_DISTANCE_SHRINK - f64::MIN_POSITIVE).max(0.0)
}
