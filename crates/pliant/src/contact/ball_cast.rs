//! When a ball that moves along a straight line first comes to a triangle.
//!
//! The distance of a point that moves along a line from a convex set is a convex function of the
//! time. Its tangent at any time therefore lies below it. So Newton's method, started before the
//! contact, never steps past it, and a tangent that stays above the radius until the end proves that
//! there is no contact. All that is needed is the closest point of the triangle.
//!
//! Newton's method on a convex function divides the product of what is left and the slope by at
//! least four per step. A ball that grazes takes some twenty steps; one that meets a face takes one.

use glam::DVec3;

use super::{PointOnTriangle, closest_point_on_triangle};
use crate::limits::MIN_BALL_SHARE;
use crate::{Error, Result};

/// Steps of Newton's method, at most: far more than the roundings of `f64` leave room for.
const MOST_STEPS: usize = 64;

/// The way of a ball: its centre moves along the straight line between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallPath {
    from: DVec3,
    motion: DVec3,
    radius: f64,
}

/// Where a ball on its way comes to a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallHit {
    /// When: 0 at the start of the way, 1 at its end.
    pub t: f64,
    /// The point of the triangle that is then closest to the centre.
    pub closest: PointOnTriangle,
}

impl BallPath {
    /// The share of the radius within which a ball stops before it touches: 2^-20. That is far more
    /// than rounding, so that a ball which slides along a face is not held back by it.
    pub const CLEARANCE: f64 = 1.0 / (1 << 20) as f64;

    /// The way of a ball from one place to another.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] if an end is not finite; [`Error::InvalidDistance`] if the radius is
    /// not a positive number, or is below [`MIN_BALL_SHARE`] of the largest coordinate.
    pub fn new(from: DVec3, to: DVec3, radius: f64) -> Result<Self> {
        for vector in [from, to] {
            if !vector.is_finite() {
                let vector = vector.to_array();
                return Err(Error::InvalidVector { what: "place", vector, reason: "not finite" });
            }
        }
        let largest = from.abs().max(to.abs()).max_element();
        if !(radius > 0.0 && radius.is_finite() && radius >= MIN_BALL_SHARE * largest) {
            return Err(Error::InvalidDistance { distance: radius });
        }
        Ok(Self { from, motion: to - from, radius })
    }

    /// Where the centre is at the start.
    #[must_use]
    pub fn from(&self) -> DVec3 {
        self.from
    }

    /// From the start of the way to its end.
    #[must_use]
    pub fn motion(&self) -> DVec3 {
        self.motion
    }

    /// The radius of the ball.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Where the centre is at a time.
    #[must_use]
    #[inline]
    pub fn at(&self, t: f64) -> DVec3 {
        self.from + self.motion * t
    }
}

/// Where a ball on its way first comes to a triangle, or `None` if it may go to the end.
///
/// At a hit the triangle is at most the radius and [`BallPath::CLEARANCE`] of it away from the
/// centre. Until then, or until the end if there is none, it is at least the radius away, up to
/// rounding: 2^-48 of the largest coordinate. A ball that overlaps the triangle at the start hits it
/// at 0 if it goes deeper, and not at all if it goes away. A ball whose centre is on the triangle may
/// leave to either side.
///
/// ```
/// use pliant::{contact::{BallPath, ball_cast_triangle}, glam::DVec3};
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let at = |z| DVec3::new(0.25, 0.25, z);
/// let hit = ball_cast_triangle(&BallPath::new(at(3.0), at(-1.0), 0.5)?, &floor).unwrap();
/// assert!((hit.t - 0.625).abs() < 1e-6);
/// assert_eq!(hit.closest.point, at(0.0));
/// // Along the floor the way is free.
/// let along = BallPath::new(at(0.5), at(0.5) + DVec3::X, 0.5)?;
/// assert_eq!(ball_cast_triangle(&along, &floor), None);
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn ball_cast_triangle(path: &BallPath, triangle: &[DVec3; 3]) -> Option<BallHit> {
    let radius = path.radius;
    let clearance = radius * BallPath::CLEARANCE;
    let mut t = 0.0;
    let mut hit = None;
    for _ in 0..MOST_STEPS {
        let center = path.at(t);
        let closest = closest_point_on_triangle(center, triangle);
        let distance = closest.distance_squared.sqrt();
        // How fast the distance falls. A centre on the triangle approaches nothing.
        let closing = match distance > 0.0 {
            true => (closest.point - center).dot(path.motion) / distance,
            false => 0.0,
        };
        if closing <= 0.0 || distance - closing * (1.0 - t) >= radius {
            return None;
        }
        hit = Some(BallHit { t, closest });
        let next = t + (distance - radius - 0.5 * clearance) / closing;
        if distance <= radius + clearance || next <= t {
            return hit;
        }
        t = next.min(1.0);
    }
    hit
}

