//! Flight plans: the same bits as those of a posed file, errors by name, extremes of range.

use std::sync::Arc;

use pliant::bound::{Expiring, FlightBounds, KineticAabb, KineticBox};
use pliant::deform::{Course, Flight, Keyframes, Plan};
use pliant::glam::DVec3;
use pliant::tree::{BuildSettings, primitive_runs};
use pliant::{Body, Collide, Error, Mesh};
use pliant_io::{Animation, Deformation, Node, NodeTransform, Object, Scene, SceneParts};
use pliant_scenes::{Random, grid};
use proptest::prelude::*;

fn random_frames(random: &mut Random, vertices: usize, count: usize, size: f64) -> Vec<Vec<DVec3>> {
    let mut frame = || (0..vertices).map(|_| random.in_cube() * size).collect();
    (0..count).map(|_| frame()).collect()
}

#[test]
fn positions_are_those_of_a_posed_scene() {
    let mesh = grid(4, 4, 1.0, 1.0).unwrap();
    let mut random = Random::new(3);
    let frames = random_frames(&mut random, mesh.positions().len(), 4, 1.0);
    let times = vec![-0.3, 0.1, 0.7, 5.3];
    let keyframes = pliant_io::Keyframes { times: times.clone(), frames: frames.clone() };
    let animation = Animation {
        name: "keyframes".into(),
        start: times[0],
        end: times[3],
        samplers: vec![],
        channels: vec![],
    };
    let scene = Scene::new(SceneParts {
        nodes: vec![Node { name: None, parent: None, transform: NodeTransform::IDENTITY }],
        objects: vec![Object::new("sheet", 0, mesh, Deformation::Keyframes(Arc::new(keyframes)))],
        animations: vec![animation],
        ..SceneParts::default()
    })
    .unwrap();
    let mut flight = Flight::keyframed(Keyframes::new(times, frames).unwrap());
    let mut expected = Vec::new();
    let mut time = -0.3;
    for _ in 0..300 {
        flight.advance(time).unwrap();
        let pose = scene.pose(Some(0), time).unwrap();
        scene.posed(0, &pose).unwrap().positions(&mut expected);
        for (vertex, expected) in (0..).zip(&expected) {
            let ours = flight.at(vertex).unwrap();
            assert_eq!(ours.to_array().map(f64::to_bits), expected.to_array().map(f64::to_bits));
        }
        time += random.between(0.0, 0.05);
    }
    assert!(time > 5.3, "past the end as well");
}

