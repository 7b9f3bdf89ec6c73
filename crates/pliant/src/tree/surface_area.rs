//! The surface area heuristic over bins (Wald, "On fast construction of SAH-based
//! bounding volume hierarchies", 2007, section 3).
//!
//! A child is visited about as often as its surface is larger, and then costs as
//! much as it has primitives: a good plane makes the sum of area times count
//! over the two children small. Only planes between bins are tried.

use glam::{Vec3A, Vec3Swizzles};

use super::item::{Centers, Item};
use super::partition::{Division, Plane, halve, partition};
use super::split::midpoint;
use crate::volume::Aabb;

/// Ranges above this take their plane from a sample. Measured on a curtain, a
/// sphere and a soup of triangles, the cost of the tree changes by less than a
/// percent, and the time to build it by a third.
const SAMPLED_ABOVE: usize = 4 * SAMPLE;

/// How many items a sample has, about.
const SAMPLE: usize = 512;

/// What is added to each side of a box, as a part of the longest side of the
/// whole, before its area is taken. Without it all boxes along a line would have
/// the area zero, and any plane would be as good as the best.
const THICKNESS: f32 = 1.0 / 4096.0;

/// One bin of each axis.
#[derive(Clone, Copy)]
struct Slab {
    min: [Vec3A; 3],
    max: [Vec3A; 3],
    /// The fourth is padding: with it, a slab is 112 bytes, and is copied by
    /// seven moves and not by a call.
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

    /// Area times count, where `unit` is the length of the whole's longest side,
    /// inverted: no area overflows or vanishes at any scale.
    #[inline]
    fn cost(&self, axis: usize, unit: f32) -> f32 {
        let side = (self.max[axis] - self.min[axis]) * unit + THICKNESS;
        side.dot(side.yzx()) * self.count[axis] as f32
    }
}

/// 2^23: adding it rounds to an integer, which then stands in the low bits.
const INTEGERS: f32 = 8_388_608.0;

/// A plane to divide at, and whether dividing there costs less than a leaf.
struct Best {
    plane: Plane,
    pays: bool,
}

/// The plane of least cost among those between `N` bins an axis; none if the
/// centres coincide.
fn best_plane<const N: usize>(items: &[Item]) -> Option<Best> {
    let around = Centers::of(items);
    // The ends of the box of centres are the middles of the outermost bins: a
    // place rounds to the bins 0 to N - 1. A flat axis has no scale, and all of
    // its centres in the first bin.
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
    // An empty side costs NaN, infinity times zero, and is never better.
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
    // As a leaf, every item is tested wherever the whole is visited; divided,
    // there is one node more to visit.
    let leaf = whole.cost(0, unit);
    let pays = least + leaf / (items.len() as f32) < leaf;
    Some(Best { plane: Plane { axis, at }, pays })
}

/// Divides where the cost is least.
pub(super) fn divide(items: &[Item], spare: &mut [Item], leaf_size: usize) -> Division {
    let count = items.len();
    if count == 2 && leaf_size == 1 {
        return halve(items);
    }
    // Few items need few bins: the cost of the tree changes by less than a
    // percent, and most nodes have few.
    let best = match count {
        ..=16 => best_plane::<4>(items),
        17..=64 => best_plane::<8>(items),
        65..=SAMPLED_ABOVE => best_plane::<16>(items),
        _ => best_plane::<16>(&sample(items)),
    };
    match best {
        Some(Best { pays: false, .. }) | None if count <= leaf_size => Division::Leaf,
        Some(Best { plane, .. }) => partition(items, spare, plane),
        // The sample's centres coincide; if all do, this divides into halves.
        None => midpoint(items, spare),
    }
}

/// Some of the items, spread over all, the same ones each time.
fn sample(items: &[Item]) -> Vec<Item> {
    let mut state = 0x9e37_79b9_u32;
    let stride = items.len() / SAMPLE;
    items
        .chunks_exact(stride)
        .map(|chunk| {
            // Not always the same place of a chunk: the rows of a mesh could
            // fall in step with it.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            chunk[(state >> 8) as usize % chunk.len()]
        })
        .collect()
}
