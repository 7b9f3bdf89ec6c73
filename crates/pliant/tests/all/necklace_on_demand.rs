//! Cages that are verified where a query comes by: exact for every motion within the promise.

use crate::necklace_support::{Random, cases, necklace, positions};
use pliant::glam::DVec3;
use pliant::necklace::{Motion, OnDemand, brute_force, clashes_on_demand, first_clash_on_demand};
use pliant::shape::Chain;
use pliant::volume::Ball;
use pliant::{Error, Necklace};
use proptest::prelude::*;

/// Moves every bead by at most `distance`: at random, all one way, towards a place, or one bead
/// alone.
fn advance(places: &mut [DVec3], random: &mut Random, distance: f64, turn: usize) {
    let count = places.len();
    // A little less, so that rounding keeps the promise.
    let distance = distance * (1.0 - 1e-12);
    let target = random.vector() * 4.0;
    let way = random.vector().normalize_or(DVec3::X) * distance;
    match turn % 4 {
        0 => places.iter_mut().for_each(|p| {
            *p += random.vector().normalize_or(DVec3::Y) * distance * random.unit().abs();
        }),
        1 => places.iter_mut().for_each(|p| *p += way),
        2 => places.iter_mut().for_each(|p| *p += (target - *p).clamp_length_max(distance)),
        _ => places[random.below(count)] += way,
    }
}

/// The longest link over some states.
fn longest_link(necklace: &Necklace, states: &[Vec<DVec3>]) -> f64 {
    let chain = necklace.chain_of_bead();
    let mut longest = 0.0f64;
    for state in states {
        for i in 1..state.len() {
            if chain[i] == chain[i - 1] {
                longest = longest.max((state[i] - state[i - 1]).length());
            }
        }
    }
    longest
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn on_demand_finds_the_clashes_of_brute_force(
        first in necklace(), second in necklace(), shift in 0.0..40.0f64, seed in any::<u64>(),
        promise in 0..4u8, distance in prop_oneof![Just(0.0), Just(0.01), Just(0.3), Just(5.0)],
        skip in any::<bool>(),
    ) {
        let mut random = Random::new(seed);
        let mut second = second;
        let there: Vec<DVec3> = positions(&second).iter().map(|p| *p + DVec3::X * shift).collect();
        second.set_positions(&there).unwrap();
        let mut states = vec![[positions(&first), there]];
        for turn in 0..12 {
            let [mut a, mut b] = states[turn].clone();
            advance(&mut a, &mut random, distance, turn);
            advance(&mut b, &mut random, distance, turn / 2);
            states.push([a, b]);
        }
        let links: Vec<f64> = [&first, &second].iter().enumerate().map(|(k, necklace)| {
            let of_one: Vec<Vec<DVec3>> = states.iter().map(|s| s[k].clone()).collect();
            longest_link(necklace, &of_one)
        }).collect();
        let (mut a, mut b) = (OnDemand::new(first.clone()), OnDemand::new(second.clone()));
        if promise & 1 == 1 {
            a = a.promise_longest_link(links[0]).unwrap();
            b = b.promise_longest_link(links[1]).unwrap();
        }
        for (turn, [p, q]) in states.iter().enumerate().skip(1) {
            // Some steps are not known, some are not asked about.
            let known = promise & 2 == 2 && turn % 5 != 4;
            let motion = if known { Motion::AtMost(distance) } else { Motion::Unknown };
            a.moved(motion).unwrap();
            b.moved(motion).unwrap();
            if skip && turn % 3 == 0 {
                continue;
            }
            first.clone_into_state(p, &mut second, q, |first, second| {
                let expected = brute_force::clashes_between(first, second).pairs;
                let found = clashes_on_demand((&mut a, p), (&mut b, q)).unwrap().pairs;
                prop_assert_eq!(&found, &expected, "step {}", turn);
                let some = first_clash_on_demand((&mut a, p), (&mut b, q)).unwrap().pairs;
                prop_assert_eq!(some.is_empty(), expected.is_empty());
                prop_assert!(some.iter().all(|pair| expected.contains(pair)));
                Ok(())
            })?;
        }
    }
}

/// Brute force on a state, without keeping it.
trait InState {
    fn clone_into_state<R>(
        &self,
        p: &[DVec3],
        second: &mut Necklace,
        q: &[DVec3],
        ask: impl FnOnce(&Necklace, &Necklace) -> R,
    ) -> R;
}

impl InState for Necklace {
    fn clone_into_state<R>(
        &self,
        p: &[DVec3],
        second: &mut Necklace,
        q: &[DVec3],
        ask: impl FnOnce(&Necklace, &Necklace) -> R,
    ) -> R {
        let mut first = self.clone();
        first.set_positions(p).unwrap();
        second.set_positions(q).unwrap();
        ask(&first, second)
    }
}

fn line(y: f64) -> Vec<DVec3> {
    (0..1000).map(|i| DVec3::new(f64::from(i), y, 0.0)).collect()
}

