//! The decision in `f64`, where rounding errors cannot change it.
//!
//! The coplanarity cubic and the areas along one axis are polynomials in Bernstein form. Their
//! coefficients bound them from both sides, and halving an interval brings the bounds closer. Over
//! an interval
//! - there is no touch if all coefficients of the cubic have one sign, or if those of one area are
//!   all positive and those of another all negative (see [`exact`](super::exact));
//! - there is a touch if the cubic has opposite signs at the ends and all areas have one sign. If
//!   the coefficients of the cubic change sign once, it has one root, which is the touch.
//!
//! Intervals are halved, the earlier half first, until there is a touch or none is left, or until
//! one is so short that exact arithmetic is called for.
//!
//! # Errors
//!
//! Let u = 2^-53 be the largest relative error of a rounding, and X, Y, Z the largest magnitudes of
//! the vectors' components along the axes. A term of a coefficient of the cubic is a product of three
//! components along different axes: at most XYZ. It passes 12 roundings (3 differences, 2
//! products, 5 sums, and a product with a rounded third). A coefficient has 6 terms, or 18 and a
//! third of their sum, so it errs by less than 6 * 12.1 u XYZ = 73 u XYZ and is at most 6 XYZ. A
//! halving takes three means per path, each with one rounding: 18 u XYZ. [`HALVINGS`] of them are
//! 144 u XYZ. A value at any time, computed by three interpolations from the first coefficients,
//! each with roundings of less than 30 u XYZ, adds 90 u XYZ instead. The bound is 256 u XYZ, which
//! also covers that X, Y, Z and the bound are rounded.
//!
//! An area along the z-axis has terms of at most XY: four for a face or edge (two products of
//! vectors), each with 6 roundings (2 differences, a product, 3 sums): 25 u XY. It is at most
//! 4 XY. A halving adds 2 means of 4 u XY: 64 u XY in all; two interpolations instead add 40 u XY.
//! The bound is 128 u XY.
//!
//! Where X, Y and Z are from 2^-200 to 2^200, nothing overflows, and underflows (2^-1075 each, times
//! at most two components) are far below these bounds. Elsewhere the bounds are infinite.

use std::ops::RangeInclusive;

use super::motion::Motion;

/// The bound of errors of the cubic, in units of XYZ.
pub(super) const CUBIC_ERROR: f64 = 128.0 * f64::EPSILON;
/// The bound of errors of an area, in units of XY.
pub(super) const AREA_ERROR: f64 = 64.0 * f64::EPSILON;
/// The magnitudes for which the bounds hold: 2^-200 to 2^200.
const RANGE: RangeInclusive<f64> =
    f64::from_bits((1023 - 200) << 52)..=f64::from_bits((1023 + 200) << 52);
/// How often an interval is halved. Contacts that take more are close to degenerate.
pub(super) const HALVINGS: u32 = 8;

/// What is certain about a step.
pub(super) enum Verdict {
    No,
    /// The earliest touch is the only root of the cubic in an interval.
    Yes(Bracket),
    Unknown,
}

/// An interval in which the cubic has one root, and certain, opposite signs at the ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bracket {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Whether the cubic is positive at the lower end.
    pub(super) falls: bool,
    /// The root, roughly, and the slope of the cubic there.
    pub(super) root: f64,
    pub(super) slope: f64,
}

/// The polynomials over an interval.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) low: f64,
    pub(super) width: f64,
    pub(super) cubic: [f64; 4],
    pub(super) areas: [[f64; 3]; 4],
}

/// Bounds of the errors.
struct Errors {
    cubic: f64,
    areas: f64,
}

/// What the signs of areas say about a coplanar moment.
#[derive(Clone, Copy, PartialEq)]
enum Sides {
    Mixed,
    Same,
    Unknown,
}

/// Decides a step, if that is possible in `f64`.
#[inline(always)]
pub(super) fn decide(motion: &Motion) -> Verdict {
    let cubic = motion.cubic();
    let volume_error = cubic_error(motion);
    if one_sign(&cubic, volume_error) {
        return Verdict::No;
    }
    let axis = motion.axis(0.5);
    let errors = Errors { cubic: volume_error, areas: area_error(motion, axis) };
    let piece = Piece { low: 0.0, width: 1.0, cubic, areas: motion.areas(axis) };
    let sides = sides(&piece.areas, errors.areas);
    if sides == Sides::Mixed {
        return Verdict::No;
    }
    look_at_whole(motion, &piece, sides, &errors)
}

