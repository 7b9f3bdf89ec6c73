//! Convex volumes of different kinds: separated along a direction, or not known to be.

use glam::DVec3;

use super::apart::never_above;
use super::{Aabb, Apart as _, Sphere, Volume};
use crate::numeric::{F64_SLACK, length};

/// A convex volume as its support function: what volumes of any two kinds need to be told apart.
pub trait Convex: Volume {
    /// The largest dot product of a direction with a point of the volume, never less than the
    /// true one. Minus infinity for an empty volume.
    fn support(&self, direction: DVec3) -> f64;

    /// Directions along which the volume is worth being told from others. Their coordinates have
    /// magnitudes of at most about 1.
    fn directions(&self) -> impl Iterator<Item = DVec3>;
}

/// The directions along which two volumes of different kinds are compared: those of both, and from
/// middle to middle.
fn directions(a: &impl Convex, b: &impl Convex) -> impl Iterator<Item = DVec3> {
    let middle = |corners: [DVec3; 2]| corners[0] * 0.5 + corners[1] * 0.5;
    let between = middle(b.corners()) - middle(a.corners());
    // Not a number if one is unbounded: it excludes nothing.
    let between = between / between.abs().max_element();
    std::iter::once(between).chain(a.directions()).chain(b.directions())
}

/// How far b lies beyond a along a direction, in units of its length; negative or NaN if that is not
/// known to be positive. Both supports are never too small, so it is never too large, but for the
/// one rounding of the sum.
#[inline]
fn gap_along(a: &impl Convex, b: &impl Convex, direction: DVec3) -> f64 {
    let (top, bottom) = (a.support(direction), b.support(-direction));
    -(top + bottom) - F64_SLACK * (top.abs() + bottom.abs())
}

/// [`Overlap`](super::Overlap) of two kinds by their supports.
pub(super) fn convex_overlap(a: &impl Convex, b: &impl Convex) -> bool {
    let either = |n: DVec3| gap_along(a, b, n) > 0.0 || gap_along(a, b, -n) > 0.0;
    !directions(a, b).any(either)
}

/// [`Apart`](super::Apart) of two kinds by their supports: the largest gap along a direction, or between
/// their boxes.
pub(super) fn convex_apart(a: &impl Convex, b: &impl Convex) -> f64 {
    let mut most = a.bounding_box().distance_squared_to(&b.bounding_box());
    for direction in directions(a, b) {
        let gap = gap_along(a, b, direction).max(gap_along(a, b, -direction));
        let gap = gap / (length(direction) * (1.0 + F64_SLACK));
        if gap > 0.0 {
            most = most.max(never_above(gap * gap));
        }
    }
    most
}

/// The larger of two numbers; NaN if one is.
#[inline]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// Two kinds of volumes that are told apart by their supports.
macro_rules! by_support {
    ($([$($generics:tt)*] $a:ty, $b:ty);* $(;)?) => { $(
        by_support!(@one [$($generics)*] $a, $b);
        by_support!(@one [$($generics)*] $b, $a);
    )* };
    (@one [$($generics:tt)*] $a:ty, $b:ty) => {
        impl<$($generics)*> $crate::volume::Overlap<$b> for $a {
            fn overlaps(&self, other: &$b) -> bool {
                $crate::volume::convex::convex_overlap(self, other)
            }
        }
        impl<$($generics)*> $crate::volume::Apart<$b> for $a {
            fn distance_squared_to(&self, other: &$b) -> f64 {
                $crate::volume::convex::convex_apart(self, other)
            }
        }
    };
}
pub(super) use by_support;

impl Convex for Aabb {
    fn support(&self, direction: DVec3) -> f64 {
        let (mut sum, mut size) = (0.0, 0.0);
        for axis in (0..3).filter(|&axis| direction[axis] != 0.0) {
            let side = if direction[axis] > 0.0 { self.max[axis] } else { self.min[axis] };
            sum += direction[axis] * f64::from(side);
            size += (direction[axis] * f64::from(side)).abs();
        }
        sum + F64_SLACK * size
    }

    fn directions(&self) -> impl Iterator<Item = DVec3> {
        DVec3::AXES.into_iter()
    }
}

impl Convex for Sphere {
    fn support(&self, direction: DVec3) -> f64 {
        if self.radius < 0.0 {
            return f64::NEG_INFINITY;
        }
        let center = self.center.as_dvec3();
        let reach = f64::from(self.radius) * length(direction);
        let size = center.abs().dot(direction.abs()) + reach;
        center.dot(direction) + reach + F64_SLACK * size
    }

    fn directions(&self) -> impl Iterator<Item = DVec3> {
        std::iter::empty()
    }
}
