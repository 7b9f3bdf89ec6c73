//! Balls on their way, and triangles near a point: what brute force finds, with every kind of body.

use crate::support::{Kinds, all_settings, for_each_kind, mapped};
use pliant::contact::BallPath;
use pliant::deform::Modes;
use pliant::glam::DVec3;
use pliant::query::{BallCast, DescentStack, ball_cast, ball_cast_in, brute_force, triangles_near};
use pliant::{AnyBody, Body, Collide, Mesh};
use pliant_scenes::{Random, curtain, icosphere, triangle_soup};

fn bits(cast: &BallCast) -> Option<(u32, u64, [u64; 3])> {
    let (triangle, hit) = cast.hit?;
    Some((triangle, hit.t.to_bits(), hit.closest.point.to_array().map(f64::to_bits)))
}

/// Compares ways and points of a seed, and gives the number of hits and of near triangles.
fn check(
    name: &str,
    body: &impl Collide,
    truth: &impl Collide,
    size: f64,
    seed: u64,
) -> [usize; 2] {
    let mut random = Random::new(seed);
    let mut stack = DescentStack::default();
    stack.reserve(DescentStack::needed(body.tree()));
    let mut counts = [0; 2];
    for _ in 0..60 {
        let [from, to] = [(); 2].map(|()| random.in_cube() * 2.0 * size);
        let radius = size * random.between(0.001, 0.3);
        let path = BallPath::new(from, to, radius).unwrap();
        let expected = brute_force::ball_cast(truth, &path);
        assert_eq!(bits(&ball_cast(body, &path)), bits(&expected), "{name} {path:?}");
        assert_eq!(bits(&ball_cast_in(&mut stack, body, &path)), bits(&expected), "{name}");
        let reach = 3.0 * radius;
        let near = triangles_near(body, from, reach).unwrap();
        let all = brute_force::triangles_near(truth, from, reach).unwrap();
        assert_eq!(near.triangles, all.triangles, "{name} {from} {reach}");
        counts[0] += usize::from(expected.hit.is_some());
        counts[1] += all.triangles.len();
    }
    counts
}

#[test]
fn every_kind_of_body_and_tree() {
    let meshes: [(f64, Mesh); 3] = [
        (1.0, icosphere(2).unwrap()),
        (1.0, triangle_soup(80, 0.5, 3).unwrap()),
        (1e-20, mapped(&icosphere(1).unwrap(), |p| p * 1e-20)),
    ];
    let [mut hits, mut near] = [0, 0];
    for (number, (size, mesh)) in meshes.iter().enumerate() {
        for settings in all_settings().into_iter().step_by(5) {
            let kinds = Kinds::new(mesh, &settings);
            for_each_kind!(&kinds, |name, body| {
                let [more, others] = check(name, body, &kinds.free_boxes, *size, number as u64);
                hits += more;
                near += others;
            });
        }
    }
    assert!(hits > 500 && near > 5_000, "{hits} hits, {near} near");
}

#[test]
fn a_deformed_curtain() {
    let scene = curtain(0).unwrap();
    let modes = Modes::from_fields(scene.mesh.positions().len(), &scene.modes).unwrap();
    let mut body = Body::reduced(scene.mesh, modes.into()).unwrap();
    let mut counts = [0; 2];
    for frame in [0, 40] {
        body.set_coordinates(&scene.coordinates[frame]).unwrap();
        let any = AnyBody::from(body.clone());
        let found = check("curtain", &any, &body, 1.0, frame as u64);
        counts = [counts[0] + found[0], counts[1] + found[1]];
    }
    assert!(counts[0] > 10 && counts[1] > 100, "{counts:?}");
}

/// Descents in reserved memory stay within it.
#[test]
fn reserved_memory_is_enough() {
    let mesh = triangle_soup(500, 0.4, 1).unwrap();
    for settings in all_settings() {
        let body = Body::rigid_with(mesh.clone(), &settings).unwrap();
        let mut stack = DescentStack::default();
        stack.reserve(DescentStack::needed(body.tree()));
        let room = stack.capacity();
        let path = BallPath::new(DVec3::splat(-3.0), DVec3::splat(3.0), 2.0).unwrap();
        let _ = ball_cast_in(&mut stack, &body, &path);
        assert_eq!(stack.capacity(), room);
    }
}

#[test]
fn unusable_points_are_refused() {
    let body = Body::rigid(icosphere(0).unwrap()).unwrap();
    assert!(triangles_near(&body, DVec3::NAN, 1.0).is_err());
    assert!(triangles_near(&body, DVec3::X, -1.0).is_err());
    assert!(triangles_near(&body, DVec3::X, f64::NAN).is_err());
    assert!(brute_force::triangles_near(&body, DVec3::NAN, 1.0).is_err());
}
