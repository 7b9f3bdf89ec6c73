//! Motions that are known in closed form.

use pliant::glam::DVec3;
use pliant_sim::dynamics::{
    ContactLaw, Damping, Elasticity, Model, ModelSettings, Obstacle, Placement, Settings,
    Simulation,
};
use pliant_sim::{Material, VibrationSettings, vibration_modes};

use super::{ball, bare, block, rubber_bar, scatter};

const GRAVITY: f64 = 9.81;

/// The height above the surface that a ball of mass m reaches after a spring and damper that never
/// pull, having come at `speed`: the damped oscillation under gravity, ended where the force
/// vanishes, and then free flight from there.
fn rebound(mass: f64, law: &ContactLaw, speed: f64) -> f64 {
    let (k, c) = (law.stiffness / mass, law.damping / mass);
    let (decay, turn) = (0.5 * c, (k - 0.25 * c * c).sqrt());
    let sunk = GRAVITY / k;
    // Depth: sunk + exp(-decay t) (a cos + b sin), zero at first, with the given speed.
    let (a, b) = (-sunk, (speed - decay * sunk) / turn);
    let depth = |t: f64| {
        let (sin, cos) = (turn * t).sin_cos();
        let fade = (-decay * t).exp();
        let swing = a * cos + b * sin;
        let rate = fade * (turn * (b * cos - a * sin) - decay * swing);
        (sunk + fade * swing, rate)
    };
    let force = |t: f64| depth(t).0 * k + depth(t).1 * c;
    let quarter = 0.5 * std::f64::consts::PI / turn;
    let (mut low, mut high) = (0.5 * quarter, 3.0 * quarter);
    assert!(force(low) > 0.0 && force(high) < 0.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if force(middle) > 0.0 { low = middle } else { high = middle }
    }
    let (left_at, rate) = depth(low);
    rate * rate / (2.0 * GRAVITY) - left_at
}

#[test]
fn a_bouncing_sphere_meets_the_analytic_solution() {
    for damping in [0.0, 100.0, 400.0] {
        let law = ContactLaw { stiffness: 5e4, damping, friction: 0.0, slip_speed: 1e-4 };
        let settings = Settings { step: 1e-5, contact: law, ..Settings::default() };
        let mut run = Simulation::new(settings).unwrap();
        let model = ball();
        let radius = f64::from(model.proxies().nodes()[0].radius);
        let mass = model.mass().mass;
        let id = run.add_model(model);
        run.add_obstacle(Obstacle::floor(0.0)).unwrap();
        let height = 0.3;
        run.add_body(id, &Placement::at(DVec3::Y * (radius + height))).unwrap();
        let (mut highest, mut down) = (0.0f64, false);
        while run.time() < 0.8 {
            run.step().unwrap();
            let above = run.frame(0).unwrap().1.y - radius;
            down |= above < 0.0;
            if down {
                highest = highest.max(above);
            }
        }
        let expected = rebound(mass, &law, (2.0 * GRAVITY * height).sqrt());
        let error = (highest - expected) / height;
        assert!(error.abs() < 0.005, "damping {damping}: {highest}, expected {expected}");
    }
}

#[test]
fn a_modal_bar_rings_at_its_analytic_frequencies() {
    let (length, thin, wide) = (1.0, 0.05, 0.1);
    let mesh = block(DVec3::new(length, thin, wide), [20, 1, 2]);
    let material = Material::STEEL;
    let settings = VibrationSettings { modes: 3, cell: 0.0125, material, fixed: vec![] };
    let found = vibration_modes(&mesh, &settings).unwrap();
    let elasticity =
        Elasticity { damping: Damping::Ratios(vec![0.0; 3]), strain_limit: f64::INFINITY };
    let settings =
        ModelSettings { level: 2, density: material.density, ..ModelSettings::default() };
    let model = Model::vibrating(mesh, found, &elasticity, &settings).unwrap();
    let mut run = Simulation::new(bare(1e-4, 1e4)).unwrap();
    let bar = run.add_model(model);
    run.add_body(bar, &Placement::default()).unwrap();
    run.set_vibration(0, &[0.0; 3], &[1.0, 1.0, 1.0]).unwrap();
    // Zero crossings of each coordinate over a second.
    let mut crossings = [0usize; 3];
    let mut last = [0.0; 3];
    let steps = 10_000;
    for _ in 0..steps {
        run.step().unwrap();
        for (mode, &q) in run.coordinates(0).unwrap().iter().enumerate() {
            crossings[mode] += usize::from(last[mode] * q < 0.0);
            last[mode] = q;
        }
    }
    // A free thin bar (Euler and Bernoulli): β L = 4.7300 and 7.8532, in each direction.
    let frequency = |beta: f64, thick: f64| {
        let stiffness = (material.young * thick * thick / (12.0 * material.density)).sqrt();
        beta * beta * stiffness / (std::f64::consts::TAU * length * length)
    };
    let heard = crossings.map(|count| count as f64 / 2.0);
    // Bending in the thin direction, in the wide one, and the second one in the thin direction.
    // Shear lowers the higher ones, and cells raise all.
    for (heard, expected, within) in [
        (heard[0], frequency(4.7300, thin), 0.02),
        (heard[1], frequency(4.7300, wide), 0.04),
        (heard[2], frequency(7.8532, thin), 0.04),
    ] {
        assert!((heard / expected - 1.0).abs() < within, "{heard} Hz, expected {expected}");
    }
    let energy = run.energy().unwrap().vibration;
    assert!((energy - 1.5).abs() < 1e-9, "nothing is lost: {energy}");
}

