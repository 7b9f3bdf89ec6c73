//! Compressed and quantised glTF: the files of `tests/files`, made by gltf-transform, against what
//! gltf-transform itself decodes them to.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::glam::DVec3;
use pliant_io::*;
use serde_json::{Value, json};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn scene(name: &str) -> Scene {
    let scene = read_gltf(file(name)).unwrap();
    // Draco rounds weights.
    let is_expected = |it: &Warning| name.contains("draco") && it.reason.contains("normalised");
    assert!(scene.warnings().iter().all(is_expected), "{name}: {:?}", scene.warnings());
    scene
}

fn posed(scene: &Scene, object: usize, time: f64) -> Vec<DVec3> {
    let pose = scene.pose(Some(0), time).unwrap();
    let mut positions = Vec::new();
    scene.posed(object, &pose).unwrap().positions(&mut positions);
    positions
}

/// The largest distance of a vertex of one surface to the nearest vertex of the other: compression
/// may reorder vertices.
fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let nearest =
        |p: &DVec3, all: &[DVec3]| all.iter().map(|q| p.distance(*q)).fold(f64::INFINITY, f64::min);
    let one_way = |a: &[DVec3], b: &[DVec3]| a.iter().map(|p| nearest(p, b)).fold(0.0, f64::max);
    one_way(a, b).max(one_way(b, a))
}

/// The file with its JSON changed.
fn edited(name: &str, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let bytes = fs::read(file(name)).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (text, rest) = bytes[20..].split_at(word(12));
    let mut json: Value = serde_json::from_slice(text).unwrap();
    change(&mut json);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = (20 + text.len() + rest.len()) as u32;
    let header = [0x4654_6C67, 2, length, text.len() as u32, 0x4E4F_534A].map(u32::to_le_bytes);
    [header.as_flattened(), &text, rest].concat()
}

#[test]
fn decoded_numbers_are_those_of_the_reference_bit_by_bit() {
    for name in ["meshopt_quantized", "draco_edgebreaker", "draco_sequential"] {
        let ours = scene(&format!("{name}.glb")).into_parts();
        let reference = scene(&format!("{name}.decoded.glb")).into_parts();
        assert_eq!(ours.objects, reference.objects, "{name}");
        assert_eq!(ours.skins, reference.skins, "{name}");
        assert_eq!(ours.animations, reference.animations, "{name}");
    }
}

#[test]
fn filtered_numbers_are_those_of_the_reference_up_to_the_filters_rounding() {
    let ours = scene("meshopt_filtered.glb").into_parts();
    let reference = scene("meshopt_filtered.decoded.glb").into_parts();
    assert_eq!(ours.objects, reference.objects);
    assert_eq!(ours.skins, reference.skins);
    let samplers = |parts: &SceneParts| parts.animations[0].samplers.clone();
    let mut rotations = 0;
    for (a, b) in samplers(&ours).into_iter().zip(samplers(&reference)) {
        assert_eq!(a.times, b.times);
        let step = if a.values.len() == 4 * a.times.len() { 1.0 / 32767.0 } else { 0.0 };
        rotations += usize::from(step > 0.0);
        let close = a.values.iter().zip(&b.values).all(|(a, b)| (a - b).abs() <= 1.001 * step);
        assert!(close, "{:?} {:?}", a.values, b.values);
    }
    assert_eq!(rotations, 1);
}

#[test]
fn both_versions_of_meshopt_are_read_alike() {
    assert_eq!(scene("meshopt_khr.glb").into_parts(), scene("meshopt_filtered.glb").into_parts());
}

