//! Scene changes while in contact, through the queue and on a thread.

use crate::support::*;
use pliant::glam::DVec3;
use pliant::{AnyBody, Isometry};
use pliant_haptics::device::{Hand, SimulatedDevice};
use pliant_haptics::{
    Changes, Engine, Error, ForceLoop, Material, Object, Reading, Scene, Submitted,
};

fn floor_at(height: f64) -> Object {
    let mesh = soup(&[plane(DVec3::Z * height, DVec3::Z)]);
    Object::new(rigid(mesh), Material::default()).unwrap()
}

/// Objects appear, vanish and change their mesh under the proxy.
#[test]
fn objects_come_and_go() {
    let mut scene = Scene::of([floor_at(0.0), floor_at(-1.0)]);
    let mut probe = probe(&scene, DVec3::Z);
    let device = DVec3::Z * -2.0;
    assert_near(hold(&mut probe, &scene, device, 2).proxy, DVec3::Z * RADIUS, SAME, "on the first");
    let mut changes = Changes::new();
    changes.set(0, None);
    probe.follow(&mut scene, &mut changes);
    assert!(changes.take(0).is_some() && scene.object(0).is_none());
    let touch = hold(&mut probe, &scene, device, 2);
    assert_near(touch.proxy, DVec3::Z * (RADIUS - 1.0), SAME, "on the second");
    // Another mesh, across the ball: pushed to the side where its centre is.
    let mut changes = Changes::new();
    changes.set(1, Some(Box::new(floor_at(-1.0 + 0.6 * RADIUS))));
    probe.follow(&mut scene, &mut changes);
    let touch = hold(&mut probe, &scene, device, 2);
    assert_near(touch.proxy, DVec3::Z * (1.6 * RADIUS - 1.0), SAME, "on the third");
}

#[test]
fn changes_are_taken_as_a_whole_or_not_at_all() {
    let scene = Scene::of([floor_at(0.0), floor_at(-1.0)]);
    let probe = probe(&scene, DVec3::Z);
    let (mut engine, mut client) = Engine::new(scene, probe, 2);
    let bad = {
        let mut changes = Box::new(Changes::new());
        changes.set(0, None);
        changes.set(7, None);
        changes
    };
    assert!(matches!(client.submit(bad), Err(Error::NoSuchSlot { slot: 7, slots: 2 })));
    let both = |height: f64| {
        let mut changes = Box::new(Changes::new());
        changes.set(0, Some(Box::new(floor_at(height))));
        changes.set(1, Some(Box::new(floor_at(height - 1.0))));
        changes
    };
    assert!(matches!(client.submit(both(0.1)), Ok(Submitted::Queued)));
    assert!(matches!(client.submit(both(0.2)), Ok(Submitted::Queued)));
    assert!(matches!(client.submit(both(0.3)), Ok(Submitted::Refused(_))));
    let height = |engine: &Engine, slot: usize| {
        engine.scene().object(slot).unwrap().body().position(0).unwrap().z
    };
    assert_eq!([height(&engine, 0), height(&engine, 1)], [0.0, -1.0]);
    let (_, taken) = engine.step(Reading::at(DVec3::Z), DT);
    assert_eq!((taken, height(&engine, 0), height(&engine, 1)), (2, 0.2, -0.8));
    // What was replaced comes back, the oldest first.
    let mut first = client.recycled().unwrap();
    assert_eq!(first.take(0).unwrap().body().position(0).unwrap().z, 0.0);
    assert_eq!(client.recycled().unwrap().take(1).unwrap().body().position(0).unwrap().z, -0.9);
    assert!(client.recycled().is_none());
    // A client that does not take them back stops its own changes, not the loop.
    for height in 0..20 {
        let _ = client.submit(both(f64::from(height) * -0.01)).unwrap();
        let (touch, _) = engine.step(Reading::at(DVec3::Z), DT);
        assert_eq!(touch.device, DVec3::Z);
    }
    assert!(matches!(client.submit(both(0.0)), Ok(Submitted::Refused(_))));
    // So does one that vanishes.
    drop(client);
    engine.step(Reading::at(DVec3::Z), DT);
}

/// The loop on its thread: changes arrive while the hand presses, and the proxy stays above.
#[test]
fn a_loop_on_its_thread() {
    let object = floor_at(0.0);
    let mut spare = Some(Box::new(object.clone()));
    let scene = Scene::of([object]);
    let probe = probe(&scene, DVec3::Z * 0.1);
    let hand = Hand { noise: 1e-5, ..Hand::default() };
    let device = SimulatedDevice::new(hand, 0.4, |time| DVec3::Z * (0.1 - time)).unwrap();
    let mut running = ForceLoop::start(scene, probe, device, 1000.0).unwrap();
    let mut height = 0.0;
    let mut below = Vec::new();
    while !running.has_ended() {
        if let Some(mut object) = spare.take() {
            height += 0.001;
            let to = Isometry::from_translation(DVec3::Z * height).unwrap();
            object
                .set_state(|body| {
                    if let AnyBody::Rigid(body) = body {
                        body.set_isometry(to);
                    }
                    Ok(())
                })
                .unwrap();
            let mut changes = Box::new(Changes::new());
            changes.set(0, Some(object));
            assert!(matches!(running.submit(changes), Ok(Submitted::Queued)));
        }
        if let Some(mut changes) = running.recycled() {
            spare = changes.take(0);
        }
        let seen = running.seen();
        if seen.step > 0 && seen.proxy.z < RADIUS * 0.999 {
            below.push(seen);
        }
        std::thread::sleep(std::time::Duration::from_millis(3));
    }
    assert!(below.is_empty(), "{below:?}");
    let statistics = running.statistics();
    let seen = running.seen();
    let (engine, device) = running.stop().unwrap();
    assert_eq!(statistics.steps.count, seen.step);
    assert!(statistics.steps.count > 100 && statistics.changes > 5, "{statistics:?}");
    assert!(statistics.steps.longest >= statistics.steps.p999);
    assert!(seen.force.z > 0.0 && seen.contacts.as_slice().len() == 1, "{seen:?}");
    assert_eq!(engine.probe(0).unwrap().proxy().center(), seen.proxy);
    assert!(device[0].position().z < seen.proxy.z);
}
