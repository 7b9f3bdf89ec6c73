//! The frame of a reduced body, prepared for volumes.

use glam::{DAffine3, DMat3, DVec3, Mat3A, Vec3, Vec3A};

use crate::deform::{Reduced, row_sums};
use crate::limits::{F32_SLACK, F64_SLACK};
use crate::volume::{Aabb, Sphere, round_up};

/// The largest magnitude for which bounds are computed: no sum of a few such numbers overflows
/// `f32`.
pub(super) const RANGE: f64 = 1e37;

/// Maps volumes from a body's own space to the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement {
    /// Whether the frame is not the identity.
    moved: bool,
    exact: DAffine3,
    linear: Mat3A,
    /// The magnitudes of the entries of the linear part.
    spread: Mat3A,
    translation: Vec3A,
    /// At least the factor by which any length grows, roundings of `f32` included.
    stretch: f32,
    /// Added on every side: roundings that do not depend on the node, and the error that the
    /// caller asked for.
    pub(super) allowance: f32,
    /// Whether all numbers stay in the range of `f32`.
    pub(super) bounded: bool,
}

impl Placement {
    /// For a state whose vertices may be off by `error` in the body's own space, and for volumes
    /// that reach as far as `reach` there if that is farther than the state does. O(modes).
    ///
    /// The allowance covers:
    ///
    /// - Coordinates that lose digits because they are tiny in `f32`: 2^-150 each, times the
    ///   mode's reach, and 2^-150 for each product. The smallest normal number is 2^24 times as
    ///   much, and there are no more than 2^16 modes. The same holds for entries of the frame,
    ///   times the reach.
    /// - If the frame is not the identity: rounding its entries, the products and sums of the map
    ///   and the result to `f32`. These are at most ten roundings of 2^-24 of at most
    ///   |A| (|c| + h) + |t|, with middle c and half size h, both at most the reach. `F32_SLACK`
    ///   is 32 roundings, which leaves room for the `f64` roundings of the vertices. The reach is
    ///   doubled, because |c| + h and the reach itself are rounded.
    pub(super) fn new(state: &Reduced, reach: f64, error: f64) -> Self {
        let frame = state.frame();
        let moved = frame != DAffine3::IDENTITY;
        let linear = Mat3A::from(frame.matrix3.as_mat3());
        let spread =
            Mat3A::from_cols(linear.x_axis.abs(), linear.y_axis.abs(), linear.z_axis.abs());
        let (reach, tiny) = (state.reach().max(reach), f64::from(f32::MIN_POSITIVE));
        let lost = (1.0 + state.reaches()[1..].iter().sum::<f64>()) * tiny;
        let (mut allowance, mut magnitude, mut stretch) = (lost + error, 2.0 * reach, 1.0);
        if moved {
            stretch = self::stretch(&frame.matrix3);
            let growth = row_sums(&frame).max_element().max(stretch);
            magnitude = magnitude.max(1.0) * growth + frame.translation.abs().max_element();
            allowance = lost * growth + error * stretch;
            allowance += magnitude * f64::from(F32_SLACK) + (1.0 + reach) * tiny;
        }
        // Coordinates and modes must be in range by themselves, not only their products.
        let parts = state.coordinates().iter().chain(state.reaches());
        let largest = parts.fold(magnitude + error, |most, part| most.max(part.abs()));
        Self {
            moved,
            exact: frame,
            linear,
            spread,
            translation: frame.translation.as_vec3a(),
            stretch: round_up(stretch * (1.0 + f64::from(F32_SLACK))),
            allowance: round_up(allowance * (1.0 + f64::from(F32_SLACK))),
            // False for NaN.
            bounded: largest + allowance < RANGE,
        }
    }

    /// A sphere around the image of a sphere. The radius may be too small by two roundings, which
    /// the allowance covers.
    #[inline]
    pub(super) fn sphere(&self, center: Vec3, radius: f32) -> Sphere {
        if !self.moved {
            return Sphere { center, radius: radius + self.allowance };
        }
        let center = self.exact.transform_point3(center.as_dvec3()).as_vec3();
        Sphere { center, radius: radius * self.stretch + self.allowance }
    }

