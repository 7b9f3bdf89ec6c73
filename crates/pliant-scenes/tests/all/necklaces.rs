//! Necklaces: adjacent beads overlap and no others do.

use std::collections::HashMap;

use crate::support::hash;
use pliant::Error;
use pliant::glam::DVec3;
use pliant::power::PowerDiagram;
use pliant::volume::Ball;
use pliant_scenes::{
    Beads, dense_helix, globule, grill, helix, random_protein, random_protein_of, rolling_spiral,
    scaling_helix, spline, static_helix,
};

/// Consecutive beads share a point, others do not; tested with a grid of cells one diameter wide.
fn check(name: &str, beads: &Beads, count: usize) {
    assert_eq!(beads.positions.len(), count, "{name}");
    assert!(beads.positions.iter().all(|bead| bead.is_finite()), "{name}");
    let diameter = 2.0 * beads.radius;
    for (number, pair) in beads.positions.windows(2).enumerate() {
        let apart = pair[0].distance(pair[1]);
        assert!(apart <= diameter, "{name}: {number} is {apart} from the next, over {diameter}");
    }
    let cell = |p: DVec3| (p / diameter).to_array().map(|x| x.floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (number, &bead) in beads.positions.iter().enumerate() {
        cells.entry(cell(bead)).or_default().push(number);
    }
    for (number, &bead) in beads.positions.iter().enumerate() {
        let [x, y, z] = cell(bead);
        for near in (0..27).map(|n| [x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1]) {
            for &other in cells.get(&near).map_or(&[][..], |list| list) {
                let apart = bead.distance(beads.positions[other]);
                assert!(
                    number.abs_diff(other) < 2 || apart > diameter,
                    "{name}: {number} and {other} are {apart} apart, below {diameter}"
                );
            }
        }
    }
}

#[test]
fn grill_spline_and_helices_are_necklaces() {
    check("grill", &grill(), 89);
    for count in [10, 50, 100] {
        check("spline", &spline(count).unwrap(), count);
    }
    for count in [10, 640, 10_240] {
        for (name, beads) in [("static", static_helix(count)), ("scaling", scaling_helix(count))] {
            let beads = beads.unwrap();
            check(name, &beads, count);
            assert!(beads.positions.iter().all(|p| p.abs().max_element() <= 1.0), "{name}");
        }
    }
    assert_eq!(static_helix(640).unwrap(), scaling_helix(640).unwrap());
    check("densest", &scaling_helix(50_000).unwrap(), 50_000);
}

#[test]
fn curves_refuse_what_cannot_be() {
    assert!(matches!(spline(1), Err(Error::InvalidSetting { value: 1, .. })));
    assert!(matches!(helix(10, 5.0), Err(Error::InvalidSetting { .. })));
    assert!(matches!(helix(10, f64::NAN), Err(Error::InvalidVector { .. })));
    assert!(matches!(rolling_spiral(1.5), Err(Error::InvalidVector { .. })));
    assert!(matches!(globule(1, 1), Err(Error::InvalidSetting { .. })));
    assert!(matches!(globule(usize::MAX, 1), Err(Error::TooMany { .. })));
}

#[test]
fn the_spiral_rolls_up_and_is_a_necklace_all_along() {
    for step in 0..=50 {
        let spiral = rolling_spiral(f64::from(step) / 50.0).unwrap();
        check("spiral", &spiral, 1000);
        // The total rotation about the y axis, from bead to bead.
        let turned: f64 = spiral
            .positions
            .windows(2)
            .map(|pair| {
                let [a, b] = [pair[0], pair[1]];
                (a.x * b.z - a.z * b.x).atan2(a.x * b.x + a.z * b.z)
            })
            .sum();
        let turns = turned / std::f64::consts::TAU;
        assert!((turns - 18.0 * f64::from(step) / 50.0).abs() < 1e-6, "{turns} at {step}");
    }
}

#[test]
fn random_proteins_avoid_themselves_and_are_compact() {
    for seed in 0..5 {
        let protein = random_protein(seed);
        check("protein", &protein, 300);
        let middle = protein.positions.iter().sum::<DVec3>() / 300.0;
        let squared: f64 =
            protein.positions.iter().map(|p| p.distance_squared(middle)).sum::<f64>() / 300.0;
        assert!((8.0..40.0).contains(&squared.sqrt()), "{}", squared.sqrt());
    }
    assert_ne!(random_protein(1), random_protein(2));
}

#[test]
fn random_proteins_of_other_sizes_avoid_themselves() {
    for count in [2, 3, 1380] {
        check("protein", &random_protein_of(count, 1).unwrap(), count);
    }
    assert_eq!(random_protein_of(300, 7).unwrap(), random_protein(7));
    assert!(matches!(random_protein_of(1, 1), Err(Error::InvalidSetting { value: 1, .. })));
}

#[test]
fn the_dense_helix_is_a_chain_in_the_cube_with_as_many_edges_as_it_says() {
    let helix = dense_helix();
    assert_eq!(helix.positions.len(), 10_240);
    assert!(helix.positions.iter().all(|p| p.abs().max_element() <= 1.0));
    assert!(helix.positions.windows(2).all(|pair| pair[0].distance(pair[1]) <= 2.0 * helix.radius));
    let balls: Vec<Ball> = helix.positions.iter().map(|&p| Ball::new(p, helix.radius)).collect();
    let edges = PowerDiagram::new(&balls).unwrap().edges().len();
    // The last bit of the sine depends on the platform.
    assert!(edges.abs_diff(797_396) < 1_000, "{edges}");
}

#[test]
fn globules_of_every_size_are_necklaces() {
    for count in [2, 3, 15, 16, 17, 1000, 100_000, 1_000_000] {
        check("globule", &globule(count, 5).unwrap(), count);
    }
}

#[test]
fn necklaces_are_the_same_each_time() {
    let all = || {
        [
            grill(),
            spline(50).unwrap(),
            scaling_helix(640).unwrap(),
            rolling_spiral(0.7).unwrap(),
            random_protein(4),
            globule(5000, 4).unwrap(),
        ]
        .map(|beads| (hash(&beads.positions), beads.radius.to_bits()))
    };
    assert_eq!(all(), all());
}
