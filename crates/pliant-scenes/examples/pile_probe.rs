//! probe
use pliant_scenes::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let count: usize = args[2].parse().unwrap();
    let steps: usize = args[3].parse().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| {
        let t = Instant::now();
        let mut run = match args[1].as_str() {
            "chairs" | "rigid" => {
                let c = modal_chair().unwrap();
                println!("freq {:?}", c.frequencies);
                let m = chair_model(c, 10).unwrap();
                let m = if args[1] == "rigid" { m.held_rigid().unwrap() } else { m };
                println!(
                    "mass {:?} nodes {} proxies {}",
                    m.mass(),
                    m.proxies().nodes().len(),
                    m.proxies().proxies()
                );
                falling_chairs(m, count, 1).unwrap()
            }
            _ => {
                let m = fish_model(7).unwrap();
                println!(
                    "mass {:?} nodes {} proxies {}",
                    m.mass(),
                    m.proxies().nodes().len(),
                    m.proxies().proxies()
                );
                fish_on_bridge(m, bridge_model().unwrap(), count, 1).unwrap()
            }
        };
        println!("built {:?}", t.elapsed());
        let mut last = run.energy().unwrap().total();
        let mut grew = 0.0f64;
        for s in 0..steps {
            let t = Instant::now();
            let w = run.step().unwrap();
            let dt = t.elapsed();
            if s % (steps / 20).max(1) == 0 || s + 1 == steps {
                let e = run.energy().unwrap();
                let worst =
                    (0..run.bodies() as u32).map(|b| run.strain(b).unwrap()).fold(0.0, f64::max);
                let v = (0..run.bodies() as u32)
                    .map(|b| {
                        let m = run.model(b).unwrap().mass().mass;
                        run.state(b).unwrap().momentum.length() / m
                    })
                    .fold(0.0, f64::max);
                println!("{s} {dt:?} {w:?} {e:?} tot {} strain {worst:.3} vmax {v:.4}", e.total());
                grew = grew.max(e.total() - last);
                last = e.total();
            }
        }
        println!("largest growth {grew}");
    });
}
