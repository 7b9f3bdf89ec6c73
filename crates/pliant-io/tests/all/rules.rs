//! The rules of the format, each with a small document.

use crate::common::triangle::{add, data_uri, floats, skinned, square};
use pliant::glam::DVec3;
use pliant_io::*;
use serde_json::{Value, json};

fn read(document: &Value) -> Result<Scene> {
    read_gltf_bytes(document.to_string().as_bytes(), "test.gltf")
}

fn at_rest(scene: &Scene, object: usize) -> Vec<DVec3> {
    let pose = scene.pose(None, 0.0).unwrap();
    let mut all = Vec::new();
    scene.posed(object, &pose).unwrap().positions(&mut all);
    all
}

#[test]
fn a_skinned_mesh_ignores_its_own_node() {
    let weights = [[1., 0., 0., 0.], [0.5, 0.5, 0., 0.], [0.25, 0.75, 0., 0.], [1., 0., 0., 0.]];
    let scene = read(&skinned([[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]], weights));
    let scene = scene.unwrap();
    assert_eq!(scene.warnings(), []);
    // Joint 0 is at (1, 0, 0), joint 1 at (1, 0, 4).
    let expected = [[1., 0., 0.], [2., 0., 2.], [2., 1., 3.], [1., 1., 4.]].map(DVec3::from_array);
    assert_eq!(at_rest(&scene, 0), expected);
}

#[test]
fn weights_are_normalised_with_one_warning() {
    let joints = [[0, 1, 0, 0]; 4];
    let weights = [[2., 2., 0., 0.], [0.5, 0.5, 0., 0.], [0.1, 0.3, 0., 0.], [1., 0., 0., 0.]];
    let scene = read(&skinned(joints, weights)).unwrap();
    let said: Vec<String> = scene.warnings().iter().map(Warning::to_string).collect();
    assert_eq!(said, ["mesh 0: the weights of 2 vertices did not sum to 1; normalised"]);
    assert_eq!(at_rest(&scene, 0)[0], DVec3::new(1.0, 0.0, 2.0));
    let Deformation::Skin { weights, .. } = &scene.objects()[0].deformation else { panic!() };
    assert_eq!(weights.of(0)[0], Influence { joint: 0, weight: 0.5 });
    assert_eq!(weights.of(3), [Influence { joint: 0, weight: 1.0 }]);
    assert_eq!(weights.of(4), []);
}

#[test]
fn bad_influences_are_refused_by_name() {
    let fine = [[1., 0., 0., 0.]; 4];
    let reason = |joints, weights| read(&skinned(joints, weights)).unwrap_err().to_string();
    let far = reason([[0, 2, 0, 0]; 4], fine);
    assert_eq!(far, "test.gltf: node 0: its mesh names joint 2, but skin 0 has 2");
    let mut negative = fine;
    negative[2] = [1.5, -0.5, 0., 0.];
    let negative = reason([[0, 1, 0, 0]; 4], negative);
    assert_eq!(
        negative,
        "test.gltf: mesh 0 primitive 0: vertex 2 gives joint 1 the negative weight -0.5"
    );
    let mut none = fine;
    none[3] = [0.; 4];
    let none = reason([[0, 1, 0, 0]; 4], none);
    assert_eq!(none, "test.gltf: mesh 0 primitive 0: vertex 3 has no weight on any joint");
    let twice = read(&skinned([[0, 0, 1, 0]; 4], [[0.25, 0.25, 0.5, 0.]; 4])).unwrap();
    assert_eq!(
        twice.warnings()[0].to_string(),
        "mesh 0: 4 vertices list a joint twice; its weights are added"
    );
    let mut gap = skinned([[0; 4]; 4], fine);
    let attributes = &mut gap["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_2"] = attributes["JOINTS_0"].clone();
    attributes["WEIGHTS_2"] = attributes["WEIGHTS_0"].clone();
    let gap = read(&gap).unwrap_err().to_string();
    assert!(gap.contains("JOINTS_ are not numbered 0, 1, 2"), "{gap}");
}

