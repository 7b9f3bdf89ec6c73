//! Rigid, modal and shape-matching bodies in one simulation.

use std::sync::Arc;

use pliant::glam::{DAffine3, DQuat, DVec3};
use pliant_sim::dynamics::{Model, ModelSettings, Obstacle, Placement, Push, Settings, Simulation};
use pliant_sim::mixed::MixedSimulation;
use pliant_sim::shape_matching::{ContactSettings, Shape, ShapeBody, ShapeMaterial};

use crate::dynamics::{block, random, rubber_bar};

/// A jelly of 4 x 3 x 4 points around the origin, 0.4 x 0.3 x 0.4 m with the balls of its points.
fn jelly(mass: f64) -> Arc<Shape> {
    let at = |i: usize| DVec3::new((i % 4) as f64, (i / 4 % 3) as f64, (i / 12) as f64);
    let middle = DVec3::new(1.5, 1.0, 1.5);
    let points = (0..48).map(|i| 0.1 * (at(i) - middle)).collect();
    // Damped well: what lies on jelly sways for long otherwise.
    let material = ShapeMaterial { damping: 0.3, ..ShapeMaterial::JELLY };
    Arc::new(Shape::new(points, mass, 0.05, 1, material).unwrap())
}

fn placed(shape: &Arc<Shape>, at: DVec3, velocity: DVec3) -> ShapeBody {
    ShapeBody::new(Arc::clone(shape), DAffine3::from_translation(at), velocity).unwrap()
}

fn stone() -> Model {
    let settings = ModelSettings { level: 4, density: 500.0, ..ModelSettings::default() };
    Model::rigid(block(DVec3::new(0.3, 0.15, 0.3), [3, 2, 3]), &settings).unwrap()
}

/// All kinds fall in a heap on a floor with a ball.
fn heap() -> MixedSimulation {
    let mut dynamics = Simulation::new(Settings::default()).unwrap();
    let (stone, bar) = (dynamics.add_model(stone()), dynamics.add_model(rubber_bar(4, 0.3)));
    dynamics.add_obstacle(Obstacle::floor(0.0)).unwrap();
    dynamics.add_obstacle(Obstacle::ball(DVec3::new(0.3, 0.0, 0.0), 0.2)).unwrap();
    let shape = jelly(4.0);
    let (mut next, mut jellies) = (random(4), vec![]);
    for number in 0..9 {
        let mut vector = || DVec3::new(next(), next(), next());
        let translation = 0.2 * vector() + DVec3::Y * (0.6 + 0.5 * f64::from(number));
        let rotation = DQuat::from_scaled_axis(vector());
        let at = Placement { rotation, ..Placement::at(translation) };
        match number % 3 {
            0 | 1 => {
                dynamics.add_body([stone, bar][number as usize % 3], &at).unwrap();
            }
            _ => jellies.push(placed(&shape, translation, DVec3::ZERO)),
        }
    }
    MixedSimulation::new(dynamics, jellies, ContactSettings::default()).unwrap()
}

#[test]
fn a_stone_and_a_bar_lie_on_jelly() {
    for modal in [false, true] {
        let mut dynamics = Simulation::new(Settings::default()).unwrap();
        let model = dynamics.add_model(if modal { rubber_bar(4, 0.3) } else { stone() });
        dynamics.add_obstacle(Obstacle::floor(0.0)).unwrap();
        dynamics.add_body(model, &Placement::at(DVec3::Y * 0.5)).unwrap();
        let below = placed(&jelly(10.0), DVec3::Y * 0.16, DVec3::ZERO);
        let mut run =
            MixedSimulation::new(dynamics, vec![below], ContactSettings::default()).unwrap();
        let mut touched = 0;
        for _ in 0..1500 {
            touched += run.step().unwrap().contacts();
        }
        assert!(touched > 10_000, "{touched}");
        let above = run.dynamics().state(0).unwrap();
        // The jelly reaches up to about 0.3, less by what it is pressed together.
        assert!((0.25..0.5).contains(&above.position.y), "modal {modal}: {}", above.position);
        let (speed, mass) = (above.momentum.length(), run.dynamics().model(0).unwrap().mass().mass);
        assert!(speed < 0.01 * mass, "modal {modal}: it still moves at {}", speed / mass);
        assert!((0.1..0.16).contains(&run.shapes()[0].center().y), "{}", run.shapes()[0].center());
    }
}

