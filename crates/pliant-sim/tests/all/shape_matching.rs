//! Bodies of points without connectivity: they come back to rest, gain nothing, and conserve momentum.

use std::sync::Arc;

use pliant::deform::{Binding, Blending};
use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};
use pliant::{Body, Mesh};
use pliant_sim::dynamics::Obstacle;
use pliant_sim::shape_matching::{
    ContactSettings, Goal, Plasticity, Shape, ShapeBody, ShapeMaterial, ShapeSimulation, ShapeStep,
    SimulationSettings, nearest_rotation, sample_surface,
};
use proptest::prelude::*;

const GOALS: [Goal; 5] = [
    Goal::Rigid,
    Goal::Linear { beta: 0.5 },
    Goal::Linear { beta: 0.9 },
    Goal::Quadratic { beta: 0.5 },
    Goal::Quadratic { beta: 0.9 },
];

/// A box of points, 4 x 3 x 3.
fn lattice() -> Vec<DVec3> {
    let at = |i: usize| DVec3::new((i % 4) as f64, (i / 4 % 3) as f64, (i / 12) as f64);
    (0..36).map(|i| 0.1 * at(i)).collect()
}

fn shape(goal: Goal, clusters: usize, alpha: f64, damping: f64) -> Arc<Shape> {
    let material = ShapeMaterial { goal, alpha, damping, plasticity: None };
    Arc::new(Shape::new(lattice(), 2.0, 0.05, clusters, material).unwrap())
}

fn free(bodies: Vec<ShapeBody>) -> ShapeSimulation {
    let contacts = ContactSettings { correction: 0.2, friction: 0.0, sweeps: 2 };
    let settings = SimulationSettings { gravity: DVec3::ZERO, contacts, ..Default::default() };
    let mut simulation = ShapeSimulation::new(settings).unwrap();
    simulation.bodies = bodies;
    simulation
}

/// Numbers between -1 and 1 that look random.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// How far the points are from the nearest rigid image of the rest shape, at most.
fn off_rest(body: &ShapeBody) -> f64 {
    let rest = body.shape().points();
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len() as f64;
    let (from, to) = (mean(rest), mean(body.positions()));
    let mut moments = DMat3::ZERO;
    for (&q, &p) in rest.iter().zip(body.positions()) {
        let (q, p) = (q - from, p - to);
        moments += DMat3::from_cols(p * q.x, p * q.y, p * q.z);
    }
    let turn = nearest_rotation(moments);
    let off = |(&q, &p): (&DVec3, &DVec3)| (turn * (q - from) + to).distance(p);
    rest.iter().zip(body.positions()).map(off).fold(0.0, f64::max)
}

