//! Orientation predicates: exact signs of determinants of coordinate differences.
//!
//! There are three stages, each for the cases that the previous one leaves undecided:
//! 1. the determinant in `f64`, trusted where it exceeds a proven bound of its error;
//! 2. adaptive expansion arithmetic (Shewchuk, "Adaptive Precision Floating-Point
//!    Arithmetic and Fast Robust Geometric Predicates", 1997, section 4; the crate
//!    `robust`), where no coordinate is so large or so small that it overflows or
//!    underflows (see [`EXPANSION_RANGE`]);
//! 3. integers of any length.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

use crate::numeric::{
    CROSS_PRODUCT_ERROR, EXPANSION_RANGE, TRIPLE_PRODUCT_ERROR, UNDERFLOW_ALLOWANCE, exact_integer,
};

/// Compares the determinant of `b - a` and `c - a` with zero.
///
/// `Greater` means that `c` lies to the left of the line from `a` to `b`, `Equal` that it lies on
/// the line. Exact for all finite coordinates.
///
/// ```
/// use pliant::{contact::orient2d, glam::DVec2};
/// use std::cmp::Ordering;
/// assert_eq!(orient2d(DVec2::ZERO, DVec2::X, DVec2::new(7.0, 1e-300)), Ordering::Greater);
/// ```
#[must_use]
#[inline]
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> Ordering {
    let (u, v) = (b - a, c - a);
    let (left, right) = (u.x * v.y, u.y * v.x);
    let error = CROSS_PRODUCT_ERROR * (left.abs() + right.abs()) + UNDERFLOW_ALLOWANCE;
    certain_sign(left - right, error).unwrap_or_else(|| orient2d_exact(a, b, c))
}

/// Compares the determinant of `b - a`, `c - a` and `d - a` with zero.
///
/// `Greater` means that `d` lies on the side of the plane through `a`, `b` and `c` from which they
/// appear counterclockwise. `Equal` means that `d` lies on the plane, or that `a`, `b` and `c` are
/// collinear. Exact for all finite coordinates.
///
/// ```
/// use pliant::{contact::orient3d, glam::DVec3};
/// use std::cmp::Ordering;
/// let (a, b, c) = (DVec3::splat(1e200), DVec3::X, DVec3::Y);
/// assert_eq!(orient3d(a, b, c, (b + c) / 2.0), Ordering::Equal);
/// assert_eq!(orient3d(DVec3::ZERO, b, c, DVec3::Z * 1e-300), Ordering::Greater);
/// ```
#[must_use]
#[inline]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Ordering {
    let Normal { value, magnitude } = Normal::new(b - a, c - a);
    let w = d - a;
    certain_sign(value.dot(w), triple_product_error(magnitude, w.abs()))
        .unwrap_or_else(|| orient3d_exact(a, b, c, d))
}

/// A cross product, and the sums of the magnitudes of its terms.
pub(super) struct Normal {
    pub(super) value: DVec3,
    pub(super) magnitude: DVec3,
}

impl Normal {
    #[inline(always)]
    pub(super) fn new(u: DVec3, v: DVec3) -> Self {
        let plus = DVec3::new(u.y * v.z, u.z * v.x, u.x * v.y);
        let minus = DVec3::new(u.z * v.y, u.x * v.z, u.y * v.x);
        Self { value: plus - minus, magnitude: plus.abs() + minus.abs() + UNDERFLOW_ALLOWANCE }
    }
}

/// A bound on the error of a computed `normal.dot(w)`, where the normal is the cross product of `u`
/// and `v`, and all three vectors are rounded differences of points. `reach` must be at least `|w|`
/// in every component.
///
/// Let d denote rounding errors of at most u = 2^-53 and e underflow errors of at most 2^-1075. A
/// product is xy(1 + d) + e; a sum has no e. The computed value is therefore the sum of six terms,
/// each (1 + d)^8 times the true one, plus less than 2.1 e |w| per component, plus 3.1 e. The
/// computed bound exceeds the sum of these errors; see the constants. If anything overflows, the
/// bound is infinite or NaN and no value exceeds it, because by monotonicity its parts are at least
/// as large as the value's parts.
#[inline(always)]
pub(super) fn triple_product_error(magnitude: DVec3, reach: DVec3) -> f64 {
    TRIPLE_PRODUCT_ERROR * magnitude.dot(reach) + UNDERFLOW_ALLOWANCE
}

/// The sign of a value with an error of at most `error`, if it is certain. It is not if the bound is
/// infinite or one of the numbers is NaN.
#[inline(always)]
pub(crate) fn certain_sign(value: f64, error: f64) -> Option<Ordering> {
    if value > error {
        Some(Ordering::Greater)
    } else if value < -error {
        Some(Ordering::Less)
    } else {
        None
    }
}

#[cold]
fn orient2d_exact(a: DVec2, b: DVec2, c: DVec2) -> Ordering {
    let points = [a, b, c].map(|p| p.to_array());
    if points.as_flattened().iter().all(expansion_is_safe) {
        let [a, b, c] = points.map(|[x, y]| Coord { x, y });
        return sign(robust::orient2d(a, b, c));
    }
    let [a, b, c] = points;
    exact_integer::orient2d(a, b, c)
}

