//! Necklaces at the ends of `f32` and `f64`: every method returns, and finds the clashes of brute
//! force.

use crate::necklace_support::{Random, build, cases, positions};
use pliant::glam::DVec3;
use pliant::necklace::{
    ClashFront, Layered, Motion, OnDemand, Verification, Wrapped, brute_force, clashes,
    clashes_by_blocks, clashes_by_cells, clashes_on_demand, clashes_up_to, nearest_own_beads,
    separate_self,
};
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant::{Error, Necklace};
use proptest::prelude::*;

/// Lengths at which squares, sums or roundings of `f32` or `f64` leave their range, and some
/// between.
const UNITS: [f64; 24] = [
    5e-324, 1e-320, 1e-308, 1e-300, 1e-162, 1e-154, 1e-150, 1e-60, 1e-45, 1e-38, 1e-23, 1.0, 1e18,
    1e19, 1e37, 8e37, 1.7e38, 3.4e38, 1e77, 1e150, 1e154, 1e155, 1e300, 1e306,
];

fn unit() -> impl Strategy<Value = f64> {
    (0..UNITS.len()).prop_map(|at| UNITS[at])
}

/// A place whose coordinates are finite.
fn finite(p: DVec3) -> DVec3 {
    p.clamp(DVec3::splat(-1.7e308), DVec3::splat(1.7e308))
}

/// The same necklace in another unit. Radii stay positive and finite.
fn scaled(necklace: &Necklace, unit: f64) -> Necklace {
    let ball = |bead: &Ball| {
        Ball::new(finite(bead.center * unit), (bead.radius * unit).clamp(5e-324, 1.7e308))
    };
    let beads = necklace.beads().iter().map(ball).collect();
    let chain = |chain: usize| {
        let (range, closed) = necklace.chain(chain).unwrap();
        Chain { beads: range.len(), closed }
    };
    let chains: Vec<Chain> = (0..necklace.chains()).map(chain).collect();
    Necklace::new(beads, &chains).unwrap()
}

/// At least the largest distance that a bead moved. Not finite if that is out of range.
fn farthest(from: &[DVec3], to: &[DVec3]) -> f64 {
    let longest = |(p, q): (&DVec3, &DVec3)| {
        let apart = (*p - *q).abs();
        let most = apart.max_element();
        if most > 0.0 { most * (apart / most).length() * (1.0 + 1e-9) } else { 0.0 }
    };
    from.iter().zip(to).map(longest).fold(0.0, |most: f64, x| if x <= most { most } else { x })
        + 5e-324
}

fn motion(from: &[DVec3], to: &[DVec3]) -> Motion {
    let far = farthest(from, to);
    if far.is_finite() { Motion::AtMost(far) } else { Motion::Unknown }
}

/// Moves some beads by a length of any size.
fn jump(places: &mut [DVec3], random: &mut Random, turn: usize, unit: f64) {
    let length = if turn.is_multiple_of(2) { unit } else { UNITS[random.below(UNITS.len())] };
    let count = places.len();
    match random.below(4) {
        0 => places.iter_mut().for_each(|p| *p = finite(*p + random.vector() * length)),
        1 => places.iter_mut().for_each(|p| *p = finite(*p * 0.9)),
        2 => {
            let at = random.below(count);
            places[at] = finite(places[at] + random.vector() * length);
        }
        _ => places.swap(random.below(count), random.below(count)),
    }
}

