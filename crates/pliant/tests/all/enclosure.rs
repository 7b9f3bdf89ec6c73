//! In every state, the bound of every node contains every vertex below it.
//!
//! Whether it does is decided here in integers, not by the library: a bound that is
//! too small by less than the rounding of a distance is found out too.

use crate::support::enclosed::check;
use crate::support::{Kinds, all_settings, for_each_kind, settings, soup};
use pliant::glam::{DQuat, DVec3};
use pliant::{Collide, Isometry, Mesh};
use pliant_scenes::{Random, curtain, icosphere};
use proptest::collection::vec;
use proptest::prelude::*;

#[track_caller]
fn check_all(kinds: &Kinds) {
    for_each_kind!(kinds, |name, body| check(name, body));
    // Boxes made from below nest; spheres need not.
    let (tree, boxes) = (kinds.free_boxes.tree(), kinds.free_boxes.bounds().volumes());
    for (number, node) in tree.nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
        for child in node.range() {
            let (parent, child) = (&boxes[number], &boxes[child as usize]);
            assert!(parent.contains(child), "node {number}: {parent:?} does not hold {child:?}");
        }
    }
}

/// A number of any size from 10^`least` to 10^`most`, or zero.
fn of_size(least: i32, most: i32) -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => Just(0.0),
        9 => (-1.0..1.0f64, least..=most).prop_map(|(x, exponent)| x * 10f64.powi(exponent)),
    ]
}

fn point(coordinate: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = DVec3> {
    [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array)
}

/// `count` positions: of one size, of many, far off and close together, or all at one place.
fn state(count: usize) -> BoxedStrategy<Vec<DVec3>> {
    let unit = || vec(point(-1.0..1.0f64), count);
    prop_oneof![
        (unit(), -40..=40i32).prop_map(|(points, exponent)| {
            points.into_iter().map(|p| p * 10f64.powi(exponent)).collect()
        }),
        (unit(), point(of_size(-40, 40).boxed()), -40..=0i32).prop_map(
            |(points, far, exponent)| {
                let size = far.abs().max_element() * 10f64.powi(exponent);
                points.into_iter().map(|p| far + p * size).collect()
            }
        ),
        vec(point(of_size(-40, 40).boxed()), count),
        vec(point(of_size(-320, 300).boxed()), count),
        // Where f32 ends, and where its last steps are.
        vec(point(of_size(36, 39).boxed()), count),
        vec(point(of_size(-46, -37).boxed()), count),
        point(of_size(-320, 300).boxed()).prop_map(move |p| vec![p; count]),
    ]
    .boxed()
}

fn isometry() -> impl Strategy<Value = Isometry> {
    let any_turn = [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, -1.0..1.0]
        .prop_map(DQuat::from_array)
        .prop_filter("a rotation", |q| q.length() > 1e-3);
    let turn = prop_oneof![1 => Just(DQuat::IDENTITY), 4 => any_turn];
    let far = prop_oneof![of_size(-40, 40), of_size(-320, 300)].boxed();
    (turn, point(far)).prop_map(|(turn, far)| Isometry::new(turn, far).unwrap())
}

/// Vertex numbers, positions at rest and in two later states.
fn motion() -> impl Strategy<Value = (Vec<[u32; 3]>, [Vec<DVec3>; 3])> {
    (1..=24usize).prop_flat_map(|count| {
        let corner = 0..count as u32;
        let triangles = vec([corner.clone(), corner.clone(), corner], 1..40);
        (triangles, [state(count), state(count), state(count)])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn bounds_hold_in_any_state(
        (triangles, [rest, second, third]) in motion(),
        isometries in [isometry(), isometry()],
        settings in settings(),
    ) {
        let mut kinds = Kinds::new(&Mesh::new(rest, triangles).unwrap(), &settings);
        check_all(&kinds);
        for (isometry, positions) in isometries.into_iter().zip([second, third]) {
            kinds.set_isometry(isometry);
            check_all(&kinds);
            kinds.set_free_positions(&positions);
            check_all(&kinds);
        }
    }
}

/// Deep trees, refitted in many chunks, with every way of building.
#[test]
fn bounds_hold_in_larger_bodies() {
    let mesh = icosphere(3).unwrap();
    let mut random = Random::new(11);
    for settings in all_settings() {
        let mut kinds = Kinds::new(&mesh, &settings);
        check_all(&kinds);
        for size in [1.0, 1e-30, 1e15] {
            let place = Isometry::new(random.rotation(), random.in_cube() * size).unwrap();
            kinds.set_isometry(place);
            check_all(&kinds);
            let noise: Vec<_> =
                mesh.positions().iter().map(|p| (*p + random.in_cube()) * size).collect();
            kinds.set_free_positions(&noise);
            check_all(&kinds);
        }
    }
}

#[test]
fn bounds_hold_while_a_curtain_blows() {
    let curtain = curtain(0).unwrap();
    let mut kinds = Kinds::new(&curtain.mesh, &all_settings()[0]);
    for frame in [0, 55, 109] {
        kinds.set_free_positions(&curtain.positions(frame).unwrap());
        check_all(&kinds);
    }
}

/// A point whose distance from the middle of a sphere is the radius after rounding,
/// but not before.
#[test]
fn a_sphere_holds_what_rounding_would_leave_outside() {
    let [x, y, z] = DVec3::AXES;
    let flat = [-x, x, 0.5 * y];
    for axis in [y, z] {
        for radius in [1f32, 1f32.next_up(), 1f32.next_up().next_up()] {
            let outside = f64::from(radius) * x + 1e-20 * axis;
            let mesh = soup(&[flat, [outside; 3]]);
            for settings in all_settings() {
                check_all(&Kinds::new(&mesh, &settings));
            }
        }
    }
}

/// The largest numbers, at rest: differences of two overflow, the bounds' sides are infinite.
#[test]
fn bounds_hold_at_the_end_of_all_numbers() {
    for size in [f64::MAX, f64::MAX / 2.0, f64::MAX / 4.0] {
        let mesh = soup(&[
            [size * DVec3::X, -size * DVec3::Y, size * DVec3::Z],
            [size * DVec3::ONE, size * DVec3::NEG_ONE, DVec3::ZERO],
        ]);
        for settings in all_settings() {
            check_all(&Kinds::new(&mesh, &settings));
        }
    }
}
