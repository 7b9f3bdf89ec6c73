//! Every file of the Khronos validator's own tests: what its reports call an
//! error in something that is read here is refused; what they call clean loads.
//!
//! The files are not part of the repository; without them the test says so.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{gltf_files, shared};
use serde_json::Value;

/// Codes that need not be refused: they concern looks or notes, or are mended.
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

/// Codes that must be refused where their pointer is not to looks.
const MUST_REFUSE: &[&str] = &[
    "ACCESSOR_ANIMATION_INPUT_NEGATIVE",
    "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
    "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
    "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND",
    "ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND",
    "ACCESSOR_INDEX_OOB",
    "ACCESSOR_INDEX_PRIMITIVE_RESTART",
    "ACCESSOR_INVALID_FLOAT",
    "ACCESSOR_INVALID_IBM",
    "ACCESSOR_JOINTS_INDEX_OOB",
    "ACCESSOR_MATRIX_ALIGNMENT",
    "ACCESSOR_MAX_MISMATCH",
    "ACCESSOR_MIN_MISMATCH",
    "ACCESSOR_NORMALIZED_INVALID",
    "ACCESSOR_OFFSET_ALIGNMENT",
    "ACCESSOR_SMALL_BYTESTRIDE",
    "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE",
    "ACCESSOR_TOO_LONG",
    "ACCESSOR_TOTAL_OFFSET_ALIGNMENT",
    "ACCESSOR_WEIGHTS_NEGATIVE",
    "ANIMATION_CHANNEL_TARGET_NODE_MATRIX",
    "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS",
    "ANIMATION_DUPLICATE_TARGETS",
    "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE",
    "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT",
    "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
    "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS",
    "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
    "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
    "ARRAY_TYPE_MISMATCH",
    "ASSET_MIN_VERSION_GREATER_THAN_VERSION",
    "BUFFER_BYTE_LENGTH_MISMATCH",
    "BUFFER_DATA_URI_MIME_TYPE_INVALID",
    "BUFFER_MISSING_GLB_DATA",
    "BUFFER_VIEW_INVALID_BYTE_STRIDE",
    "BUFFER_VIEW_TARGET_OVERRIDE",
    "BUFFER_VIEW_TOO_BIG_BYTE_STRIDE",
    "BUFFER_VIEW_TOO_LONG",
    "DUPLICATE_ELEMENTS",
    "EMPTY_ENTITY",
    "GLB_CHUNK_LENGTH_UNALIGNED",
    "GLB_CHUNK_TOO_BIG",
    "GLB_DUPLICATE_CHUNK",
    "GLB_EMPTY_CHUNK",
    "GLB_INVALID_MAGIC",
    "GLB_INVALID_VERSION",
    "GLB_LENGTH_MISMATCH",
    "GLB_LENGTH_TOO_SMALL",
    "GLB_UNEXPECTED_BIN_CHUNK",
    "GLB_UNEXPECTED_END_OF_CHUNK_DATA",
    "GLB_UNEXPECTED_END_OF_CHUNK_HEADER",
    "GLB_UNEXPECTED_END_OF_HEADER",
    "GLB_UNEXPECTED_FIRST_CHUNK",
    "INVALID_IBM_ACCESSOR_COUNT",
    "INVALID_JSON",
    "INVALID_URI",
    "IO_ERROR",
    "MESH_INVALID_WEIGHTS_COUNT",
    "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT",
    "MESH_PRIMITIVE_ACCESSOR_UNALIGNED",
    "MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE",
    "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
    "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT",
    "MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE",
    "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH",
    "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
    "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
    "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT",
    "NODE_LOOP",
    "NODE_MATRIX_NON_TRS",
    "NODE_MATRIX_TRS",
    "NODE_PARENT_OVERRIDE",
    "NODE_SKIN_NO_SCENE",
    "NODE_SKIN_WITH_NON_SKINNED_MESH",
    "NODE_WEIGHTS_INVALID",
    "PATTERN_MISMATCH",
    "ROTATION_NON_UNIT",
    "SCENE_NON_ROOT_NODE",
    "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE",
    "SKIN_IBM_INVALID_FORMAT",
    "SKIN_SKELETON_INVALID",
    "TYPE_MISMATCH",
    "UNDEFINED_PROPERTY",
    "UNKNOWN_ASSET_MAJOR_VERSION",
    "UNRESOLVED_REFERENCE",
    "UNSATISFIED_DEPENDENCY",
    "UNUSED_EXTENSION_REQUIRED",
    "VALUE_MULTIPLE_OF",
    "VALUE_NOT_IN_RANGE",
];

/// Clean files that are refused all the same.
const CLEAN_BUT_REFUSED: &[(&str, &str)] = &[
    ("asset/min_version_valid.gltf", "needs glTF 2.1"),
    ("image/valid.gltf", "its buffer's file is missing from the copy of the tests"),
    ("buffer/non_relative_uri.gltf", "a buffer on the web"),
];

/// Whether a pointer leads to looks: materials, textures, cameras and the like.
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

#[test]
fn agrees_with_the_validator() {
    let Some(folder) = shared("malformed/gltf-validator/base/data") else { return };
    let files = gltf_files(&folder);
    assert!(files.len() > 200, "only {} files under {}", files.len(), folder.display());
    let mut disagreements = Vec::new();
    let mut table: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for file in &files {
        let name = file.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
        let errors = errors(file);
        let must = errors.iter().find(|(code, pointer)| {
            let known = MUST_REFUSE.contains(&code.as_str());
            assert!(
                known || MAY_LOAD.iter().any(|(may, _)| may == code),
                "{name}: the code {code} is in neither table"
            );
            known && !is_looks(pointer)
        });
        let outcome = pliant_io::read_gltf(file);
        for (code, pointer) in &errors {
            let entry = table.entry(code.clone()).or_default();
            entry.0 += usize::from(!is_looks(pointer));
            entry.1 += usize::from(!is_looks(pointer) && outcome.is_err());
        }
        let exempt = CLEAN_BUT_REFUSED.iter().any(|(exempt, _)| *exempt == name);
        match (&outcome, must) {
            (Ok(_), Some((code, pointer))) => {
                disagreements.push(format!("{name} loads, but {code} at {pointer}"));
            }
            (Err(error), None) if errors.is_empty() && !exempt => {
                disagreements.push(format!("{name} is clean, but {error}"));
            }
            (Ok(_), None) if exempt => {
                disagreements.push(format!("{name} loads, though it is listed as refused"));
            }
            (Err(error), _) => println!("{name}: {error}"),
            (Ok(_), None) => {}
        }
    }
    for (code, (all, refused)) in &table {
        println!("{code:64} {refused:3} of {all:3} refused");
    }
    assert!(disagreements.is_empty(), "\n{}", disagreements.join("\n"));
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
