//! Integers of any length, the last stage of the exact predicates.
//!
//! A finite `f64` is an integer times a power of two. In units of the finest power of two among a
//! set of coordinates, all of them are integers, and the sign of a determinant of their differences
//! is exact. The arithmetic is schoolbook arithmetic: it runs only for coordinates that are too
//! large or too small for the faster stages.

use std::cmp::Ordering;

/// Bits per limb.
const LIMB_BITS: u32 = 64;

/// Numbers of at most this many limbs take no memory from the heap: the cubic of four moving points
/// at a time of 53 bits fits, if coordinates have at most 112 bits on their grid.
const INLINE: usize = 8;

/// A signed integer: a magnitude in limbs, the least significant first and the last one not zero,
/// and a sign, which has no meaning if there are no limbs.
#[derive(Debug, Clone)]
pub(crate) struct Integer {
    negative: bool,
    length: usize,
    inline: [u64; INLINE],
    /// The limbs of numbers that are longer, else empty.
    long: Vec<u64>,
}

/// The sign of the determinant of `b - a`, `c - a`.
pub(crate) fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Ordering {
    let grid = finest_grid(a.iter().chain(&b).chain(&c));
    let from_a = |p: [f64; 2]| [0, 1].map(|i| difference(p[i], a[i], grid));
    let (u, v) = (from_a(b), from_a(c));
    u[0].times(&v[1]).minus(&u[1].times(&v[0])).sign()
}