fn chains() -> impl Strategy<Value = Vec<(usize, usize, bool)>> {
    proptest::collection::vec((0..6usize, 1..24usize, any::<bool>()), 1..4)
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn every_method_gives_the_clashes_of_brute_force(
        chains in chains(), radii in any::<u8>(), seed in any::<u64>(), unit in unit(),
        skin in prop_oneof![Just(None), (0..UNITS.len()).prop_map(|at| Some(UNITS[at]))],
    ) {
        let mut random = Random::new(seed);
        let mut now = scaled(&build(&chains, radii, seed), unit);
        let mut front = match skin {
            None => ClashFront::new(now.clone(), 2),
            Some(skin) => ClashFront::with_skin(now.clone(), 2, skin),
        };
        let mut layered = Layered::new(now.clone());
        let mut wrapped = Wrapped::new(now.clone());
        let mut places = positions(&now);
        for turn in 0..6 {
            jump(&mut places, &mut random, turn, unit);
            now.set_positions(&places).unwrap();
            let expected = brute_force::clashes(&now, 2).pairs;
            prop_assert_eq!(&clashes(&now, 2).pairs, &expected, "by density, step {}", turn);
            prop_assert_eq!(&clashes_by_blocks(&now, 2).pairs, &expected, "blocks, step {}", turn);
            prop_assert_eq!(&clashes_by_cells(&now, 2).pairs, &expected, "cells, step {}", turn);
            prop_assert_eq!(&front.step(&places).unwrap().pairs, &expected, "front, step {}", turn);
            layered.set_positions(&places).unwrap();
            let found = separate_self(&layered, 2);
            prop_assert_eq!(found.clashes(), &expected[..], "layered, step {}", turn);
            wrapped.advance(&places, Verification::Cascade).unwrap();
            let found = separate_self(&wrapped, 2);
            prop_assert_eq!(found.clashes(), &expected[..], "wrapped, step {}", turn);
            let nearest = brute_force::nearest_own_beads(&now, 2);
            let found = nearest_own_beads(&layered, 2);
            prop_assert_eq!((found.pair, found.gap), (nearest.pair, nearest.gap));
            prop_assert!(!found.gap.is_nan());
        }
    }

    #[test]
    fn on_demand_gives_the_clashes_of_brute_force(
        first in chains(), second in chains(), seed in any::<u64>(), unit in unit(),
        known in any::<bool>(), links in any::<bool>(), shift in 0.0..6.0f64,
    ) {
        let mut random = Random::new(seed);
        let mut p = scaled(&build(&first, 0, seed), unit);
        let mut q = scaled(&build(&second, 1, !seed), unit);
        let mut a = OnDemand::new(p.clone());
        let mut b = OnDemand::new(q.clone());
        let mut here = positions(&p);
        let mut there = positions(&q);
        if links {
            // Neighbours of all states at one place or within the range of the numbers.
            let longest = unit * 64.0;
            if farthest(&here[1..], &here[..here.len() - 1]) <= longest {
                a = a.promise_longest_link(longest).unwrap();
            }
        }
        for turn in 0..5 {
            let (old, other) = (here.clone(), there.clone());
            if turn == 0 {
                there.iter_mut().for_each(|p| *p = finite(*p + DVec3::X * (shift * unit)));
            } else if links {
                // All beads of the first move alike by less than their size: links keep.
                let way = random.vector() * unit;
                here.iter_mut().for_each(|p| *p = finite(*p + way));
                jump(&mut there, &mut random, turn, unit);
            } else {
                jump(&mut here, &mut random, turn, unit);
                jump(&mut there, &mut random, turn + 1, unit);
            }
            let (ma, mb) = (motion(&old, &here), motion(&other, &there));
            a.moved(if known { ma } else { Motion::Unknown }).unwrap();
            b.moved(if known { mb } else { Motion::Unknown }).unwrap();
            p.set_positions(&here).unwrap();
            q.set_positions(&there).unwrap();
            let expected = brute_force::clashes_between(&p, &q).pairs;
            let found = clashes_on_demand((&mut a, &here), (&mut b, &there));
            prop_assert_eq!(found.unwrap().pairs, expected, "step {}", turn);
        }
    }

    #[test]
    fn a_limit_refuses_one_pair_more(
        chains in chains(), radii in any::<u8>(), seed in any::<u64>(), heap in any::<bool>(),
    ) {
        let mut necklace = build(&chains, radii, seed);
        if heap {
            necklace.set_positions(&vec![DVec3::ONE; necklace.len()]).unwrap();
        }
        let all = clashes(&necklace, 2);
        let count = all.pairs.len();
        prop_assert_eq!(clashes_up_to(&necklace, 2, count), Ok(all.clone()));
        prop_assert_eq!(clashes_up_to(&necklace, 2, usize::MAX), Ok(all));
        for limit in [count / 2, count.saturating_sub(1)] {
            if limit < count {
                let refused = clashes_up_to(&necklace, 2, limit);
                let so_far = matches!(refused, Err(Error::TooMany { count: found, limit: named, .. })
                    if named == limit && found > limit && found <= count);
                prop_assert!(so_far, "{refused:?}");
            }
        }
    }
}