#[test]
fn objects_are_the_mesh_nodes_of_the_scene() {
    let mut document = square();
    document["nodes"] = json!([
        { "mesh": 0, "name": "a" }, { "children": [3] }, { "mesh": 0 }, { "mesh": 0, "name": "d" },
    ]);
    let names = |document: &Value| {
        let scene = read(document).unwrap();
        scene.objects().iter().map(|object| object.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&document), ["a", "node 2", "d"]);
    document["scenes"] = json!([{ "nodes": [1, 2] }, { "nodes": [0] }]);
    assert_eq!(names(&document), ["node 2", "d"]);
    document["scene"] = json!(1);
    assert_eq!(names(&document), ["a"]);
    document["meshes"][0]["name"] = json!("square");
    document["scene"] = json!(0);
    assert_eq!(names(&document), ["square", "d"]);
}

#[test]
fn points_and_lines_are_skipped_with_a_warning() {
    let mut document = square();
    let primitive = document["meshes"][0]["primitives"][0].clone();
    let mut points = primitive.clone();
    points["mode"] = json!(0);
    document["meshes"] = json!([{ "primitives": [points, primitive] }, { "primitives": [points] }]);
    document["nodes"] = json!([{ "mesh": 0 }, { "mesh": 1 }]);
    let scene = read(&document).unwrap();
    assert_eq!(scene.objects().len(), 1);
    assert_eq!(scene.objects()[0].mesh.triangles().len(), 2);
    let said: Vec<String> = scene.warnings().iter().map(Warning::to_string).collect();
    assert_eq!(
        said,
        [
            "mesh 0 primitive 0: it consists of points or lines; skipped",
            "mesh 1 primitive 0: it consists of points or lines; skipped",
            "mesh 1: it has no triangles and gives no object",
        ]
    );
}

#[test]
fn primitives_are_joined_in_file_order() {
    let mut document = square();
    let line = [5., 0., 0., 6., 0., 0., 5., 1., 0., 6., 1., 0.];
    let second = add(&mut document, &floats(&line), 5126, "VEC3", 4);
    document["accessors"][second]["min"] = json!([5, 0, 0]);
    document["accessors"][second]["max"] = json!([6, 1, 0]);
    let strip = json!({ "attributes": { "POSITION": second }, "mode": 5 });
    document["meshes"][0]["primitives"].as_array_mut().unwrap().push(strip);
    let scene = read(&document).unwrap();
    let mesh = &scene.objects()[0].mesh;
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [4, 5, 6], [5, 7, 6]]);
    assert_eq!(mesh.positions()[7], DVec3::new(6.0, 1.0, 0.0));
}

#[test]
fn triangles_know_their_materials() {
    let mut document = square();
    let primitive = document["meshes"][0]["primitives"][0].clone();
    let with = |material: Value| {
        let mut primitive = primitive.clone();
        primitive["material"] = material;
        primitive
    };
    document["materials"] = json!([{ "name": "steel" }, { "alphaMode": "BLEND" }, 7]);
    document["meshes"][0]["primitives"] = json!([
        with(json!(0)),
        with(json!(0)),
        primitive,
        with(json!(1)),
        with(json!(2)),
        with(json!(9))
    ]);
    let scene = read(&document).unwrap();
    let object = &scene.objects()[0];
    assert_eq!(object.mesh.triangles().len(), 12);
    let names: Vec<_> = (0..13).step_by(2).map(|triangle| object.material(triangle)).collect();
    let steel = Some("steel");
    let others = [Some("material 1"), Some("material 2"), None, None];
    assert_eq!(names, [&[steel, steel, None][..], &others].concat());
    assert_eq!(object.materials.len(), 5, "equal neighbours are one run");
    assert!(read(&square()).unwrap().objects()[0].materials.is_empty());
    // Materials are appearance: nothing about them refuses a file.
    document["materials"] = json!("none");
    assert_eq!(read(&document).unwrap().objects()[0].material(0), None);
    let mut parts = scene.into_parts();
    parts.objects[0].materials = [MaterialRun { end: 3, name: None }].into();
    let wrong = Scene::new(parts.clone()).unwrap_err().to_string();
    assert_eq!(wrong, "object 0: its materials are those of 3 triangles, but it has 12");
    let run = |end| MaterialRun { end, name: None };
    parts.objects[0].materials = [run(12), run(12)].into();
    assert!(Scene::new(parts).unwrap_err().to_string().contains("a run of one material ends"));
}

