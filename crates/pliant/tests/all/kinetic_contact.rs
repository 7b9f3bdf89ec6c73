//! First contact, compared with dense sampling without trees: never late, and near where it says
//! so.

use crate::support::mapped;
use pliant::bound::{Expiring, FlightBounds, KineticAabb, KineticBox};
use pliant::deform::{Course, Flight, Keyframes, Plan};
use pliant::glam::{DQuat, DVec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::{Body, Error, KeyframedBody, Mesh, distance, first_contact};
use pliant_scenes::{Random, grid, icosphere};
use proptest::prelude::*;

fn moving(mesh: &Mesh, flight: Flight) -> KeyframedBody {
    Body::flying(mesh.clone(), flight, &BuildSettings::default()).unwrap()
}

/// Compares with sampling. Returns whether the pair that was found touches.
#[track_caller]
fn check<A: FlightBounds + Clone, B: FlightBounds + Clone>(
    a: &Body<Flight, A>,
    b: &Body<Flight, B>,
    until: f64,
    tolerance: f64,
) -> Option<bool> {
    let (mut a_found, mut b_found) = (a.clone(), b.clone());
    let found = first_contact(&mut a_found, &mut b_found, until, tolerance).unwrap();
    assert_eq!([a_found.time(), b_found.time()], [found.time; 2]);
    // Never late: nothing touches before.
    let (mut a, mut b) = (a.clone(), b.clone());
    let from = a.time();
    for step in 0..200 {
        let time = from + (found.time - from) * f64::from(step) / 200.0;
        if time >= found.time {
            break;
        }
        a.advance(time).unwrap();
        b.advance(time).unwrap();
        assert_eq!(brute_force::intersects(&a, &b).pair, None, "at {time} of {found:?}");
    }
    // A pair that is labelled as touching touches. Other pairs are near.
    let touches = brute_force::intersects(&a_found, &b_found).pair.is_some();
    match found.pair {
        None => {
            assert!(found.time == until && !touches);
            None
        }
        Some(_) if found.touching => {
            assert!(touches);
            Some(true)
        }
        Some(_) => {
            let apart = distance(&a_found, &b_found).length();
            // Nothing in these scenes approaches faster than 80 per unit of time.
            assert!(apart <= 80.0 * tolerance + 1e-9, "{apart} apart at {found:?}");
            Some(false)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn random_keyframes_meet_when_sampling_says(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mesh = grid(3, 2, 0.5, 0.5).unwrap();
        let mut body = |shift: DVec3| {
            let times = vec![0.0, random.between(0.3, 0.7), 1.0];
            let mut frame = || {
                let way = shift * random.between(-0.3, 1.0) + random.in_cube() * 0.2;
                mesh.positions().iter().map(|p| p + way + random.in_cube() * 0.1).collect()
            };
            let frames = vec![frame(), frame(), frame()];
            moving(&mesh, Flight::keyframed(Keyframes::new(times, frames).unwrap()))
        };
        let (a, b) = (body(DVec3::X * 1.5), body(DVec3::X * -1.5));
        for tolerance in [1e-2, 1e-6] {
            check(&a, &b, 1.0, tolerance);
            check(&a, &b, 0.4, tolerance);
        }
    }

    #[test]
    fn thrown_things_meet_when_sampling_says(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mesh = mapped(&icosphere(1).unwrap(), |p| p * 0.3);
        let mut thrown = |from: DVec3| {
            let [velocity, bend, twist] = [0; 3].map(|_| random.in_cube());
            let courses: Vec<_> = mesh
                .positions()
                .iter()
                .map(|p| Course::new(0.0, [*p + from, velocity - from, bend, twist + p]))
                .collect();
            moving(&mesh, Flight::along(&courses, 0.0, 2.0).unwrap())
        };
        let (a, b) = (thrown(DVec3::X), thrown(-DVec3::X));
        check(&a, &b, 2.0, 1e-4);
    }
}

/// Advances both bodies from contact to contact. After each contact some vertices, those that
/// touched among them, get new plans. Without a contact the vertices of triangle 0 do.
fn bounce<A: FlightBounds + Clone, B: FlightBounds + Clone>(
    (mesh, flights): &(Mesh, [Flight; 2]),
    seed: u64,
) -> usize {
    let mut random = Random::new(seed);
    let [first, second] = flights.clone();
    let settings = BuildSettings::default();
    let mut a: Body<Flight, A> = Body::flying(mesh.clone(), first, &settings).unwrap();
    let mut b: Body<Flight, B> = Body::flying(mesh.clone(), second, &settings).unwrap();
    let (until, mut contacts) = (2.0, 0);
    for _ in 0..4 {
        check(&a, &b, until, 1e-3);
        let met = first_contact(&mut a, &mut b, until, 1e-3).unwrap();
        contacts += usize::from(met.pair.is_some());
        let time = met.time.min(until);
        let touched = |triangle: Option<u32>| {
            triangle.map_or([0, 1, 2], |triangle| mesh.triangles()[triangle as usize])
        };
        let mut turned = |vertices: [u32; 3], center: DVec3, at: &dyn Fn(u32) -> DVec3| {
            vertices.map(|vertex| {
                let away = (at(vertex) - center).normalize_or_zero();
                let [bend, twist] = [0; 2].map(|_| random.in_cube());
                let course = Course::new(time, [at(vertex) + away * 0.05, away, bend, twist]);
                (vertex, Plan::Course(course))
            })
        };
        let [i, j] = [0, 1].map(|body| touched(met.pair.map(|pair| pair[body])));
        let (place_a, place_b) = (a.position(0).unwrap(), b.position(0).unwrap());
        let plans_a = turned(i, place_b, &|v| a.position(v).unwrap());
        let plans_b = turned(j, place_a, &|v| b.position(v).unwrap());
        a.set_plans(&plans_a).unwrap();
        b.set_plans(&plans_b).unwrap();
        let later = (time + 0.05).min(until);
        a.advance(later).unwrap();
        b.advance(later).unwrap();
        if later >= until {
            break;
        }
    }
    contacts
}

/// Every kind of bounds, and different kinds against each other.
fn bounce_in_every_form(scene: &(Mesh, [Flight; 2]), seed: u64) -> usize {
    bounce::<Expiring, Expiring>(scene, seed)
        + bounce::<KineticAabb, KineticAabb>(scene, seed)
        + bounce::<KineticAabb, Expiring>(scene, seed)
        + bounce::<KineticBox, KineticAabb>(scene, seed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn changing_cubic_plans_meet_when_sampling_says(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mesh = mapped(&icosphere(0).unwrap(), |p| p * 0.3);
        let flights = [1.0, -1.0].map(|side| {
            let from = DVec3::X * side;
            let [velocity, bend, twist] = [0; 3].map(|_| random.in_cube());
            let course = |p: &DVec3| {
                let own = random.in_cube() * 0.1;
                Course::new(0.0, [*p + from, velocity * 0.3 - from, bend + own, twist + own])
            };
            let courses: Vec<_> = mesh.positions().iter().map(course).collect();
            Flight::along(&courses, 0.0, 2.0).unwrap()
        });
        bounce_in_every_form(&(mesh, flights), seed);
    }

    #[test]
    fn changing_keyframes_meet_when_sampling_says(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mesh = mapped(&icosphere(0).unwrap(), |p| p * 0.3);
        let flights = [1.0, -1.0].map(|side| {
            let times = vec![0.0, random.between(0.3, 0.9), random.between(1.0, 1.7), 2.0];
            let mut frame = |x: f64| {
                let way = DVec3::X * (side * x) + random.in_cube() * 0.2;
                mesh.positions().iter().map(|p| p + way + random.in_cube() * 0.05).collect()
            };
            let frames = vec![frame(1.0), frame(0.4), frame(-0.2), frame(-1.0)];
            Flight::keyframed(Keyframes::new(times, frames).unwrap())
        });
        let contacts = bounce_in_every_form(&(mesh, flights), seed);
        prop_assert!(contacts > 0, "they fly through each other");
    }
}

#[test]
fn expanding_spheres_turn_back_at_contact() {
    let sphere = icosphere(2).unwrap();
    let expanding = |x: f64| {
        let mesh = mapped(&sphere, |p| p + DVec3::X * x);
        let courses: Vec<_> =
            sphere.positions().iter().map(|&p| Course::linear(0.0, p + DVec3::X * x, p)).collect();
        moving(&mesh, Flight::along(&courses, 0.0, 4.0).unwrap())
    };
    let (mut a, mut b) = (expanding(-2.0), expanding(2.0));
    assert_eq!(check(&a, &b, 4.0, 1e-9), Some(false));
    let met = first_contact(&mut a, &mut b, 4.0, 1e-9).unwrap();
    let [i, j] = met.pair.unwrap();
    // The corners at (±1, 0, 0) meet when the radius is 2.
    assert!(met.time <= 1.0 && met.time > 1.0 - 1e-6, "{met:?}");
    for (body, triangle) in [(&mut a, i), (&mut b, j)] {
        let plans = body.mesh().triangles()[triangle as usize].map(|vertex| {
            let here = body.position(vertex).unwrap();
            let velocity = -sphere.positions()[vertex as usize];
            (vertex, Plan::Course(Course::linear(met.time, here, velocity)))
        });
        body.set_plans(&plans).unwrap();
    }
    // The neighbours go on and meet next.
    let again = first_contact(&mut a, &mut b, 4.0, 1e-9).unwrap();
    assert!(again.pair.is_some() && again.time >= met.time);
}

#[test]
fn what_passes_by_is_not_a_contact() {
    let mesh = grid(1, 1, 1.0, 1.0).unwrap();
    let frame =
        |x: f64, y: f64| mesh.positions().iter().map(|p| p + DVec3::new(x, y, 0.0)).collect();
    let body =
        |frames| moving(&mesh, Flight::keyframed(Keyframes::new(vec![0.0, 1.0], frames).unwrap()));
    let floor = body(vec![frame(0.0, 0.0), frame(0.0, 0.0)]);
    assert_eq!(check(&floor, &body(vec![frame(-3.0, 0.01), frame(3.0, 0.01)]), 1.0, 1e-4), None);
    // Touching in passing, exactly, for a time; and touching from the start.
    assert!(check(&floor, &body(vec![frame(-3.0, 0.0), frame(3.0, 0.0)]), 1.0, 1e-4).is_some());
    assert_eq!(check(&floor, &floor, 1.0, 1e-4), Some(true));
}

#[test]
fn bad_searches_are_refused() {
    let mesh = grid(1, 1, 1.0, 1.0).unwrap();
    let keyframes = Keyframes::new(vec![0.0], vec![mesh.positions().to_vec()]).unwrap();
    let mut a = Body::keyframed(mesh, keyframes).unwrap();
    let mut b = a.clone();
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = first_contact(&mut a, &mut b, 1.0, tolerance);
        assert!(matches!(
            refused,
            Err(Error::InvalidTime { reason: "a tolerance must be positive", .. })
        ));
    }
    b.advance(0.5).unwrap();
    assert!(first_contact(&mut a, &mut b, 1.0, 0.1).is_err());
    a.advance(0.5).unwrap();
    for until in [0.25, f64::NAN, f64::INFINITY] {
        assert!(first_contact(&mut a, &mut b, until, 0.1).is_err());
    }
    assert!(first_contact(&mut a, &mut b, 0.5, 0.1).unwrap().touching);
}

/// Speeds whose squares underflow and speeds that overflow: no contact is missed.
#[test]
fn contacts_at_extreme_speeds_are_not_missed() {
    let at =
        |z: f64| vec![DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.0, 1.0, z)];
    let mesh = Mesh::new(at(0.0), vec![[0, 1, 2]]).unwrap();
    for (until, a, b) in [
        (1e170, [0.0, 0.0], [1.0, -1.0]),
        (1e-309, [0.0, 10.0], [1.0, 9.0]),
        (1e300, [0.0, 1e-200], [1e-200, -1e-200]),
    ] {
        let body = |ends: [f64; 2]| {
            let keyframes = Keyframes::new(vec![0.0, until], ends.map(at).to_vec()).unwrap();
            moving(&mesh, Flight::keyframed(keyframes))
        };
        let found = first_contact(&mut body(a), &mut body(b), until, until * 1e-3).unwrap();
        assert!(found.pair.is_some(), "until {until}: {found:?}");
    }
}

/// Plates at a gap of a millionth that slide past one another, level or tilted, at one speed or
/// faster and faster, or that dip down and rise again: the motion towards one another decides how
/// many steps are taken, not the speed.
#[test]
fn plates_that_slide_past_one_another_take_few_steps() {
    let plate = grid(4, 4, 0.25, 0.25).unwrap();
    let gap = 1e-6;
    for tilt in [0.0, 0.3, 1.1] {
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), tilt);
        let mesh = mapped(&plate, |p| turn * p);
        let up = turn * DVec3::Y * gap;
        let along = turn * DVec3::new(1.0, 0.0, 0.3);
        let still = vec![mesh.positions().to_vec(); 2];
        let floor =
            moving(&mesh, Flight::keyframed(Keyframes::new(vec![0.0, 1.0], still).unwrap()));
        let slides = |course: &dyn Fn(DVec3) -> Course| {
            let courses: Vec<_> = mesh.positions().iter().map(|&p| course(p)).collect();
            moving(&mesh, Flight::along(&courses, 0.0, 1.0).unwrap())
        };
        for (name, plate) in [
            ("one speed", slides(&|p| Course::linear(0.0, p + up - along * 3.0, along * 6.0))),
            (
                "faster",
                slides(&|p| {
                    Course::new(0.0, [p + up - along * 3.0, DVec3::ZERO, along * 2.0, along * 4.0])
                }),
            ),
            (
                "dips",
                slides(&|p| {
                    let down = turn * DVec3::Y * 4.0;
                    Course::new(0.5, [p + up, along * 6.0, down, DVec3::ZERO])
                }),
            ),
        ] {
            let (mut a, mut b) = (floor.clone(), plate);
            let met = first_contact(&mut a, &mut b, 1.0, 1e-9).unwrap();
            assert_eq!((met.pair, met.time), (None, 1.0), "{name}, tilted by {tilt}");
            // There are 1024 pairs of triangles, and courses are searched in spans.
            assert!(met.work.primitive_tests < 100_000, "{name}, {tilt}: {:?}", met.work);
        }
    }
}
