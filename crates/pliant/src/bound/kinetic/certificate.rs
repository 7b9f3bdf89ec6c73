//! When one coordinate may overtake another.
//!
//! A certificate says that the winner w of a side is not below another contestant v by more than
//! a *slack*. It fails when w - v + slack comes down to zero. The slack is 2^-44 of the flight's
//! reach. That is far above all roundings of positions, 2^-48 of the reach, and far below the
//! steps of `f32`.
//!
//! The slack is why a chain of events ends. After an event the winner is not below any contestant
//! as computed, so the two must move by almost a slack before the certificate fails again. Equal
//! coordinates, vertices that meet and stay together, and roots at the current time need no
//! special case. The slack decides no answer: boxes grow by it.

use glam::DVec3;

use crate::deform::{Flight, Moment};

/// The slack of a flight: 2^-44 of its reach, and never zero.
fn slack(flight: &Flight) -> f64 {
    flight.reach() / (1u64 << 44) as f64 + f64::MIN_POSITIVE
}

/// How far a box reaches past the winner of a side: one slack for each certificate between
/// a vertex and the side, at most `height`, and one for all roundings on the way.
pub(super) fn allowance(flight: &Flight, height: u32) -> f64 {
    slack(flight) * f64::from(height + 1)
}

/// Whether all coordinates are small enough that no difference of two of them overflows.
pub(super) fn is_bounded(flight: &Flight) -> bool {
    flight.reach() < 1e300
}

/// A side of a box: an axis, and whether the largest coordinate wins (sign 1) or the smallest
/// (sign -1).
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    pub(super) axis: usize,
    pub(super) sign: f64,
}

impl Side {
    /// One of six: the low sides of x, y, z, then the high sides.
    #[inline]
    pub(super) fn number(number: usize) -> Self {
        Self { axis: number % 3, sign: if number < 3 { -1.0 } else { 1.0 } }
    }

    /// The coordinate of a vertex times the sign. The largest value wins.
    #[inline]
    pub(super) fn value(self, flight: &Flight, moment: &Moment, vertex: u32) -> f64 {
        self.sign * flight.coordinate_at(moment, vertex, self.axis)
    }
}

/// The values of a vertex on a side, now and at the end of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) vertex: u32,
    pub(super) now: f64,
    pub(super) end: f64,
}

/// The time from `now` to the next knot of the flight: in between, every vertex stays on its line
/// or polynomial.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    now: Moment,
    end: Moment,
    slack: f64,
}

impl Segment {
    /// The segment from a moment on. It has no length if nothing moves any more.
    pub(super) fn new(flight: &Flight, now: Moment) -> Self {
        let knot = flight.next_knot(now.time);
        let end = if knot.is_finite() { flight.moment(knot) } else { now };
        Self { now, end, slack: slack(flight) }
    }

    /// The values of a vertex on a side.
    #[inline]
    pub(super) fn place(&self, flight: &Flight, side: Side, vertex: u32) -> Place {
        let value = |moment| side.value(flight, moment, vertex);
        Place { vertex, now: value(&self.now), end: value(&self.end) }
    }

    /// Where a vertex is now and at the end.
    #[inline]
    pub(super) fn ends(&self, flight: &Flight, vertex: u32) -> [DVec3; 2] {
        [self.now, self.end].map(|moment| flight.position_at(&moment, vertex))
    }

