//! The appearance of a glTF file: base colours and their textures, for those who draw it.
//!
//! Nothing of it decides where things touch, so it is read on its own, when somebody asks. What
//! cannot be read is left out and said; it never makes a file unreadable.

mod coordinates;
mod images;
mod materials;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::accessor::Reader;
use super::buffers::{self, Buffers};
use super::container::Container;
use super::json::Document;
use super::primitive::{Roles, Scope};
use super::{Source, container, folder_of, json};
use crate::file::extension;
use crate::scene::{Object, Scene, Warning};
use crate::{Error, Result, read_file};
pub use images::Image;
use materials::Root;

/// Base colours and textures of a file's objects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Appearance {
    /// The materials of the file.
    pub materials: Vec<Material>,
    /// The pictures that they use.
    pub images: Vec<Image>,
    /// One per object of the scene; `None` if nothing is known of it. Objects of one mesh share it.
    pub objects: Vec<Option<Arc<Look>>>,
    /// What was left out.
    pub omitted: Vec<Warning>,
}

/// What the triangles of an object look like.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// The materials of its triangles, in order.
    pub runs: Vec<LookRun>,
    /// The place of each vertex in the picture of its material; empty if it needs none.
    pub coordinates: Vec<[f32; 2]>,
}

/// The material of consecutive triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookRun {
    /// The triangle after the last one of the run; a run begins where the one before it ends.
    pub end: usize,
    /// A number into [`Appearance::materials`].
    pub material: Option<usize>,
}

/// The base colour of a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Red, green, blue and opacity, linear. A picture is multiplied by it.
    pub color: [f32; 4],
    /// A number into [`Appearance::images`].
    pub image: Option<usize>,
    /// How the picture goes on beyond its left and right, and its upper and lower border.
    pub wrap: [Wrap; 2],
    /// Whether its pixels are shown as squares.
    pub is_pixelated: bool,
    /// The opacity below which nothing is drawn, if there is one.
    pub cutoff: Option<f32>,
}

/// How a picture goes on beyond its border.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wrap {
    /// It begins again.
    #[default]
    Repeat,
    /// Its border goes on.
    Clamp,
    /// It begins again, every other time mirrored.
    Mirror,
}

/// Reads base colours and textures of a file that [`read_gltf`](crate::read_gltf) has made a scene of, with pictures
/// of at most so many bytes together. Files of other formats give
/// an appearance without anything in it.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io), and the errors of [`read_gltf`](crate::read_gltf) for a file that has become
/// unreadable.
///
/// ```no_run
/// let scene = pliant_io::read_gltf("fox.glb")?;
/// let appearance = pliant_io::read_appearance("fox.glb", &scene, 1 << 25)?;
/// for image in &appearance.images {
///     println!("{}: {} bytes", image.media_type, image.bytes.len());
/// }
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn read_appearance(
    path: impl AsRef<Path>,
    scene: &Scene,
    most_image_bytes: usize,
) -> Result<Appearance> {
    let path = path.as_ref();
    if !is_gltf(path) {
        let objects = vec![None; scene.objects().len()];
        return Ok(Appearance { objects, ..Appearance::default() });
    }
    read(&read_file(path)?, path, Some(folder_of(path)), scene, most_image_bytes)
}

/// The same for glTF in memory, which [`read_gltf_bytes`](crate::read_gltf_bytes) has made a scene of. Pictures in
/// other files are left out, since the folder is unknown.
///
/// # Errors
/// The same as for [`read_appearance`].
pub fn read_appearance_bytes(
    bytes: &[u8],
    name: impl AsRef<Path>,
    scene: &Scene,
    most_image_bytes: usize,
) -> Result<Appearance> {
    read(bytes, name.as_ref(), None, scene, most_image_bytes)
}

/// The texture coordinates of an object: a pair per vertex.
pub type TextureCoordinates = Arc<[[f32; 2]]>;

/// The texture coordinates of a glTF file that [`read_gltf`](crate::read_gltf) has made a scene of: the first set
/// (`TEXCOORD_0`) as it is in the file, a pair per vertex; one list per object of the scene, `None` if it has none.
/// Vertices of parts without any have zeros. Files of other formats have none.
///
/// # Errors
/// As [`read_appearance`], and [`Error::Malformed`](crate::Error::Malformed) for coordinates that cannot be read.
pub fn read_texture_coordinates(
    path: impl AsRef<Path>,
    scene: &Scene,
) -> Result<Vec<Option<TextureCoordinates>>> {
    let path = path.as_ref();
    if !is_gltf(path) {
        return Ok(vec![None; scene.objects().len()]);
    }
    let bytes = read_file(path)?;
    let mut warnings = Vec::new();
    let container = container::split(&bytes, Source { file: path }, &mut warnings)?;
    with_reader(&bytes, &container, path, Some(folder_of(path)), &mut warnings, |reader| {
        coordinates::of_objects(reader, scene)
            .map_err(|(element, reason)| Error::malformed(path, element, reason))
    })?
}

fn is_gltf(path: &Path) -> bool {
    ["gltf", "glb", "vrm"].contains(&extension(path).as_str())
}

