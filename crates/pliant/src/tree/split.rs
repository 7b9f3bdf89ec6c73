//! Where a range of items is divided: midpoint, median, or binned surface area.

use rayon::prelude::*;

use super::grow::PARALLEL;
use super::item::{Centers, Item};
use super::surface_area;

/// Where a node's primitives are divided in two.
///
/// Where a rule cannot divide, because all centres coincide, the primitives are
/// divided into equal halves in the order in which they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Split {
    /// In the middle of the longest side of the box of the centres, as in the
    /// classic papers on deforming trees. Fast to build; follows the shape.
    Midpoint,
    /// Into equal halves along the longest side of the box of the centres. The
    /// least depth; ignores gaps.
    Median,
    /// Where the expected cost of a query is least, by the surface area
    /// heuristic over bins along all three axes (Wald, "On fast construction of
    /// SAH-based bounding volume hierarchies", 2007). The best trees.
    BinnedSah,
}

/// What became of a range.
pub(super) enum Division {
    /// It is a leaf.
    Leaf,
    /// The first `left` items, at least one and not all, are the left child's.
    At {
        left: usize,
        /// Whether the items are now in the other array.
        moved: bool,
    },
}

/// Divides at least two items.
pub(super) fn divide(
    items: &mut [Item],
    spare: &mut [Item],
    split: Split,
    leaf_size: usize,
) -> Division {
    match split {
        Split::Midpoint | Split::Median if items.len() <= leaf_size => Division::Leaf,
        Split::Midpoint => midpoint(items, spare),
        Split::Median => median(items),
        Split::BinnedSah => surface_area::divide(items, spare, leaf_size),
    }
}

/// Equal halves in the order in which the items stand.
pub(super) fn halves(items: &[Item]) -> Division {
    Division::At { left: items.len() / 2, moved: false }
}

fn median(items: &mut [Item]) -> Division {
    let axis = centers(items).longest_axis();
    let middle = items.len() / 2;
    // The number breaks ties: the halves do not depend on how the middle is found.
    items.select_nth_unstable_by(middle, |a, b| {
        let by_center = a.doubled_center_along(axis).total_cmp(&b.doubled_center_along(axis));
        by_center.then(a.primitive().cmp(&b.primitive()))
    });
    halves(items)
}

fn midpoint(items: &[Item], spare: &mut [Item]) -> Division {
    let around = centers(items);
    let axis = around.longest_axis();
    let middle = 0.5 * (around.min[axis] + around.max[axis]);
    let goes_left = |item: &Item| item.doubled_center_along(axis) < middle;
    let left = count(items, goes_left);
    partition(items, spare, left, goes_left)
}

/// The box of the doubled centres, by all threads if there are many items.
pub(super) fn centers(items: &[Item]) -> Centers {
    if items.len() <= PARALLEL {
        return Centers::of(items);
    }
    items.par_chunks(PARALLEL).map(Centers::of).reduce(|| Centers::of(&[]), Centers::merge)
}

/// How many items go to the left.
fn count(items: &[Item], goes_left: impl Fn(&Item) -> bool + Sync) -> usize {
    let count = |items: &[Item]| items.iter().map(|item| usize::from(goes_left(item))).sum();
    if items.len() <= PARALLEL { count(items) } else { items.par_chunks(PARALLEL).map(count).sum() }
}

/// Moves the items to the other array, those that go left before the others,
/// both in the order in which they stood. `left` is the number of the former.
/// If one side would be empty, nothing moves, and the halves are equal.
pub(super) fn partition(
    items: &[Item],
    spare: &mut [Item],
    left: usize,
    goes_left: impl Fn(&Item) -> bool + Sync,
) -> Division {
    if left == 0 || left >= items.len() {
        return halves(items);
    }
    let (mut lefts, mut rights) = spare.split_at_mut(left);
    if items.len() <= PARALLEL {
        scatter(items, lefts, rights, goes_left);
    } else {
        // Each chunk's items have their place before anything moves.
        let chunks: Vec<&[Item]> = items.chunks(PARALLEL).collect();
        let counts: Vec<usize> = chunks
            .par_iter()
            .map(|chunk| chunk.iter().filter(|item| goes_left(item)).count())
            .collect();
        let mut targets = Vec::with_capacity(chunks.len());
        for (chunk, count) in chunks.into_iter().zip(counts) {
            let (left, more_lefts) = lefts.split_at_mut(count);
            let (right, more_rights) = rights.split_at_mut(chunk.len() - count);
            (lefts, rights) = (more_lefts, more_rights);
            targets.push((chunk, left, right));
        }
        targets
            .into_par_iter()
            .for_each(|(chunk, left, right)| scatter(chunk, left, right, &goes_left));
    }
    Division::At { left, moved: true }
}

/// Moves items to one of two slices, which they fill exactly.
///
/// Which side an item goes to is as good as random, and a wrongly foreseen
/// branch costs more than a store: every item is written to both sides, and
/// only one side moves on.
fn scatter(
    items: &[Item],
    left: &mut [Item],
    right: &mut [Item],
    goes_left: impl Fn(&Item) -> bool,
) {
    let (mut l, mut r) = (0, 0);
    for item in items {
        if l == left.len() || r == right.len() {
            break;
        }
        left[l] = *item;
        right[r] = *item;
        let is_left = goes_left(item);
        l += usize::from(is_left);
        r += usize::from(!is_left);
    }
    // One side is full: what remains belongs to the other.
    let rest = &items[l + r..];
    if l < left.len() {
        left[l..].copy_from_slice(rest);
    } else {
        right[r..].copy_from_slice(rest);
    }
}