/// Twice this motion exceeds the range of `f32`, and a front searched forever.
#[test]
fn a_front_returns_after_a_bead_moves_by_the_range_of_f32() {
    // So many beads that a few that moved are opened and not searched anew.
    let line: Vec<DVec3> = (0..2000).map(|i| DVec3::X * f64::from(i)).collect();
    let mut now = Necklace::open(&line, 0.6).unwrap();
    for far in [1e38, 1.6e38, 1.7e38, 1.75e38, 2.5e38, 3.4e38, 3.5e38, 1e39, 1e200] {
        for beads in [1, 5, 2000] {
            let mut front = ClashFront::new(now.clone(), 2);
            let mut moved = line.clone();
            moved[700..].iter_mut().take(beads).for_each(|p| p.y += far);
            for places in [&moved, &line, &moved] {
                now.set_positions(places).unwrap();
                let expected = brute_force::clashes(&now, 2).pairs;
                assert_eq!(front.step(places).unwrap().pairs, expected, "{beads} by {far:e}");
            }
        }
    }
}

/// Squares of these lengths overflow: distances were infinite, and cages that overlap were apart.
#[test]
fn on_demand_finds_clashes_and_keeps_promises_where_squares_overflow() {
    for unit in [1e-170, 1.0, 1e153, 1e154, 1e155, 1e250, 1e304] {
        let line = |y: f64| -> Vec<DVec3> {
            (0..100).map(|i| DVec3::new(f64::from(i), y, 0.0) * unit).collect()
        };
        let at = |y: f64| OnDemand::new(Necklace::open(&line(y), 0.5 * unit).unwrap());
        let promise = 1.000_001 * unit;
        let mut still = at(0.0).promise_longest_link(promise).unwrap();
        let mut falling = at(3.0).promise_longest_link(promise).unwrap();
        for motion in [Motion::AtMost(2.5 * unit), Motion::Unknown] {
            falling.moved(motion).unwrap();
            let found = clashes_on_demand((&mut still, &line(0.0)), (&mut falling, &line(0.5)));
            assert_eq!(found.unwrap().pairs.len(), 100, "{unit:e}");
        }
        // Promises that do not hold are noticed at every scale.
        assert!(at(0.0).promise_longest_link(0.9 * unit).is_err(), "{unit:e}");
        falling.moved(Motion::AtMost(0.2 * unit)).unwrap();
        let broken = clashes_on_demand((&mut still, &line(0.0)), (&mut falling, &line(0.0)));
        assert!(matches!(broken, Err(Error::BrokenPromise { .. })), "{unit:e}");
    }
}

/// The sum of all promises exceeds the range of `f64`: nothing is known of the motion any more.
#[test]
fn on_demand_survives_motions_that_add_up_to_infinity() {
    let at = |y: f64| OnDemand::new(Necklace::open(&[DVec3::Y * y; 3], 1.0).unwrap());
    let (mut a, mut b) = (at(0.0), at(1e308));
    for _ in 0..3 {
        b.moved(Motion::AtMost(1.5e308)).unwrap();
    }
    let found = clashes_on_demand((&mut a, &[DVec3::ZERO; 3]), (&mut b, &[DVec3::X; 3]));
    assert_eq!(found.unwrap().pairs.len(), 9);
    b.moved(Motion::AtMost(1.0)).unwrap();
    let far = [DVec3::X * 3.0; 3];
    let broken = clashes_on_demand((&mut a, &[DVec3::ZERO; 3]), (&mut b, &far));
    assert!(broken.is_err() || broken.unwrap().pairs.is_empty());
}

/// All pairs of these clash, which is more than memory holds.
#[test]
fn a_heap_of_beads_is_refused_at_the_limit() {
    let heap = Necklace::open(&vec![DVec3::splat(0.1); 99_999], 0.5).unwrap();
    let refused = clashes_up_to(&heap, 2, 10_000).unwrap_err();
    assert!(matches!(refused, Error::TooMany { count: 10_001, limit: 10_000, .. }), "{refused}");
}
