//! The records that the builder moves: a box and a primitive number in 32 bytes.

use crate::parallel::*;
use glam::{Vec3A, Vec4};

use super::grow::PARALLEL;
use crate::volume::Aabb;

/// Coordinates are clamped to `-REACH ..= REACH`, so that sums and differences of two of them, and
/// of two such sums, are finite. The tree has no geometry, so beyond 2e37 this may cost quality but
/// not correctness.
const REACH: f32 = (1_u128 << 124) as f32;

/// Added to a primitive's number, which is below 2^30, to give the bits of a float between 4e-10
/// and 2e29. Arithmetic on corners includes the fourth lane. Numbers without the offset would be
/// subnormal floats, which cost a hundred cycles each.
const NUMBER_OFFSET: u32 = 0x3000_0000;

/// The box and the number of a primitive. The builder moves whole records, because a pass over
/// contiguous memory is several times as fast as one through indices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// The low corner; `w` has the primitive's number. See [`NUMBER_OFFSET`].
    low: Vec4,
    /// The high corner.
    high: Vec4,
}

impl Item {
    /// The record of a primitive.
    #[inline]
    pub(super) fn new(primitive: u32, volume: &Aabb) -> Self {
        let pull = |v: Vec3A| v.max(Vec3A::splat(-REACH)).min(Vec3A::splat(REACH));
        Self {
            low: pull(volume.min).extend(f32::from_bits(primitive + NUMBER_OFFSET)),
            high: pull(volume.max).extend(0.0),
        }
    }

    /// The primitive's number.
    #[inline]
    pub(super) fn primitive(&self) -> u32 {
        self.low.w.to_bits() - NUMBER_OFFSET
    }

    /// The low corner.
    #[inline]
    pub(super) fn min(&self) -> Vec3A {
        Vec3A::from_vec4(self.low)
    }

    /// The high corner.
    #[inline]
    pub(super) fn max(&self) -> Vec3A {
        Vec3A::from_vec4(self.high)
    }

    /// Twice the centre.
    #[inline]
    pub(super) fn doubled_center(&self) -> Vec3A {
        self.min() + self.max()
    }

    /// Twice the centre along one axis.
    #[inline]
    pub(super) fn doubled_center_along(&self, axis: usize) -> f32 {
        let (low, high): (&[f32; 4], &[f32; 4]) = (self.low.as_ref(), self.high.as_ref());
        low[axis & 3] + high[axis & 3]
    }
}

/// The box of the doubled centres of some items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centers {
    pub(super) min: Vec3A,
    pub(super) max: Vec3A,
}

impl Centers {
    /// Computes the box in one pass over the items.
    #[inline]
    pub(super) fn of(items: &[Item]) -> Self {
        let mut around = Self { min: Aabb::EMPTY.min, max: Aabb::EMPTY.max };
        for item in items {
            let center = item.doubled_center();
            around.min = around.min.min(center);
            around.max = around.max.max(center);
        }
        around
    }

    /// The box around both.
    #[inline]
    pub(super) fn merge(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The axis with the largest spread of centres.
    #[inline]
    pub(super) fn longest_axis(&self) -> usize {
        (self.max - self.min).max_position()
    }
}

/// The box of the doubled centres, computed by all threads if there are many items.
pub(super) fn centers(items: &[Item]) -> Centers {
    if items.len() <= PARALLEL {
        return Centers::of(items);
    }
    items.par_chunks(PARALLEL / 4).map(Centers::of).reduce(|| Centers::of(&[]), Centers::merge)
}
