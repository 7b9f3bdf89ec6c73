//! Objects, groups and materials of OBJ files, which become objects of the scene.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::glam::DVec3;
use pliant_io::*;
use proptest::prelude::*;

const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nv 0 0 2\n";

/// A temporary file of this test.
fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.objects().iter().map(|object| object.name.as_str()).collect()
}

#[test]
fn groups_of_an_obj_are_not_merged() {
    let text = "o body\nusemtl skin\nf 1 2 3\nusemtl hair\nf 1 3 4\n\
                o helmet\ng helmet\nf 1 2 3 4\no left hand\ng thumb\nf 4 3 1\ng\nf 6 2 1\n\
                o body\nusemtl skin\nf 2 3 6\n";
    let scene = load(written("parts.obj", &format!("{CORNERS}f 1 2 6\n{text}"))).unwrap();
    assert_eq!(
        names(&scene),
        ["parts", "body/skin", "body/hair", "helmet", "left hand/thumb", "left hand"]
    );
    let shapes: Vec<_> = scene.objects().iter().map(|it| it.mesh.triangles().to_vec()).collect();
    assert_eq!(shapes[1], [[0, 1, 2], [1, 2, 3]], "faces of one part meet again");
    assert_eq!(shapes[3], [[0, 1, 2], [0, 2, 3]]);
    // Vertices keep the file's order, without those that the part does not use.
    let body = &scene.objects()[1];
    let corners = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 0., 2.]].map(DVec3::from_array);
    assert_eq!(body.mesh.positions(), corners);
    let materials: Vec<_> = scene.objects().iter().map(|object| object.material(0)).collect();
    let (skin, hair) = (Some("skin"), Some("hair"));
    assert_eq!(materials, [None, skin, hair, hair, hair, hair]);
    let nodes: Vec<usize> = scene.objects().iter().map(|object| object.node).collect();
    assert_eq!(nodes, [0, 1, 2, 3, 4, 5]);
    assert_eq!(scene.nodes()[3].name.as_deref(), Some("helmet"));
}

#[test]
fn a_file_of_one_part_stays_whole() {
    for text in
        ["f 1 2 3\n", "o Cube\nf 1 2 3\n", "g a\nusemtl m\nf 1 2 3\ng b\n", "g b\ng\nf 1 2 3\n"]
    {
        let scene = load(written("whole.obj", &format!("{CORNERS}{text}"))).unwrap();
        assert_eq!(names(&scene), ["whole"], "{text}");
        assert_eq!(scene.objects()[0].mesh.positions().len(), 6, "unused vertices are kept");
    }
    let scene = load(written("named.obj", &format!("{CORNERS}g a\nusemtl m\nf 1 2 3\n"))).unwrap();
    assert_eq!(scene.objects()[0].material(0), Some("m"));
}

#[test]
fn a_part_for_every_face_is_too_many() {
    let faces = |count: usize| {
        let faces: String =
            (0..count).map(|i| format!("g {i}\nusemtl m{}\nf 1 2 3\n", i / 9)).collect();
        load(written("many.obj", &format!("{CORNERS}{faces}"))).unwrap()
    };
    assert_eq!(faces(4096).objects().len(), 4096);
    let scene = faces(4097);
    assert_eq!(names(&scene), ["many"]);
    let said = scene.warnings()[0].to_string();
    assert_eq!(said, "parts: 4097 objects, groups and materials are too many; it stays one object");
    assert_eq!(scene.objects()[0].material(8), Some("m0"));
    assert_eq!(scene.objects()[0].material(9), Some("m1"));
}

#[test]
fn names_are_cut_and_may_be_in_any_encoding() {
    let long = "x".repeat(1000);
    let mut bytes = format!("{CORNERS}o {long}\nf 1 2 3\no caf").into_bytes();
    bytes.extend(b"\xe9 #1 \nf 1 2 4\no caf\xe9 #2\nf 1 2 4\n");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin.obj");
    fs::write(&path, bytes).unwrap();
    let scene = load(path).unwrap();
    assert_eq!(names(&scene), [&long[..128], "caf\u{fffd} #1", "caf\u{fffd} #2"]);
}

#[test]
fn a_cache_moves_every_part() {
    let model = written("moved_parts.obj", &format!("{CORNERS}o a\nf 1 2 3\no b\nf 4 6 1\n"));
    let mut bytes = [2u32, 6].map(u32::to_be_bytes).concat();
    bytes.extend([0f32, 1.0].iter().flat_map(|x| x.to_be_bytes()));
    for frame in 0..2 {
        let point = |point: usize| [point as f32, 0.0, frame as f32];
        bytes.extend((0..6).flat_map(point).flat_map(f32::to_be_bytes));
    }
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("moved_parts.mdd");
    fs::write(&cache, bytes).unwrap();
    let scene = load_with_cache(&model, &cache, 24.0).unwrap();
    assert_eq!(names(&scene), ["a", "b"]);
    let pose = scene.pose(Some(0), 0.5).unwrap();
    let mut moved = Vec::new();
    scene.posed(1, &pose).unwrap().positions(&mut moved);
    // The vertices 1, 4 and 6 of the file.
    assert_eq!(moved, [0.0, 3.0, 5.0].map(|x| DVec3::new(x, 0.0, 0.5)));
    assert_eq!(scene.objects()[1].mesh.triangles(), [[1, 2, 0]]);
}

proptest! {
    /// However faces are labelled, the parts have the triangles of the whole, each once.
    #[test]
    fn parts_are_the_whole(
        faces in prop::collection::vec((0u32..3, 0u32..3, 0u32..3, [1u32..8, 1..8, 1..8, 1..8]), 1..40)
    ) {
        let mut text: String = (0..8).map(|i| format!("v {i} {} {}\n", i * i % 5, i % 3)).collect();
        for (object, group, material, [a, b, c, d]) in &faces {
            text += &format!("o {object}\ng {group}\nusemtl {material}\nf {a} {b} {c} {d}\n");
        }
        let file = Path::new("t.obj");
        let whole = read_obj(text.as_bytes(), file).unwrap();
        let scene = load(written("property.obj", &text)).unwrap();
        let corners = |mesh: &pliant::Mesh| -> Vec<[[u64; 3]; 3]> {
            let place = |vertex: u32| mesh.positions()[vertex as usize].to_array().map(f64::to_bits);
            mesh.triangles().iter().map(|triangle| triangle.map(place)).collect()
        };
        let mut parts: Vec<_> = scene.objects().iter().flat_map(|it| corners(&it.mesh)).collect();
        let mut expected = corners(&whole);
        parts.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(parts, expected);
        let mut labels: Vec<_> = faces.iter().map(|&(a, b, c, _)| (a, b, c)).collect();
        labels.sort_unstable();
        labels.dedup();
        prop_assert_eq!(scene.objects().len(), labels.len());
    }
}