#[cold]
fn orient3d_exact(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Ordering {
    // A zero determinant takes the following stages longest. Axis-aligned planes are common, and so
    // are parts that meet in corners at one place.
    let is_one_of = |p: DVec3, of: &[DVec3]| of.contains(&p);
    if (a.cmpeq(b) & a.cmpeq(c) & a.cmpeq(d)).any()
        || is_one_of(d, &[a, b, c])
        || is_one_of(c, &[a, b])
        || a == b
    {
        return Ordering::Equal;
    }
    let points = [a, b, c, d].map(|p| p.to_array());
    if points.as_flattened().iter().all(expansion_is_safe) {
        let [a, b, c, d] = points.map(|[x, y, z]| Coord3D { x, y, z });
        // The sign of `robust` is positive below the plane.
        return sign(robust::orient3d(a, b, c, d)).reverse();
    }
    let [a, b, c, d] = points;
    exact_integer::orient3d(a, b, c, d)
}

/// Whether expansion arithmetic neither overflows nor underflows for a coordinate.
fn expansion_is_safe(x: &f64) -> bool {
    *x == 0.0 || (EXPANSION_RANGE.recip()..=EXPANSION_RANGE).contains(&x.abs())
}

/// Compares a number that is not NaN with zero.
fn sign(x: f64) -> Ordering {
    x.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Coordinates of all magnitudes, most of them near the limits of the stages.
    fn coordinate() -> impl Strategy<Value = f64> {
        let exponent = prop_oneof![
            8 => -2..2i32, 2 => -50..50i32, 1 => -260..-240i32, 1 => 240..260i32,
            1 => -1074..1020i32, 1 => -345..-320i32,
        ];
        let mantissa = prop_oneof![(-8..=8i32).prop_map(f64::from), -1.0..1.0f64];
        (mantissa, exponent).prop_map(|(m, e)| m * 2f64.powi(e / 2) * 2f64.powi(e - e / 2))
    }

    fn point() -> impl Strategy<Value = DVec3> {
        [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
    }

    /// A point so close to the plane of three others that rounding decides.
    fn near_plane([a, b, c]: [DVec3; 3], s: f64, t: f64, nudge: [i8; 3]) -> DVec3 {
        let on = a + (b - a) * s + (c - a) * t;
        let moved = |x: f64, n: i8| match n {
            1 => x.next_up(),
            -1 => x.next_down(),
            _ => x,
        };
        DVec3::new(moved(on.x, nudge[0]), moved(on.y, nudge[1]), moved(on.z, nudge[2]))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn every_stage_gives_the_sign_of_the_integers(
            points in [point(), point(), point()], free in point(), s in -2.0..2.0f64,
            t in -2.0..2.0f64, nudge in [-1..=1i8, -1..=1i8, -1..=1i8], near in any::<bool>(),
        ) {
            let d = if near { near_plane(points, s, t, nudge) } else { free };
            prop_assume!(d.is_finite());
            let [a, b, c] = points;
            let exact = exact_integer::orient3d(a.into(), b.into(), c.into(), d.into());
            prop_assert_eq!(orient3d(a, b, c, d), exact);
            prop_assert_eq!(orient3d_exact(a, b, c, d), exact);
            prop_assert_eq!(orient3d(b, a, c, d), exact.reverse());
            prop_assert_eq!(orient3d(d, a, c, b), exact);

            let [a, b, c] = [a.truncate(), b.truncate(), d.truncate()];
            let exact = exact_integer::orient2d(a.into(), b.into(), c.into());
            prop_assert_eq!(orient2d(a, b, c), exact);
            prop_assert_eq!(orient2d_exact(a, b, c), exact);
            prop_assert_eq!(orient2d(b, c, a), exact);
            prop_assert_eq!(orient2d(b, a, c), exact.reverse());
        }

        #[test]
        fn a_point_on_the_line_nudged_by_one_ulp(
            a in [-1.0..1.0f64, -1.0..1.0f64], b in [-1.0..1.0f64, -1.0..1.0f64],
            t in -2.0..2.0f64, scale in prop_oneof![Just(1.0), Just(1e-170), Just(1e160)],
        ) {
            let (a, b) = (DVec2::from(a) * scale, DVec2::from(b) * scale);
            let c = a + (b - a) * t;
            for c in [c, DVec2::new(c.x.next_up(), c.y), DVec2::new(c.x, c.y.next_down())] {
                let exact = exact_integer::orient2d(a.into(), b.into(), c.into());
                prop_assert_eq!(orient2d(a, b, c), exact);
            }
        }
    }

    #[test]
    fn the_bound_of_the_safe_range_is_the_power_of_two_that_it_claims() {
        assert_eq!(EXPANSION_RANGE, 2f64.powi(250));
        assert_eq!(UNDERFLOW_ALLOWANCE, 2f64.powi(-960));
        assert!(expansion_is_safe(&0.0) && expansion_is_safe(&-f64::from(f32::MIN_POSITIVE)));
        assert!(!expansion_is_safe(&f64::NAN) && !expansion_is_safe(&f64::INFINITY));
    }
}
