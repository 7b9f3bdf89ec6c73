//! Wide instructions, chosen when the program runs.
//!
//! A portable build uses the instructions that every processor of its kind has. [`vectorize!`] compiles
//! an expression once more for each wider set, and runs what this processor has best. What is called
//! in the expression must be `#[inline(always)]`, or it stays portable.
//!
//! The same bits at every level: the compiler never contracts a multiplication and an addition, and
//! never changes the order of a sum. Code that asks the processor for more than it is written for (fused
//! or approximate operations) does not belong into such an expression. Tests run each loop at all
//! [`levels`] and compare bits.

use std::sync::OnceLock;

pub(crate) use fearless_simd::Level;

/// The widest instructions of this processor. It is asked once.
#[inline]
pub(crate) fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(Level::new)
}

/// Evaluates an expression with the instructions of a level: `vectorize!(level, sums(&rows))`.
macro_rules! vectorize {
    ($level:expr, $run:expr) => {
        fearless_simd::dispatch!($level, _simd => $run)
    };
}
pub(crate) use vectorize;

/// Every level that this processor has, the portable one first.
#[cfg(test)]
pub(crate) fn levels() -> Vec<Level> {
    let best = level();
    let mut levels = vec![Level::baseline()];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    levels.extend(best.as_sse4_2().map(fearless_simd::Simd::level));
    levels.push(best);
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(always)]
    fn sums(a: &[f64], b: &[f64], to: &mut [f64]) {
        for ((a, b), to) in a.iter().zip(b).zip(to) {
            *to += a * b;
        }
    }

    #[test]
    fn no_level_contracts_a_product_and_a_sum() {
        let a: Vec<f64> = (0..100).map(|i| 1.0 + f64::from(i) * 1e-9).collect();
        let b: Vec<f64> = a.iter().map(|x| 1.0 / x).collect();
        let rounded: Vec<f64> =
            a.iter().zip(&b).map(|(a, b)| std::hint::black_box(a * b) - 1.0).collect();
        let fused: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a.mul_add(*b, -1.0)).collect();
        assert_ne!(rounded, fused, "the products must show a contraction");
        for level in levels() {
            let mut to = vec![-1.0; 100];
            vectorize!(level, sums(&a, &b, &mut to));
            assert_eq!(to, rounded, "{level:?}");
        }
    }
}
