//! The smallest sphere around balls or points, and the few balls that determine it.
//!
//! The search itself is in [`pivot`](super::pivot).

use glam::DVec3;

use super::pivot::{Farthest, Pivot, pivot};
use super::{Ball, F64_SLACK, VANISHED_LENGTH};

/// The balls that determine a smallest sphere, at most four, by their numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SphereBasis {
    members: [u32; 4],
    count: u8,
}

impl SphereBasis {
    /// A basis of the first four numbers given.
    #[must_use]
    #[inline]
    pub fn new(numbers: &[u32]) -> Self {
        let mut basis = Self::default();
        for (slot, &number) in basis.members.iter_mut().zip(numbers) {
            *slot = number;
            basis.count += 1;
        }
        basis
    }

    /// The numbers.
    #[must_use]
    #[inline]
    pub fn members(&self) -> &[u32] {
        &self.members[..usize::from(self.count)]
    }

    /// Whether two bases name the same balls, in any order.
    #[must_use]
    pub fn same_members(&self, other: &Self) -> bool {
        self.count == other.count && self.members().iter().all(|m| other.members().contains(m))
    }
}

/// The smallest sphere around balls.
///
/// Guarantee: the sphere contains every ball, rounding included. Its radius exceeds the smallest
/// possible one by a relative 2^-46 and by the rounding of the centre: a few 2^-53 of its
/// coordinates for a basis in good position, more for one that is nearly flat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallestSphere {
    /// The middle.
    pub center: DVec3,
    /// The radius, rounded outward; negative infinity if there are no balls.
    pub radius: f64,
    /// The balls that determine the sphere.
    pub basis: SphereBasis,
}

impl SmallestSphere {
    /// Enlarges a radius that was computed as the largest reach of a ball. A computed reach errs
    /// by less than 8 units of 2^-53 of itself, and by subnormal numbers.
    #[inline]
    pub(super) fn rounded_outward(mut self) -> Self {
        self.radius = self.radius * (1.0 + F64_SLACK) + VANISHED_LENGTH;
        self
    }
}

/// The smallest sphere around balls; points are balls of radius zero.
///
/// ```
/// use pliant::{glam::DVec3, volume::{Ball, smallest_sphere}};
/// let beads: Vec<Ball> = (0..5).map(|i| Ball::new(DVec3::X * f64::from(i), 0.5)).collect();
/// let sphere = smallest_sphere(&beads);
/// assert!((sphere.center - DVec3::X * 2.0).length() < 1e-12);
/// assert!(sphere.radius >= 2.5 && sphere.radius < 2.5 + 1e-12);
/// assert!(sphere.basis.same_members(&pliant::volume::SphereBasis::new(&[0, 4])));
/// ```
#[must_use]
pub fn smallest_sphere(balls: &[Ball]) -> SmallestSphere {
    smallest_sphere_from(balls, &SphereBasis::new(&[0]))
}

/// As [`smallest_sphere`], starting from a basis that is expected to be the right one or nearly
/// so: that of the same balls a moment ago. Any basis gives the same sphere, up to rounding.
/// Numbers that are not those of a ball are skipped.
#[must_use]
pub fn smallest_sphere_from(balls: &[Ball], basis: &SphereBasis) -> SmallestSphere {
    let known = basis.members().iter().filter(|&&m| (m as usize) < balls.len());
    let start = Pivot::of_basis(known.map(|&m| (m, balls[m as usize])));
    let start = start.or_else(|| balls.first().map(|&ball| Pivot::single(0, ball)));
    let Some(start) = start else {
        let (center, radius) = (DVec3::ZERO, f64::NEG_INFINITY);
        return SmallestSphere { center, radius, basis: SphereBasis::default() };
    };
    pivot(start, |center, radius| {
        let mut farthest = Farthest { radius, found: None };
        farthest.scan(balls, 0, center);
        farthest.found
    })
}

/// The centre of the smallest sphere around points, up to rounding; the origin if there are none.
/// Always finite for finite points.
///
/// Callers measure sizes from the centre that they get. So nothing but the size of their bounds
/// depends on how good it is.
pub(crate) fn smallest_ball_center(points: &[DVec3]) -> DVec3 {
    let balls: Vec<Ball> = points.iter().map(|&point| Ball::new(point, 0.0)).collect();
    smallest_sphere(&balls).center
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn radius(points: &[DVec3], center: DVec3) -> f64 {
        points.iter().map(|p| p.distance(center)).fold(0.0, f64::max)
    }

    #[test]
    fn known_balls() {
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        assert_eq!(smallest_ball_center(&[]), o);
        assert_eq!(smallest_ball_center(&[x, x, x]), x);
        assert_eq!(smallest_ball_center(&[o, x, 0.5 * x]), 0.5 * x);
        let cube: Vec<_> =
            (0..8).map(|i| [o, x][i & 1] + [o, y][i >> 1 & 1] + [o, z][i >> 2]).collect();
        assert!((smallest_ball_center(&cube) - 0.5).length() < 1e-12);
        let sides =
            [x, DVec3::new(-0.5, 0.75f64.sqrt(), 0.0), DVec3::new(-0.5, -0.75f64.sqrt(), 0.0)];
        assert!(smallest_ball_center(&sides).length() < 1e-12);
    }

    #[test]
    fn centers_of_finite_points_are_finite() {
        let far = [1.0, -1.0, 0.3, 1e-9].map(|x| x * 1.7e308);
        let points: Vec<_> = far.map(|x| DVec3::new(x, far[2], -x)).to_vec();
        assert!(smallest_ball_center(&points).is_finite());
        let tiny: Vec<_> = points.iter().map(|p| *p * 1e-308 * 5e-324).collect();
        assert!(smallest_ball_center(&tiny).is_finite());
    }

    proptest! {
        /// No centre nearby gives a smaller ball.
        #[test]
        fn no_ball_is_smaller(
            points in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 1..60),
            steps in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 50),
        ) {
            let points: Vec<_> = points.into_iter().map(DVec3::from_array).collect();
            let center = smallest_ball_center(&points);
            let smallest = radius(&points, center);
            for (at, step) in steps.into_iter().enumerate() {
                let other = center + DVec3::from_array(step) * 0.5f64.powi(at as i32 / 3);
                prop_assert!(radius(&points, other) >= smallest * (1.0 - 1e-9));
            }
        }
    }
}