#[test]
fn bodies_return_to_rest_from_any_start() {
    let mut random = noise(5);
    let still = vec![DVec3::ZERO; 36];
    let scattered: Vec<DVec3> = (0..36).map(|_| DVec3::new(random(), random(), random())).collect();
    let starts: Vec<(&str, Vec<DVec3>)> = vec![
        ("collapsed to a point", vec![DVec3::ONE; 36]),
        ("collapsed to a line", lattice().iter().map(|p| DVec3::new(p.x, 0.0, 0.0)).collect()),
        ("flat", lattice().iter().map(|p| DVec3::new(p.x, 0.0, p.z)).collect()),
        ("inverted through a point", lattice().iter().map(|&p| -p).collect()),
        ("mirrored", lattice().iter().map(|p| DVec3::new(p.x, -p.y, p.z)).collect()),
        ("inside out and small", lattice().iter().map(|&p| -0.01 * p).collect()),
        ("hundred times too large", lattice().iter().map(|&p| 100.0 * p).collect()),
        ("random", scattered),
    ];
    for goal in GOALS {
        for clusters in [1, 4] {
            for (name, start) in &starts {
                let shape = shape(goal, clusters, 0.5, 0.1);
                let mut body = ShapeBody::new(shape, DAffine3::IDENTITY, DVec3::ZERO).unwrap();
                body.set_state(start, &still).unwrap();
                let mut simulation = free(vec![body]);
                for _ in 0..4000 {
                    simulation.step();
                }
                let off = off_rest(&simulation.bodies[0]);
                assert!(off < 1e-6, "{name}, {goal:?}, {clusters} clusters: off by {off}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Without damping: what the pulls gain is given back (`ledger`).
    #[test]
    fn energy_does_not_explode_for_any_alpha(
        alpha in prop_oneof![0.0..=1.0f64, Just(0.0), Just(1.0)],
        beta in prop_oneof![0.0..=1.0f64, Just(1.0)],
        kind in 0..3usize,
        clusters in 1..5usize,
        step in prop_oneof![Just(1.0 / 60.0), Just(1.0), Just(1e-3)],
        seed in any::<u64>(),
    ) {
        let goal = [Goal::Rigid, Goal::Linear { beta }, Goal::Quadratic { beta }][kind];
        let mut random = noise(seed);
        let mut vector = |size: f64| size * DVec3::new(random(), random(), random());
        let start: Vec<DVec3> = (0..36).map(|_| vector(0.5)).collect();
        let thrown: Vec<DVec3> = (0..36).map(|_| vector(0.1 / step)).collect();
        let mut body = ShapeBody::new(shape(goal, clusters, alpha, 0.0), DAffine3::IDENTITY, DVec3::ZERO).unwrap();
        body.set_state(&start, &thrown).unwrap();
        let (momentum, spin) = (body.momentum(), body.angular_momentum());
        let settings = SimulationSettings { gravity: DVec3::ZERO, step, ..Default::default() };
        let mut simulation = ShapeSimulation::new(settings).unwrap();
        simulation.bodies.push(body);
        let first: f64 = simulation.energy().iter().sum();
        let mut most = first;
        for _ in 0..3000 {
            simulation.step();
            let energy: f64 = simulation.energy().iter().sum();
            prop_assert!(energy.is_finite());
            most = most.max(energy);
        }
        prop_assert!(most <= 3.0 * first, "{first} grew to {most}");
        let body = &simulation.bodies[0];
        prop_assert!(body.momentum().distance(momentum) <= 1e-9 * (1.0 + first.sqrt()));
        prop_assert!(body.angular_momentum().distance(spin) <= 1e-8 * (1.0 + first), "{} {}", body.angular_momentum(), spin);
    }

    #[test]
    fn contacts_conserve_momentum_and_are_those_of_brute_force(seed in any::<u64>(), goal in 0..5usize) {
        let mut random = noise(seed);
        let shape = shape(GOALS[goal], 2, 0.3, 0.05);
        let mut vector = |size: f64| size * DVec3::new(random(), random(), random());
        let bodies = (0..6).map(|_| {
            let turn = DQuat::from_scaled_axis(vector(3.0));
            let place = DAffine3::from_rotation_translation(turn, vector(0.3));
            ShapeBody::new(Arc::clone(&shape), place, vector(1.0)).unwrap()
        });
        let mut simulation = free(bodies.collect());
        let total = |simulation: &ShapeSimulation, of: fn(&ShapeBody) -> DVec3| -> DVec3 {
            simulation.bodies.iter().map(of).sum()
        };
        let momentum = total(&simulation, ShapeBody::momentum);
        let mut touched = 0;
        for _ in 0..60 {
            let expected = touching(&simulation.bodies);
            let ShapeStep { contacts, .. } = simulation.step();
            prop_assert!(contacts.iter().all(|c| c.normal.is_normalized()));
            let overlapping = contacts.iter().filter(|contact| contact.depth > 0.0);
            let found: Vec<_> = overlapping.map(|c| (c.bodies, c.points)).collect();
            prop_assert_eq!(&found, &expected);
            touched += found.len();
        }
        prop_assert!(touched > 0);
        prop_assert!(total(&simulation, ShapeBody::momentum).distance(momentum) < 1e-11);
    }
}

#[test]
fn bodies_that_bounce_off_each_other_conserve_angular_momentum() {
    let shape = shape(Goal::Linear { beta: 0.5 }, 2, 0.8, 0.05);
    let body = |at: DVec3, velocity: DVec3| {
        let place = DAffine3::from_rotation_translation(DQuat::from_rotation_z(0.3 * at.x), at);
        ShapeBody::new(Arc::clone(&shape), place, velocity).unwrap()
    };
    let mut simulation = free(vec![
        body(DVec3::ZERO, DVec3::X * 0.5),
        body(DVec3::new(0.6, 0.05, 0.03), DVec3::X * -0.5),
    ]);
    let total = |simulation: &ShapeSimulation| -> [DVec3; 2] {
        let sum = |of: fn(&ShapeBody) -> DVec3| simulation.bodies.iter().map(of).sum();
        [sum(ShapeBody::momentum), sum(ShapeBody::angular_momentum)]
    };
    let before = total(&simulation);
    let touched: usize = (0..200).map(|_| simulation.step().contacts.len()).sum();
    let after = total(&simulation);
    assert!(touched > 0);
    assert!(before[0].distance(after[0]) < 1e-11, "{before:?} {after:?}");
    assert!(before[1].distance(after[1]) < 1e-11, "{before:?} {after:?}");
    let away = simulation.bodies[1].velocities()[0].x - simulation.bodies[0].velocities()[0].x;
    assert!(away > 0.0, "they went through each other: {away}");
}

#[test]
fn bodies_that_fall_on_each_other_do_not_share_a_place() {
    let shape = Arc::new(Shape::new(lattice(), 2.0, 0.05, 2, ShapeMaterial::JELLY).unwrap());
    let mut simulation = ShapeSimulation::new(SimulationSettings::default()).unwrap();
    simulation.set_obstacles(vec![Obstacle::floor(0.0)]).unwrap();
    for number in 0..3 {
        let turn = DQuat::from_rotation_y(0.1 * f64::from(number));
        let place =
            DAffine3::from_rotation_translation(turn, DVec3::Y * (0.1 + 0.4 * f64::from(number)));
        simulation.bodies.push(ShapeBody::new(Arc::clone(&shape), place, DVec3::ZERO).unwrap());
    }
    for _ in 0..1200 {
        simulation.step();
    }
    // Middles of bodies that do not share their places are at least as far apart as a body is thick.
    let middles: Vec<DVec3> = simulation.bodies.iter().map(ShapeBody::center).collect();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        assert!(middles[a].distance(middles[b]) > 0.2, "{middles:?}");
    }
    assert!(middles.iter().all(|middle| middle.y > 0.1), "{middles:?}");
}

/// Three slabs of 4 x 2 x 4 points. A point carries at most its mass over the step squared, per length: a tower
/// that is too slender for that buckles, as a column of rubber does.
#[test]
fn a_stack_of_three_jellies_stands_and_stays() {
    let at = |i: usize| DVec3::new((i % 4) as f64, (i / 4 % 2) as f64, (i / 8) as f64);
    let slab = (0..32).map(|i| 0.1 * at(i)).collect();
    let shape = Arc::new(Shape::new(slab, 2.0, 0.05, 1, ShapeMaterial::JELLY).unwrap());
    let settings = SimulationSettings { step: 1.0 / 120.0, ..Default::default() };
    let mut simulation = ShapeSimulation::new(settings).unwrap();
    simulation.set_obstacles(vec![Obstacle::floor(0.0)]).unwrap();
    for number in 0..3 {
        let at = DVec3::Y * (0.06 + 0.21 * f64::from(number));
        let place = DAffine3::from_translation(at);
        simulation.bodies.push(ShapeBody::new(Arc::clone(&shape), place, DVec3::ZERO).unwrap());
    }
    let middles = |simulation: &ShapeSimulation| -> Vec<DVec3> {
        simulation.bodies.iter().map(ShapeBody::center).collect()
    };
    (0..2400).for_each(|_| drop(simulation.step()));
    let stands = middles(&simulation);
    for (below, above) in [(0, 1), (1, 2)] {
        assert!(stands[above].y - stands[below].y > 0.12, "{stands:?}");
    }
    (0..4800).for_each(|_| drop(simulation.step()));
    for (before, after) in stands.iter().zip(middles(&simulation)) {
        assert!(before.distance(after) < 0.002, "it moved from {stands:?} to {after}");
    }
}

/// Every pair of points of different bodies that overlap.
fn touching(bodies: &[ShapeBody]) -> Vec<([u32; 2], [u32; 2])> {
    let mut pairs = Vec::new();
    for (a, first) in (0..).zip(bodies) {
        for (b, second) in (0..).zip(bodies).skip(a as usize + 1) {
            let reach = first.shape().radius() + second.shape().radius();
            for (i, &p) in (0..).zip(first.positions()) {
                for (j, &q) in (0..).zip(second.positions()) {
                    if p.distance_squared(q) < reach * reach {
                        pairs.push(([a, b], [i, j]));
                    }
                }
            }
        }
    }
    pairs
}

/// Boxes of points fall on a step and a ball, and on each other.
fn pile(material: ShapeMaterial) -> ShapeSimulation {
    let shape = Arc::new(Shape::new(lattice(), 2.0, 0.05, 2, material).unwrap());
    let mut simulation = ShapeSimulation::new(SimulationSettings::default()).unwrap();
    simulation
        .set_obstacles(vec![
            Obstacle::floor(0.0),
            Obstacle::cuboid(DVec3::new(-0.5, 0.1, 0.0), DVec3::new(0.5, 0.1, 1.0)),
            Obstacle::ball(DVec3::new(0.4, 0.0, 0.0), 0.2),
        ])
        .unwrap();
    let mut random = noise(9);
    for number in 0..20 {
        let turn = DQuat::from_scaled_axis(DVec3::new(random(), random(), random()));
        let at = DVec3::new(0.3 * random(), 0.5 + 0.4 * f64::from(number), 0.3 * random());
        let place = DAffine3::from_rotation_translation(turn, at);
        simulation.bodies.push(ShapeBody::new(Arc::clone(&shape), place, DVec3::ZERO).unwrap());
    }
    simulation
}

#[test]
fn a_pile_comes_to_rest_above_the_ground() {
    let mut simulation = pile(ShapeMaterial::JELLY);
    let sum = |simulation: &ShapeSimulation| simulation.energy().iter().sum::<f64>();
    let first = sum(&simulation);
    let mut highest = first;
    for _ in 0..3000 {
        highest = highest.max(sum(&simulation));
        simulation.step();
    }
    assert!(highest <= 1.02 * first, "{first} J grew to {highest} J");
    let [kinetic, ..] = simulation.energy();
    assert!(kinetic < 1e-3 * first, "{kinetic} J of {first} J are left");
    let lowest = simulation.bodies.iter().flat_map(ShapeBody::positions).map(|p| p.y);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    // Points sink in by what the correction leaves under the weight of a pile.
    assert!(lowest > -0.05, "{lowest}");
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = pile(ShapeMaterial::CLAY);
            let steps: Vec<ShapeStep> = (0..200).map(|_| simulation.step()).collect();
            (simulation.save(), steps)
        })
    };
    let expected = run(1);
    assert!(expected.1.iter().any(|step| step.contacts.len() > 100));
    for threads in [2, 8] {
        assert!(run(threads) == expected, "{threads} threads");
    }
}

