//! Bodies in `f32` answer as brute force does on these very values, and as bodies in `f64` at the same
//! places.

use crate::support::compare::{aim, closest_bits, distance_bits, ray_bits};
use crate::support::enclosed::check;
use crate::support::{all_settings, settings};
use pliant::bound::FreeBodyF32;
use pliant::glam::{DVec3, Vec3};
use pliant::query::brute_force;
use pliant::tree::BuildSettings;
use pliant::{AnyBody, Body, Collide, FreeBody, Mesh, World};
use pliant::{closest_point, distance, intersections, ray_cast, self_intersections};
use pliant_scenes::{Random, icosphere};
use proptest::collection::vec;
use proptest::prelude::*;

/// A coordinate on a small lattice, anywhere, very small or very large, as an `f32`.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => (-3..=3i16).prop_map(f32::from),
        3 => -3.0..3.0f32,
        1 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
    ]
}

fn shape() -> impl Strategy<Value = (Vec<[u32; 3]>, [Vec<Vec3>; 2])> {
    (1..24usize).prop_flat_map(|count| {
        let corner = 0..count as u32;
        let position = || prop::array::uniform3(coordinate()).prop_map(Vec3::from_array);
        let state = || vec(position(), count);
        (vec([corner.clone(), corner.clone(), corner], 1..24), [state(), state()])
    })
}

/// The same in `f64`, brute force included.
fn in_f64(mesh: &Mesh, positions: &[Vec3], settings: &BuildSettings) -> FreeBody {
    let mut body = Body::free_with(mesh.clone(), settings).unwrap();
    body.set_positions(&positions.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>()).unwrap();
    body
}

fn made((triangles, [rest, _]): &(Vec<[u32; 3]>, [Vec<Vec3>; 2])) -> Mesh {
    Mesh::new(rest.iter().map(|p| p.as_dvec3()).collect(), triangles.clone()).unwrap()
}

fn same_answers([a, b]: [&FreeBodyF32; 2], [c, d]: [&FreeBody; 2]) {
    assert_eq!(intersections(a, b).pairs, brute_force::intersections(c, d).pairs);
    assert_eq!(brute_force::intersections(a, b).pairs, brute_force::intersections(c, d).pairs);
    assert_eq!(self_intersections(a).pairs, brute_force::self_intersections(c).pairs);
    let apart = brute_force::distance(c, d);
    assert_eq!(distance_bits(&distance(a, b)), distance_bits(&apart));
    let (rays, points) = aim(c, DVec3::new(0.3, -2.0, 5.0));
    for ray in &rays {
        assert_eq!(
            ray_bits(&ray_cast(a, ray)),
            ray_bits(&brute_force::ray_cast(c, ray)),
            "{ray:?}"
        );
    }
    for point in points {
        let found = closest_bits(&closest_point(a, point).unwrap());
        assert_eq!(found, closest_bits(&brute_force::closest_point(c, point).unwrap()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn answers_are_those_of_brute_force_on_the_values_in_f32(
        first in shape(), second in shape(), settings in [settings(), settings()],
    ) {
        let (mesh, other) = (made(&first), made(&second));
        let mut a = Body::free_f32_with(mesh.clone(), &settings[0]).unwrap();
        let mut b = Body::free_f32_with(other.clone(), &settings[1]).unwrap();
        for state in 0..2 {
            a.set_positions(&first.1[state]).unwrap();
            b.set_positions(&second.1[state]).unwrap();
            check("f32", &a);
            check("f32", &b);
            let c = in_f64(&mesh, &first.1[state], &settings[0]);
            let d = in_f64(&other, &second.1[state], &settings[1]);
            same_answers([&a, &b], [&c, &d]);
        }
    }
}

#[test]
fn bounds_are_the_tightest() {
    let mesh = icosphere(3).unwrap();
    let mut random = Random::new(5);
    for settings in all_settings() {
        let mut body = Body::free_f32_with(mesh.clone(), &settings).unwrap();
        let positions: Vec<Vec3> =
            mesh.positions().iter().map(|&p| (p + random.in_cube()).as_vec3()).collect();
        body.set_positions(&positions).unwrap();
        check("f32", &body);
        let (low, high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let low = positions.iter().fold(low, |low, &p| low.min(p));
        let high = positions.iter().fold(high, |high, &p| high.max(p));
        assert_eq!((body.bound(0).min, body.bound(0).max), (low.into(), high.into()));
    }
}

#[test]
fn a_rest_shape_beyond_f32_is_refused() {
    let mesh = |x| Mesh::new(vec![DVec3::ZERO, DVec3::Y, DVec3::X * x], vec![[0, 1, 2]]).unwrap();
    let refused = Body::free_f32(mesh(1e39));
    assert!(matches!(refused, Err(pliant::Error::NonFinitePosition { vertex: 2, .. })));
    assert_eq!(Body::free_f32(mesh(0.1)).unwrap().position(2), Some(DVec3::X * f64::from(0.1f32)));
}

/// In a world, beside other kinds.
#[test]
fn a_world_takes_them() {
    let mesh = icosphere(2).unwrap();
    let (mut world, mut twin) = (World::new(), World::new());
    let shifted: Vec<Vec3> = mesh.positions().iter().map(|p| p.as_vec3() + Vec3::X).collect();
    let mut body = Body::free_f32(mesh.clone()).unwrap();
    let rest = Body::rigid(mesh.clone()).unwrap();
    body.set_positions(&shifted).unwrap();
    twin.insert(in_f64(&mesh, &shifted, &BuildSettings::default())).unwrap();
    twin.insert(rest.clone()).unwrap();
    let id = world.insert(body).unwrap();
    world.insert(rest).unwrap();
    assert_eq!(world.get(id).unwrap().kind(), "free f32");
    let (found, expected) = (world.contacts(), twin.contacts());
    assert!(!expected.contacts.is_empty());
    assert_eq!(format!("{:?}", found.contacts), format!("{:?}", expected.contacts));
    let AnyBody::FreeF32(body) = world.get_mut(id).unwrap() else { panic!("another kind") };
    let far: Vec<Vec3> = shifted.iter().map(|p| *p + 9.0 * Vec3::X).collect();
    body.set_positions(&far).unwrap();
    assert!(world.contacts().contacts.is_empty());
}
