//! Every way to find clashes gives the pairs of brute force.

use crate::necklace_support::{Random, build, cases, necklace, positions};
use pliant::Necklace;
use pliant::glam::DVec3;
use pliant::necklace::{
    Cages, ClashFront, ClashMethod, Layered, Separation, Verification, Wrapped, brute_force,
    clashes, clashes_by_blocks, clashes_by_cells, first_clash, first_own_clash, nearest_beads,
    nearest_own_beads, separate, separate_self,
};
use proptest::prelude::*;

/// Each pair of beads that may clash is in exactly one pair of the family, or clashes; the
/// family's cages are apart, or single beads that do not touch.
fn check_family<C: Cages>(
    cages: &C,
    found: &Separation,
    min_gap: u32,
) -> Result<(), TestCaseError> {
    let necklace = cages.necklace();
    let n = necklace.len();
    let mut covered = vec![0u8; n * n];
    let nodes = cages.tree().nodes();
    for &[a, b] in found.family() {
        let (x, y) = (nodes[a as usize], nodes[b as usize]);
        let (p, q) = (cages.cage(a), cages.cage(b));
        let apart = (p.center.as_dvec3() - q.center.as_dvec3()).length();
        let disjoint = apart > f64::from(p.radius) + f64::from(q.radius);
        prop_assert!(disjoint || (x.beads() == 1 && y.beads() == 1));
        for i in x.range() {
            for j in y.range() {
                covered[i * n + j] += 1;
            }
        }
    }
    for &[i, j] in found.clashes() {
        covered[i as usize * n + j as usize] += 1;
    }
    for i in 0..n {
        for j in i + 1..n {
            let count = covered[i * n + j];
            let exempt = necklace.exempt(i as u32, j as u32, min_gap);
            prop_assert!(count == 1 || (exempt && count <= 1), "beads {i} {j}: {count}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn all_methods_find_the_clashes_of_brute_force(necklace in necklace(), min_gap in 0..7u32) {
        let expected = brute_force::clashes(&necklace, min_gap).pairs;
        prop_assert_eq!(&clashes(&necklace, min_gap).pairs, &expected);
        prop_assert_eq!(&clashes_by_blocks(&necklace, min_gap).pairs, &expected);
        prop_assert_eq!(&clashes_by_cells(&necklace, min_gap).pairs, &expected);
        let mut front = ClashFront::new(necklace.clone(), min_gap);
        prop_assert_eq!(&front.step(&positions(&necklace)).unwrap().pairs, &expected);

        let layered = Layered::new(necklace.clone());
        let wrapped = Wrapped::new(necklace.clone());
        let found = separate_self(&layered, min_gap);
        prop_assert_eq!(found.clashes(), &expected[..]);
        check_family(&layered, &found, min_gap)?;
        let found = separate_self(&wrapped, min_gap);
        prop_assert_eq!(found.clashes(), &expected[..]);
        check_family(&wrapped, &found, min_gap)?;

        for first in [first_own_clash(&layered, min_gap), first_own_clash(&wrapped, min_gap)] {
            prop_assert_eq!(first.is_none(), expected.is_empty());
            prop_assert!(first.is_none_or(|pair| expected.contains(&pair)));
        }
        let nearest = brute_force::nearest_own_beads(&necklace, min_gap);
        for found in [nearest_own_beads(&layered, min_gap), nearest_own_beads(&wrapped, min_gap)] {
            prop_assert_eq!(found.pair, nearest.pair);
            prop_assert_eq!(found.gap.to_bits(), nearest.gap.to_bits());
        }
    }

    #[test]
    fn two_necklaces(first in necklace(), second in necklace(), shift in 0.0..20.0f64) {
        let mut second = second;
        let moved: Vec<DVec3> = positions(&second).iter().map(|p| *p + shift).collect();
        second.set_positions(&moved).unwrap();
        let expected = brute_force::clashes_between(&first, &second).pairs;
        let nearest = brute_force::nearest_beads(&first, &second);
        let (a, b) = (Wrapped::new(first), Layered::new(second));
        let found = separate(&a, &b);
        prop_assert_eq!(found.clashes(), &expected[..]);
        let turned = separate(&b, &a);
        prop_assert_eq!(turned.clashes().len(), expected.len());
        prop_assert_eq!(first_clash(&a, &b).is_none(), expected.is_empty());
        let near = nearest_beads(&a, &b);
        prop_assert_eq!((near.pair, near.gap.to_bits()), (nearest.pair, nearest.gap.to_bits()));
    }

    /// Far from the origin `f32` cannot tell beads apart; tiny and huge beads leave its range.
    #[test]
    fn at_every_scale(
        seed in any::<u64>(), kind in 0..6usize, radii in any::<u8>(),
        exponent in prop_oneof![Just(-320), Just(-160), Just(-45), Just(0), Just(39), Just(160), Just(290)],
        far in prop_oneof![Just(0.0), Just(1e7), Just(1e14)],
    ) {
        let necklace = build(&[(kind, 60, true), (1, 30, false)], radii, seed);
        let unit = 10f64.powi(exponent / 2) * 10f64.powi(exponent - exponent / 2);
        let beads: Vec<_> = necklace.beads().iter().map(|bead| {
            pliant::volume::Ball::new((bead.center + far) * unit, (bead.radius * unit).max(5e-324))
        }).collect();
        let chains = [
            pliant::shape::Chain { beads: 60, closed: true },
            pliant::shape::Chain { beads: 30, closed: false },
        ];
        let necklace = Necklace::new(beads, &chains).unwrap();
        let expected = brute_force::clashes(&necklace, 2).pairs;
        prop_assert_eq!(&clashes_by_blocks(&necklace, 2).pairs, &expected);
        prop_assert_eq!(&clashes_by_cells(&necklace, 2).pairs, &expected);
        let layered = separate_self(&Layered::new(necklace.clone()), 2);
        prop_assert_eq!(layered.clashes(), &expected[..]);
        let wrapped = separate_self(&Wrapped::new(necklace.clone()), 2);
        prop_assert_eq!(wrapped.clashes(), &expected[..]);
        let mut front = ClashFront::new(necklace.clone(), 2);
        prop_assert_eq!(&front.step(&positions(&necklace)).unwrap().pairs, &expected);
    }
}

/// Beads along curves: a grid of their size is nearly all empty. The second strand follows the
/// first and touches it here and there; some beads of each are at one place.
#[test]
fn a_grid_that_is_mostly_empty() {
    let mut random = Random::new(7);
    for count in [3, 40, 700, 2_500] {
        let strand = |i: usize| {
            let t = i as f64 * 0.03;
            DVec3::new(30.0 * t.cos(), 30.0 * (1.3 * t).sin(), 0.4 * i as f64)
        };
        let first: Vec<DVec3> = (0..count).map(strand).collect();
        let beside = |p: &DVec3| p + random.vector() * 1.1;
        let second: Vec<DVec3> = first.iter().map(beside).collect();
        let centers = [first, second].concat();
        let necklace = Necklace::open(&centers, 0.5).unwrap();
        let found = clashes_by_cells(&necklace, 2).pairs;
        assert_eq!(found, brute_force::clashes(&necklace, 2).pairs, "{count}");
        assert!(found.len() >= count / 2, "{count}: {}", found.len());
        // A front whose reference comes from cells watches each pair once.
        let front = ClashFront::with_skin(necklace.clone(), 2, 2.0);
        assert!(front.watched().windows(2).all(|two| two[0] < two[1]));
    }
}

#[test]
fn the_method_follows_the_density() {
    let line: Vec<DVec3> = (0..5000).map(|i| DVec3::X * f64::from(i)).collect();
    let spread = clashes(&Necklace::open(&line, 0.5).unwrap(), 2);
    assert_eq!(spread.method, ClashMethod::Blocks);
    assert!(spread.work.overlap_tests < 5000);
    // All of it in a ball that holds a thousand beads.
    let mut random = Random::new(5);
    let packed: Vec<DVec3> = (0..5000).map(|_| random.vector() * 5.0).collect();
    let packed = Necklace::open(&packed, 0.2).unwrap();
    let found = clashes(&packed, 2);
    assert_eq!(found.method, ClashMethod::Cells);
    assert_eq!(found.pairs, brute_force::clashes(&packed, 2).pairs);
}

/// Steps from small to large, and jumps of one bead, a few, or all.
fn step(positions: &mut [DVec3], random: &mut Random, turn: usize) {
    let count = positions.len();
    match turn % 7 {
        0..=2 => positions.iter_mut().for_each(|p| *p += random.vector() * 0.02),
        3 => {
            let way = random.vector() * 0.3;
            positions.iter_mut().for_each(|p| *p += way);
        }
        4 => positions[random.below(count)] += random.vector() * 10.0,
        5 => {
            let from = random.below(count);
            let to = (from + 10).min(count);
            positions[from..to].iter_mut().for_each(|p| *p += random.vector() * 2.0);
        }
        _ if turn.is_multiple_of(5) => {
            positions.iter_mut().for_each(|p| *p = random.vector() * 8.0);
        }
        _ => positions.iter_mut().for_each(|p| *p *= 0.97),
    }
}

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn a_front_gives_what_a_search_from_scratch_gives(
        necklace in necklace(), seed in any::<u64>(), min_gap in 2..5u32,
        skin in prop_oneof![Just(None), Just(Some(0.0)), Just(Some(0.05)), Just(Some(3.0))],
    ) {
        let mut random = Random::new(seed);
        let mut front = match skin {
            None => ClashFront::new(necklace.clone(), min_gap),
            Some(skin) => ClashFront::with_skin(necklace.clone(), min_gap, skin),
        };
        let mut now = necklace;
        let mut layered = Layered::new(now.clone());
        let mut family = separate_self(&layered, min_gap);
        let mut places = positions(&now);
        for turn in 0..60 {
            step(&mut places, &mut random, turn);
            now.set_positions(&places).unwrap();
            let expected = brute_force::clashes(&now, min_gap).pairs;
            prop_assert_eq!(&front.step(&places).unwrap().pairs, &expected, "step {}", turn);
            for [a, b] in front.family() {
                for i in a {
                    for j in b.clone() {
                        prop_assert!(expected.binary_search(&[i, j]).is_err());
                    }
                }
            }
            layered.set_positions(&places).unwrap();
            family = family.again_self(&layered).unwrap();
            prop_assert_eq!(family.clashes(), &expected[..]);
        }
        check_family(&layered, &family, min_gap)?;
    }

    #[test]
    fn advancing_gives_what_building_gives(necklace in necklace(), seed in any::<u64>(), naive in any::<bool>()) {
        let verification = if naive { Verification::Naive } else { Verification::Cascade };
        let mut random = Random::new(seed);
        let mut now = necklace;
        let mut wrapped = Wrapped::new(now.clone());
        let mut family = separate_self(&wrapped, 2);
        let mut places = positions(&now);
        for turn in 0..30 {
            step(&mut places, &mut random, turn);
            now.set_positions(&places).unwrap();
            wrapped.advance(&places, verification).unwrap();
            let rebuilt = Wrapped::new(now.clone());
            for (node, own) in (0u32..).zip(wrapped.tree().nodes()) {
                let cage = wrapped.cage(node);
                for bead in &now.beads()[own.range()] {
                    let reach = bead.reach_from(cage.center.as_dvec3());
                    prop_assert!(reach <= f64::from(cage.radius), "a bead sticks out of {node}");
                }
                let other = rebuilt.cage(node).radius;
                let size = f64::from(cage.center.abs().max_element() + other);
                prop_assert!(f64::from((cage.radius - other).abs()) < size * 1e-6);
                for &bead in wrapped.basis(node).members() {
                    prop_assert!(own.range().contains(&(bead as usize)));
                }
            }
            family = family.again_self(&wrapped).unwrap();
            let expected = brute_force::clashes(&now, 2).pairs;
            prop_assert_eq!(family.clashes(), &expected[..]);
        }
    }
}

#[test]
fn a_front_searches_anew_seldom_and_survives_refused_steps() {
    let line: Vec<DVec3> = (0..2000).map(|i| DVec3::X * f64::from(i)).collect();
    let mut front = ClashFront::new(Necklace::open(&line, 0.5).unwrap(), 2);
    for turn in 0..50 {
        let moved: Vec<DVec3> =
            line.iter().map(|p| *p + DVec3::Y * (f64::from(turn) * 0.004)).collect();
        let found = front.step(&moved).unwrap();
        assert!(found.pairs.is_empty() && found.work.overlap_tests == 0);
    }
    assert_eq!(front.references(), 1);
    // A few beads move farther than the skin allows: mended, not sought anew.
    let mut bent = line.clone();
    bent[500..510].iter_mut().for_each(|p| *p += DVec3::Y * 0.7);
    bent[506].x -= 1.0;
    assert_eq!(front.step(&bent).unwrap().pairs, [[504, 506]]);
    assert_eq!(front.references(), 1);
    assert!(!front.watched().is_empty());
    // One bead jumps onto another.
    let mut jumped = line.clone();
    jumped[1000] = line[10] + DVec3::Y * 0.5;
    assert_eq!(front.step(&jumped).unwrap().pairs, [[10, 1000]]);
    let mut bad = jumped.clone();
    bad[7].z = f64::NAN;
    assert!(matches!(front.step(&bad), Err(pliant::Error::InvalidBead { bead: 7, .. })));
    assert!(front.step(&bad[1..]).is_err());
    assert_eq!(front.step(&jumped).unwrap().pairs, [[10, 1000]]);
}

proptest! {
    #![proptest_config(cases(12))]

    /// Strands side by side, of which a few beads at a time come off: what kept them apart is
    /// opened where they are, and seldom sought anew.
    #[test]
    fn a_front_is_mended_where_a_few_beads_move(seed in any::<u64>(), apart in 2.0..6.0f64) {
        let mut random = Random::new(seed);
        let strand = 128;
        let home: Vec<DVec3> = (0..6 * strand)
            .map(|i| {
                let (row, along) = (i / strand, i % strand);
                let along = if row % 2 == 0 { along } else { strand - 1 - along };
                DVec3::new(along as f64, row as f64 * apart, 0.0)
            })
            .collect();
        let mut now = Necklace::open(&home, 0.45).unwrap();
        let mut front = ClashFront::with_skin(now.clone(), 2, 0.2);
        let mut places = home.clone();
        for turn in 0..40 {
            if turn % 8 == 0 {
                places.clone_from(&home);
            }
            // A bump of a few beads, towards the next strand or away from it.
            let from = random.below(home.len() - 4);
            let way = DVec3::Y * (random.unit() * (apart + 0.5));
            places[from..from + 4].iter_mut().for_each(|p| *p += way);
            now.set_positions(&places).unwrap();
            let expected = brute_force::clashes(&now, 2).pairs;
            prop_assert_eq!(&front.step(&places).unwrap().pairs, &expected, "step {}", turn);
        }
        prop_assert!(front.references() < 35, "{} references", front.references());
    }
}
