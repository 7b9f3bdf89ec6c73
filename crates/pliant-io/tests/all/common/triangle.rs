//! A small glTF document for modification: two triangles, a skin, a morph target.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// Bytes as a data URI, percent-encoded.
pub(crate) fn data_uri(bytes: &[u8]) -> String {
    let mut uri = "data:application/octet-stream,".to_owned();
    for byte in bytes {
        write!(uri, "%{byte:02x}").unwrap();
    }
    uri
}

pub(crate) fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Appends a buffer with one view and one accessor over all of it and returns the accessor.
pub(crate) fn add(
    document: &mut Value,
    bytes: &[u8],
    code: u32,
    kind: &str,
    count: usize,
) -> usize {
    let push = |document: &mut Value, list: &str, value: Value| {
        let list = document[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    };
    let buffer = json!({ "byteLength": bytes.len(), "uri": data_uri(bytes) });
    let buffer = push(document, "buffers", buffer);
    let view = json!({ "buffer": buffer, "byteLength": bytes.len() });
    let view = push(document, "bufferViews", view);
    let accessor =
        json!({ "bufferView": view, "componentType": code, "type": kind, "count": count });
    push(document, "accessors", accessor)
}

/// A square of two triangles on node 0, with its vertices at the corners of [0, 1]^2. Accessor 0
/// has the positions, accessor 1 the indices.
pub(crate) fn square() -> Value {
    let mut document = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [], "bufferViews": [], "buffers": [],
    });
    let corners = [0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.];
    let positions = add(&mut document, &floats(&corners), 5126, "VEC3", 4);
    document["accessors"][positions]["min"] = json!([0, 0, 0]);
    document["accessors"][positions]["max"] = json!([1, 1, 0]);
    add(&mut document, &[0, 1, 2, 0, 2, 3], 5121, "SCALAR", 6);
    document
}

/// The square on a skin of two joints, with the given joints and weights.
pub(crate) fn skinned(joints: [[u8; 4]; 4], weights: [[f32; 4]; 4]) -> Value {
    let mut document = square();
    let joints = add(&mut document, joints.as_flattened(), 5121, "VEC4", 4);
    let weights = add(&mut document, &floats(weights.as_flattened()), 5126, "VEC4", 4);
    document["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(joints);
    document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    document["nodes"] = json!([
        { "mesh": 0, "skin": 0, "translation": [100, 0, 0] },
        { "children": [2], "translation": [1, 0, 0] },
        { "translation": [0, 0, 4] },
    ]);
    document["skins"] = json!([{ "joints": [1, 2] }]);
    document
}
