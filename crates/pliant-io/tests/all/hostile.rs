//! Files with false claims are refused with a reason, in little memory and time, without a panic.

use crate::common::busy_scene;
use crate::common::triangle::square;
use pliant_io::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(document: &Value) -> Result<Scene> {
    read_gltf_bytes(document.to_string().as_bytes(), "lie.gltf")
}

fn refusal(document: &Value) -> String {
    read(document).unwrap_err().to_string()
}

/// Loads the file and, if that succeeds, poses everything.
fn exercise(bytes: &[u8]) {
    let Ok(scene) = read_gltf_bytes(bytes, "fuzz.glb") else { return };
    let animations = (0..scene.animations().len()).map(Some);
    let mut all = Vec::new();
    for animation in animations.chain([None]) {
        for time in [-1.0, 0.0, 0.3, 1.7, 1e9] {
            let Ok(pose) = scene.pose(animation, time) else { continue };
            for object in 0..scene.objects().len() {
                scene.posed(object, &pose).unwrap().positions(&mut all);
            }
        }
    }
    let _ = glb_bytes(&scene);
}

#[test]
fn counts_are_checked_before_memory_is_taken() {
    let mut document = square();
    document["accessors"][0]["count"] = json!(4_000_000_000u64);
    assert!(refusal(&document).contains("accessor 0: 48000000000 bytes do not fit"));
    document["accessors"][0]["count"] = json!(1u64 << 53);
    assert!(refusal(&document).contains("accessor 0: "));
    document["accessors"][0]["count"] = json!(1e300);
    assert!(refusal(&document).contains("accessor 0: 1e300 is not a whole number"));
    document["accessors"][0]["count"] = json!(-1);
    assert!(refusal(&document).contains("accessor 0: "));
    // Implied zeros take no bytes, so the size of the file bounds them.
    let mut document = square();
    for count in [4_000_000_000u64, 1 << 53] {
        document["accessors"][0] = json!({
            "componentType": 5126, "type": "VEC3", "count": count,
            "min": [0, 0, 0], "max": [0, 0, 0],
            "sparse": {
                "count": 1, "indices": { "bufferView": 1, "componentType": 5121 },
                "values": { "bufferView": 0 },
            },
        });
        let refusal = refusal(&document);
        assert!(refusal.contains("accessor 0: ") && refusal.contains("too many"), "{refusal}");
    }
    let mut document = square();
    document["buffers"][0]["byteLength"] = json!(1u64 << 40);
    assert!(refusal(&document).contains("buffer 0: byteLength is 1099511627776, but there are 48"));
    let mut document = square();
    document["bufferViews"][0]["byteOffset"] = json!(1u64 << 53);
    assert!(refusal(&document).contains("bufferView 0: "));
}

#[test]
fn nodes_that_repeat_large_things_are_bounded() {
    // A thousand names of a megabyte each from a file with one.
    let mut document = square();
    document["meshes"][0]["name"] = json!("x".repeat(1 << 20));
    document["nodes"] = json!(vec![json!({ "mesh": 0 }); 1000]);
    assert!(refusal(&document).contains("too many for a file of its size"));
    // 100,000 weights on each of 20,000 nodes.
    let mut document = square();
    document["meshes"][0]["primitives"][0]["targets"] = json!(vec![json!({}); 100_000]);
    document["nodes"] = json!(vec![json!({ "mesh": 0 }); 20_000]);
    assert!(refusal(&document).contains("too many for a file of its size"));
    // One primitive repeated: each is decoded until the limit of the file's size.
    let mut document = square();
    let corner = document["meshes"][0]["primitives"][0].clone();
    document["meshes"][0]["primitives"] = json!(vec![corner; 5_000]);
    assert_eq!(read(&document).unwrap().objects()[0].mesh.triangles().len(), 10_000);
    // Instances share their data, so these load.
    let mut document = square();
    document["nodes"] = json!(vec![json!({ "mesh": 0 }); 100_000]);
    assert_eq!(read(&document).unwrap().objects().len(), 100_000);
}

#[test]
fn loops_and_depth_of_nodes() {
    let with = |nodes: Value| {
        let mut document = square();
        document["nodes"] = nodes;
        document
    };
    let itself = refusal(&with(json!([{ "mesh": 0, "children": [0] }])));
    assert!(itself.contains("node 0: is its own ancestor"), "{itself}");
    let pair = refusal(&with(json!([{ "children": [1] }, { "children": [0] }, { "mesh": 0 }])));
    assert!(pair.contains("form a loop"), "{pair}");
    let shared = refusal(&with(json!([{ "children": [2] }, { "children": [2] }, {}])));
    assert!(shared.contains("node 1: its child 2 is also a child of node 0"), "{shared}");
    let twice = refusal(&with(json!([{ "children": [1, 1] }, {}])));
    assert!(twice.contains("node 0: its child 1 is also a child of node 0"), "{twice}");
    let depth = 200_000;
    let mut chain: Vec<Value> = (1..depth).map(|next| json!({ "children": [next] })).collect();
    chain.push(json!({ "mesh": 0, "translation": [1, 0, 0] }));
    let scene = read(&with(Value::Array(chain))).unwrap();
    let pose = scene.pose(None, 0.0).unwrap();
    assert_eq!(scene.posed(0, &pose).unwrap().position(0).unwrap().x, 1.0);
}