#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    let mut whole = pile(ShapeMaterial::CLAY);
    (0..100).for_each(|_| drop(whole.step()));
    let saved = whole.save();
    (0..100).for_each(|_| drop(whole.step()));
    let mut resumed = pile(ShapeMaterial::CLAY);
    resumed.restore(&saved).unwrap();
    assert_eq!(resumed.steps(), 100);
    (0..100).for_each(|_| drop(resumed.step()));
    assert!(resumed.save() == whole.save());

    let before = resumed.save();
    let mut nan = saved.clone();
    nan[24..32].copy_from_slice(&f64::NAN.to_le_bytes());
    for bad in [&b""[..], &saved[..saved.len() - 1], &saved[1..], &nan] {
        assert!(resumed.restore(bad).is_err());
        assert!(resumed.save() == before);
    }
}

#[test]
fn clay_keeps_a_dent_and_jelly_does_not() {
    let dented = |plasticity: Option<Plasticity>| {
        let material = ShapeMaterial { plasticity, ..ShapeMaterial::JELLY };
        let shape = Arc::new(Shape::new(lattice(), 1.0, 0.05, 1, material).unwrap());
        let mut body = ShapeBody::new(shape, DAffine3::IDENTITY, DVec3::ZERO).unwrap();
        let flat: Vec<DVec3> = lattice().iter().map(|p| DVec3::new(p.x, 0.6 * p.y, p.z)).collect();
        let still = vec![DVec3::ZERO; 36];
        for _ in 0..30 {
            body.set_state(&flat, &still).unwrap();
            let mut simulation = free(vec![body]);
            simulation.step();
            body = simulation.bodies.remove(0);
        }
        let mut simulation = free(vec![body]);
        (0..2000).for_each(|_| drop(simulation.step()));
        let height = |axis: DVec3| {
            let along = simulation.bodies[0].positions().iter().map(|p| p.dot(axis));
            along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)
        };
        height(DVec3::Y) / 0.2
    };
    assert!((dented(None) - 1.0).abs() < 1e-6);
    let clay = dented(ShapeMaterial::CLAY.plasticity);
    assert!(clay < 0.85, "{clay}");
    // What is kept has a limit.
    let little = Plasticity { yield_stretch: 0.1, creep: 20.0, largest: 0.05 };
    assert!(dented(Some(little)) > 0.95);
}

