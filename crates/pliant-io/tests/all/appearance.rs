//! Base colours and textures: what is read, and that nothing of it makes a file unreadable.

use std::fs;
use std::path::PathBuf;

use pliant_io::*;
use serde_json::{Value, json};

use crate::common::shared;

/// The first bytes of a PNG file, which are all that is looked at.
const PNG: &str = "data:image/png;base64,iVBORw0KGgo=";

/// Two triangles, each a primitive with places in a picture, as glTF.
fn document() -> Value {
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let places = [0.0_f32, 0.0, 1.0, 0.0, 0.0, 1.0];
    let bytes: Vec<u8> = corners.iter().chain(&places).flat_map(|it| it.to_le_bytes()).collect();
    let text: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    let primitive = |material: Value| {
        let mut primitive = json!({ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 } });
        primitive["material"] = material;
        primitive
    };
    json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }, { "mesh": 0, "translation": [2, 0, 0] }],
        "meshes": [{ "primitives": [primitive(json!(1)), primitive(json!(0))] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 24 },
        ],
        "buffers": [{ "byteLength": 60, "uri": format!("data:application/octet-stream,{text}") }],
        "materials": [
            { "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.25, 1, 1] } },
            { "alphaMode": "MASK", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0, "extensions": {
                "KHR_texture_transform": { "offset": [0.5, 0.25], "scale": [2, 4], "rotation": 0 }
            } } } },
        ],
        "textures": [{ "source": 0, "sampler": 0 }],
        "samplers": [{ "magFilter": 9728, "wrapS": 33071, "wrapT": 33648 }],
        "images": [{ "uri": PNG }],
    })
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn read(name: &str, document: &Value, most: usize) -> Appearance {
    let file = path(name);
    fs::write(&file, document.to_string()).unwrap();
    let scene = read_gltf(&file).unwrap();
    let appearance = read_appearance(&file, &scene, most).unwrap();
    assert_eq!(appearance.objects.len(), scene.objects().len());
    appearance
}

#[test]
fn colours_pictures_and_places_in_them_are_read() {
    let found = read("looks.gltf", &document(), 100);
    assert_eq!(found.omitted, []);
    assert_eq!(found.images.len(), 1);
    assert_eq!((found.images[0].media_type, found.images[0].bytes.len()), ("image/png", 8));
    let plain = Material {
        color: [0.5, 0.25, 1.0, 1.0],
        image: None,
        wrap: [Wrap::Repeat; 2],
        is_pixelated: false,
        cutoff: None,
    };
    let textured = Material {
        color: [1.0; 4],
        image: Some(0),
        wrap: [Wrap::Clamp, Wrap::Mirror],
        is_pixelated: true,
        cutoff: Some(0.5),
    };
    assert_eq!(found.materials, [plain, textured]);
    let [Some(first), Some(second)] = &found.objects[..] else { panic!("{found:?}") };
    assert!(std::sync::Arc::ptr_eq(first, second));
    let run = |end, material| LookRun { end, material: Some(material) };
    assert_eq!(first.runs, [run(1, 1), run(2, 0)]);
    // Scaled and moved; those of the second triangle are not needed.
    let places = [[0.5, 0.25], [2.5, 0.25], [0.5, 4.25], [0.0; 2], [0.0; 2], [0.0; 2]];
    assert_eq!(first.coordinates, places);
}

/// A quarter turn, as the extension's text defines it: u turns towards -v.
#[test]
fn places_are_turned() {
    let mut turned = document();
    let texture = &mut turned["materials"][1]["pbrMetallicRoughness"]["baseColorTexture"];
    let quarter = std::f64::consts::FRAC_PI_2;
    texture["extensions"]["KHR_texture_transform"] = json!({ "rotation": quarter });
    let found = read("turned.gltf", &turned, 100);
    let places = &found.objects[0].as_ref().unwrap().coordinates;
    for (place, expected) in places.iter().zip([[0.0, 0.0], [0.0, -1.0], [1.0, 0.0]]) {
        let close = |axis: usize| (place[axis] - expected[axis] as f32).abs() < 1e-6;
        assert!(close(0) && close(1), "{place:?} {expected:?}");
    }
}

