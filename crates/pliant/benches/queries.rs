//! Refits and queries on curtain and ball.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pliant::glam::DVec3;
use pliant::volume::Ray;
use pliant::{
    Body, FreeBody, closest_point, distance, intersections, intersects, ray_cast,
    self_intersections,
};
use pliant_scenes::curtain_and_ball;

/// A frame in which curtain and ball are apart, and one in which they touch.
const FRAMES: [(&str, usize); 2] = [("apart", 5), ("contact", 56)];

fn queries(criterion: &mut Criterion) {
    for refinements in [0, 1] {
        let scene = curtain_and_ball(refinements, 4).expect("a scene");
        let triangles = scene.curtain.mesh.triangles().len();
        for (name, frame) in FRAMES {
            let positions = scene.curtain.positions(frame).expect("a frame");
            let center = scene.ball.centers[frame];
            let moved: Vec<DVec3> =
                scene.ball.mesh.positions().iter().map(|&p| p + center).collect();
            let mut cloth: FreeBody = Body::free(scene.curtain.mesh.clone()).expect("a body");
            let mut ball: FreeBody = Body::free(scene.ball.mesh.clone()).expect("a body");
            cloth.set_positions(&positions).expect("finite");
            ball.set_positions(&moved).expect("finite");
            let ray = Ray::new(DVec3::new(0.1, 1.4, 5.0), DVec3::NEG_Z).expect("a ray");
            let id = |what: &str| BenchmarkId::new(format!("{what} {name}"), triangles);
            let mut group = criterion.benchmark_group("curtain");
            group.bench_function(id("refit"), |b| {
                b.iter(|| cloth.set_positions(black_box(&positions)));
            });
            group.bench_function(id("intersections"), |b| b.iter(|| intersections(&cloth, &ball)));
            group.bench_function(id("intersects"), |b| b.iter(|| intersects(&cloth, &ball)));
            group.bench_function(id("self"), |b| b.iter(|| self_intersections(&cloth)));
            group.bench_function(id("distance"), |b| b.iter(|| distance(&cloth, &ball)));
            group.bench_function(id("ray"), |b| b.iter(|| ray_cast(&cloth, black_box(&ray))));
            group.bench_function(id("closest point"), |b| {
                b.iter(|| closest_point(&cloth, black_box(center)));
            });
        }
    }
}

criterion_group!(benches, queries);
criterion_main!(benches);
