//! What is conserved: momentum always, energy never grows, bits do not depend on threads.

use pliant::glam::{DQuat, DVec3};
use pliant_sim::dynamics::{ContactLaw, Obstacle, Placement, Settings, Simulation};

use super::{rubber_bar, scatter};

#[test]
fn momentum_of_free_pairs_is_conserved_to_rounding() {
    let model = std::sync::Arc::new(rubber_bar(4, 0.2));
    for seed in 0..4 {
        let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
        let mut run = Simulation::new(settings).unwrap();
        let bar = run.add_model(model.clone());
        let turned = DQuat::from_scaled_axis(DVec3::new(0.3, 1.0, 0.2 * f64::from(seed)));
        let (velocity, spin) = (DVec3::new(3.0, 0.0, 0.2), DVec3::new(1.0, -2.0, 3.0));
        let left = Placement { rotation: turned, velocity, spin, ..Placement::at(-DVec3::X * 0.7) };
        run.add_body(bar, &left).unwrap();
        run.add_body(bar, &Placement::at(DVec3::new(0.1, 0.05, 0.1))).unwrap();
        let before = run.momentum();
        let mut contacts = 0;
        for _ in 0..150 {
            contacts += run.step().unwrap().contacts;
        }
        assert!(contacts > 3, "{contacts}");
        let after = run.momentum();
        // Tens of kg m/s, over 150 steps of some roundings of 1e-16 each.
        assert!(after[0].distance(before[0]) < 1e-11, "{:?} {:?}", before[0], after[0]);
        assert!(after[1].distance(before[1]) < 1e-11, "{:?} {:?}", before[1], after[1]);
        let moved = run.state(1).unwrap().momentum.length();
        assert!(moved > 1.0, "the second was hit: {moved}");
    }
}

/// Over 10,000 steps, from several starts. What is left are roundings: places and rates of proxies in their
/// body's axes are `f32`, so that forces of some 100 N are off by some 1e-8 m.
#[test]
fn energy_of_a_damped_pile_never_grows() {
    let contact = ContactLaw { stiffness: 1e4, damping: 150.0, ..ContactLaw::default() };
    let model = std::sync::Arc::new(rubber_bar(3, 0.2));
    for (seed, steps) in [(3, 10_000), (4, 1000), (5, 1000), (6, 1000)] {
        let mut run = Simulation::new(Settings { contact, ..Settings::default() }).unwrap();
        let bar = run.add_model(model.clone());
        run.add_obstacle(Obstacle::floor(0.0)).unwrap();
        scatter(&mut run, bar, 6, 0.5, seed);
        let first = run.energy().unwrap().total();
        let (mut lowest, mut most) = (first, 0.0f64);
        for _ in 0..steps {
            run.step().unwrap();
            let now = run.energy().unwrap().total();
            most = most.max(now - lowest);
            lowest = lowest.min(now);
        }
        assert!(lowest < 0.5 * first, "the pile fell: {first} {lowest}");
        assert!(most < 1e-9 * first, "seed {seed}: rose by {most} of {first} above the lowest");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let model = std::sync::Arc::new(rubber_bar(5, 0.2));
    let run_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = Simulation::new(Settings::default()).unwrap();
            let bar = run.add_model(model.clone());
            run.add_obstacle(Obstacle::floor(0.0)).unwrap();
            scatter(&mut run, bar, 60, 0.1, 7);
            let work: Vec<_> = (0..60).map(|_| run.step().unwrap()).collect();
            (work, run.contacts().to_vec(), run.contact_forces().to_vec(), run.to_bytes())
        })
    };
    let one = run_on(1);
    let contacts: u64 = one.0.iter().map(|work| work.contacts).sum();
    assert!(contacts > 2000 && !one.1.is_empty(), "{contacts}");
    for threads in [2, 8] {
        assert!(run_on(threads) == one, "{threads} threads");
    }
}
