//! Which two volumes may have a point in common.

use glam::Vec3A;

use super::{Aabb, Sphere};
use crate::numeric::F32_SLACK;

/// Whether two volumes may have a point in common.
///
/// `false` means that they certainly have none, whatever was rounded. `true` may be spurious by a
/// relative error of about a millionth. Volumes that touch overlap. A number that is NaN excludes
/// nothing: comparisons are written so that NaN answers `true`.
pub trait Overlap<Other> {
    /// See [`Overlap`].
    fn overlaps(&self, other: &Other) -> bool;
}

impl Overlap<Aabb> for Aabb {
    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        !(self.min.cmpgt(other.max) | other.min.cmpgt(self.max)).any()
    }
}

impl Overlap<Sphere> for Sphere {
    #[inline]
    fn overlaps(&self, other: &Sphere) -> bool {
        let apart = self.center - other.center;
        let reach = self.radius + other.radius;
        within(apart.length_squared(), reach)
    }
}

impl Overlap<Sphere> for Aabb {
    #[inline]
    fn overlaps(&self, other: &Sphere) -> bool {
        let center = Vec3A::from(other.center);
        // In this order the maximum keeps a NaN.
        let beyond = Vec3A::ZERO.max((self.min - center).max(center - self.max));
        within(beyond.length_squared(), other.radius)
    }
}

impl Overlap<Aabb> for Sphere {
    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        other.overlaps(self)
    }
}

/// Whether a squared distance is within a reach; `true` if rounding leaves it open.
///
/// Both sides have up to five roundings of 2^-24 each; the slack covers them. Squares that overflow
/// compare as infinities. The smallest normal number covers squares that vanish. A negative reach
/// is that of an empty sphere. NaN, from an unbounded sphere, is within every reach.
#[inline]
fn within(distance_squared: f32, reach: f32) -> bool {
    let limit = reach * reach * (1.0 + F32_SLACK) + f32::MIN_POSITIVE;
    !(reach < 0.0 || distance_squared > limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Volume;
    use glam::DVec3;
    use proptest::prelude::*;

    fn scale() -> impl Strategy<Value = f64> {
        (-45..38i32).prop_map(|exponent| 10f64.powi(exponent))
    }

    fn direction() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64)
            .prop_map(|(x, y, z)| DVec3::new(x, y, z))
            .prop_filter("a direction", |d| d.length() > 0.1)
            .prop_map(DVec3::normalize)
    }

    proptest! {
        /// Volumes that hold one common point must be seen to overlap, at every scale.
        #[test]
        fn a_common_point_is_never_missed(
            scale in scale(), far in direction(), offset in 0.0..1e3f64,
            a in direction(), b in direction(), ra in 0.0..1.0f64, rb in 0.0..1.0f64,
        ) {
            let common = far * offset * scale;
            let sphere = |to: DVec3, r: f64| Sphere::around(common + to * r * scale, [common]);
            let boxed = |to: DVec3, r: f64| Aabb::around([common, common + to * r * scale]);
            let (sa, sb, ba, bb) = (sphere(a, ra), sphere(b, rb), boxed(a, ra), boxed(b, rb));
            prop_assert!(sa.overlaps(&sb) && sb.overlaps(&sa));
            prop_assert!(ba.overlaps(&bb) && bb.overlaps(&ba));
            prop_assert!(sa.overlaps(&bb) && bb.overlaps(&sa));
        }

        /// Clearly separated volumes are told apart.
        #[test]
        fn a_gap_is_seen(
            exponent in -15..15i32, direction in direction(), ra in 0.0..1.0f64, rb in 0.0..1.0f64,
        ) {
            let scale = 10f64.powi(exponent);
            let a = Sphere::new(DVec3::ZERO, ra * scale);
            let b = Sphere::new(direction * (ra + rb + 1e-3) * scale, rb * scale);
            prop_assert!(!a.overlaps(&b));
            let point = Aabb::around([direction * (ra + 1e-3) * scale]);
            prop_assert!(!a.overlaps(&point) && !point.overlaps(&a));
        }
    }

    #[test]
    fn nothing_overlaps_the_empty_volumes() {
        let ball = Sphere::new(DVec3::ZERO, 1e15);
        let cube = ball.bounding_box();
        assert!(!ball.overlaps(&Sphere::EMPTY) && !Sphere::EMPTY.overlaps(&cube));
        assert!(!cube.overlaps(&Aabb::EMPTY) && !ball.overlaps(&Aabb::EMPTY));
    }

    #[test]
    fn infinite_volumes_overlap_everything() {
        let all = Sphere::new(DVec3::splat(1e300), f64::MAX);
        assert!(all.overlaps(&Sphere::new(DVec3::splat(-1e30), 0.0)));
        let all = Aabb::around([DVec3::splat(-1e300), DVec3::splat(1e300)]);
        assert!(all.overlaps(&Aabb::around([DVec3::ZERO])));
        assert!(all.overlaps(&Sphere::new(DVec3::ZERO, 0.0)));
    }
}
