//! The time of impact by Sturm's theorem, in big integers.

use num_bigint::{BigInt, Sign};
use pliant::glam::DVec3;

/// A polynomial, the coefficient of the lowest power first, the last one not zero.
type Poly = Vec<BigInt>;
type Vector = [Poly; 3];

fn trim(mut p: Poly) -> Poly {
    while p.last().is_some_and(|x| x.sign() == Sign::NoSign) {
        p.pop();
    }
    p
}

fn add(p: &Poly, q: &Poly) -> Poly {
    let at = |p: &Poly, i: usize| p.get(i).cloned().unwrap_or(BigInt::ZERO);
    trim((0..p.len().max(q.len())).map(|i| at(p, i) + at(q, i)).collect())
}

fn neg(p: &Poly) -> Poly {
    p.iter().map(|x| -x).collect()
}

fn sub(p: &Poly, q: &Poly) -> Poly {
    add(p, &neg(q))
}

fn mul(p: &Poly, q: &Poly) -> Poly {
    let mut product = vec![BigInt::ZERO; (p.len() + q.len()).saturating_sub(1)];
    for (i, x) in p.iter().enumerate() {
        for (j, y) in q.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    trim(product)
}

fn derivative(p: &Poly) -> Poly {
    p.iter().enumerate().skip(1).map(|(i, x)| x * i).collect()
}

/// The polynomial divided by the power of two that all coefficients have in common. Odd divisors stay:
/// to find them takes longer than to carry them along.
fn reduced(p: Poly) -> Poly {
    let zeros = p.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
    if zeros == 0 { p } else { p.into_iter().map(|x| x >> zeros).collect() }
}

/// The greatest common divisor of two integers, not negative (Euclid).
fn gcd(mut x: BigInt, mut y: BigInt) -> BigInt {
    while y.sign() != Sign::NoSign {
        let rest = &x % &y;
        x = std::mem::replace(&mut y, rest);
    }
    BigInt::from(x.magnitude().clone())
}

/// The polynomial divided by the positive common divisor of its coefficients.
fn primitive(p: Poly) -> Poly {
    let content = p.iter().fold(BigInt::ZERO, |divisor, x| gcd(divisor, x.clone()));
    if content.sign() == Sign::NoSign { p } else { p.iter().map(|x| x / &content).collect() }
}

/// Quotient and remainder, both times the same positive number.
fn divide(p: &Poly, q: &Poly) -> (Poly, Poly) {
    let last = q.last().unwrap();
    let (mut rest, mut quotient) = (p.clone(), vec![BigInt::ZERO; p.len().max(1)]);
    while rest.len() >= q.len() {
        let lead = rest.last().unwrap().clone();
        let shift = rest.len() - q.len();
        let scale = BigInt::from(last.magnitude().clone());
        let factor = if last.sign() == Sign::Minus { -&lead } else { lead };
        rest.iter_mut().chain(&mut quotient).for_each(|x| *x *= &scale);
        quotient[shift] += &factor;
        for (i, x) in q.iter().enumerate() {
            rest[i + shift] -= &factor * x;
        }
        rest = trim(rest);
    }
    (trim(quotient), rest)
}

/// p, q, and the negated remainders of Euclid's algorithm.
fn remainders(p: Poly, q: Poly) -> Vec<Poly> {
    let mut sequence = vec![reduced(p)];
    let mut next = reduced(q);
    while !next.is_empty() {
        let rest = neg(&divide(sequence.last().unwrap(), &next).1);
        sequence.push(next);
        next = reduced(rest);
    }
    sequence
}

fn square_free(p: &Poly) -> Poly {
    let sequence = remainders(p.clone(), derivative(p));
    match sequence.last() {
        Some(repeated) if repeated.len() > 1 => primitive(divide(p, repeated).0),
        _ => reduced(p.clone()),
    }
}

/// A rational number with a positive denominator that is a power of two.
#[derive(Clone, Debug)]
struct Time {
    numerator: BigInt,
    exponent: u32,
}

impl Time {
    fn of(x: f64) -> Self {
        let (mantissa, exponent) = decompose(x);
        if exponent >= 0 {
            return Self { numerator: BigInt::from(mantissa) << exponent, exponent: 0 };
        }
        Self { numerator: BigInt::from(mantissa), exponent: exponent.unsigned_abs() }
    }

    fn middle(&self, other: &Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let over = |x: &Self| &x.numerator << (exponent - x.exponent);
        Self { numerator: over(self) + over(other), exponent: exponent + 1 }
    }
}

/// `(m, e)` with `x = m 2^e` and `m` odd or zero.
fn decompose(x: f64) -> (i64, i32) {
    assert!(x.is_finite());
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    let fraction = (x.to_bits() & (u64::MAX >> 12)) as i64;
    let magnitude = if exponent == 0 { fraction } else { fraction + (1 << 52) };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let sign = if x < 0.0 { -1 } else { 1 };
    (sign * (magnitude >> zeros), exponent.max(1) - 1075 + zeros as i32)
}

fn sign_at(p: &Poly, time: &Time) -> i32 {
    let mut value = BigInt::ZERO;
    for (i, x) in p.iter().rev().enumerate() {
        value = value * &time.numerator + (x << (time.exponent as usize * i));
    }
    match value.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// The sign of a polynomial everywhere between two times of [0, 1], if its slope allows no other.
///
/// The slope is at most the sum of i |c_i|. All is multiplied by 2^(e d), with the larger exponent e of
/// both times and the degree d.
fn steady_sign(p: &Poly, low: &Time, high: &Time) -> Option<i32> {
    let exponent = low.exponent.max(high.exponent) as usize;
    let over = |time: &Time| &time.numerator << (exponent - time.exponent as usize);
    let (from, width) = (over(low), over(high) - over(low));
    let mut value = BigInt::ZERO;
    for (i, x) in p.iter().rev().enumerate() {
        value = value * &from + (x << (exponent * i));
    }
    let steepest: BigInt =
        p.iter().enumerate().map(|(i, x)| BigInt::from(x.magnitude().clone()) * i).sum();
    let degree = p.len().saturating_sub(1);
    let change = (steepest * width) << (exponent * degree.saturating_sub(1));
    if BigInt::from(value.magnitude().clone()) <= change {
        return None;
    }
    Some(if value.sign() == Sign::Minus { -1 } else { 1 })
}

fn variations(sequence: &[Poly], time: &Time) -> i32 {
    let signs = sequence.iter().map(|p| sign_at(p, time)).filter(|&sign| sign != 0);
    let signs: Vec<i32> = signs.collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count() as i32
}

/// Where the search for a root begins. It decides only the number of steps.
const NOT_TINY: f64 = 1.0 / 256.0;

/// A root of a square-free polynomial: its only one in the open interval, or a number.
enum Root {
    At(Time),
    Within([Time; 2]),
}

/// The roots of a polynomial, ascending.
struct Roots {
    polynomial: Poly,
    sturm: Vec<Poly>,
    /// Less the variations at x, the number of roots in [0, x].
    offset: i32,
}

impl Roots {
    fn of(p: &Poly) -> Self {
        let polynomial = square_free(p);
        let sturm = remainders(polynomial.clone(), derivative(&polynomial));
        let zero = Time::of(0.0);
        let offset = i32::from(sign_at(&polynomial, &zero) == 0) + variations(&sturm, &zero);
        Self { polynomial, sturm, offset }
    }

    /// How many roots are in the interval without its lower end.
    fn between(&self, low: &Time, high: &Time) -> i32 {
        variations(&self.sturm, low) - variations(&self.sturm, high)
    }

    /// How many roots are in [0, x].
    fn up_to(&self, x: f64) -> i32 {
        self.up_to_time(&Time::of(x))
    }

    fn up_to_time(&self, time: &Time) -> i32 {
        self.offset - variations(&self.sturm, time)
    }

    /// The neighbouring `f64` around the n-th root in [0, 1], counted from 1.
    fn neighbours(&self, n: i32) -> [f64; 2] {
        if self.up_to(0.0) >= n {
            return [0.0, 0.0];
        }
        let (mut low, mut high) = (0f64.to_bits(), 1f64.to_bits());
        let (mut below, mut up_to_high) = (self.up_to(0.0), self.up_to(1.0));
        // Most times are not tiny: numbers stay short if that is asked first.
        let mut middle = NOT_TINY.to_bits();
        // The sign before the root, once it is the only one between two numbers that are no roots.
        let mut alone = None;
        while low + 1 < high {
            let time = Time::of(f64::from_bits(middle));
            let is_above = match alone {
                Some(before) => sign_at(&self.polynomial, &time) != before,
                None => {
                    let count = self.up_to_time(&time);
                    *(if count >= n { &mut up_to_high } else { &mut below }) = count;
                    count >= n
                }
            };
            *(if is_above { &mut high } else { &mut low }) = middle;
            if alone.is_none() && up_to_high - below == 1 {
                let [before, after] =
                    [low, high].map(|x| sign_at(&self.polynomial, &Time::of(f64::from_bits(x))));
                alone = (before * after == -1).then_some(before);
            }
            middle = low + (high - low) / 2;
        }
        let [low, high] = [low, high].map(f64::from_bits);
        let is_root = sign_at(&self.polynomial, &Time::of(high)) == 0;
        if is_root && self.up_to(high) == n { [high, high] } else { [low, high] }
    }

    /// The n-th root, isolated.
    fn root(&self, n: i32) -> Root {
        let [low, high] = self.neighbours(n);
        if low == high {
            return Root::At(Time::of(low));
        }
        let (mut low, mut high) = (Time::of(low), Time::of(high));
        let mut before = n - 1 - self.up_to_time(&low);
        loop {
            if sign_at(&self.polynomial, &low) != 0
                && sign_at(&self.polynomial, &high) != 0
                && self.between(&low, &high) == 1
            {
                return Root::Within([low, high]);
            }
            let middle = low.middle(&high);
            let first = self.between(&low, &middle);
            if first > before {
                if first == before + 1 && sign_at(&self.polynomial, &middle) == 0 {
                    return Root::At(middle);
                }
                high = middle;
            } else {
                before -= first;
                low = middle;
            }
        }
    }

    /// The sign of another polynomial at a root: that at the lower end of the root's interval where the
    /// polynomial cannot change by as much until the upper end; else the sum of its signs over the
    /// roots in the interval (Tarski), of which there is one.
    fn sign(&self, root: &Root, other: &Poly) -> i32 {
        match root {
            Root::At(time) => sign_at(other, time),
            Root::Within([low, high]) => {
                if let Some(sign) = steady_sign(other, low, high) {
                    return sign;
                }
                let product = mul(&derivative(&self.polynomial), other);
                let sequence = remainders(self.polynomial.clone(), product);
                variations(&sequence, low) - variations(&sequence, high)
            }
        }
    }
}

/// A condition on signs at a moment.
enum Condition {
    /// The polynomial is at least zero.
    AtLeastZero(Poly),
    /// The polynomial, which is never negative, is zero or is not.
    Zero(Poly),
    NotZero(Poly),
}

/// Features touch if all conditions of one of the alternatives hold.
pub(super) struct Oracle {
    coplanar: Poly,
    alternatives: Vec<Vec<Condition>>,
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    let minor = |i: usize, j: usize| sub(&mul(&u[i], &v[j]), &mul(&u[j], &v[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn dot(u: &Vector, v: &Vector) -> Poly {
    add(&add(&mul(&u[0], &v[0]), &mul(&u[1], &v[1])), &mul(&u[2], &v[2]))
}

fn minus(u: &Vector, v: &Vector) -> Vector {
    [0, 1, 2].map(|i| sub(&u[i], &v[i]))
}

/// The points as functions of time, in one common unit.
fn points(start: &[DVec3; 4], end: &[DVec3; 4]) -> [Vector; 4] {
    let numbers = [start, end].map(|state| state.map(|p| p.to_array().map(decompose)));
    let all = numbers.as_flattened().as_flattened();
    let unit = all.iter().filter(|x| x.0 != 0).map(|x| x.1).min().unwrap_or(0);
    let scaled = |(m, e): (i64, i32)| BigInt::from(m) << if m == 0 { 0 } else { e - unit };
    [0, 1, 2, 3].map(|i| {
        [0, 1, 2].map(|axis| {
            let [from, to] = [0, 1].map(|state: usize| scaled(numbers[state][i][axis]));
            let slope = to - &from;
            trim(vec![from, slope])
        })
    })
}

/// The point is on the closed segment: it sees the ends in opposite directions.
fn on_segment(p: &Vector, a: &Vector, b: &Vector) -> Vec<Condition> {
    let (u, v) = (minus(a, p), minus(b, p));
    let across = cross(&u, &v);
    vec![Condition::Zero(dot(&across, &across)), Condition::AtLeastZero(neg(&dot(&u, &v)))]
}

impl Oracle {
    pub(super) fn vertex_face(start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        let [p, a, b, c] = &points(start, end);
        let normal = cross(&minus(b, a), &minus(c, a));
        // Barycentric coordinates, times the squared length of the normal.
        let share = |q: &Vector, r: &Vector| {
            Condition::AtLeastZero(dot(&cross(&minus(q, p), &minus(r, p)), &normal))
        };
        let inside =
            vec![Condition::NotZero(dot(&normal, &normal)), share(a, b), share(b, c), share(c, a)];
        let flat = [(a, b), (b, c), (c, a)].map(|(q, r)| {
            let mut conditions = on_segment(p, q, r);
            conditions.push(Condition::Zero(dot(&normal, &normal)));
            conditions
        });
        let alternatives = std::iter::once(inside).chain(flat).collect();
        Self { coplanar: dot(&normal, &minus(p, a)), alternatives }
    }

    pub(super) fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        let [a, b, c, d] = &points(start, end);
        let (u, v, w) = (minus(b, a), minus(d, c), minus(c, a));
        let normal = cross(&u, &v);
        let whole = dot(&normal, &normal);
        // Where the lines cross, as parts of both edges, times the square of the normal.
        let (s, t) = (dot(&cross(&w, &v), &normal), dot(&cross(&w, &u), &normal));
        let inside = vec![
            Condition::NotZero(whole.clone()),
            Condition::AtLeastZero(sub(&whole, &s)),
            Condition::AtLeastZero(s),
            Condition::AtLeastZero(sub(&whole, &t)),
            Condition::AtLeastZero(t),
        ];
        let parallel = [(a, c, d), (b, c, d), (c, a, b), (d, a, b)].map(|(p, q, r)| {
            let mut conditions = on_segment(p, q, r);
            conditions.push(Condition::Zero(whole.clone()));
            conditions
        });
        let alternatives = std::iter::once(inside).chain(parallel).collect();
        Self { coplanar: dot(&normal, &w), alternatives }
    }

    fn touches(&self, sign: impl Fn(&Poly) -> i32) -> bool {
        self.alternatives.iter().any(|conditions| {
            conditions.iter().all(|condition| match condition {
                Condition::AtLeastZero(p) => sign(p) >= 0,
                Condition::Zero(p) => sign(p) == 0,
                Condition::NotZero(p) => sign(p) != 0,
            })
        })
    }

    /// The neighbouring `f64` around the earliest time of touch.
    pub(super) fn impact(&self) -> Option<[f64; 2]> {
        let zero = Time::of(0.0);
        if sign_at(&self.coplanar, &zero) == 0 && self.touches(|p| sign_at(p, &zero)) {
            return Some([0.0, 0.0]);
        }
        let polynomial = |condition| match condition {
            &Condition::AtLeastZero(ref p)
            | &Condition::Zero(ref p)
            | &Condition::NotZero(ref p) => p,
        };
        // Points that stay coplanar begin to touch where some sign changes.
        let candidates: Vec<&Poly> = if self.coplanar.is_empty() {
            self.alternatives.iter().flatten().map(polynomial).filter(|p| !p.is_empty()).collect()
        } else {
            vec![&self.coplanar]
        };
        let mut earliest: Option<[f64; 2]> = None;
        for candidate in candidates {
            let roots = Roots::of(candidate);
            for n in 1..=roots.up_to(1.0) {
                let time = roots.neighbours(n);
                if earliest.is_some_and(|[low, high]| (low, high) <= (time[0], time[1])) {
                    break;
                }
                let root = roots.root(n);
                if self.touches(|p| if p.is_empty() { 0 } else { roots.sign(&root, p) }) {
                    earliest = Some(time);
                    break;
                }
            }
        }
        earliest
    }
}