#[test]
fn compression_keeps_the_scene() {
    let plain = scene("plain.glb");
    for name in [
        "quantized",
        "meshopt_quantized",
        "meshopt_filtered",
        "draco_edgebreaker",
        "draco_sequential",
    ] {
        let packed = scene(&format!("{name}.glb"));
        assert_eq!(packed.objects().len(), 2, "{name}");
        for (object, (ours, whole)) in packed.objects().iter().zip(plain.objects()).enumerate() {
            // Draco leaves out triangles without area, at the poles of the ball.
            let (count, all) = (ours.mesh.triangles().len(), whole.mesh.triangles().len());
            assert!(count == all || (name == "draco_edgebreaker" && count > all * 9 / 10));
            assert_eq!(ours.material(0), whole.material(0), "{name}");
            assert_eq!(ours.material(count - 1), whole.material(all - 1), "{name}");
            for time in [0.0, 0.7, 1.9] {
                let error = distance(&posed(&packed, object, time), &posed(&plain, object, time));
                assert!(error < 4e-3, "{name} object {object} at {time}: {error}");
            }
        }
    }
}

/// The compressed views of a document.
fn meshopt_views(json: &mut Value) -> Vec<&mut Value> {
    let views = json["bufferViews"].as_array_mut().unwrap().iter_mut();
    views
        .filter_map(|view| view.get_mut("extensions")?.get_mut("EXT_meshopt_compression"))
        .collect()
}

#[test]
fn streams_that_are_cut_are_refused() {
    let views = meshopt_views(&mut edited_json("meshopt_filtered.glb")).len();
    assert!(views > 8);
    let mut refused = 0;
    for view in 0..views {
        for cut in 1..40 {
            let bytes = edited("meshopt_filtered.glb", |json| {
                let length = &mut meshopt_views(json)[view]["byteLength"];
                *length = json!(length.as_u64().unwrap().saturating_sub(cut));
            });
            let Err(error) = read_gltf_bytes(&bytes, "cut.glb") else { continue };
            assert!(error.to_string().starts_with("cut.glb: bufferView "), "{error}");
            refused += 1;
        }
    }
    // Only a stream of normals is not decoded.
    assert_eq!(refused, 39 * (views - 1));
}

fn edited_json(name: &str) -> Value {
    let mut copy = Value::Null;
    edited(name, |json| copy = json.clone());
    copy
}

#[test]
fn wrong_claims_about_compressed_views_are_named() {
    let cases: &[(&str, Value, &str)] = &[
        ("mode", json!("LINES"), "the mode `LINES` is unknown"),
        ("filter", json!("BLUR"), "the filter `BLUR` is unknown"),
        ("byteStride", json!(0), "elements of 0 bytes do not suit its mode"),
        ("byteStride", json!(6), "elements of 6 bytes do not suit its mode"),
        ("byteStride", json!(512), "elements of 512 bytes do not suit its mode"),
        ("count", json!(7), "7 elements of"),
        ("count", json!(9007199254740992u64), "are not the"),
        ("buffer", json!(9), "names buffer 9, but there are"),
        ("byteOffset", json!(1 << 30), "do not fit its buffer of"),
        ("byteLength", json!(null), "missing field `byteLength`"),
    ];
    for (field, value, expected) in cases {
        let bytes = edited("meshopt_quantized.glb", |json| {
            let views = json["bufferViews"].as_array_mut().unwrap();
            let packed = views.iter_mut().find_map(|view| {
                let packed = view.get_mut("extensions")?.get_mut("EXT_meshopt_compression")?;
                (packed["mode"] == "ATTRIBUTES").then_some(packed)
            });
            let packed = packed.unwrap().as_object_mut().unwrap();
            match value {
                Value::Null => packed.remove(*field),
                value => packed.insert((*field).into(), value.clone()),
            };
        });
        let error = read_gltf_bytes(&bytes, "claim.glb").unwrap_err().to_string();
        assert!(error.contains("bufferView ") && error.contains(expected), "{field}: {error}");
    }
}

