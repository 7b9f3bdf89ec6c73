//! How long building a tree takes: a curtain of 770,040 triangles, by every rule,
//! on one thread and on two.

use criterion::{Criterion, criterion_group, criterion_main};
use pliant::glam::DVec3;
use pliant::tree::{BuildSettings, build};
use pliant::volume::Aabb;

/// The boxes of the triangles of a wavy sheet.
fn curtain(columns: usize, rows: usize) -> Vec<Aabb> {
    let at = |i: usize, j: usize| {
        let (u, v) = (i as f64 / columns as f64, j as f64 / rows as f64);
        let wave = 0.3 * (40.0 * u).sin() * (0.5 + v) + 0.05 * (9.0 * u + 17.0 * v).sin();
        DVec3::new(4.0 * u, 3.0 * v, wave)
    };
    let cells = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j)));
    let boxes = cells.flat_map(|(i, j)| {
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
        [Aabb::around([a, b, c]), Aabb::around([b, d, c])]
    });
    boxes.collect()
}

fn build_curtain(criterion: &mut Criterion) {
    let boxes = curtain(620, 621);
    let mut group = criterion.benchmark_group("build 770,040 triangles");
    group.sample_size(10);
    let named = [
        ("surface area", BuildSettings::SURFACE_AREA),
        ("classic", BuildSettings::CLASSIC),
        ("balanced", BuildSettings::BALANCED),
        ("wide", BuildSettings::WIDE),
    ];
    for (name, settings) in named {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("a pool of threads");
            group.bench_function(format!("{name}, {threads} threads"), |bencher| {
                pool.install(|| bencher.iter(|| build(&boxes, &settings)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, build_curtain);
criterion_main!(benches);
