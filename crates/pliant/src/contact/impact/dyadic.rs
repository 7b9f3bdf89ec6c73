//! Times as exact numbers: an integer over a power of two.

use std::cmp::Ordering;

use crate::numeric::exact_integer::Integer;

/// A number from 0 to 1: `numerator / 2^exponent`.
#[derive(Debug, Clone)]
pub(super) struct Dyadic {
    pub(super) numerator: Integer,
    pub(super) exponent: u32,
}

/// The exponent of the smallest `f64`.
const SMALLEST_EXPONENT: u32 = 1074;

impl Dyadic {
    /// A number from 0 to 1 as it is.
    pub(super) fn new(x: f64) -> Self {
        let numerator = Integer::new(x, -(SMALLEST_EXPONENT as i32));
        let zeros = numerator.trailing_zeros().min(SMALLEST_EXPONENT);
        Self { numerator: numerator.shifted_down(zeros), exponent: SMALLEST_EXPONENT - zeros }
    }

    /// The numerator over another power of two, which must not be below the own one.
    pub(super) fn over(&self, exponent: u32) -> Integer {
        self.numerator.shifted_up(exponent - self.exponent)
    }

    pub(super) fn middle(&self, other: &Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        Self { numerator: self.over(exponent).plus(&other.over(exponent)), exponent: exponent + 1 }
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let exponent = self.exponent.max(other.exponent);
        self.over(exponent).minus(&other.over(exponent)).sign()
    }

    /// The largest `f64` that is not above the number.
    pub(super) fn floor(&self) -> f64 {
        // At most 53 bits of the numerator, and none below the smallest `f64`.
        let spare = self.numerator.bits().saturating_sub(f64::MANTISSA_DIGITS);
        let dropped = spare.max(self.exponent.saturating_sub(SMALLEST_EXPONENT));
        let kept = self.numerator.shifted_down(dropped);
        // In two exact steps, since no power of two below 2^-1022 is a normal number.
        let down = self.exponent as i32 - dropped as i32;
        kept.low_bits() as f64 * 2f64.powi(-down / 2) * 2f64.powi(-(down - down / 2))
    }
}
