//! Axis-aligned boxes.

use glam::{DVec3, Vec3A, Vec4Swizzles as _};

use super::apart::never_above;
use super::{Sphere, Volume, round_down, round_up};
use crate::memo::{Remember, pack, unpack};

/// A closed axis-aligned box. The empty box has `min` at +infinity and `max` at -infinity; merging
/// it with a box gives that box. A side that is NaN excludes nothing, as if it were infinite.
///
/// ```
/// use pliant::{glam::DVec3, volume::{Aabb, Volume}};
/// let around = Aabb::around([DVec3::ZERO, DVec3::splat(0.1)]);
/// assert!(around.contains_point(DVec3::splat(0.1))); // 0.1 is not an f32: the box reaches past it
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The lowest corner.
    pub min: Vec3A,
    /// The highest corner.
    pub max: Vec3A,
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Self =
        Self { min: Vec3A::splat(f32::INFINITY), max: Vec3A::splat(f32::NEG_INFINITY) };

    /// The box that contains every point.
    pub const EVERYWHERE: Self = Self { min: Vec3A::NEG_INFINITY, max: Vec3A::INFINITY };

    /// The smallest box of `f32` corners around `f64` corners.
    #[must_use]
    #[inline]
    pub fn from_corners(min: DVec3, max: DVec3) -> Self {
        Self {
            min: Vec3A::new(round_down(min.x), round_down(min.y), round_down(min.z)),
            max: Vec3A::new(round_up(max.x), round_up(max.y), round_up(max.z)),
        }
    }

    /// The smallest box of `f32` corners around points. If a coordinate is NaN it is the box that
    /// contains everything.
    #[must_use]
    #[inline]
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let mut min = DVec3::INFINITY;
        let mut max = DVec3::NEG_INFINITY;
        let mut unknown = false;
        for point in points {
            min = min.min(point);
            max = max.max(point);
            unknown |= point.is_nan();
        }
        if unknown { Self::EVERYWHERE } else { Self::from_corners(min, max) }
    }

    /// A box around points, given the lowest and the highest of their coordinates after rounding
    /// to the nearest `f32`. It contains the points as they were, and reaches past the tightest
    /// `f32` box by at most three steps of `f32` on each side. This is faster than
    /// [`Aabb::around`].
    ///
    /// A coordinate lies within half a step of its nearest `f32`. With 2^e <= |x| < 2^(e+1) a step
    /// is 2^(e-23), and |x| 2^-23 is at least that. The difference is rounded once more, but a
    /// value one whole step away is an `f32` itself, so rounding cannot fall short of it. Below
    /// the normal numbers the smallest normal number is added instead. A coordinate past the range
    /// became infinite: the near side returns to the last finite number.
    #[must_use]
    #[inline(always)]
    pub fn around_nearest(min: Vec3A, max: Vec3A) -> Self {
        const STEP: Vec3A = Vec3A::splat(f32::EPSILON);
        const SMALLEST: Vec3A = Vec3A::splat(f32::MIN_POSITIVE);
        const LARGEST: Vec3A = Vec3A::splat(f32::MAX);
        let min = min.min(LARGEST);
        let max = max.max(-LARGEST);
        Self { min: min - (min.abs() * STEP + SMALLEST), max: max + (max.abs() * STEP + SMALLEST) }
    }

    /// [`Aabb::around_nearest`] of one point, bit by bit.
    ///
    /// That never decreases as a coordinate grows: where a coordinate grows by one step, what is subtracted
    /// or added changes by at most 2^-23 of it, or by the smallest step there is. So the box around
    /// the boxes of some points has the bits of `around_nearest` of their lowest and highest
    /// coordinates. Past the range of `f32` the far side is infinite either way, since the largest number
    /// with its allowance overflows.
    #[must_use]
    #[inline(always)]
    pub(crate) fn around_nearest_point(point: Vec3A) -> Self {
        const STEP: Vec3A = Vec3A::splat(f32::EPSILON);
        const SMALLEST: Vec3A = Vec3A::splat(f32::MIN_POSITIVE);
        const LARGEST: Vec3A = Vec3A::splat(f32::MAX);
        let point = point.min(LARGEST).max(-LARGEST);
        let allowance = point.abs() * STEP + SMALLEST;
        Self { min: point - allowance, max: point + allowance }
    }

    /// The smallest box around two boxes. Neither may have a NaN: minima and maxima would drop it.
    /// Debug builds check that where a body's bounds are read.
    #[must_use]
    #[inline(always)]
    pub fn merge(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether all of `other` lies inside. The empty box lies in every box.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty() || (self.min.cmple(other.min).all() && other.max.cmple(self.max).all())
    }

    /// Whether all of a sphere lies inside. Never `true` where it does not. `false` where it does
    /// only if the two touch up to rounding.
    #[must_use]
    pub fn contains_sphere(&self, sphere: &Sphere) -> bool {
        self.contains(&sphere.bounding_box())
    }

    /// The box around this one and a sphere.
    #[must_use]
    pub fn merge_sphere(&self, sphere: &Sphere) -> Self {
        self.merge(&sphere.bounding_box())
    }

    /// Whether a point lies inside or on the border.
    #[must_use]
    #[inline]
    pub fn contains_point(&self, point: DVec3) -> bool {
        self.min.as_dvec3().cmple(point).all() && point.cmple(self.max.as_dvec3()).all()
    }

    /// Whether no point lies inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Half of the surface area, the weight of the surface area heuristic. Zero for the empty box.
    #[must_use]
    #[inline]
    pub fn half_area(&self) -> f32 {
        let side = (self.max - self.min).max(Vec3A::ZERO);
        side.x * side.y + side.y * side.z + side.z * side.x
    }

    /// Twice the centre: `min + max`, which orders boxes along an axis without a division.
    #[must_use]
    #[inline]
    pub fn doubled_center(&self) -> Vec3A {
        self.min + self.max
    }
}

