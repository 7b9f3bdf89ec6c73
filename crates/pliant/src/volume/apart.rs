//! How far apart two volumes are, never overestimated.

use glam::DVec3;

use super::{Aabb, Sphere};
use crate::numeric::{F64_SLACK, SQUARED_DISTANCE_SHRINK};

/// How far apart two volumes are.
pub trait Apart<Other> {
    /// The squared distance between the two sets, never more than the true one; zero where they
    /// overlap. The distance to an empty volume is close to the largest `f64`. A number that is NaN
    /// adds no distance.
    ///
    /// ```
    /// use pliant::{glam::DVec3, volume::{Aabb, Apart, Sphere}};
    /// let cube = Aabb::around([DVec3::ZERO, DVec3::ONE]);
    /// let ball = Sphere::new(DVec3::new(4.0, 0.5, 0.5), 1.0);
    /// let squared = cube.distance_squared_to(&ball);
    /// assert!(squared <= 4.0 && squared > 4.0 - 1e-6);
    /// ```
    fn distance_squared_to(&self, other: &Other) -> f64;
}

impl Apart<Aabb> for Aabb {
    #[inline]
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        let (min, max) = (self.min.as_dvec3(), self.max.as_dvec3());
        let gap = (other.min.as_dvec3() - max).max(min - other.max.as_dvec3());
        never_above(gap.max(DVec3::ZERO).length_squared())
    }
}

impl Apart<Sphere> for Sphere {
    #[inline]
    fn distance_squared_to(&self, other: &Sphere) -> f64 {
        let between = (self.center.as_dvec3() - other.center.as_dvec3()).length_squared();
        beyond_reach(between, f64::from(self.radius) + f64::from(other.radius))
    }
}

impl Apart<Sphere> for Aabb {
    #[inline]
    fn distance_squared_to(&self, other: &Sphere) -> f64 {
        let center = other.center.as_dvec3();
        let gap = (self.min.as_dvec3() - center).max(center - self.max.as_dvec3());
        // In this order the maximum keeps a NaN.
        beyond_reach(DVec3::ZERO.max(gap).length_squared(), f64::from(other.radius))
    }
}

impl Apart<Aabb> for Sphere {
    #[inline]
    fn distance_squared_to(&self, other: &Aabb) -> f64 {
        other.distance_squared_to(self)
    }
}

/// The square of a distance less a reach, given the square of the distance; never more than the
/// true one, and zero if the reach is larger.
///
/// The root has six roundings, the reach one. If the true reach is smaller than the distance, the
/// slack on the root exceeds the rounding of the reach too. If it is larger, the difference stays
/// negative. NaN, as from a difference of infinities, is turned into zero by `max`.
#[inline]
pub(super) fn beyond_reach(between_squared: f64, reach: f64) -> f64 {
    let beyond = (between_squared.sqrt() * (1.0 - F64_SLACK) - reach).max(0.0);
    never_above(beyond * beyond)
}

