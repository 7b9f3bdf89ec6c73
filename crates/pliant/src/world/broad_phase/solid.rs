//! Boxes without NaN, none of them empty.

use std::borrow::Cow;

use glam::Vec3A;

use crate::volume::Aabb;

/// The box with infinite sides for those that are NaN, `None` if it is empty. Two boxes overlap
/// if and only if these do: a NaN fails every comparison, as an infinite side does.
#[inline]
pub(super) fn solid(volume: &Aabb) -> Option<Aabb> {
    let min = Vec3A::select(volume.min.is_nan_mask(), Vec3A::NEG_INFINITY, volume.min);
    let max = Vec3A::select(volume.max.is_nan_mask(), Vec3A::INFINITY, volume.max);
    min.cmple(max).all().then_some(Aabb { min, max })
}

/// Whether a box is its own [`solid`].
#[inline]
pub(super) fn is_solid(volume: &Aabb) -> bool {
    volume.min.cmple(volume.max).all()
}

/// The solid boxes among some boxes, with their numbers.
#[derive(Debug, Clone)]
pub(super) struct SolidBoxes<'a> {
    pub(super) boxes: Cow<'a, [Aabb]>,
    /// The number of each, if they are not all.
    numbers: Option<Vec<u32>>,
}

impl<'a> SolidBoxes<'a> {
    pub(super) fn of(boxes: &'a [Aabb]) -> Self {
        if boxes.iter().all(is_solid) {
            return Self { boxes: Cow::Borrowed(boxes), numbers: None };
        }
        let numbered =
            (0..).zip(boxes).filter_map(|(number, volume)| Some((number, solid(volume)?)));
        let (numbers, boxes): (Vec<u32>, Vec<Aabb>) = numbered.unzip();
        Self { boxes: Cow::Owned(boxes), numbers: Some(numbers) }
    }

    /// The number of the box at a place.
    #[inline]
    pub(super) fn number(&self, place: u32) -> u32 {
        self.numbers.as_ref().map_or(place, |numbers| numbers[place as usize])
    }

    pub(super) fn len(&self) -> usize {
        self.boxes.len()
    }
}