#[test]
fn quadratic_goals_keep_a_bend_that_linear_ones_take_away() {
    // A bend has no affine part: the linear goal cannot see it, the quadratic one follows it.
    let bent: Vec<DVec3> =
        lattice().iter().map(|p| *p + DVec3::Y * 3.0 * (p.x - 0.15) * (p.x - 0.15)).collect();
    let still = vec![DVec3::ZERO; 36];
    let stored = |goal| {
        let mut body =
            ShapeBody::new(shape(goal, 1, 0.5, 0.0), DAffine3::IDENTITY, DVec3::ZERO).unwrap();
        body.set_state(&bent, &still).unwrap();
        body.stored_energy(1.0)
    };
    let (linear, quadratic) =
        (stored(Goal::Linear { beta: 1.0 }), stored(Goal::Quadratic { beta: 1.0 }));
    assert!(quadratic < 1e-12 * linear, "{quadratic} {linear}");
}

#[test]
fn a_surface_follows_its_clusters_as_a_skin() {
    let shape = shape(Goal::Linear { beta: 0.5 }, 4, 0.5, 0.1);
    let corners: Vec<DVec3> = shape.points().to_vec();
    let mesh = Mesh::new(corners, (0..34).map(|i| [i, i + 1, i + 2]).collect()).unwrap();
    let weights = shape.skin_weights(&mesh);
    let binding = Binding::new(weights, shape.clusters()).unwrap();
    let mut surface = Body::skinned(mesh, binding, Blending::Linear).unwrap();
    // Moved by an affine map, every vertex of the surface is where its point is.
    let map = DAffine3::from_cols(
        DVec3::new(1.0, 0.2, 0.0),
        DVec3::new(-0.3, 1.1, 0.1),
        DVec3::new(0.0, 0.0, 0.9),
        DVec3::new(5.0, -2.0, 1.0),
    );
    let body = ShapeBody::new(Arc::clone(&shape), map, DVec3::ZERO).unwrap();
    surface.set_pose(&body.joints(), &[]).unwrap();
    assert_eq!(surface.deformation().computed_vertices(), 0, "a pose moves no vertex");
    for (vertex, point) in surface.positions().zip(body.positions()) {
        assert!(vertex.distance(*point) < 1e-12);
    }
    // A flat shape at rest turns as a whole: what its points do not span follows their rotation.
    let flat: Vec<DVec3> = lattice().iter().map(|p| DVec3::new(p.x, 0.0, p.z)).collect();
    let sheet = Arc::new(Shape::new(flat, 1.0, 0.05, 1, ShapeMaterial::JELLY).unwrap());
    let turn = DAffine3::from_axis_angle(DVec3::ONE.normalize(), 1.0);
    let joints = ShapeBody::new(sheet, turn, DVec3::ZERO).unwrap().joints();
    assert!(joints[0].abs_diff_eq(turn, 1e-12), "{:?}", joints[0]);
}

