//! The pairs of every shared sample at five times, against every pair of triangles.
//!
//! The other side of the comparison shares only the readers and the test of two
//! triangles with the program: no body, no tree, no bound.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::*;
use glam::DVec3;
use pliant::contact::triangles_touch;
use pliant_io::{Deformation, Object, PC2_FRAMES_PER_SECOND, Scene, load, load_with_cache};
use rayon::prelude::*;

/// A triangle where it is now.
struct Placed {
    object: u32,
    triangle: u32,
    corners: [DVec3; 3],
    min: DVec3,
    max: DVec3,
}

/// All touching pairs of a scene at a time, one with another, and of each object with itself.
fn all_pairs(scene: &Scene, animation: Option<usize>, time: f64) -> Vec<[u32; 4]> {
    let pose = scene.pose(animation, time).unwrap();
    let mut placed = Vec::new();
    let mut positions = Vec::new();
    for (object, about) in scene.objects().iter().enumerate() {
        scene.posed(object, &pose).unwrap().positions(&mut positions);
        for (triangle, corners) in about.mesh.triangles().iter().enumerate() {
            let corners = corners.map(|vertex| positions[vertex as usize]);
            let [a, b, c] = corners;
            let (min, max) = (a.min(b).min(c), a.max(b).max(c));
            let (object, triangle) = (object as u32, triangle as u32);
            placed.push(Placed { object, triangle, corners, min, max });
        }
    }
    let partners = |(number, a): (usize, &Placed)| -> Vec<[u32; 4]> {
        let others = placed[number + 1..].iter().filter(|b| {
            // Exact: triangles whose boxes have no point in common have none either.
            a.min.x <= b.max.x
                && b.min.x <= a.max.x
                && a.min.y <= b.max.y
                && b.min.y <= a.max.y
                && a.min.z <= b.max.z
                && b.min.z <= a.max.z
                && !(a.object == b.object
                    && scene.objects()[a.object as usize].mesh.adjacent(a.triangle, b.triangle))
                && triangles_touch(&a.corners, &b.corners)
        });
        others.map(|b| [a.object, a.triangle, b.object, b.triangle]).collect()
    };
    let mut pairs: Vec<[u32; 4]> = placed.par_iter().enumerate().flat_map_iter(partners).collect();
    pairs.sort_unstable();
    pairs
}

/// The times of the five frames; one if nothing moves.
fn five_times(scene: &Scene) -> Vec<f64> {
    match scene.animations().first() {
        Some(first) => {
            (0..5).map(|k| first.start + (first.end - first.start) * f64::from(k) / 4.0).collect()
        }
        None => vec![0.0],
    }
}

/// Compares one sample; how many pairs there were. Small bodies of morph targets are not
/// bounded by their weights unless that is asked for.
fn compare(argument: &str, scene: &Scene) -> usize {
    let morphs = |object: &Object| matches!(object.deformation, Deformation::Morph(_));
    if scene.objects().iter().any(morphs) {
        compare_methods(argument, scene, &["auto", "bounded-deformation"])
    } else {
        compare_methods(argument, scene, &["auto"])
    }
}

/// Compares one sample, by each of some methods.
fn compare_methods(argument: &str, scene: &Scene, methods: &[&str]) -> usize {
    let animation = (!scene.animations().is_empty()).then_some(0);
    let times = five_times(scene);
    let expected: Vec<_> = times.iter().map(|&time| all_pairs(scene, animation, time)).collect();
    let list: Vec<String> = times.iter().map(ToString::to_string).collect();
    for method in methods {
        let report =
            check_json([argument, "--self", "--times", &list.join(","), "--method", method]);
        schema::validate(&report, "check.schema.json");
        let frames = report["frames"].as_array().unwrap();
        assert_eq!(frames.len(), times.len());
        for ((frame, &time), expected) in frames.iter().zip(&times).zip(&expected) {
            // Reading a number back may miss it by its last bit (serde_json rounds quickly).
            let off = frame["time"].as_f64().unwrap() - time;
            assert!(off.abs() <= f64::EPSILON * time.abs(), "{argument} at {time} s");
            let pairs: Vec<[u32; 4]> = serde_json::from_value(frame["pairs"].clone()).unwrap();
            assert!(pairs == *expected, "{argument} at {time} s, {method}");
        }
    }
    expected.iter().map(Vec::len).sum()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|end| end == "gltf" || end == "glb") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Samples that ask for what does not exist: a later version, an invented extension.
