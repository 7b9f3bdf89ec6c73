//! The binned surface area heuristic (Wald, "On fast construction of SAH-based bounding volume
//! hierarchies", 2007, section 3).
//!
//! The probability of visiting a child is proportional to its area, and its cost to its number of
//! primitives. A good plane therefore minimises the sum of area times count over the two children.
//! Only planes between bins are tried.

use glam::{Vec3A, Vec3Swizzles};

use super::item::{Centers, Item};
use super::partition::{Division, Plane, halve, partition};
use super::split::midpoint;
use crate::volume::Aabb;

/// Larger ranges take their plane from a sample. Measured on a curtain, a sphere and a triangle
/// soup, this changes the cost of the tree by less than a percent and the build time by a third.
const SAMPLED_ABOVE: usize = 4 * SAMPLE;

/// The approximate number of items in a sample.
const SAMPLE: usize = 512;

/// The length that is added to each side of a box before its area is computed, as a fraction of the
/// longest side of the whole. Without it all boxes along a line would have zero area, and all
/// planes would have the same cost.
const THICKNESS: f32 = 1.0 / 4096.0;

/// One bin of each axis.
#[derive(Clone, Copy)]
struct Slab {
    min: [Vec3A; 3],
    max: [Vec3A; 3],
    /// The fourth is padding: with it a slab has 112 bytes and is copied by seven moves, not by a
    /// call.
    count: [u32; 4],
}

impl Slab {
    const EMPTY: Self =
        Self { min: [Aabb::EMPTY.min; 3], max: [Aabb::EMPTY.max; 3], count: [0; 4] };

    #[inline]
    fn add(&mut self, axis: usize, item: &Item) {
        self.min[axis] = self.min[axis].min(item.min());
        self.max[axis] = self.max[axis].max(item.max());
        self.count[axis] += 1;
    }

    #[inline]
    fn merge(&mut self, other: &Self) {
        for axis in 0..3 {
            self.min[axis] = self.min[axis].min(other.min[axis]);
            self.max[axis] = self.max[axis].max(other.max[axis]);
        }
        for axis in 0..4 {
            self.count[axis] += other.count[axis];
        }
    }

    /// Area times count. `unit` is the inverse of the longest side of the whole, so that no area
    /// overflows or vanishes at any scale.
    #[inline]
    fn cost(&self, axis: usize, unit: f32) -> f32 {
        let side = (self.max[axis] - self.min[axis]) * unit + THICKNESS;
        side.dot(side.yzx()) * self.count[axis] as f32
    }
}

/// 2^23: adding it rounds to an integer, which is then in the low bits.
const INTEGERS: f32 = 8_388_608.0;

/// The best plane, and whether splitting there costs less than a leaf.
struct Best {
    plane: Plane,
    pays: bool,
}

/// The plane of least cost among those between `N` bins per axis; `None` if the centres coincide.
fn best_plane<const N: usize>(items: &[Item]) -> Option<Best> {
    let around = Centers::of(items);
    // The ends of the box of centres are the middles of the outermost bins, so positions round to
    // the bins 0 to N - 1. A flat axis has no scale, and all its centres are in the first bin.
    let scale = Vec3A::splat((N - 1) as f32) / (around.max - around.min);
    let scale = Vec3A::select(scale.cmplt(Vec3A::splat(f32::MAX)), scale, Vec3A::ZERO);
    let mut bins = [Slab::EMPTY; N];
    for item in items {
        let place = (item.doubled_center() - around.min) * scale + INTEGERS;
        let [x, y, z] = place.to_array().map(|place| place.to_bits() as usize & (N - 1));
        bins[x].add(0, item);
        bins[y].add(1, item);
        bins[z].add(2, item);
    }
    let mut whole = Slab::EMPTY;
    for bin in &bins {
        whole.merge(bin);
    }
    let unit = (whole.max[0] - whole.min[0]).max_element().max(f32::MIN_POSITIVE).recip();

    let mut right_costs = [[0.0; 3]; N];
    let mut right = Slab::EMPTY;
    for (bin, costs) in bins.iter().zip(&mut right_costs).skip(1).rev() {
        right.merge(bin);
        *costs = [0, 1, 2].map(|axis| right.cost(axis, unit));
    }
    // An empty side costs NaN (infinity times zero), which never compares as less.
    let (mut least, mut best) = (f32::INFINITY, None);
    let mut left = Slab::EMPTY;
    for (number, bin) in bins.iter().enumerate().take(N - 1) {
        left.merge(bin);
        for (axis, right_cost) in right_costs[number + 1].into_iter().enumerate() {
            let cost = left.cost(axis, unit) + right_cost;
            if cost < least {
                (least, best) = (cost, Some((axis, number)));
            }
        }
    }
    let (axis, number) = best?;
    let at = around.min[axis] + (number as f32 + 0.5) / scale[axis];
    // In a leaf, every item is tested whenever the node is visited. A split adds one node to visit.
    let leaf = whole.cost(0, unit);
    let pays = least + leaf / (items.len() as f32) < leaf;
    Some(Best { plane: Plane { axis, at }, pays })
}

/// Splits at the plane of least cost.
pub(super) fn divide(items: &[Item], spare: &mut [Item], leaf_size: usize) -> Division {
    let count = items.len();
    if count == 2 && leaf_size == 1 {
        return halve(items);
    }
    // Few items need few bins: the cost of the tree changes by less than a percent, and most nodes
    // have few items.
    let best = match count {
        ..=16 => best_plane::<4>(items),
        17..=64 => best_plane::<8>(items),
        65..=SAMPLED_ABOVE => best_plane::<16>(items),
        _ => best_plane::<16>(&sample(items)),
    };
    match best {
        Some(Best { pays: false, .. }) | None if count <= leaf_size => Division::Leaf,
        Some(Best { plane, .. }) => partition(items, spare, plane),
        // The centres of the sample coincide. If all centres do, this splits into halves.
        None => midpoint(items, spare),
    }
}

/// A fixed sample of the items, spread over all of them.
fn sample(items: &[Item]) -> Vec<Item> {
    let mut state = 0x9e37_79b9_u32;
    let stride = items.len() / SAMPLE;
    items
        .chunks_exact(stride)
        .map(|chunk| {
            // Not always the same index within a chunk, since the rows of a mesh could have the
            // same period.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            chunk[(state >> 8) as usize % chunk.len()]
        })
        .collect()
}
