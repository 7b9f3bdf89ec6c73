//! Times self-intersections beside refits.
use pliant::{Body, Mesh, glam::DVec3, self_intersections};
use std::time::{Duration, Instant};

fn best(n: usize, times: &mut [Duration], fs: &mut [&mut dyn FnMut()]) {
    for _ in 0..n {
        for (t, f) in times.iter_mut().zip(fs.iter_mut()) {
            let s = Instant::now();
            f();
            *t = (*t).min(s.elapsed());
        }
    }
}

fn measure(name: &str, mesh: &Mesh, states: &[(String, Vec<DVec3>)], n: usize) {
    let plain = Body::free(mesh.clone()).unwrap();
    let s = Instant::now();
    let mut ready = plain.clone();
    ready.prepare_self_intersections();
    println!("{name}: {} triangles, prepared in {:?}", mesh.triangles().len(), s.elapsed());
    let mut refit = plain.clone();
    let mut plain = plain;
    for (state, positions) in states {
        plain.set_positions(positions).unwrap();
        ready.set_positions(positions).unwrap();
        let mut t = [Duration::MAX; 4];
        let b = self_intersections(&ready);
        let a =
            if std::env::var("NOPLAIN").is_ok() { b.clone() } else { self_intersections(&plain) };
        assert_eq!(a.pairs, b.pairs);
        use pliant::Collide;
        best(
            n,
            &mut t,
            &mut [
                &mut || refit.set_positions(positions).unwrap(),
                &mut || {
                    std::hint::black_box(ready.clearance());
                },
                &mut || {
                    std::hint::black_box(self_intersections(&ready));
                },
                &mut || {
                    if std::env::var("PLAIN").is_ok() {
                        std::hint::black_box(self_intersections(&plain));
                    }
                },
            ],
        );
        let us = t.map(|t| t.as_secs_f64() * 1e6);
        println!(
            "  {state:10} pairs {:5} refit {:7.1} fits {:7.1} self {:7.1} ({:.2}x) plain {:8.1} ({:.1}x) overlap {} of {} tri {} of {}",
            a.pairs.len(),
            us[0],
            us[1],
            us[2],
            us[2] / us[0],
            us[3],
            us[3] / us[0],
            b.work.overlap_tests,
            a.work.overlap_tests,
            b.work.primitive_tests,
            a.work.primitive_tests
        );
    }
}

fn main() {
    let n: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let pool = rayon_core_one();
    pool(&|| {
        let only = std::env::args().nth(2);
        let scene =
            pliant_io::load("/work/shared/data/gltf/derived/makehuman_male_cmu.glb").unwrap();
        let mesh = scene.objects()[0].mesh.clone();
        let mut states = vec![("rest".to_string(), mesh.positions().to_vec())];
        let length = scene.animations()[0].seconds();
        for k in 0..5 {
            let time = length * f64::from(k) / 4.0;
            let pose = scene.pose(Some(0), time).unwrap();
            let mut p = Vec::new();
            scene.posed(0, &pose).unwrap().positions(&mut p);
            states.push((format!("t={time:.2}"), p));
        }
        if let Some(k) = only.as_ref().and_then(|k| k.parse::<usize>().ok()) {
            states = vec![states.swap_remove(k)];
        }
        measure("makehuman", &mesh, &states, n);
        if only.is_none() {
            let c = pliant_scenes::curtain(0).unwrap();
            let mut states = vec![("rest".to_string(), c.mesh.positions().to_vec())];
            for f in [10, 30, 56, 80] {
                states.push((format!("f{f}"), c.positions(f).unwrap()));
            }
            measure("curtain", &c.mesh, &states, n);
        }
    });
}
fn rayon_core_one() -> impl Fn(&(dyn Fn() + Sync)) {
    |f| f()
}
