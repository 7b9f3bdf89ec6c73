//! Conformance files compared with their own descriptions.
//!
//! The files are not part of the repository; without them the tests print a message.

use crate::common::shared;
use pliant::glam::DVec3;
use pliant_io::*;

/// A file by folder and number; prints a message if the data is absent.
fn load(folder: &str, number: usize) -> Option<Scene> {
    let name = format!("gltf/asset-generator/{folder}/{folder}_{number:02}.gltf");
    Some(read_gltf(shared(&name)?).unwrap())
}

/// All vertices of an object, in the first animation if there is one.
fn vertices(scene: &Scene, object: usize, time: f64) -> Vec<DVec3> {
    let animation = (!scene.animations().is_empty()).then_some(0);
    let pose = scene.pose(animation, time).unwrap();
    let mut positions = Vec::new();
    scene.posed(object, &pose).unwrap().positions(&mut positions);
    positions
}

fn assert_near(found: &[DVec3], expected: &[DVec3], slack: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (vertex, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            found.distance(*expected) <= slack,
            "{what}: vertex {vertex} is {found}, not {expected}"
        );
    }
}

/// Integers of two sizes and floats give the same motion; bytes have an error of 1/254 per
/// component.
#[test]
fn one_rotation_in_three_types() {
    let Some(floats) = load("Animation_SamplerType", 0) else { return };
    for number in [1, 2] {
        let scene = load("Animation_SamplerType", number).unwrap();
        for time in [0.0, 0.25, 1.5, 2.75, 4.0] {
            let (found, expected) = (vertices(&scene, 0, time), vertices(&floats, 0, time));
            assert_near(&found, &expected, 0.005, &format!("type {number} at {time}"));
        }
    }
}

/// A cube of half side 0.3: the meaning of "targets translation", "linear", "step" and so on.
#[test]
fn animated_nodes() {
    if shared("gltf/asset-generator").is_none() {
        return;
    }
    let rest = |at: DVec3| DVec3::splat(-0.3) + at;
    let first = |folder: &str, number: usize, time: f64| {
        vertices(&load(folder, number).unwrap(), 0, time)[0]
    };
    let shift = |x: f64| rest(DVec3::X * x);
    for (number, time, expected) in [
        // Keys at -0.1, 0.1, -0.1, one second apart: three quarters of the way.
        (0, 0.75, shift(0.05)),
        (0, 1.75, shift(-0.05)),
        // Keys at -0.1, 0, 0.1, 0, -0.1, in steps.
        (3, 0.9, shift(-0.1)),
        (3, 2.5, shift(0.1)),
        // A spline between the keys of the first: halfway; then, at a quarter of the second
        // interval, with a tangent of -0.3 in y, whose weight there is 1/4 - 2/16 + 1/64 = 9/64.
        (4, 0.5, shift(0.0)),
        (4, 1.25, rest(DVec3::new(0.1 - 0.2 * 0.15625, -0.3 * 9.0 / 64.0, 0.0))),
        // A rotation about y from 90 degrees to 0: halfway it is 45, so that (-0.3, -0.3) in x and
        // z, which is on the diagonal, moves onto an axis.
        (1, 0.5, DVec3::new(-0.3 * 2f64.sqrt(), -0.3, 0.0)),
    ] {
        let found = first("Animation_Node", number, time);
        assert!(found.distance(expected) < 1e-6, "{number} at {time}: {found}, not {expected}");
    }
    // A spline through symmetric keys with zero tangents passes the middle where the arc does.
    let spline = first("Animation_Node", 5, 0.5);
    assert!(spline.distance(first("Animation_Node", 1, 0.5)) < 1e-6, "{spline}");
    // At a quarter it is at 0.15625 of the chord, not of the arc.
    assert!(first("Animation_Node", 5, 0.25).distance(first("Animation_Node", 1, 0.25)) > 0.01);
    let misc = |number: usize, time: f64| first("Animation_NodeMisc", number, time);
    // 01: starts at 1 s; the first key holds before.
    assert_eq!(misc(1, 0.0), misc(1, 1.0));
    assert_ne!(misc(1, 1.0), misc(1, 1.5));
    // 02: the translation runs from 2 to 6 s, the rotation from 1 to 5 s.
    let span = load("Animation_NodeMisc", 2).unwrap();
    assert_eq!((span.animations()[0].start, span.animations()[0].end), (1.0, 6.0));
    // At 3 s the rotation is at -90 degrees and the translation halfway, at 0; at 5.5 s the
    // rotation holds 90 degrees and the translation is at -0.05 in y.
    assert!(misc(2, 3.0).distance(DVec3::new(0.3, -0.3, -0.3)) < 1e-6, "{}", misc(2, 3.0));
    assert!(misc(2, 5.5).distance(DVec3::new(-0.3, -0.35, 0.3)) < 1e-6, "{}", misc(2, 5.5));
    // 03: one key, which holds at any time.
    for time in [-1.0, 0.0, 7.0] {
        assert!(misc(3, time).distance(shift(-0.1)) < 1e-6);
    }
    // 05 replaces the node's rotation, (0, 0.5, 0, 0.866), by its opposite: 60 degrees about y in
    // the other direction. 06 keeps it and moves by -0.1 in x at 0 s.
    let (cos, sin) = (0.5, 0.75f64.sqrt());
    let turned = |sin: f64| DVec3::new(-0.3 * cos - 0.3 * sin, -0.3, 0.3 * sin - 0.3 * cos);
    assert!(misc(5, 3.0).distance(turned(-sin)) < 1e-6, "{}", misc(5, 3.0));
    assert!(misc(6, 0.0).distance(turned(sin) - DVec3::X * 0.1) < 1e-6, "{}", misc(6, 0.0));
    // 08: the channel without a node is ignored. (The file has the axes swapped relative to its
    // description: the channel with a node rotates about x.)
    let turned = vertices(&load("Animation_NodeMisc", 8).unwrap(), 0, 0.7);
    assert!(turned.iter().all(|place| (place.x.abs() - 0.3).abs() < 1e-6), "{turned:?}");
    assert!(turned.iter().any(|place| (place.y.abs() - 0.3).abs() > 0.05), "{turned:?}");
}

