//! Small files that ask for much: the program ends within a limit of memory, with the right code and
//! message. `GUARANTEES.md` has a table of them.
//!
//! The limit is that of the system (`prlimit`), so these tests run on Linux alone.

use std::process::{Command, Output};
use std::sync::Arc;

use glam::{DAffine3, DVec3, DVec4};
use pliant::Mesh;
use pliant_io::*;

use crate::common::{code, error, text, written};

const MIB: u64 = 1 << 20;

/// Runs the program on two threads with so much memory, for ten minutes at most. `None`, with a
/// message, where the system cannot limit it.
fn limited(mib: u64, arguments: &[&str]) -> Option<Output> {
    if !cfg!(target_os = "linux") || Command::new("prlimit").arg("--version").output().is_err() {
        println!("skipped: there is no prlimit");
        return None;
    }
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={}", mib * MIB)).args(["timeout", "600"]);
    command.arg(env!("CARGO_BIN_EXE_pliant")).args(arguments).env("RAYON_NUM_THREADS", "2");
    // The limit is one of addresses. The allocator would reserve 64 MiB of them for each thread.
    command.env("MALLOC_ARENA_MAX", "1");
    Some(command.output().unwrap())
}

/// A run that must refuse, and name the reason.
#[track_caller]
fn refused(mib: u64, arguments: &[&str], reason: &str) {
    let Some(run) = limited(mib, arguments) else { return };
    assert!(error(&run).contains(reason), "{:?}: {}", run.status, error(&run));
    assert_eq!(code(&run), 2);
    assert_eq!(text(&run), "");
}

/// A run that must succeed, and say so.
#[track_caller]
fn answered(mib: u64, arguments: &[&str], answer: &str) {
    let Some(run) = limited(mib, arguments) else { return };
    assert!(run.status.success(), "{:?}: {}", run.status, error(&run));
    assert!(text(&run).contains(answer), "{}", text(&run));
}

fn node(place: DVec3) -> Node {
    let transform =
        NodeTransform::Trs { translation: place, rotation: DVec4::W, scale: DVec3::ONE };
    Node { name: None, parent: None, transform }
}

/// A file of many nodes with one mesh.
fn nodes_of_one_mesh(name: &str, mesh: Mesh, places: impl Iterator<Item = DVec3>) -> String {
    let mesh = Arc::new(mesh);
    let nodes: Vec<Node> = places.map(node).collect();
    let object = |number| Object::new("part", number, Arc::clone(&mesh), Deformation::Rigid);
    let objects = (0..nodes.len()).map(object).collect();
    let scene = Scene::new(SceneParts { nodes, objects, ..SceneParts::default() }).unwrap();
    written(name, glb_bytes(&scene).unwrap())
}

/// Triangles that all have the corners of the first, in a plane that no axis is in.
fn copies(count: usize) -> Mesh {
    Mesh::new(vec![DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 1, 2]; count]).unwrap()
}

/// A square in the plane z = 0, divided into 2 n² triangles.
fn square(n: u32) -> Mesh {
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let all = |n: u32| (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)));
    let corners =
        all(n + 1).map(|(i, j)| DVec3::new(f64::from(i), f64::from(j), 0.0) / f64::from(n));
    let triangles = all(n).flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    Mesh::new(corners.collect(), triangles.collect()).unwrap()
}

const TOO_MANY: &str =
    "more than 1000000 pairs of triangles touch at time 0 s; --max-pairs raises the limit";

#[test]
fn nodes_at_one_place_are_refused_early() {
    for count in [35_000, 90_909] {
        let places = (0..count).map(|_| DVec3::ZERO);
        let file = nodes_of_one_mesh(&format!("{count} nodes.glb"), copies(1), places);
        refused(512, &["check", &file], TOO_MANY);
        refused(512, &["check", &file, "--json", "-"], TOO_MANY);
    }
}

/// The limit is that of a frame, the same for every method, and exact.
#[test]
fn the_limit_of_pairs_is_exact() {
    let file = nodes_of_one_mesh("10 nodes.glb", copies(1), (0..10).map(|_| DVec3::ZERO));
    for method in ["auto", "bottom-up", "brute-force"] {
        let check =
            |most: &str| limited(1024, &["check", &file, "--method", method, "--max-pairs", most]);
        let (Some(enough), Some(less)) = (check("45"), check("44")) else { return };
        assert_eq!((code(&enough), code(&less)), (0, 2), "{method}");
        let reason = "pliant: more than 44 pairs of triangles touch at time 0 s; --max-pairs raises the limit\n";
        assert_eq!(error(&less), reason);
    }
}

