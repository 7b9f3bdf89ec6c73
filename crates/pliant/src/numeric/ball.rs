//! Balls in `f64`: geometry, not bounds.

use glam::DVec3;

use super::length;

/// A closed ball as it is given: a bead of a necklace, or a point if its radius is zero.
///
/// A [`Sphere`](crate::volume::Sphere) is rounded outward to `f32` and bounds something. A ball is
/// exact geometry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// The centre.
    pub center: DVec3,
    /// The radius, not negative.
    pub radius: f64,
}

impl Ball {
    /// A ball.
    #[must_use]
    pub const fn new(center: DVec3, radius: f64) -> Self {
        Self { center, radius }
    }

    /// How far the ball's farthest point is from a point. The computed value errs by less than 8
    /// units of 2^-53 of itself, at every scale.
    #[must_use]
    #[inline]
    pub fn reach_from(&self, point: DVec3) -> f64 {
        length(self.center - point) + self.radius
    }

    /// The distance of two balls' surfaces, negative where they overlap, as rounded arithmetic
    /// gives it: it is in error by less than 8 units of 2^-53 of the distance of the centres plus
    /// both radii. The sign decides nothing; see [`balls_touch`](crate::contact::balls_touch).
    /// It is infinite only if the true gap exceeds the range of `f64`, and never NaN for finite
    /// balls.
    #[must_use]
    #[inline]
    pub fn gap_to(&self, other: &Self) -> f64 {
        let apart = length(self.center - other.center);
        let reach = self.radius + other.radius;
        if apart < f64::INFINITY && reach < f64::INFINITY {
            return apart - reach;
        }
        // One of the two is out of range, though their difference may not be. A quarter of each
        // is not, and a quarter of such large numbers is exact.
        let quarter = |ball: &Self| Self::new(ball.center * 0.25, ball.radius * 0.25);
        let (a, b) = (quarter(self), quarter(other));
        4.0 * (length(a.center - b.center) - (a.radius + b.radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_at_the_ends_of_f64() {
        let ball = |x: f64, r: f64| Ball::new(DVec3::new(x, 0.0, 0.0), r);
        assert_eq!(ball(-1e308, 1e308).gap_to(&ball(1e308, 1e308)), 0.0);
        assert_eq!(ball(-1e308, 1e308).gap_to(&ball(1e308, 0.5e308)), 0.5e308);
        assert_eq!(ball(0.0, 1e308).gap_to(&ball(0.0, 1e308)), f64::NEG_INFINITY);
        assert_eq!(ball(1e-320, 1e-321).gap_to(&ball(0.0, 1e-321)), 1e-320 - 1e-321 - 1e-321);
        assert_eq!(ball(1e200, 1e199).reach_from(DVec3::ZERO), 1e200 + 1e199);
    }
}
