//! Real roots of integer polynomials between 0 and 1, isolated by Descartes' rule of signs.
//!
//! The Bernstein coefficients over an interval change sign at least as often as the polynomial has
//! roots in the open interval, and as often modulo two (Descartes' rule after a projective change
//! of variable). So no change means no root, and one change one root. An interval with more changes
//! is halved. For polynomials without repeated roots this ends (theorem of Vincent).

use std::cmp::Ordering;

use super::ImpactTime;
use super::dyadic::Dyadic;
use super::polynomial::{Polynomial, variations};

/// One root of a polynomial.
#[derive(Debug)]
pub(super) enum Root<'a> {
    /// The root is this number.
    At(Dyadic),
    /// The root is the only one of a polynomial without repeated roots in an open interval.
    Within(Isolated<'a>),
}

#[derive(Debug)]
pub(super) struct Isolated<'a> {
    polynomial: &'a Polynomial,
    low: Dyadic,
    high: Dyadic,
    /// The sign of the polynomial between the lower end and the root.
    before: Ordering,
}

/// The roots in [0, 1] of a polynomial that is not zero and has no repeated roots, in no order.
pub(super) fn roots(polynomial: &Polynomial) -> Vec<Root<'_>> {
    let ends = [0.0, 1.0].map(Dyadic::new);
    let mut found: Vec<Root> = Vec::new();
    for end in &ends {
        if polynomial.sign_at(end).is_eq() {
            found.push(Root::At(end.clone()));
        }
    }
    let mut open = vec![ends];
    while let Some([low, high]) = open.pop() {
        let signs = polynomial.signs_within(&low, &high);
        match variations(&signs) {
            0 => {}
            1 => {
                let nonzero = signs.into_iter().find(|sign| sign.is_ne());
                let before = nonzero.unwrap_or(Ordering::Equal);
                found.push(Root::Within(Isolated { polynomial, low, high, before }));
            }
            _ => {
                let middle = split(&low, &high);
                if polynomial.sign_at(&middle).is_eq() {
                    found.push(Root::At(middle.clone()));
                }
                open.push([low, middle.clone()]);
                open.push([middle, high]);
            }
        }
    }
    found
}

/// A number between two: the middle, or one between their exponents if those differ widely, so that
/// tiny times take few steps.
fn split(low: &Dyadic, high: &Dyadic) -> Dyadic {
    let [l, h] = [low, high].map(Dyadic::floor);
    if h < FAR_FROM_ONE && l < h * FAR_FROM_ONE {
        let middle = f64::from_bits(l.to_bits() / 2 + h.to_bits() / 2);
        if l < middle && middle < h {
            return Dyadic::new(middle);
        }
    }
    low.middle(high)
}

/// Below this quotient of its ends, an interval is split by exponent. It decides only the number of
/// steps.
const FAR_FROM_ONE: f64 = 1.0 / 256.0;

/// From this step on, in neighbouring `f64`, the bracket of a root is halved.
const LONGEST_STEP: u64 = 1 << 20;