#[cfg(test)]
mod tests {
    use super::super::ball_triangle_impact;
    use super::*;
    use proptest::prelude::*;

    fn point(reach: f64) -> impl Strategy<Value = DVec3> {
        let anywhere = proptest::array::uniform3(-reach..reach).prop_map(DVec3::from_array);
        let lattice = proptest::array::uniform3(-2..=2i32)
            .prop_map(move |p| DVec3::from_array(p.map(|x| f64::from(x) * 0.5 * reach)));
        prop_oneof![anywhere, lattice]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Beside the exact time: never late by more than rounding, and early by at most the clearance.
        #[test]
        fn exact_times_are_met(
            triangle in [point(1.0), point(1.0), point(1.0)],
            from in point(2.0), to in point(2.0), radius in 0.01..0.7f64,
        ) {
            let path = BallPath::new(from, to, radius).unwrap();
            let found = ball_cast_triangle(&path, &triangle);
            let exact = |radius: f64| {
                let [a, b, c] = triangle;
                ball_triangle_impact([from, a, b, c], [to, a, b, c], radius)
            };
            let start = closest_point_on_triangle(from, &triangle).distance_squared.sqrt();
            prop_assume!(start > radius * 1.001);
            match found {
                // Nothing reaches deeper than rounding.
                None => prop_assert!(exact(radius * (1.0 - 1e-9)).is_none()),
                Some(hit) => {
                    let late = exact(radius * (1.0 - 1e-9)).map_or(f64::INFINITY, |t| t.hi);
                    prop_assert!(hit.t <= late);
                    let early = exact(radius * (1.0 + 1.001 * BallPath::CLEARANCE));
                    prop_assert!(early.is_some_and(|early| hit.t >= early.lo - 1e-9), "{hit:?} {early:?}");
                    let distance = hit.closest.distance_squared.sqrt();
                    prop_assert!(distance <= radius * (1.0 + BallPath::CLEARANCE));
                    prop_assert!(distance >= radius * (1.0 - 1e-9));
                }
            }
        }
    }

    #[test]
    fn overlapping_balls_may_leave_but_not_enter() {
        let floor = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let at = |z: f64| DVec3::new(1.0, 1.0, z);
        let cast = |from: f64, to: f64| {
            ball_cast_triangle(&BallPath::new(at(from), at(to), 1.0).unwrap(), &floor)
        };
        assert_eq!(cast(0.5, 0.4).map(|hit| hit.t), Some(0.0));
        assert_eq!(cast(-0.5, 3.0).map(|hit| hit.t), Some(0.0));
        assert_eq!(cast(0.5, 3.0), None);
        assert_eq!(cast(0.0, 3.0), None);
        assert_eq!(cast(0.0, -3.0), None);
    }

    #[test]
    fn unusable_ways_are_refused() {
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
            assert!(BallPath::new(DVec3::X, DVec3::Y, radius).is_err(), "{radius}");
        }
        assert!(BallPath::new(DVec3::NAN, DVec3::Y, 1.0).is_err());
        assert!(BallPath::new(DVec3::X, DVec3::INFINITY, 1.0).is_err());
        let still = BallPath::new(DVec3::X, DVec3::X, 1.0).unwrap();
        assert_eq!(ball_cast_triangle(&still, &[DVec3::X, DVec3::Y, DVec3::Z]), None);
    }
}
