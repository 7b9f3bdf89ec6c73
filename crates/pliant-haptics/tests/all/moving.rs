//! What is touched moves: the proxy is carried and pushed, by every kind of body.

use crate::support::*;
use pliant::deform::{Binding, Blending, Influence, Keyframes, Modes, SkinWeights};
use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant::{AnyBody, Body, Isometry};
use pliant_haptics::{Changes, Grip, Material, Object, Probe, Reading, Scene};
use pliant_scenes::{grid, icosphere};

/// Replaces slot 0 by the spare object in a new state, and returns what stood there.
fn change(
    probe: &mut Probe,
    scene: &mut Scene,
    mut spare: Box<Object>,
    set: impl FnOnce(&mut AnyBody) -> pliant::Result<()>,
) -> Box<Object> {
    spare.set_state(set).unwrap();
    let mut changes = Changes::new();
    changes.set(0, Some(spare));
    probe.follow(scene, &mut changes);
    changes.take(0).unwrap()
}

fn place(body: &mut AnyBody, isometry: Isometry) -> pliant::Result<()> {
    if let AnyBody::Rigid(body) = body {
        body.set_isometry(isometry);
    }
    Ok(())
}

/// A floor that moves sideways carries what sticks to it, exactly.
#[test]
fn a_moving_floor_carries_without_drift() {
    let mesh = soup(&[plane(DVec3::ZERO, DVec3::Z)]);
    let object = Object::new(rigid(mesh), Material::default().with_friction(0.8, 0.6)).unwrap();
    let mut spare = Box::new(object.clone());
    let mut scene = Scene::of([object]);
    let depth = 0.02;
    let start = DVec3::new(0.1, 0.2, RADIUS - depth);
    let mut probe = probe(&scene, DVec3::new(0.1, 0.2, 0.5));
    let first = hold(&mut probe, &scene, start, 3);
    let course = |step: u32| {
        let t = f64::from(step) * DT;
        DVec3::new((3.0 * t).sin(), 0.4 * t, 0.2 * (5.0 * t).sin())
    };
    for step in 1..=10_000 {
        let at = Isometry::from_translation(course(step)).unwrap();
        spare = change(&mut probe, &mut scene, spare, |body| place(body, at));
        // The hand goes along, a little off its place, within the cone.
        let device = start + course(step) + DVec3::X * 0.3 * depth;
        let touch = probe.step(&scene, Reading::at(device), DT);
        assert_eq!(touch.grip, Grip::Sticks, "step {step}");
        assert_near(touch.proxy - course(step), first.proxy, 1e-10, "carried");
    }
    // A hand that stays behind is dragged at the edge of the cone of dynamic friction.
    let device = start + course(10_000);
    let mut touch = first;
    for step in 0..200 {
        let on = course(10_000) + DVec3::X * (f64::from(step) * DT * 0.5);
        let at = Isometry::from_translation(on).unwrap();
        spare = change(&mut probe, &mut scene, spare, |body| place(body, at));
        touch = probe.step(&scene, Reading::at(device), DT);
    }
    assert_eq!(touch.grip, Grip::Slides);
    let dragged = touch.force.x / touch.force.z;
    assert!((dragged - 0.6).abs() < 1e-3, "{dragged}");
}

/// A wall that sweeps by pushes the proxy along, however fast, and lets it go at the device.
#[test]
fn a_wall_pushes() {
    for speed in [0.001, 0.05, 0.7] {
        let mesh = soup(&[plane(DVec3::ZERO, DVec3::X)]);
        let object = Object::new(rigid(mesh), Material::default()).unwrap();
        let mut spare = Box::new(object.clone());
        let mut scene = Scene::of([object]);
        let device = DVec3::new(0.3, 0.0, 0.0);
        let mut probe = probe(&scene, device);
        hold(&mut probe, &scene, device, 2);
        let mut at = 0.0;
        while at < 2.0 {
            at += speed;
            let to = Isometry::from_translation(DVec3::X * at).unwrap();
            spare = change(&mut probe, &mut scene, spare, |body| place(body, to));
            let touch = hold(&mut probe, &scene, device, 1);
            let expected = DVec3::X * f64::max(0.3, at + RADIUS);
            assert_near(touch.proxy, expected, 10.0 * SAME, "in front of the wall");
        }
        // It turns round and leaves: the proxy returns to the device from the side where it is.
        let to = Isometry::from_translation(DVec3::X * -1.0).unwrap();
        change(&mut probe, &mut scene, spare, |body| place(body, to));
        assert_near(hold(&mut probe, &scene, device, 1).proxy, device, SAME, "at the device");
    }
}

