//! Files in and out for pliant.
//!
//! Every loader yields a [`Scene`]: nodes, objects with a mesh and the way it
//! deforms, skins, animations, and warnings about what was mended or left out.
//! Nothing is printed. [`Scene::pose`] gives the numbers that drive all
//! deformations at a time without touching a vertex; [`Scene::posed`] gives the
//! vertices of one object in a pose.
//!
//! Files are not trusted: counts are checked before memory is taken, and whatever
//! is wrong is an [`Error`] with the file, the element and the reason.

mod error;
mod gltf;
mod scene;

pub use error::{Error, Result};
pub use gltf::{glb_bytes, read_gltf, read_gltf_bytes, write_glb};
pub use scene::{
    Animation, Channel, Deformation, FrameBlend, Influence, Interpolation, Keyframes, MorphTargets,
    Node, NodeTransform, Object, Pose, Posed, Property, Sampler, Scene, SceneError, SceneParts,
    Skin, SkinWeights, Warning,
};