/// The sign of the determinant of `b - a`, `c - a`, `d - a`.
pub(crate) fn orient3d(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> Ordering {
    orient3d_of_mean(a, b, c, &[d])
}

/// The sign of the determinant of `b - a`, `c - a`, `m - a`, where m is the mean of points, which
/// need not be a point of `f64`. The sum of the differences has the same sign as their mean.
pub(crate) fn orient3d_of_mean(
    a: [f64; 3],
    b: [f64; 3],
    c: [f64; 3],
    points: &[[f64; 3]],
) -> Ordering {
    let grid = finest_grid(a.iter().chain(&b).chain(&c).chain(points.as_flattened()));
    let from_a = |p: [f64; 3]| [0, 1, 2].map(|i| difference(p[i], a[i], grid));
    let (u, v) = (from_a(b), from_a(c));
    let w = points.iter().fold([0.0; 3].map(|x| difference(x, x, grid)), |sum, &p| {
        let [x, y, z] = from_a(p);
        [sum[0].plus(&x), sum[1].plus(&y), sum[2].plus(&z)]
    });
    let minor = |i: usize, j: usize| u[i].times(&v[j]).minus(&u[j].times(&v[i]));
    let [x, y, z] = [minor(1, 2).times(&w[0]), minor(0, 2).times(&w[1]), minor(0, 1).times(&w[2])];
    x.minus(&y).plus(&z).sign()
}

/// Whether `(p - q)^2 <= (r + s)^2`, where each ball is given as its centre and its radius.
///
/// Uses `i128` if all coordinates fit in 61 bits in grid units: differences then take 62 bits,
/// squares 124, and the sum of three squares 126. Beads on a lattice fit, and they often touch
/// exactly.
pub(crate) fn within_reach(a: [f64; 4], b: [f64; 4]) -> bool {
    let grid = finest_grid(a.iter().chain(&b));
    let small = |x: f64| on_grid(x, grid, 61);
    if let ([Some(ax), Some(ay), Some(az), Some(ar)], [Some(bx), Some(by), Some(bz), Some(br)]) =
        (a.map(small), b.map(small))
    {
        let square = |x: i128| x * x;
        return square(ax - bx) + square(ay - by) + square(az - bz) <= square(ar + br);
    }
    let square = |x: &Integer| x.times(x);
    let [x, y, z] = [0, 1, 2].map(|axis| square(&difference(a[axis], b[axis], grid)));
    let reach = square(&difference(a[3], -b[3], grid));
    x.plus(&y).plus(&z).minus(&reach).sign().is_le()
}

/// Returns `(m, e)` with `x = ±m 2^e` and `m` odd or zero. NaN and infinities are treated as some
/// finite number: no answer is right for them, but there is no panic.
fn odd_part(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = if exponent == 0 { fraction } else { fraction | (1 << 52) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    (mantissa >> zeros, exponent.max(1) - 1075 + zeros as i32)
}

/// The exponent of the largest power of two that divides all the numbers.
pub(crate) fn finest_grid<'a>(numbers: impl Iterator<Item = &'a f64>) -> i32 {
    numbers.map(|&x| odd_part(x)).filter(|part| part.0 != 0).map(|part| part.1).min().unwrap_or(0)
}

/// `x` in units of `2^grid`, which must divide it; `None` if its magnitude takes more than `bits`
/// bits, which must be below 128.
#[inline]
pub(crate) fn on_grid(x: f64, grid: i32, bits: u32) -> Option<i128> {
    let (mantissa, exponent) = odd_part(x);
    if mantissa == 0 {
        return Some(0);
    }
    let shift = exponent.abs_diff(grid);
    (mantissa.ilog2() + shift < bits).then(|| {
        let size = i128::from(mantissa) << shift;
        if x.is_sign_negative() { -size } else { size }
    })
}

/// `x - y` in units of `2^grid`.
pub(crate) fn difference(x: f64, y: f64, grid: i32) -> Integer {
    Integer::new(x, grid).minus(&Integer::new(y, grid))
}

impl Integer {
    pub(crate) const ZERO: Self =
        Self { negative: false, length: 0, inline: [0; INLINE], long: Vec::new() };

    /// Returns `x` in units of `2^grid`, which must divide it.
    pub(crate) fn new(x: f64, grid: i32) -> Self {
        let (mantissa, exponent) = odd_part(x);
        let shift = if mantissa == 0 { 0 } else { exponent.abs_diff(grid) };
        let shifted = u128::from(mantissa) << (shift % LIMB_BITS);
        let whole = (shift / LIMB_BITS) as usize;
        Self::of_length(x.is_sign_negative(), whole + 2, |limbs| {
            limbs[whole..].copy_from_slice(&[shifted as u64, (shifted >> LIMB_BITS) as u64]);
        })
    }

    /// A number that `fill` writes into zero limbs.
    #[inline]
    fn of_length(negative: bool, length: usize, fill: impl FnOnce(&mut [u64])) -> Self {
        let mut number = Self { negative, ..Self::ZERO };
        let trimmed =
            |limbs: &[u64]| limbs.len() - limbs.iter().rev().take_while(|&&limb| limb == 0).count();
        if length <= INLINE {
            fill(&mut number.inline[..length]);
            number.length = trimmed(&number.inline[..length]);
        } else {
            let mut limbs = vec![0; length];
            fill(&mut limbs);
            number.length = trimmed(&limbs);
            if number.length <= INLINE {
                number.inline[..number.length].copy_from_slice(&limbs[..number.length]);
            } else {
                limbs.truncate(number.length);
                number.long = limbs;
            }
        }
        number
    }

    #[inline]
    fn limbs(&self) -> &[u64] {
        if self.length <= INLINE { &self.inline[..self.length] } else { &self.long }
    }

    pub(crate) fn sign(&self) -> Ordering {
        match (self.is_zero(), self.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.length == 0
    }

    /// The number of bits of the magnitude; 0 for 0.
    pub(crate) fn bits(&self) -> u32 {
        let last = self.limbs().last();
        last.map_or(0, |limb| self.length as u32 * LIMB_BITS - limb.leading_zeros())
    }

    /// How many times two divides the number; 0 for 0.
    pub(crate) fn trailing_zeros(&self) -> u32 {
        let nonzero = self.limbs().iter().enumerate().find(|(_, limb)| **limb != 0);
        nonzero.map_or(0, |(i, limb)| i as u32 * LIMB_BITS + limb.trailing_zeros())
    }

    /// The number times `2^bits`.
    pub(crate) fn shifted_up(&self, bits: u32) -> Self {
        let (whole, part) = ((bits / LIMB_BITS) as usize, bits % LIMB_BITS);
        if self.is_zero() {
            return Self::ZERO;
        }
        Self::of_length(self.negative, self.length + whole + 1, |limbs| {
            let mut carry = 0;
            for (limb, &own) in limbs[whole..].iter_mut().zip(self.limbs()) {
                let wide = u128::from(own) << part;
                *limb = wide as u64 | carry;
                carry = (wide >> LIMB_BITS) as u64;
            }
            limbs[whole + self.length] = carry;
        })
    }

    /// The number over `2^bits`, rounded towards zero.
    pub(crate) fn shifted_down(&self, bits: u32) -> Self {
        let (whole, part) = ((bits / LIMB_BITS) as usize, bits % LIMB_BITS);
        let kept = self.limbs().get(whole..).unwrap_or_default();
        Self::of_length(self.negative, kept.len(), |limbs| {
            let above = kept.iter().skip(1).chain(std::iter::once(&0));
            for ((limb, &own), &next) in limbs.iter_mut().zip(kept).zip(above) {
                *limb = ((u128::from(next) << LIMB_BITS | u128::from(own)) >> part) as u64;
            }
        })
    }

    /// The number modulo a number below `2^63`, never negative.
    pub(crate) fn modulo(&self, modulus: u64) -> u64 {
        let rest = self.limbs().iter().rev().fold(0, |rest, &limb| {
            ((u128::from(rest) << LIMB_BITS | u128::from(limb)) % u128::from(modulus)) as u64
        });
        if self.negative && rest != 0 { modulus - rest } else { rest }
    }

    /// The lowest 64 bits of the magnitude.
    pub(crate) fn low_bits(&self) -> u64 {
        self.limbs().first().copied().unwrap_or(0)
    }

    /// The number over `2^bits`, which must not be below its own number of bits, with a relative
    /// error of at most `2^-53`; 0 if that is below `2^-900`.
    pub(crate) fn over_power_of_two(&self, bits: u32) -> f64 {
        let dropped = self.bits().saturating_sub(LIMB_BITS);
        let down = bits - dropped;
        if down > 900 {
            return 0.0;
        }
        let size = self.shifted_down(dropped).low_bits() as f64 * 2f64.powi(-(down as i32));
        if self.negative { -size } else { size }
    }

    pub(crate) fn negated(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.sum(other, !other.negative)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.sum(other, other.negative)
    }

    /// The sum with the magnitude of another number and a sign.
    #[inline]
    fn sum(&self, other: &Self, negative: bool) -> Self {
        let (own, others) = (self.limbs(), other.limbs());
        if self.negative == negative {
            let (long, short) =
                if own.len() < others.len() { (others, own) } else { (own, others) };
            return Self::of_length(negative, long.len() + 1, |sum| add(long, short, sum));
        }
        let longer = own.len().cmp(&others.len());
        if longer.then_with(|| own.iter().rev().cmp(others.iter().rev())).is_ge() {
            Self::of_length(self.negative, own.len(), |rest| subtract(own, others, rest))
        } else {
            Self::of_length(negative, others.len(), |rest| subtract(others, own, rest))
        }
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        let (own, others) = (self.limbs(), other.limbs());
        let negative = self.negative != other.negative;
        Self::of_length(negative, own.len() + others.len(), |product| {
            for (i, &x) in own.iter().enumerate() {
                let mut carry = 0;
                for (sum, &y) in product[i..].iter_mut().zip(others) {
                    // (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1, which fits in 128 bits.
                    let wide = u128::from(x) * u128::from(y) + u128::from(*sum) + u128::from(carry);
                    (*sum, carry) = (wide as u64, (wide >> LIMB_BITS) as u64);
                }
                product[i + others.len()] = carry;
            }
        })
    }
}

/// The sum of two magnitudes, the first not shorter than the second.
fn add(long: &[u64], short: &[u64], sum: &mut [u64]) {
    let mut carry = false;
    for (i, (limb, &l)) in sum.iter_mut().zip(long).enumerate() {
        let (partial, first) = l.overflowing_add(short.get(i).copied().unwrap_or(0));
        let (total, second) = partial.overflowing_add(u64::from(carry));
        (*limb, carry) = (total, first | second);
    }
    sum[long.len()] = u64::from(carry);
}

/// The difference of two magnitudes; the first must not be the smaller one.
fn subtract(large: &[u64], small: &[u64], rest: &mut [u64]) {
    let mut borrow = false;
    for (i, (limb, &l)) in rest.iter_mut().zip(large).enumerate() {
        let (partial, first) = l.overflowing_sub(small.get(i).copied().unwrap_or(0));
        let (total, second) = partial.overflowing_sub(u64::from(borrow));
        (*limb, borrow) = (total, first | second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, Sign};
    use proptest::prelude::*;

    /// Limbs with long runs of carries and borrows.
    fn integer() -> impl Strategy<Value = Integer> {
        let limb = prop_oneof![Just(0), Just(1), Just(u64::MAX), any::<u64>()];
        (any::<bool>(), proptest::collection::vec(limb, 0..12)).prop_map(|(negative, limbs)| {
            Integer::of_length(negative, limbs.len(), |to| to.copy_from_slice(&limbs))
        })
    }

    fn reference(x: &Integer) -> BigInt {
        let sign = match x.sign() {
            Ordering::Less => Sign::Minus,
            Ordering::Equal => Sign::NoSign,
            Ordering::Greater => Sign::Plus,
        };
        let digits =
            x.limbs().iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
        BigInt::new(sign, digits)
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_num_bigint(x in integer(), y in integer()) {
            prop_assert_eq!(reference(&x.plus(&y)), reference(&x) + reference(&y));
            prop_assert_eq!(reference(&x.minus(&y)), reference(&x) - reference(&y));
            prop_assert_eq!(reference(&x.times(&y)), reference(&x) * reference(&y));
            prop_assert_eq!(reference(&x.minus(&x)), BigInt::ZERO);
            prop_assert_eq!(reference(&x.clone().negated()), -reference(&x));
        }

        #[test]
        fn shifts_bits_and_residues_agree_with_num_bigint(x in integer(), shift in 0..700u32) {
            let big = reference(&x);
            prop_assert_eq!(reference(&x.shifted_up(shift)), &big << shift);
            let size = BigInt::from(big.magnitude().clone());
            let down = reference(&x.shifted_down(shift));
            prop_assert_eq!(BigInt::from(down.magnitude().clone()), &size >> shift);
            prop_assert_eq!(u64::from(x.bits()), big.bits());
            prop_assert_eq!(u64::from(x.trailing_zeros()), big.trailing_zeros().unwrap_or(0));
            prop_assert_eq!(BigInt::from(x.low_bits()), size & BigInt::from(u64::MAX));
            let prime = (1u64 << 61) - 1;
            let rest = BigInt::from(x.modulo(prime));
            prop_assert!(rest < BigInt::from(prime) && (big - rest) % prime == BigInt::ZERO);
        }

        #[test]
        fn a_number_is_its_odd_part_times_a_power_of_two(bits in any::<u64>()) {
            let x = f64::from_bits(bits);
            prop_assume!(x.is_finite());
            let (odd, exponent) = odd_part(x);
            prop_assert!(odd % 2 == 1 || x == 0.0);
            // In two steps, since `powi` does not reach 2^-1074.
            let half = exponent / 2;
            prop_assert_eq!(odd as f64 * 2f64.powi(half) * 2f64.powi(exponent - half), x.abs());
        }

        #[test]
        fn a_number_in_finer_units_is_shifted(m in any::<i32>(), e in -500..500i32, finer in 0..400) {
            let x = Integer::new(f64::from(m) * 2f64.powi(e), e - finer);
            prop_assert_eq!(reference(&x), BigInt::from(m) << finer);
        }

        #[test]
        fn orientations_agree_with_small_integers(
            p in [[-5..=5i32, -5..=5, -5..=5], [-5..=5, -5..=5, -5..=5],
                  [-5..=5, -5..=5, -5..=5], [-5..=5, -5..=5, -5..=5]],
            exponent in prop_oneof![Just(0), Just(-1074), Just(1000)],
        ) {
            let [a, b, c, d] = p;
            let [u, v, w] = [b, c, d].map(|q| [q[0] - a[0], q[1] - a[1], q[2] - a[2]]);
            let flat = u[0] * v[1] - u[1] * v[0];
            let solid = (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1]
                + flat * w[2];
            let unit = if exponent == -1074 { 5e-324 } else { 2f64.powi(exponent) };
            let [a, b, c, d] = p.map(|q| q.map(|x| f64::from(x) * unit));
            prop_assert_eq!(orient2d([a[0], a[1]], [b[0], b[1]], [c[0], c[1]]), flat.cmp(&0));
            prop_assert_eq!(orient3d(a, b, c, d), solid.cmp(&0));
            // The mean of the corners is on the same side of each face as the corner.
            prop_assert_eq!(orient3d_of_mean(a, b, c, &[a, b, c, d]), solid.cmp(&0));
            prop_assert_eq!(orient3d_of_mean(a, b, d, &[d, a, c, b]), solid.cmp(&0).reverse());
        }
    }
}
