//! Bad input is an error that names the element and the reason, and changes nothing.

use crate::support::{Kinds, for_each_kind, joined, mapped};
use pliant::bound::BottomUp;
use pliant::deform::Free;
use pliant::glam::{DQuat, DVec3};
use pliant::limits::MAX_PRIMITIVES;
use pliant::query::brute_force;
use pliant::tree::{BuildSettings, Node, Tree, build, statistics, validate};
use pliant::volume::{Aabb, Fit, Overlap, Ray};
use pliant::{
    Body, Error, Isometry, Mesh, RigidBody, closest_point, intersections, self_intersections,
};
use pliant_scenes::icosphere;

const NOT_FINITE: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// The refusal, checked to be this error with this message.
#[track_caller]
fn assert_refused<T>(outcome: pliant::Result<T>, error: &Error, message: &str) {
    let Err(found) = outcome else { panic!("accepted, where this was due: {message}") };
    // By their text: an error that holds NaN is not equal to itself.
    assert_eq!(format!("{found:?}"), format!("{error:?}"));
    assert_eq!(found.to_string(), message);
}

/// The vector with one component replaced.
fn with(mut vector: DVec3, axis: usize, value: f64) -> DVec3 {
    vector[axis] = value;
    vector
}

#[test]
fn a_mesh_without_triangles_is_refused() {
    for positions in [vec![], vec![DVec3::ZERO; 3]] {
        assert_refused(
            Mesh::new(positions, vec![]),
            &Error::EmptyMesh,
            "the mesh has no triangles",
        );
    }
}

#[test]
fn a_vertex_that_does_not_exist_is_refused_by_triangle_and_number() {
    for (index, corner) in [(3, 0), (4, 1), (u32::MAX, 2)] {
        let mut bad = [0, 1, 2];
        bad[corner] = index;
        assert_refused(
            Mesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2], bad, [7, 7, 7]]),
            &Error::VertexOutOfRange { triangle: 1, index, vertices: 3 },
            &format!("triangle 1 names vertex {index}, but there are 3 vertices"),
        );
    }
    let none = Mesh::new(vec![], vec![[0, 0, 0]]);
    let error = Error::VertexOutOfRange { triangle: 0, index: 0, vertices: 0 };
    assert_refused(none, &error, "triangle 0 names vertex 0, but there are 0 vertices");
}

#[test]
fn a_position_that_is_not_finite_is_refused_by_vertex() {
    for value in NOT_FINITE {
        for axis in 0..3 {
            let bad = with(DVec3::new(1.0, 2.0, 3.0), axis, value);
            // A vertex that no triangle uses counts too: a state may move it.
            let mesh = Mesh::new(vec![DVec3::X, DVec3::Y, DVec3::Z, bad], vec![[0, 1, 2]]);
            let position = bad.to_array();
            let error = Error::NonFinitePosition { vertex: 3, position };
            assert_refused(mesh, &error, &format!("vertex 3 is not finite: {position:?}"));
        }
    }
}

#[test]
fn more_triangles_than_node_numbers_are_refused() {
    let count = MAX_PRIMITIVES + 1;
    // Thirteen gigabytes of address space; the system gives memory for what is
    // touched, and the mesh is refused by its count alone.
    if Vec::<[u32; 3]>::new().try_reserve_exact(count).is_err() {
        eprintln!("skipped: the system does not promise memory for {count} triangles");
        return;
    }
    assert_refused(
        Mesh::new(vec![DVec3::ZERO], vec![[0; 3]; count]),
        &Error::TooMany { what: "triangles", count, limit: MAX_PRIMITIVES },
        "1073741825 triangles are too many: the limit is 1073741824",
    );
}

#[test]
fn a_rotation_without_direction_is_refused() {
    let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let part = |value| {
        (0..4).map(move |axis| std::array::from_fn(|i| if i == axis { value } else { 0.5 }))
    };
    let bad = NOT_FINITE.into_iter().flat_map(part).map(DQuat::from_array);
    for rotation in bad.chain([zero, -zero]) {
        let quaternion = rotation.to_array();
        assert_refused(
            Isometry::new(rotation, DVec3::ZERO),
            &Error::InvalidRotation { quaternion },
            &format!(
                "the rotation {quaternion:?} has no direction: its length is zero or not finite"
            ),
        );
    }
    assert!(Isometry::new(DQuat::from_xyzw(0.0, 0.0, 0.0, -7.0), DVec3::ZERO).is_ok());
}

