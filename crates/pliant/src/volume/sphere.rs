//! Spheres.

use glam::{DVec3, Vec3};

use super::apart::beyond_reach;
use super::{Aabb, Volume, round_up};
use crate::memo::{Remember, pack, unpack};
use crate::numeric::{Ball, COMPUTED_POINT_ERROR, F64_SLACK, SmallestSphere, distance_up};

/// A closed ball: a centre of finite coordinates and a radius that may be infinite. A ball of
/// negative radius is empty. A ball with a NaN excludes nothing, as if its radius were infinite.
///
/// ```
/// use pliant::{glam::DVec3, volume::{Sphere, Volume}};
/// let ball = Sphere::new(DVec3::splat(0.1), 1.0);
/// assert!(ball.contains_point(DVec3::new(1.1, 0.1, 0.1)));
/// assert!(ball.radius > 1.0); // the centre moved to an f32, the radius makes up for it
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(16))]
pub struct Sphere {
    /// The centre.
    pub center: Vec3,
    /// The radius.
    pub radius: f32,
}

impl Sphere {
    /// The sphere that contains nothing.
    pub const EMPTY: Self = Self { center: Vec3::ZERO, radius: f32::NEG_INFINITY };

    /// The sphere that contains every point.
    pub const EVERYWHERE: Self = Self { center: Vec3::ZERO, radius: f32::INFINITY };

    /// A sphere of `f32` that contains the sphere of `f64`: the centre is rounded to the nearest
    /// `f32`, the radius grows by as much and is rounded up.
    #[must_use]
    #[inline]
    pub fn new(center: DVec3, radius: f64) -> Self {
        let middle = nearest(center);
        if radius < 0.0 {
            return Self { center: middle, ..Self::EMPTY };
        }
        let moved = distance_up(center, middle.as_dvec3());
        Self { center: middle, radius: round_up((radius + moved) * (1.0 + F64_SLACK)) }
    }

    /// The sphere around a given centre that just contains all points; empty without points. If a
    /// coordinate is NaN its radius is NaN, and it excludes nothing.
    #[must_use]
    pub fn around(center: DVec3, points: impl IntoIterator<Item = DVec3>) -> Self {
        let center = nearest(center);
        let middle = center.as_dvec3();
        let distances = points.into_iter().map(|p| distance_up(p, middle));
        // `f64::max` would drop a NaN.
        let farthest =
            distances.fold(-1.0, |most, d| if d <= most || most.is_nan() { most } else { d });
        if farthest < 0.0 { Self::EMPTY } else { Self { center, radius: round_up(farthest) } }
    }