const REFUSED: [&str; 2] = ["Compatibility_04.gltf", "Compatibility_05.gltf"];

#[test]
fn every_gltf_sample_equals_brute_force() {
    let Some(folder) = shared("gltf") else { return };
    let (mut files_in_contact, mut without_surface) = (0, 0);
    for file in files(&folder) {
        let argument = file.to_str().unwrap();
        let scene = match load(&file) {
            Ok(scene) => scene,
            Err(refusal) => {
                let named = REFUSED.iter().any(|name| argument.ends_with(name));
                assert!(named, "{refusal}");
                let run = pliant(["check", argument]);
                assert_eq!((code(&run), error(&run)), (2, format!("pliant: {refusal}\n")));
                continue;
            }
        };
        if scene.objects().is_empty() {
            let run = pliant(["check", argument]);
            assert_eq!(code(&run), 2, "{argument}");
            assert!(error(&run).contains("nothing with a surface"), "{argument}: {}", error(&run));
            without_surface += 1;
            continue;
        }
        let pairs = compare(argument, &scene);
        files_in_contact += usize::from(pairs > 0);
        println!("{argument}: {pairs} pairs");
    }
    println!("{files_in_contact} files have contacts, {without_surface} have no surface");
    // The comparison means something only where there is something to find.
    assert!(files_in_contact >= 10, "{files_in_contact} files in contact");
}

#[test]
fn every_sequence_equals_brute_force() {
    let Some(folder) = shared("sequences") else { return };
    let methods = ["auto", "keyframed", "bottom-up"];
    let faerie = folder.join("md2/faerie.md2");
    let mut found = compare_methods(faerie.to_str().unwrap(), &load(&faerie).unwrap(), &methods);
    for (model, cache) in [
        ("cloth_ball_twist.obj", "cloth_ball_twist.pc2"),
        ("dembones_bone_rest.obj", "dembones_bone_anim.pc2"),
    ] {
        let path = |name| folder.join("derived").join(name);
        let scene = load_with_cache(path(model), path(cache), PC2_FRAMES_PER_SECOND).unwrap();
        let argument = format!("{}+{}", path(model).display(), path(cache).display());
        found += compare_methods(&argument, &scene, &methods);
    }
    assert!(found > 100, "{found} pairs");
}

/// The program's own brute force, where it is not too slow: it tests every pair.
#[test]
fn the_method_brute_force_agrees_on_small_samples() {
    let Some(folder) = shared("gltf/skinned") else { return };
    for name in ["Fox.glb", "RiggedFigure.glb", "RiggedSimple.glb", "SimpleSkin-embedded.gltf"] {
        let file = folder.join(name);
        let run = |method: &str| {
            let file = file.to_str().unwrap();
            let report = check_json([file, "--self", "--times", "0,0.4,1", "--method", method]);
            let frames = report["frames"].as_array().unwrap();
            frames.iter().map(|frame| frame["pairs"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(run("brute-force"), run("bottom-up"), "{name}");
    }
}

/// Bounds from weights against moving every vertex: the same pairs, whatever meets what.
#[test]
fn morph_targets_agree_with_every_method() {
    let Some(folder) = shared("gltf") else { return };
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let [cube, stress] = [path("morph/AnimatedMorphCube.glb"), path("morph/MorphStressTest.glb")];
    let run = |method: &str| {
        let (times, place) = ("0,0.4,1.7", format!("{stress}@0.3,0.2,0.1"));
        let files = [&stress[..], &stress, &cube, "--place", &place];
        let asked = ["--self", "--times", times, "--method", method];
        let report = check_json(files.iter().chain(&asked));
        assert_eq!(report["method"], method);
        let frames = report["frames"].as_array().unwrap();
        frames.iter().map(|frame| frame["pairs"].clone()).collect::<Vec<_>>()
    };
    let expected = run("bottom-up");
    assert!(expected.iter().any(|pairs| !pairs.as_array().unwrap().is_empty()));
    for method in ["auto", "bounded-deformation", "brute-force"] {
        assert!(run(method) == expected, "{method}");
    }
}
