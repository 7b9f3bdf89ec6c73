//! A ray, made ready to be tested many times.

use glam::{DVec3, Vec3Swizzles};

use crate::{Error, Result};

/// The points `origin + t * direction` with `t >= 0`.
///
/// The direction need not have unit length: `t` is in units of its length. Inside, distances along
/// the ray are measured along the axis in which the direction is longest. Every slope is then at
/// most 1, however long or short the direction is.
///
/// ```
/// use pliant::{glam::DVec3, volume::Ray};
/// let ray = Ray::new(DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0))?;
/// assert_eq!(ray.at(1.5), DVec3::new(0.0, 3.0, 0.0));
/// assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err());
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    origin: DVec3,
    direction: DVec3,
    /// The axis of the direction's longest component.
    axis: usize,
    /// That component's magnitude.
    stride: f64,
    /// The direction over the stride: 1 or -1 along the axis.
    slope: DVec3,
    /// One over the slope. Infinite where the slope is zero. NaN where it is so small that its
    /// inverse overflows: NaN restricts nothing in comparisons.
    inverse_slope: DVec3,
}

impl Ray {
    /// The ray from a point in a direction of any length but zero.
    ///
    /// # Errors
    /// [`Error::InvalidVector`] if a component is NaN or infinite or the direction is zero.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Self> {
        let invalid = |what, vector: DVec3, reason| {
            Err(Error::InvalidVector { what, vector: vector.to_array(), reason })
        };
        if !origin.is_finite() {
            return invalid("ray origin", origin, "not finite");
        }
        if !direction.is_finite() {
            return invalid("ray direction", direction, "not finite");
        }
        let sizes = direction.abs();
        let stride = sizes.max_element();
        if stride == 0.0 {
            return invalid("ray direction", direction, "zero");
        }
        let axis = if sizes.x == stride {
            0
        } else if sizes.y == stride {
            1
        } else {
            2
        };
        // Adding zero turns -0 into 0, whose inverse is the infinity meant below.
        let slope = direction / stride + DVec3::ZERO;
        let inverse = |s: f64| if s != 0.0 && s.recip().is_infinite() { f64::NAN } else { 1.0 / s };
        let inverse_slope = DVec3::new(inverse(slope.x), inverse(slope.y), inverse(slope.z));
        Ok(Self { origin, direction, axis, stride, slope, inverse_slope })
    }

    /// Where the ray starts.
    #[must_use]
    #[inline]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The direction, as it was given.
    #[must_use]
    #[inline]
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The point at `t`.
    #[must_use]
    #[inline]
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }

    /// The `t` of a distance along the axis. Rounded once, so never decreasing in `advance`.
    #[must_use]
    #[inline]
    pub(crate) fn t(&self, advance: f64) -> f64 {
        advance / self.stride
    }

    /// The direction over the magnitude of its longest component.
    #[inline]
    pub(crate) fn slope(&self) -> DVec3 {
        self.slope
    }

    /// One over [`Ray::slope`]; see there for the values that are not finite.
    #[inline]
    pub(super) fn inverse_slope(&self) -> DVec3 {
        self.inverse_slope
    }

    /// A point in the sheared frame of the ray: how far to the two sides, and how far ahead along
    /// the axis. On the ray both sides are zero.
    ///
    /// It depends on the ray and the point alone, so that triangles with a common corner get the
    /// same corner.
    #[inline]
    pub(crate) fn shear(&self, point: DVec3) -> DVec3 {
        let turn = |v: DVec3| match self.axis {
            0 => v.yzx(),
            1 => v.zxy(),
            _ => v,
        };
        let (from, slope) = (turn(point - self.origin), turn(self.slope));
        // The slope along the axis is 1 or -1: this product is exact.
        let ahead = from.z * slope.z;
        DVec3::new(from.x - slope.x * ahead, from.y - slope.y * ahead, ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_rays_are_refused_by_name() {
        let error = Ray::new(DVec3::X, DVec3::new(0.0, -0.0, 0.0)).unwrap_err();
        assert_eq!(error.to_string(), "the ray direction [0.0, -0.0, 0.0] is not usable: zero");
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Ray::new(DVec3::new(0.0, bad, 0.0), DVec3::X).is_err());
            assert!(Ray::new(DVec3::ZERO, DVec3::new(1.0, 0.0, bad)).is_err());
        }
    }

    #[test]
    fn directions_of_any_length_have_slopes_of_at_most_one() {
        for direction in [
            DVec3::new(5e-324, -5e-324, 0.0),
            DVec3::new(1e-320, -1e308, 1e300),
            DVec3::new(-0.0, 3.0, -2.0),
        ] {
            let ray = Ray::new(DVec3::ZERO, direction).unwrap();
            assert_eq!(ray.slope().abs().max_element(), 1.0);
            assert!(!ray.inverse_slope().cmplt(DVec3::ZERO).x, "{ray:?}");
            let seen = ray.shear(ray.slope() * 7.0);
            assert!(seen.x.abs() <= 1e-15 && seen.y.abs() <= 1e-15 && seen.z == 7.0, "{seen}");
        }
    }
}
