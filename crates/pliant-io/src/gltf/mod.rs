//! glTF 2.0 and GLB, in and out.
//!
//! The JSON is read with our own structures and not with the crate `gltf`: files are not trusted,
//! every error must name its element, and only geometry, nodes, skins and animations matter here.
//! Each element of the top-level arrays is parsed separately, so that an error names it. No count
//! in a file causes an allocation before it is checked against the bytes that exist or against
//! [`limits`].

mod accessor;
mod animations;
mod appearance;
mod assemble;
mod asset;
mod buffers;
mod container;
mod draco;
mod json;
mod json_values;
mod layout;
mod limits;
mod meshes;
mod meshopt;
mod nodes;
mod primitive;
mod skins;
mod uri;
mod weights;
mod write;
mod write_animation;
mod write_buffer;

use std::path::Path;

use crate::{Error, Result, Scene, read_file};

pub use appearance::{
    Appearance, Image, Look, LookRun, Material, TextureCoordinates, Wrap, read_appearance,
    read_appearance_bytes, read_texture_coordinates,
};
pub use write::{glb_bytes, write_glb};

/// Reads a glTF 2.0 file, as JSON or as GLB.
///
/// The scene has one object per mesh node of the default scene (of scene 0 if there is no default,
/// and of all root nodes if there are no scenes), in node order. Triangles are numbered through the
/// primitives of the mesh in file order. Buffers may be in the file's folder or in a folder below
/// it, and nowhere else. Positions may be integers (`KHR_mesh_quantization`), and geometry may be
/// compressed (`KHR_draco_mesh_compression`, `EXT_meshopt_compression`, `KHR_meshopt_compression`).
///
/// # Errors
/// [`Error::Io`], [`Error::Malformed`], [`Error::Unsupported`] (unknown required extensions),
/// [`Error::Geometry`].
///
/// ```no_run
/// let scene = pliant_io::read_gltf("fox.glb")?;
/// let run = scene.find_animation("Run");
/// let pose = scene.pose(run, 0.5)?;
/// for (index, object) in scene.objects().iter().enumerate() {
///     let tip = scene.posed(index, &pose)?.position(0);
///     println!("{} ({}): {tip:?}", object.name, object.deformation.name());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_gltf(path: impl AsRef<Path>) -> Result<Scene> {
    let path = path.as_ref();
    let bytes = read_file(path)?;
    assemble::read(&bytes, path, Some(folder_of(path)))
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("."),
    }
}

/// Reads glTF 2.0 from memory, as JSON or as GLB.
///
/// `name` represents the file in errors. Buffers in other files are refused, since the folder is
/// unknown.
///
/// # Errors
/// The same as for [`read_gltf`].
///
/// ```
/// let error = pliant_io::read_gltf_bytes(b"{}", "empty.gltf").unwrap_err();
/// assert_eq!(error.to_string(), "empty.gltf: JSON: missing field `asset`");
/// ```
pub fn read_gltf_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Scene> {
    assemble::read(bytes, name.as_ref(), None)
}

/// The file that is read, for errors.
#[derive(Clone, Copy)]
struct Source<'a> {
    file: &'a Path,
}

impl Source<'_> {
    fn malformed(self, element: impl Into<String>, reason: impl Into<String>) -> Error {
        Error::malformed(self.file, element, reason)
    }

    fn unsupported(self, element: impl Into<String>, reason: impl Into<String>) -> Error {
        Error::unsupported(self.file, element, reason)
    }

    /// Looks up a reference from one element to another.
    fn find<'d, T>(self, list: &'d [T], index: usize, element: &str, kind: &str) -> Result<&'d T> {
        list.get(index).ok_or_else(|| {
            let count = list.len();
            self.malformed(element, format!("names {kind} {index}, but there are {count}"))
        })
    }
}