    /// A sphere around a triangle: on its longest side where that suffices, else through its three
    /// corners.
    #[must_use]
    #[inline]
    pub fn around_triangle([a, b, c]: [DVec3; 3]) -> Self {
        let (ab, bc, ca) =
            ((b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared());
        // The ends p, q of the longest side, the opposite corner r, and the squares of all sides.
        let (p, q, r, longest, others) = if ab >= bc && ab >= ca {
            (a, b, c, ab, bc + ca)
        } else if bc >= ca {
            (b, c, a, bc, ab + ca)
        } else {
            (c, a, b, ca, ab + bc)
        };
        let mut center = p + (q - p) * 0.5;
        if others > longest {
            // An acute triangle: the circumcentre, from its barycentric weights.
            let (u, v) = (q - p, r - p);
            let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
            let twice = 2.0 * (uu * vv - uv * uv);
            let through = p + u * (vv * (uu - uv) / twice) + v * (uu * (vv - uv) / twice);
            if twice > 0.0 && through.is_finite() {
                center = through;
            }
        }
        // The radius is measured, so the sphere encloses whatever the centre became by rounding.
        Self::around(center, [a, b, c])
    }

    /// The smallest sphere around two spheres, up to rounding outward.
    #[must_use]
    #[inline]
    pub fn merge(&self, other: &Self) -> Self {
        if self.contains(other) {
            return *self;
        }
        if other.contains(self) {
            return *other;
        }
        let (a, b) = (self.center.as_dvec3(), other.center.as_dvec3());
        let (ra, rb) = (f64::from(self.radius), f64::from(other.radius));
        // Differences of f32 are rounded at most once in f64, and their squares do not overflow.
        // Not zero: of two spheres around one centre the larger contains the other.
        let apart = (b - a).length();
        let radius = 0.5 * (apart + ra + rb);
        let center = a + (b - a) * ((radius - ra) / apart);
        // The distances are measured from the centre as it was rounded.
        let center = nearest(center);
        let middle = center.as_dvec3();
        let reach = ((a - middle).length() + ra).max((b - middle).length() + rb);
        // The maximum would drop a NaN.
        let reach = if radius.is_nan() { radius } else { reach };
        Self { center, radius: round_up(reach * (1.0 + F64_SLACK)) }
    }

    /// Whether all of `other` lies inside. Never `true` where it does not.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        if other.radius < 0.0 {
            return true;
        }
        let apart = (other.center.as_dvec3() - self.center.as_dvec3()).length();
        (apart + f64::from(other.radius)) * (1.0 + F64_SLACK) <= f64::from(self.radius)
            || (self.center == other.center && other.radius <= self.radius)
    }

    /// Whether a point lies inside or on the border.
    #[must_use]
    #[inline]
    pub fn contains_point(&self, point: DVec3) -> bool {
        (point - self.center.as_dvec3()).length() <= f64::from(self.radius)
    }

    /// Whether all of a box lies inside. Never `true` where it does not. `false` where it does
    /// only if the two touch up to rounding.
    #[must_use]
    pub fn contains_box(&self, aabb: &Aabb) -> bool {
        let [min, max] = aabb.corners();
        let center = self.center.as_dvec3();
        // The farthest corner, axis by axis.
        let farthest = (max - center).abs().max((min - center).abs());
        aabb.is_empty() || distance_up(farthest, DVec3::ZERO) <= f64::from(self.radius)
    }

    /// A sphere around this one and a box. If the box is not inside, it is the sphere around this
    /// one and the box's own sphere.
    #[must_use]
    pub fn merge_box(&self, aabb: &Aabb) -> Self {
        if self.contains_box(aabb) { *self } else { self.merge(&Self::around_box(aabb)) }
    }

    /// A sphere around a box.
    #[must_use]
    pub fn around_box(aabb: &Aabb) -> Self {
        if aabb.is_empty() {
            return Self::EMPTY;
        }
        if aabb.min.is_nan() || aabb.max.is_nan() {
            return Self::EVERYWHERE;
        }
        let (min, max) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
        let middle = (min + max) * 0.5;
        let middle = if middle.is_finite() { middle } else { DVec3::ZERO };
        Self::new(middle, (max - middle).max(middle - min).length() * (1.0 + F64_SLACK))
    }
}

impl Ball {
    /// The ball as a bound in `f32`, rounded outward.
    #[must_use]
    #[inline]
    pub fn bound(&self) -> Sphere {
        Sphere::new(self.center, self.radius)
    }
}

impl SmallestSphere {
    /// The sphere in `f32`, rounded outward.
    #[must_use]
    #[inline]
    pub fn bound(&self) -> Sphere {
        Sphere::new(self.center, self.radius)
    }
}

/// The nearest `f32` point with finite coordinates.
#[inline]
pub(super) fn nearest(point: DVec3) -> Vec3 {
    point.as_vec3().clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX))
}

impl Volume for Sphere {
    #[inline]
    fn extent(&self) -> f32 {
        2.0 * self.radius
    }

    #[inline]
    fn distance_squared_to_point(&self, point: DVec3) -> f64 {
        let between = (point - self.center.as_dvec3()).length_squared();
        beyond_reach(between, f64::from(self.radius))
    }

    #[inline]
    fn point_error(&self) -> f64 {
        let largest = f64::from(self.center.abs().max_element()) + f64::from(self.radius);
        COMPUTED_POINT_ERROR * largest.max(0.0)
    }

    #[inline]
    fn corners(&self) -> [DVec3; 2] {
        // Sums of two f32 are rounded at most once in f64.
        let reach = DVec3::splat(f64::from(self.radius) * (1.0 + F64_SLACK));
        let center = self.center.as_dvec3();
        let slack = center.abs() * F64_SLACK + reach * F64_SLACK;
        [center - reach - slack, center + reach + slack]
    }
}