#[test]
fn quantised_positions_need_their_extension() {
    let mut document = square();
    let corners: Vec<u8> = [[0u16, 0, 0, 9], [65535, 0, 0, 9], [65535, 13107, 0, 9], [0, 1, 0, 9]]
        .as_flattened()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let accessor = add(&mut document, &corners, 5123, "VEC3", 4);
    document["accessors"][accessor]["normalized"] = json!(true);
    document["accessors"][accessor]["min"] = json!([0, 0, 0]);
    document["accessors"][accessor]["max"] = json!([65535, 13107, 0]);
    let view = document["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    document["bufferViews"][view]["byteStride"] = json!(8);
    document["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(accessor);
    let without = read(&document).unwrap_err().to_string();
    assert!(without.contains("its POSITION is not of three floats"), "{without}");
    document["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let scene = read(&document).unwrap();
    assert_eq!(scene.objects()[0].mesh.positions()[2], DVec3::new(1.0, 0.2, 0.0));
    assert_eq!(scene.objects()[0].mesh.positions()[3], DVec3::new(0.0, 1.0 / 65535.0, 0.0));
}

#[test]
fn morph_targets_may_be_sparse_or_without_positions() {
    let mut document = square();
    let bytes: Vec<u8> = [&[1u8, 3, 0, 0][..], &floats(&[0., 0., 7., 0., 0., 9.])].concat();
    let values = add(&mut document, &bytes, 5121, "SCALAR", 1);
    let view = document["accessors"][values]["bufferView"].clone();
    document["accessors"].as_array_mut().unwrap().push(json!({
        "componentType": 5126, "type": "VEC3", "count": 4, "min": [0, 0, 0], "max": [0, 0, 9],
        "sparse": {
            "count": 2,
            "indices": { "bufferView": view, "componentType": 5121 },
            "values": { "bufferView": view, "byteOffset": 4 },
        },
    }));
    document["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": values + 1 }, {}]);
    document["meshes"][0]["weights"] = json!([2.0, 1.0]);
    let scene = read(&document).unwrap();
    assert_eq!(scene.objects()[0].deformation.name(), "morph");
    assert_eq!(at_rest(&scene, 0).iter().map(|p| p.z).collect::<Vec<_>>(), [0., 14., 0., 18.]);
    document["nodes"][0]["weights"] = json!([-1.0, 0.0]);
    assert_eq!(at_rest(&read(&document).unwrap(), 0)[1].z, -7.0);
    let sparse = &mut document["accessors"][values + 1]["sparse"];
    sparse["indices"]["byteOffset"] = json!(1);
    let order = read(&document).unwrap_err().to_string();
    assert!(order.contains("the sparse index 0 is out of range or out of order"), "{order}");
}

#[test]
fn extensions_of_geometry_are_named() {
    let required = |name: &str| {
        let mut document = square();
        document["extensionsUsed"] = json!([name]);
        document["extensionsRequired"] = json!([name]);
        read(&document)
    };
    for name in ["KHR_quantum_mesh_compression", "EXT_mesh_gpu_instancing", "FOO_unknown"] {
        let error = required(name).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    for name in [
        "KHR_draco_mesh_compression",
        "EXT_meshopt_compression",
        "KHR_meshopt_compression",
        "KHR_materials_unlit",
        "KHR_texture_basisu",
        "EXT_texture_webp",
        "KHR_lights_punctual",
    ] {
        assert_eq!(required(name).unwrap().warnings(), [], "{name}");
    }
    let mut elsewhere = square();
    elsewhere["extensionsUsed"] = json!(["FOO_bytes"]);
    elsewhere["buffers"][0].as_object_mut().unwrap().remove("uri");
    elsewhere["bufferViews"][0]["extensions"] = json!({ "FOO_bytes": {} });
    let elsewhere = read(&elsewhere).unwrap_err().to_string();
    assert!(elsewhere.contains("needs the extension FOO_bytes"), "{elsewhere}");
}

#[test]
fn rotations_and_poses_that_are_nothing() {
    let mut document = square();
    document["nodes"][0]["rotation"] = json!([0, 0, 0, 0]);
    let error = read(&document).unwrap_err().to_string();
    assert_eq!(error, "test.gltf: node 0: its rotation has length 0 instead of 1");
    let mut document = square();
    document["nodes"] = json!([
        { "children": [1], "scale": [1e300, 1, 1] }, { "mesh": 0, "scale": [1e300, 1, 1] },
    ]);
    let scene = read(&document).unwrap();
    let error = scene.pose(None, 0.0).unwrap_err().to_string();
    assert_eq!(error, "node 1: its frame in the world is too large for a number");
    let scene = read(&square()).unwrap();
    assert_eq!(scene.pose(Some(0), 0.0).unwrap_err().to_string(), "animation 0: there are 0");
    assert_eq!(scene.pose(None, f64::NAN).unwrap_err().to_string(), "time: NaN is not finite");
    let pose = scene.pose(None, 0.0).unwrap();
    assert!(scene.posed(1, &pose).is_err());
    let other = crate::common::busy_scene();
    let foreign = other.pose(None, 0.0).unwrap();
    assert!(other.posed(2, &pose).is_err() && other.posed(3, &pose).is_err());
    assert!(scene.posed(0, &foreign).is_ok(), "a rigid object only needs its node");
}

#[test]
fn stated_bounds_must_hold() {
    let mut document = square();
    document["accessors"][0]["max"] = json!([1, 1.0000001, 0]);
    let scene = read(&document).unwrap();
    assert_eq!(scene.warnings()[0].element, "accessor 0");
    document["accessors"][0]["max"] = json!([1, 1.1, 0]);
    let error = read(&document).unwrap_err().to_string();
    assert!(error.starts_with("test.gltf: accessor 0: max number 1 is 1.1"), "{error}");
}

#[test]
fn buffers_stay_in_the_folder() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("folder");
    let inside = folder.join("in side");
    std::fs::create_dir_all(&inside).unwrap();
    let corners = floats(&[0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.]);
    std::fs::write(inside.join("data.bin"), &corners).unwrap();
    std::fs::write(folder.join("outside.bin"), &corners).unwrap();
    let open = |uri: &str| {
        let mut document = square();
        document["buffers"][0]["uri"] = json!(uri);
        let path = inside.join("square.gltf");
        std::fs::write(&path, document.to_string()).unwrap();
        read_gltf(&path)
    };
    open("data.bin").unwrap();
    open("./data%2Ebin").unwrap();
    open(&data_uri(&corners)).unwrap();
    for uri in ["../outside.bin", "%2e%2e/outside.bin", "file:///etc/passwd", "https://a/b.bin"] {
        let error = open(uri).unwrap_err();
        assert!(
            matches!(&error, Error::Malformed { element, .. } if element == "buffer 0"),
            "{error}"
        );
    }
    let absolute = folder.join("outside.bin");
    assert!(open(absolute.to_str().unwrap()).unwrap_err().to_string().contains("absolute"));
    assert!(matches!(open("missing.bin"), Err(Error::Io { .. })));
    assert!(open(".").unwrap_err().to_string().contains("plain file"));
    // A relative path within the folder has no parent.
    assert!(read_gltf("no such file.gltf").is_err());
    #[cfg(unix)]
    {
        let link = inside.join("link.bin");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink("../outside.bin", &link).unwrap();
        let error = open("link.bin").unwrap_err().to_string();
        assert!(error.contains("a link leads out of the file's folder"), "{error}");
        let _ = std::fs::remove_file(inside.join("fine.bin"));
        std::os::unix::fs::symlink("data.bin", inside.join("fine.bin")).unwrap();
        open("fine.bin").unwrap();
    }
}
