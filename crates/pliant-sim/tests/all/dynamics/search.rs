//! No contact is missed: the search finds what brute force finds, at every step.

use pliant::glam::{DVec3, Vec3};
use pliant_sim::dynamics::{Model, ModelSettings, Obstacle, Placement, Settings, Simulation};

use super::{block, random, rubber_bar, scatter};

fn compare(run: &mut Simulation) -> usize {
    let expected = run.find_contacts_by_brute_force().unwrap();
    let (found, work) = run.find_contacts().unwrap();
    assert_eq!(found.len(), expected.len(), "step {}", run.steps_done());
    assert!(found == expected, "step {}", run.steps_done());
    assert_eq!(work.contacts as usize, found.len());
    found.len()
}

#[test]
fn no_proxy_pair_is_missed_at_any_step_of_a_run() {
    let mut run = Simulation::new(Settings::default()).unwrap();
    let bar = run.add_model(rubber_bar(6, 0.3));
    let settings = ModelSettings { level: 3, ..ModelSettings::default() };
    let stone = Model::rigid(block(DVec3::new(0.3, 0.2, 0.2), [3, 2, 2]), &settings).unwrap();
    let stone = run.add_model(stone);
    run.add_obstacle(Obstacle::floor(0.0)).unwrap();
    run.add_obstacle(Obstacle::ball(DVec3::new(0.2, 0.1, 0.0), 0.3)).unwrap();
    scatter(&mut run, bar, 5, 0.3, 1);
    scatter(&mut run, stone, 4, 0.4, 2);
    let mut contacts = 0;
    for _ in 0..250 {
        contacts += compare(&mut run);
        run.step().unwrap();
    }
    assert!(contacts > 2000, "{contacts}");
}

/// Random states, also far from the origin, with large coordinates and speeds.
#[test]
fn no_proxy_pair_is_missed_in_random_states() {
    let model = std::sync::Arc::new(rubber_bar(6, f64::INFINITY));
    let mut next = random(11);
    let mut contacts = 0;
    for case in 0..240 {
        // In a short step nothing but the spheres themselves keeps a pair.
        let step = if case % 2 == 0 { 1.0 / 150.0 } else { 1e-6 };
        let mut run = Simulation::new(Settings { step, ..Settings::default() }).unwrap();
        let bar = run.add_model(model.clone());
        let far = [0.0, 1e3, 1e7][case % 3];
        let large = [0.0, 0.02, 0.5, 20.0, 0.05, 0.005][case % 6];
        let fast = if case % 2 == 0 { 5.0 } else { 0.0 };
        for _ in 0..4 {
            let mut vector = || DVec3::new(next(), next(), next());
            let rotation = pliant::glam::DQuat::from_scaled_axis(vector() * 3.0);
            let translation = 0.3 * vector() + DVec3::splat(far);
            let (velocity, spin) = (fast * vector(), fast * vector());
            let body =
                run.add_body(bar, &Placement { rotation, translation, velocity, spin }).unwrap();
            let q: Vec<f64> = (0..4).map(|_| large * next()).collect();
            let v: Vec<f64> = (0..4).map(|_| fast * large * next()).collect();
            run.set_vibration(body, &q, &v).unwrap();
        }
        contacts += compare(&mut run);
    }
    assert!(contacts > 2000, "{contacts}");
}

/// So many proxies in each other's boxes that both trees are descended together.
#[test]
fn no_proxy_pair_is_missed_where_many_meet() {
    let settings = ModelSettings { level: 9, ..ModelSettings::default() };
    let stone = Model::rigid(block(DVec3::splat(0.4), [12, 12, 12]), &settings).unwrap();
    assert!(stone.proxies().proxies() > 200, "{}", stone.proxies().proxies());
    let stone = std::sync::Arc::new(stone);
    let mut next = random(3);
    let mut contacts = 0;
    for _ in 0..20 {
        let mut run = Simulation::new(Settings::default()).unwrap();
        let stone = run.add_model(stone.clone());
        for _ in 0..2 {
            let mut vector = || DVec3::new(next(), next(), next());
            let rotation = pliant::glam::DQuat::from_scaled_axis(3.0 * vector());
            let (translation, velocity) = (0.1 * vector(), vector());
            let at = Placement { rotation, translation, velocity, ..Placement::default() };
            run.add_body(stone, &at).unwrap();
        }
        contacts += compare(&mut run);
    }
    assert!(contacts > 1000, "{contacts}");
}

/// The spheres that touch contain the vertices for which they stand.
#[test]
fn proxies_contain_the_vertices_of_the_deformed_body() {
    let model = rubber_bar(4, f64::INFINITY);
    let mut next = random(5);
    for _ in 0..50 {
        let q: Vec<f64> = (0..4).map(|_| 0.3 * next()).collect();
        let center = model.mass().center;
        let spheres = model.deformed_proxies(&q);
        assert_eq!(spheres.len(), model.proxies().proxies());
        for (vertex, &rest) in model.mesh().positions().iter().enumerate() {
            let at = model.modes().displaced(rest, vertex, &q) - center;
            let holds = |sphere: &pliant::volume::Sphere| {
                let apart = (at - sphere.center.as_dvec3()).length();
                apart <= f64::from(sphere.radius)
            };
            assert!(spheres.iter().any(holds), "vertex {vertex} at {at}");
        }
    }
    let rest = model.deformed_proxies(&[0.0; 4]);
    assert!(rest.iter().all(|sphere| sphere.center != Vec3::NAN && sphere.radius > 0.0));
}
