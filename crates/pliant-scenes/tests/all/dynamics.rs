//! The great scenes: chairs that fall into a pile, fish on a bridge.

use std::sync::Arc;

use pliant_scenes::{
    bridge_model, chair_model, falling_chairs, fish_model, fish_on_bridge, modal_chair,
};
use pliant_sim::dynamics::{Other, Simulation};

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