#[test]
fn momentum_of_a_stone_that_hits_jelly_is_conserved_to_rounding() {
    let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
    let mut dynamics = Simulation::new(settings).unwrap();
    let stone = dynamics.add_model(stone());
    let thrown = Placement { velocity: DVec3::X * 2.0, ..Placement::at(DVec3::X * -0.8) };
    dynamics.add_body(stone, &thrown).unwrap();
    let shape = jelly(5.0);
    let jellies = vec![
        placed(&shape, DVec3::ZERO, DVec3::ZERO),
        placed(&shape, DVec3::new(0.6, 0.05, 0.02), DVec3::ZERO),
    ];
    let mut run = MixedSimulation::new(dynamics, jellies, ContactSettings::default()).unwrap();
    let before = run.momentum();
    let (mut with_stone, mut between) = (0, 0);
    for _ in 0..400 {
        let done = run.step().unwrap();
        with_stone += done.dynamics.contacts;
        between += done.shapes.contacts.len();
    }
    assert!(with_stone > 10 && between > 10, "{with_stone} {between}");
    // A middle of points some metres from the origin is off by some 1e-15 m, alike for all 5 kg of a jelly, and
    // counts 150 times per second in each of 400 steps.
    assert!(run.momentum().distance(before) < 1e-9, "{before} {}", run.momentum());
    // Both were pushed along, and the stone did not go through them.
    let [first, second] = [0, 1].map(|body| run.shapes()[body].center().x);
    let stone = run.dynamics().state(0).unwrap().position.x;
    assert!(stone < first && first < second && second > 0.7, "{stone} {first} {second}");
}

#[test]
fn a_heap_of_all_kinds_comes_to_rest_and_no_pair_is_missed() {
    let mut run = heap();
    let first = run.energy().unwrap().total();
    let mut contacts = 0;
    for step in 0..1500 {
        if step < 300 {
            let (found, expected) = run.find_contacts_both_ways().unwrap();
            assert!(found == expected, "step {step}");
            contacts += found.len();
        }
        run.step().unwrap();
    }
    assert!(contacts > 1000, "{contacts}");
    let energy = run.energy().unwrap();
    assert!(energy.kinetic < 1e-4 * first, "{} J of {first} J are left", energy.kinetic);
    for jelly in run.shapes() {
        assert!(jelly.positions().iter().all(|point| point.y > 0.0), "{}", jelly.center());
    }
}

#[test]
fn any_number_of_threads_and_a_restored_run_give_the_same_bits() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = heap();
            (0..200).for_each(|_| drop(run.step().unwrap()));
            run.to_bytes()
        })
    };
    let saved = on(1);
    assert!(on(2) == saved && on(8) == saved);
    let (mut resumed, mut whole) = (heap(), heap());
    (0..100).for_each(|_| drop(whole.step().unwrap()));
    resumed.restore_bytes(&whole.to_bytes()).unwrap();
    (0..100).for_each(|_| drop(resumed.step().unwrap()));
    assert!(resumed.to_bytes() == saved);
    for bad in [&b""[..], &saved[1..], &saved[..saved.len() - 1], &saved[..20]] {
        assert!(resumed.restore_bytes(bad).is_err());
        assert!(resumed.to_bytes() == saved);
    }
}

/// Both kinds are pushed from outside: together they have the momentum that they were given.
#[test]
fn pushes_give_their_momentum() {
    let settings = Settings { gravity: DVec3::ZERO, drag: 0.0, ..Settings::default() };
    let mut dynamics = Simulation::new(settings).unwrap();
    let model = dynamics.add_model(stone());
    dynamics.add_body(model, &Placement::at(DVec3::Y * 3.0)).unwrap();
    let soft = placed(&jelly(2.0), DVec3::ZERO, DVec3::ZERO);
    let mut run = MixedSimulation::new(dynamics, vec![soft], ContactSettings::default()).unwrap();
    let (impulse, force) = (DVec3::new(0.1, 0.2, -0.3), DVec3::new(-1.0, 2.0, 0.5));
    let mut given = DVec3::ZERO;
    for _ in 0..10 {
        run.push_shape(0, DVec3::Z, impulse).unwrap();
        run.push(Push { body: 0, triangle: 1, weights: [0.5, 0.5, 0.0], force }).unwrap();
        given += impulse + force * settings.step;
        run.step().unwrap();
        assert!((run.momentum() - given).length() < 1e-12, "{} {given}", run.momentum());
    }
    let points = run.dynamics().bodies() as u32;
    assert!(run.push_shape(1, DVec3::Z, impulse).is_err());
    let push = Push { body: points - 1, triangle: 0, weights: [1.0, 0.0, 0.0], force };
    assert!(run.push(push).is_err(), "a point is no body");
}
