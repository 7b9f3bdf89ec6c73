//! A recorded path replays to the same bits.

use crate::support::*;
use pliant::deform::Modes;
use pliant::glam::DVec3;
use pliant::{AnyBody, Body};
use pliant_haptics::device::{Device as _, Hand, RecordedPath, Recording, SimulatedDevice};
use pliant_haptics::{Changes, Material, Object, Reading, Scene, Shading};
use pliant_scenes::curtain;

/// Plays a path against the moving curtain, and returns the bits of every force and proxy.
fn play(mut next: impl FnMut(f64) -> Option<Reading>) -> (Vec<[u64; 6]>, Vec<(f64, DVec3)>) {
    let curtain = curtain(0).unwrap();
    let modes = Modes::from_fields(curtain.mesh.positions().len(), &curtain.modes).unwrap();
    let body = Body::reduced(curtain.mesh.clone(), modes.into()).unwrap();
    let material =
        Material { shading: Shading::Smooth, ..Material::default().with_friction(0.5, 0.4) };
    let object = Object::new(body, material).unwrap();
    let mut spare = Box::new(object.clone());
    let mut scene = Scene::of([object]);
    let mut probe = probe(&scene, DVec3::new(0.1, 1.0, 0.5));
    let (mut bits, mut places) = (Vec::new(), Vec::new());
    let mut step = 0;
    while let Some(reading) = next(DT) {
        let at = step as f64 * 0.05;
        let frame = at as usize % (curtain.coordinates.len() - 1);
        let between = |(a, b): (&f64, &f64)| a + (b - a) * at.fract();
        let q: Vec<f64> = curtain.coordinates[frame]
            .iter()
            .zip(&curtain.coordinates[frame + 1])
            .map(between)
            .collect();
        spare
            .set_state(|body| match body {
                AnyBody::Reduced(body) => body.set_coordinates(&q),
                _ => Ok(()),
            })
            .unwrap();
        let mut changes = Changes::new();
        changes.set(0, Some(spare));
        probe.follow(&mut scene, &mut changes);
        spare = changes.take(0).unwrap();
        let touch = probe.step(&scene, reading, DT);
        let [f, p] = [touch.force.to_array(), touch.proxy.to_array()];
        bits.push([f[0], f[1], f[2], p[0], p[1], p[2]].map(f64::to_bits));
        places.push((step as f64 * DT, reading.position));
        step += 1;
    }
    (bits, places)
}

#[test]
fn the_same_bits_again() {
    let wish = |time: f64| DVec3::new(0.1, 1.0, 0.5 - 1.2 * time + 0.3 * (20.0 * time).sin());
    let mut device =
        SimulatedDevice::new(Hand { noise: 1e-4, ..Hand::default() }, 0.8, wish).unwrap();
    let (_, places) = play(|dt| device.read(dt));
    let text = Recording::new(places).unwrap().to_csv();
    let replay = || {
        let mut path = RecordedPath::new(Recording::from_csv(&text).unwrap());
        play(move |dt| path.read(dt)).0
    };
    let (first, second) = (replay(), replay());
    assert!(first.iter().filter(|bits| bits[2] != 0).count() > 50, "it is touched");
    assert_eq!(first, second);
    assert!(first.len() > 700, "{}", first.len());
}