/// A flat block on a slope: the speed along it after two seconds.
fn slid(slope: f64, friction: f64) -> f64 {
    let settings = ModelSettings { level: 4, density: 500.0, ..ModelSettings::default() };
    let model = Model::rigid(block(DVec3::new(0.4, 0.05, 0.4), [8, 1, 8]), &settings).unwrap();
    let contact = ContactLaw { friction, ..ContactLaw::default() };
    let (sin, cos) = slope.atan().sin_cos();
    let gravity = GRAVITY * DVec3::new(sin, -cos, 0.0);
    let mut run = Simulation::new(Settings { contact, gravity, ..Settings::default() }).unwrap();
    let low = model.proxies().nodes().iter().filter(|node| node.is_proxy());
    let low = low.map(|node| node.center.y - node.radius).fold(0.0, f32::min);
    let id = run.add_model(model);
    run.add_obstacle(Obstacle::floor(0.0)).unwrap();
    run.add_body(id, &Placement::at(DVec3::Y * -f64::from(low))).unwrap();
    for _ in 0..300 {
        run.step().unwrap();
    }
    let mass = run.model(0).unwrap().mass().mass;
    run.state(0).unwrap().momentum.x / mass
}

#[test]
fn a_body_slides_or_sticks_at_the_friction_angle() {
    for friction in [0.3, 0.5] {
        for part in [0.9, 0.98] {
            let stuck = slid(part * friction, friction);
            assert!(stuck.abs() < 1e-4, "creeps below the slip speed: {stuck} at {part}");
        }
        for part in [1.02, 1.2] {
            let slope: f64 = part * friction;
            let (sin, cos) = slope.atan().sin_cos();
            let expected = 2.0 * GRAVITY * (sin - friction * cos);
            let speed = slid(slope, friction);
            assert!((speed / expected - 1.0).abs() < 0.02, "{speed}, expected {expected}");
        }
    }
}

#[test]
fn strain_stays_below_its_limit() {
    let limit = 0.02;
    let mut run = Simulation::new(Settings::default()).unwrap();
    let bar = run.add_model(rubber_bar(4, limit));
    run.add_obstacle(Obstacle::floor(0.0)).unwrap();
    scatter(&mut run, bar, 10, 0.4, 5);
    let mut reached = 0.0f64;
    for _ in 0..400 {
        run.step().unwrap();
        for body in 0..10 {
            let strain = run.strain(body).unwrap();
            assert!(strain <= limit, "{strain}");
            reached = reached.max(strain);
        }
    }
    assert!(reached > 0.99 * limit, "the limit was reached: {reached}");
}

#[test]
fn a_rigid_body_that_turns_freely_keeps_its_energy() {
    let settings = ModelSettings { level: 0, ..ModelSettings::default() };
    let model = Model::rigid(block(DVec3::new(0.1, 0.2, 0.4), [1; 3]), &settings).unwrap();
    let mut run = Simulation::new(bare(1.0 / 150.0, 1e4)).unwrap();
    let id = run.add_model(model);
    // About the middle axis, which is not stable: it tumbles.
    let spin = DVec3::new(0.01, 5.0, 0.01);
    run.add_body(id, &Placement { spin, ..Placement::default() }).unwrap();
    let before = run.energy().unwrap().kinetic;
    for _ in 0..3000 {
        run.step().unwrap();
    }
    let after = run.energy().unwrap().kinetic;
    assert!((after / before - 1.0).abs() < 1e-3, "{before} {after}");
}
