//! The box between two boxes.

use glam::Vec3A;

use crate::volume::Aabb;

/// The factors of both ends of a span at one time, with what their rounding may lose. Each number
/// is stored three times, because boxes are multiplied axis by axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blend {
    start: Vec3A,
    end: Vec3A,
    /// Factors on the magnitudes at both ends: an upper bound of the rounding error.
    start_loss: Vec3A,
    end_loss: Vec3A,
}

/// 8u with u = 2^-24. See [`Blend::between`].
const LOSS: f32 = 4.0 * f32::EPSILON;

/// 2^-100. See [`Blend::between`].
const TINY: f32 = f32::from_bits((127 - 100) << 23);

impl Blend {
    /// The factors where a fraction of the span has passed.
    pub(super) fn at(fraction: f64) -> Self {
        let (start, end) = ((1.0 - fraction) as f32, fraction as f32);
        let loss = |factor: f32| Vec3A::splat((factor + TINY) * LOSS);
        Self {
            start: Vec3A::splat(start),
            end: Vec3A::splat(end),
            start_loss: loss(start),
            end_loss: loss(end),
        }
    }

    /// The box between a node's box `a` at the start and its box `b` at the end.
    ///
    /// Why it contains the computed vertices: take the low side of one axis, on which the boxes
    /// begin at a and b. A vertex goes from x >= a to y >= b. With the fraction f and g = 1 - f
    /// its computed position is x g + y f, each operation rounded to `f64`, with the same f and g
    /// for all vertices. Rounding is monotonic, so the position is at least a g + b f computed in
    /// `f64` in the same way. Here a g + b f is computed in `f32`. With u = 2^-24 and
    /// S = |a| g + |b| f it differs by at most
    ///
    /// - 3u S, for the roundings of g and f, of the two products and of the sum;
    /// - u S, for the rounding of the subtraction of the loss;
    /// - 2^-29 of these, for the roundings in `f64`.
    ///
    /// The loss is 8u S. A factor below the normal range of `f32` loses up to 2^-150 of |a| or
    /// |b|, and a product that underflows loses up to 2^-150. `TINY * LOSS`, 2^-121 of |a| and of
    /// |b|, and the smallest normal number cover that. The high side is symmetric.
    #[inline(always)]
    pub(super) fn between(&self, a: &Aabb, b: &Aabb) -> Aabb {
        let floor = Vec3A::splat(f32::MIN_POSITIVE);
        let loss = |a: Vec3A, b: Vec3A| a.abs() * self.start_loss + b.abs() * self.end_loss + floor;
        let middle = |a: Vec3A, b: Vec3A| a * self.start + b * self.end;
        Aabb {
            min: middle(a.min, b.min) - loss(a.min, b.min),
            max: middle(a.max, b.max) + loss(a.max, b.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        let coordinate = (-1.0..1.0f64, -45..36i32).prop_map(|(x, e)| x * 10f64.powi(e));
        [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn a_blended_box_contains_what_moves_from_box_to_box(
            start in proptest::collection::vec(point(), 1..4), seed in any::<u64>(),
            ends in proptest::collection::vec(point(), 4),
            fraction in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64, (0..60i32).prop_map(|e| 10f64.powi(-e))],
        ) {
            let end: Vec<DVec3> =
                start.iter().zip(&ends).map(|(s, e)| if seed & 1 == 0 { *e } else { *s }).collect();
            let [a, b] = [&start, &end].map(|points| Aabb::around(points.iter().copied()));
            let blended = Blend::at(fraction).between(&a, &b);
            for (x, y) in start.iter().zip(&end) {
                let position = *x * (1.0 - fraction) + *y * fraction;
                prop_assert!(blended.contains_point(position), "{blended:?} misses {position}");
            }
        }
    }
}