/// Every box of every kind contains every vertex, for all magnitudes of coordinates and times.
fn check<B: FlightBounds>(mesh: &Mesh, flight: &Flight, times: &[f64]) {
    let settings = BuildSettings::default();
    let mut body = Body::<_, B>::flying(mesh.clone(), flight.clone(), &settings).unwrap();
    for &time in times {
        body.advance(time).unwrap();
        for (node, run) in (0..).zip(primitive_runs(body.tree())) {
            let bound = body.bound(node);
            for &triangle in &body.tree().primitives[run.start as usize..run.end as usize] {
                for corner in body.triangle(triangle) {
                    assert!(bound.contains_point(corner), "{time}: {bound:?} misses {corner}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_sizes_are_enclosed(
        seed in any::<u64>(), sizes in proptest::array::uniform3(-320..308i32),
        start in -1e3..1e3f64, length in -15..15i32,
    ) {
        let mut random = Random::new(seed);
        let mesh = grid(2, 2, 1.0, 1.0).unwrap();
        let frames: Vec<Vec<DVec3>> = sizes
            .iter()
            .flat_map(|&e| random_frames(&mut random, 9, 1, 10f64.powi(e)))
            .collect();
        let length = 10f64.powi(length).max(start.abs() * 1e-14);
        let keys = vec![start, start + length, start + 2.0 * length];
        prop_assume!(keys[0] < keys[1] && keys[1] < keys[2]);
        let flight = Flight::keyframed(Keyframes::new(keys.clone(), frames).unwrap());
        let mut times: Vec<f64> =
            (0..12).map(|_| start + random.unit() * 2.1 * length).chain(keys).collect();
        times.push(start + length * 1e-60);
        times.push((start + length).next_down());
        times.sort_by(f64::total_cmp);
        check::<Expiring>(&mesh, &flight, &times);
        check::<KineticAabb>(&mesh, &flight, &times);
        check::<KineticBox>(&mesh, &flight, &times);
    }
}

#[test]
fn bad_plans_are_refused_by_name() {
    let frame = vec![DVec3::ZERO; 3];
    let keyframes =
        |times: &[f64]| Keyframes::new(times.to_vec(), vec![frame.clone(); times.len()]);
    let invalid = |keyframe, reason| Err(Error::InvalidKeyframe { keyframe, reason });
    assert_eq!(keyframes(&[]), invalid(0, "there is none"));
    assert_eq!(keyframes(&[0.0, 1.0, 1.0]), invalid(2, "it is not after the one before"));
    assert_eq!(keyframes(&[0.0, -1.0]), invalid(1, "it is not after the one before"));
    assert_eq!(keyframes(&[0.0, f64::NAN]), invalid(1, "its time is not finite"));
    assert!(keyframes(&[-1e308, 1e308]).is_err());
    let uneven = Keyframes::new(vec![0.0, 1.0], vec![frame.clone(), vec![DVec3::ZERO; 2]]);
    assert!(matches!(uneven, Err(Error::CountMismatch { expected: 3, given: 2, .. })));

    let mut flight = Flight::keyframed(keyframes(&[0.0, 1.0]).unwrap());
    flight.advance(0.5).unwrap();
    let back = flight.advance(0.25).unwrap_err();
    assert_eq!(back.to_string(), "the time 0.25 cannot be used: it is before the current time");
    assert!(flight.advance(f64::NAN).is_err() && flight.advance(f64::INFINITY).is_err());
    assert_eq!(flight.time(), 0.5);
    flight.rewind(0.25).unwrap();
    let course = |c: f64| Plan::Course(Course::linear(0.0, DVec3::ZERO, DVec3::splat(c)));
    for (vertex, c) in [(3, 0.0), (1, f64::NAN), (1, 1e200), (1, f64::INFINITY)] {
        let refused = flight.set_plans(&[(0, course(1.0)), (vertex, course(c))]);
        assert!(
            matches!(refused, Err(Error::InvalidPlan { vertex: v, .. }) if v == vertex as usize)
        );
    }
    assert_eq!(flight.at(0), Some(DVec3::ZERO), "nothing has changed");
    assert_eq!(flight.at(3), None);
    flight.set_plans(&[(0, course(1.0))]).unwrap();
    assert!(flight.rewind(0.0).is_err(), "what was planned before is gone");
    let mut alone = Flight::along(&[Course::linear(0.0, DVec3::X, DVec3::ZERO)], 0.0, 1.0).unwrap();
    assert!(alone.set_plans(&[(0, Plan::Keyframes)]).is_err());
    assert!(Flight::along(&[], 1.0, 0.0).is_err());

    let mesh = grid(1, 1, 1.0, 1.0).unwrap();
    let mismatch = Body::keyframed(mesh.clone(), keyframes(&[0.0]).unwrap());
    assert!(matches!(mismatch, Err(Error::CountMismatch { expected: 4, given: 3, .. })));
    let flight =
        Flight::keyframed(Keyframes::new(vec![0.0], vec![mesh.positions().to_vec()]).unwrap());
    let wide = BuildSettings { arity: 4, ..BuildSettings::default() };
    let boxes = Body::<_, KineticBox>::flying(grid(4, 4, 1.0, 1.0).unwrap(), flight.clone(), &wide);
    assert!(boxes.is_err());
    let mut body = Body::<_, KineticAabb>::flying(mesh, flight, &wide).unwrap();
    body.advance(1.0).unwrap();
    assert!(body.advance(0.5).is_err());
    body.rewind(0.5).unwrap();
    assert_eq!(body.time(), 0.5);
}
