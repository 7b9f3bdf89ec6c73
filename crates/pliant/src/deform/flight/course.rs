//! A vertex's way as a polynomial of time.

use glam::DVec3;

/// A position as a polynomial of time, of degree 3 at the most.
///
/// ```
/// use pliant::{deform::Course, glam::DVec3};
/// let thrown = Course::new(1.0, [DVec3::ZERO, DVec3::X, DVec3::Y * -5.0, DVec3::ZERO]);
/// assert_eq!(thrown.at(3.0), DVec3::new(2.0, -20.0, 0.0));
/// assert_eq!(Course::linear(1.0, DVec3::Y, DVec3::X).at(2.0), DVec3::new(1.0, 1.0, 0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Course {
    /// The time from which the polynomial counts.
    pub start: f64,
    /// The factors of 1, s, s^2, s^3, where s is the time since `start`.
    pub coefficients: [DVec3; 4],
}

impl Course {
    /// The course c0 + c1 s + c2 s^2 + c3 s^3 with s = t - `start`.
    #[must_use]
    pub fn new(start: f64, coefficients: [DVec3; 4]) -> Self {
        Self { start, coefficients }
    }

    /// At `position` when the time is `start`, and on with a constant velocity.
    #[must_use]
    pub fn linear(start: f64, position: DVec3, velocity: DVec3) -> Self {
        Self::new(start, [position, velocity, DVec3::ZERO, DVec3::ZERO])
    }

    /// Where the course is at a time.
    #[must_use]
    #[inline]
    pub fn at(&self, time: f64) -> DVec3 {
        let [c0, c1, c2, c3] = self.coefficients;
        let s = time - self.start;
        c0 + (c1 + (c2 + c3 * s) * s) * s
    }

    /// The velocity at a time.
    #[must_use]
    pub fn velocity(&self, time: f64) -> DVec3 {
        let [_, c1, c2, c3] = self.coefficients;
        let s = time - self.start;
        c1 + (c2 * 2.0 + c3 * (3.0 * s)) * s
    }

    /// The sum of the magnitudes of all terms, at its largest between two times: no
    /// coordinate is larger, and the rounding of [`Course::at`] is below 2^-49 of it
    /// (a term passes eight roundings of 2^-53 at the most).
    pub(crate) fn reach(&self, from: f64, until: f64) -> f64 {
        let s = (from - self.start).abs().max((until - self.start).abs());
        let [c0, c1, c2, c3] = self.coefficients.map(DVec3::abs);
        // Twice, so that the roundings of this sum do not matter.
        let sum = (c0 + (c1 + (c2 + c3 * s) * s) * s).to_array();
        // `f64::max` would forget a NaN.
        2.0 * sum.into_iter().fold(0.0, |a: f64, b| if b <= a { a } else { b })
    }

    /// How far a coordinate may be from the chord between two times: an eighth of the
    /// greatest second derivative, which is linear in time, times the square of the
    /// time between them.
    pub(crate) fn sagitta(&self, from: f64, until: f64) -> DVec3 {
        let length = until - from;
        self.bend(from, until) * (length * length / 8.0)
    }

    /// The greatest second derivative of each coordinate between two times.
    pub(crate) fn bend(&self, from: f64, until: f64) -> DVec3 {
        let [_, _, c2, c3] = self.coefficients;
        let at = |time: f64| (c2 * 2.0 + c3 * (6.0 * (time - self.start))).abs();
        at(from).max(at(until))
    }

    /// The polynomial between two times as one of the fraction of that time that has
    /// passed, of one coordinate.
    pub(crate) fn between(&self, axis: usize, from: f64, until: f64) -> [f64; 4] {
        let [c0, c1, c2, c3] = self.coefficients.map(|c| c[axis]);
        let (s, h) = (from - self.start, until - from);
        [
            c0 + (c1 + (c2 + c3 * s) * s) * s,
            (c1 + (2.0 * c2 + 3.0 * c3 * s) * s) * h,
            (c2 + 3.0 * c3 * s) * h * h,
            c3 * h * h * h,
        ]
    }
}
