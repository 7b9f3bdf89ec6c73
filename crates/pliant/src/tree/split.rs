//! The rules for splitting a range of items: midpoint, median, or surface area.

use super::item::{Item, centers};
use super::partition::{Division, Plane, halve, partition};
use super::surface_area;

/// How the primitives of a node are split in two.
///
/// If a rule cannot split, because all centres coincide, the primitives are split into equal halves
/// in their current order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Split {
    /// At the middle of the longest side of the box of centres, as in the classic papers on
    /// deformable bodies. The fastest to build.
    Midpoint,
    /// Into equal halves along the longest side of the box of centres. Gives the least depth, but
    /// ignores gaps.
    Median,
    /// At the least expected cost of a query, by the surface area heuristic over bins along all
    /// three axes. Ranges of more than 2048 primitives use a fixed sample. Gives the best trees.
    BinnedSah,
}

/// Splits at least two items.
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

/// Splits at the middle of the longest side of the box of centres.
pub(super) fn midpoint(items: &[Item], spare: &mut [Item]) -> Division {
    let around = centers(items);
    let axis = around.longest_axis();
    partition(items, spare, Plane { axis, at: 0.5 * (around.min[axis] + around.max[axis]) })
}

/// Splits into equal halves along the longest side of the box of centres.
fn median(items: &mut [Item]) -> Division {
    let axis = centers(items).longest_axis();
    // The number breaks ties, so that the halves do not depend on the selection algorithm.
    items.select_nth_unstable_by(items.len() / 2, |a, b| {
        let by_center = a.doubled_center_along(axis).total_cmp(&b.doubled_center_along(axis));
        by_center.then(a.primitive().cmp(&b.primitive()))
    });
    halve(items)
}
