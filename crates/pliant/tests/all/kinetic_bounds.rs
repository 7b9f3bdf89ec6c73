//! Bodies whose motion is known ahead: at every moment every box contains every vertex below it,
//! and boxes that are guaranteed to be tight are tight.

use crate::support::kinetic::{All, Kinetic, check, largest_now};
use crate::support::mapped;
use pliant::bound::{Expiring, KineticAabb};
use pliant::deform::{Course, Flight, Keyframes, Plan};
use pliant::glam::DVec3;
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::{Body, Collide, intersections, self_intersections};
use pliant_scenes::{Random, grid, icosphere};
use proptest::prelude::*;

fn random_keyframes(random: &mut Random, vertices: usize, count: usize, round: bool) -> Keyframes {
    let mut time = random.between(-5.0, 5.0);
    let mut times = Vec::new();
    let mut frames = Vec::new();
    for _ in 0..count {
        times.push(time);
        time += random.between(0.01, 2.0);
        // Rounded positions are often equal, meet, and stay together.
        let place = |p: DVec3| if round { (p * 3.0).round() } else { p };
        frames.push((0..vertices).map(|_| place(random.in_cube())).collect());
    }
    Keyframes::new(times, frames).unwrap()
}

fn random_course(random: &mut Random, round: bool) -> Course {
    let place = |p: DVec3| if round { (p * 2.0).round() } else { p };
    let c = [0; 4].map(|_| place(random.in_cube()));
    match random.bits() % 4 {
        0 => Course::linear(0.0, c[0], c[1]),
        1 => Course::new(0.0, [c[0], c[1], c[2], DVec3::ZERO]),
        2 => Course::new(0.0, [c[0], DVec3::ZERO, DVec3::ZERO, DVec3::ZERO]),
        _ => Course::new(random.between(-1.0, 1.0), c),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_keyframes_are_enclosed_at_random_times(seed in any::<u64>(), round in any::<bool>()) {
        let mut random = Random::new(seed);
        let mesh = grid(5, 3, 2.0, 1.0).unwrap();
        let keyframes = random_keyframes(&mut random, mesh.positions().len(), 5, round);
        let times = keyframes.times().to_vec();
        let mut all = All::keyframed(&mesh, keyframes);
        all.check();
        let mut time = times[0] - 1.0;
        let mut free = Body::free(mesh).unwrap();
        for step in 0..40 {
            time += random.between(0.0, 0.3);
            // Sometimes exactly at a keyframe.
            let next = times.iter().copied().find(|&t| t > time);
            let to = if step % 7 == 3 { next.unwrap_or(time) } else { time };
            time = time.max(to);
            if time >= times[0] {
                all.advance(time);
                all.check();
            }
            let positions: Vec<_> =
                (0..).map_while(|v| all.expiring.deformation().at(v)).collect();
            free.set_positions(&positions).unwrap();
            if times.contains(&time) {
                // At a keyframe blended boxes are those of a refit, up to rounding.
                for node in 0..free.nodes() as u32 {
                    let (ours, theirs) = (all.expiring.bound(node), free.bound(node));
                    let apart = (ours.min - theirs.min).abs().max((ours.max - theirs.max).abs());
                    prop_assert!(apart.max_element() <= 1e-5, "{ours:?} {theirs:?}");
                }
            }
        }
    }

    #[test]
    fn random_courses_and_changes_are_enclosed(seed in any::<u64>(), round in any::<bool>()) {
        let mut random = Random::new(seed);
        let mesh = grid(4, 3, 2.0, 1.0).unwrap();
        let vertices = mesh.positions().len();
        let until = random.between(1.0, 4.0);
        let courses: Vec<_> = (0..vertices).map(|_| random_course(&mut random, round)).collect();
        let mut all = All::flying(&mesh, &Flight::along(&courses, 0.0, until).unwrap());
        all.check();
        let mut time = 0.0;
        for _ in 0..30 {
            time += random.between(0.0, 0.25);
            all.advance(time);
            all.check();
            if random.bits().is_multiple_of(3) {
                let some = 1 + random.bits() as usize % if random.bits().is_multiple_of(4) { vertices } else { 2 };
                let plans: Vec<_> = (0..some)
                    .map(|_| {
                        let vertex = random.bits() as u32 % vertices as u32;
                        (vertex, Plan::Course(random_course(&mut random, round)))
                    })
                    .collect();
                all.set_plans(&plans);
                all.check();
            }
        }
    }

    #[test]
    fn courses_among_keyframes_are_enclosed(seed in any::<u64>(), round in any::<bool>()) {
        let mut random = Random::new(seed);
        let mesh = grid(6, 4, 2.0, 1.0).unwrap();
        let vertices = mesh.positions().len();
        let keyframes = random_keyframes(&mut random, vertices, 4, round);
        let mut time = keyframes.times()[0];
        let mut all = All::keyframed(&mesh, keyframes);
        for _ in 0..30 {
            time += random.between(0.0, 0.2);
            all.advance(time);
            all.check();
            if random.bits().is_multiple_of(2) {
                let vertex = random.bits() as u32 % vertices as u32;
                let plan = match random.bits() % 4 {
                    0 => Plan::Keyframes,
                    _ => {
                        let here = all.kinetic.position(vertex).unwrap();
                        Plan::Course(Course::linear(time, here, random.in_cube()))
                    }
                };
                all.set_plans(&[(vertex, plan)]);
                all.check();
            }
        }
    }

    #[test]
    fn steps_do_not_matter(seed in any::<u64>(), keyframed in any::<bool>()) {
        let mut random = Random::new(seed);
        let mesh = grid(4, 2, 2.0, 1.0).unwrap();
        let vertices = mesh.positions().len();
        let flight = if keyframed {
            Flight::keyframed(random_keyframes(&mut random, vertices, 4, false))
        } else {
            let courses: Vec<_> = (0..vertices).map(|_| random_course(&mut random, false)).collect();
            Flight::along(&courses, 0.0, 3.0).unwrap()
        };
        let (mut small, mut large) = (All::flying(&mesh, &flight), All::flying(&mesh, &flight));
        let (from, to) = (flight.time(), flight.until() - random.between(-0.5, 1.5));
        prop_assume!(to > from);
        for step in 1..=500 {
            small.advance(from + (to - from) * f64::from(step) / 500.0);
        }
        small.advance(to.max(small.kinetic.time()));
        large.advance(small.kinetic.time());
        prop_assert_eq!(small.boxes(), large.boxes());
    }
}

#[test]
fn a_hundred_thousand_tiny_steps_are_one_jump() {
    let mesh = grid(3, 3, 2.0, 2.0).unwrap();
    let mut random = Random::new(11);
    let keyframes = random_keyframes(&mut random, mesh.positions().len(), 6, false);
    let flight = Flight::keyframed(keyframes.clone());
    let all = || All::keyframed(&mesh, keyframes.clone());
    let (mut small, mut large) = (all(), all());
    let (from, to) = (flight.time(), flight.until() - 0.01);
    for step in 1..=100_000 {
        small.advance(from + (to - from) * f64::from(step) / 1e5);
    }
    large.advance(small.kinetic.time());
    assert_eq!(small.boxes(), large.boxes());
    assert_eq!(small.kinetic.bounds().count(), large.kinetic.bounds().count());
    assert!(small.kinetic.bounds().count().events > 500);
    // The expiring boxes were computed once per keyframe, and fewer times in a jump.
    assert_eq!(small.expiring.bounds().refits(), 6);
    assert_eq!(large.expiring.bounds().refits(), 4);
    large.check();
}

#[test]
fn queries_find_what_brute_force_finds() {
    let mesh = grid(12, 12, 2.0, 2.0).unwrap();
    let wave = |phase: f64| {
        let lift = |p: DVec3| p + DVec3::Y * (0.4 * (4.0 * p.x + phase).sin() - 0.2 * phase);
        mapped(&mesh, lift).positions().to_vec()
    };
    let frames = (0..5).map(|k| wave(f64::from(k) * 0.6)).collect();
    let times = vec![0.0, 1.0, 1.5, 3.0, 4.0];
    let mut all = All::keyframed(&mesh, Keyframes::new(times, frames).unwrap());
    let ball = mapped(&icosphere(2).unwrap(), |p| p * 0.5);
    let (rigid, free) = (Body::rigid(ball.clone()).unwrap(), Body::free(ball).unwrap());
    let mut touched = 0;
    for step in 0..30 {
        all.advance(f64::from(step) * 0.15);
        let expected = brute_force::intersections(&all.expiring, &rigid).pairs;
        touched += expected.len();
        assert_eq!(intersections(&all.expiring, &rigid).pairs, expected);
        assert_eq!(intersections(&all.kinetic, &free).pairs, expected);
        assert_eq!(intersections(&all.planes, &rigid).pairs, expected);
        assert_eq!(intersections(&all.planes, &free).pairs, expected);
        assert_eq!(
            self_intersections(&all.expiring).pairs,
            brute_force::self_intersections(&all.planes).pairs
        );
        let distance = brute_force::distance(&all.expiring, &free);
        assert_eq!(pliant::distance(&all.expiring, &free).squared, distance.squared);
        assert_eq!(pliant::distance(&all.kinetic, &rigid).pair, distance.pair);
    }
    assert!(touched > 100, "the sheet passes through the ball");
}

/// Random motion, half of it between integer coordinates: many simultaneous events.
fn soak(events: u64) {
    let mesh = icosphere(3).unwrap();
    let vertices = mesh.positions().len();
    let mut random = Random::new(5);
    let settings = BuildSettings::default();
    let course = |random: &mut Random| {
        let round = random.bits().is_multiple_of(2);
        random_course(random, round)
    };
    let courses: Vec<_> = (0..vertices).map(|_| course(&mut random)).collect();
    let flight = Flight::along(&courses, 0.0, 1.0).unwrap();
    let mut body = Kinetic::<KineticAabb>::flying(mesh.clone(), flight, &settings).unwrap();
    let mut count = 0;
    while count < events {
        let round = random.bits().is_multiple_of(2);
        let keyframes = random_keyframes(&mut random, vertices, 20, round);
        let [first, last] = [keyframes.times()[0], keyframes.times()[19]];
        let flight = Flight::keyframed(keyframes);
        let mut next = Kinetic::<KineticAabb>::flying(mesh.clone(), flight, &settings).unwrap();
        next.advance(first + (last - first) * 0.97).unwrap();
        check("soak", &next, Some(largest_now(&next)));
        count += next.bounds().count().events;
        // Courses too, with plans that change on the way.
        for step in 1..10 {
            body.advance(f64::from(step) * 0.1).unwrap();
            let plan = |random: &mut Random| {
                (random.bits() as u32 % vertices as u32, Plan::Course(course(random)))
            };
            let plans: Vec<_> = (0..50).map(|_| plan(&mut random)).collect();
            body.set_plans(&plans).unwrap();
        }
        check("soak", &body, Some(largest_now(&body)));
        count += body.bounds().count().events;
        let courses: Vec<_> = (0..vertices).map(|_| course(&mut random)).collect();
        let flight = Flight::along(&courses, 0.0, 1.0).unwrap();
        body = Kinetic::flying(mesh.clone(), flight, &settings).unwrap();
    }
    println!("{count} events");
}

#[test]
fn a_hundred_thousand_events_end_valid() {
    soak(100_000);
}

#[test]
#[ignore = "takes a minute"]
fn ten_million_events_end_valid() {
    soak(10_000_000);
}

/// When a few vertices turn back, boxes are as tight at that moment as those of a refit.
#[test]
fn blended_boxes_are_tight_where_plans_turn() {
    let mesh = icosphere(3).unwrap();
    let course = |p: &DVec3| Course::linear(0.0, *p, *p);
    let courses: Vec<_> = mesh.positions().iter().map(course).collect();
    let flight = Flight::along(&courses, 0.0, 2.0).unwrap();
    let mut body =
        Kinetic::<Expiring>::flying(mesh.clone(), flight, &BuildSettings::default()).unwrap();
    let mut random = Random::new(7);
    for time in [0.5, 0.75, 1.0, 1.5] {
        body.advance(time).unwrap();
        let turn = |vertex: u32| {
            let here = body.position(vertex).unwrap();
            (vertex, Plan::Course(Course::linear(time, here, -here)))
        };
        let vertices = mesh.positions().len() as u64;
        let plans: Vec<_> = (0..20).map(|_| turn((random.bits() % vertices) as u32)).collect();
        body.set_plans(&plans).unwrap();
        // Later a box may be looser: it lies between the box now and the box at the end.
        if time == 0.5 {
            check("turned", &body, Some(10.0));
        }
        check("turned", &body, None);
        body.advance(time + 0.1).unwrap();
        check("turned", &body, None);
    }
}
