//! probe
use pliant_scenes::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let count: usize = args[2].parse().unwrap();
    let steps: usize = args[3].parse().unwrap();
    let threads = std::env::var("THREADS").ok().and_then(|x| x.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let cpu = || {
        let s = std::fs::read_to_string("/proc/self/stat").unwrap();
        let f: Vec<&str> = s.split_whitespace().collect();
        f[13].parse::<f64>().unwrap() * 10.0
    };
    pool.install(|| {
        let mut run = match args[1].as_str() {
            "chairs" | "rigid" => {
                let m = chair_model(modal_chair().unwrap(), 10).unwrap();
                let m = if args[1] == "rigid" { m.held_rigid().unwrap() } else { m };
                falling_chairs(m, count, 1).unwrap()
            }
            _ => {
                let m = fish_model(7).unwrap();
                println!("{:?} nodes {}", m.mass(), m.proxies().nodes().len());
                fish_on_bridge(m, bridge_model().unwrap(), count, 1).unwrap()
            }
        };
        let every = (steps / 20).max(1);
        let mut w = Default::default();
        for _ in 0..20 {
            let t = cpu();
            let start = std::time::Instant::now();
            for _ in 0..every {
                w = run.step().unwrap();
            }
            let (spent, wall) = ((cpu() - t) / every as f64, start.elapsed().as_secs_f64() * 1e3 / every as f64);
            let e = run.energy().unwrap();
            let all = 0..run.bodies() as u32;
            let worst = all.clone().map(|b| run.strain(b).unwrap()).fold(0.0, f64::max);
            let v = all.map(|b| run.state(b).unwrap().momentum.length() / run.model(b).unwrap().mass().mass).fold(0.0, f64::max);
            let deep = run.contacts().iter().map(|c| c.depth).fold(0.0, f64::max);
            println!("{} cpu {spent:.2} wall {wall:.2} ms pairs {} tests {} moved {} ptests {} contacts {} | kin {:.3} grav {:.1} vib {:.3} con {:.3} tot {:.2} strain {worst:.3} vmax {v:.4} deep {deep:.4}", run.steps_done(), w.body_pairs, w.node_tests, w.proxies_moved, w.proxy_tests, w.contacts, e.kinetic, e.gravity, e.vibration, e.contact, e.total());
        }
    });
}