#[test]
fn bad_input_is_refused() {
    let jelly = ShapeMaterial::JELLY;
    assert!(Shape::new(vec![], 1.0, 0.1, 1, jelly).is_err());
    assert!(Shape::new(vec![DVec3::NAN], 1.0, 0.1, 1, jelly).is_err());
    assert!(Shape::new(lattice(), 0.0, 0.1, 1, jelly).is_err());
    assert!(Shape::new(lattice(), 1.0, f64::NAN, 1, jelly).is_err());
    assert!(Shape::new(lattice(), 1.0, 0.1, usize::MAX, jelly).is_err());
    for alpha in [-0.1, 1.1, f64::NAN] {
        assert!(Shape::new(lattice(), 1.0, 0.1, 1, ShapeMaterial { alpha, ..jelly }).is_err());
    }
    // One point, equal points and points on a line are shapes.
    for points in
        [vec![DVec3::ONE], vec![DVec3::ONE; 9], (0..9).map(|i| DVec3::X * f64::from(i)).collect()]
    {
        for goal in GOALS {
            let shape = Shape::new(points.clone(), 1.0, 0.1, 3, ShapeMaterial { goal, ..jelly });
            let body =
                ShapeBody::new(Arc::new(shape.unwrap()), DAffine3::IDENTITY, DVec3::X).unwrap();
            let mut simulation = free(vec![body]);
            (0..100).for_each(|_| drop(simulation.step()));
            let end: Vec<DVec3> = points.iter().map(|p| *p + DVec3::X * (100.0 / 60.0)).collect();
            for (found, expected) in simulation.bodies[0].positions().iter().zip(&end) {
                assert!(found.distance(*expected) < 1e-9, "{found} {expected}");
            }
        }
    }
    let mut simulation = pile(jelly);
    let body = &mut simulation.bodies[0];
    assert!(body.set_state(&[DVec3::ZERO], &[DVec3::ZERO]).is_err());
    assert!(body.set_state(&[DVec3::NAN; 36], &[DVec3::ZERO; 36]).is_err());
    let settings = SimulationSettings { step: 0.0, ..Default::default() };
    assert!(ShapeSimulation::new(settings).is_err());
    let (points, _) = sample_surface(&Mesh::new(lattice(), vec![[0, 1, 5]]).unwrap(), 0);
    assert_eq!(points.len(), 1);
}

