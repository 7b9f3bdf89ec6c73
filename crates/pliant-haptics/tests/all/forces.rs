//! Friction, viscosity, damping, shading, limits, passivity.

use std::sync::Arc;

use crate::support::*;
use pliant::Mesh;
use pliant::glam::DVec3;
use pliant_haptics::device::{Device as _, Hand, SimulatedDevice};
use pliant_haptics::{
    Grip, Material, Object, Passivity, Probe, Reading, Scene, Settings, Shading, Texture,
    TextureUse,
};
use pliant_scenes::icosphere;

fn floor(material: Material) -> Scene {
    scene(rigid(soup(&[plane(DVec3::ZERO, DVec3::Z)])), material)
}

/// Presses a probe into the floor at the origin, and then drags it aside.
fn dragged(material: Material, aside: f64, depth: f64) -> pliant_haptics::Touch {
    let scene = floor(material);
    let mut probe = probe(&scene, DVec3::Z);
    hold(&mut probe, &scene, DVec3::Z * (RADIUS - depth), 3);
    hold(&mut probe, &scene, DVec3::new(aside, 0.0, RADIUS - depth), 1)
}

/// In the cone it sticks; beyond, the force is on the cone of dynamic friction.
#[test]
fn the_friction_cone() {
    let material = Material::default().with_friction(0.7, 0.5);
    let depth = 0.02;
    for (aside, sticks) in [(0.1, true), (0.69, true), (0.71, false), (3.0, false)] {
        let touch = dragged(material, aside * depth, depth);
        let ratio = -touch.force.x / touch.force.z;
        assert!((touch.force.z - STIFFNESS * depth).abs() < 1e-4, "{touch:?}");
        if sticks {
            assert_eq!(touch.grip, Grip::Sticks, "{aside}");
            assert_near(touch.proxy, DVec3::Z * RADIUS, SAME, "sticks");
            assert!((ratio - aside).abs() < 1e-5, "{ratio}");
        } else {
            assert_eq!(touch.grip, Grip::Slides, "{aside}");
            assert!((ratio - 0.5).abs() < 1e-5, "{ratio}");
        }
    }
    // Without friction there is no force along the floor.
    assert!(dragged(Material::default(), 0.3, depth).force.x.abs() < 1e-9);
}

/// A viscous floor: the way left falls as an exponential.
#[test]
fn viscosity() {
    let (viscosity, depth, aside) = (5.0, 0.01, 0.05);
    let material = Material { viscosity, ..Material::default() };
    let scene = floor(material);
    let mut probe = probe(&scene, DVec3::Z);
    hold(&mut probe, &scene, DVec3::Z * (RADIUS - depth), 3);
    let device = DVec3::new(aside, 0.0, RADIUS - depth);
    for step in 1..=40 {
        let touch = hold(&mut probe, &scene, device, 1);
        let left = aside * (-STIFFNESS / viscosity * DT * f64::from(step)).exp();
        assert!((aside - touch.proxy.x - left).abs() < 1e-6, "step {step}: {touch:?}");
        assert!((touch.force.x + STIFFNESS * left).abs() < 1e-3, "step {step}");
    }
}

#[test]
fn damping_never_pulls_and_forces_are_limited() {
    let scene = floor(Material { damping: 10.0, ..Material::default() });
    let mut probe = probe(&scene, DVec3::Z);
    let press = |probe: &mut Probe, speed: f64| {
        let position = DVec3::Z * (RADIUS - 0.01);
        probe.step(&scene, Reading { position, velocity: DVec3::Z * speed }, DT).force.z
    };
    assert!((press(&mut probe, -0.1) - (0.01 * STIFFNESS + 1.0)).abs() < 1e-4);
    assert!((press(&mut probe, 0.1) - (0.01 * STIFFNESS - 1.0)).abs() < 1e-4);
    assert!(press(&mut probe, 5.0).abs() < 1e-9);
    let settings = Settings { radius: RADIUS, force_limit: 3.0, ..Settings::default() };
    let mut weak = Probe::new(DVec3::Z, settings).unwrap();
    weak.ready_for(&scene);
    let touch = hold(&mut weak, &scene, DVec3::new(0.2, 0.1, -0.5), 2);
    assert!((touch.force.length() - 3.0).abs() < 1e-12, "{touch:?}");
    // Readings that are no places are not taken.
    for bad in [DVec3::NAN, DVec3::INFINITY, DVec3::X * 1e12] {
        assert_eq!(weak.step(&scene, Reading::at(bad), DT).device, touch.device);
    }
}

/// Two materials in one corner: each depth is a spring of its own stiffness.
#[test]
fn stiffness_per_object() {
    let wall = |axis, stiffness| {
        let material = Material { stiffness, ..Material::default() };
        Object::new(rigid(soup(&[plane(DVec3::ZERO, axis)])), material).unwrap()
    };
    let scene = Scene::of([wall(DVec3::X, 100.0), wall(DVec3::Z, 900.0)]);
    let mut probe = probe(&scene, DVec3::ONE);
    let touch = hold(&mut probe, &scene, DVec3::new(-0.1, 0.3, -0.2), 5);
    let expected = DVec3::new(100.0 * (0.1 + RADIUS), 0.0, 900.0 * (0.2 + RADIUS));
    assert_near(touch.force, expected, 1e-3, "force");
    assert_eq!(touch.contacts.as_slice().len(), 2);
    assert_eq!(touch.contacts.as_slice()[0].slot, 1);
}

