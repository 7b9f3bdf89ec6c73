//! The files of the Khronos validator's own tests: what its reports call an error in a part that is
//! read here is refused, for that reason and at that element; all other files load.
//!
//! The files are not part of the repository; without them the test prints a message.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::triangle::data_uri;
use crate::common::{gltf_files, shared};
use serde_json::{Value, json};

/// Codes that need not be refused: they concern appearance or metadata, or are repaired.
const MAY_LOAD: &[(&str, &str)] = &[
    ("ACCESSOR_INVALID_SIGN", "tangents are looks"),
    ("ACCESSOR_VECTOR3_NON_UNIT", "normals are looks"),
    ("ACCESSOR_NON_CLAMPED", "colours are looks"),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", "mended: normalised with a warning"),
    ("ACCESSOR_JOINTS_INDEX_DUPLICATE", "mended: added up with a warning"),
    ("CAMERA_XMAG_YMAG_ZERO", "cameras are looks"),
    ("CAMERA_ZFAR_LEQUAL_ZNEAR", "cameras are looks"),
    ("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", "images are looks"),
    ("IMAGE_DATA_INVALID", "images are looks"),
    ("IMAGE_MIME_TYPE_INVALID", "images are looks"),
    ("IMAGE_UNEXPECTED_EOS", "images are looks"),
    ("MESH_PRIMITIVE_INVALID_ATTRIBUTE", "attributes of unknown name are ignored"),
    ("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", "of texture coordinates: looks"),
    ("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", "of normals and unknown names only"),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", "of an attribute of the user's own"),
    ("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", "materials are looks"),
    ("ONE_OF_MISMATCH", "only of cameras and images"),
    ("SKIN_NO_COMMON_ROOT", "warned of: the pose is defined, and a conformance file has it"),
    ("UNDECLARED_EXTENSION", "extensions are ignored"),
];

