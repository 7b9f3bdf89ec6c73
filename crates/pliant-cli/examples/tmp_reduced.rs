//! Temporary.

use pliant::deform::Modes;
use pliant::tree::BuildSettings;
use pliant::*;
use std::sync::Arc;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (kind, reps, refine): (&str, usize, u32) =
        (&a[1], a[2].parse().unwrap(), a.get(3).map_or(0, |r| r.parse().unwrap()));
    let s = pliant_scenes::curtain_and_ball(refine, 4).unwrap();
    let mesh = &s.curtain.mesh;
    let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &s.curtain.modes).unwrap());
    let g = |i: usize, d: usize| a.get(i).map_or(d, |r| r.parse().unwrap());
    let split = [
        pliant::tree::Split::BinnedSah,
        pliant::tree::Split::Midpoint,
        pliant::tree::Split::Median,
    ][g(4, 0)];
    let st = BuildSettings { split, arity: g(5, 2), leaf_size: g(6, 1) };
    let mut ball = Body::rigid_with(s.ball.mesh.clone(), &st).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let frames: Vec<usize> = (25..85).step_by(4).collect();
    let mut best = vec![f64::INFINITY; frames.len()];
    pool.install(|| {
        if kind == "up" {
            let mut c = Body::free_with(mesh.clone(), &st).unwrap();
            let mut out = Vec::new();
            for _ in 0..reps {
                for (i, &f) in frames.iter().enumerate() {
                    let t = std::time::Instant::now();
                    out.clear();
                    out.extend(
                        mesh.positions()
                            .iter()
                            .enumerate()
                            .map(|(v, &p)| modes.displaced(p, v, &s.curtain.coordinates[f])),
                    );
                    c.set_positions(&out).unwrap();
                    ball.set_isometry(Isometry::from_translation(s.ball.centers[f]).unwrap());
                    std::hint::black_box(intersections(&c, &ball));
                    best[i] = best[i].min(t.elapsed().as_secs_f64());
                }
            }
        } else {
            let b: u32 = kind.parse().unwrap();
            let mut c = Body::reduced_below(mesh.clone(), modes.clone(), &st, b).unwrap();
            for _ in 0..reps {
                for (i, &f) in frames.iter().enumerate() {
                    let t = std::time::Instant::now();
                    c.set_coordinates(&s.curtain.coordinates[f]).unwrap();
                    ball.set_isometry(Isometry::from_translation(s.ball.centers[f]).unwrap());
                    std::hint::black_box(intersections(&c, &ball));
                    best[i] = best[i].min(t.elapsed().as_secs_f64());
                }
            }
        }
    });
    println!("{kind}: {:.1} us", best.iter().sum::<f64>() / best.len() as f64 * 1e6);
}
