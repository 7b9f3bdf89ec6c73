//! Assembly of a scene from the parts of a file.

use std::path::Path;
use std::sync::Arc;

use super::Source;
use super::accessor::Reader;
use super::buffers::{self, Buffers};
use super::json::{self, Document, NodeJson};
use super::meshes::{self, MeshData};
use super::nodes::Hierarchy;
use super::primitive::is_shape;
use super::{animations, asset, container, skins};
use crate::Result;
use crate::scene::{Deformation, Object, Scene, SceneParts, Skin, Warning};

/// Reads a whole file.
pub(super) fn read(bytes: &[u8], file: &Path, folder: Option<&Path>) -> Result<Scene> {
    let source = Source { file };
    let mut warnings = Vec::new();
    let container = container::split(bytes, source, &mut warnings)?;
    let document = json::parse(container.json, source)?;
    asset::check(&document, source, &mut warnings)?;
    let buffers = Buffers::load(&document, &container, folder, source, &mut warnings)?;
    for (index, view) in document.buffer_views.iter().enumerate() {
        buffers::check_view(view, &document.buffers, &format!("bufferView {index}"), source)?;
    }
    let reader = Reader::new(source, &document, buffers, bytes.len() as u64)?;
    for (index, is_unread) in appearance_only(&document).into_iter().enumerate() {
        if !is_unread {
            reader.check_bounds(index, &mut warnings)?;
        }
    }
    let hierarchy = Hierarchy::read(&document, source, &mut warnings)?;
    let shown = hierarchy.shown(&document, source)?;
    let skins = skins::read(&reader, &hierarchy, &mut warnings)?;
    let meshes = meshes::read(&reader)?;
    let targets: Vec<usize> = meshes.iter().map(|mesh| mesh.targets).collect();
    let animations = animations::read(&reader, &hierarchy, &targets, &mut warnings)?;
    let is_complete = |skin: &Skin| skin.joints.iter().all(|&joint| shown[joint]);
    let complete = skins.iter().map(is_complete).collect();
    let stage = Stage { reader: &reader, meshes: &meshes, skins: &skins, shown, complete };
    let objects = stage.objects(&mut warnings)?;
    let parts = SceneParts { nodes: hierarchy.nodes, objects, skins, animations, warnings };
    Scene::new(parts).map_err(|error| source.malformed(error.element, error.reason))
}

/// For each accessor, whether only the appearance uses it, as for normals and colours. The data of
/// such accessors is not read.
fn appearance_only(document: &Document) -> Vec<bool> {
    let mut is_unread = vec![false; document.accessors.len()];
    let primitives = || document.meshes.iter().flat_map(|mesh| mesh.primitives.iter());
    let attributes = || {
        primitives().flat_map(|primitive| {
            let sets = primitive.targets.iter().chain([&primitive.attributes]);
            sets.flat_map(|set| set.iter())
        })
    };
    let mut mark = |accessor: usize, appearance: bool| {
        if let Some(entry) = is_unread.get_mut(accessor) {
            *entry = appearance;
        }
    };
    for (_, accessor) in attributes().filter(|(name, _)| !is_shape(name)) {
        mark(accessor.index(), true);
    }
    // Accessors that the geometry uses as well are checked.
    for (_, accessor) in attributes().filter(|(name, _)| is_shape(name)) {
        mark(accessor.index(), false);
    }
    let indices = primitives().filter_map(|primitive| primitive.indices);
    let bind = document.skins.iter().filter_map(|skin| skin.inverse_bind_matrices);
    let samplers = document.animations.iter().flat_map(|animation| animation.samplers.iter());
    let keys = samplers.flat_map(|sampler| [sampler.input, sampler.output]);
    for accessor in indices.chain(bind).chain(keys) {
        mark(accessor.index(), false);
    }
    is_unread
}

/// The inputs for making objects.
struct Stage<'a> {
    reader: &'a Reader<'a>,
    meshes: &'a [MeshData],
    skins: &'a [Skin],
    /// For each node, whether it is in the scene.
    shown: Vec<bool>,
    /// For each skin, whether all of its joints are in the scene.
    complete: Vec<bool>,
}

impl Stage<'_> {
    /// One object per shown mesh node, in node order.
    fn objects(&self, warnings: &mut Vec<Warning>) -> Result<Vec<Object>> {
        let document = self.reader.document;
        let mut objects = Vec::new();
        let mut is_told = vec![false; self.meshes.len()];
        for (index, node) in document.nodes.iter().enumerate() {
            let Some(mesh) = node.mesh.map(|mesh| mesh.index()) else { continue };
            let element = format!("node {index}");
            let data = self.reader.source.find(self.meshes, mesh, &element, "mesh")?;
            self.check_weights(node, data, &element)?;
            let skin = self.check_skin(node, data, index, &element)?;
            if !self.shown[index] {
                continue;
            }
            if !std::mem::replace(&mut is_told[mesh], true) {
                warnings.extend(data.warnings.iter().cloned());
            }
            let Some(shape) = &data.mesh else { continue };
            let deformation = match (skin, &data.skin, data.morph.clone()) {
                (Some(skin), Some(weights), morph) => {
                    Deformation::Skin { skin, weights: weights.clone(), morph }
                }
                (_, _, Some(morph)) => Deformation::Morph(morph),
                (_, _, None) => Deformation::Rigid,
            };
            let mesh_name = document.meshes[mesh].name.as_ref();
            // Names and weights are copied, and many nodes could use one long list.
            let copied = data.targets + mesh_name.map_or(0, String::len);
            self.reader.spend(copied as u64, &element)?;
            let name = node.name.as_ref().or(mesh_name).cloned().unwrap_or(element);
            let mut object = Object::new(name, index, shape.clone(), deformation);
            object.default_weights = match &node.weights {
                Some(weights) => weights.to_vec(),
                None => data.weights.clone(),
            };
            object.materials = Arc::clone(&data.materials);
            objects.push(object);
        }
        Ok(objects)
    }

    fn check_weights(&self, node: &NodeJson, data: &MeshData, element: &str) -> Result<()> {
        match &node.weights {
            Some(weights) if weights.len() != data.targets => {
                let (count, targets) = (weights.len(), data.targets);
                let reason =
                    format!("it has {count} weights, but its mesh has {targets} morph targets");
                Err(self.reader.source.malformed(element, reason))
            }
            _ => Ok(()),
        }
    }

    /// The skin of a node, checked against its mesh.
    fn check_skin(
        &self,
        node: &NodeJson,
        data: &MeshData,
        index: usize,
        element: &str,
    ) -> Result<Option<usize>> {
        let Some(number) = node.skin.map(|skin| skin.index()) else { return Ok(None) };
        let fail = |reason: String| Err(self.reader.source.malformed(element, reason));
        let skin = self.reader.source.find(self.skins, number, element, "skin")?;
        if !data.has_joints {
            return fail("it has a skin, but its mesh has primitives without joints".into());
        }
        let joints = skin.joints.len();
        if let Some(joint) = data.max_joint.filter(|&joint| joint as usize >= joints) {
            return fail(format!("its mesh names joint {joint}, but skin {number} has {joints}"));
        }
        if self.shown[index] && !self.complete[number] {
            return fail(format!("its scene does not contain the joints of skin {number}"));
        }
        Ok(Some(number))
    }
}
