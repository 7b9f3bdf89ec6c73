//! What must hold of a scene's parts, so that poses never meet a bad index.

use std::collections::HashSet;
use std::mem::replace;
use std::sync::Arc;

use pliant::glam::DVec3;

use super::material::check_runs;
use super::{Animation, Deformation, Keyframes, NodeTransform, Object, Property, Sampler};
use super::{SceneError, SceneParts, ShapeKey, Skin, SkinWeights};
use crate::times::first_disorder;

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
    let (mut known, mut known_runs) = (HashSet::new(), HashSet::new());
    for (index, object) in parts.objects.iter().enumerate() {
        let fail = |reason: String| SceneError::new(format!("object {index}"), reason);
        let targets = targets_on
            .get_mut(object.node)
            .ok_or_else(|| fail(format!("its node {} does not exist", object.node)))?;
        if targets.replace(object.default_weights.len()).is_some() {
            return Err(fail(format!("another object hangs from its node {}", object.node)));
        }
        check_default_weights(object).map_err(fail)?;
        let runs = Arc::as_ptr(&object.materials).cast::<()>();
        if known_runs.insert((runs, Arc::as_ptr(&object.mesh))) {
            check_runs(object).map_err(fail)?;
        }
        // Objects share their large arrays: each shape is checked once.
        if known.insert(ShapeKey::new(object, &parts.skins)) {
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
    match first_disorder(times) {
        Some((key, reason)) => Err(format!("key {key}: {reason}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pliant::Mesh;
    use pliant::glam::{DAffine3, DVec4};

    use super::super::{Channel, Influence, Interpolation, MorphTargets, Node, Scene};
    use super::*;

    /// A triangle on a skin of one joint with a morph target, turned by an animation.
    fn parts() -> SceneParts {
        let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        let influences = vec![Influence { joint: 0, weight: 1.0 }; 3];
        let weights = Arc::new(SkinWeights { starts: vec![0, 1, 2, 3], influences });
        let morph = Some(Arc::new(MorphTargets { deltas: vec![vec![DVec3::Z; 3]] }));
        let node = Node { name: None, parent: None, transform: NodeTransform::IDENTITY };
        let sampler = Sampler {
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        };
        let channel = Channel { sampler: 0, node: 1, property: Property::Rotation };
        let deformation = Deformation::Skin { skin: 0, weights, morph };
        SceneParts {
            nodes: vec![node.clone(), node],
            objects: vec![Object::new("skinned", 0, mesh, deformation)],
            skins: vec![Skin { joints: vec![1], inverse_bind: vec![DAffine3::IDENTITY] }],
            animations: vec![Animation::new("turn", vec![sampler], vec![channel])],
            warnings: Vec::new(),
        }
    }

    fn weights(parts: &mut SceneParts) -> &mut SkinWeights {
        match &mut parts.objects[0].deformation {
            Deformation::Skin { weights, .. } => Arc::make_mut(weights),
            _ => unreachable!(),
        }
    }

    #[test]
    fn every_lie_is_named() {
        type Change = fn(&mut SceneParts);
        let lies: [(Change, &str); 20] = [
            (|p| p.nodes[1].parent = Some(9), "node 1: its parent 9 does not exist"),
            (|p| p.nodes[1].parent = Some(1), "node 1: is its own ancestor"),
            (
                |p| {
                    p.nodes[0].transform = NodeTransform::Trs {
                        translation: DVec3::ZERO,
                        rotation: DVec4::ZERO,
                        scale: DVec3::ONE,
                    };
                },
                "node 0: its transform",
            ),
            (|p| p.skins[0].joints[0] = 2, "skin 0: its joint node 2 does not exist"),
            (|p| p.skins[0].joints.clear(), "skin 0: it has no joints"),
            (|p| p.skins[0].inverse_bind.clear(), "skin 0: 1 joints, but 0 inverse bind matrices"),
            (|p| p.skins[0].inverse_bind[0].translation.x = f64::NAN, "skin 0: inverse bind"),
            (|p| p.objects[0].node = 2, "object 0: its node 2 does not exist"),
            (|p| p.objects.push(p.objects[0].clone()), "object 1: another object hangs"),
            (|p| p.objects[0].default_weights.clear(), "object 0: 1 morph targets, but 0 weights"),
            (|p| p.objects[0].default_weights[0] = f64::NAN, "object 0: a morph weight"),
            (|p| p.skins.clear(), "object 0: its skin 0 does not exist"),
            (|p| weights(p).influences[1].joint = 1, "object 0: vertex 1 names joint 1"),
            (|p| weights(p).influences[2].weight = 0.5, "object 0: the weights of vertex 2 sum"),
            (|p| weights(p).influences[2].weight = f64::NAN, "object 0: vertex 2 has a weight"),
            (|p| weights(p).starts[1] = 3, "object 0: the starts of its influences"),
            (
                |p| p.animations[0].samplers[0].times[1] = 0.0,
                "animation 0 sampler 0: key 1: its time",
            ),
            (|p| p.animations[0].samplers[0].values[7] = f64::NAN, "animation 0 sampler 0: number"),
            (
                |p| p.animations[0].samplers[0].values[4] = 0.0,
                "animation 0 channel 0: the rotation",
            ),
            (
                |p| p.animations[0].channels[0].property = Property::Scale,
                "animation 0 channel 0: 4",
            ),
        ];
        Scene::new(parts()).unwrap();
        for (change, expected) in lies {
            let mut parts = parts();
            change(&mut parts);
            let error = Scene::new(parts).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error:?} does not start with {expected:?}");
        }
    }
}
