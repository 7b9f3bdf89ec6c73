//! Files in and out for pliant.

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
