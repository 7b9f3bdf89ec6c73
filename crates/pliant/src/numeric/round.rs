//! Rounding from `f64` to `f32` in a chosen direction.

/// The largest `f32` that is not above `x`. NaN stays NaN.
///
/// ```
/// use pliant::volume::{round_down, round_up};
/// let third = 1.0_f64 / 3.0;
/// assert!(f64::from(round_down(third)) < third && third < f64::from(round_up(third)));
/// assert_eq!(round_down(1e300), f32::MAX);
/// ```
#[must_use]
#[inline]
pub fn round_down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// The smallest `f32` that is not below `x`. NaN stays NaN.
#[must_use]
#[inline]
pub fn round_up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edges_of_f32() {
        let tiny = f64::from(f32::from_bits(1));
        for x in [tiny / 3.0, tiny, 1e-300, f64::MIN_POSITIVE, 1e30, 3.5e38, f64::MAX, 0.0] {
            for x in [x, -x] {
                let (low, high) = (f64::from(round_down(x)), f64::from(round_up(x)));
                assert!(low <= x && x <= high, "{x}: {low} {high}");
            }
        }
        assert_eq!(round_up(tiny / 3.0), f32::from_bits(1));
        assert_eq!(round_down(-f64::MAX), f32::NEG_INFINITY);
        assert_eq!(round_up(-f64::MAX), -f32::MAX);
    }

    proptest! {
        #[test]
        fn directed_rounding_is_the_tightest(x in proptest::num::f64::ANY) {
            prop_assume!(!x.is_nan());
            let (low, high) = (round_down(x), round_up(x));
            prop_assert!(f64::from(low) <= x && x <= f64::from(high));
            prop_assert!(low == high || low.next_up() == high);
        }
    }
}
