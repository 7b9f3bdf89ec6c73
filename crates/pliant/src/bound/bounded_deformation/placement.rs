//! The frame of a reduced body, prepared for volumes.

use glam::{DAffine3, Mat3A, Vec3, Vec3A};

use crate::deform::{Reduced, row_sums};
use crate::numeric::{F32_RANGE, F32_SLACK, largest_stretch};
use crate::volume::{Aabb, Sphere, round_up};

/// Takes volumes from a body's own space to the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement {
    /// Whether the frame does anything at all.
    moved: bool,
    exact: DAffine3,
    linear: Mat3A,
    /// The linear part's entries without their signs.
    spread: Mat3A,
    translation: Vec3A,
    /// No length grows by a larger factor; roundings of `f32` included.
    stretch: f32,
    /// What is added on every side: roundings that do not depend on the node, and the
    /// error that the caller asked for.
    pub(super) allowance: f32,
    /// Whether everything stays in the range of `f32`.
    pub(super) bounded: bool,
}

impl Placement {
    /// For a state, with vertices that may be off by `error` in the body's own space, and volumes
    /// that may reach as far as `reach` there, should that be farther than the state does. O(modes).
    ///
    /// The allowance covers:
    ///
    /// - Coordinates that lose digits because they are tiny in `f32`: 2^-150 each,
    ///   times the mode's reach, and 2^-150 for each product; the smallest normal number is
    ///   2^24 times as much, and there are no more than 2^16 modes. Likewise entries of the
    ///   frame, times the reach.
    /// - If the frame moves anything: rounding its entries, the products and sums of the map
    ///   and the result to `f32`, at most ten roundings of 2^-24 of at most |A| (|c| + h) + |t|,
    ///   with middle c and half sides h, both at most the reach. `F32_SLACK` is 32 roundings,
    ///   which leaves room for the `f64` roundings of the vertices, and the reach is
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
            stretch = largest_stretch(&frame.matrix3);
            let growth = row_sums(&frame).max_element().max(stretch);
            magnitude = magnitude.max(1.0) * growth + frame.translation.abs().max_element();
            allowance = lost * growth + error * stretch;
            allowance += magnitude * f64::from(F32_SLACK) + (1.0 + reach) * tiny;
        }
        // Coordinates and modes must fit by themselves, not only their products.
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
            // Written so that NaN is not bounded.
            bounded: largest + allowance < F32_RANGE,
        }
    }

    /// The volume around the moved sphere. Its radius may be rounded down by two roundings.
    #[inline]
    pub(super) fn sphere(&self, center: Vec3, radius: f32) -> Sphere {
        if !self.moved {
            return Sphere { center, radius: radius + self.allowance };
        }
        let center = self.exact.transform_point3(center.as_dvec3()).as_vec3();
        Sphere { center, radius: radius * self.stretch + self.allowance }
    }

    /// The box around the moved box.
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
