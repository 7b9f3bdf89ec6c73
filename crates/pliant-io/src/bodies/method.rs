//! How an object of a scene becomes a body: the choice of its kind, and the body itself.
//!
//! Every kind must move the vertices to the bits of [`Posed::positions`](crate::Posed::positions),
//! so that all methods find the same pairs. Skins that are not blended linearly are moved by the
//! skinned body alone, whatever the method.

use std::sync::Arc;

use pliant::bound::RefitPolicy;
use pliant::deform::{Binding, Blending, Modes};
use pliant::glam::DAffine3;
use pliant::{AnyBody, Body, Mesh};

use super::{AnimatedScene, BodySettings, SelfContact};
use crate::scene::{Deformation, Keyframes, MorphTargets, Object, Scene, SkinWeights};

/// How the bounds of a scene's bodies are made. Contacts are the same for every method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// What suits each object best: rigid objects are bounded from their boxes at rest, which two of
    /// them compare in the frames of both, large ones with morph targets from their weights, large
    /// skins from their joints, keyframes from both ends of a span, all others bottom-up.
    #[default]
    Auto,
    /// Bounds from the weights of morph targets, without moving vertices that no test asks
    /// for; objects that deform in another way are refitted bottom-up.
    BoundedDeformation,
    /// Bounds of skins from their joints, without moving vertices that no test asks for;
    /// objects that deform in another way are refitted bottom-up.
    Skinned,
    /// Bounds of objects with keyframes from those before and after, refitted once per keyframe;
    /// objects that deform in another way, or hang from a node that moves, are refitted bottom-up.
    Keyframed,
    /// Every vertex is moved, then all boxes are refitted from the leaves to the root.
    BottomUp,
}

/// Skins of fewer triangles are moved and refitted faster than bounded by their joints: one of
/// a thousand is, where it is in contact, and one of 27,000 is not.
const SMALL_SKIN: usize = 4000;

/// Bodies of fewer triangles with morph targets are moved and refitted faster wherever they touch
/// something: at 320 triangles bounds from weights take 1.0 to 1.5 times as long, at 1280 they are
/// 1.1 to 1.4 times as fast where two touch, whether there are 2 targets or 50. (Deep in one
/// another refitting wins up to some 10,000 triangles; apart it always loses, but small bodies
/// cost next to nothing then.) See `pliant-bench morph-sizes`.
const SMALL_MORPH: usize = 1000;

/// The kind of body that an object becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Every vertex is moved, all boxes are refitted.
    Free,
    /// The node's frame.
    Affine,
    /// Morph targets and the node's frame.
    Reduced,
    /// Joints, after morph targets if there are any.
    Skinned,
    /// The same, with every vertex moved and all boxes refitted for every pose.
    MovedSkin,
    /// Keyframes in the world.
    Keyframed,
}

impl Kind {
    /// The kind that a method chooses for an object. Where contacts of objects with themselves are
    /// asked for often, free bodies win, since they can be prepared for that.
    pub(super) fn choose(settings: BodySettings, source: &AnimatedScene, object: &Object) -> Self {
        let triangles = object.mesh.triangles().len();
        let prepared = matches!(
            settings.self_contact,
            SelfContact::Prepared | SelfContact::PreparedForSteps(_)
        );
        let kind = match (settings.method, &object.deformation) {
            (Method::Auto, Deformation::Rigid) => Self::Affine,
            (Method::Auto, _) if prepared => Self::Free,
            (Method::Auto, Deformation::Morph(_)) if triangles < SMALL_MORPH => Self::Free,
            (Method::Auto | Method::BoundedDeformation, Deformation::Morph(_)) => Self::Reduced,
            (Method::Auto, Deformation::Skin { .. }) if triangles < SMALL_SKIN => Self::Free,
            (Method::Auto | Method::Skinned, Deformation::Skin { .. }) => Self::Skinned,
            (Method::Auto | Method::Keyframed, Deformation::Keyframes(_))
                if plays_in_world(source, object.node) =>
            {
                Self::Keyframed
            }
            _ => Self::Free,
        };
        match (kind, &object.deformation) {
            // Given positions would be those of linear blending.
            (Self::Free, Deformation::Skin { .. }) if settings.blending != Blending::Linear => {
                Self::MovedSkin
            }
            (kind, _) => kind,
        }
    }

    /// Makes a body of this kind at rest, and builds its tree. A mesh whose coordinates are too
    /// large for an affine body becomes a free one.
    pub(super) fn body(
        self,
        scene: &Scene,
        object: &Object,
        blending: Blending,
    ) -> pliant::Result<AnyBody> {
        let mesh = Mesh::clone(&object.mesh);
        match (self, &object.deformation) {
            (Self::Affine, _) => match Body::affine(mesh) {
                Ok(body) => Ok(body.into()),
                Err(pliant::Error::OutOfRange { .. }) => free(object),
                Err(error) => Err(error),
            },
            (Self::Reduced, Deformation::Morph(targets)) => {
                let modes = modes(&mesh, targets)?;
                Ok(Body::reduced(mesh, Arc::new(modes))?.into())
            }
            (Self::Skinned | Self::MovedSkin, Deformation::Skin { skin, weights, morph }) => {
                let joints = scene.skins()[*skin].joints.len();
                let mut binding = Binding::new(SkinWeights::clone(weights), joints)?;
                if let Some(targets) = morph {
                    binding = binding.with_morph(modes(&mesh, targets)?)?;
                }
                let mut body = Body::skinned(mesh, binding, blending)?;
                if self == Self::MovedSkin {
                    body.set_policy(RefitPolicy::AllAtOnce);
                }
                Ok(body.into())
            }
            (Self::Keyframed, Deformation::Keyframes(keyframes)) => {
                let Keyframes { times, frames } = Keyframes::clone(keyframes);
                let plan = pliant::deform::Keyframes::new(times, frames)?;
                Ok(Body::keyframed(mesh, plan)?.into())
            }
            _ => free(object),
        }
    }
}

/// A free body at rest.
pub(super) fn free(object: &Object) -> pliant::Result<AnyBody> {
    Ok(Body::free(Mesh::clone(&object.mesh))?.into())
}

fn modes(mesh: &Mesh, targets: &MorphTargets) -> pliant::Result<Modes> {
    Modes::from_fields(mesh.positions().len(), &targets.deltas)
}

/// Whether the keyframes of an object are where it is in the world, bit for bit: its node stays at
/// the origin, and an animation is played. Without one keyframes are not played.
fn plays_in_world(source: &AnimatedScene, node: usize) -> bool {
    source.animation.is_some() && source.scene.standing_frame(node) == Some(DAffine3::IDENTITY)
}
