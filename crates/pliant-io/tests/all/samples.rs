//! Real files load, and their vertices are at the positions of a second implementation. (`by_hand`
//! has numbers that need no implementation.)
//!
//! The files are not part of the repository; without them the tests print a message.

use crate::common::{gltf_files, shared};
use pliant::glam::DVec3;
use pliant_io::*;
use serde_json::Value;

/// Conformance files that a reader of glTF 2.0 must refuse, and why.
const REFUSED: [(&str, &str); 2] = [
    ("Compatibility_04.gltf", "it needs version 2.1"),
    ("Compatibility_05.gltf", "it requires the extension FAKE_materials_quantumRendering"),
];

#[test]
fn every_sample_loads_or_fails_as_it_should() {
    let Some(folder) = shared("gltf") else { return };
    let files = gltf_files(&folder);
    assert!(files.len() > 90, "only {} files", files.len());
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let refused = REFUSED.iter().find(|(refused, _)| *refused == name);
        match (read_gltf(&file), refused) {
            (Err(Error::Unsupported { reason, .. }), Some((_, why))) => {
                assert!(reason.contains(why), "{name}: {reason}");
            }
            (Ok(scene), None) => check_whole(&scene, name),
            (outcome, _) => panic!("{name}: {:?}", outcome.map(|_| "loads")),
        }
    }
}

/// One vertex and all vertices agree bit by bit, in every animation.
fn check_whole(scene: &Scene, name: &str) {
    let animations = scene.animations().iter().enumerate();
    let moves = animations.map(|(index, animation)| (Some(index), animation.end * 0.63));
    for (animation, time) in [(None, 0.0)].into_iter().chain(moves) {
        let pose = scene.pose(animation, time).unwrap();
        let mut all = Vec::new();
        for index in 0..scene.objects().len() {
            let posed = scene.posed(index, &pose).unwrap();
            posed.positions(&mut all);
            assert_eq!(all.len(), posed.vertices());
            assert_eq!(posed.position(all.len()), None);
            for vertex in (0..all.len()).step_by(1 + all.len() / 50) {
                let one = posed.position(vertex).unwrap();
                let bits = |p: DVec3| p.to_array().map(f64::to_bits);
                assert_eq!(bits(one), bits(all[vertex]), "{name} object {index} vertex {vertex}");
            }
        }
    }
}

/// File, animation, time, node, vertex, position.
type Row = (String, Option<usize>, f64, usize, usize, [f64; 3]);

#[test]
fn vertices_are_where_a_second_implementation_puts_them() {
    let Some(folder) = shared("gltf") else { return };
    let reference = include_str!("reference_poses.json");
    let rows: Vec<Row> = serde_json::from_str(reference).unwrap();
    assert!(rows.len() > 1000, "only {} rows", rows.len());
    let mut loaded: Option<(String, Scene)> = None;
    for (file, animation, time, node, vertex, expected) in rows {
        if loaded.as_ref().is_none_or(|(name, _)| *name != file) {
            loaded = Some((file.clone(), read_gltf(folder.join(&file)).unwrap()));
        }
        let scene = &loaded.as_ref().unwrap().1;
        let object = scene.objects().iter().position(|object| object.node == node).unwrap();
        let pose = scene.pose(animation, time).unwrap();
        let found = scene.posed(object, &pose).unwrap().position(vertex).unwrap();
        let expected = DVec3::from_array(expected);
        let size = expected.length().max(1.0);
        assert!(
            found.distance(expected) <= 1e-9 * size,
            "{file} animation {animation:?} at {time}, node {node} vertex {vertex}: \
             {found}, not {expected}"
        );
    }
}

#[test]
fn counts_of_known_files() {
    let Some(folder) = shared("gltf") else { return };
    let expected = r#"[
        ["skinned/CesiumMan.glb", [["Cesium_Man", 3273, 4672, "skin-linear"]], 1],
        ["skinned/Fox.glb", [["fox", 1728, 576, "skin-linear"]], 3],
        ["derived/makehuman_male_cmu.glb", [[null, 13380, 26756, "skin-linear"]], 3],
        ["derived/ict_face_expr.glb", [[null, 11248, 22288, "morph"]], 0],
        ["static/SheenChair.glb", [[null, null, null, "rigid"]], 0]
    ]"#;
    for row in serde_json::from_str::<Vec<Value>>(expected).unwrap() {
        let scene = read_gltf(folder.join(row[0].as_str().unwrap())).unwrap();
        assert_eq!(scene.animations().len() as u64, row[2].as_u64().unwrap(), "{row}");
        let object = &scene.objects()[0];
        for (found, expected) in [
            (Value::from(object.name.as_str()), &row[1][0][0]),
            (Value::from(object.mesh.positions().len()), &row[1][0][1]),
            (Value::from(object.mesh.triangles().len()), &row[1][0][2]),
            (Value::from(object.deformation.name()), &row[1][0][3]),
        ] {
            assert!(expected.is_null() || found == *expected, "{row}: {found}");
        }
    }
    let chair = read_gltf(folder.join("static/SheenChair.glb")).unwrap();
    let total = |count: fn(&Object) -> usize| chair.objects().iter().map(count).sum::<usize>();
    assert_eq!(total(|object| object.mesh.triangles().len()), 39936);
    assert_eq!(total(|object| object.mesh.positions().len()), 22459);
}
