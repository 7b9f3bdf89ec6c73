//! File formats of pliant.
//!
//! [`load`] reads any model and returns a [`Scene`]: nodes, objects with a mesh and its
//! deformation, skins, animations, and warnings about what was repaired or left out. Nothing is
//! printed. [`Scene::pose`] returns the numbers that drive all deformations at a time without
//! reading a vertex. [`Scene::posed`] returns the vertices of one object in a pose. [`SceneBodies`]
//! makes a body of every object, puts them into a [`pliant::World`], and moves them to any time.
//!
//! Files are not trusted: counts are checked before memory is allocated, and every problem is an
//! [`Error`] with the file, the element and the reason.
//!
//! Besides glTF, meshes come from OBJ, PLY, STL and MD2 files, and their motion from PC2 and MDD
//! point caches or from numbered files. [`read_file`] decompresses gzip. These readers take the file's bytes, and its path for messages:
//!
//! ```
//! use std::path::Path;
//!
//! let bytes = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
//! let mesh = pliant_io::read_obj(bytes, Path::new("corner.obj"))?;
//! assert_eq!(mesh.triangles(), [[0, 1, 2]]);
//!
//! let wrong = pliant_io::read_obj(b"v 0 0 0\nf 1 2 3\n", Path::new("short.obj"));
//! assert_eq!(
//!     wrong.unwrap_err().to_string(),
//!     "short.obj: line 2: corner 2 names vertex 2 of 1 (the first is vertex 1)"
//! );
//! # Ok::<(), pliant_io::Error>(())
//! ```
//!
//! Guarantees of all readers: vertices keep the file's order, and vertices that no face uses are
//! kept, because a point cache counts them. Coordinates become `f64` without loss. Bytes that
//! violate the format are an [`Error`] with the file, the element and the reason: no reader panics,
//! drops an element silently, or allocates memory for a count before it has checked that the bytes
//! for it exist.
//!
//! The parsers are our own, but for JSON, gzip (`flate2`) and Draco streams (`draco-core`). The
//! formats are small, and an external crate would have to be checked for these guarantees: file
//! order with unused vertices, `f64`, line numbers in messages, and counts that are not trusted.

mod bodies;
mod brightness;
mod cursor;
mod error;
mod file;
mod gltf;
mod gzip;
mod load;
mod md2;
mod model;
mod molecule;
mod obj;
mod ply;
mod ply_header;
mod ply_rows;
mod point_cache;
mod polygons;
mod printable;
mod scene;
mod sequence;
mod stl;
mod text_lines;
mod times;
mod triangulate;

pub use bodies::{
    AnimatedScene, BodySettings, Method, SceneBodies, SceneBodiesError, SelfContact, SettingStep,
};
pub use brightness::{Brightness, brightness_of, read_brightness};
pub use error::{Error, Result};
pub use file::{MAX_FILE_BYTES, read_file};
pub use gltf::{
    Appearance, Image, Look, LookRun, Material, TextureCoordinates, Wrap, glb_bytes,
    read_appearance, read_appearance_bytes, read_gltf, read_gltf_bytes, read_texture_coordinates,
    write_glb,
};
pub use load::{
    CACHE_EXTENSIONS, CACHED_MODEL_EXTENSIONS, MD2_FRAMES_PER_SECOND, MODEL_EXTENSIONS,
    PC2_FRAMES_PER_SECOND, load, load_bytes, load_with_cache,
};
pub use md2::{Keyframe, KeyframedMesh, read_md2};
pub use molecule::{
    Atom, AtomChoice, BeadRadius, Beads, Bonds, Cell, Clash, ClashSearch, ClashSettings,
    FrameClashes, STRUCTURE_EXTENSIONS, Selection, SelectionError, Structure,
    TRAJECTORY_EXTENSIONS, Trajectory, read_gro, read_mmcif, read_pdb, read_structure, read_xyz,
    van_der_waals_radius,
};
pub use obj::read_obj;
pub use ply::read_ply;
pub use point_cache::{PointCache, read_mdd, read_pc2};
pub use printable::{printable, steers_terminals};
pub use scene::{
    Animation, Channel, Deformation, FrameBlend, Influence, Interpolation, Keyframes, MaterialRun,
    MorphTargets, Node, NodeTransform, Object, ObjectState, Pose, Posed, Property, RestReaches,
    Sags, Sampler, Scene, SceneError, SceneParts, ShapeKey, Skin, SkinWeights, Warning,
    affine_rows,
};
pub use sequence::{SEQUENCE_EXTENSIONS, is_sequence, load_frames, load_sequence};
pub use stl::read_stl;
pub use times::{MAX_FRAME_TIMES, frame_times};
pub use triangulate::MAX_EAR_CLIPPED_CORNERS;
