//! Keyframes as morph targets, for formats that have only those.

use std::sync::Arc;

use super::{Animation, Channel, Deformation, Interpolation, Keyframes, MorphTargets, Object};
use super::{Property, Sampler, Scene, SceneError};

/// The same scene with each object's keyframes as morph targets.
///
/// Every frame becomes a target and every animation gets a channel that goes from
/// one target to the next; a scene without animations gets one. Between frames
/// the weights are those of linear interpolation, so the motion is the same up to
/// rounding.
///
/// # Errors
/// None for a scene whose displacements are finite.
pub(crate) fn keyframes_to_morph_targets(scene: &Scene) -> Result<Scene, SceneError> {
    let mut parts = scene.clone().into_parts();
    if parts.animations.is_empty() {
        parts.animations.push(Animation::new("keyframes", Vec::new(), Vec::new()));
    }
    for object in &mut parts.objects {
        let Deformation::Keyframes(keyframes) = object.deformation.clone() else { continue };
        let deltas = keyframes.frames.iter().map(|frame| {
            let vertices = frame.iter().zip(object.mesh.positions());
            vertices.map(|(&moved, &rest)| moved - rest).collect()
        });
        let morph = Arc::new(MorphTargets { deltas: deltas.collect() });
        let mesh = Arc::clone(&object.mesh);
        let name = object.name.clone();
        let materials = Arc::clone(&object.materials);
        *object = Object::new(name, object.node, mesh, Deformation::Morph(morph));
        object.materials = materials;
        for animation in &mut parts.animations {
            add_weights(animation, &keyframes, object.node);
        }
    }
    Scene::new(parts)
}

/// Lets an animation go through all frames in turn.
fn add_weights(animation: &mut Animation, keyframes: &Keyframes, node: usize) {
    let frames = keyframes.times.len();
    let mut values = vec![0.0; frames * frames];
    for frame in 0..frames {
        values[frame * frames + frame] = 1.0;
    }
    let times = keyframes.times.clone();
    let sampler = animation.samplers.len();
    animation.samplers.push(Sampler { interpolation: Interpolation::Linear, times, values });
    animation.channels.push(Channel { sampler, node, property: Property::Weights });
    let (samplers, channels) = (&mut animation.samplers, &mut animation.channels);
    let name = std::mem::take(&mut animation.name);
    *animation = Animation::new(name, std::mem::take(samplers), std::mem::take(channels));
}
