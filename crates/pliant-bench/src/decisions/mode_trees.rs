//! Trees that know the modes: divided where the boxes of a moving body will be small, not only
//! those at rest.

use glam::DVec3;
use pliant::Mesh;
use pliant::deform::Modes;
use pliant::tree::{MAX_DEPTH, Node, Tree};

/// Bins along an axis.
const BINS: usize = 16;

/// Along which axes nodes are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axes {
    /// Those of space, at rest.
    Rest,
    /// Those, and those of the displacements by each mode.
    RestAndModes,
}

/// Boxes of triangles, one at rest and one per mode, each times the usual size of its coordinate.
#[derive(Clone)]
struct Extent {
    boxes: Vec<[DVec3; 2]>,
    number: usize,
}

impl Extent {
    fn none(count: usize) -> Self {
        Self { boxes: vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; count], number: 0 }
    }

    fn merge(&mut self, other: &Self) {
        self.number += other.number;
        for (own, [min, max]) in self.boxes.iter_mut().zip(&other.boxes) {
            *own = [own[0].min(*min), own[1].max(*max)];
        }
    }

    /// Half the surface of the box that coordinates of the usual size give.
    fn area(&self) -> f64 {
        let side: DVec3 = self.boxes.iter().map(|[min, max]| *max - *min).sum();
        side.x * side.y + side.y * side.z + side.z * side.x
    }
}

/// A binary tree of one triangle per leaf by the surface-area rule, with the areas of boxes from
/// coordinates as large as `usual`.
pub(crate) fn build(mesh: &Mesh, modes: &Modes, usual: &[f64], axes: Axes) -> Tree {
    let of = |corners: &[u32; 3]| {
        let mut extent = Extent::none(modes.count() + 1);
        extent.number = 1;
        for vertex in corners.map(|vertex| vertex as usize) {
            let displaced = modes.of(vertex).iter().zip(usual).map(|(u, &q)| u.as_dvec3() * q);
            let points = std::iter::once(mesh.positions()[vertex]).chain(displaced);
            for (own, point) in extent.boxes.iter_mut().zip(points) {
                *own = [own[0].min(point), own[1].max(point)];
            }
        }
        extent
    };
    let extents: Vec<Extent> = mesh.triangles().iter().map(of).collect();
    let mut tree = Tree { nodes: vec![Node::leaf(0, 1)], primitives: Vec::new() };
    let mut items: Vec<u32> = (0..extents.len() as u32).collect();
    tree.primitives.clone_from(&items);
    let mut stack = vec![(0_usize, 0..items.len(), 0_u32)];
    while let Some((node, run, depth)) = stack.pop() {
        if run.len() == 1 {
            tree.nodes[node] = Node::leaf(run.start as u32, 1);
            tree.primitives[run.start] = items[run.start];
            continue;
        }
        let free = depth < MAX_DEPTH / 2;
        let left = run.start + divide(&mut items[run.clone()], &extents, axes, free);
        let first = tree.nodes.len();
        tree.nodes.extend([Node::leaf(0, 1); 2]);
        tree.nodes[node] = Node::inner(first as u32, 2);
        stack.push((first + 1, left..run.end, depth + 1));
        stack.push((first, run.start..left, depth + 1));
    }
    tree
}

/// Reorders triangles and says how many come first: by least cost, or halves where none is
/// to be had or the tree is too deep for a choice.
fn divide(items: &mut [u32], extents: &[Extent], axes: Axes, free: bool) -> usize {
    let count = extents[0].boxes.len();
    let middle = |item: u32, (of, axis): (usize, usize)| {
        let [min, max] = extents[item as usize].boxes[of];
        0.5 * (min[axis] + max[axis])
    };
    let last = if axes == Axes::Rest { 1 } else { count };
    let directions = (0..last).flat_map(|of| (0..3).map(move |axis| (of, axis)));
    let mut best = (f64::INFINITY, (0, 0), 0.0);
    for direction in directions.filter(|_| free) {
        let places = items.iter().map(|&item| middle(item, direction));
        let (low, high) = places
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let width = (high - low) / BINS as f64;
        if width.is_nan() || width <= 0.0 {
            continue;
        }
        let mut bins = vec![Extent::none(count); BINS];
        for &item in items.iter() {
            let bin = ((middle(item, direction) - low) / width) as usize;
            bins[bin.min(BINS - 1)].merge(&extents[item as usize]);
        }
        let cost = |bins: &mut dyn Iterator<Item = &Extent>| {
            let mut sum = Extent::none(count);
            let add = |bin: &Extent| {
                sum.merge(bin);
                if sum.number == 0 { f64::INFINITY } else { sum.number as f64 * sum.area() }
            };
            bins.map(add).collect::<Vec<f64>>()
        };
        let (left, right) = (cost(&mut bins.iter()), cost(&mut bins.iter().rev()));
        for border in 1..BINS {
            let cost = left[border - 1] + right[BINS - 1 - border];
            if cost < best.0 {
                best = (cost, direction, low + width * border as f64);
            }
        }
    }
    let (_, direction, border) = best;
    items.sort_by(|&a, &b| middle(a, direction).total_cmp(&middle(b, direction)));
    let left = items.iter().filter(|&&item| middle(item, direction) < border).count();
    if best.0 < f64::INFINITY && (1..items.len()).contains(&left) { left } else { items.len() / 2 }
}
