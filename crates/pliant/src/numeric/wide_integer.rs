//! Integers of a fixed width on the stack, for exact products in determinants.

use std::cmp::Ordering;

/// An integer in two's complement, the least significant limb first.
///
/// Callers of addition and subtraction ensure that the result fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wide<const N: usize>([u64; N]);

impl Wide<2> {
    pub(crate) const fn new(x: i128) -> Self {
        Self([x as u64, (x >> 64) as u64])
    }
}

impl<const N: usize> Wide<N> {
    /// The product, which always fits: `P` must be `N + M`, otherwise this does not compile.
    ///
    /// The limbs are multiplied as unsigned numbers first. The unsigned value of a negative factor
    /// is too large by 2^(64 N), so the product is too large by that times the other factor.
    #[inline]
    pub(crate) fn times<const M: usize, const P: usize>(&self, other: &Wide<M>) -> Wide<P> {
        const { assert!(P == N + M) }
        let mut limbs = [0; P];
        for i in 0..N {
            let (a, mut carry) = (u128::from(self.0[i]), 0);
            for j in 0..M {
                let sum = a * u128::from(other.0[j]) + u128::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u64;
                carry = sum >> 64;
            }
            limbs[i + M] = carry as u64;
        }
        if self.is_negative() {
            subtract(&mut limbs, N, &other.0);
        }
        if other.is_negative() {
            subtract(&mut limbs, M, &self.0);
        }
        Wide(limbs)
    }

    #[inline]
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        let mut carry = false;
        for limb in 0..N {
            let (sum, over) = self.0[limb].overflowing_add(other.0[limb]);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            (self.0[limb], carry) = (sum, over | again);
        }
        self
    }

    #[inline]
    pub(crate) fn minus(mut self, other: &Self) -> Self {
        subtract(&mut self.0, 0, &other.0);
        self
    }

    /// Compares with zero.
    pub(crate) fn sign(&self) -> Ordering {
        if self.is_negative() {
            Ordering::Less
        } else if self.0.iter().all(|&limb| limb == 0) {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }

    #[inline]
    fn is_negative(&self) -> bool {
        self.0.last().is_some_and(|&limb| limb >> 63 == 1)
    }
}

/// Subtracts limbs from those of a number, starting at the `start`-th; a borrow beyond the last
/// limb is dropped. A plain loop, since exact tests spend most of their time here.
#[inline]
fn subtract<const P: usize, const M: usize>(from: &mut [u64; P], start: usize, limbs: &[u64; M]) {
    let mut borrow = false;
    for limb in 0..M {
        let (rest, under) = from[start + limb].overflowing_sub(limbs[limb]);
        let (rest, again) = rest.overflowing_sub(u64::from(borrow));
        (from[start + limb], borrow) = (rest, under | again);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn big<const N: usize>(wide: &Wide<N>) -> BigInt {
        let bytes: Vec<u8> = wide.0.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        BigInt::from_signed_bytes_le(&bytes)
    }

    /// Numbers of every length, and numbers near powers of two, with long runs of carries.
    fn number() -> impl Strategy<Value = i128> {
        let near = (0..127u32, -1..=1i128).prop_map(|(bit, step)| (1i128 << bit) + step);
        let any = (any::<i128>(), 0..128u32).prop_map(|(x, shift)| x >> shift);
        let edge = prop_oneof![Just(i128::MIN), Just(i128::MAX), Just(0), Just(-1)];
        prop_oneof![near.clone(), near.prop_map(|x| -x), any, edge]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

        #[test]
        fn arithmetic_is_that_of_integers(a in number(), b in number(), c in number(), d in number()) {
            let [wa, wb, wc, wd] = [a, b, c, d].map(Wide::new);
            let [ba, bb, bc, bd] = [a, b, c, d].map(BigInt::from);
            let (ab, cd): (Wide<4>, Wide<4>) = (wa.times(&wb), wc.times(&wd));
            prop_assert_eq!(big(&ab), &ba * &bb);
            let long: Wide<6> = ab.times(&wc);
            prop_assert_eq!(big(&long), &ba * &bb * &bc);
            let longest: Wide<10> = cd.times(&long);
            prop_assert_eq!(big(&longest), &bc * &bd * &ba * &bb * &bc);
            // Sums of halves fit; for other sums two's complement wraps.
            let half = |x: i128| Wide::new(x / 2);
            let (sum, difference) = (half(a).plus(&half(b)), half(a).minus(&half(b)));
            prop_assert_eq!(big(&sum), BigInt::from(a / 2 + b / 2));
            prop_assert_eq!(big(&difference), BigInt::from(a / 2 - b / 2));
            prop_assert_eq!(big(&ab.minus(&ab.plus(&cd)).plus(&cd)), BigInt::ZERO);
            prop_assert_eq!(longest.sign(), big(&longest).cmp(&BigInt::ZERO));
            prop_assert_eq!(wa.sign(), a.cmp(&0));
        }
    }
}
