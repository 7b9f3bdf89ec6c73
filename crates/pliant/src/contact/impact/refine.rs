//! The neighbouring `f64` around the root of the coplanarity cubic in a bracket.

use std::cmp::Ordering;

use glam::DVec3;

use super::ImpactTime;
use super::exact::coplanarity_sign;
use super::filter::Bracket;
use super::motion::{Features, Motion};
use crate::numeric::{DOUBLE_DOUBLE_ERROR, DoubleDouble};

/// The bound of errors of the cubic in double-double arithmetic, in units of XYZ (as in
/// [`filter`](super::filter)) and of [`DOUBLE_DOUBLE_ERROR`], e.
///
/// The differences of points and 1 - t are exact. A component at the time t is the sum of two
/// products with weights that add up to 1: it errs by less than 2.1 e of its largest magnitude. Each
/// of the six terms is a product of three components and passes 2 products and 3 sums: 11.4 e. All
/// six: 69 e. The rest covers that X, Y and Z are rounded, and underflows, which are far below e in
/// the range of the filter.
const CUBIC_ERROR: f64 = 128.0 * DOUBLE_DOUBLE_ERROR;

/// How many neighbours are looked at one by one before the rest of the bracket is halved.
const STEPS: u32 = 4;

/// The time of the root. The bracket's motion must be in the range of the filter.
pub(super) fn time_in(
    bracket: &Bracket,
    motion: &Motion,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
) -> ImpactTime {
    let cubic = Cubic::new(motion, start, end);
    let Bracket { mut low, mut high, falls, .. } = *bracket;
    let inside = |x: f64, low: f64, high: f64| x.clamp(low.next_up(), high.next_down());
    // One step of Newton's method with a better value than `f64` gives.
    let near = Near { root: bracket.root, value: cubic.value(bracket.root), slope: bracket.slope };
    let guess = bracket.root - near.value.high / bracket.slope;
    let mut time = if guess.is_finite() { guess } else { bracket.root };
    let mut steps = 0;
    while low.next_up() < high {
        time = inside(time, low, high);
        let sign = cubic
            .certain_sign_near(&near, time)
            .or_else(|| cubic.certain_sign(time))
            .unwrap_or_else(|| coplanarity_sign(motion.features, start, end, time));
        match if falls { sign } else { sign.reverse() } {
            Ordering::Equal => return ImpactTime { lo: time, hi: time },
            Ordering::Greater => {
                low = time;
                time = low.next_up();
            }
            Ordering::Less => {
                high = time;
                time = high.next_down();
            }
        }
        steps += 1;
        if steps > STEPS {
            time = f64::from_bits(low.to_bits() + (high.to_bits() - low.to_bits()) / 2);
        }
    }
    ImpactTime { lo: low, hi: high }
}

/// The coplanarity cubic as `a . (b x c)`, with exact vectors.
pub(super) struct Cubic {
    start: [[DoubleDouble; 3]; 3],
    end: [[DoubleDouble; 3]; 3],
    /// XYZ.
    size: f64,
    pub(super) error: f64,
}

/// A time with the value and the slope of the cubic there.
pub(super) struct Near {
    pub(super) root: f64,
    pub(super) value: DoubleDouble,
    pub(super) slope: f64,
}

/// How far from a known value its tangent is asked for: farther away it never decides.
const CLOSE: f64 = 1e-6;

impl Cubic {
    pub(super) fn new(motion: &Motion, start: &[DVec3; 4], end: &[DVec3; 4]) -> Self {
        let exact = |features: Features, points: &[DVec3; 4]| {
            features.vectors().map(|[from, to]| {
                let (from, to) = (points[from].to_array(), points[to].to_array());
                [0, 1, 2].map(|axis| DoubleDouble::difference(to[axis], from[axis]))
            })
        };
        let size = motion.largest.element_product();
        Self {
            start: exact(motion.features, start),
            end: exact(motion.features, end),
            size,
            error: CUBIC_ERROR * size,
        }
    }

    pub(super) fn value(&self, time: f64) -> DoubleDouble {
        let late = DoubleDouble::difference(time, 0.0);
        let early = DoubleDouble::difference(1.0, time);
        let at = |i: usize, axis: usize| {
            early.times(self.start[i][axis]).plus(late.times(self.end[i][axis]))
        };
        let [a, b, c] = [0, 1, 2].map(|i| [at(i, 0), at(i, 1), at(i, 2)]);
        let minor = |i: usize, j: usize| b[i].times(c[j]).minus(b[j].times(c[i]));
        let [x, y, z] = [a[0].times(minor(1, 2)), a[1].times(minor(2, 0)), a[2].times(minor(0, 1))];
        x.plus(y).plus(z)
    }

    /// The sign close to a time at which the value is known, by the tangent there.
    ///
    /// With the Bernstein coefficients below 6 XYZ, the second derivative is below 144 XYZ and the
    /// third below 288 XYZ in magnitude: a tangent is off by less than 120 XYZ h^2 at a distance h.
    /// Its slope is 3 times a quadratic in differences of coefficients, each of which errs by 73 u XYZ
    /// (u = 2^-53, as in [`filter`](super::filter)). A difference is at most 12 XYZ, and each of two
    /// interpolations rounds by 60 u XYZ: the slope errs by less than 3 (2 * 73 + 12 + 2 * 60) u XYZ and
    /// its own rounding, below 1024 u XYZ. What is left are the lower half of the value, and the
    /// roundings of the distance and of the product: u of each. The bound is computed with few
    /// roundings, for which 1 % is added.
    pub(super) fn certain_sign_near(&self, near: &Near, time: f64) -> Option<Ordering> {
        let by = time - near.root;
        if by.abs() > CLOSE {
            return None;
        }
        let (value, rise) = (near.value.high, near.slope * by);
        let unit = f64::EPSILON * 0.5;
        let curved = self.size * (by.abs() * (1024.0 * unit) + by * by * 120.0);
        let error = self.error + curved + (value.abs() + 2.0 * rise.abs()) * unit;
        crate::contact::certain_sign(value + rise, error * 1.01)
    }

    pub(super) fn certain_sign(&self, time: f64) -> Option<Ordering> {
        crate::contact::certain_sign(self.value(time).high, self.error)
    }
}
