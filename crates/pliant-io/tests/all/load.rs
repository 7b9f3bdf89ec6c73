//! Loading of files by their extension, each as a scene.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use pliant::glam::DVec3;
use pliant_io::*;
use serde_json::json;

use crate::common::{busy_scene, shared};

const SQUARE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";

/// A temporary file of this test.
fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Two frames of four points: at rest, then one moved up.
fn pc2(points: u32) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    for number in [1, points, 0f32.to_bits(), 1f32.to_bits(), 2] {
        bytes.extend(u32::to_le_bytes(number));
    }
    for height in [0f32, 1.0] {
        for point in 0..points {
            let corner = [point as f32, 0.5, height];
            bytes.extend(corner.iter().flat_map(|x| x.to_le_bytes()));
        }
    }
    bytes
}

fn height(scene: &Scene, animation: Option<usize>, time: f64) -> f64 {
    let pose = scene.pose(animation, time).unwrap();
    scene.posed(0, &pose).unwrap().position(0).unwrap().z
}

#[test]
fn a_mesh_is_one_rigid_object_named_after_its_file() {
    let scene = load(written("A Square.OBJ", SQUARE)).unwrap();
    assert_eq!(scene.objects().len(), 1);
    let object = &scene.objects()[0];
    assert_eq!((object.name.as_str(), object.deformation.name()), ("A Square", "rigid"));
    assert_eq!(object.mesh.triangles().len(), 2);
    assert!(scene.animations().is_empty());
    let pose = scene.pose(None, 0.0).unwrap();
    assert_eq!(scene.posed(0, &pose).unwrap().position(2), Some(DVec3::new(1.0, 1.0, 0.0)));
}

#[test]
fn a_vrm_is_a_glb_by_another_name() {
    let glb = glb_bytes(&busy_scene()).unwrap();
    let plain = load(written("avatar.glb", &glb)).unwrap();
    assert_eq!(load(written("avatar.vrm", &glb)).unwrap(), plain);
    let mut document = crate::common::triangle::square();
    document["extensionsUsed"] = json!(["VRMC_vrm", "VRMC_materials_mtoon", "VRMC_springBone"]);
    document["extensions"] = json!({ "VRMC_vrm": { "specVersion": "1.0" } });
    let scene = load(written("text.vrm", document.to_string().as_bytes())).unwrap();
    let said: Vec<String> = scene.warnings().iter().map(Warning::to_string).collect();
    assert_eq!(said, ["extensionsUsed: VRMC_springBone is ignored"]);
}

#[test]
fn compressed_files_are_the_files_that_they_contain() {
    let packed = |name: &str, bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        written(name, &encoder.finish().unwrap())
    };
    let glb = glb_bytes(&busy_scene()).unwrap();
    let plain = load(written("packed.glb", &glb)).unwrap();
    assert_eq!(load(packed("packed.glb.gz", &glb)).unwrap(), plain);
    assert_eq!(load(packed("by_content.glb", &glb)).unwrap(), plain);
    let square = load(packed("Square.obj.GZ", SQUARE)).unwrap();
    assert_eq!(square.objects()[0].name, "Square");
    let model = packed("packed.obj.gz", SQUARE);
    let moved = load_with_cache(&model, packed("packed.pc2.gz", &pc2(4)), 2.0).unwrap();
    assert_eq!(height(&moved, Some(0), 0.25), 0.5);
    let cut = written("cut.obj.gz", &fs::read(&model).unwrap()[..20]);
    let wrong = load(cut).unwrap_err().to_string();
    assert!(wrong.ends_with("cut.obj.gz: gzip: the compressed bytes end early"), "{wrong}");
}

#[test]
fn a_cache_moves_its_mesh_at_the_rate_given() {
    let model = written("moved.obj", SQUARE);
    let cache = written("moved.pc2", &pc2(4));
    let scene = load_with_cache(&model, &cache, 2.0).unwrap();
    assert_eq!(scene.objects()[0].deformation.name(), "keyframes");
    let animation = &scene.animations()[0];
    assert_eq!((animation.start, animation.end), (0.0, 0.5));
    assert_eq!(height(&scene, Some(0), 0.25), 0.5);
    assert_eq!(height(&scene, Some(0), 9.0), 1.0);
    assert_eq!(height(&scene, None, 9.0), 0.0);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let model = written("refused.obj", SQUARE);
    let cache = written("five.pc2", &pc2(5));
    let message = |outcome: Result<Scene>| outcome.unwrap_err().to_string();
    let wrong = message(load_with_cache(&model, &cache, 24.0));
    assert!(wrong.contains("five.pc2: point cache: 5 points per frame were given"), "{wrong}");
    let wrong = message(load_with_cache(&model, &cache, 0.0));
    assert!(wrong.contains("the rate must be positive"), "{wrong}");
    let wrong = message(load_with_cache("a.glb", &cache, 24.0));
    assert!(wrong.contains("`.glb` is not supported; expected .obj, .ply"), "{wrong}");
    let wrong = message(load_with_cache(&model, "a.abc", 24.0));
    assert!(wrong.contains("`.abc` is not supported; expected .pc2, .mdd"), "{wrong}");
    let wrong = message(load("folder/README"));
    assert!(wrong.contains("the file name has none; expected .gltf"), "{wrong}");
    assert!(message(load(&cache)).contains("`.pc2` is not supported"));
}

#[test]
fn shared_sequences_load() {
    let Some(sequences) = shared("sequences") else { return };
    let faerie = load(sequences.join("md2/faerie.md2")).unwrap();
    assert_eq!(faerie.objects()[0].mesh.triangles().len(), 654);
    assert_eq!(faerie.animations()[0].seconds(), 19.7);
    let cloth = sequences.join("derived/cloth_ball_twist.obj");
    let cloth = load_with_cache(&cloth, cloth.with_extension("pc2"), PC2_FRAMES_PER_SECOND);
    let cloth = cloth.unwrap();
    assert_eq!(cloth.objects()[0].mesh.triangles().len(), 5888);
    let Deformation::Keyframes(keyframes) = &cloth.objects()[0].deformation else { panic!() };
    assert_eq!(keyframes.frames.len(), 90);
}