/// A push from outside gives its momentum, whatever place it comes from, and lasts for one step.
#[test]
fn a_push_gives_its_momentum() {
    for clusters in [1, 4] {
        let body = ShapeBody::new(
            shape(Goal::Linear { beta: 0.5 }, clusters, 1.0, 0.05),
            DAffine3::from_translation(DVec3::ONE),
            DVec3::X,
        );
        let mut simulation = free(vec![body.unwrap()]);
        let mut momentum = simulation.bodies[0].momentum();
        let mut random = noise(9);
        for _ in 0..50 {
            let place = DVec3::ONE + 0.5 * DVec3::new(random(), random(), random());
            let impulse = 0.1 * DVec3::new(random(), random(), random());
            momentum += impulse;
            simulation.bodies[0].push(place, impulse).unwrap();
            simulation.step();
            let now = simulation.bodies[0].momentum();
            assert!((now - momentum).length() < 1e-10, "{now} {momentum}");
            simulation.step();
            assert!((simulation.bodies[0].momentum() - momentum).length() < 1e-10);
        }
        assert!(off_rest(&simulation.bodies[0]) > 1e-4, "it does not bend");
        assert!(simulation.bodies[0].push(DVec3::NAN, DVec3::X).is_err());
        assert!(simulation.bodies[0].push(DVec3::X, DVec3::INFINITY).is_err());
    }
}
