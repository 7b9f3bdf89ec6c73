//! Writes a scene as GLB, for any program that reads glTF 2.0.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use pliant::glam::{DVec3, DVec4};
use serde_json::{Map, Value, json};

use super::write_buffer::{Target, WriteBuffer};
use crate::scene::{
    Deformation, NodeTransform, Object, Scene, SceneError, ShapeKey, Skin, SkinWeights,
    keyframes_to_morph_targets, topmost,
};
use crate::{Error, Result};

/// The largest deviation of a rotation from unit length that is written unchanged.
pub(super) const UNIT_SLACK: f64 = 1e-6;

/// Writes a scene as a GLB file.
///
/// See [`glb_bytes`] for the contents.
///
/// # Errors
/// [`Error::Io`]; [`Error::Unsupported`] if the format cannot represent the scene.
pub fn write_glb(scene: &Scene, path: impl AsRef<Path>) -> Result<()> {
    let file = path.as_ref();
    let bytes =
        glb_bytes(scene).map_err(|error| Error::unsupported(file, error.element, error.reason))?;
    std::fs::write(file, bytes).map_err(|source| Error::Io { file: file.into(), source })
}

/// Returns a scene as the bytes of a GLB.
///
/// Nodes keep their numbers and `f64` transforms. Positions, displacements, weights, matrices and
/// keys are rounded to `f32`. Keyframes become morph targets with an animation that interpolates
/// from one to the next. Animations that move nothing are left out, since the format does not allow
/// them. Materials are not written.
///
/// # Errors
/// A number too large for `f32`, keys that `f32` cannot distinguish or that are before time 0, more
/// than 65536 joints, more than 4 GiB.
///
/// ```
/// use pliant::{Mesh, glam::DVec3};
/// use pliant_io::{Deformation, Node, NodeTransform, Object, Scene, SceneParts};
///
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let scene = Scene::new(SceneParts {
///     nodes: vec![Node { name: None, parent: None, transform: NodeTransform::IDENTITY }],
///     objects: vec![Object::new("sheet", 0, mesh, Deformation::Rigid)],
///     ..SceneParts::default()
/// })?;
/// let bytes = pliant_io::glb_bytes(&scene)?;
/// let again = pliant_io::read_gltf_bytes(&bytes, "sheet.glb")?;
/// assert_eq!(again.objects()[0].mesh, scene.objects()[0].mesh);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn glb_bytes(scene: &Scene) -> std::result::Result<Vec<u8>, SceneError> {
    let converted;
    let has_frames = |object: &Object| matches!(object.deformation, Deformation::Keyframes(_));
    let scene = if scene.objects().iter().any(has_frames) {
        converted = keyframes_to_morph_targets(scene)?;
        &converted
    } else {
        scene
    };
    let mut writer = Writer::default();
    let mut nodes = writer.nodes(scene)?;
    let skins = writer.skins(scene)?;
    // Weights of a node without an object, or whose object has no targets, move nothing.
    let morphed = scene.objects().iter().filter(|object| !object.default_weights.is_empty());
    let morphed: HashSet<usize> = morphed.map(|object| object.node).collect();
    let mut animations = Vec::new();
    for (index, animation) in scene.animations().iter().enumerate() {
        let element = format!("animation {index}");
        animations.extend(writer.animation(animation, &morphed, &element)?);
    }
    let roots = (0..scene.nodes().len()).filter(|&node| scene.nodes()[node].parent.is_none());
    let mut roots: Vec<usize> = roots.collect();
    if !scene.skins().is_empty() && !joints_have_one_root(scene) {
        // The format requires the joints of a skin to be below one node: an additional last node
        // that does not move is the parent of all others.
        nodes.push(json!({ "children": roots }));
        roots = vec![nodes.len() - 1];
    }
    let mut root = json!({
        "asset": { "version": "2.0", "generator": concat!("pliant ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [if roots.is_empty() { json!({}) } else { json!({ "nodes": roots }) }],
    });
    let buffer = writer.buffer;
    let buffers = match buffer.bytes.len() {
        0 => vec![],
        length => vec![json!({ "byteLength": length })],
    };
    for (name, list) in [
        ("nodes", nodes),
        ("meshes", writer.meshes),
        ("skins", skins),
        ("animations", animations),
        ("accessors", buffer.accessors),
        ("bufferViews", buffer.views),
        ("buffers", buffers),
    ] {
        if !list.is_empty() {
            root[name] = Value::Array(list);
        }
    }
    container(root.to_string().into_bytes(), buffer.bytes)
}

/// Whether the joints of each skin have the same root.
fn joints_have_one_root(scene: &Scene) -> bool {
    let root = topmost(scene.nodes(), scene.parents_first());
    scene.skins().iter().all(|skin| {
        let mut joints = skin.joints.iter().map(|&joint| root[joint]);
        let first = joints.next();
        joints.all(|root| Some(root) == first)
    })
}

/// Puts JSON and binary data into a GLB.
fn container(mut json: Vec<u8>, mut bin: Vec<u8>) -> std::result::Result<Vec<u8>, SceneError> {
    json.resize(json.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let bin_chunk = if bin.is_empty() { 0 } else { 8 + bin.len() };
    let length = 12 + 8 + json.len() + bin_chunk;
    let Ok(length) = u32::try_from(length) else {
        return Err(SceneError::new("scene", "it needs more than the 4 GiB of a GLB"));
    };
    let mut glb = Vec::with_capacity(length as usize);
    glb.extend(b"glTF");
    glb.extend(2u32.to_le_bytes());
    glb.extend(length.to_le_bytes());
    // Both chunks are shorter than the whole.
    glb.extend((json.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(json);
    if !bin.is_empty() {
        glb.extend((bin.len() as u32).to_le_bytes());
        glb.extend(b"BIN\0");
        glb.extend(bin);
    }
    Ok(glb)
}

#[derive(Default)]
pub(super) struct Writer {
    pub(super) buffer: WriteBuffer,
    meshes: Vec<Value>,
    /// Objects of one shape share a mesh.
    known: HashMap<ShapeKey, usize>,
}

pub(super) type Written<T> = std::result::Result<T, SceneError>;

impl Writer {
    fn nodes(&mut self, scene: &Scene) -> Written<Vec<Value>> {
        let mut nodes: Vec<Map<String, Value>> = Vec::with_capacity(scene.nodes().len());
        let mut children = vec![Vec::new(); scene.nodes().len()];
        for (index, node) in scene.nodes().iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(index);
            }
            let mut out = Map::new();
            if let Some(name) = &node.name {
                out.insert("name".into(), json!(name));
            }
            write_transform(&node.transform, &mut out);
            nodes.push(out);
        }
        for (out, children) in nodes.iter_mut().zip(children) {
            if !children.is_empty() {
                out.insert("children".into(), json!(children));
            }
        }
        for (index, object) in scene.objects().iter().enumerate() {
            let mesh = self.mesh(object, scene.skins(), &format!("object {index}"))?;
            let out = &mut nodes[object.node];
            out.insert("mesh".into(), json!(mesh));
            // A node without a name goes by the name of its mesh, which others may share.
            let known = out.get("name").unwrap_or(&self.meshes[mesh]["name"]);
            if known.as_str() != Some(&object.name) {
                out.insert("name".into(), json!(object.name));
            }
            if let Deformation::Skin { skin, .. } = object.deformation {
                out.insert("skin".into(), json!(skin));
            }
            if !object.default_weights.is_empty() {
                out.insert("weights".into(), json!(object.default_weights));
            }
        }
        Ok(nodes.into_iter().map(Value::Object).collect())
    }

    fn mesh(&mut self, object: &Object, skins: &[Skin], element: &str) -> Written<usize> {
        let morph = object.deformation.morph_targets();
        let weights = match &object.deformation {
            Deformation::Skin { weights, .. } => Some(weights),
            _ => None,
        };
        let key = ShapeKey::new(object, skins);
        if let Some(&mesh) = self.known.get(&key) {
            return Ok(mesh);
        }
        let mut attributes = Map::new();
        let positions = object.mesh.positions();
        attributes.insert("POSITION".into(), json!(self.vectors(positions, element)?));
        if let Some(weights) = weights {
            self.influences(weights, positions.len(), &mut attributes, element)?;
        }
        let indices = self.buffer.triangles(object.mesh.triangles(), positions.len());
        let mut primitive = json!({ "attributes": attributes, "indices": indices });
        let mut targets = Vec::new();
        for deltas in morph.iter().flat_map(|morph| &morph.deltas) {
            targets.push(json!({ "POSITION": self.vectors(deltas, element)? }));
        }
        if !targets.is_empty() {
            primitive["targets"] = Value::Array(targets);
        }
        self.meshes.push(json!({ "name": object.name, "primitives": [primitive] }));
        self.known.insert(key, self.meshes.len() - 1);
        Ok(self.meshes.len() - 1)
    }

    fn vectors(&mut self, vectors: &[DVec3], element: &str) -> Written<usize> {
        let numbers = vectors.iter().flat_map(|vector| vector.to_array());
        self.buffer.floats("VEC3", 3, numbers, Some(Target::Vertices), element)
    }

    /// Joints and weights in as many sets of four as the vertex with the most influences needs.
    fn influences(
        &mut self,
        weights: &SkinWeights,
        vertices: usize,
        attributes: &mut Map<String, Value>,
        element: &str,
    ) -> Written<()> {
        let busiest = (0..vertices).map(|vertex| weights.of(vertex).len()).max().unwrap_or(0);
        for set in 0..busiest.div_ceil(4).max(1) {
            let mut joints = vec![[0; 4]; vertices];
            let mut numbers = vec![0.0; vertices * 4];
            for vertex in 0..vertices {
                for (place, influence) in
                    weights.of(vertex).iter().skip(set * 4).take(4).enumerate()
                {
                    joints[vertex][place] = u16::try_from(influence.joint).map_err(|_| {
                        SceneError::new(element, "it names more joints than 16 bits can number")
                    })?;
                    numbers[vertex * 4 + place] = influence.weight;
                }
            }
            let joints = self.buffer.joints(&joints);
            let vertices = Some(Target::Vertices);
            let numbers = numbers.into_iter();
            let weights = self.buffer.floats("VEC4", 4, numbers, vertices, element)?;
            attributes.insert(format!("JOINTS_{set}"), json!(joints));
            attributes.insert(format!("WEIGHTS_{set}"), json!(weights));
        }
        Ok(())
    }

    fn skins(&mut self, scene: &Scene) -> Written<Vec<Value>> {
        let mut skins = Vec::new();
        for (index, skin) in scene.skins().iter().enumerate() {
            let columns = skin.inverse_bind.iter().flat_map(|matrix| {
                let [a, b, c, d, e, f, g, h, i, x, y, z] = matrix.to_cols_array();
                [a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0, x, y, z, 1.0]
            });
            let element = format!("skin {index}");
            let matrices = self.buffer.floats("MAT4", 16, columns, None, &element)?;
            skins.push(json!({ "joints": skin.joints, "inverseBindMatrices": matrices }));
        }
        Ok(skins)
    }
}

fn write_transform(transform: &NodeTransform, out: &mut Map<String, Value>) {
    match *transform {
        NodeTransform::Matrix(matrix) => {
            let [a, b, c, d, e, f, g, h, i, x, y, z] = matrix.to_cols_array();
            let columns = [a, b, c, 0.0, d, e, f, 0.0, g, h, i, 0.0, x, y, z, 1.0];
            out.insert("matrix".into(), json!(columns));
        }
        NodeTransform::Trs { translation, rotation, scale } => {
            if translation != DVec3::ZERO {
                out.insert("translation".into(), json!(translation.to_array()));
            }
            if rotation != DVec4::W {
                let is_unit = (rotation.length() - 1.0).abs() <= UNIT_SLACK;
                let rotation = if is_unit { rotation } else { rotation.normalize_or_zero() };
                out.insert("rotation".into(), json!(rotation.to_array()));
            }
            if scale != DVec3::ONE {
                out.insert("scale".into(), json!(scale.to_array()));
            }
        }
    }
}