/// A computed sum of three squares, lowered so that it is not above the true one.
///
/// The factor covers the roundings. A sum that overflowed is at least as large as the largest
/// number, up to those roundings. Squares that lost bits to underflow are off by less than the
/// smallest normal number.
#[inline]
pub(super) fn never_above(squared: f64) -> f64 {
    (squared.min(f64::MAX) * SQUARED_DISTANCE_SHRINK - f64::MIN_POSITIVE).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Volume;
    use glam::{Vec3, Vec3A};
    use proptest::prelude::*;

    /// Exact in `f64`: integers times a power of two.
    fn vector() -> impl Strategy<Value = [i32; 3]> {
        prop::array::uniform3(-1000..=1000i32)
    }

    /// Never above the truth, and close to it.
    fn check(bound: f64, truth: f64) -> Result<(), TestCaseError> {
        prop_assert!(bound <= truth && bound >= truth * (1.0 - 1e-13), "{bound:e}, not {truth:e}");
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn boxes_against_integers(
            a in vector(), b in vector(), side_a in prop::array::uniform3(0..300i32),
            side_b in prop::array::uniform3(0..300i32), exponent in -140..110i32,
        ) {
            let scale = 2f32.powi(exponent);
            let corner = |c: [i32; 3]| Vec3A::from_array(c.map(|x| x as f32 * scale));
            let plus = |c: [i32; 3], s: [i32; 3]| [c[0] + s[0], c[1] + s[1], c[2] + s[2]];
            let boxed = |c, s| Aabb { min: corner(c), max: corner(plus(c, s)) };
            let gap = |i: usize| {
                i64::from((a[i] - b[i] - side_b[i]).max(b[i] - a[i] - side_a[i]).max(0))
            };
            let truth = (0..3).map(|i| gap(i) * gap(i)).sum::<i64>() as f64;
            let truth = truth * f64::from(scale) * f64::from(scale);
            let (first, second) = (boxed(a, side_a), boxed(b, side_b));
            check(first.distance_squared_to(&second), truth)?;
            check(second.distance_squared_to(&first), truth)?;
            let point = Aabb { max: second.min, ..second };
            let to_point = first.distance_squared_to_point(second.min.as_dvec3());
            prop_assert_eq!(to_point, first.distance_squared_to(&point));
        }

        /// Centres along (1, 2, 2) or (2, 3, 6) are an integer apart: the distances are exact.
        #[test]
        fn spheres_against_integers(
            a in vector(), steps in 0..300i64, seven in any::<bool>(),
            ra in 0..2000i64, rb in 0..2000i64, exponent in -120..100i32,
        ) {
            let scale = 2f32.powi(exponent);
            let (step, length) = if seven { ([2, 3, 6], 7) } else { ([1, 2, 2], 3) };
            let at = |k: i64| {
                let c = [0, 1, 2].map(|i| (i64::from(a[i]) + k * step[i]) as f32 * scale);
                Vec3::from_array(c)
            };
            let ball = |k: i64, r: i64| Sphere { center: at(k), radius: r as f32 * scale };
            let squared = |gap: i64| (gap.max(0) as f64 * f64::from(scale)).powi(2);
            let (first, second) = (ball(0, ra), ball(steps, rb));
            let apart = length * steps;
            // Where a small gap is left between large numbers, its slack is relative to those.
            let check = |bound: f64, gap: i64| {
                let truth = squared(gap);
                let room = (apart + ra + rb) as f64 * f64::from(scale) * 1e-13;
                prop_assert!(bound <= truth && bound.sqrt() >= truth.sqrt() - room, "{bound:e} {gap}");
                Ok(())
            };
            check(first.distance_squared_to(&second), apart - ra - rb)?;
            check(second.distance_squared_to(&first), apart - ra - rb)?;
            check(first.distance_squared_to_point(second.center.as_dvec3()), apart - ra)?;
            let point = Aabb { min: second.center.into(), max: second.center.into() };
            check(first.distance_squared_to(&point), apart - ra)?;
            check(point.distance_squared_to(&first), apart - ra)?;
        }

        /// Squares that do not fit into 53 bits, against integers that do hold them.
        #[test]
        fn roundings_are_never_upward(
            p in prop::array::uniform3(-(1i64 << 53)..1 << 53),
            q in prop::array::uniform3(-(1i64 << 27)..1 << 27),
            share in 1.0..4.0f64,
        ) {
            let square = |p: [i64; 3]| p.iter().map(|&x| i128::from(x).pow(2)).sum::<i128>();
            let vector = |p: [i64; 3]| DVec3::from_array(p.map(|x| x as f64));
            let origin = Aabb { min: Vec3A::ZERO, max: Vec3A::ZERO };
            prop_assert!(origin.distance_squared_to_point(vector(p)) as i128 <= square(p));

            // A sphere that ends just before the point, so that most digits cancel. With
            // b the bound, b <= (d - r)^2 if 2 r sqrt(b) <= d^2 - r^2 - b; in units of 2^-18.
            let radius = (vector(q).length() * (1.0 - share / 16384.0)).floor() as f32;
            let ball = Sphere { center: Vec3::ZERO, radius };
            let bound = (ball.distance_squared_to_point(vector(q)) * 262_144.0) as i128;
            let r_squared = (radius as i128).pow(2);
            let rest = ((square(q) - r_squared) << 18) - bound;
            prop_assert!((4 * r_squared * bound) << 18 <= rest * rest, "{bound}");
        }
    }

    #[test]
    fn points_at_the_ends_of_f64() {
        let origin = Aabb { min: Vec3A::ZERO, max: Vec3A::ZERO };
        let ball = Sphere { center: Vec3::ZERO, radius: 0.0 };
        let bounds = |p| [origin.distance_squared_to_point(p), ball.distance_squared_to_point(p)];
        // The square, 2.56e-324, rounds up to 4.9e-324.
        assert_eq!(bounds(DVec3::X * 1.6e-162), [0.0; 2]);
        assert!(bounds(DVec3::X * 1e-153).iter().all(|tiny| (0.9e-306..=1e-306).contains(tiny)));
        assert!(bounds(DVec3::splat(1e200)).iter().all(|&huge| huge > 1e308 && huge <= f64::MAX));
    }

    #[test]
    fn empty_and_endless_volumes() {
        let all = Aabb::EVERYWHERE;
        let everywhere = Sphere { center: Vec3::ONE, radius: f32::INFINITY };
        let cube = Aabb { min: Vec3A::ZERO, max: Vec3A::ONE };
        let ball = Sphere { center: Vec3::ZERO, radius: 1.0 };
        for bound in [
            all.distance_squared_to(&cube),
            all.distance_squared_to(&ball),
            all.distance_squared_to(&all),
            all.distance_squared_to(&everywhere),
            everywhere.distance_squared_to(&cube),
            everywhere.distance_squared_to(&ball),
            everywhere.distance_squared_to(&everywhere),
            everywhere.distance_squared_to_point(DVec3::splat(1e308)),
        ] {
            assert_eq!(bound, 0.0);
        }
        for bound in [
            cube.distance_squared_to(&Aabb::EMPTY),
            ball.distance_squared_to(&Aabb::EMPTY),
            cube.distance_squared_to(&Sphere::EMPTY),
            ball.distance_squared_to(&Sphere::EMPTY),
        ] {
            assert!(bound > 1e308 && bound.is_finite());
        }
    }
}
