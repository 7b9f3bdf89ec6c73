//! The JSON of a glTF file: only the parts for geometry, nodes, skins and animations.
//!
//! Unknown properties are ignored, as the format requires; `null` counts as absent. Each element of
//! a top-level array is parsed separately, so that an error names it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::Source;
use super::json_values::{Count, List, Object};
use crate::Result;

/// An element's extensions by name, as text.
pub(super) type Extensions = BTreeMap<String, Box<RawValue>>;

/// Attribute names and their accessors.
pub(super) type Attributes = BTreeMap<String, Count>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Root<'a> {
    #[serde(borrow)]
    asset: &'a RawValue,
    scene: Option<Count>,
    #[serde(default)]
    extensions_used: List<String>,
    #[serde(default)]
    extensions_required: List<String>,
    #[serde(borrow)]
    scenes: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    nodes: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    meshes: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    materials: Option<&'a RawValue>,
    #[serde(borrow)]
    skins: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    animations: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    accessors: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    buffer_views: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    buffers: Option<Vec<&'a RawValue>>,
}

/// The parts of a glTF document that are used.
pub(super) struct Document {
    pub(super) asset: Asset,
    pub(super) scene: Option<Count>,
    pub(super) extensions_used: List<String>,
    pub(super) extensions_required: List<String>,
    pub(super) scenes: Vec<SceneNodes>,
    pub(super) nodes: Vec<NodeJson>,
    pub(super) meshes: Vec<MeshJson>,
    /// The names of all materials: their own, or `material` and their number.
    pub(super) materials: Vec<Arc<str>>,
    pub(super) skins: Vec<SkinJson>,
    pub(super) animations: Vec<AnimationJson>,
    pub(super) accessors: Vec<AccessorJson>,
    pub(super) buffer_views: Vec<BufferViewJson>,
    pub(super) buffers: Vec<BufferJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SceneNodes {
    #[serde(default)]
    pub(super) nodes: List<Count>,
}

#[derive(Deserialize)]
pub(super) struct NodeJson {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: List<Count>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) mesh: Option<Count>,
    pub(super) skin: Option<Count>,
    pub(super) weights: Option<List<f64>>,
}

#[derive(Deserialize)]
pub(super) struct MeshJson {
    pub(super) name: Option<String>,
    pub(super) primitives: List<Object<PrimitiveJson>>,
    pub(super) weights: Option<List<f64>>,
}

#[derive(Deserialize)]
pub(super) struct PrimitiveJson {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<Count>,
    pub(super) material: Option<Count>,
    pub(super) mode: Option<Count>,
    #[serde(default)]
    pub(super) targets: List<Attributes>,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkinJson {
    pub(super) joints: List<Count>,
    pub(super) inverse_bind_matrices: Option<Count>,
    pub(super) skeleton: Option<Count>,
}

#[derive(Deserialize)]
pub(super) struct AnimationJson {
    pub(super) name: Option<String>,
    pub(super) channels: List<Object<ChannelJson>>,
    pub(super) samplers: List<Object<SamplerJson>>,
}

#[derive(Deserialize)]
pub(super) struct ChannelJson {
    pub(super) sampler: Count,
    pub(super) target: Object<TargetJson>,
}

#[derive(Deserialize)]
pub(super) struct TargetJson {
    pub(super) node: Option<Count>,
    pub(super) path: String,
}

#[derive(Deserialize)]
pub(super) struct SamplerJson {
    pub(super) input: Count,
    pub(super) output: Count,
    pub(super) interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccessorJson {
    pub(super) buffer_view: Option<Count>,
    pub(super) byte_offset: Option<Count>,
    pub(super) component_type: Count,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: Count,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) min: Option<List<f64>>,
    pub(super) max: Option<List<f64>>,
    pub(super) sparse: Option<Object<SparseJson>>,
}

#[derive(Deserialize)]
pub(super) struct SparseJson {
    pub(super) count: Count,
    pub(super) indices: Object<SparsePartJson>,
    pub(super) values: Object<SparsePartJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparsePartJson {
    pub(super) buffer_view: Count,
    pub(super) byte_offset: Option<Count>,
    pub(super) component_type: Option<Count>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferViewJson {
    pub(super) buffer: Count,
    pub(super) byte_offset: Option<Count>,
    pub(super) byte_length: Count,
    pub(super) byte_stride: Option<Count>,
    pub(super) target: Option<Count>,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferJson {
    pub(super) uri: Option<String>,
    pub(super) byte_length: Count,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

/// Parses the whole text.
pub(super) fn parse(text: &[u8], source: Source<'_>) -> Result<Document> {
    if text.starts_with(b"\xEF\xBB\xBF") {
        return Err(source.malformed("JSON", "it starts with a byte order mark"));
    }
    let text = std::str::from_utf8(text)
        .map_err(|error| source.malformed("JSON", format!("it is not UTF-8: {error}")))?;
    if text.trim_start().starts_with('[') {
        return Err(source.malformed("JSON", "it is not a JSON object"));
    }
    let root: Root<'_> =
        serde_json::from_str(text).map_err(|error| source.malformed("JSON", whole(&error)))?;
    Ok(Document {
        asset: element(root.asset, "asset".into(), source)?,
        scene: root.scene,
        extensions_used: root.extensions_used,
        extensions_required: root.extensions_required,
        scenes: elements(root.scenes, "scene", source)?,
        nodes: elements(root.nodes, "node", source)?,
        meshes: elements(root.meshes, "mesh", source)?,
        materials: material_names(root.materials),
        skins: elements(root.skins, "skin", source)?,
        animations: elements(root.animations, "animation", source)?,
        accessors: elements(root.accessors, "accessor", source)?,
        buffer_views: elements(root.buffer_views, "bufferView", source)?,
        buffers: elements(root.buffers, "buffer", source)?,
    })
}

/// The names of materials. What is wrong with materials concerns the appearance, and makes them
/// nameless.
fn material_names(list: Option<&RawValue>) -> Vec<Arc<str>> {
    #[derive(Deserialize)]
    struct Named {
        name: Option<String>,
    }
    let list: Option<Vec<&RawValue>> = list.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let name = |(index, raw): (usize, &RawValue)| {
        let named: Option<Named> = serde_json::from_str(raw.get()).ok();
        named.and_then(|it| it.name).unwrap_or_else(|| format!("material {index}")).into()
    };
    list.into_iter().flatten().enumerate().map(name).collect()
}

fn elements<T: DeserializeOwned>(
    list: Option<Vec<&RawValue>>,
    kind: &str,
    source: Source<'_>,
) -> Result<Vec<T>> {
    if list.as_ref().is_some_and(Vec::is_empty) {
        return Err(source.malformed("JSON", format!("the array of {kind} elements is empty")));
    }
    let elements = list.into_iter().flatten().enumerate();
    elements.map(|(index, raw)| element(raw, format!("{kind} {index}"), source)).collect()
}

fn element<T: DeserializeOwned>(raw: &RawValue, name: String, source: Source<'_>) -> Result<T> {
    // An object, as in [`Object`].
    if !raw.get().starts_with('{') {
        return Err(source.malformed(name, "it is not a JSON object"));
    }
    serde_json::from_str(raw.get()).map_err(|error| source.malformed(name, without_place(&error)))
}

/// The message of an error in the whole text; it includes the position only for invalid JSON.
pub(super) fn whole(error: &serde_json::Error) -> String {
    if error.is_data() { without_place(error) } else { error.to_string() }
}

/// The message without line and column, which would be relative to the element.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message,
    }
}