/// Codes that must be refused unless their pointer is to appearance, each with the texts of which
/// the reason must contain one.
const MUST_REFUSE: &[(&str, &[&str])] = &[
    ("ACCESSOR_ANIMATION_INPUT_NEGATIVE", &["before time 0"]),
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", &["is not after"]),
    ("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", &["instead of 1"]),
    ("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", &["max number"]),
    ("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND", &["min number"]),
    ("ACCESSOR_INDEX_OOB", &["but there are 4 vertices"]),
    ("ACCESSOR_INDEX_PRIMITIVE_RESTART", &["restart value"]),
    ("ACCESSOR_INVALID_FLOAT", &["is -inf", "is inf", "is NaN"]),
    ("ACCESSOR_INVALID_IBM", &["last row of its matrix"]),
    ("ACCESSOR_JOINTS_INDEX_OOB", &["names joint"]),
    ("ACCESSOR_MATRIX_ALIGNMENT", &["at a multiple of 4 bytes"]),
    ("ACCESSOR_MAX_MISMATCH", &["max number"]),
    ("ACCESSOR_MIN_MISMATCH", &["min number"]),
    ("ACCESSOR_NORMALIZED_INVALID", &["can be normalized"]),
    ("ACCESSOR_OFFSET_ALIGNMENT", &["does not start at a multiple of"]),
    ("ACCESSOR_SMALL_BYTESTRIDE", &["is below its size"]),
    ("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", &["sparse elements of"]),
    ("ACCESSOR_TOO_LONG", &["do not fit its bufferView"]),
    ("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", &["does not start at a multiple of"]),
    ("ACCESSOR_WEIGHTS_NEGATIVE", &["negative weight"]),
    ("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", &["given by a matrix"]),
    ("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", &["no morph targets"]),
    ("ANIMATION_DUPLICATE_TARGETS", &["another channel moves the same property"]),
    ("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", &["has a byteStride"]),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", &["input is not of scalar floats"]),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", &["needs two keys or more"]),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", &["input has no min and max"]),
    ("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", &["its output needs"]),
    ("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", &["does not match its path"]),
    ("ARRAY_TYPE_MISMATCH", &["expected an object"]),
    ("ASSET_MIN_VERSION_GREATER_THAN_VERSION", &["minVersion is above version"]),
    ("BUFFER_BYTE_LENGTH_MISMATCH", &["byteLength is 17, but there are 16"]),
    ("BUFFER_DATA_URI_MIME_TYPE_INVALID", &["media type"]),
    ("BUFFER_MISSING_GLB_DATA", &["no binary chunk"]),
    ("BUFFER_VIEW_INVALID_BYTE_STRIDE", &["byteStride is given", "has a byteStride"]),
    ("BUFFER_VIEW_TARGET_OVERRIDE", &["holds both vertices and indices"]),
    ("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", &["is above byteLength"]),
    ("BUFFER_VIEW_TOO_LONG", &["do not fit buffer"]),
    ("DUPLICATE_ELEMENTS", &["is listed twice"]),
    ("EMPTY_ENTITY", &["is empty"]),
    ("GLB_CHUNK_LENGTH_UNALIGNED", &["is not a multiple of 4"]),
    ("GLB_CHUNK_TOO_BIG", &["are left", "ends inside its header"]),
    ("GLB_DUPLICATE_CHUNK", &["a second chunk of its type"]),
    ("GLB_EMPTY_CHUNK", &["chunk is empty"]),
    ("GLB_INVALID_MAGIC", &["does not start with `glTF`"]),
    ("GLB_INVALID_VERSION", &["only version 2 is supported"]),
    ("GLB_LENGTH_MISMATCH", &["but the file has"]),
    ("GLB_LENGTH_TOO_SMALL", &["leave no room for a chunk"]),
    ("GLB_UNEXPECTED_BIN_CHUNK", &["binary chunk is not the second"]),
    ("GLB_UNEXPECTED_END_OF_CHUNK_DATA", &["but the file has"]),
    ("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", &["ends inside its header"]),
    ("GLB_UNEXPECTED_END_OF_HEADER", &["the file ends inside it"]),
    ("GLB_UNEXPECTED_FIRST_CHUNK", &["first chunk is not JSON"]),
    ("INVALID_IBM_ACCESSOR_COUNT", &["inverse bind matrices"]),
    ("INVALID_JSON", &["byte order mark", " at line "]),
    ("INVALID_URI", &["URI"]),
    ("IO_ERROR", &["No such file"]),
    ("MESH_INVALID_WEIGHTS_COUNT", &["weights, but 1 morph targets"]),
    ("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", &["morph targets, but primitive 0 has"]),
    ("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", &["at multiples of 4 bytes"]),
    ("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", &["at multiples of 4 bytes"]),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", &["is not of three floats"]),
    ("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", &["not single unsigned integers"]),
    ("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", &["indices has a byteStride"]),
    ("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", &["2 sets of joints, but 1 of weights"]),
    ("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", &["POSITION has 4 elements"]),
    ("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", &["POSITION has no min and max"]),
    (
        "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT",
        &["has 3 elements, but others have a different count"],
    ),
    ("NODE_LOOP", &["form a loop"]),
    ("NODE_MATRIX_NON_TRS", &["its matrix"]),
    ("NODE_MATRIX_TRS", &["both a matrix and a translation"]),
    ("NODE_PARENT_OVERRIDE", &["is also a child of node"]),
    ("NODE_SKIN_NO_SCENE", &["does not contain the joints"]),
    ("NODE_SKIN_WITH_NON_SKINNED_MESH", &["primitives without joints"]),
    ("NODE_WEIGHTS_INVALID", &["2 weights, but its mesh has 1 morph targets"]),
    ("PATTERN_MISMATCH", &["is not like `2.0`"]),
    ("ROTATION_NON_UNIT", &["its rotation has length 2 instead of 1"]),
    ("SCENE_NON_ROOT_NODE", &["is not a root"]),
    ("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", &["matrices has a byteStride"]),
    ("SKIN_IBM_INVALID_FORMAT", &["are not 4 by 4 floats"]),
    ("SKIN_SKELETON_INVALID", &["is not above all of its joints"]),
    ("TYPE_MISMATCH", &["is not a JSON object", "invalid type"]),
    ("UNDEFINED_PROPERTY", &["missing field"]),
    ("UNKNOWN_ASSET_MAJOR_VERSION", &["only 2.0 is supported"]),
    ("UNRESOLVED_REFERENCE", &["but there are"]),
    ("UNSATISFIED_DEPENDENCY", &["without a bufferView", "but no mesh", "requires the extension"]),
    ("UNUSED_EXTENSION_REQUIRED", &["missing from extensionsUsed"]),
    ("VALUE_MULTIPLE_OF", &["is not a multiple of 4"]),
    ("VALUE_NOT_IN_RANGE", &["byteLength is 0", "number out of range"]),
];