#[test]
fn what_cannot_be_read_is_left_out_and_said() {
    let said = |name: &str, change: &dyn Fn(&mut Value), most: usize| {
        let mut changed = document();
        change(&mut changed);
        let found = read(name, &changed, most);
        let reasons: Vec<String> = found.omitted.iter().map(ToString::to_string).collect();
        (found.images.len(), found.objects[0].is_some(), reasons.join("; "))
    };
    let image = |uri: &str| {
        let uri = uri.to_owned();
        move |document: &mut Value| document["images"][0] = json!({ "uri": uri })
    };
    for (name, change, reason) in [
        (
            "no.gltf",
            &image("data:image/png;base64,AAAA") as &dyn Fn(&mut Value),
            "PNG, JPEG or WebP",
        ),
        ("far.gltf", &image("https://example.org/a.png"), "the URI scheme `https:` is not read"),
        ("out.gltf", &image("../secret.png"), "leads out of the file's folder"),
        ("gone.gltf", &image("not_there.png"), "material 1 texture: "),
        ("none.gltf", &|it| it["images"][0] = json!({}), "it has no data"),
        ("view.gltf", &|it| it["images"][0] = json!({ "bufferView": 7 }), "names bufferView 7"),
        ("source.gltf", &|it| it["textures"][0] = json!({ "source": 9 }), "names no picture"),
    ] {
        let (images, has_look, said) = said(name, change, 100);
        assert_eq!((images, has_look), (0, true), "{name}: {said}");
        assert!(said.contains(reason), "{name}: {said}");
    }
    // More bytes than are allowed.
    let (images, has_look, reason) = said("large.gltf", &|_| {}, 7);
    assert_eq!((images, has_look), (0, true));
    assert!(reason.contains("its 8 bytes are more than the 7 that are left"), "{reason}");
    // Colours of vertices, of which the picture would be multiplied.
    let (images, has_look, reason) = said(
        "vertices.gltf",
        &|it| it["meshes"][0]["primitives"][1]["attributes"]["COLOR_0"] = json!(0),
        100,
    );
    assert_eq!((images, has_look), (1, true));
    assert_eq!(reason, "mesh 0: the colours of its vertices are left out");
    // Materials that are none.
    let (images, _, reason) = said("odd.gltf", &|it| it["textures"] = json!({ "a": 1 }), 100);
    assert_eq!(images, 0);
    assert!(reason.contains("materials: invalid type"), "{reason}");
    let (_, has_look, reason) = said(
        "places.gltf",
        &|it| it["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": 0 }),
        100,
    );
    assert!(!has_look && reason.contains("mesh 0 primitive 0 has no TEXCOORD_0"), "{reason}");
}

#[test]
fn other_formats_have_no_appearance() {
    let file = path("plain.obj");
    fs::write(&file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let found = read_appearance(&file, &load(&file).unwrap(), 100).unwrap();
    assert_eq!(found, Appearance { objects: vec![None], ..Appearance::default() });
}

#[test]
fn real_files_have_a_picture_and_a_place_for_every_vertex() {
    let Some(folder) = shared("gltf/skinned") else { return };
    for name in ["KayKit_Knight.glb", "CesiumMan.glb", "Fox.glb"] {
        let file = folder.join(name);
        let scene = load(&file).unwrap();
        let found = read_appearance(&file, &scene, 1 << 25).unwrap();
        assert_eq!(found.images.len(), 1, "{name}");
        for (object, look) in scene.objects().iter().zip(&found.objects) {
            let look = look.as_ref().unwrap();
            assert_eq!(look.coordinates.len(), object.mesh.positions().len(), "{name}");
            assert_eq!(look.runs.last().unwrap().end, object.mesh.triangles().len(), "{name}");
        }
    }
}
