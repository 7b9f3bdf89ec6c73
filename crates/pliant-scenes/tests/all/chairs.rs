//! The chair, alone and in a pile.

use crate::support::{corners, crossing_pairs};
use pliant::Mesh;
use pliant::glam::{DQuat, DVec3};
use pliant_scenes::{Topology, chair, pile_of_chairs};

fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    let infinite = DVec3::splat(f64::INFINITY);
    points.fold((infinite, -infinite), |(low, high), p| (low.min(p), high.max(p)))
}

#[test]
fn the_chair_is_one_closed_surface_with_seven_handles() {
    let chair = chair().unwrap();
    let topology = Topology::of(&chair);
    assert!(topology.is_closed(), "{topology:?}");
    assert_eq!(topology.components, 1);
    assert_eq!((topology.vertices, topology.triangles), (8945, 17_914));
    assert_eq!(topology.euler_characteristic(), 2 - 2 * 7);
    assert_eq!(chair.positions().len(), 8945, "no vertex is left over");
}

#[test]
fn the_chair_has_a_chairs_size_and_stands_on_the_floor() {
    let chair = chair().unwrap();
    let (low, high) = bounds(chair.positions().iter().copied());
    let size = high - low;
    assert_eq!(low.y, 0.0);
    assert!((0.8..0.85).contains(&size.y), "{size}");
    assert!((0.5..0.7).contains(&size.x) && (0.5..0.7).contains(&size.z), "{size}");
    assert!((low.x + high.x).abs() < 1e-12, "left and right are alike");
    // Four feet, one in each quarter.
    for (right, front) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let feet = chair.positions().iter().filter(|p| p.y == 0.0);
        assert!(feet.clone().any(|p| p.x * right > 0.15 && p.z * front > 0.15));
        assert!(!feet.clone().any(|p| p.x.abs() < 0.15 || p.z.abs() < 0.15));
    }
}

#[test]
fn the_chair_faces_outward() {
    let chair = chair().unwrap();
    let six: f64 = corners(chair.positions(), chair.triangles())
        .iter()
        .map(|[a, b, c]| a.cross(*b).dot(*c))
        .sum();
    // A few litres of plastic.
    assert!((0.002..0.01).contains(&(six / 6.0)), "{}", six / 6.0);
}

#[test]
fn the_chair_does_not_cross_itself() {
    let chair = chair().unwrap();
    let triangles = corners(chair.positions(), chair.triangles());
    let crossing: Vec<_> = crossing_pairs(&triangles, &triangles)
        .into_iter()
        .filter(|&[a, b]| a < b && !chair.adjacent(a as u32, b as u32))
        .collect();
    assert_eq!(crossing, [[0; 2]; 0]);
}

fn placed(chair: &Mesh, &(rotation, translation): &(DQuat, DVec3)) -> Vec<DVec3> {
    chair.positions().iter().map(|&p| rotation * p + translation).collect()
}

#[test]
fn piled_chairs_stand_above_the_floor() {
    for count in [1, 2, 5, 6, 60] {
        let pile = pile_of_chairs(count, 4).unwrap();
        assert_eq!(pile.placements.len(), count as usize);
        for placement in &pile.placements {
            assert!((placement.0.length() - 1.0).abs() < 1e-14);
            let (low, _) = bounds(placed(&pile.chair, placement).into_iter());
            assert!(low.y > -1e-12, "{placement:?} reaches down to {}", low.y);
        }
    }
    assert!(pile_of_chairs(0, 4).is_err());
}

#[test]
fn a_pile_follows_its_seed() {
    let pile = |seed| pile_of_chairs(40, seed).unwrap().placements;
    assert_eq!(pile(1), pile(1));
    assert_ne!(pile(1), pile(2));
}

#[test]
fn some_piled_neighbours_cross_and_most_do_not() {
    let pile = pile_of_chairs(14, 1).unwrap();
    let chairs: Vec<_> = pile
        .placements
        .iter()
        .map(|placement| corners(&placed(&pile.chair, placement), pile.chair.triangles()))
        .collect();
    let reach = pile.chair.positions().iter().map(|p| p.length()).fold(0.0, f64::max);
    let mut crossing = 0;
    for i in 0..chairs.len() {
        for j in 0..i {
            if pile.placements[i].1.distance(pile.placements[j].1) < 2.01 * reach {
                crossing += usize::from(!crossing_pairs(&chairs[i], &chairs[j]).is_empty());
            }
        }
    }
    // 91 pairs in all.
    assert!((5..45).contains(&crossing), "{crossing}");
}
