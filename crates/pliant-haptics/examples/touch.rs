//! A hand strokes a ball that breathes: a force loop on its thread, and states prepared beside it.

use std::time::Duration;

use pliant::glam::DVec3;
use pliant::{AnyBody, Body};
use pliant_haptics::device::{Hand, SimulatedDevice};
use pliant_haptics::{
    Changes, ForceLoop, Material, Object, Probe, Result, Scene, Settings, Shading, Submitted,
};

fn main() -> Result<()> {
    let mesh = pliant_scenes::icosphere(4)?;
    let rest = mesh.positions().to_vec();
    let material =
        Material { shading: Shading::Smooth, ..Material::default().with_friction(0.4, 0.3) };
    let ball = Object::new(Body::free(mesh)?, material)?;
    // Two objects take turns: one is touched, the other gets the next state.
    let mut spare = Some(Box::new(ball.clone()));
    let scene = Scene::of([ball]);
    let probe = Probe::new(DVec3::Z * 1.2, Settings::default())?;
    // The hand wants to be 2 cm inside, and circles.
    let wish =
        |t: f64| DVec3::new(0.3 * (2.0 * t).sin(), 0.3 * (3.0 * t).sin(), 1.2 - 0.5 * t.min(0.5));
    let device = SimulatedDevice::new(Hand::default(), 1.5, wish)?;
    let mut running = ForceLoop::start(scene, probe, device, 1000.0)?;
    let mut breath = 0.0_f64;
    while !running.has_ended() {
        if let Some(mut object) = spare.take() {
            breath += 0.1;
            let size = 1.0 + 0.03 * breath.sin();
            let positions: Vec<DVec3> = rest.iter().map(|&p| p * size).collect();
            object.set_state(|body| match body {
                AnyBody::Free(body) => body.set_positions(&positions),
                _ => Ok(()),
            })?;
            let mut changes = Box::new(Changes::new());
            changes.set(0, Some(object));
            if let Submitted::Refused(mut changes) = running.submit(changes)? {
                spare = changes.take(0);
            }
        }
        std::thread::sleep(Duration::from_millis(16));
        spare = spare.or_else(|| running.recycled()?.take(0));
        let seen = running.seen();
        println!(
            "step {:4}  proxy {:.3}  force {:6.2} N",
            seen.step,
            seen.proxy,
            seen.force.length()
        );
    }
    let statistics = running.statistics();
    println!(
        "{} steps, {} states: half of the steps took at most {:?}, the longest {:?}; {} woke a period late",
        statistics.steps.count,
        statistics.changes,
        statistics.steps.median,
        statistics.steps.longest,
        statistics.missed
    );
    let (engine, _) = running.stop()?;
    let ended = engine.probe(0).map_or(DVec3::ZERO, |probe| probe.proxy().center());
    assert!(ended.length() > 0.95, "it never passes the surface");
    Ok(())
}
