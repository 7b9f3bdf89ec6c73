//! How long a step of the great scenes takes: chairs in a pile, deformable and held rigid, and fish
//! on a bridge.
//!
//! `cargo run --release -p pliant-scenes --example piles -- chairs 1000 900` lets 1000 chairs fall
//! for 900 steps, and then measures steps of the pile at rest, deformable and held rigid in turns.
//! `fish 12000 300` does so for fish.

use std::time::Instant;

use pliant_scenes::{
    CHAIR_LEVEL, FISH_LEVEL, bridge_model, chair_model, falling_chairs, fish_model, fish_on_bridge,
    modal_chair,
};
use pliant_sim::Result;
use pliant_sim::dynamics::{Placement, Simulation, StepWork};

/// Steps that are measured; the best counts, since others use the machine too.
const MEASURED: usize = 30;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let number =
        |at: usize, or: usize| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(or);
    let (count, steps, threads) = (number(2, 1000), number(3, 900), number(4, 2));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    match pool {
        Ok(pool) => pool.install(|| run(arguments.get(1).map(String::as_str), count, steps)),
        Err(error) => {
            println!("{error}");
            Ok(())
        }
    }
}

fn run(what: Option<&str>, count: usize, steps: usize) -> Result<()> {
    let mut pile = match what {
        Some("fish") => fish_on_bridge(fish_model(FISH_LEVEL)?, bridge_model()?, count, 1)?,
        _ => falling_chairs(chair_model(modal_chair()?, CHAIR_LEVEL)?, count, 1)?,
    };
    let start = Instant::now();
    for step in 1..=steps {
        let work = pile.step()?;
        if step % (steps / 10).max(1) == 0 {
            let each = start.elapsed().as_secs_f64() * 1e3 / step as f64;
            println!("step {step}: {each:.1} ms per step so far, {work:?}");
        }
    }
    let mut rigid = held_rigid(&mut pile)?;
    let (mut best, mut work) = ([f64::INFINITY; 2], [StepWork::default(); 2]);
    for _ in 0..MEASURED {
        for (turn, run) in [&mut pile, &mut rigid].into_iter().enumerate() {
            let start = Instant::now();
            work[turn] = run.step()?;
            best[turn] = best[turn].min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    for (name, turn) in [("deformable", 0), ("held rigid", 1)] {
        println!("{name}: {:.2} ms per step, {:?}", best[turn], work[turn]);
    }
    println!("ratio {:.2}", best[0] / best[1]);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        println!("{peak}");
    }
    Ok(())
}

/// The same pile where it is now, at rest, with models that do not deform.
fn held_rigid(pile: &mut Simulation) -> Result<Simulation> {
    let mut rigid = Simulation::new(*pile.settings())?;
    let model = match pile.model(0) {
        Some(model) => model.held_rigid()?,
        None => return Ok(rigid),
    };
    let model = rigid.add_model(model);
    for obstacle in pile.obstacles() {
        rigid.add_obstacle(obstacle.clone())?;
    }
    for (rotation, translation) in (0..pile.bodies() as u32).filter_map(|body| pile.frame(body)) {
        rigid.add_body(model, &Placement { rotation, translation, ..Placement::default() })?;
    }
    Ok(rigid)
}
