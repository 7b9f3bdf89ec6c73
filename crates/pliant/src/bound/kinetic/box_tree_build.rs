//! The construction of a BoxTree (Zachmann and Weller 2006, section 6; Zachmann 2002).
//!
//! A child has the box of its parent, cut by one plane. So the tree is split where the cut boxes of
//! both halves, not their tight ones, have the least surface. Where a node's box is still much
//! larger than what is in it, further planes cut off what is empty: they stand for the nodes with
//! one child of the BoxTree.

use std::ops::Range;

use glam::DVec3;

use crate::Mesh;
use crate::deform::Flight;
use crate::tree::{Node, Tree};

/// Intervals into which middles are sorted along an axis. More of them did not give better trees.
const BINS: usize = 32;

/// Beyond this depth ranges are halved, as in all trees: traversals rely on a largest depth.
const FREE_DEPTH: u32 = 64;

/// A plane cuts off what is empty if that leaves at most this part of the surface.
const WORTH_A_PLANE: f64 = 0.8;

/// A box in `f64`.
#[derive(Debug, Clone, Copy)]
struct Corners {
    low: DVec3,
    high: DVec3,
}

impl Corners {
    fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        let empty = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
        points.into_iter().fold(empty, |all, p| Self { low: all.low.min(p), high: all.high.max(p) })
    }

    fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The area of three faces; 0 if the numbers are too large.
    fn surface(self) -> f64 {
        let DVec3 { x, y, z } = self.high - self.low;
        let area = x * y + y * z + z * x;
        if area.is_finite() { area } else { 0.0 }
    }

    /// The same box with one of its six sides moved: three low ones, then three high ones.
    fn cut(mut self, side: usize, at: &Self) -> Self {
        match side {
            0..3 => self.low[side] = at.low[side],
            _ => self.high[side - 3] = at.high[side - 3],
        }
        self
    }
}

/// A triangle while the tree grows.
#[derive(Debug, Clone, Copy)]
struct Item {
    number: u32,
    middle: DVec3,
    bound: Corners,
}

/// Builds a binary tree over the triangles where they are now.
pub(super) fn build(mesh: &Mesh, flight: &Flight, leaf_size: usize) -> Tree {
    let item = |(number, corners): (u32, &[u32; 3])| {
        let bound = Corners::around(corners.map(|v| flight.position_at(flight.now(), v)));
        Item { number, middle: 0.5 * bound.low + 0.5 * bound.high, bound }
    };
    let mut items: Vec<Item> = (0..).zip(mesh.triangles()).map(item).collect();
    let whole = items.iter().map(|item| item.bound).reduce(Corners::join);
    let whole = whole.unwrap_or(Corners { low: DVec3::ZERO, high: DVec3::ZERO });
    let mut nodes = vec![Node::leaf(0, items.len() as u32)];
    let mut open = vec![(0, 0..items.len(), whole, 0)];
    while let Some((number, range, bound, depth)) = open.pop() {
        let Range { start, end } = range.clone();
        if range.len() <= leaf_size {
            nodes[number] = Node::leaf(start as u32, range.len() as u32);
            continue;
        }
        let (at, axis) = split(&mut items[range], &bound, depth);
        let halves = [start..start + at, start + at..end];
        let first = nodes.len();
        nodes[number] = Node::inner(first as u32, 2);
        nodes.extend([Node::leaf(0, 0); 2]);
        // The lower half ends at its high side, the upper one begins at its low side.
        for (child, (half, side)) in halves.into_iter().zip([axis + 3, axis]).enumerate().rev() {
            let tight = items[half.clone()].iter().map(|item| item.bound).reduce(Corners::join);
            let own = bound.cut(side, &tight.unwrap_or(bound));
            open.push((first + child, half, own, depth + 1));
        }
    }
    Tree { nodes, primitives: items.iter().map(|item| item.number).collect() }
}

/// Puts items in order, such that the lower half comes first. Returns how many these are, at least one
/// and not all, and the axis.
fn split(items: &mut [Item], bound: &Corners, depth: u32) -> (usize, usize) {
    let best = if depth < FREE_DEPTH { cheapest(items, bound) } else { None };
    if let Some((axis, bin)) = best {
        let scale = Scale::new(items, axis);
        let mut at = 0;
        for place in 0..items.len() {
            if scale.bin(&items[place]) <= bin {
                items.swap(place, at);
                at += 1;
            }
        }
        if 0 < at && at < items.len() {
            return (at, axis);
        }
    }
    // All middles are at one place, or the tree is too deep.
    let size = bound.high - bound.low;
    let axis = (1..3).fold(0, |a, b| if size[b] > size[a] { b } else { a });
    let at = items.len() / 2;
    items.select_nth_unstable_by(at, |a, b| {
        a.middle[axis].total_cmp(&b.middle[axis]).then(a.number.cmp(&b.number))
    });
    (at, axis)
}

/// Where the middles of items lie along an axis.
struct Scale {
    axis: usize,
    start: f64,
    bins_per_length: f64,
}

