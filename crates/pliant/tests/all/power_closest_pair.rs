//! The closest pair by the power diagram is the closest pair.

use crate::necklace_support::{Random, cases, necklace};
use pliant::glam::DVec3;
use pliant::necklace::brute_force;
use pliant::power::{ClosestPairMethod, PowerDiagram, closest_nonadjacent_pair};
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant::{Necklace, necklace::clashes};
use proptest::prelude::*;

/// A walk that keeps clear of itself, of beads of many sizes that touch their neighbours.
fn disjoint(count: usize, closed: bool, chains: usize, seed: u64) -> Necklace {
    let mut random = Random::new(seed);
    let mut beads: Vec<Ball> = Vec::new();
    let mut links = Vec::new();
    for chain in 0..chains {
        let first = beads.len();
        beads.push(Ball::new(DVec3::X * 40.0 * chain as f64, 0.5));
        for _ in 0..20 * count {
            let last = beads[beads.len() - 1];
            let radius = 0.6 + 0.5 * random.unit();
            let away = random.vector().normalize_or(DVec3::X);
            // Nearly touching or deep within: both are allowed of neighbours.
            let overlap = 0.9 + 0.09 * random.unit();
            let next = Ball::new(last.center + away * (last.radius + radius) * overlap, radius);
            let clear = beads[..beads.len() - 1].iter().all(|other| other.gap_to(&next) > 0.01);
            if clear && beads.len() - first < count {
                beads.push(next);
            }
        }
        links.push(Chain { beads: beads.len() - first, closed });
    }
    Necklace::new(beads, &links).unwrap()
}

fn agrees(necklace: &Necklace) -> ClosestPairMethod {
    let diagram = PowerDiagram::new(necklace.beads()).unwrap();
    let found = closest_nonadjacent_pair(&diagram, necklace);
    let expected = brute_force::nearest_own_beads(necklace, 2);
    assert_eq!((found.nearest.pair, found.nearest.gap), (expected.pair, expected.gap));
    found.method
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_necklace(necklace in necklace()) {
        agrees(&necklace);
    }

    #[test]
    fn necklaces_of_which_only_neighbours_overlap(count in 2..60usize, chains in 1..4usize, seed in any::<u64>()) {
        let necklace = disjoint(count, false, chains, seed);
        prop_assert!(clashes(&necklace, 2).pairs.is_empty());
        prop_assert_eq!(agrees(&necklace), ClosestPairMethod::PowerDiagram);
        // Closed, the chains have one link more that is a gap.
        agrees(&disjoint(count, true, chains, seed));
    }
}

#[test]
fn closed_chains_of_touching_beads_need_the_edges_alone() {
    for count in [3, 4, 5, 12, 100] {
        let ring: Vec<DVec3> = (0..count)
            .map(|i| f64::from(i) / f64::from(count) * std::f64::consts::TAU)
            .map(|t| DVec3::new(t.cos(), t.sin(), 0.2 * (3.0 * t).sin()))
            .collect();
        let longest = (0..ring.len())
            .map(|i| ring[i].distance(ring[(i + 1) % ring.len()]))
            .fold(0.0, f64::max);
        let necklace = Necklace::closed(&ring, longest * 0.51).unwrap();
        assert_eq!(agrees(&necklace), ClosestPairMethod::PowerDiagram, "{count}");
    }
}

#[test]
fn clashes_gaps_and_foreign_diagrams_fall_back() {
    let zigzag: Vec<DVec3> =
        (0..300).map(|i| DVec3::new(f64::from(i), f64::from(i % 2), 0.0)).collect();
    let clashing = Necklace::open(&zigzag, 1.5).unwrap();
    assert_eq!(agrees(&clashing), ClosestPairMethod::Hierarchy);
    let apart = Necklace::open(&zigzag, 0.1).unwrap();
    assert_eq!(agrees(&apart), ClosestPairMethod::Hierarchy);
    let diagram = PowerDiagram::new(clashing.beads()).unwrap();
    let found = closest_nonadjacent_pair(&diagram, &apart);
    assert_eq!(found.method, ClosestPairMethod::Hierarchy);
    assert_eq!(found.nearest.pair, brute_force::nearest_own_beads(&apart, 2).pair);
}

#[test]
fn closest_pairs_that_are_no_edges() {
    let at = |x: f64, radius: f64| Ball::new(DVec3::X * x, radius);
    let open = |beads| Chain { beads, closed: false };
    // A large bead parts its neighbours, which are the only pair.
    let parted = Necklace::new(vec![at(0.0, 0.4), at(1.0, 0.9), at(2.0, 0.4)], &[open(3)]).unwrap();
    // The first bead ends just within the second, and parts it from a third all the same:
    // beyond its own surface its power is less.
    let (large, within, third) = (at(0.0, 1.0), at(0.7, 0.25), at(3.0, 1.0));
    let end = Necklace::new(vec![within, large, third], &[open(2), open(1)]).unwrap();
    // The same bead in the middle of a chain of which it does not touch the rest.
    let far = at(-20.0, 0.5);
    let torn = Necklace::new(vec![large, within, far, third], &[open(3), open(1)]).unwrap();
    // And in the middle of a closed chain of three, where the others are neighbours too.
    let rest = Ball::new(DVec3::new(0.3, 0.3, 0.0), 0.25);
    let three = Chain { beads: 3, closed: true };
    let ring = Necklace::new(vec![large, within, rest, third], &[three, open(1)]).unwrap();
    for (necklace, closest) in [(parted, [0, 2]), (end, [1, 2]), (torn, [0, 3]), (ring, [0, 3])] {
        let edges = PowerDiagram::new(necklace.beads()).unwrap().edges();
        assert!(!edges.contains(&closest));
        assert_eq!(brute_force::nearest_own_beads(&necklace, 2).pair, Some(closest));
        assert_eq!(agrees(&necklace), ClosestPairMethod::PowerDiagram);
    }
}