#[inline(always)]
fn cubic_error(motion: &Motion) -> f64 {
    let [x, y, z] = motion.largest.to_array();
    if RANGE.contains(&x) && RANGE.contains(&y) && RANGE.contains(&z) {
        CUBIC_ERROR * (x * y * z)
    } else {
        f64::INFINITY
    }
}

#[inline(always)]
fn area_error(motion: &Motion, axis: usize) -> f64 {
    let [x, y, z] = motion.largest.to_array();
    let (x, y) = [(y, z), (z, x), (x, y)][axis];
    if RANGE.contains(&x) && RANGE.contains(&y) { AREA_ERROR * (x * y) } else { f64::INFINITY }
}

#[inline(always)]
fn one_sign(coefficients: &[f64], error: f64) -> bool {
    let least = coefficients.iter().copied().fold(f64::INFINITY, f64::min);
    let most = coefficients.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    least > error || most < -error
}

#[inline(always)]
fn sides<const N: usize>(areas: &[[f64; N]; 4], error: f64) -> Sides {
    let (mut positive, mut negative) = (0, 0);
    for area in areas {
        let least = area.iter().copied().fold(f64::INFINITY, f64::min);
        let most = area.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        positive += u32::from(least > error);
        negative += u32::from(most < -error);
    }
    match (positive, negative) {
        (1.., 1..) => Sides::Mixed,
        (4, 0) | (0, 4) => Sides::Same,
        _ => Sides::Unknown,
    }
}

#[inline(never)]
fn look_at_whole(motion: &Motion, whole: &Piece, sides: Sides, errors: &Errors) -> Verdict {
    match look(motion, whole, whole, sides, errors) {
        Finding::Verdict(verdict) => verdict,
        Finding::None => Verdict::No,
        Finding::Open => subdivide(motion, whole, errors),
    }
}

/// What one interval says about the touch.
enum Finding {
    Verdict(Verdict),
    /// No touch in this interval.
    None,
    /// It has to be halved.
    Open,
}

/// Looks at one interval of the whole step, after the cubic's coefficients and the areas did not
/// reject it.
#[inline(always)]
fn look(motion: &Motion, whole: &Piece, piece: &Piece, sides: Sides, errors: &Errors) -> Finding {
    match bracket(whole, piece, errors.cubic) {
        Some(bracket) if sides == Sides::Same => Finding::Verdict(Verdict::Yes(bracket)),
        Some(bracket) => match sides_at_root(motion, &bracket) {
            Sides::Mixed => Finding::None,
            Sides::Same => Finding::Verdict(Verdict::Yes(bracket)),
            Sides::Unknown => Finding::Verdict(Verdict::Unknown),
        },
        None => Finding::Open,
    }
}

#[inline(never)]
fn subdivide(motion: &Motion, whole: &Piece, errors: &Errors) -> Verdict {
    // The later halves of intervals that were halved.
    let mut later = [*whole; HALVINGS as usize];
    let mut waiting = 0;
    let shortest = 0.5f64.powi(HALVINGS as i32);
    let mut piece = *whole;
    let mut finding = Finding::Open;
    loop {
        match finding {
            Finding::Verdict(verdict) => return verdict,
            Finding::None if waiting == 0 => return Verdict::No,
            Finding::None => {
                waiting -= 1;
                piece = later[waiting];
            }
            Finding::Open if piece.width > shortest => {
                let [early, late] = piece.halves();
                later[waiting] = late;
                waiting += 1;
                piece = early;
            }
            Finding::Open => return Verdict::Unknown,
        }
        finding = match sides(&piece.areas, errors.areas) {
            _ if one_sign(&piece.cubic, errors.cubic) => Finding::None,
            Sides::Mixed => Finding::None,
            sides => look(motion, whole, &piece, sides, errors),
        };
    }
}