impl Scale {
    fn new(items: &[Item], axis: usize) -> Self {
        let middles = items.iter().map(|item| item.middle[axis]);
        let (low, high) =
            middles.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), at| (l.min(at), h.max(at)));
        Self { axis, start: low, bins_per_length: BINS as f64 / (high - low) }
    }

    fn divides(&self) -> bool {
        self.bins_per_length.is_finite() && self.bins_per_length > 0.0
    }

    /// As `usize`: rounded down, within its range.
    fn bin(&self, item: &Item) -> usize {
        (((item.middle[self.axis] - self.start) * self.bins_per_length) as usize).min(BINS - 1)
    }
}

/// The axis and the last bin of the lower half for which the cut boxes cost least: surface times
/// triangles. `None` if all middles are at one place.
fn cheapest(items: &[Item], bound: &Corners) -> Option<(usize, usize)> {
    let mut best = None;
    let mut least = f64::INFINITY;
    for axis in 0..3 {
        let scale = Scale::new(items, axis);
        if !scale.divides() {
            continue;
        }
        let mut bins = [(0_usize, f64::INFINITY, f64::NEG_INFINITY); BINS];
        for item in items {
            let (count, low, high) = &mut bins[scale.bin(item)];
            *count += 1;
            *low = low.min(item.bound.low[axis]);
            *high = high.max(item.bound.high[axis]);
        }
        // What lies above each bin.
        let mut above = [(0, f64::INFINITY); BINS];
        for bin in (1..BINS).rev() {
            let (count, low, _) = bins[bin];
            above[bin - 1] = (above[bin].0 + count, above[bin].1.min(low));
        }
        let (mut below, mut end) = (0, f64::NEG_INFINITY);
        for bin in 0..BINS - 1 {
            below += bins[bin].0;
            end = end.max(bins[bin].2);
            let (rest, start) = above[bin];
            if below == 0 || rest == 0 {
                continue;
            }
            let planes = Corners { low: DVec3::splat(start), high: DVec3::splat(end) };
            let cost = below as f64 * bound.cut(axis + 3, &planes).surface()
                + rest as f64 * bound.cut(axis, &planes).surface();
            if cost < least {
                (least, best) = (cost, Some((axis, bin)));
            }
        }
    }
    best
}

/// For each node its own sides, a bit for each: all of the root, the one towards the sibling of every
/// other node, and those that cut off what is empty now.
pub(super) fn own_sides(tree: &Tree, mesh: &Mesh, flight: &Flight) -> Vec<u8> {
    let position = |&vertex: &u32| flight.position_at(flight.now(), vertex);
    let mut tight = vec![Corners::around([]); tree.nodes.len()];
    for (number, &node) in tree.nodes.iter().enumerate().rev() {
        let triangles = tree.leaf_primitives(node).iter();
        let corners = triangles.flat_map(|&triangle| &mesh.triangles()[triangle as usize]);
        let of_leaf = Corners::around(corners.map(position));
        let below = if node.is_leaf() { 0..0 } else { node.range() };
        tight[number] = below.fold(of_leaf, |all, child| all.join(tight[child as usize]));
    }
    let mut own = vec![0b11_1111; tree.nodes.len()];
    let mut bounds = tight.clone();
    for (number, node) in tree.nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
        let children = node.range();
        let [first, second] = [children.start, children.end - 1].map(|child| tight[child as usize]);
        let apart = (second.low + second.high) - (first.low + first.high);
        let axis = (1..3).fold(0, |a, b| if apart[b].abs() > apart[a].abs() { b } else { a });
        let sides = if apart[axis] >= 0.0 { [axis + 3, axis] } else { [axis, axis + 3] };
        for (child, side) in children.zip(sides) {
            let child = child as usize;
            let mut bound = bounds[number].cut(side, &tight[child]);
            own[child] = 1 << side;
            loop {
                let open = (0..6).filter(|side| own[child] >> side & 1 == 0);
                let cut = open.map(|side| (side, bound.cut(side, &tight[child])));
                let best = cut.min_by(|a, b| a.1.surface().total_cmp(&b.1.surface()));
                match best.filter(|(_, cut)| cut.surface() < WORTH_A_PLANE * bound.surface()) {
                    Some((side, cut)) => {
                        own[child] |= 1 << side;
                        bound = cut;
                    }
                    None => break,
                }
            }
            bounds[child] = bound;
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deform::Keyframes;
    use crate::test_meshes::bumpy_sheet;
    use crate::tree::validate;

    #[test]
    fn trees_are_valid_whatever_the_triangles() {
        let one_place = Mesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]; 300]).unwrap();
        for mesh in [bumpy_sheet(12, 0.4), one_place] {
            let frames = Keyframes::new(vec![0.0], vec![mesh.positions().to_vec()]).unwrap();
            let flight = Flight::keyframed(frames);
            for leaf_size in [1, 3] {
                let tree = build(&mesh, &flight, leaf_size);
                validate(&tree).unwrap();
                assert_eq!(tree.primitives.len(), mesh.triangles().len());
                let own = own_sides(&tree, &mesh, &flight);
                assert_eq!(own[0], 0b11_1111);
                assert!(own.iter().all(|own| own.count_ones() >= 1));
            }
        }
    }
}
