//! Exact test whether two closed balls have a point in common.

use crate::numeric::exact_integer;
use crate::volume::Ball;

/// Returns whether two closed balls have a point in common. Touching counts.
///
/// The answer is exact for all finite centres and radii, which are taken as real numbers: it is the
/// sign of `(r + s)^2 - |p - q|^2`, and rounding never decides it.
///
/// ```
/// use pliant::{contact::balls_touch, glam::DVec3, volume::Ball};
/// let a = Ball::new(DVec3::ZERO, 0.1);
/// // 0.1 and 0.2 are rounded to f64; their exact sum rounds to 0.30000000000000004.
/// assert!(balls_touch(&a, &Ball::new(DVec3::X * 0.3, 0.2)));
/// assert!(!balls_touch(&a, &Ball::new(DVec3::X * 0.300_000_000_000_000_1, 0.2)));
/// ```
#[must_use]
#[inline]
pub fn balls_touch(a: &Ball, b: &Ball) -> bool {
    // Let u = 2^-53. All terms of the left side are positive, and each takes five roundings, so the
    // left side has a relative error below 6u. The right side takes three roundings: below 4u. The
    // filter decides only if the sides differ by more than 16u of the right side, which exceeds
    // both errors together wherever the sides are that close. Overflow on the left means "far
    // apart" and is right.
    let apart = (a.center - b.center).length_squared();
    let reach = a.radius + b.radius;
    let reach = reach * reach;
    let doubt = reach * (8.0 * f64::EPSILON);
    if apart > reach + doubt && reach > SAFE.0 && reach < SAFE.1 {
        return false;
    }
    if apart < reach - doubt && reach > SAFE.0 && reach < SAFE.1 {
        return true;
    }
    balls_touch_exact(a, b)
}

/// Squares in this range neither overflow nor lose bits that matter to underflow: an underflowing
/// square is off by less than 2^-1074, which is negligible beside 16u of 1e-280.
const SAFE: (f64, f64) = (1e-280, 1e280);

#[cold]
fn balls_touch_exact(a: &Ball, b: &Ball) -> bool {
    let numbers = |ball: &Ball| [ball.center.x, ball.center.y, ball.center.z, ball.radius];
    exact_integer::within_reach(numbers(a), numbers(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    #[test]
    fn touching_at_every_scale() {
        for exponent in [-1070, -800, -500, -20, 0, 20, 500, 800, 1000] {
            let unit = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
            let ball = |x: f64, r: f64| Ball::new(DVec3::new(2.0, x, -1.0) * unit, r * unit);
            let (a, b) = (ball(0.0, 1.0), ball(3.0, 2.0));
            assert!(balls_touch(&a, &b), "{exponent}");
            let farther =
                Ball::new(DVec3::new(b.center.x, b.center.y.next_up(), b.center.z), b.radius);
            assert!(!balls_touch(&a, &farther), "{exponent}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Integers of 40 bits times a common power of two; every case is near contact.
        #[test]
        fn agrees_with_big_integers(
            p in [-(1i64 << 40)..1 << 40, -(1i64 << 40)..1 << 40, -(1i64 << 40)..1 << 40],
            q in [-(1i64 << 40)..1 << 40, -(1i64 << 40)..1 << 40, -(1i64 << 40)..1 << 40],
            share in 0.0..1.0f64, off in -2..=2i64, exponent in prop_oneof![Just(0), Just(-1074), Just(900)],
        ) {
            let square = |x: i64| BigInt::from(x) * x;
            let apart: BigInt = (0..3).map(|k| square(p[k] - q[k])).sum();
            let reach = i64::try_from(apart.sqrt()).unwrap() + off;
            prop_assume!(reach > 2);
            let first = ((reach as f64 * share) as i64).clamp(1, reach - 1);
            let unit = if exponent == -1074 { 5e-324 } else { 2f64.powi(exponent) };
            let center = |p: [i64; 3]| DVec3::from_array(p.map(|x| x as f64 * unit));
            let a = Ball::new(center(p), first as f64 * unit);
            let b = Ball::new(center(q), (reach - first) as f64 * unit);
            prop_assert_eq!(balls_touch(&a, &b), apart <= square(reach));
        }

        /// The radius is within two ulps of contact, where rounding would decide.
        #[test]
        fn one_ulp_from_contact(
            p in [1.0..2.0f64, 1.0..2.0f64, 1.0..2.0f64],
            q in [1.0..2.0f64, 1.0..2.0f64, 1.0..2.0f64], ulps in -2..=2i64,
        ) {
            let (p, q) = (DVec3::from_array(p), DVec3::from_array(q));
            let apart = (p - q).length();
            prop_assume!(apart > 0.01);
            let radius = f64::from_bits((apart.to_bits() as i64 + ulps) as u64);
            // All of these are integers in units of 2^-64.
            let whole = |x: f64| BigInt::from((x * 2f64.powi(64)) as i128);
            let square = |x: BigInt| &x * &x;
            let exact: BigInt = (0..3).map(|k| square(whole(p[k]) - whole(q[k]))).sum();
            let expected = exact <= square(whole(radius));
            prop_assert_eq!(balls_touch(&Ball::new(p, radius), &Ball::new(q, 0.0)), expected);
            prop_assert_eq!(balls_touch(&Ball::new(q, 0.0), &Ball::new(p, radius)), expected);
        }
    }
}