#[test]
fn a_translation_that_is_not_finite_is_refused() {
    for value in NOT_FINITE {
        for axis in 0..3 {
            let translation = with(DVec3::ONE, axis, value);
            let vector = translation.to_array();
            let error = Error::InvalidVector { what: "translation", vector, reason: "not finite" };
            let message = format!("the translation {vector:?} is not usable: not finite");
            assert_refused(Isometry::from_translation(translation), &error, &message);
            assert_refused(Isometry::new(DQuat::IDENTITY, translation), &error, &message);
        }
    }
}

#[test]
fn a_ray_that_leads_nowhere_is_refused() {
    let refused = |origin, direction, what, vector: DVec3, reason| {
        let vector = vector.to_array();
        let message = format!("the {what} {vector:?} is not usable: {reason}");
        let error = Error::InvalidVector { what, vector, reason };
        assert_refused(Ray::new(origin, direction), &error, &message);
    };
    for value in NOT_FINITE {
        for axis in 0..3 {
            let bad = with(DVec3::ONE, axis, value);
            refused(bad, DVec3::X, "ray origin", bad, "not finite");
            refused(DVec3::ZERO, bad, "ray direction", bad, "not finite");
        }
    }
    refused(DVec3::ONE, DVec3::ZERO, "ray direction", DVec3::ZERO, "zero");
    refused(DVec3::ONE, -DVec3::ZERO, "ray direction", -DVec3::ZERO, "zero");
}

#[test]
fn a_point_that_is_not_finite_is_refused_by_every_kind_of_body() {
    let kinds = Kinds::new(&icosphere(0).unwrap(), &BuildSettings::default());
    for value in NOT_FINITE {
        let point = with(DVec3::ONE, 1, value);
        let vector = point.to_array();
        let error = Error::InvalidVector { what: "point", vector, reason: "not finite" };
        let message = format!("the point {vector:?} is not usable: not finite");
        for_each_kind!(&kinds, |_, body| {
            assert_refused(closest_point(body, point), &error, &message);
            assert_refused(brute_force::closest_point(body, point), &error, &message);
        });
    }
}

#[test]
fn tree_settings_out_of_range_are_refused_by_name() {
    let usual = BuildSettings::default();
    let mesh = icosphere(0).unwrap();
    let boxes = [Aabb::around([DVec3::ZERO])];
    let arities = [0, 1, 9, usize::MAX]
        .map(|arity| ("arity", arity, "2 to 8", BuildSettings { arity, ..usual }));
    let sizes = [0, BuildSettings::MAX_LEAF_SIZE + 1, usize::MAX].map(|leaf_size| {
        ("leaf_size", leaf_size, "1 to 2^30", BuildSettings { leaf_size, ..usual })
    });
    for (setting, value, range, settings) in arities.into_iter().chain(sizes) {
        let error = Error::InvalidSetting { setting, value, range };
        let message = format!("{setting} = {value} is outside {range}");
        assert_refused(build(&boxes, &settings), &error, &message);
        assert_refused(Body::rigid_with(mesh.clone(), &settings), &error, &message);
        assert_refused(Body::free_with(mesh.clone(), &settings), &error, &message);
        let form = Default::default();
        assert_refused(Body::rigid_spheres(mesh.clone(), form, &settings), &error, &message);
        assert_refused(Body::free_spheres(mesh.clone(), form, &settings), &error, &message);
    }
    let (setting, range) = ("number of primitives", "1 to 2^30");
    let error = Error::InvalidSetting { setting, value: 0, range };
    assert_refused(build(&[], &usual), &error, "number of primitives = 0 is outside 1 to 2^30");
}

#[test]
fn a_tree_that_is_none_is_refused_by_node() {
    let nodes = vec![Node::inner(1, 2), Node::leaf(0, 1), Node::leaf(1, 0)];
    assert_refused(
        validate(&Tree { nodes, primitives: vec![0] }),
        &Error::InvalidTree { node: 2, reason: "a leaf holds no primitive" },
        "the tree is not valid at node 2: a leaf holds no primitive",
    );
}