impl Root<'_> {
    /// The neighbouring `f64` around the root; equal if it is one.
    pub(super) fn time(&mut self) -> ImpactTime {
        let root = match self {
            Self::At(time) => {
                let lo = time.floor();
                let exact = Dyadic::new(lo).compare(time).is_eq();
                return ImpactTime { lo, hi: if exact { lo } else { lo.next_up() } };
            }
            Self::Within(root) => root,
        };
        // The root is strictly between these.
        let mut lo = root.low.floor();
        let mut hi = root.high.floor();
        if Dyadic::new(hi).compare(&root.high).is_ne() {
            hi = hi.next_up();
        }
        // A computed root is close. From there on, steps double until the root is passed; then the
        // bracket is halved. This decides only the number of steps.
        let mut next = root.guess(lo, hi).to_bits();
        let (mut reach, mut first) = (1, None);
        while lo.next_up() < hi {
            let middle = f64::from_bits(next).clamp(lo.next_up(), hi.next_down());
            let time = Dyadic::new(middle);
            let side = root.side(&time);
            match side {
                Ordering::Less => hi = middle,
                Ordering::Equal => {
                    *self = Self::At(time);
                    return ImpactTime { lo: middle, hi: middle };
                }
                Ordering::Greater => lo = middle,
            }
            if *first.get_or_insert(side) != side {
                reach = LONGEST_STEP;
            }
            next = if reach == LONGEST_STEP {
                lo.to_bits() + (hi.to_bits() - lo.to_bits()) / 2
            } else if side.is_gt() {
                lo.to_bits() + reach
            } else {
                hi.to_bits().saturating_sub(reach)
            };
            reach = (reach * 2).min(LONGEST_STEP);
        }
        root.narrow(lo, hi);
        ImpactTime { lo, hi }
    }

    /// Compares the value of another polynomial at the root with zero. Narrows the interval of the
    /// root where that is needed.
    ///
    /// The value is zero if and only if a common divisor has the root. A divisor of a polynomial
    /// without repeated roots has none either, and in the interval of the root it has that root or
    /// none. So it has the root if and only if its coefficients change sign an odd number of times.
    pub(super) fn sign_of(&mut self, other: &Polynomial) -> Ordering {
        if other.degree() == 0 {
            return other.sign_at(&Dyadic::new(0.0));
        }
        let mut maybe_zero = true;
        loop {
            let root = match self {
                Self::At(time) => return other.sign_at(time),
                Self::Within(root) => root,
            };
            let signs = other.signs_within(&root.low, &root.high);
            // Coefficients of one sign, not all zero: that is the sign inside the interval.
            if variations(&signs) == 0 {
                return signs.into_iter().find(|sign| sign.is_ne()).unwrap_or(Ordering::Equal);
            }
            if maybe_zero && !root.polynomial.certainly_coprime(other) {
                let common = root.polynomial.common_divisor(other);
                if variations(&common.signs_within(&root.low, &root.high)) % 2 == 1 {
                    return Ordering::Equal;
                }
            }
            maybe_zero = false;
            let middle = split(&root.low, &root.high);
            match root.side(&middle) {
                Ordering::Less => root.high = middle,
                Ordering::Equal => *self = Self::At(middle),
                Ordering::Greater => root.low = middle,
            }
        }
    }
}

impl Isolated<'_> {
    /// The root, computed in `f64`; no more than a guess.
    fn guess(&self, low: f64, high: f64) -> f64 {
        let coefficients = self.polynomial.rounded();
        let (mut lo, mut hi) = (low, high);
        let mut x = (lo + hi) * 0.5;
        for _ in 0..40 {
            let (mut value, mut slope) = (0.0, 0.0);
            for coefficient in coefficients.iter().rev() {
                slope = slope * x + value;
                value = value * x + coefficient;
            }
            if (value > 0.0) == self.before.is_gt() {
                lo = x;
            } else {
                hi = x;
            }
            let newton = x - value / slope;
            let next = if lo < newton && newton < hi { newton } else { (lo + hi) * 0.5 };
            if (next - x).abs() <= f64::EPSILON * 0.5 * x {
                return next;
            }
            x = next;
        }
        x
    }

    /// Takes ends that are closer to the root than the own ones.
    fn narrow(&mut self, low: f64, high: f64) {
        let [low, high] = [low, high].map(Dyadic::new);
        if low.compare(&self.low).is_gt() {
            self.low = low;
        }
        if high.compare(&self.high).is_lt() {
            self.high = high;
        }
    }

    /// Compares the root with a time.
    fn side(&self, time: &Dyadic) -> Ordering {
        if time.compare(&self.low).is_le() {
            return Ordering::Greater;
        }
        if time.compare(&self.high).is_ge() {
            return Ordering::Less;
        }
        match self.polynomial.sign_at(time) {
            Ordering::Equal => Ordering::Equal,
            sign if sign == self.before => Ordering::Greater,
            _ => Ordering::Less,
        }
    }
}

/// The earliest root in [0, 1] of some polynomials that satisfies a condition. Polynomials that are
/// zero are left out.
pub(super) fn earliest(
    polynomials: Vec<Polynomial>,
    mut holds: impl FnMut(&mut Root) -> bool,
) -> Option<ImpactTime> {
    let nonzero = polynomials.into_iter().filter(|polynomial| !polynomial.is_zero());
    let simple: Vec<Polynomial> = nonzero.map(Polynomial::square_free).collect();
    let candidates = simple.iter().flat_map(roots).map(|mut root| (root.time(), root));
    let mut candidates: Vec<(ImpactTime, Root)> = candidates.collect();
    // Of two different times, the earlier one has the lower neighbours, or both have the same.
    candidates.sort_by(|(a, _), (b, _)| a.lo.total_cmp(&b.lo).then(a.hi.total_cmp(&b.hi)));
    candidates.into_iter().find_map(|(time, mut root)| holds(&mut root).then_some(time))
}
