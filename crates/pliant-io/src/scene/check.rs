//! What must hold of a scene's parts, so that poses never meet a bad index.

use std::collections::HashSet;
use std::mem::replace;
use std::ptr;
use std::sync::Arc;

use pliant::Mesh;
use pliant::glam::DVec3;

use super::{Animation, Deformation, Keyframes, NodeTransform, Object, Property, Sampler};
use super::{SceneError, SceneParts, Skin, SkinWeights};

/// Checks everything but the tree of nodes.
pub(super) fn check(parts: &SceneParts) -> Result<(), SceneError> {
    for (index, node) in parts.nodes.iter().enumerate() {
        if !node.transform.is_usable() {
            let reason = "its transform is not finite, or its rotation has length 0";
            return Err(SceneError::new(format!("node {index}"), reason));
        }
    }
    for (index, skin) in parts.skins.iter().enumerate() {
        check_skin(skin, parts.nodes.len())
            .map_err(|reason| SceneError::new(format!("skin {index}"), reason))?;
    }
    let mut targets_on = vec![None; parts.nodes.len()];
    let mut known = HashSet::new();
    for (index, object) in parts.objects.iter().enumerate() {
        let fail = |reason: String| SceneError::new(format!("object {index}"), reason);
        let targets = targets_on
            .get_mut(object.node)
            .ok_or_else(|| fail(format!("its node {} does not exist", object.node)))?;
        if targets.replace(object.default_weights.len()).is_some() {
            return Err(fail(format!("another object hangs from its node {}", object.node)));
        }
        check_default_weights(object).map_err(fail)?;
        // Objects share their large arrays: each combination is checked once.
        if known.insert(shared(object)) {
            check_object(object, &parts.skins).map_err(fail)?;
        }
    }
    for (index, animation) in parts.animations.iter().enumerate() {
        check_animation(animation, index, parts, &targets_on)?;
    }
    Ok(())
}

fn check_skin(skin: &Skin, nodes: usize) -> Result<(), String> {
    if skin.joints.is_empty() {
        return Err("it has no joints".into());
    }
    if let Some(joint) = skin.joints.iter().find(|&&joint| joint >= nodes) {
        return Err(format!("its joint node {joint} does not exist"));
    }
    if skin.inverse_bind.len() != skin.joints.len() {
        let (joints, matrices) = (skin.joints.len(), skin.inverse_bind.len());
        return Err(format!("{joints} joints, but {matrices} inverse bind matrices"));
    }
    match skin.inverse_bind.iter().position(|matrix| !matrix.is_finite()) {
        Some(joint) => Err(format!("inverse bind matrix {joint} is not finite")),
        None => Ok(()),
    }
}

fn check_object(object: &Object, skins: &[Skin]) -> Result<(), String> {
    let vertices = object.mesh.positions().len();
    let targets = object.deformation.morph_targets();
    for (index, deltas) in targets.iter().flat_map(|targets| targets.deltas.iter().enumerate()) {
        check_vertices(deltas, vertices).map_err(|why| format!("morph target {index} {why}"))?;
    }
    match &object.deformation {
        Deformation::Skin { skin, weights, .. } => {
            let skin = skins.get(*skin).ok_or_else(|| format!("its skin {skin} does not exist"))?;
            check_weights(weights, vertices, skin.joints.len())
        }
        Deformation::Keyframes(keyframes) => check_keyframes(keyframes, vertices),
        Deformation::Rigid | Deformation::Morph(_) => Ok(()),
    }
}

/// What stands behind an object: the same for objects that share it.
fn shared(object: &Object) -> (*const Mesh, [*const (); 3], Option<usize>) {
    let morph = object.deformation.morph_targets().map_or(ptr::null(), ptr::from_ref);
    let (weights, frames, skin) = match &object.deformation {
        Deformation::Skin { weights, skin, .. } => (Arc::as_ptr(weights), ptr::null(), Some(*skin)),
        Deformation::Keyframes(frames) => (ptr::null(), Arc::as_ptr(frames), None),
        Deformation::Rigid | Deformation::Morph(_) => (ptr::null(), ptr::null(), None),
    };
    (Arc::as_ptr(&object.mesh), [morph.cast(), weights.cast(), frames.cast()], skin)
}

fn check_default_weights(object: &Object) -> Result<(), String> {
    let count = object.deformation.morph_targets().map_or(0, |targets| targets.deltas.len());
    if object.default_weights.len() != count {
        let weights = object.default_weights.len();
        return Err(format!("{count} morph targets, but {weights} weights"));
    }
    if object.default_weights.iter().any(|weight| !weight.is_finite()) {
        return Err("a morph weight is not finite".into());
    }
    Ok(())
}