#[test]
fn statistics_want_one_box_a_node() {
    let tree = Tree { nodes: vec![Node::leaf(0, 1)], primitives: vec![0] };
    assert!(statistics(&tree, &[Aabb::EMPTY]).is_ok());
    for given in [0, 2] {
        let outcome = statistics(&tree, &vec![Aabb::EMPTY; given]);
        assert!(
            matches!(outcome, Err(Error::CountMismatch { expected: 1, given: g, .. }) if g == given),
            "{outcome:?}"
        );
    }
}

/// Checks that everything that can be asked of two bodies has the same answer.
fn assert_same<V>(
    body: &Body<Free, BottomUp<V>>,
    before: &Body<Free, BottomUp<V>>,
    other: &RigidBody,
) where
    V: Fit + Overlap<V> + PartialEq,
{
    let pairs = intersections(body, other);
    assert!(!pairs.pairs.is_empty());
    assert_eq!(pairs, intersections(before, other));
    let own = self_intersections(body);
    assert!(!own.pairs.is_empty());
    assert_eq!(own, self_intersections(before));
    assert_eq!(body.bounds().volumes(), before.bounds().volumes());
    assert_eq!(body.deformation(), before.deformation());
}

/// A body that cuts itself, moved away from its rest shape, refuses a state:
/// everything that can be asked of it stays as it was.
#[test]
fn a_refused_state_changes_nothing() {
    let ball = icosphere(2).unwrap();
    let mesh = joined(&ball, &mapped(&ball, |p| p + DVec3::new(0.3, 0.1, 0.0)));
    let other = Body::rigid(mapped(&ball, |p| p + DVec3::Y)).unwrap();
    let mut kinds = Kinds::new(&mesh, &BuildSettings::default());
    let state: Vec<_> = mesh.positions().iter().map(|p| *p * DVec3::new(1.0, 1.5, 0.5)).collect();
    kinds.set_free_positions(&state);
    macro_rules! check {
        ($body:expr) => {{
            let body = &mut $body;
            let before = body.clone();
            let same = |body: &_| assert_same(body, &before, &other);
            // All other positions are new: none of them may have been taken over.
            let mut bad: Vec<_> = state.iter().map(|&p| p * 9.0 + DVec3::X).collect();
            let expected = bad.len();
            for given in [0, 1, expected - 1] {
                assert_refused(
                    body.set_positions(&bad[..given]),
                    &Error::CountMismatch { what: "positions", expected, given },
                    &format!("{given} positions were given, but the body has {expected}"),
                );
                same(body);
            }
            bad.push(DVec3::ZERO);
            let error = Error::CountMismatch { what: "positions", expected, given: expected + 1 };
            let message =
                format!("{} positions were given, but the body has {expected}", expected + 1);
            assert_refused(body.set_positions(&bad), &error, &message);
            same(body);
            bad.pop();
            for value in NOT_FINITE {
                for vertex in [0, expected / 2, expected - 1] {
                    let good =
                        std::mem::replace(&mut bad[vertex], with(DVec3::ONE, vertex % 3, value));
                    let position = bad[vertex].to_array();
                    assert_refused(
                        body.set_positions(&bad),
                        &Error::NonFinitePosition { vertex, position },
                        &format!("vertex {vertex} is not finite: {position:?}"),
                    );
                    same(body);
                    bad[vertex] = good;
                }
            }
            // And the refusals have not broken the next state.
            body.set_positions(&bad).unwrap();
            let moved = Body::free(mapped(&mesh, |p| p)).unwrap();
            assert_eq!(body.position(1), Some(bad[1]));
            assert_eq!(
                intersections(body, &moved).pairs,
                brute_force::intersections(body, &moved).pairs
            );
        }};
    }
    check!(kinds.free_boxes);
    check!(kinds.free_layered);
    check!(kinds.free_wrapped);
}

#[test]
fn a_vertex_that_does_not_exist_has_no_position() {
    let kinds = Kinds::new(&icosphere(0).unwrap(), &BuildSettings::default());
    let positions = |vertex| {
        [
            kinds.rigid_boxes.position(vertex),
            kinds.rigid_wrapped.position(vertex),
            kinds.free_boxes.position(vertex),
            kinds.free_wrapped.position(vertex),
        ]
    };
    assert!(positions(11).iter().all(Option::is_some));
    for vertex in [12, u32::MAX] {
        assert_eq!(positions(vertex), [None; 4]);
    }
}
