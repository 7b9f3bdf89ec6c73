//! Lengths of vectors of any size, never too short.

use glam::DVec3;

use super::{F64_SLACK, SQUARABLE};

/// The distance of two points, rounded up. For finite points it is finite, unless it exceeds the
/// range of `f64`.
///
/// Where squares leave the range of `f64`, the sum of the sides takes the place of the length: it
/// is never shorter.
#[inline]
pub(crate) fn distance_up(p: DVec3, q: DVec3) -> f64 {
    let apart = (p - q).abs();
    let safe = SQUARABLE.contains(&apart.max_element());
    let length = if safe { apart.length() } else { apart.element_sum() };
    length * (1.0 + F64_SLACK)
}

/// The length of a vector of any size. It errs by less than 7 units of 2^-53 of itself, and by
/// half of the smallest subnormal number. It is infinite only if the length exceeds the range of
/// `f64`.
///
/// Where the sum of squares lies between these ends, no square overflowed, and squares that
/// underflowed are off by less than 2^-75 of the sum.
#[inline]
pub(crate) fn length(vector: DVec3) -> f64 {
    let squared = vector.length_squared();
    if (1e-300..1e300).contains(&squared) { squared.sqrt() } else { length_at_ends(vector) }
}

#[cold]
#[inline(never)]
fn length_at_ends(vector: DVec3) -> f64 {
    scaled_length(vector.to_array().into_iter())
}

/// The Euclidean length of any number of coordinates, each of which may have been rounded once.
/// It is not rounded up: with n coordinates it errs by less than (n + 4) 2^-53 of itself.
///
/// Coordinates are divided by the largest, so that squares do not overflow. A square that
/// underflows is below 2^-1000 of the sum.
pub(crate) fn scaled_length(coordinates: impl Iterator<Item = f64> + Clone) -> f64 {
    let longest = coordinates.clone().fold(0.0, |most: f64, x| most.max(x.abs()));
    if longest == 0.0 || longest == f64::INFINITY {
        return longest;
    }
    let squares: f64 = coordinates.map(|x| (x / longest).powi(2)).sum();
    longest * squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Vectors along (1, 2, 2) and (2, 3, 6) have integer lengths.
        #[test]
        fn lengths_are_right_at_every_scale(steps in 1..1000i64, exponent in -1070..1000i32) {
            let scale = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
            for (way, whole) in [([1, 2, 2], 3), ([2, 3, 6], 7)] {
                let way = way.map(|x: i64| (x * steps) as f64 * scale);
                let exact = (whole * steps) as f64 * scale;
                let up = distance_up(DVec3::from_array(way), DVec3::ZERO);
                prop_assert!(exact <= up && up <= exact * 1.8, "{up:e} {exact:e}");
                if SQUARABLE.contains(&way[2]) {
                    prop_assert!(up <= exact * (1.0 + 1e-13));
                }
                for scaled in [scaled_length(way.into_iter()), length(DVec3::from_array(way))] {
                    prop_assert!((scaled - exact).abs() <= exact * 1e-15, "{scaled:e} {exact:e}");
                }
            }
        }
    }

    #[test]
    fn lengths_of_nothing_are_zero() {
        assert_eq!(length(DVec3::ZERO), 0.0);
        assert_eq!(length(DVec3::new(1.0, f64::NEG_INFINITY, 0.0)), f64::INFINITY);
        assert_eq!(distance_up(DVec3::ONE, DVec3::ONE), 0.0);
        assert_eq!(scaled_length([0.0, -0.0].into_iter()), 0.0);
        assert_eq!(scaled_length(std::iter::empty()), 0.0);
    }
}
