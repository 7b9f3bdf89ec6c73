//! Loads any supported model by its extension.

use std::path::Path;
use std::sync::Arc;

use pliant::Mesh;
use pliant::glam::DVec3;

use crate::file::{extension, stem, unknown_extension};
use crate::scene::{Animation, Deformation, Keyframes, Node, NodeTransform, Object, SceneParts};
use crate::{Error, PointCache, Result, Scene};
use crate::{read_file, read_gltf, read_md2, read_mdd, read_obj, read_pc2, read_ply, read_stl};

/// The extensions that [`load`] supports, in lower case; those of files may be in any case.
pub const MODEL_EXTENSIONS: [&str; 6] = ["gltf", "glb", "obj", "ply", "stl", "md2"];

/// The extensions of point caches that [`load_with_cache`] supports.
pub const CACHE_EXTENSIONS: [&str; 2] = ["pc2", "mdd"];

/// The models that a point cache can move: their readers keep every vertex in the file's order.
pub const CACHED_MODEL_EXTENSIONS: [&str; 2] = ["obj", "ply"];

/// Keyframes per second of an MD2 model: the rate at which Quake II plays them.
pub const MD2_FRAMES_PER_SECOND: f64 = 10.0;

/// The default frames per second of a PC2 cache: that of film and of Blender. (An MDD cache has its
/// times in seconds.)
pub const PC2_FRAMES_PER_SECOND: f64 = 24.0;

/// Reads a model as a scene: glTF as it is; OBJ, PLY and STL as one rigid object, named after the
/// file; MD2 as one object with keyframes, which the scene's only animation plays at
/// [`MD2_FRAMES_PER_SECOND`]. Each may be compressed with gzip (`model.glb.gz`).
///
/// # Errors
/// [`Error::Unsupported`] for an extension that is not in [`MODEL_EXTENSIONS`], and the errors of
/// the format's reader.
///
/// ```
/// let error = pliant_io::load("house.fbx").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "house.fbx: extension: `.fbx` is not supported; expected .gltf, .glb, .obj, .ply, .stl, .md2"
/// );
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Scene> {
    let path = path.as_ref();
    match extension(path).as_str() {
        "gltf" | "glb" => read_gltf(path),
        "obj" => rigid(read_obj(&read_file(path)?, path)?, path),
        "ply" => rigid(read_ply(&read_file(path)?, path)?, path),
        "stl" => rigid(read_stl(&read_file(path)?, path)?, path),
        "md2" => {
            let model = read_md2(&read_file(path)?, path)?;
            let count = model.keyframes.len();
            let times = (0..count).map(|frame| frame as f64 / MD2_FRAMES_PER_SECOND).collect();
            let frames = model.keyframes.into_iter().map(|frame| frame.positions).collect();
            keyframed(model.mesh, Keyframes { times, frames }, path)
        }
        _ => Err(unknown_extension(path, &MODEL_EXTENSIONS)),
    }
}

/// Reads a mesh and the point cache that moves it, as a scene of one object with keyframes, which
/// the scene's only animation plays.
///
/// `frames_per_second` is for PC2, which counts time in frames ([`PC2_FRAMES_PER_SECOND`] is
/// usual); an MDD cache ignores it.
///
/// # Errors
/// The same as for [`load`]; also a model that is not in [`CACHED_MODEL_EXTENSIONS`], a cache that
/// is not in [`CACHE_EXTENSIONS`], and [`Error::Geometry`] if the two have different numbers of
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
        "obj" => read_obj(&read_file(model)?, model)?,
        "ply" => read_ply(&read_file(model)?, model)?,
        _ => return Err(unknown_extension(model, &CACHED_MODEL_EXTENSIONS)),
    };
    let motion = match extension(cache).as_str() {
        "pc2" => read_pc2(&read_file(cache)?, cache, frames_per_second)?,
        "mdd" => read_mdd(&read_file(cache)?, cache)?,
        _ => return Err(unknown_extension(cache, &CACHE_EXTENSIONS)),
    };
    motion.check_fits(&mesh, cache)?;
    keyframed(mesh, keyframes(&motion), model)
}

fn keyframes(cache: &PointCache) -> Keyframes {
    let position = |&[x, y, z]: &[f32; 3]| DVec3::new(x.into(), y.into(), z.into());
    let frames = cache.frames().map(|frame| frame.iter().map(position).collect());
    Keyframes { times: cache.times().to_vec(), frames: frames.collect() }
}

fn rigid(mesh: Mesh, file: &Path) -> Result<Scene> {
    scene(mesh, Deformation::Rigid, Vec::new(), file)
}

/// A scene whose only animation lasts as long as the keyframes.
fn keyframed(mesh: Mesh, keyframes: Keyframes, file: &Path) -> Result<Scene> {
    let start = keyframes.times.first().copied().unwrap_or(0.0);
    let end = keyframes.times.last().copied().unwrap_or(0.0);
    let (samplers, channels) = (Vec::new(), Vec::new());
    let played = Animation { name: "keyframes".into(), start, end, samplers, channels };
    scene(mesh, Deformation::Keyframes(Arc::new(keyframes)), vec![played], file)
}

/// A scene of one object on one node, both named after the file.
fn scene(
    mesh: Mesh,
    deformation: Deformation,
    animations: Vec<Animation>,
    file: &Path,
) -> Result<Scene> {
    let name = stem(file);
    let object = Object::new(name.clone(), 0, mesh, deformation);
    let node = Node { name: Some(name), parent: None, transform: NodeTransform::IDENTITY };
    let parts = SceneParts {
        nodes: vec![node],
        objects: vec![object],
        animations,
        ..SceneParts::default()
    };
    Scene::new(parts).map_err(|wrong| Error::malformed(file, wrong.element, wrong.reason))
}
