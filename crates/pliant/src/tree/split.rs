//! Where a range of items is divided: midpoint, median, or surface area.

use super::item::{Item, centers};
use super::partition::{Division, Plane, halve, partition};
use super::surface_area;

/// Where a node's primitives are divided in two.
///
/// Where a rule cannot divide, because all centres coincide, the primitives are
/// divided into equal halves in the order in which they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Split {
    /// In the middle of the longest side of the box of the centres, as in the
    /// classic papers on deforming trees. The fastest to build; follows the shape.
    Midpoint,
    /// Into equal halves along the longest side of the box of the centres. The
    /// least depth; ignores gaps.
    Median,
    /// Where the expected cost of a query is least, by the surface area
    /// heuristic over bins along all three axes; ranges of more than 2048
    /// primitives are judged by a fixed sample. The best trees.
    BinnedSah,
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

/// Divides in the middle of the longest side of the box of the centres.
pub(super) fn midpoint(items: &[Item], spare: &mut [Item]) -> Division {
    let around = centers(items);
    let axis = around.longest_axis();
    partition(items, spare, Plane { axis, at: 0.5 * (around.min[axis] + around.max[axis]) })
}

/// Divides into equal halves along the longest side of the box of the centres.
fn median(items: &mut [Item]) -> Division {
    let axis = centers(items).longest_axis();
    // The number breaks ties: the halves do not depend on how the middle is found.
    items.select_nth_unstable_by(items.len() / 2, |a, b| {
        let by_center = a.doubled_center_along(axis).total_cmp(&b.doubled_center_along(axis));
        by_center.then(a.primitive().cmp(&b.primitive()))
    });
    halve(items)
}
