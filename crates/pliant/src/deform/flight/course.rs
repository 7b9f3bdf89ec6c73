//! The path of a vertex as a polynomial of time.

use glam::DVec3;

/// A position as a polynomial of time, of degree 3 at most.
///
/// ```
/// use pliant::{deform::Course, glam::DVec3};
/// let thrown = Course::new(1.0, [DVec3::ZERO, DVec3::X, DVec3::Y * -5.0, DVec3::ZERO]);
/// assert_eq!(thrown.at(3.0), DVec3::new(2.0, -20.0, 0.0));
/// assert_eq!(Course::linear(1.0, DVec3::Y, DVec3::X).at(2.0), DVec3::new(1.0, 1.0, 0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Course {
    /// The time at which the polynomial's variable is zero.
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

    /// A course with constant velocity that is at `position` at the time `start`.
    #[must_use]
    pub fn linear(start: f64, position: DVec3, velocity: DVec3) -> Self {
        Self::new(start, [position, velocity, DVec3::ZERO, DVec3::ZERO])
    }

    /// The position at a time.
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

    /// An upper bound of the sum of the magnitudes of all terms between two times. NaN or
    /// infinite if a coefficient is.
    ///
    /// No coordinate is larger. The rounding error of [`Course::at`] is below 2^-49 of it: a term
    /// passes at most eight roundings of 2^-53.
    pub(crate) fn reach(&self, from: f64, until: f64) -> f64 {
        let s = (from - self.start).abs().max((until - self.start).abs());
        let [c0, c1, c2, c3] = self.coefficients.map(DVec3::abs);
        // Doubled, so that the roundings of this sum do not matter.
        let sum = (c0 + (c1 + (c2 + c3 * s) * s) * s).to_array();
        // `f64::max` would drop a NaN.
        2.0 * sum.into_iter().fold(0.0, |a: f64, b| if b <= a { a } else { b })
    }

    /// The largest distance of each coordinate from its chord between two times: an eighth of the
    /// largest second derivative times the square of the time between them.
    pub(crate) fn sagitta(&self, from: f64, until: f64) -> DVec3 {
        let length = until - from;
        self.largest_acceleration(from, until) * (length * length / 8.0)
    }

    /// The largest magnitude of the second derivative of each coordinate between two times. The
    /// second derivative is linear in time, so it is the larger of the two values at the ends.
    pub(crate) fn largest_acceleration(&self, from: f64, until: f64) -> DVec3 {
        self.acceleration(from).abs().max(self.acceleration(until).abs())
    }

    /// The second derivative at a time.
    pub(crate) fn acceleration(&self, time: f64) -> DVec3 {
        let [_, _, c2, c3] = self.coefficients;
        c2 * 2.0 + c3 * (6.0 * (time - self.start))
    }

    /// The coefficients of one coordinate as a polynomial of (t - from) / (until - from).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_keeps_within_its_sagitta_of_its_chord_and_is_the_polynomial_between() {
        let c = [[1.0, 2.0, -3.0], [0.5, -4.0, 0.0], [2.0, 1.0, -1.0], [-0.5, 3.0, 0.25]];
        let course = Course::new(0.3, c.map(DVec3::from_array));
        let (from, until) = (-0.4, 1.7);
        let (start, end, sagitta) =
            (course.at(from), course.at(until), course.sagitta(from, until));
        for step in 0..=100 {
            let f = f64::from(step) / 100.0;
            let position = course.at(from + (until - from) * f);
            let off = (position - start.lerp(end, f)).abs();
            assert!((off.cmple(sagitta + 1e-12)).all(), "{off} {sagitta}");
            assert!(position.abs().max_element() <= course.reach(from, until));
            for axis in 0..3 {
                let [a, b, c, d] = course.between(axis, from, until);
                let value = a + (b + (c + d * f) * f) * f;
                assert!((value - position[axis]).abs() < 1e-12);
            }
        }
    }
}