impl Remember for Sphere {
    type Words = [u64; 2];

    #[inline]
    fn to_words(self) -> [u64; 2] {
        let center = self.center;
        [pack(center.x, center.y), pack(center.z, self.radius)]
    }

    #[inline]
    fn from_words([a, b]: [u64; 2]) -> Self {
        let row = unpack(a, b);
        Self { center: row.truncate(), radius: row.w }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Magnitudes over the whole range that matters, f32's edges included.
    fn coordinate() -> impl Strategy<Value = f64> {
        (-1.0..1.0f64, prop_oneof![Just(0), -50..45i32, -310..305i32])
            .prop_map(|(mantissa, exponent)| mantissa * 10f64.powi(exponent))
    }

    fn point() -> impl Strategy<Value = DVec3> {
        [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn a_sphere_around_points_contains_them(
            center in point(),
            points in proptest::collection::vec(point(), 1..8),
        ) {
            let sphere = Sphere::around(center, points.iter().copied());
            for p in &points {
                prop_assert!(sphere.contains_point(*p), "{sphere:?} misses {p}");
                prop_assert!(sphere.bounding_box().contains_point(*p));
                prop_assert_eq!(sphere.distance_squared_to_point(*p), 0.0);
            }
        }

        #[test]
        fn merged_spheres_contain_both(
            a in point(), b in point(), ra in 0.0..1e20f64, rb in 0.0..1e-20f64,
        ) {
            let (a, b) = (Sphere::new(a, ra), Sphere::new(b, rb));
            let both = a.merge(&b);
            for s in [a, b] {
                let apart = (s.center.as_dvec3() - both.center.as_dvec3()).length();
                prop_assert!(apart + f64::from(s.radius) <= f64::from(both.radius));
            }
        }
    }

    proptest! {
        #[test]
        fn boxes_and_spheres_merge_and_contain_one_another(
            center in point(), corners in [point(), point()], radius in 0.0..1e10f64,
        ) {
            let (ball, cube) = (Sphere::new(center, radius), Aabb::around(corners));
            let (around, cover) = (ball.merge_box(&cube), cube.merge_sphere(&ball));
            for corner in corners {
                prop_assert!(around.contains_point(corner), "{around:?} misses {corner}");
                prop_assert!(cover.contains_point(corner));
                prop_assert!(!ball.contains_box(&cube) || ball.contains_point(corner));
            }
            prop_assert!(cover.contains_sphere(&ball) && cover.contains(&cube));
        }
    }

    #[test]
    fn a_sphere_contains_what_lies_well_inside() {
        let ball = Sphere::new(DVec3::X, 2.0);
        assert!(ball.contains_box(&Aabb::around([DVec3::ZERO, DVec3::ONE])));
        assert!(!ball.contains_box(&Aabb::around([DVec3::ZERO, DVec3::ONE * 3.0])));
        assert!(ball.bounding_box().contains_sphere(&ball));
        assert!(!Aabb::around([DVec3::ZERO, DVec3::ONE]).contains_sphere(&ball));
        assert!(ball.contains_box(&Aabb::EMPTY));
    }

    #[test]
    fn huge_offset_with_tiny_extent() {
        let p = DVec3::new(1e8 + 0.25, 0.0, 0.0);
        let sphere = Sphere::around(p, [p]);
        assert!(sphere.contains_point(p));
        let sphere = Sphere::new(p, 1e-9);
        assert!(sphere.contains_point(p + DVec3::X * 1e-9));
    }

    #[test]
    fn empty_spheres_stay_empty() {
        assert!(Sphere::new(DVec3::X, -1.0).radius < 0.0);
        assert!(!Sphere::EMPTY.contains_point(DVec3::ZERO));
        let ball = Sphere::new(DVec3::X, 1.0);
        assert_eq!(Sphere::EMPTY.merge(&ball), ball);
        assert_eq!(ball.merge(&Sphere::EMPTY), ball);
        assert!(Sphere::EMPTY.bounding_box().is_empty());
    }
}
