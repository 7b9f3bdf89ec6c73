//! Partition of items by a plane.

use crate::parallel::*;

use super::grow::PARALLEL;
use super::item::Item;

/// The result of splitting a range.
pub(super) enum Division {
    /// The range is a leaf.
    Leaf,
    /// The first `left` items, at least one and not all, belong to the left child.
    At {
        left: usize,
        /// Whether the items are now in the other array.
        moved: bool,
    },
}

/// A plane perpendicular to an axis; an item is left of it if its doubled centre is below.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    pub(super) axis: usize,
    pub(super) at: f32,
}

impl Plane {
    #[inline]
    fn has_left(self, item: &Item) -> bool {
        item.doubled_center_along(self.axis) < self.at
    }
}

/// Equal halves in the current order of the items.
pub(super) fn halve(items: &[Item]) -> Division {
    Division::At { left: items.len() / 2, moved: false }
}

/// Moves the items to the other array, those left of the plane to its front. If all are on one
/// side, splits them into halves in their current order.
pub(super) fn partition(items: &[Item], spare: &mut [Item], plane: Plane) -> Division {
    let left = if items.len() <= PARALLEL {
        from_both_ends(items, spare, plane)
    } else {
        by_chunks(items, spare, plane)
    };
    if left == 0 || left >= items.len() { halve(items) } else { Division::At { left, moved: true } }
}

/// Fills the front with the items left of the plane and the back with the others. The side is
/// chosen without a branch: it is practically random, and a misprediction would cost more than the
/// rest.
fn from_both_ends(items: &[Item], spare: &mut [Item], plane: Plane) -> usize {
    let (mut left, mut right) = (0, items.len());
    for item in items {
        let is_left = plane.has_left(item);
        right -= usize::from(!is_left);
        if let Some(place) = spare.get_mut(if is_left { left } else { right }) {
            *place = *item;
        }
        left += usize::from(is_left);
    }
    left
}

/// The same on all threads: first every chunk counts, which determines its output ranges, then
/// every chunk moves. The chunks do not depend on the number of threads.
fn by_chunks(items: &[Item], spare: &mut [Item], plane: Plane) -> usize {
    let chunks = || items.par_chunks(PARALLEL / 4);
    let count = |chunk: &[Item]| chunk.iter().filter(|item| plane.has_left(item)).count();
    let counts: Vec<usize> = chunks().map(count).collect();
    let left = counts.iter().sum();
    let (mut lefts, mut rights) = spare.split_at_mut(left);
    let mut places = Vec::with_capacity(counts.len());
    for (chunk, count) in items.chunks(PARALLEL / 4).zip(counts) {
        let (left, more_lefts) = lefts.split_at_mut(count);
        let (right, more_rights) = rights.split_at_mut(chunk.len() - count);
        (lefts, rights) = (more_lefts, more_rights);
        places.push((left, right));
    }
    chunks().zip(places).for_each(|(chunk, (left, right))| scatter(chunk, left, right, plane));
    left
}

/// Moves items to two slices, which they fill exactly. Every item is written to both slices, again
/// to avoid a branch, and only one of the two positions advances.
fn scatter(items: &[Item], left: &mut [Item], right: &mut [Item], plane: Plane) {
    let (mut l, mut r) = (0, 0);
    for item in items {
        if l == left.len() || r == right.len() {
            break;
        }
        left[l] = *item;
        right[r] = *item;
        let is_left = plane.has_left(item);
        l += usize::from(is_left);
        r += usize::from(!is_left);
    }
    // One side is full, so the remaining items belong to the other.
    let rest = &items[l + r..];
    if l < left.len() {
        left[l..].copy_from_slice(rest);
    } else {
        right[r..].copy_from_slice(rest);
    }
}