impl Piece {
    /// Both halves of the interval, by de Casteljau's algorithm.
    pub(super) fn halves(&self) -> [Self; 2] {
        let mean = |x: f64, y: f64| (x + y) * 0.5;
        let [a, b, c, d] = self.cubic;
        let (ab, bc, cd) = (mean(a, b), mean(b, c), mean(c, d));
        let (abc, bcd) = (mean(ab, bc), mean(bc, cd));
        let middle = mean(abc, bcd);
        let (mut early, mut late) = (*self, *self);
        early.cubic = [a, ab, abc, middle];
        late.cubic = [middle, bcd, cd, d];
        for (i, [a, b, c]) in self.areas.into_iter().enumerate() {
            let (ab, bc) = (mean(a, b), mean(b, c));
            let middle = mean(ab, bc);
            early.areas[i] = [a, ab, middle];
            late.areas[i] = [middle, bc, c];
        }
        let half = self.width * 0.5;
        (early.width, late.width) = (half, half);
        late.low += half;
        [early, late]
    }
}

/// The value at a time of a polynomial in Bernstein form over [0, 1].
#[inline(always)]
pub(super) fn value<const N: usize>(mut coefficients: [f64; N], time: f64) -> f64 {
    for last in (1..N).rev() {
        for i in 0..last {
            coefficients[i] += (coefficients[i + 1] - coefficients[i]) * time;
        }
    }
    coefficients[0]
}

/// The slope at a time of a cubic in Bernstein form over [0, 1].
#[inline(always)]
pub(super) fn slope([a, b, c, d]: [f64; 4], time: f64) -> f64 {
    3.0 * value([b - a, c - b, d - c], time)
}

/// How far from the computed root the signs of the cubic are looked at, as a part of the step.
const ROOT_REACH: [f64; 4] = [1e-13, 1e-11, 1e-8, 1e-5];

/// A short interval around the root of a piece, if the cubic certainly has one root there.
///
/// The coefficients change sign once if the first and the last have opposite signs and one of the
/// others has the sign of its neighbour at the end.
fn bracket(whole: &Piece, piece: &Piece, error: f64) -> Option<Bracket> {
    let [a, b, c, d] = piece.cubic;
    let falls = a > error && d < -error && (b > error || c < -error);
    let rises = a < -error && d > error && (b < -error || c > error);
    if !(falls || rises) {
        return None;
    }
    let (first, high) = (piece.low, piece.low + piece.width);
    // Newton's method, kept in the bracket by the secant of its ends.
    let mut ends = [first, high];
    let mut root = first + piece.width * (a / (a - d));
    for _ in 0..6 {
        let height = value(whole.cubic, root);
        ends[usize::from((height < 0.0) == falls)] = root;
        let next = root - height / slope(whole.cubic, root);
        let kept =
            if ends[0] <= next && next <= ends[1] { next } else { (ends[0] + ends[1]) * 0.5 };
        let step = (kept - root).abs();
        root = kept;
        if step < ROOT_REACH[0] * 0.01 {
            break;
        }
    }
    let slope = slope(whole.cubic, root);
    for reach in ROOT_REACH {
        let (low, high) = ((root - reach).max(first), (root + reach).min(high));
        let before = value(whole.cubic, low);
        let after = value(whole.cubic, high);
        let certain = if falls {
            (low == first || before > error) && (high == piece.low + piece.width || after < -error)
        } else {
            (low == first || before < -error) && (high == piece.low + piece.width || after > error)
        };
        if certain {
            return Some(Bracket { low, high, falls, root, slope });
        }
    }
    Some(Bracket { low: first, high, falls, root, slope })
}

/// The signs of the areas along the best axis everywhere in a bracket.
///
/// An area's coefficients are at most 4 XY, so its slope is at most 16 XY, which is 0.125 / u times
/// [`AREA_ERROR`] XY.
fn sides_at_root(motion: &Motion, bracket: &Bracket) -> Sides {
    let axis = motion.axis(bracket.root);
    let error = area_error(motion, axis);
    let slope = error * (16.0 / AREA_ERROR);
    let areas = motion.areas(axis).map(|area| [value(area, bracket.root)]);
    sides(&areas, error + slope * (bracket.high - bracket.low) * 1.001)
}