/// Six vertices in three rows at z = -0.2, 0, 0.2. Joint 0 rotates by -90 degrees about x, which
/// maps (x, y, z) to (x, z, -y), and is at (0, -0.2, 0). Joint 1 is at 0.2 along its z and rotates
/// by -30 degrees more. The first row follows joint 0, bound 0.2 below; the others follow joint 1.
#[test]
fn skins() {
    let Some(plain) = load("Animation_Skin", 0) else { return };
    let rows = |places: [[f64; 2]; 3]| -> Vec<DVec3> {
        let both = |[y, z]: [f64; 2]| [-0.25, 0.25].map(|x| DVec3::new(x, y, z));
        places.into_iter().flat_map(both).collect()
    };
    // The last row: (0, 0.2) rotated by -30 degrees is (0.2 sin 30, 0.2 cos 30) = (0.1, 0.1732051)
    // in y and z; 0.2 further along z; then (z - 0.2, -y).
    let bent = rows([[-0.2, 0.0], [0.0, 0.0], [0.1732051, -0.1]]);
    assert_near(&vertices(&plain, 0, 0.0), &bent, 1e-6, "skinA");
    // 02: transforms of the skinned node and above it must be ignored. 06: joint 1 is a root at the
    // same position. 10 and 11 only need to load.
    for number in [2, 6] {
        let scene = load("Animation_Skin", number).unwrap();
        assert_near(&vertices(&scene, 0, 0.0), &bent, 1e-6, &format!("skin {number}"));
    }
    // 03: no inverse bind matrices, which are the identity for joint 1 in any case. Joint 0 takes
    // the first row, z = -0.2, to y = -0.4.
    let unbound = rows([[-0.4, 0.0], [0.0, 0.0], [0.1732051, -0.1]]);
    assert_near(&vertices(&load("Animation_Skin", 3).unwrap(), 0, 0.0), &unbound, 1e-6, "no binds");
    // 01: joint 1 rotates from 0 to -45 degrees in a second and back. Halfway: 22.5 degrees, with
    // 0.2 sin = 0.0765367 and 0.2 cos = 0.1847759.
    let turning = load("Animation_Skin", 1).unwrap();
    for (time, y, z) in [
        (0.0, 0.2, 0.0),
        (0.5, 0.1847759, -0.0765367),
        (1.0, 0.1414214, -0.1414214),
        (1.5, 0.1847759, -0.0765367),
    ] {
        let expected = rows([[-0.2, 0.0], [0.0, 0.0], [y, z]]);
        assert_near(&vertices(&turning, 0, time), &expected, 1e-6, &format!("turning at {time}"));
    }
    // 05: two meshes, one skin. 07: two skins share a joint. 11: two skins, one mesh.
    for (number, objects, skins) in [(5, 2, 1), (7, 2, 2), (11, 2, 2)] {
        let scene = load("Animation_Skin", number).unwrap();
        assert_eq!((scene.objects().len(), scene.skins().len()), (objects, skins), "skin {number}");
    }
    // All types of joints and weights give the same result; bytes have an error of half of 1/255.
    let floats = load("Animation_SkinType", 0).unwrap();
    for number in 1..4 {
        let scene = load("Animation_SkinType", number).unwrap();
        for time in [0.0, 0.5, 1.0] {
            let (found, expected) = (vertices(&scene, 0, time), vertices(&floats, 0, time));
            assert_near(&found, &expected, 0.004, &format!("skin type {number}"));
        }
    }
}