/// The largest turn of the force between two steps of a hand that circles in a coarse ball.
fn largest_turn(shading: Shading) -> f64 {
    let scene = scene(rigid(icosphere(2).unwrap()), Material { shading, ..Material::default() });
    let mut probe = probe(&scene, DVec3::X * 1.5);
    hold(&mut probe, &scene, DVec3::X * 0.93, 20);
    let mut last: Option<DVec3> = None;
    let mut largest: f64 = 0.0;
    for step in 0..8000 {
        let turn = f64::from(step) * std::f64::consts::TAU / 8000.0;
        let at = DVec3::new(turn.cos(), turn.sin(), 0.2 * (2.0 * turn).sin()).normalize() * 0.93;
        let force = hold(&mut probe, &scene, at, 1).force.normalize();
        largest = last.map_or(largest, |last| largest.max(force.angle_between(last)));
        last = Some(force);
    }
    largest
}

/// Over the edges of facets the force turns at once; with normals of the vertices it does not.
#[test]
fn shading_is_continuous_over_edges() {
    let (facets, smooth) = (largest_turn(Shading::Facets), largest_turn(Shading::Smooth));
    // The hand turns by 0.0008 per step, the facets by about 0.3.
    assert!(smooth < 0.01, "{smooth}");
    assert!(facets > 3.0 * smooth, "{facets} {smooth}");
}

/// A mass that bounces on a stiff floor. Returns its largest kinetic energy after the first bounce over
/// the one at the start, and the least energy that the probe counted.
fn bounce(passivity: Passivity) -> [f64; 2] {
    let scene = floor(Material { stiffness: 20_000.0, ..Material::default() });
    let settings = Settings { radius: RADIUS, force_limit: 1e6, passivity };
    let mut probe = Probe::new(DVec3::Z * 0.03, settings).unwrap();
    probe.ready_for(&scene);
    let hand = Hand { mass: 0.05, stiffness: 0.0, damping: 0.0, noise: 0.0, seed: 1 };
    let mut device = SimulatedDevice::new(hand, 1.0, |_| DVec3::Z * 0.03).unwrap();
    device.set_velocity(DVec3::Z * -0.5);
    let before = device.velocity().length_squared();
    let [mut gain, mut least] = [0.0_f64, 0.0_f64];
    while let Some(reading) = device.read(DT) {
        let touch = probe.step(&scene, reading, DT);
        device.apply(touch.force);
        least = least.min(touch.energy);
        if touch.force == DVec3::ZERO {
            gain = gain.max(device.velocity().length_squared() / before);
        }
    }
    [gain, least]
}

/// A held spring gives back more than it took. Braked, what comes out stays below what went in, but for
/// the step in which it is noticed.
#[test]
fn passivity() {
    let [gain, least] = bounce(Passivity::Watched);
    let kinetic = 0.5 * 0.05 * 0.25;
    let [kept_gain, kept_least] = bounce(Passivity::Kept { most_damping: 50.0 });
    assert!(gain > 1.0 && least < 0.0, "{gain} {least}");
    assert!(kept_gain <= gain && kept_least >= least, "{kept_gain} {kept_least}");
    assert!(kept_least > -kinetic, "{kept_least}");
}

/// On a slow path through a frictional floor, and out again, no energy comes out.
#[test]
fn closed_paths_give_no_energy() {
    for material in [Material::default(), Material::default().with_friction(0.5, 0.4)] {
        let scene = floor(material);
        let mut probe = probe(&scene, DVec3::Z);
        let mut least: f64 = 0.0;
        let mut energy = 0.0;
        for step in 0..=20_000 {
            let turn = f64::from(step) * std::f64::consts::TAU / 20_000.0;
            let at = DVec3::new(0.03 * turn.sin(), 0.0, RADIUS + 0.02 * turn.cos());
            energy = probe.step(&scene, Reading::at(at), DT).energy;
            least = least.min(energy);
        }
        // A step of length s gives or takes at most k s^2 / 2 more than the smooth path.
        let step = 0.03 * std::f64::consts::TAU / 20_000.0;
        let rounding = 20_000.0 * STIFFNESS * step * step;
        assert!(least > -rounding, "{least:e} {rounding:e}");
        if material.static_friction > 0.0 {
            assert!(energy > 10.0 * rounding, "{energy:e}");
        } else {
            assert!(energy.abs() < rounding, "{energy:e}");
        }
    }
}

/// A height map pushes along the surface, and still no energy comes out of a closed path.
#[test]
fn a_height_map_gives_no_energy() {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let positions = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
    let mesh = Mesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let uv = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let value = |n: u32| (0.5 + 0.5 * f64::from(n % 16).sin() * f64::from(n / 16).cos()) as f32;
    let values: Vec<f32> = (0..256).map(value).collect();
    let texture = Texture::new(TextureUse::Height, 16, values, 0.004, uv).unwrap();
    let object = Object::new(rigid(mesh), Material::default()).unwrap();
    let scene = Scene::of([object.with_texture(Arc::new(texture)).unwrap()]);
    let mut probe = probe(&scene, DVec3::Z);
    let (mut most, mut sideways): (f64, f64) = (0.0, 0.0);
    let mut energy = 0.0;
    let steps = 40_000;
    for step in 0..=steps {
        let turn = f64::from(step) * std::f64::consts::TAU / f64::from(steps);
        let down = RADIUS + 0.01 * turn.cos();
        let at = DVec3::new(0.4 * turn.sin(), 0.3 * (2.0 * turn).sin(), down);
        let touch = probe.step(&scene, Reading::at(at), DT);
        energy = touch.energy;
        most = most.max(energy.abs());
        sideways = sideways.max(touch.force.truncate().length());
    }
    assert!(sideways > 0.05 && most > 0.005, "{sideways} N, {most} J");
    // What is left is the length of steps: a force is held for one.
    assert!(energy.abs() < 0.02 * most, "{energy:e} of {most:e}");
}
