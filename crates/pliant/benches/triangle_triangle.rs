//! The cost of one exact triangle-triangle test, by kind of pair.
//!
//! All pairs have overlapping boxes, as those have that a tree traversal yields.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pliant::contact::triangles_touch;
use pliant::glam::DVec3;

type Triangle = [DVec3; 3];
type Pair = (Triangle, Triangle);

const PAIRS: usize = 4096;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn real(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn triangle(&mut self) -> Triangle {
        [(); 3].map(|()| DVec3::new(self.real(), self.real(), self.real()))
    }
}

fn boxes_overlap(a: &Triangle, b: &Triangle) -> bool {
    let low = |t: &Triangle| t[0].min(t[1]).min(t[2]);
    let high = |t: &Triangle| t[0].max(t[1]).max(t[2]);
    low(a).cmple(high(b)).all() && low(b).cmple(high(a)).all()
}

/// Random pairs of which a given test holds.
fn pairs_with(test: impl Fn(&Triangle, &Triangle) -> bool) -> Vec<Pair> {
    let mut random = Random(7);
    std::iter::repeat_with(|| (random.triangle(), random.triangle()))
        .filter(|(a, b)| boxes_overlap(a, b) && test(a, b))
        .take(PAIRS)
        .collect()
}

/// Whether the plane of `a` alone keeps them apart.
fn one_plane_separates(a: &Triangle, b: &Triangle) -> bool {
    let normal = (a[1] - a[0]).cross(a[2] - a[0]);
    let [x, y, z] = b.map(|p| normal.dot(p - a[0]) > 0.0);
    x == y && y == z
}

/// A wavy sheet of triangles over the unit square.
fn sheet(side: usize, height: f64, phase: f64) -> Vec<Triangle> {
    let at = |i: usize, j: usize| {
        let (x, y) = (i as f64 / side as f64, j as f64 / side as f64);
        let z = height + 0.02 * ((17.0 * x + phase).sin() + (13.0 * y).cos());
        DVec3::new(x + 0.3 * phase / side as f64, y, z)
    };
    let squares = (0..side).flat_map(|i| (0..side).map(move |j| (i, j)));
    squares
        .flat_map(|(i, j)| {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            [[a, b, d], [b, c, d]]
        })
        .collect()
}

/// All pairs of two lists whose boxes overlap.
fn candidates(first: &[Triangle], second: &[Triangle]) -> Vec<Pair> {
    let all = first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b)));
    all.filter(|(a, b)| boxes_overlap(a, b)).collect()
}

fn triangle_triangle(criterion: &mut Criterion) {
    let flat = |t: Triangle| t.map(|p| p.with_z(0.0));
    let kinds = [
        ("apart by one plane", pairs_with(one_plane_separates)),
        ("apart", pairs_with(|a, b| !triangles_touch(a, b))),
        ("crossing", pairs_with(triangles_touch)),
        ("two sheets", candidates(&sheet(40, 0.0, 0.0), &sheet(40, 0.01, 1.0))),
        ("one plane", pairs_with(|_, _| true).iter().map(|(a, b)| (flat(*a), flat(*b))).collect()),
    ];
    let mut group = criterion.benchmark_group("triangles_touch");
    for (name, pairs) in &kinds {
        group.throughput(Throughput::Elements(pairs.len() as u64));
        group.bench_function(*name, |bencher| {
            bencher.iter(|| {
                black_box(pairs.as_slice()).iter().filter(|(a, b)| triangles_touch(a, b)).count()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, triangle_triangle);
criterion_main!(benches);