/// Its pointer is to colours, but the same holds for the positions.
const UNEQUAL_COUNT: &str = "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT";

/// Valid files that are refused nevertheless.
const CLEAN_BUT_REFUSED: &[(&str, &str)] = &[
    ("asset/min_version_valid.gltf", "needs glTF 2.1"),
    ("image/valid.gltf", "its buffer's file is missing from the copy of the tests"),
    ("buffer/non_relative_uri.gltf", "a buffer on the web"),
];

/// Whether a pointer leads to appearance: materials, textures, cameras and the like.
fn is_looks(pointer: &str) -> bool {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let last = parts.last().copied().unwrap_or_default();
    let is_collection = |name: &&str| {
        ["materials", "textures", "images", "samplers", "cameras", "extensions"].contains(name)
    };
    parts.first().is_some_and(is_collection)
        || ["material", "camera"].contains(&last)
        || ["TANGENT", "NORMAL", "COLOR_", "TEXCOORD_", "_"]
            .iter()
            .any(|name| last.starts_with(name))
}

/// Codes that occur in only one file, after another error that is reported first, with a repair of
/// the latter, so that the reason for the code itself is seen. File, code, repair.
type Mend = fn(&mut Value);
const HIDDEN: &[(&str, &str, Mend)] = &[
    ("accessor/matrix_alignment.gltf", "ACCESSOR_MATRIX_ALIGNMENT", |file| {
        file["bufferViews"][0]["byteLength"] = json!(20);
    }),
    ("accessor_data/out_of_range_elements_float.gltf", "ACCESSOR_MAX_MISMATCH", no_min),
    ("accessor_data/out_of_range_elements_float.gltf", "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", no_min),
    (
        "animation_data/invalid_input_values.gltf",
        "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
        |file| {
            // The first key, at -1 s, is removed.
            file["accessors"][0]["byteOffset"] = json!(4);
            file["accessors"][0]["count"] = json!(3);
            file["accessors"][0]["min"] = json!([0]);
        },
    ),
    ("mesh/empty_object.gltf", "ARRAY_TYPE_MISMATCH", |file| {
        file["meshes"] = json!([file["meshes"][3]]);
    }),
    ("mesh_data/joints_weights_complex.gltf", "ACCESSOR_JOINTS_INDEX_OOB", |file| {
        // The negative weights, in the second set, are replaced by those of the first.
        file["accessors"][4]["byteOffset"] = json!(8);
    }),
    ("root/undefined_used_extensions.gltf", "UNUSED_EXTENSION_REQUIRED", |file| {
        file["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    }),
];

fn no_min(file: &mut Value) {
    file["accessors"][0].as_object_mut().unwrap().remove("min");
}

/// The texts for a code of which the reason must contain one; `None` if the code need not be
/// refused.
fn must_say(code: &str) -> Option<&'static [&'static str]> {
    MUST_REFUSE.iter().find(|(known, _)| *known == code).map(|(_, phrases)| *phrases)
}

/// The name by which an error refers to a pointer's element: `/accessors/3/min` is `accessor 3`.
fn element(pointer: &str) -> String {
    let mut parts = pointer.split('/').skip(1);
    let (list, number) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let one = match list {
        "meshes" => "mesh",
        _ => list.strip_suffix('s').unwrap_or(list),
    };
    if number.parse::<usize>().is_ok() && one != list {
        format!("{one} {number}")
    } else {
        one.into()
    }
}

#[test]
fn agrees_with_the_validator() {
    let Some(folder) = shared("malformed/gltf-validator/base/data") else { return };
    let files = gltf_files(&folder);
    assert!(files.len() > 200, "only {} files under {}", files.len(), folder.display());
    let mut disagreements = Vec::new();
    // Codes that occur in parts that are used, and those for which a reason was seen.
    let (mut occur, mut explained) = (BTreeSet::new(), BTreeSet::new());
    for file in &files {
        let name = file.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
        let errors = errors(file);
        for (code, _) in &errors {
            let known = must_say(code).is_some() || MAY_LOAD.iter().any(|(may, _)| may == code);
            assert!(known, "{name}: the code {code} is in neither table");
        }
        let must: Vec<_> = errors
            .iter()
            .filter(|(code, pointer)| !is_looks(pointer) || code == UNEQUAL_COUNT)
            .filter_map(|(code, pointer)| Some((code, pointer, must_say(code)?)))
            .collect();
        occur.extend(must.iter().map(|(code, ..)| (*code).clone()));
        let exempt = CLEAN_BUT_REFUSED.iter().any(|(exempt, _)| *exempt == name);
        match pliant_io::read_gltf(file) {
            Ok(_) => {
                if let Some((code, pointer, _)) = must.first() {
                    disagreements.push(format!("{name} loads, but {code} at {pointer}"));
                } else if exempt {
                    disagreements.push(format!("{name} loads, though it is listed as refused"));
                }
            }
            Err(error) if must.is_empty() => {
                if !exempt {
                    disagreements
                        .push(format!("{name} has nothing that we use wrong, but {error}"));
                }
            }
            Err(error) => {
                // One error is reported; it must be one of the validator's, at its element.
                let reason = error.to_string();
                let file = format!("{}: ", file.display());
                let reason = reason.strip_prefix(&file).unwrap_or(&reason);
                let says = |phrases: &[&str]| phrases.iter().any(|phrase| reason.contains(phrase));
                let fitting = must.iter().filter(|(code, pointer, phrases)| {
                    says(phrases) && (reason.contains(&element(pointer)) || *code == "IO_ERROR")
                });
                let fitting: Vec<_> = fitting.map(|(code, ..)| (*code).clone()).collect();
                if fitting.is_empty() {
                    let codes: BTreeSet<_> = must.iter().map(|(code, ..)| code).collect();
                    disagreements.push(format!("{name}: none of {codes:?} is {reason:?}"));
                }
                explained.extend(fitting);
            }
        }
    }
    for (name, code, mend) in HIDDEN {
        let path = folder.join(name);
        let mut file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        mend(&mut file);
        embed(&mut file, path.parent().unwrap());
        let outcome = pliant_io::read_gltf_bytes(file.to_string().as_bytes(), name);
        let reason = outcome.map(|_| ()).unwrap_err().to_string();
        let phrases = must_say(code).unwrap();
        if phrases.iter().any(|phrase| reason.contains(phrase)) {
            explained.insert((*code).to_owned());
        } else {
            disagreements.push(format!("{name}, mended: {code} is not {reason:?}"));
        }
    }
    let unexplained: Vec<_> = occur.difference(&explained).collect();
    assert!(disagreements.is_empty(), "\n{}", disagreements.join("\n"));
    assert!(unexplained.is_empty(), "no file shows the reason for {unexplained:?}");
}

/// Embeds the buffers of a file in the file.
fn embed(file: &mut Value, folder: &Path) {
    for buffer in file["buffers"].as_array_mut().into_iter().flatten() {
        if let Some(uri) = buffer["uri"].as_str().filter(|uri| !uri.starts_with("data:")) {
            buffer["uri"] = json!(data_uri(&fs::read(folder.join(uri)).unwrap()));
        }
    }
}

/// Code and pointer of every error in a file's report.
fn errors(file: &Path) -> Vec<(String, String)> {
    let mut report = file.as_os_str().to_owned();
    report.push(".report.json");
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    let messages = report["issues"]["messages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    messages
        .iter()
        .filter(|message| message["severity"] == 0)
        .map(|message| (text(&message["code"]), text(&message["pointer"])))
        .collect()
}
