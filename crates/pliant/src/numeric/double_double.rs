//! Numbers of twice the digits of `f64`: an unevaluated sum of two.
//!
//! Algorithms and bounds: Joldes, Muller and Popescu, "Tight and Rigorous Error Bounds for Basic
//! Building Blocks of Double-Word Arithmetic", 2017. With u = 2^-53, a sum errs by less than 3.1 u^2
//! of itself (algorithm 6) and a product by less than 7 u^2 of itself (algorithm 10), as long as
//! nothing overflows or underflows.

/// `high + low`, where `high` is the sum rounded to the nearest `f64`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DoubleDouble {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

/// A bound of the relative error of a sum or product: 8 u^2.
pub(crate) const DOUBLE_DOUBLE_ERROR: f64 = 2.0 * f64::EPSILON * f64::EPSILON;

impl DoubleDouble {
    /// `x - y`, exactly.
    #[inline]
    pub(crate) fn difference(x: f64, y: f64) -> Self {
        two_sum(x, -y)
    }

    #[inline]
    pub(crate) fn plus(self, other: Self) -> Self {
        let s = two_sum(self.high, other.high);
        let t = two_sum(self.low, other.low);
        let v = fast_two_sum(s.high, s.low + t.high);
        fast_two_sum(v.high, t.low + v.low)
    }

    #[inline]
    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(Self { high: -other.high, low: -other.low })
    }

    #[inline]
    pub(crate) fn times(self, other: Self) -> Self {
        let c = two_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        fast_two_sum(c.high, c.low + cross)
    }
}

/// The sum of two numbers and its rounding error (Knuth).
#[inline]
fn two_sum(x: f64, y: f64) -> DoubleDouble {
    let high = x + y;
    let from_x = high - y;
    let from_y = high - from_x;
    DoubleDouble { high, low: (x - from_x) + (y - from_y) }
}

/// The same if `x` is zero or not smaller in magnitude than `y` (Dekker).
#[inline]
fn fast_two_sum(x: f64, y: f64) -> DoubleDouble {
    let high = x + y;
    DoubleDouble { high, low: y - (high - x) }
}

/// The product of two numbers and its rounding error (Dekker). Not with `mul_add`, which is slow on
/// processors without that instruction.
#[inline]
fn two_product(x: f64, y: f64) -> DoubleDouble {
    let (a, b) = (halves(x), halves(y));
    let high = x * y;
    let low = a[1] * b[1] - (((high - a[0] * b[0]) - a[1] * b[0]) - a[0] * b[1]);
    DoubleDouble { high, low }
}

/// A number as the sum of two with at most 26 bits each (Veltkamp).
#[inline]
fn halves(x: f64) -> [f64; 2] {
    let far = x * 134_217_729.0;
    let high = far - (far - x);
    [high, x - high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    const SHIFT: i32 = 400;

    /// x 2^400, for multiples of 2^-400.
    fn big(x: f64) -> BigInt {
        let bits = x.abs().to_bits();
        let mantissa = BigInt::from(bits & (u64::MAX >> 12) | 1 << 52);
        let shift = (bits >> 52) as i32 - 1075 + SHIFT;
        let size = if x == 0.0 {
            BigInt::ZERO
        } else if shift >= 0 {
            mantissa << shift
        } else {
            mantissa >> -shift
        };
        if x < 0.0 { -size } else { size }
    }

    fn value(x: DoubleDouble) -> BigInt {
        big(x.high) + big(x.low)
    }

    fn number() -> impl Strategy<Value = f64> {
        (-1.0..1.0f64, -30..30i32).prop_map(|(m, e)| m * 2f64.powi(e))
    }

    /// Whether two numbers differ by at most 8 u^2 = 2^-103 of the second.
    fn close(x: &BigInt, y: &BigInt) -> bool {
        ((x - y).magnitude() << 103u32) <= *y.magnitude()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

        #[test]
        fn sums_and_products_are_as_close_as_claimed(
            a in number(), b in number(), c in number(), d in number(), near in any::<bool>(),
        ) {
            let x = DoubleDouble::difference(a, b);
            let y = if near { DoubleDouble::difference(b.next_up(), a) } else { DoubleDouble::difference(c, d) };
            prop_assert_eq!(value(x), big(a) - big(b));
            prop_assert!(close(&value(x.plus(y)), &(value(x) + value(y))));
            prop_assert!(close(&value(x.minus(y)), &(value(x) - value(y))));
            prop_assert!(close(&(value(x.times(y)) << SHIFT), &(value(x) * value(y))));
        }
    }

    #[test]
    fn the_bound_is_the_power_of_two_that_it_claims() {
        assert_eq!(DOUBLE_DOUBLE_ERROR, 2f64.powi(-103));
    }
}
