//! Power diagrams: regular everywhere, equal to the definition, for every kind of ball.

use std::collections::BTreeSet;

use crate::power_support::{KINDS, Random, balls, brute_force, check, is_general, tetrahedra};
use pliant::Error;
use pliant::glam::DVec3;
use pliant::power::PowerDiagram;
use pliant::volume::Ball;
use proptest::prelude::*;

fn edges_of(tetrahedra: &BTreeSet<[u32; 4]>) -> Vec<[u32; 2]> {
    let edges: BTreeSet<[u32; 2]> = tetrahedra
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]])
        .collect();
    edges.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_diagram_is_regular(kind in 0..KINDS, count in prop_oneof![0..9usize, 9..90usize], seed in any::<u64>()) {
        check(&PowerDiagram::new(&balls(kind, count, seed)).unwrap());
    }

    #[test]
    fn small_diagrams_are_those_of_the_definition(kind in 0..KINDS, count in 4..10usize, seed in any::<u64>()) {
        let balls = balls(kind, count, seed);
        let diagram = PowerDiagram::new(&balls).unwrap();
        if let Some(expected) = brute_force(&balls) {
            prop_assert_eq!(&tetrahedra(&diagram), &expected);
            if !expected.is_empty() {
                prop_assert_eq!(diagram.edges(), edges_of(&expected));
            }
        } else {
            prop_assert!(!is_general(kind) || kind == 12);
        }
    }

    #[test]
    fn on_a_line_neighbours_on_the_lower_hull_are_joined(count in 1..30usize, seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let direction = [DVec3::X, DVec3::new(3.0, -1.0, 2.0)][random.below(2)];
        let places: Vec<(i64, i64)> =
            (0..count).map(|_| (random.below(30) as i64, random.below(8) as i64)).collect();
        let length = direction.length_squared() as i64;
        let balls: Vec<Ball> =
            places.iter().map(|&(x, r)| Ball::new(direction * x as f64, r as f64)).collect();
        let diagram = PowerDiagram::new(&balls).unwrap();
        prop_assert_eq!(diagram.defect(), None);
        prop_assert_eq!(diagram.tetrahedra().count(), 0);
        // Of the points (x, x^2 - r^2), who is strictly below all segments between others?
        let height = |i: usize| places[i].0 * places[i].0 * length - places[i].1 * places[i].1;
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_unstable_by_key(|&i| (places[i].0, height(i), i));
        order.dedup_by_key(|&mut i| places[i].0);
        let mut hull: Vec<usize> = Vec::new();
        let mut ties = false;
        for i in order {
            while let [.., a, b] = hull[..] {
                let turn = (places[b].0 - places[a].0) * (height(i) - height(a))
                    - (height(b) - height(a)) * (places[i].0 - places[a].0);
                ties |= turn == 0;
                if turn > 0 {
                    break;
                }
                hull.pop();
            }
            hull.push(i);
        }
        prop_assume!(!ties);
        let mut expected: Vec<[u32; 2]> =
            hull.windows(2).map(|pair| [pair[0].min(pair[1]) as u32, pair[0].max(pair[1]) as u32]).collect();
        expected.sort_unstable();
        prop_assert_eq!(diagram.edges(), expected);
    }

    #[test]
    fn in_a_plane_edges_are_those_of_the_diagram_in_the_plane(count in 3..12usize, seed in any::<u64>()) {
        let balls = balls(9, count, seed);
        let diagram = PowerDiagram::new(&balls).unwrap();
        let lift = |i: usize| {
            let p = balls[i].center;
            DVec3::new(p.x, p.y, p.length_squared() - balls[i].radius * balls[i].radius)
        };
        let mut expected = BTreeSet::new();
        for a in 0..count {
            for b in a + 1..count {
                for c in b + 1..count {
                    let normal = (lift(b) - lift(a)).cross(lift(c) - lift(a));
                    let normal = normal * normal.z.signum();
                    let mut others = (0..count).filter(|d| ![a, b, c].contains(d));
                    if others.all(|d| (lift(d) - lift(a)).dot(normal) > 0.0) {
                        expected.extend([[a, b], [a, c], [b, c]].map(|edge| edge.map(|i| i as u32)));
                    }
                }
            }
        }
        prop_assert_eq!(diagram.edges(), expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn the_same_balls_give_the_same_cells(kind in 0..KINDS, seed in any::<u64>()) {
        let balls = balls(kind, 50, seed);
        let [one, two] = [(); 2].map(|()| PowerDiagram::new(&balls).unwrap());
        prop_assert!(one.tetrahedra().eq(two.tetrahedra()));
    }
}

#[test]
fn of_balls_at_one_point_the_largest_shows_and_the_first_of_equals() {
    let mut balls = balls(1, 30, 7);
    let copy = Ball::new(balls[4].center, 0.5);
    balls[4].radius = 0.5;
    balls.extend([copy, Ball::new(copy.center, 0.4)]);
    let diagram = PowerDiagram::new(&balls).unwrap();
    let hidden: Vec<u32> = diagram.hidden().collect();
    assert!(hidden.contains(&30) && hidden.contains(&31) && !hidden.contains(&4), "{hidden:?}");
    assert!(diagram.neighbors(30).is_empty() && diagram.neighbors(99).is_empty());
    check(&diagram);
}

#[test]
fn large_ones_too() {
    for (kind, count) in [(1, 3000), (3, 1000), (12, 400), (13, 2000)] {
        let diagram = PowerDiagram::new(&balls(kind, count, 3)).unwrap();
        assert_eq!(diagram.defect(), None);
        crate::power_support::check_counts(&diagram);
    }
}

#[test]
fn bad_balls_are_refused_by_number() {
    let good = Ball::new(DVec3::ZERO, 1.0);
    for bad in [
        Ball::new(DVec3::NAN, 1.0),
        Ball::new(DVec3::ZERO, -1.0),
        Ball::new(DVec3::ZERO, f64::NAN),
        Ball::new(DVec3::ZERO, f64::INFINITY),
    ] {
        let refused = PowerDiagram::new(&[good, bad]);
        assert!(matches!(refused, Err(Error::InvalidBead { bead: 1, .. })));
    }
    let empty = PowerDiagram::new(&[]).unwrap();
    assert!(empty.edges().is_empty() && empty.hidden().count() == 0 && empty.defect().is_none());
    let huge = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO, DVec3::ONE]
        .map(|p| Ball::new(p * f64::MAX, 1.0));
    check(&PowerDiagram::new(&huge).unwrap());
}