/// Two sheets that close in around the ball: as long as they leave it 1/64 of its radius, it stays between
/// them. Where they leave less, or pass each other, it says so, also if there is room again afterwards.
#[test]
fn sheets_that_close_in() {
    let sheets = |above: f64| {
        let at = |height: f64| plane(DVec3::Z * height, DVec3::Z);
        [at(above * RADIUS), at(-above * RADIUS)].concat()
    };
    let mesh = soup(&[plane(DVec3::ZERO, DVec3::Z); 2]);
    for (from, to, squeezed) in [
        (2.0, 1.0 / 63.0, false),
        (2.0, 1.0 / 65.0, false),
        (0.2, 1.0 / 200.0, true),
        (2.0, -2.0, true),
    ] {
        let mut body = Body::free(mesh.clone()).unwrap();
        body.set_positions(&sheets(from)).unwrap();
        let object = Object::new(body, Material::default()).unwrap();
        let spare = Box::new(object.clone());
        let mut scene = Scene::of([object]);
        let mut probe = probe(&scene, DVec3::ZERO);
        hold(&mut probe, &scene, DVec3::ZERO, 1);
        change(&mut probe, &mut scene, spare, |body| match body {
            AnyBody::Free(body) => body.set_positions(&sheets(to)),
            _ => Ok(()),
        });
        let proxy = probe.proxy();
        assert_eq!(proxy.squeezed() > 0, squeezed, "{to}: {}", proxy.squeezed());
        let room = RADIUS * f64::abs(to).clamp(1.0 / 64.0, 1.0);
        assert!((proxy.room() - room).abs() <= SAME, "{to}: {} {room}", proxy.room());
        if to > 0.0 && !squeezed {
            assert!(proxy.center().z.abs() < to * RADIUS, "{to}: {}", proxy.center());
        }
    }
}

/// A floor that is lifted, by each kind of body: the proxy is lifted with it.
#[test]
fn every_kind_of_body_lifts() {
    let mesh = grid(8, 8, 2.0, 2.0).unwrap();
    let count = mesh.positions().len();
    let up = DVec3::Y;
    let lifted =
        |by: f64| -> Vec<DVec3> { mesh.positions().iter().map(|&p| p + up * by).collect() };
    let modes = Modes::from_fields(count, &[vec![up; count]]).unwrap();
    let frames = vec![(0.0, lifted(0.0)), (1.0, lifted(1.0))];
    let kinds: Vec<AnyBody> = vec![
        rigid(mesh.clone()),
        Body::free(mesh.clone()).unwrap().into(),
        Body::reduced(mesh.clone(), modes.into()).unwrap().into(),
        Body::affine(mesh.clone()).unwrap().into(),
        keyframed(&mesh, frames),
        skinned(&mesh),
    ];
    for body in kinds {
        let kind = body.kind();
        let object = Object::new(body, Material::default()).unwrap();
        let mut spare = Box::new(object.clone());
        let mut scene = Scene::of([object]);
        let device = DVec3::new(0.05, -0.01, 0.03);
        let mut probe = probe(&scene, DVec3::new(0.05, 0.3, 0.03));
        for step in 1..=50 {
            let by = f64::from(step) * 0.01;
            let positions = lifted(by);
            spare = change(&mut probe, &mut scene, spare, |body| match body {
                AnyBody::Rigid(body) => {
                    body.set_isometry(Isometry::from_translation(up * by)?);
                    Ok(())
                }
                AnyBody::Free(body) => body.set_positions(&positions),
                AnyBody::Reduced(body) => body.set_coordinates(&[by]),
                AnyBody::Affine(body) => body.set_map(DAffine3::from_translation(up * by)),
                AnyBody::Keyframed(body) => body.advance(by),
                AnyBody::Skinned(body) => body.set_pose(
                    &[0.5, 1.5].map(|part| DAffine3::from_translation(up * by * part)),
                    &[],
                ),
                _ => Ok(()),
            });
            let touch = hold(&mut probe, &scene, device, 2);
            let expected = DVec3::new(device.x, by + RADIUS, device.z);
            assert_near(touch.proxy, expected, 10.0 * SAME, kind);
        }
    }
}

fn keyframed(mesh: &pliant::Mesh, frames: Vec<(f64, Vec<DVec3>)>) -> AnyBody {
    let (times, positions): (Vec<f64>, Vec<Vec<DVec3>>) = frames.into_iter().unzip();
    Body::keyframed(mesh.clone(), Keyframes::new(times, positions).unwrap()).unwrap().into()
}

/// Every vertex halfway between two joints.
fn skinned(mesh: &pliant::Mesh) -> AnyBody {
    let mut weights = SkinWeights::default();
    for _ in mesh.positions() {
        weights.push(&[0, 1].map(|joint| Influence { joint, weight: 0.5 }));
    }
    let binding = Binding::new(weights, 2).unwrap();
    Body::skinned(mesh.clone(), binding, Blending::Linear).unwrap().into()
}

/// A ball that turns under a sticking proxy carries it around, at its distance.
#[test]
fn a_turning_ball_carries_around() {
    let object =
        Object::new(rigid(icosphere(4).unwrap()), Material::default().with_friction(5.0, 5.0))
            .unwrap();
    let mut spare = Box::new(object.clone());
    let mut scene = Scene::of([object]);
    let mut probe = probe(&scene, DVec3::X * 1.5);
    let first = hold(&mut probe, &scene, DVec3::X * 0.99, 3);
    for step in 1..=500 {
        let turn = DQuat::from_rotation_z(f64::from(step) * 0.002);
        let isometry = Isometry::new(turn, DVec3::ZERO).unwrap();
        spare = change(&mut probe, &mut scene, spare, |body| place(body, isometry));
        let touch = hold(&mut probe, &scene, turn * (DVec3::X * 0.99), 1);
        assert_near(touch.proxy, turn * first.proxy, 1e-6, "carried around");
    }
}