/// Reads a file's JSON and buffers for those who look at its accessors.
fn with_reader<T>(
    bytes: &[u8],
    container: &Container<'_>,
    path: &Path,
    folder: Option<&Path>,
    warnings: &mut Vec<Warning>,
    look: impl FnOnce(&Reader<'_>) -> T,
) -> Result<T> {
    let source = Source { file: path };
    let document = json::parse(container.json, source)?;
    let buffers = Buffers::load(&document, container, folder, source, warnings)?;
    for (index, view) in document.buffer_views.iter().enumerate() {
        buffers::check_view(view, &document.buffers, &format!("bufferView {index}"), source)?;
    }
    Ok(look(&Reader::new(source, &document, buffers, bytes.len() as u64)?))
}

fn read(
    bytes: &[u8],
    path: &Path,
    folder: Option<&Path>,
    scene: &Scene,
    most_image_bytes: usize,
) -> Result<Appearance> {
    let source = Source { file: path };
    let mut warnings = Vec::new();
    let container = container::split(bytes, source, &mut warnings)?;
    let root: Root = serde_json::from_slice(container.json).unwrap_or_else(|error| {
        warnings.push(Warning::new("materials", error.to_string()));
        Root::default()
    });
    let mut omitted = Vec::new();
    let read = with_reader(bytes, &container, path, folder, &mut omitted, |reader| {
        appearance_of(&root, reader, folder, scene, most_image_bytes)
    })?;
    let omitted = [warnings, omitted, read.omitted].concat();
    Ok(Appearance { omitted, ..read })
}

fn appearance_of(
    root: &Root,
    reader: &Reader<'_>,
    folder: Option<&Path>,
    scene: &Scene,
    most_image_bytes: usize,
) -> Appearance {
    let mut appearance = Appearance::default();
    let mut known = HashMap::new();
    let mut left = most_image_bytes;
    for (number, json) in root.materials.iter().enumerate() {
        let mut material = json.material();
        let texture = json.texture().and_then(|texture| root.textures.get(texture.index.index()));
        if let Some(texture) = texture {
            let sampler = texture.sampler.and_then(|at| root.samplers.get(at.index()));
            (material.wrap, material.is_pixelated) = sampler.copied().unwrap_or_default().of();
            let image = texture.image();
            material.image = *known.entry(image).or_insert_with(|| {
                let json = image.and_then(|image| root.images.get(image));
                let read = json.ok_or_else(|| "it names no picture that is known".to_owned());
                match read.and_then(|json| images::read(json, reader, folder, left)) {
                    Ok(image) => {
                        left -= image.bytes.len();
                        appearance.images.push(image);
                        Some(appearance.images.len() - 1)
                    }
                    Err(reason) => {
                        let element = format!("material {number} texture");
                        appearance.omitted.push(Warning::new(element, reason));
                        None
                    }
                }
            });
        }
        appearance.materials.push(material);
    }
    looks(reader, root, scene, &mut appearance);
    appearance
}

/// Fills in what the objects look like.
fn looks(reader: &Reader<'_>, root: &Root, scene: &Scene, appearance: &mut Appearance) {
    let mut roles = Roles::stated(reader);
    let mut known: HashMap<usize, Option<Arc<Look>>> = HashMap::new();
    for object in scene.objects() {
        let mesh = reader.document.nodes.get(object.node).and_then(|node| node.mesh);
        let Some(mesh) = mesh.map(|mesh| mesh.index()) else {
            appearance.objects.push(None);
            continue;
        };
        let read = || {
            let element = format!("mesh {mesh}");
            if has_vertex_colors(reader.document, mesh) {
                let reason = "the colours of its vertices are left out";
                appearance.omitted.push(Warning::new(element.as_str(), reason));
            }
            match look(reader, root, &mut roles, mesh, object) {
                // Without a material there is nothing to tell.
                Ok(look) => {
                    let is_painted = look.runs.iter().any(|run| run.material.is_some());
                    is_painted.then(|| Arc::new(look))
                }
                Err(reason) => {
                    appearance.omitted.push(Warning::new(element, reason));
                    None
                }
            }
        };
        let look = known.entry(mesh).or_insert_with(read).clone();
        appearance.objects.push(look);
    }
}

fn has_vertex_colors(document: &Document, mesh: usize) -> bool {
    let mesh = document.meshes.get(mesh);
    mesh.is_some_and(|mesh| mesh.primitives.iter().any(|it| it.attributes.contains_key("COLOR_0")))
}

/// What a mesh looks like.
fn look(
    reader: &Reader<'_>,
    root: &Root,
    roles: &mut Roles,
    mesh: usize,
    object: &Object,
) -> std::result::Result<Look, String> {
    let document: &Document = reader.document;
    let primitives = document.meshes.get(mesh).into_iter().flat_map(|mesh| mesh.primitives.iter());
    let (mut look, mut vertices) = (Look::default(), 0);
    for (number, json) in primitives.enumerate() {
        let element = format!("mesh {mesh} primitive {number}");
        let scope = Scope { reader, roles, element: element.clone(), json };
        let primitive = scope.read().map_err(|error| error.to_string())?;
        let Ok(triangles) = primitive.triangles else { continue };
        vertices += primitive.positions.len();
        let material = json.material.map(|it| it.index()).filter(|&it| it < root.materials.len());
        let end = look.runs.last().map_or(0, |run| run.end) + triangles.len();
        if !triangles.is_empty() {
            look.runs.push(LookRun { end, material });
        }
        let texture = material.and_then(|material| root.materials[material].texture());
        let Some(texture) = texture else { continue };
        let start = vertices - primitive.positions.len();
        look.coordinates.resize(start, [0.0; 2]);
        look.coordinates.extend(coordinates::of_texture(reader, json, texture, &element)?);
    }
    if !look.coordinates.is_empty() {
        look.coordinates.resize(vertices, [0.0; 2]);
    }
    let triangles = look.runs.last().map_or(0, |run| run.end);
    let shape = &object.mesh;
    if (vertices, triangles) != (shape.positions().len(), shape.triangles().len()) {
        return Err("it is not the mesh that was loaded".into());
    }
    Ok(look)
}