#[test]
fn wrong_claims_about_draco_are_named() {
    let extension = |json: &mut Value| {
        json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"].take()
    };
    let message = |change: &dyn Fn(&mut Value)| {
        let bytes = edited("draco_edgebreaker.glb", |json| change(json));
        read_gltf_bytes(&bytes, "claim.glb").unwrap_err().to_string()
    };
    let with = |field: &str, value: Value| {
        message(&|json| {
            let mut draco = extension(json);
            draco[field] = value.clone();
            json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"] = draco;
        })
    };
    for (message, expected) in [
        (with("bufferView", json!(99)), "names bufferView 99"),
        (with("bufferView", json!("x")), "invalid type: string"),
        (with("attributes", json!({ "POSITION": 77 })), "attribute 77, which is not there"),
        (message(&|json| json["meshes"][0]["primitives"][0]["mode"] = json!(5)), "not a list"),
        (
            message(&|json| {
                json["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("indices");
            }),
            "it has no indices",
        ),
    ] {
        assert!(
            message.contains("mesh 0 primitive 0: ") && message.contains(expected),
            "{message}"
        );
    }
    // Accessors that state other counts than the stream has.
    for change in [-3i64, 3] {
        let message = message(&|json| {
            let indices = json["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
            let count = &mut json["accessors"][indices]["count"];
            *count = json!(count.as_i64().unwrap() + change);
        });
        assert!(message.contains("KHR_draco_mesh_compression: "), "{message}");
    }
    let message = message(&|json| {
        let attributes = json["meshes"][0]["primitives"][0]["attributes"].clone();
        for accessor in attributes.as_object().unwrap().values() {
            json["accessors"][accessor.as_u64().unwrap() as usize]["count"] = json!(1u64 << 40);
        }
    });
    assert!(message.contains("too many for a file of its size"), "{message}");
}

#[test]
fn draco_streams_that_are_cut_are_refused() {
    for name in ["draco_edgebreaker.glb", "draco_sequential.glb"] {
        let json = edited_json(name);
        let mut cuts = 0;
        for primitive in json["meshes"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|mesh| mesh["primitives"].as_array().unwrap())
        {
            let draco = &primitive["extensions"]["KHR_draco_mesh_compression"];
            let view = draco["bufferView"].as_u64().unwrap() as usize;
            let length = json["bufferViews"][view]["byteLength"].as_u64().unwrap();
            for keep in (1..length).step_by(17) {
                let bytes = edited(name, |json| {
                    json["bufferViews"][view]["byteLength"] = json!(keep);
                });
                let error = read_gltf_bytes(&bytes, "cut.glb").unwrap_err().to_string();
                assert!(error.contains("KHR_draco_mesh_compression: "), "{error}");
                cuts += 1;
            }
        }
        assert!(cuts > 100);
    }
}

#[test]
fn a_stream_that_decodes_to_too_much_is_refused() {
    // Version 1 says in two bits that 256 bytes are as before.
    let mut stream = vec![0xa1];
    let blocks = 1 << 18;
    stream.extend(std::iter::repeat_n(0xaa, blocks));
    stream.extend([0; 24]);
    let count = 256 * blocks;
    let mut document = crate::common::triangle::square();
    let accessor = crate::common::triangle::add(&mut document, &stream, 5126, "SCALAR", count);
    let view = document["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let buffer = document["bufferViews"][view]["buffer"].clone();
    document["bufferViews"][view]["byteLength"] = json!(4 * count);
    document["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 4 * count }));
    let fallback = document["buffers"].as_array().unwrap().len() - 1;
    document["bufferViews"][view]["buffer"] = json!(fallback);
    document["bufferViews"][view]["extensions"] = json!({ "KHR_meshopt_compression": {
        "buffer": buffer, "byteLength": stream.len(), "byteStride": 4, "count": count,
        "mode": "ATTRIBUTES",
    } });
    document["extensionsUsed"] = json!(["KHR_meshopt_compression"]);
    let error = read_gltf_bytes(document.to_string().as_bytes(), "bomb.gltf").unwrap_err();
    let error = error.to_string();
    assert!(error.contains("are too many for a file of its size"), "{error}");
}