    /// The positions of all vertices now and at the end, if both are those of keyframes.
    pub(super) fn keyframes<'a>(&self, flight: &'a Flight) -> Option<[&'a [DVec3]; 2]> {
        let on_keyframes =
            flight.follows_keyframes() && self.now.fraction == 0.0 && self.end.fraction == 0.0;
        on_keyframes.then(|| [self.now, self.end].map(|moment| flight.frame(moment.first)))
    }

    /// Whether a certificate between two vertices on straight lines fails within the segment, given
    /// their values at its end. One of a vertex with itself does not.
    #[inline]
    pub(super) fn may_fail(&self, w_end: f64, v_end: f64) -> bool {
        w_end - v_end + self.slack <= 0.0
    }

    /// The first time in the segment at which v may be above w by the slack, else infinity. Now v
    /// is not above w. The time is never late, and later than now.
    #[inline]
    pub(super) fn failure(&self, flight: &Flight, side: Side, w: &Place, v: &Place) -> f64 {
        let (from, until) = (self.now.time, self.end.time);
        if from >= until {
            return f64::INFINITY;
        }
        let fraction = match (flight.course(w.vertex, from), flight.course(v.vertex, from)) {
            (None, None) => self.linear(w, v),
            _ => self.curved(flight, side, w.vertex, v.vertex),
        };
        match fraction {
            None => f64::INFINITY,
            Some(fraction) => self.time(fraction),
        }
    }

    /// A time that is not after a fraction of the segment, but after now.
    ///
    /// The fraction is computed with an error of a few 2^-53, for which 2^-50 is subtracted. The
    /// sum is rounded by half a step at most. Between now and the next `f64` there is no time at
    /// which an event could be late.
    fn time(&self, fraction: f64) -> f64 {
        let (from, until) = (self.now.time, self.end.time);
        let early = (fraction - 2f64.powi(-50)) * (until - from);
        (from + early).next_down().max(from.next_up())
    }

    /// The fraction at which the certificate fails, for two vertices on straight lines.
    #[inline]
    fn linear(&self, w: &Place, v: &Place) -> Option<f64> {
        let at_end = w.end - v.end + self.slack;
        if at_end > 0.0 {
            return None;
        }
        let now = w.now - v.now + self.slack;
        Some(now / (now - at_end))
    }

    /// The same for two vertices of which at least one has a course.
    fn curved(&self, flight: &Flight, side: Side, w: u32, v: u32) -> Option<f64> {
        let [w, v] = [w, v].map(|vertex| self.polynomial(flight, side.axis, vertex));
        let mut gap = [0, 1, 2, 3].map(|power| side.sign * (w[power] - v[power]));
        gap[0] += self.slack;
        first_root(bernstein(gap))
    }

    /// A coordinate as a polynomial of the fraction of the segment.
    fn polynomial(&self, flight: &Flight, axis: usize, vertex: u32) -> [f64; 4] {
        if let Some(course) = flight.course(vertex, self.now.time) {
            return course.between(axis, self.now.time, self.end.time);
        }
        let [now, end] = [self.now, self.end].map(|m| flight.coordinate_at(&m, vertex, axis));
        [now, end - now, 0.0, 0.0]
    }
}

/// The Bernstein coefficients on 0..1 of a polynomial. It stays between the smallest and the
/// largest of them.
fn bernstein([a, b, c, d]: [f64; 4]) -> [f64; 4] {
    [a, a + b / 3.0, a + (2.0 * b + c) / 3.0, a + b + c + d]
}

/// Where a polynomial with these Bernstein coefficients on 0..1 first comes down to zero, or a
/// little before; `None` if it stays above.
///
/// Intervals are halved and the left half comes first. An interval whose coefficients are all
/// positive has no root. An interval shorter than 2^-50 counts as a root: a polynomial that falls
/// from a slack to zero changes by far less over such a length. The roundings of the coefficients
/// are below 2^-48 of the reach, a sixteenth of the slack. They move the root, but never past the
/// crossing itself.
fn first_root(whole: [f64; 4]) -> Option<f64> {
    // Most certificates hold to the end, and need no memory.
    if whole.iter().all(|&value| value > 0.0) {
        return None;
    }
    let mut stack = vec![(whole, 0.0, 1.0)];
    while let Some((control, start, length)) = stack.pop() {
        if control.iter().all(|&value| value > 0.0) {
            continue;
        }
        if control[0] <= 0.0 || length < 2f64.powi(-50) {
            return Some(start);
        }
        let [a, b, c, d] = control;
        let (ab, bc, cd) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + d));
        let (abc, bcd) = (0.5 * (ab + bc), 0.5 * (bc + cd));
        let middle = 0.5 * (abc + bcd);
        let half = 0.5 * length;
        stack.push(([middle, bcd, cd, d], start + half, half));
        stack.push(([a, ab, abc, middle], start, half));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The polynomial is positive up to the root, and not far from zero there.
        #[test]
        fn the_first_root_is_not_late(c in proptest::array::uniform4(-1.0..1.0f64)) {
            let at = |x: f64| c[0] + x * (c[1] + x * (c[2] + x * c[3]));
            prop_assume!(c[0] > 1e-9);
            let root = first_root(bernstein(c));
            for i in 0..=1000 {
                let x = root.unwrap_or(1.0) * f64::from(i) / 1000.0;
                prop_assert!(at(x) > -1e-13, "{x} of {root:?}: {}", at(x));
            }
            if let Some(root) = root {
                prop_assert!(at(root) < 1e-13);
            }
        }
    }

    #[test]
    fn double_and_triple_roots_end() {
        for (c, expected) in
            [([0.25, -1.0, 1.0, 0.0], 0.5), ([0.125, -0.75, 1.5, -1.0], 0.5), ([0.0; 4], 0.0)]
        {
            // Below zero by more than the roundings: a double root that only touches zero may be
            // missed.
            let lower = [c[0] - 1e-15, c[1], c[2], c[3]];
            let root = first_root(bernstein(lower)).unwrap();
            assert!((root - expected).abs() < 1e-4 && root <= expected, "{root} {expected}");
        }
        assert_eq!(first_root(bernstein([1e-30, 0.0, 0.0, 0.0])), None);
    }
}