fn two_lines() -> (OnDemand, OnDemand) {
    let make = |y| OnDemand::new(Necklace::open(&line(y), 0.5).unwrap());
    (make(0.0), make(2000.0))
}

#[test]
fn far_apart_nothing_but_two_cages_is_looked_at() {
    let (mut a, mut b) = two_lines();
    let mut looked = 0;
    for turn in 1..=400 {
        b.moved(Motion::AtMost(2.0)).unwrap();
        let here = line(2000.0 - 2.0 * f64::from(turn));
        let found = first_clash_on_demand((&mut a, &line(0.0)), (&mut b, &here)).unwrap();
        assert!(found.pairs.is_empty());
        looked += found.work.primitive_tests;
    }
    // From 2000 to 1200 apart, cages of 500: they must be looked at a few times, not 400 times.
    assert!(looked <= 8 * 1000, "{looked}");
}

#[test]
fn links_alone_tell_lines_apart() {
    let (a, b) = two_lines();
    let (mut a, mut b) =
        (a.promise_longest_link(1.0).unwrap(), b.promise_longest_link(1.0).unwrap());
    a.moved(Motion::Unknown).unwrap();
    b.moved(Motion::Unknown).unwrap();
    let found = first_clash_on_demand((&mut a, &line(5.0)), (&mut b, &line(1500.0))).unwrap();
    assert!(found.pairs.is_empty());
    assert_eq!((found.work.overlap_tests, found.work.primitive_tests), (1, 0));
}

#[test]
fn broken_promises_are_named_and_forgotten() {
    let (mut a, mut b) = two_lines();
    b.moved(Motion::AtMost(1200.0)).unwrap();
    let refused = first_clash_on_demand((&mut a, &line(0.0)), (&mut b, &line(0.5))).unwrap_err();
    assert!(
        matches!(refused, Error::BrokenPromise { promised, .. } if promised < 1201.0),
        "{refused}"
    );
    // Nothing that was concluded from the promise is used any more.
    let found = clashes_on_demand((&mut a, &line(0.0)), (&mut b, &line(0.5))).unwrap();
    assert_eq!(found.pairs.len(), 1000);

    let (a, _) = two_lines();
    let refused = a.promise_longest_link(0.5).unwrap_err();
    assert!(matches!(refused, Error::BrokenPromise { bead: 1, .. }), "{refused}");

    let (a, mut b) = two_lines();
    let mut a = a.promise_longest_link(1.0).unwrap();
    a.moved(Motion::Unknown).unwrap();
    let mut torn = line(1999.5);
    torn[700..].iter_mut().for_each(|p| p.x += 0.5);
    let refused = clashes_on_demand((&mut a, &torn), (&mut b, &line(2000.0))).unwrap_err();
    assert!(matches!(refused, Error::BrokenPromise { bead: 700, .. }), "{refused}");
}

#[test]
fn bad_states_are_refused() {
    let (mut a, mut b) = two_lines();
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(matches!(a.moved(Motion::AtMost(bad)), Err(Error::InvalidVector { .. })));
        assert!(a.clone().promise_longest_link(bad).is_err());
    }
    let refused = first_clash_on_demand((&mut a, &line(0.0)[1..]), (&mut b, &line(0.0)));
    assert!(matches!(refused, Err(Error::CountMismatch { expected: 1000, given: 999, .. })));
    a.moved(Motion::Unknown).unwrap();
    let mut bad = line(0.0);
    bad[400].y = f64::NAN;
    let refused = clashes_on_demand((&mut a, &bad), (&mut b, &line(2000.0)));
    assert!(matches!(refused, Err(Error::InvalidBead { bead: 400, .. })), "{refused:?}");
}

#[test]
fn links_say_nothing_about_another_chain() {
    // Two chains of one necklace, far from one another: the middle bead of both tells nothing.
    let mut places: Vec<DVec3> = (0..10).map(|i| DVec3::X * f64::from(i)).collect();
    places.extend((0..9).map(|i| DVec3::new(f64::from(i), 1000.0, 0.0)));
    let beads = places.iter().map(|&p| Ball::new(p, 0.5)).collect();
    let chains = [Chain { beads: 10, closed: false }, Chain { beads: 9, closed: true }];
    let two = Necklace::new(beads, &chains).unwrap();
    let mut a = OnDemand::new(two).promise_longest_link(1.0).unwrap();
    let one = [DVec3::new(4.0, 1000.5, 0.0)];
    let mut b = OnDemand::new(Necklace::open(&[DVec3::Z * 500.0], 0.5).unwrap());
    a.moved(Motion::Unknown).unwrap();
    b.moved(Motion::Unknown).unwrap();
    let found = clashes_on_demand((&mut a, &places), (&mut b, &one)).unwrap();
    assert_eq!(found.pairs, [[14, 0]]);
}