    /// A box around the image of a box.
    #[inline]
    pub(super) fn boxed(&self, middle: Vec3A, half: Vec3A) -> Aabb {
        let allowance = Vec3A::splat(self.allowance);
        if !self.moved {
            let reach = half + allowance;
            return Aabb { min: middle - reach, max: middle + reach };
        }
        let middle = self.linear * middle + self.translation;
        let reach = self.spread * half + allowance;
        Aabb { min: middle - reach, max: middle + reach }
    }
}

/// A factor by which no length grows under a linear map, at most a hundredth above the
/// smallest there is: the root of the largest eigenvalue of A^T A.
///
/// For a symmetric matrix G with nonnegative eigenvalues, the largest row sum s of |G|
/// bounds the largest eigenvalue e, and s <= sqrt(3) e. Of G^n the same is true of
/// e^n, so that the n-th root of its row sum is at most 3^(1/2n) e: six squarings give n = 64.
/// Of the bounds met on the way the least is taken; for rotations and scalings it is the
/// first. A squaring doubles the relative error that it finds and adds a few 2^-53, the
/// root divides it again: the slack covers that.
pub(super) fn stretch(map: &DMat3) -> f64 {
    let largest = map.to_cols_array().iter().fold(0.0, |sum: f64, x| sum.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    let scaled = *map * (1.0 / largest);
    if !scaled.is_finite() {
        return 3.0 * largest;
    }
    largest_eigenvalue(scaled.transpose() * scaled).sqrt() * largest * (1.0 + F64_SLACK)
}

/// An upper bound, at most a fiftieth too large, of the eigenvalues of a symmetric matrix
/// that has no negative ones: the first part of the proof of [`stretch`].
pub(super) fn largest_eigenvalue(matrix: DMat3) -> f64 {
    let mut power = matrix;
    // The power's true value is `power` times e^scale, its exponent 1 / root.
    let (mut scale, mut root, mut least) = (0.0, 1.0, f64::INFINITY);
    for _ in 0..7 {
        let columns = [power.x_axis, power.y_axis, power.z_axis].map(DVec3::abs);
        let bound = (columns[0] + columns[1] + columns[2]).max_element();
        if bound == 0.0 {
            return 0.0;
        }
        least = least.min((bound.ln() + scale) * root);
        power *= 1.0 / bound;
        scale = 2.0 * (scale + bound.ln());
        root *= 0.5;
        power = power * power;
    }
    // Logarithms and exponentials err by a few 2^-53 of themselves, and the logarithms of what
    // f32 can square are below 200: a thousand 2^-53.
    least.exp() * (1.0 + 32.0 * F64_SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_stretched_by_more(
            entries in proptest::array::uniform9(-1.0..1.0f64), exponent in -300..300i32,
            directions in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 50),
        ) {
            let map = DMat3::from_cols_array(&entries);
            let bound = stretch(&(map * 10f64.powi(exponent))) / 10f64.powi(exponent);
            let mut reached: f64 = 0.0;
            for direction in directions {
                let mut direction = DVec3::from_array(direction).normalize_or(DVec3::X);
                // Towards the direction that is stretched most.
                for _ in 0..100 {
                    direction = (map.transpose() * (map * direction)).normalize_or(DVec3::X);
                }
                reached = reached.max((map * direction).length());
            }
            prop_assert!(reached <= bound * (1.0 + 1e-12));
            prop_assert!(bound <= 1.01 * reached + 1e-12, "{bound} {reached}");
        }

        #[test]
        fn rotations_and_scalings_are_exact(
            turn in proptest::array::uniform4(-1.0..1.0f64),
            scale in proptest::array::uniform3(-1e3..1e3f64),
        ) {
            prop_assume!(DQuat::from_array(turn).length() > 1e-3);
            let turn = DMat3::from_quat(DQuat::from_array(turn).normalize());
            let scale = DVec3::from_array(scale);
            let bound = stretch(&(turn * DMat3::from_diagonal(scale)));
            let exact = scale.abs().max_element();
            prop_assert!(exact * (1.0 - 1e-14) <= bound && bound <= exact * (1.0 + 1e-11));
        }
    }

    #[test]
    fn maps_without_size() {
        assert_eq!(stretch(&DMat3::ZERO), 0.0);
        assert!(stretch(&(DMat3::IDENTITY * f64::MIN_POSITIVE)) >= f64::MIN_POSITIVE);
        assert!(stretch(&(DMat3::IDENTITY * 1e-310)) >= 1e-310);
        assert!(stretch(&(DMat3::IDENTITY * 1e300)) >= 1e300);
    }
}