/// All boxes overlap, and no triangles touch: pairs of boxes take no memory.
#[test]
fn overlapping_boxes_are_not_kept() {
    let places = (0..12_000).map(|i| DVec3::splat(f64::from(i) * 1e-6));
    let file = nodes_of_one_mesh("boxes.glb", copies(1), places);
    answered(256, &["check", &file], "No contacts");
}

#[test]
fn bodies_of_one_shape_share_their_trees() {
    let places = (0..20_000).map(|i| DVec3::Z * f64::from(i));
    let file = nodes_of_one_mesh("shapes.glb", square(22), places);
    answered(256, &["check", &file], "No contacts");
    answered(256, &["check", &file, "--self"], "No contacts");
}

/// At 1e20 every vertex is rounded to one place, where everything touches everything.
#[test]
fn what_is_rounded_to_one_place_is_refused_early() {
    let file = nodes_of_one_mesh("far.glb", square(60), std::iter::once(DVec3::ZERO));
    let place = format!("{file}@1e20,0,0");
    refused(512, &["check", &file, "--self", "--place", &place], TOO_MANY);
}

#[test]
fn triangles_of_the_same_corners_are_refused_early() {
    let file = nodes_of_one_mesh("same.glb", copies(100_000), std::iter::once(DVec3::ZERO));
    refused(512, &["check", &file, &file], TOO_MANY);
}

#[test]
fn beads_at_one_place_are_refused_early() {
    let file = written("beads.xyz", format!("99999\n\n{}", "C 0 0 0\n".repeat(99_999)));
    let arguments = ["clash", &file, "--radius", "1", "--atoms", "all"];
    refused(256, &arguments, "more than 10000000 pairs in frame 0; --max-pairs raises the limit");
}

/// Every layer of a stack is near every other: what is prepared grows with the layers, not with
/// their square.
#[test]
fn a_stack_is_prepared_in_little_memory() {
    let layer =
        |i: u32| [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p + DVec3::Z * f64::from(i) * 1e-9);
    let mesh = Mesh::new(
        (0..64_000).flat_map(layer).collect(),
        (0..64_000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
    );
    let file = nodes_of_one_mesh("stack.glb", mesh.unwrap(), std::iter::once(DVec3::ZERO));
    let times = vec!["0"; 120].join(",");
    let arguments = ["check", &file, "--self", "--method", "bottom-up", "--times", &times];
    answered(1024, &arguments, "No contacts");
}

/// A skin of many joints over many frames: a page cannot hold its states, and says so before it
/// computes them.
#[test]
fn a_report_that_is_too_large_is_refused_early() {
    const JOINTS: usize = 500;
    let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let influences = vec![Influence { joint: 0, weight: 1.0 }; 3];
    let weights = Arc::new(SkinWeights { starts: (0..=3).collect(), influences });
    let skin =
        Skin { joints: (1..=JOINTS).collect(), inverse_bind: vec![DAffine3::IDENTITY; JOINTS] };
    let path = Sampler {
        interpolation: Interpolation::Linear,
        times: vec![0.0, 10_000.0],
        values: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    };
    let channel = Channel { sampler: 0, node: 1, property: Property::Translation };
    let scene = Scene::new(SceneParts {
        nodes: (0..=JOINTS).map(|_| node(DVec3::ZERO)).collect(),
        objects: vec![Object::new(
            "strip",
            0,
            mesh,
            Deformation::Skin { skin: 0, weights, morph: None },
        )],
        skins: vec![skin],
        animations: vec![Animation::new("long", vec![path], vec![channel])],
        ..SceneParts::default()
    });
    let file = written("long.glb", glb_bytes(&scene.unwrap()).unwrap());
    let reason = "numbers move the objects of the page in 300001 frames, more than 33554432: ask for \
                  fewer frames with a lower --fps, or --times";
    let report = crate::common::path("long.html");
    refused(1024, &["check", &file, "--report", &report], reason);
    assert!(!std::path::Path::new(&report).exists(), "nothing is left behind");
}
