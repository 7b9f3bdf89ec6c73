//! The surface area heuristic over bins.

use glam::Vec3A;
use rayon::prelude::*;

use super::grow::PARALLEL;
use super::item::{Centers, Item};
use super::split::{Division, centers, halves, partition};
use crate::volume::Aabb;

/// Bins an axis.
const BINS: usize = 16;

#[derive(Clone, Copy)]
struct Bin {
    min: Vec3A,
    max: Vec3A,
    count: u32,
}

impl Bin {
    const EMPTY: Self = Self { min: Aabb::EMPTY.min, max: Aabb::EMPTY.max, count: 0 };

    #[inline]
    fn add(&mut self, item: &Item) {
        self.min = self.min.min(item.min());
        self.max = self.max.max(item.max());
        self.count += 1;
    }

    #[inline]
    fn merge(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.count += other.count;
    }
}

type Bins = [[Bin; BINS]; 3];

/// Which bin.
#[derive(Clone, Copy)]
struct Grid {
    origin: Vec3A,
    scale: Vec3A,
}

const MAGIC: f32 = 8_388_608.0;

impl Grid {
    fn new(c: &Centers) -> Self {
        let scale = Vec3A::splat((BINS - 1) as f32) / (c.max - c.min);
        let scale = Vec3A::select(scale.cmplt(Vec3A::splat(f32::INFINITY)), scale, Vec3A::ZERO);
        Self { origin: c.min, scale }
    }
    #[inline]
    fn bins(&self, item: &Item) -> [usize; 3] {
        let t = (item.doubled_center() - self.origin) * self.scale + Vec3A::splat(MAGIC);
        t.to_array().map(|t| (t.to_bits() as usize) & (BINS - 1))
    }
    #[inline]
    fn bin(&self, item: &Item, axis: usize) -> usize {
        let t = (item.doubled_center_along(axis) - self.origin[axis]) * self.scale[axis] + MAGIC;
        t.to_bits() as usize & (BINS - 1)
    }
}

fn fill(items: &[Item], grid: &Grid) -> Bins {
    let mut bins = [[Bin::EMPTY; BINS]; 3];
    for item in items {
        let [x, y, z] = grid.bins(item);
        bins[0][x].add(item);
        bins[1][y].add(item);
        bins[2][z].add(item);
    }
    bins
}

fn merged(mut a: Bins, b: Bins) -> Bins {
    for (a, b) in a.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        a.merge(b);
    }
    a
}

const THICKNESS: f32 = 1.0 / 4096.0;

#[inline]
fn weight(bin: &Bin, inv: f32) -> f32 {
    let s = (bin.max - bin.min) * inv + THICKNESS;
    (s.x * s.y + s.y * s.z + s.z * s.x) * bin.count as f32
}

pub(super) fn divide(items: &mut [Item], spare: &mut [Item], leaf_size: usize) -> Division {
    if items.len() == 2 && leaf_size == 1 {
        return halves(items);
    }
    let around = centers(items);
    let grid = Grid::new(&around);
    let bins = if items.len() <= PARALLEL {
        fill(items, &grid)
    } else {
        items
            .par_chunks(PARALLEL)
            .map(|c| fill(c, &grid))
            .reduce(|| [[Bin::EMPTY; BINS]; 3], merged)
    };
    let mut whole = Bin::EMPTY;
    for b in &bins[0] {
        whole.merge(b);
    }
    let inv = 1.0 / (whole.max - whole.min).max_element().max(f32::MIN_POSITIVE);
    let mut best = (f32::INFINITY, 0, 0, 0);
    for (axis, bins) in bins.iter().enumerate() {
        if grid.scale[axis] == 0.0 {
            continue;
        }
        let mut right = [0.0; BINS];
        let mut acc = Bin::EMPTY;
        for i in (1..BINS).rev() {
            acc.merge(&bins[i]);
            right[i] = if acc.count == 0 { f32::INFINITY } else { weight(&acc, inv) };
        }
        let mut acc = Bin::EMPTY;
        for i in 0..BINS - 1 {
            acc.merge(&bins[i]);
            let cost = weight(&acc, inv) + right[i + 1];
            if cost < best.0 {
                best = (cost, axis, i + 1, acc.count as usize);
            }
        }
    }
    let (cost, axis, bin, left) = best;
    if items.len() <= leaf_size {
        let per = weight(&whole, inv);
        if cost + per / items.len() as f32 >= per {
            return Division::Leaf;
        }
    }
    partition(items, spare, left, |item| grid.bin(item, axis) < bin)
}
