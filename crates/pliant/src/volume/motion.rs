//! An affine map, prepared for moving the volumes of a body.

use glam::{DAffine3, DMat3, DVec3, Mat3A, Vec3A};

use crate::numeric::{F32_RANGE, F32_SLACK, round_up};

/// An affine map from the space in which volumes rest to the world, in the forms that volumes
/// need. Made once per state of a body; [`Fit::moved`](super::Fit::moved) uses it per volume.
///
/// It is made for volumes whose coordinates stay below some reach. Where the images of such
/// volumes leave the range of `f32`, it is not [bounded](Self::is_bounded), and no volume is moved.
#[derive(Debug, Clone, Copy)]
pub struct Motion {
    exact: DAffine3,
    moves: bool,
    turns: bool,
    linear: Mat3A,
    spread: Mat3A,
    translation: Vec3A,
    stretch: f32,
    allowance: f32,
    bounded: bool,
}

impl Motion {
    /// A map by which no length grows by more than a factor of `stretch`, with what is to be added
    /// to every moved volume on all sides, and the largest magnitude of any number involved.
    pub(crate) fn new(map: DAffine3, stretch: f64, allowance: f64, magnitude: f64) -> Self {
        let linear = Mat3A::from(map.matrix3.as_mat3());
        let slack = 1.0 + f64::from(F32_SLACK);
        Self {
            exact: map,
            moves: map != DAffine3::IDENTITY,
            turns: map.matrix3 != DMat3::IDENTITY,
            linear,
            spread: Mat3A::from_cols(linear.x_axis.abs(), linear.y_axis.abs(), linear.z_axis.abs()),
            translation: map.translation.as_vec3a(),
            stretch: round_up(stretch * slack),
            allowance: round_up(allowance * slack),
            // False for NaN.
            bounded: magnitude + allowance < F32_RANGE,
        }
    }

    /// An isometry, for volumes with coordinates up to `reach`.
    ///
    /// The allowance is 32 roundings of `f32`, 2^-24 each, of the largest magnitude on the way: a
    /// row of a rotation sums to at most sqrt(3), so that no coordinate of a moved volume exceeds
    /// 2 reach + |t|.
    pub(crate) fn rigid(map: DAffine3, reach: f64) -> Self {
        let magnitude = 2.0 * reach + map.translation.abs().max_element();
        let allowance = magnitude * f64::from(F32_SLACK) + f64::from(f32::MIN_POSITIVE);
        Self::new(map, 1.0, allowance, magnitude)
    }

    /// Whether the images of all volumes stay in the range of `f32`.
    #[must_use]
    #[inline]
    pub fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// The same motion, bounded only if a condition holds too.
    pub(crate) fn bounded_if(self, condition: bool) -> Self {
        Self { bounded: self.bounded && condition, ..self }
    }

    /// Whether the map is not the identity.
    #[must_use]
    #[inline]
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Whether the linear part is not the identity.
    #[must_use]
    #[inline]
    pub fn turns(&self) -> bool {
        self.turns
    }

    /// The linear part, rounded to `f32`.
    #[must_use]
    #[inline]
    pub fn linear(&self) -> &Mat3A {
        &self.linear
    }

    /// The entries of [`Motion::linear`] without their signs: they take half the sides of a box to
    /// half the sides of the box around its image.
    #[must_use]
    #[inline]
    pub fn spread(&self) -> &Mat3A {
        &self.spread
    }

    /// The map as it is, in `f64`.
    #[inline]
    pub(super) fn exact(&self) -> &DAffine3 {
        &self.exact
    }

    /// The translation, rounded to `f32`.
    #[must_use]
    #[inline]
    pub fn translation(&self) -> Vec3A {
        self.translation
    }

    /// No length grows by a larger factor, 32 roundings of `f32` included.
    #[must_use]
    #[inline]
    pub fn stretch(&self) -> f32 {
        self.stretch
    }

    /// What to add to a volume, along each axis and to each radius. If the motion
    /// [moves](Self::moves), it covers at least 32 roundings of `f32`, 2^-24 each, of the largest
    /// coordinate of any moved volume: rounding the map, at most a dozen operations in `f32` on the
    /// way to a coordinate, and the `f64` roundings of the vertices.
    #[must_use]
    #[inline]
    pub fn allowance(&self) -> f32 {
        self.allowance
    }

    /// The image of a point, in `f64`.
    #[must_use]
    #[inline]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        if self.turns { self.exact.transform_point3(point) } else { point + self.exact.translation }
    }
}