impl Volume for Aabb {
    #[inline]
    fn extent(&self) -> f32 {
        (self.max - self.min).max_element()
    }

    #[inline]
    fn distance_squared_to_point(&self, point: DVec3) -> f64 {
        let beyond = (self.min.as_dvec3() - point).max(point - self.max.as_dvec3());
        never_above(beyond.max(DVec3::ZERO).length_squared())
    }

    /// Zero: points computed on a triangle are clamped to the triangle's box.
    #[inline]
    fn point_error(&self) -> f64 {
        0.0
    }

    #[inline]
    fn bounding_box(&self) -> Aabb {
        *self
    }

    #[inline]
    fn corners(&self) -> [DVec3; 2] {
        [self.min.as_dvec3(), self.max.as_dvec3()]
    }
}

impl Remember for Aabb {
    type Words = [u64; 3];

    #[inline]
    fn to_words(self) -> [u64; 3] {
        let (min, max) = (self.min, self.max);
        [pack(min.x, min.y), pack(min.z, max.z), pack(max.x, max.y)]
    }

    #[inline]
    fn from_words([a, b, c]: [u64; 3]) -> Self {
        Self { min: Vec3A::from_vec4(unpack(a, b)), max: Vec3A::from_vec4(unpack(c, b).xyww()) }
    }
}

impl From<Sphere> for Aabb {
    fn from(sphere: Sphere) -> Self {
        sphere.bounding_box()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bits of three numbers: any, next to zero or next to infinity, of either sign.
    fn near_one_another() -> impl Strategy<Value = [u32; 3]> {
        let infinity = f32::INFINITY.to_bits();
        let magnitude = prop_oneof![
            0..=infinity,
            0..4u32,
            infinity - 3..=infinity,
            (0..=254u32, 0..3u32).prop_map(|(exponent, step)| (exponent << 23) + step),
            (1..=254u32, 1..3u32).prop_map(|(exponent, step)| (exponent << 23) - step),
        ];
        proptest::array::uniform3(
            (magnitude, any::<bool>())
                .prop_map(|(bits, negative)| bits | u32::from(negative) << 31),
        )
    }

    #[test]
    fn far_away_and_tiny() {
        // Two points a nanometre apart, a hundred thousand kilometres out.
        let a = DVec3::new(1e8, -1e8, 1e30);
        let b = a + DVec3::new(1e-7, 1e-7, 0.0);
        let around = Aabb::around([a, b]);
        assert!(around.contains_point(a) && around.contains_point(b));
    }

    #[test]
    fn beyond_f32() {
        let p = DVec3::new(1e300, -1e300, 1e-320);
        let around = Aabb::around([p]);
        assert!(around.contains_point(p));
        assert!(!around.is_empty());
        assert!(around.contains(&Aabb::EMPTY) && !Aabb::EMPTY.contains(&around));
    }

    proptest! {
        #[test]
        fn nearest_corners_are_widened_enough(
            mantissas in proptest::array::uniform3(-1.0..1.0f64), exponent in -320..308i32,
        ) {
            let p = DVec3::from_array(mantissas) * 10f64.powi(exponent);
            let nearest = p.as_vec3a();
            let around = Aabb::around_nearest(nearest, nearest);
            prop_assert!(around.contains_point(p), "{around:?} misses {p}");
        }

        /// Rounding each of some points is rounding their extremes, bit by bit.
        #[test]
        fn boxes_of_points_are_those_of_their_extremes(
            a in near_one_another(), b in near_one_another(), c in near_one_another(),
        ) {
            let points = [a, b, c].map(|bits| bits.map(f32::from_bits));
            prop_assume!(points.as_flattened().iter().all(|x| !x.is_nan()));
            let [a, b, c] = points.map(Vec3A::from_array);
            let around = Aabb::around_nearest(a.min(b).min(c), a.max(b).max(c));
            let [a, b, c] = [a, b, c].map(Aabb::around_nearest_point);
            let merged = a.merge(&b).merge(&c);
            let bits = |of: Aabb| [of.min, of.max].map(|corner| corner.to_array().map(f32::to_bits));
            prop_assert_eq!(bits(merged), bits(around));
        }

        #[test]
        fn merged_boxes_contain_both(
            p in proptest::array::uniform12(-1e30..1e30f64),
        ) {
            let at = |i: usize| DVec3::new(p[i], p[i + 1], p[i + 2]);
            let (a, b) = (Aabb::around([at(0), at(3)]), Aabb::around([at(6), at(9)]));
            let both = a.merge(&b);
            prop_assert!(both.contains(&a) && both.contains(&b));
            prop_assert!((0..12).step_by(3).all(|i| both.contains_point(at(i))));
            prop_assert_eq!(a.merge(&Aabb::EMPTY), a);
        }
    }
}