fn check_weights(weights: &SkinWeights, vertices: usize, joints: usize) -> Result<(), String> {
    let starts = &weights.starts;
    if starts.len() != vertices + 1
        || starts.first() != Some(&0)
        || starts.last().map(|&end| end as usize) != Some(weights.influences.len())
        || !starts.is_sorted()
    {
        return Err("the starts of its influences do not fit its vertices".into());
    }
    for vertex in 0..vertices {
        let influences = weights.of(vertex);
        if let Some(bad) = influences.iter().find(|influence| influence.joint as usize >= joints) {
            let joint = bad.joint;
            return Err(format!("vertex {vertex} names joint {joint}, but there are {joints}"));
        }
        if influences.iter().any(|influence| influence.weight.is_nan() || influence.weight <= 0.0) {
            return Err(format!("vertex {vertex} has a weight that is not above 0"));
        }
        let sum: f64 = influences.iter().map(|influence| influence.weight).sum();
        // Room for one rounding an influence, twice over.
        let slack = (influences.len() + 1) as f64 * 2.0 * f64::EPSILON;
        if sum.is_nan() || (sum - 1.0).abs() > slack {
            return Err(format!("the weights of vertex {vertex} sum to {sum}, not 1"));
        }
    }
    Ok(())
}

fn check_keyframes(keyframes: &Keyframes, vertices: usize) -> Result<(), String> {
    check_times(&keyframes.times)?;
    if keyframes.times.len() != keyframes.frames.len() {
        let (times, frames) = (keyframes.times.len(), keyframes.frames.len());
        return Err(format!("{frames} keyframes, but {times} times"));
    }
    for (index, frame) in keyframes.frames.iter().enumerate() {
        check_vertices(frame, vertices).map_err(|why| format!("keyframe {index} {why}"))?;
    }
    Ok(())
}

fn check_vertices(vectors: &[DVec3], vertices: usize) -> Result<(), String> {
    if vectors.len() != vertices {
        return Err(format!("has {} vertices, but the mesh has {vertices}", vectors.len()));
    }
    match vectors.iter().position(|vector| !vector.is_finite()) {
        Some(vertex) => Err(format!("is not finite at vertex {vertex}")),
        None => Ok(()),
    }
}

fn check_animation(
    animation: &Animation,
    index: usize,
    parts: &SceneParts,
    targets_on: &[Option<usize>],
) -> Result<(), SceneError> {
    for (number, sampler) in animation.samplers.iter().enumerate() {
        check_sampler(sampler).map_err(|reason| {
            SceneError::new(format!("animation {index} sampler {number}"), reason)
        })?;
    }
    let mut turns = vec![false; animation.samplers.len()];
    for (number, channel) in animation.channels.iter().enumerate() {
        let fail =
            |reason: String| SceneError::new(format!("animation {index} channel {number}"), reason);
        let sampler = animation
            .samplers
            .get(channel.sampler)
            .ok_or_else(|| fail(format!("its sampler {} does not exist", channel.sampler)))?;
        let node = parts
            .nodes
            .get(channel.node)
            .ok_or_else(|| fail(format!("its node {} does not exist", channel.node)))?;
        let animates_frame = channel.property != Property::Weights;
        if animates_frame && matches!(node.transform, NodeTransform::Matrix(_)) {
            return Err(fail(format!("its node {} is given by a matrix", channel.node)));
        }
        let expected = match channel.property {
            Property::Translation | Property::Scale => 3,
            Property::Rotation => 4,
            // The node's mesh may have been left out for want of triangles.
            Property::Weights => targets_on[channel.node].unwrap_or(sampler.width()),
        };
        if sampler.width() != expected {
            let width = sampler.width();
            return Err(fail(format!("{width} numbers a key, but its target has {expected}")));
        }
        if channel.property == Property::Rotation && !replace(&mut turns[channel.sampler], true) {
            check_rotations(sampler).map_err(fail)?;
        }
    }
    Ok(())
}

fn check_sampler(sampler: &Sampler) -> Result<(), String> {
    check_times(&sampler.times)?;
    let keys = sampler.times.len() * sampler.interpolation.values_per_key();
    if sampler.values.len() != keys * sampler.width() {
        return Err(format!("{} numbers do not divide into {keys} values", sampler.values.len()));
    }
    match sampler.values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(format!("number {index} is not finite")),
        None => Ok(()),
    }
}

fn check_rotations(sampler: &Sampler) -> Result<(), String> {
    let per_key = sampler.interpolation.values_per_key();
    let values = sampler.values.chunks_exact(4).skip(per_key / 2).step_by(per_key);
    match values.enumerate().find(|(_, value)| value.iter().all(|&number| number == 0.0)) {
        Some((key, _)) => Err(format!("the rotation of key {key} has length 0")),
        None => Ok(()),
    }
}

fn check_times(times: &[f64]) -> Result<(), String> {
    if times.is_empty() {
        return Err("there are no keys".into());
    }
    if let Some(key) = times.iter().position(|time| !time.is_finite()) {
        return Err(format!("the time of key {key} is not finite"));
    }
    match times.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(key) => Err(format!("the time of key {} does not increase", key + 1)),
        None => Ok(()),
    }
}
