//! Scaling by powers of two, which rounds nothing.

use glam::DVec3;

/// A power of two, which may itself exceed the range of `f64`.
///
/// Coordinates of any size, divided by a power of two above the largest, fit `f32` without losing
/// digits to overflow or underflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PowerOfTwo {
    /// From -2046 to 2046.
    exponent: i32,
}

impl PowerOfTwo {
    /// 2^0.
    pub(crate) const ONE: Self = Self { exponent: 0 };

    /// The power of two above a finite magnitude, and at most four times as large; 1 for 0.
    pub(crate) fn above(magnitude: f64) -> Self {
        if magnitude == 0.0 {
            return Self::ONE;
        }
        // From -1074 for the smallest number to 1024 for the largest.
        Self { exponent: magnitude.log2().floor() as i32 + 1 }
    }

    /// The quotient of two of them that [`PowerOfTwo::above`] made.
    pub(crate) fn over(self, other: Self) -> Self {
        Self { exponent: (self.exponent - other.exponent).clamp(-2046, 2046) }
    }

    /// x times the power, rounded where the result is below the normal range, infinite above it.
    pub(crate) fn up(self, x: f64) -> f64 {
        let [a, b] = self.factors();
        x * a * b
    }

    /// A vector times the power.
    pub(crate) fn vector_up(self, x: DVec3) -> DVec3 {
        let [a, b] = self.factors();
        x * a * b
    }

    /// x over the power, rounded where the result is below the normal range, infinite above it.
    pub(crate) fn down(self, x: f64) -> f64 {
        let [a, b] = self.factors();
        x / a / b
    }

    /// A vector over the power.
    pub(crate) fn vector_down(self, x: DVec3) -> DVec3 {
        let [a, b] = self.factors();
        x / a / b
    }

    /// Two powers of two whose product is this one. Multiplied one after the other, both in the
    /// same direction, they leave the range of `f64` only where the product does.
    fn factors(self) -> [f64; 2] {
        let half = self.exponent / 2;
        [half, self.exponent - half].map(|exponent| 2f64.powi(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_power_is_above_and_scales_exactly(
            mantissa in 1.0..2.0f64, exponent in -1022..1023i32, other in -1022..1023i32,
        ) {
            let x = mantissa * 2f64.powi(exponent);
            let power = PowerOfTwo::above(x);
            let scaled = power.down(x);
            prop_assert!((0.25..=1.0).contains(&scaled), "{scaled}");
            prop_assert_eq!(power.up(scaled), x);
            prop_assert_eq!(power.vector_up(power.vector_down(DVec3::splat(x))).y, x);
            let quotient = power.over(PowerOfTwo::above(2f64.powi(other)));
            let back = quotient.over(power);
            prop_assert_eq!(back.up(2f64.powi(other)).log2().round() as i32, -1);
        }
    }

    #[test]
    fn the_ends_of_f64() {
        for x in [f64::from_bits(1), 1e-320, f64::MIN_POSITIVE, f64::MAX] {
            let power = PowerOfTwo::above(x);
            assert!((0.25..=1.0).contains(&power.down(x)));
            assert_eq!(power.up(power.down(x)), x);
        }
        assert_eq!(PowerOfTwo::above(0.0), PowerOfTwo::ONE);
        let [least, most] = [f64::from_bits(1), f64::MAX].map(PowerOfTwo::above);
        assert_eq!(least.over(most).up(1.0), 0.0);
        assert_eq!(most.over(least).up(1.0), f64::INFINITY);
    }
}
