//! Balls in `f64`: geometry, not bounds.

use glam::DVec3;

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

    /// How far the ball's farthest point is from a point, computed with four roundings
    /// (three to the distance, each at most 2^-53 of it, and the sum).
    #[must_use]
    #[inline]
    pub fn reach_from(&self, point: DVec3) -> f64 {
        (self.center - point).length() + self.radius
    }

    /// The distance of two balls' surfaces, negative where they overlap, as rounded arithmetic
    /// gives it: it is in error by less than 8 units of 2^-53 of the distance of the centres plus
    /// both radii. The sign decides nothing; see [`balls_touch`](crate::contact::balls_touch).
    #[must_use]
    #[inline]
    pub fn gap_to(&self, other: &Self) -> f64 {
        (self.center - other.center).length() - (self.radius + other.radius)
    }
}
