//! Diagrams that follow motions are those that building anew gives.

use crate::power_support::{KINDS, Random, balls, check_counts, tetrahedra};
use pliant::Error;
use pliant::glam::DVec3;
use pliant::power::PowerDiagram;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn updates_equal_rebuilding(kind in 0..KINDS, count in 1..120usize, seed in any::<u64>(),
        step in prop_oneof![Just(0.0), Just(1e-6), Just(1e-3), Just(0.02), Just(0.2), Just(2.0)], some in any::<bool>())
    {
        let mut random = Random::new(seed ^ 5);
        let mut diagram = PowerDiagram::new(&balls(kind, count, seed)).unwrap();
        let size = diagram.balls().iter().map(|ball| ball.center.abs().max_element()).fold(0.0, f64::max);
        for _ in 0..4 {
            let before = tetrahedra(&diagram);
            let centers: Vec<DVec3> = diagram
                .balls()
                .iter()
                .map(|ball| if some && random.below(10) > 0 { ball.center } else { ball.center + random.vector() * step * size })
                .collect();
            let update = diagram.advance(&centers).unwrap();
            prop_assert_eq!(diagram.defect(), None);
            let anew = PowerDiagram::new(diagram.balls()).unwrap();
            let after = tetrahedra(&diagram);
            prop_assert_eq!(&after, &tetrahedra(&anew));
            prop_assert_eq!(diagram.edges(), anew.edges());
            prop_assert!(diagram.hidden().eq(anew.hidden()));
            prop_assert_eq!(update.changed_tetrahedra, after.difference(&before).count());
            prop_assert!(step > 0.0 || update.changed_tetrahedra == 0);
        }
    }

    #[test]
    fn lattices_that_jump_to_lattices(count in 5..80usize, seed in any::<u64>(), moving in 1..12usize) {
        let mut random = Random::new(seed);
        let mut diagram = PowerDiagram::new(&balls(4 + (seed % 2) as usize, count, seed)).unwrap();
        for _ in 0..4 {
            let mut centers: Vec<DVec3> = diagram.balls().iter().map(|ball| ball.center).collect();
            for _ in 0..moving {
                centers[random.below(count)] += (random.vector() * 2.0).round();
            }
            diagram.advance(&centers).unwrap();
            prop_assert_eq!(diagram.defect(), None);
            let anew = PowerDiagram::new(diagram.balls()).unwrap();
            prop_assert_eq!(tetrahedra(&diagram), tetrahedra(&anew));
            prop_assert!(diagram.hidden().eq(anew.hidden()));
        }
    }
}

#[test]
fn a_small_step_of_a_folded_chain_takes_few_balls_out() {
    let mut random = Random::new(11);
    let mut diagram = PowerDiagram::new(&balls(13, 800, 1)).unwrap();
    let (mut incremental, mut reinserted) = (0, 0);
    for _ in 0..10 {
        let centers: Vec<DVec3> =
            diagram.balls().iter().map(|ball| ball.center + random.vector() * 1e-4).collect();
        let update = diagram.advance(&centers).unwrap();
        incremental += usize::from(!update.rebuilt);
        reinserted += update.reinserted;
        assert_eq!(update.failed == 0, update.reinserted == 0);
        assert_eq!(tetrahedra(&diagram), tetrahedra(&PowerDiagram::new(diagram.balls()).unwrap()));
    }
    check_counts(&diagram);
    assert_eq!(incremental, 10);
    assert!((1..100).contains(&reinserted), "{reinserted}");
}

#[test]
fn a_mirrored_or_squeezed_set_is_no_certificate_of_itself() {
    let mut diagram = PowerDiagram::new(&balls(1, 200, 4)).unwrap();
    let home: Vec<DVec3> = diagram.balls().iter().map(|ball| ball.center).collect();
    let motions: [fn(&DVec3) -> DVec3; 4] = [
        |p| DVec3::new(-p.x, p.y, p.z),
        |p| p * DVec3::new(1.0, 1.0, 0.0),
        |p| p * DVec3::new(1.0, 0.0, 0.0),
        |p| p * 0.0,
    ];
    for motion in motions {
        let moved: Vec<DVec3> = home.iter().map(motion).collect();
        for centers in [&moved, &home] {
            diagram.advance(centers).unwrap();
            assert_eq!(diagram.defect(), None);
            assert_eq!(diagram.edges(), PowerDiagram::new(diagram.balls()).unwrap().edges());
        }
    }
}

#[test]
fn refused_motions_change_nothing() {
    let mut diagram = PowerDiagram::new(&balls(1, 20, 4)).unwrap();
    let before: Vec<_> = diagram.tetrahedra().collect();
    let mut centers: Vec<DVec3> = diagram.balls().iter().map(|ball| ball.center * 2.0).collect();
    let few = diagram.advance(&centers[1..]);
    assert!(matches!(few, Err(Error::CountMismatch { expected: 20, given: 19, .. })));
    centers[7].y = f64::INFINITY;
    assert!(matches!(diagram.advance(&centers), Err(Error::InvalidBead { bead: 7, .. })));
    assert!(diagram.tetrahedra().eq(before));
    assert_eq!(diagram.balls(), balls(1, 20, 4));
}