#[test]
fn deep_json_does_not_overflow_the_stack() {
    let text = square().to_string();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let depth = 1_000_000;
        let deep = format!("{}0{}", open.repeat(depth), close.repeat(depth));
        for place in ["\"asset\":{", "\"nodes\":[{", "\"attributes\":{"] {
            let bent = text.replacen(place, &format!("{place}\"extras\":{deep},"), 1);
            assert_ne!(bent, text, "{place} is not there");
            // The file may be refused or accepted; the test is that the reader returns.
            let _ = read_gltf_bytes(bent.as_bytes(), "deep.gltf");
        }
        let _ = read_gltf_bytes(deep.as_bytes(), "deep.gltf");
    }
}

/// A GLB of any chunks with a matching header.
fn glb(chunks: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, data) in chunks {
        body.extend((data.len() as u32).to_le_bytes());
        body.extend(*kind);
        body.extend(*data);
    }
    let length = (12 + body.len() as u32).to_le_bytes();
    [&b"glTF\x02\0\0\0"[..], &length, &body].concat()
}

#[test]
fn chunks_out_of_order_are_refused() {
    let json: &[u8] = b"{\"asset\":{\"version\":\"2.0\"}} ";
    let (text, data, odd): (&[u8], &[u8], &[u8]) = (b"JSON", b"BIN\0", b"ODD!");
    let read = |bytes: &[u8]| read_gltf_bytes(bytes, "chunks.glb");
    let reason = |chunks: &[(&[u8], &[u8])]| read(&glb(chunks)).unwrap_err().to_string();
    assert_eq!(read(&glb(&[(text, json)])).unwrap().warnings(), []);
    let unknown = read(&glb(&[(text, json), (data, b"1234"), (odd, b"")])).unwrap();
    assert_eq!(unknown.warnings()[0].element, "GLB chunk 2");
    let mut longer = glb(&[(text, json)]);
    longer.extend(b"tail");
    assert_eq!(
        read(&longer).unwrap().warnings()[0].to_string(),
        "GLB header: 4 bytes after its end; ignored"
    );
    for (chunks, expected) in [
        (&[(data, json)][..], "GLB chunk 0: the first chunk is not JSON"),
        (&[(text, &b""[..])][..], "GLB chunk 0: the JSON chunk is empty"),
        (&[(text, json), (text, json)][..], "GLB chunk 1: a second chunk"),
        (&[(text, json), (odd, b""), (data, b"")][..], "GLB chunk 2: the binary chunk is not"),
        (&[(text, json), (data, b""), (data, b"")][..], "GLB chunk 2: a second chunk"),
        (&[(text, &b"{} "[..])][..], "GLB chunk 0: its length 3 is not a multiple of 4"),
    ] {
        let reason = reason(chunks);
        assert!(reason.contains(expected), "{reason:?} is not {expected:?}");
    }
    let mut version = glb(&[(text, json)]);
    version[4] = 1;
    assert!(read(&version).unwrap_err().to_string().contains("version 1, but only version 2"));
    let mut chunk = glb(&[(text, json)]);
    chunk[12] = 0xF0;
    assert!(read(&chunk).unwrap_err().to_string().contains("it states 240 bytes, but 28 are left"));
}

#[test]
fn a_glb_cut_anywhere_is_refused() {
    let whole = glb_bytes(&busy_scene()).unwrap();
    for length in 0..whole.len() {
        assert!(read_gltf_bytes(&whole[..length], "cut.glb").is_err(), "{length} bytes load");
        // With a header that matches the cut.
        if length >= 12 {
            let mut honest = whole[..length].to_vec();
            honest[8..12].copy_from_slice(&(length as u32).to_le_bytes());
            exercise(&honest);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A few changed bytes anywhere, and possibly a cut: no panic, no hang.
    #[test]
    fn changed_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = glb_bytes(&busy_scene()).unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        exercise(&bytes);
    }

    /// A number of the JSON replaced by another.
    #[test]
    fn changed_numbers_never_panic(
        place in any::<prop::sample::Index>(),
        number in prop::sample::select(vec![
            "0", "1", "2", "3", "7", "255", "65535", "65536", "4294967295", "4294967296",
            "9007199254740992", "18446744073709551615", "-1", "0.5", "1e308", "1e-320", "null",
        ]),
    ) {
        let bytes = glb_bytes(&busy_scene()).unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json = std::str::from_utf8(&bytes[20..20 + length]).unwrap();
        let starts: Vec<usize> = json
            .char_indices()
            .filter(|&(at, c)| c.is_ascii_digit() && !json[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.'))
            .map(|(at, _)| at)
            .collect();
        let start = starts[place.index(starts.len())];
        let rest = json[start..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let mut json = format!("{}{number}{rest}", &json[..start]).into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let tail = &bytes[20 + length..];
        let mut bent = b"glTF\x02\0\0\0".to_vec();
        bent.extend(((20 + json.len() + tail.len()) as u32).to_le_bytes());
        bent.extend((json.len() as u32).to_le_bytes());
        bent.extend(b"JSON");
        bent.extend(json);
        bent.extend(tail);
        exercise(&bent);
    }
}