/// Node 1 has matrices (01 to 03) or scales (04 to 12) of -1 along x, x and y, or all three, and is
/// 2 above node 0.
#[test]
fn negative_scales() {
    let Some(plain) = load("Node_NegativeScale", 0) else { return };
    let rest = plain.objects()[1].mesh.positions().to_vec();
    for number in 1..13 {
        let signs = match number % 3 {
            1 => DVec3::new(-1.0, 1.0, 1.0),
            2 => DVec3::new(-1.0, -1.0, 1.0),
            _ => DVec3::NEG_ONE,
        };
        let expected: Vec<DVec3> =
            rest.iter().map(|place| *place * signs + 2.0 * DVec3::Y).collect();
        let scene = load("Node_NegativeScale", number).unwrap();
        assert_near(&vertices(&scene, 1, 0.0), &expected, 1e-6, &format!("negative {number}"));
        assert_near(&vertices(&scene, 0, 0.0), &vertices(&plain, 0, 0.0), 0.0, "node 0");
    }
}

/// The signed area of all triangles seen from +z.
fn area(scene: &Scene, object: usize) -> f64 {
    let places = vertices(scene, object, 0.0);
    let triangles = scene.objects()[object].mesh.triangles().iter();
    triangles
        .map(|corners| {
            let [a, b, c] = corners.map(|corner| places[corner as usize]);
            (b - a).cross(c - a).z / 2.0
        })
        .sum()
}

/// Lists, strips and fans, with and without indices of any type, are one square of side 1 with
/// consistent winding. Points and lines are skipped.
#[test]
fn modes_of_primitives() {
    if shared("gltf/asset-generator").is_none() {
        return;
    }
    for number in 0..16 {
        let scene = load("Mesh_PrimitiveMode", number).unwrap();
        if [4, 5, 6, 11, 12, 13, 14, 15].contains(&number) {
            assert_eq!(scene.objects()[0].mesh.triangles().len(), 2, "mode {number}");
            assert!((area(&scene, 0) - 1.0).abs() < 1e-6, "mode {number}: {}", area(&scene, 0));
        } else {
            assert!(scene.objects().is_empty(), "mode {number}");
            assert!(scene.warnings().iter().any(|it| it.reason.contains("points or lines")));
        }
    }
    // Two primitives side by side also make one such square.
    let scene = load("Mesh_Primitives", 0).unwrap();
    assert_eq!(scene.objects()[0].mesh.triangles().len(), 2);
    assert!((area(&scene, 0) - 1.0).abs() < 1e-6);
    // Interleaved with any other attributes.
    let first = load("Buffer_Interleaved", 0).unwrap();
    for number in 1..5 {
        let scene = load("Buffer_Interleaved", number).unwrap();
        let what = format!("interleaved {number}");
        assert_near(&vertices(&scene, 0, 0.0), &vertices(&first, 0, 0.0), 0.0, &what);
    }
}

/// Mesh B is mesh A with some elements replaced.
#[test]
fn sparse_accessors() {
    let Some(positions) = load("Accessor_Sparse", 2) else { return };
    // "Overwrites the values of the top left and bottom right": two of four vertices.
    let local = |object: usize| positions.objects()[object].mesh.positions();
    let changed: Vec<usize> =
        (0..4).filter(|&vertex| local(0)[vertex] != local(1)[vertex]).collect();
    let is_corner = |vertex: &usize| local(0)[*vertex].x * local(0)[*vertex].y < 0.0;
    assert!(changed.len() == 2 && changed.iter().all(is_corner), "{changed:?}");
    // Indices: two of the four used ones are replaced by the two that were not used.
    for (folder, number) in [("Accessor_Sparse", 3), ("Accessor_SparseType", 5)] {
        let scene = load(folder, number).unwrap();
        let used = |object: usize| {
            let mut used = scene.objects()[object].mesh.triangles().as_flattened().to_vec();
            used.sort_unstable();
            used.dedup();
            used
        };
        let (a, b) = (used(0), used(1));
        assert_eq!((a.len(), b.len()), (4, 4), "{folder}");
        assert_eq!(
            a.iter().filter(|vertex| b.contains(vertex)).count(),
            2,
            "{folder}: {a:?} {b:?}"
        );
    }
    // Indices of 8, 16 and 32 bits give the same result.
    let bytes = load("Accessor_SparseType", 0).unwrap();
    for number in [1, 2] {
        let scene = load("Accessor_SparseType", number).unwrap();
        for time in [0.0, 0.4, 1.1, 2.0] {
            for object in 0..2 {
                let (found, expected) =
                    (vertices(&scene, object, time), vertices(&bytes, object, time));
                assert_near(&found, &expected, 0.0, &format!("sparse type {number} at {time}"));
            }
        }
    }
    // The times of B differ from those of A, so at some time their difference is not their distance
    // in the scene.
    let apart = |time: f64| vertices(&bytes, 1, time)[0] - vertices(&bytes, 0, time)[0];
    assert!([0.4, 0.8, 1.1, 1.6].iter().any(|&time| apart(time).distance(apart(0.0)) > 1e-3));
}
