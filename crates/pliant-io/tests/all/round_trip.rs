//! Written scenes read back unchanged, and other programs accept them.

use std::path::PathBuf;
use std::sync::Arc;

use crate::common::{busy_scene, gltf_files, shared};
use pliant::Mesh;
use pliant::glam::DVec3;
use pliant_io::*;

/// Where `validate_glb.mjs` finds the written files.
fn out_folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("glb");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_scene_with_everything_reads_back_equal() {
    let scene = busy_scene();
    let path = out_folder().join("busy.glb");
    write_glb(&scene, &path).unwrap();
    let again = read_gltf(&path).unwrap();
    assert_eq!(again.warnings(), []);
    assert_eq!(again.clone().into_parts(), scene.clone().into_parts());
    assert_eq!(glb_bytes(&again).unwrap(), glb_bytes(&scene).unwrap());
    // Instances share one mesh, in memory and in the file.
    assert!(Arc::ptr_eq(&again.objects()[0].mesh, &again.objects()[1].mesh));
}

#[test]
fn samples_survive_a_round_trip() {
    let Some(folder) = shared("gltf") else { return };
    for file in gltf_files(&folder) {
        let Ok(scene) = read_gltf(&file) else { continue };
        let name = file.file_stem().unwrap().to_str().unwrap();
        let path = out_folder().join(format!("{name}.glb"));
        write_glb(&scene, &path).unwrap();
        let again = read_gltf(&path).unwrap();
        assert_eq!(again.objects().len(), scene.objects().len(), "{name}");
        let animation = (!scene.animations().is_empty()).then_some(0);
        let time = animation.map_or(0.0, |index| scene.animations()[index].end * 0.4);
        let poses = [&scene, &again].map(|scene| scene.pose(animation, time).unwrap());
        for index in 0..scene.objects().len() {
            assert_eq!(again.objects()[index].name, scene.objects()[index].name, "{name}");
            let (mut before, mut after) = (Vec::new(), Vec::new());
            scene.posed(index, &poses[0]).unwrap().positions(&mut before);
            again.posed(index, &poses[1]).unwrap().positions(&mut after);
            let size = before.iter().fold(1.0, |size: f64, p| size.max(p.length()));
            for (a, b) in before.iter().zip(&after) {
                assert!(a.distance(*b) <= 1e-6 * size, "{name} object {index}: {a} became {b}");
            }
        }
    }
}

#[test]
fn keyframes_become_morph_targets() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let frames: Vec<Vec<DVec3>> = (0..4)
        .map(|frame| corners.iter().map(|&corner| corner * f64::from(frame * frame)).collect())
        .collect();
    let keyframes = Keyframes { times: vec![0.0, 0.5, 1.0, 2.0], frames };
    let mesh = Mesh::new(corners, vec![[0, 1, 2]]).unwrap();
    let scene = Scene::new(SceneParts {
        nodes: vec![Node { name: None, parent: None, transform: NodeTransform::IDENTITY }],
        objects: vec![Object::new("cloth", 0, mesh, Deformation::Keyframes(Arc::new(keyframes)))],
        animations: vec![Animation::new("", Vec::new(), Vec::new())],
        ..SceneParts::default()
    })
    .unwrap();
    let path = out_folder().join("keyframes.glb");
    write_glb(&scene, &path).unwrap();
    let again = read_gltf(&path).unwrap();
    assert_eq!(again.objects()[0].deformation.name(), "morph");
    assert_eq!(again.animations()[0].end, 2.0);
    for (time, expected) in [(0.0, 0.0), (0.25, 0.5), (0.75, 2.5), (1.5, 6.5), (9.0, 9.0)] {
        for scene in [&scene, &again] {
            let pose = scene.pose(Some(0), time).unwrap();
            let corner = scene.posed(0, &pose).unwrap().position(1).unwrap();
            assert_eq!(corner, DVec3::X * expected, "at {time}");
        }
    }
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let with = |change: &dyn Fn(&mut SceneParts)| {
        let mut parts = busy_scene().into_parts();
        change(&mut parts);
        glb_bytes(&Scene::new(parts).unwrap()).unwrap_err().to_string()
    };
    let late = with(&|parts| parts.animations[0].samplers[0].times[0] = -1.0);
    assert!(late.starts_with("animation 0 channel 0: its keys are before time 0"), "{late}");
    let close = with(&|parts| parts.animations[0].samplers[0].times[1] = 1e-300);
    assert!(close.contains("too close for 32 bits"), "{close}");
    let large = with(&|parts| parts.skins[0].inverse_bind[2].translation.x = 1e39);
    assert!(large.starts_with("skin 0: 1"), "{large}");
}

#[test]
fn an_empty_scene_is_a_file_too() {
    let empty = Scene::new(SceneParts::default()).unwrap();
    let path = out_folder().join("empty.glb");
    write_glb(&empty, &path).unwrap();
    assert_eq!(read_gltf(&path).unwrap(), empty);
}

#[test]
fn weights_of_nothing_are_left_out() {
    // Only weights move the face; without it they move nothing.
    let mut parts = busy_scene().into_parts();
    parts.objects.retain(|object| object.node != 3);
    let bytes = glb_bytes(&Scene::new(parts).unwrap()).unwrap();
    let again = read_gltf_bytes(&bytes, "again.glb").unwrap();
    assert_eq!(again.animations()[0].channels.len(), 3);
    let mut parts = busy_scene().into_parts();
    parts.objects.retain(|object| object.node != 3);
    parts.animations[0].channels.retain(|channel| channel.node == 3);
    parts.animations.truncate(1);
    let bytes = glb_bytes(&Scene::new(parts).unwrap()).unwrap();
    assert!(read_gltf_bytes(&bytes, "again.glb").unwrap().animations().is_empty());
}
