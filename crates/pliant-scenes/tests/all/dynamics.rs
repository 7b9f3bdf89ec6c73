//! The great scenes: chairs that fall into a pile, fish on a bridge.

use std::sync::Arc;

use pliant::glam::DVec3;
use pliant_scenes::{
    Random, bridge_model, chair_model, falling_chairs, fish_model, fish_on_bridge, modal_chair,
};
use pliant_sim::dynamics::{Other, Placement, Settings, Simulation};

/// The fastest centre of mass.
fn fastest(run: &Simulation) -> f64 {
    let speed = |body: u32| {
        let mass = run.model(body).map_or(1.0, |model| model.mass().mass);
        run.state(body).map_or(0.0, |state| state.momentum.length() / mass)
    };
    (0..run.bodies() as u32).map(speed).fold(0.0, f64::max)
}

#[test]
fn a_pile_of_fifty_chairs_comes_to_rest_and_stays() {
    let chair = Arc::new(chair_model(modal_chair().unwrap(), 9).unwrap());
    let mut run = falling_chairs(Arc::clone(&chair), 50, 1).unwrap();
    let before = run.energy().unwrap().total();
    for _ in 0..1500 {
        run.step().unwrap();
    }
    let rested: Vec<_> = (0..50).map(|body| run.frame(body).unwrap().1).collect();
    let mut fast = 0.0f64;
    for _ in 0..300 {
        run.step().unwrap();
        fast = fast.max(fastest(&run));
    }
    assert!(fast < 0.1, "{fast} m/s after ten seconds");
    let moved = |body: u32| run.frame(body).unwrap().1.distance(rested[body as usize]);
    let farthest = (0..50).map(moved).fold(0.0, f64::max);
    assert!(farthest < 0.05, "a chair moved by {farthest} m in two seconds");
    let after = run.energy().unwrap();
    assert!(after.total() < 0.5 * before, "{before} {after:?}");
    // A pile, and not a layer: chairs lie on chairs, and none sinks in.
    let between = run.contacts().iter().filter(|c| matches!(c.other, Other::Body { .. })).count();
    assert!(between > 50, "{between}");
    let deepest = run.contacts().iter().map(|contact| contact.depth).fold(0.0, f64::max);
    assert!(deepest < 0.02, "{deepest}");
    let strain = (0..50).map(|body| run.strain(body).unwrap()).fold(0.0, f64::max);
    assert!(strain > 0.0 && strain <= chair.strain_limit().unwrap());
}

#[test]
fn fish_land_on_the_swaying_bridge_and_no_contact_is_missed() {
    let count = 12;
    let mut run =
        fish_on_bridge(fish_model(4).unwrap(), bridge_model().unwrap(), count, 1).unwrap();
    // They lie on the deck after about a second.
    for _ in 0..150 {
        run.step().unwrap();
    }
    let expected = run.find_contacts_by_brute_force().unwrap();
    let (found, _) = run.find_contacts().unwrap();
    assert!(found == expected, "{} of {}", found.len(), expected.len());
    let with_triangle = |other| matches!(other, Other::Obstacle { triangle: Some(_), .. });
    let with_triangles = found.iter().filter(|contact| with_triangle(contact.other)).count();
    assert!(with_triangles > 3, "{with_triangles}");
    let high = |&body: &u32| run.state(body).is_some_and(|state| state.position.y > -3.0);
    let on_deck = (0..count as u32).filter(high).count();
    assert!(on_deck > 8, "{on_deck} of {count}");
}

/// A school thrown together without gravity, bent and fast: what is found is what brute force finds, at every
/// step.
#[test]
fn no_proxy_pair_of_soft_fish_is_missed_at_any_step() {
    let model = Arc::new(fish_model(5).unwrap());
    let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
    let mut run = Simulation::new(settings).unwrap();
    let id = run.add_model(Arc::clone(&model));
    let mut random = Random::new(4);
    for body in 0..14 {
        let rotation = random.rotation();
        let place = 0.9 * random.in_cube();
        let (velocity, spin) = (-1.5 * place, 2.0 * random.in_cube());
        let translation = place - rotation * model.mass().center;
        run.add_body(id, &Placement { rotation, translation, velocity, spin }).unwrap();
        let q = 0.05 * random.in_cube();
        run.set_vibration(body, &q.to_array(), &(10.0 * q).to_array()).unwrap();
    }
    let mut contacts = 0;
    for step in 0..200 {
        let expected = run.find_contacts_by_brute_force().unwrap();
        let (found, _) = run.find_contacts().unwrap();
        assert!(found == expected, "step {step}: {} of {}", found.len(), expected.len());
        contacts += found.len();
        run.step().unwrap();
    }
    assert!(contacts > 500, "{contacts}");
}
