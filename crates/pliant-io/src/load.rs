//! Loads any supported model by its extension.

use std::path::Path;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::file::{extension, stem, unknown_extension};
use crate::model::{Model, ModelObject, scene};
use crate::obj::parse_obj;
use crate::ply::parse_ply;
use crate::scene::Keyframes;
use crate::{PointCache, Result, Scene, is_sequence, load_sequence};
use crate::{read_file, read_gltf, read_gltf_bytes, read_md2, read_mdd, read_pc2, read_stl};

/// The extensions that [`load`] supports, in lower case; those of files may be in any case.
pub const MODEL_EXTENSIONS: [&str; 7] = ["gltf", "glb", "vrm", "obj", "ply", "stl", "md2"];

/// The extensions of point caches that [`load_with_cache`] supports.
pub const CACHE_EXTENSIONS: [&str; 2] = ["pc2", "mdd"];

/// The models that a point cache can move: their readers keep every vertex in the file's order.
pub const CACHED_MODEL_EXTENSIONS: [&str; 2] = ["obj", "ply"];

/// Keyframes per second of an MD2 model: the rate at which Quake II plays them.
pub const MD2_FRAMES_PER_SECOND: f64 = 10.0;

/// The default frames per second of PC2 caches and numbered files: that of film and of Blender. (An MDD cache has its
/// times in seconds.)
pub const PC2_FRAMES_PER_SECOND: f64 = 24.0;

/// Reads a model as a scene.
///
/// glTF is read as it is, also in a VRM file, which is a GLB by another name. An OBJ file has an
/// object for each of its objects, groups and materials (`o`, `g`, `usemtl`) that has faces: its
/// name is `body`, or `body/leather` if the object or group has several materials. An OBJ file of
/// one part, PLY and STL are one rigid object, named after the file. MD2 is one object with
/// keyframes, which the scene's only animation plays at [`MD2_FRAMES_PER_SECOND`]. The path may
/// stand for numbered files, as for [`load_sequence`], at [`PC2_FRAMES_PER_SECOND`]. Each file may
/// be compressed with gzip (`model.glb.gz`).
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) for an extension that is not in
/// [`MODEL_EXTENSIONS`], and the errors of
/// the format's reader.
///
/// ```
/// let error = pliant_io::load("house.fbx").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "house.fbx: extension: `.fbx` is not supported; \
///      expected .gltf, .glb, .vrm, .obj, .ply, .stl, .md2"
/// );
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Scene> {
    let path = path.as_ref();
    if is_sequence(path) {
        return load_sequence(path, PC2_FRAMES_PER_SECOND);
    }
    match extension(path).as_str() {
        // Its buffers may be files beside it.
        "gltf" | "glb" | "vrm" => read_gltf(path),
        known if MODEL_EXTENSIONS.contains(&known) => load_bytes(&read_file(path)?, path),
        _ => Err(unknown_extension(path, &MODEL_EXTENSIONS)),
    }
}

/// Reads a model that is in memory, as [`load`] reads a file. The name gives the extension and stands
/// in errors; no file is opened, so that a glTF file must hold all of its buffers. Bytes are those of the
/// format itself, not compressed.
///
/// # Errors
/// As for [`load`].
///
/// ```
/// let scene = pliant_io::load_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "leaf.obj")?;
/// assert_eq!(scene.objects()[0].name, "leaf");
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn load_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Scene> {
    let name = name.as_ref();
    match extension(name).as_str() {
        "gltf" | "glb" | "vrm" => read_gltf_bytes(bytes, name),
        "obj" => obj(bytes, name)?.into_scene(None, name),
        "ply" => ply(bytes, name)?.into_scene(None, name),
        "stl" => one_object(read_stl(bytes, name)?, None, name),
        "md2" => {
            let model = read_md2(bytes, name)?;
            let count = model.keyframes.len();
            let times = (0..count).map(|frame| frame as f64 / MD2_FRAMES_PER_SECOND).collect();
            let frames = model.keyframes.into_iter().map(|frame| frame.positions).collect();
            one_object(model.mesh, Some(Keyframes { times, frames }), name)
        }
        _ => Err(unknown_extension(name, &MODEL_EXTENSIONS)),
    }
}

/// Reads a mesh and the point cache that moves it, as a scene of the objects that [`load`] makes of
/// the mesh, with keyframes, which the scene's only animation plays.
///
/// `frames_per_second` is for PC2, which counts time in frames ([`PC2_FRAMES_PER_SECOND`] is
/// usual); an MDD cache ignores it.
///
/// # Errors
/// The same as for [`load`]; also a model that is not in [`CACHED_MODEL_EXTENSIONS`], a cache that
/// is not in [`CACHE_EXTENSIONS`], and [`Error::Geometry`](crate::Error::Geometry) if the two have
/// different numbers of
/// vertices.
///
/// ```no_run
/// let cloth = pliant_io::load_with_cache("cloth.obj", "cloth.pc2", 24.0)?;
/// let pose = cloth.pose(Some(0), 1.5);
/// # Ok::<(), pliant_io::Error>(())
/// ```
pub fn load_with_cache(
    model: impl AsRef<Path>,
    cache: impl AsRef<Path>,
    frames_per_second: f64,
) -> Result<Scene> {
    let (model, cache) = (model.as_ref(), cache.as_ref());
    let mesh = match extension(model).as_str() {
        "obj" => obj(&read_file(model)?, model)?,
        "ply" => ply(&read_file(model)?, model)?,
        _ => return Err(unknown_extension(model, &CACHED_MODEL_EXTENSIONS)),
    };
    let motion = match extension(cache).as_str() {
        "pc2" => read_pc2(&read_file(cache)?, cache, frames_per_second)?,
        "mdd" => read_mdd(&read_file(cache)?, cache)?,
        _ => return Err(unknown_extension(cache, &CACHE_EXTENSIONS)),
    };
    motion.check_count(mesh.positions.len(), cache)?;
    mesh.into_scene(Some(keyframes(&motion)), model)
}

fn keyframes(cache: &PointCache) -> Keyframes {
    let position = |&[x, y, z]: &[f32; 3]| DVec3::new(x.into(), y.into(), z.into());
    let frames = cache.frames().map(|frame| frame.iter().map(position).collect());
    Keyframes { times: cache.times().to_vec(), frames: frames.collect() }
}

fn obj(bytes: &[u8], path: &Path) -> Result<Model> {
    parse_obj(bytes, path)?.into_model(path, &stem(path))
}

fn ply(bytes: &[u8], path: &Path) -> Result<Model> {
    let (positions, polygons) = parse_ply(bytes, path)?;
    let triangles = polygons.into_triangles(&positions, path, "face", 0)?;
    Ok(Model::of_mesh(positions, triangles.list, &stem(path)))
}

/// A scene of one object, named after its file.
fn one_object(mesh: Mesh, motion: Option<Keyframes>, file: &Path) -> Result<Scene> {
    let object = ModelObject { name: stem(file), materials: Vec::new(), mesh, motion };
    scene(vec![object], Vec::new(), file)
}
