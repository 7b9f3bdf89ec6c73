//! Polynomials with integer coefficients, and their exact signs.

use std::cmp::Ordering;

use super::dyadic::Dyadic;
use crate::numeric::exact_integer::Integer;

/// A polynomial in time, the coefficient of the lowest power first, the last one not zero.
#[derive(Debug, Clone)]
pub(super) struct Polynomial(Vec<Integer>);

/// A prime below 2^62, for the quick proof that two polynomials have no common root.
const PRIME: u64 = (1 << 61) - 1;

impl Polynomial {
    pub(super) fn new(mut coefficients: Vec<Integer>) -> Self {
        while coefficients.last().is_some_and(Integer::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// What has a value at the start and another at the end of the step.
    pub(super) fn linear(start: Integer, end: &Integer) -> Self {
        let slope = end.minus(&start);
        Self::new(vec![start, slope])
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The highest power; 0 for the zero polynomial, too.
    pub(super) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let (long, short) =
            if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        let sum = |(i, x): (usize, &Integer)| short.0.get(i).map_or(x.clone(), |y| x.plus(y));
        Self::new(long.0.iter().enumerate().map(sum).collect())
    }

    pub(super) fn negated(&self) -> Self {
        Self(self.0.iter().map(|x| x.clone().negated()).collect())
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self(Vec::new());
        }
        let mut product = vec![Integer::ZERO; self.degree() + other.degree() + 1];
        for (i, x) in self.0.iter().enumerate() {
            for (j, y) in other.0.iter().enumerate() {
                product[i + j] = product[i + j].plus(&x.times(y));
            }
        }
        Self::new(product)
    }

    /// The coefficients rounded to `f64` after division by a common power of two, so that the
    /// largest are about 1.
    pub(super) fn rounded(&self) -> Vec<f64> {
        let bits = self.0.iter().map(Integer::bits).max().unwrap_or(0);
        self.0.iter().map(|x| x.over_power_of_two(bits)).collect()
    }

    fn derivative(&self) -> Self {
        let term = |(power, x): (usize, &Integer)| x.times(&Integer::new(power as f64, 0));
        Self::new(self.0.iter().enumerate().skip(1).map(term).collect())
    }

    /// Compares the value at a time with zero.
    pub(super) fn sign_at(&self, time: &Dyadic) -> Ordering {
        self.value_of_degree(time, self.degree()).sign()
    }

    /// The value of a linear function at a time, in units of the time's power of two.
    pub(super) fn value_at(&self, time: &Dyadic) -> Integer {
        self.value_of_degree(time, 1)
    }

    /// The value at a time, times the time's denominator to the power of a degree that is not below
    /// the own one.
    fn value_of_degree(&self, time: &Dyadic, degree: usize) -> Integer {
        let mut value = Integer::ZERO;
        let mut power = (degree - self.degree()) as u32 * time.exponent;
        for coefficient in self.0.iter().rev() {
            value = value.times(&time.numerator).plus(&coefficient.shifted_up(power));
            power += time.exponent;
        }
        value
    }

    /// The signs of the Bernstein coefficients over an interval.
    ///
    /// With the numerators l and h of the ends over one power of two, the form in u and v that
    /// `l u + h v` gives has the coefficients of Bernstein, each times a binomial. Horner's scheme
    /// computes it: multiply by `l u + h v`, add a coefficient times a power of `u + v`.
    pub(super) fn signs_within(&self, low: &Dyadic, high: &Dyadic) -> Vec<Ordering> {
        let exponent = low.exponent.max(high.exponent);
        let (low, high) = (low.over(exponent), high.over(exponent));
        let mut form: Vec<Integer> = Vec::new();
        let mut binomials = vec![1u32];
        for (power, coefficient) in self.0.iter().rev().enumerate() {
            let shifted = coefficient.shifted_up(exponent * power as u32);
            let term = |i: usize| {
                let mut sum = shifted.times(&Integer::new(f64::from(binomials[i]), 0));
                if let Some(x) = form.get(i) {
                    sum = sum.plus(&x.times(&low));
                }
                if let Some(x) = i.checked_sub(1).and_then(|i| form.get(i)) {
                    sum = sum.plus(&x.times(&high));
                }
                sum
            };
            form = (0..=power).map(term).collect();
            let next = |i: usize| {
                binomials.get(i).copied().unwrap_or(0)
                    + i.checked_sub(1).map_or(0, |i| binomials[i])
            };
            binomials = (0..=power + 1).map(next).collect();
        }
        form.iter().map(Integer::sign).collect()
    }

    /// Multiples, by integers, of quotient and remainder of a division by a polynomial that is not
    /// zero.
    fn divide(&self, divisor: &Self) -> (Self, Self) {
        let Some(last) = divisor.0.last() else { return (self.clone(), Self(Vec::new())) };
        let mut rest = self.0.clone();
        let mut quotient = Vec::new();
        while rest.len() >= divisor.0.len() {
            let Some(lead) = rest.pop() else { break };
            let shift = rest.len() + 1 - divisor.0.len();
            for x in rest.iter_mut().chain(&mut quotient) {
                *x = x.times(last);
            }
            for (x, y) in rest[shift..].iter_mut().zip(&divisor.0) {
                *x = x.minus(&lead.times(y));
            }
            quotient.push(lead);
        }
        quotient.reverse();
        (Self::new(quotient).without_twos(), Self::new(rest).without_twos())
    }

    /// The polynomial over the largest power of two that divides all coefficients.
    fn without_twos(mut self) -> Self {
        let nonzero = self.0.iter().filter(|x| !x.is_zero());
        let twos = nonzero.map(Integer::trailing_zeros).min().unwrap_or(0);
        for x in &mut self.0 {
            *x = x.shifted_down(twos);
        }
        self
    }

    /// The greatest common divisor, times an integer.
    pub(super) fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.divide(&b).1;
            a = std::mem::replace(&mut b, rest);
        }
        a
    }

    /// Whether it is certain that two polynomials that are not zero have no common root.
    ///
    /// Modulo a prime that does not divide the leading coefficients, a common divisor stays one of
    /// its degree. So if there is none modulo the prime, there is none at all.
    pub(super) fn certainly_coprime(&self, other: &Self) -> bool {
        let residues = |p: &Self| p.0.iter().map(|x| x.modulo(PRIME)).collect::<Vec<u64>>();
        let (mut a, mut b) = (residues(self), residues(other));
        if a.last().is_none_or(|&x| x == 0) || b.last().is_none_or(|&x| x == 0) {
            return false;
        }
        let times = |x: u64, y: u64| (u128::from(x) * u128::from(y) % u128::from(PRIME)) as u64;
        while !b.is_empty() {
            while a.len() >= b.len() {
                let (lead, last) = (a[a.len() - 1], b[b.len() - 1]);
                a.pop();
                let shift = a.len() + 1 - b.len();
                a.iter_mut().for_each(|x| *x = times(*x, last));
                for (x, &y) in a[shift..].iter_mut().zip(&b) {
                    *x = (*x + PRIME - times(lead, y)) % PRIME;
                }
            }
            while a.last() == Some(&0) {
                a.pop();
            }
            std::mem::swap(&mut a, &mut b);
        }
        a.len() == 1
    }

    /// A polynomial with the same roots, each of them once.
    pub(super) fn square_free(self) -> Self {
        let slope = self.derivative();
        if self.degree() < 2 || self.certainly_coprime(&slope) {
            return self;
        }
        let repeated = self.common_divisor(&slope);
        if repeated.degree() == 0 { self } else { self.divide(&repeated).0 }
    }
}

/// How often the sign changes along a sequence, zeros left out.
pub(super) fn variations(signs: &[Ordering]) -> usize {
    let mut nonzero = signs.iter().filter(|sign| sign.is_ne());
    let Some(mut last) = nonzero.next() else { return 0 };
    let mut count = 0;
    for sign in nonzero {
        count += usize::from(sign != last);
        last = sign;
    }
    count
}
