//! The files of a run as one GLB that the page can deform, and the states that drive it.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use glam::DAffine3;
use pliant_io::{
    Deformation, Node, NodeTransform, Object, ObjectState, Pose, Scene, SceneParts, Skin,
    affine_rows, glb_bytes,
};

use super::baked::{Baked, bakes};
use super::base64;
use super::format::States;
use crate::check::times::Moment;
use crate::source::{Input, ObjectPlace};

/// All objects of the input in one GLB: each hangs from a node of its own, which moves
/// nothing, and skins have joints in name only. What moves is in the states.
pub(super) fn one_glb(input: &Input, baked: &Baked) -> Result<Vec<u8>> {
    let mut parts = SceneParts::default();
    let node =
        |name: Option<String>| Node { name, parent: None, transform: NodeTransform::IDENTITY };
    for (number, &place) in input.objects().iter().enumerate() {
        let object = input.object(place);
        let own = parts.nodes.len();
        parts.nodes.push(node(Some(object.name.clone())));
        let deformation = match (&object.deformation, baked.of(number)) {
            (_, Some(keyframes)) => Deformation::Keyframes(Arc::clone(keyframes)),
            (Deformation::Skin { skin, weights, morph }, None) => {
                let joints = input.sources()[place.source].scene.skins()[*skin].joints.len();
                let first = parts.nodes.len();
                parts.nodes.extend((0..joints).map(|_| node(None)));
                parts.skins.push(Skin {
                    joints: (first..first + joints).collect(),
                    inverse_bind: vec![DAffine3::IDENTITY; joints],
                });
                let (weights, morph) = (Arc::clone(weights), morph.clone());
                Deformation::Skin { skin: parts.skins.len() - 1, weights, morph }
            }
            (other, None) => other.clone(),
        };
        let mesh = Arc::clone(&object.mesh);
        parts.objects.push(Object::new(object.name.clone(), own, mesh, deformation));
    }
    let scene = Scene::new(parts).context("the scene for the page")?;
    glb_bytes(&scene).context("the scene for the page")
}

/// For each object the number of its mesh in [`one_glb`]: the writer shares a mesh between
/// objects of one shape, and numbers meshes as it meets them.
pub(super) fn mesh_numbers(input: &Input, baked: &Baked) -> Vec<usize> {
    let mut known = HashMap::new();
    let mut next = 0;
    let mut number = |(object, place): (usize, &ObjectPlace)| {
        let key = match input.object(*place).deformation {
            // Its frames become targets of its own.
            Deformation::Keyframes(_) => None,
            _ if baked.of(object).is_some() => None,
            _ => input.sources()[place.source].scene.shape_key(place.object),
        };
        if let Some(&seen) = key.and_then(|key| known.get(&key)) {
            return seen;
        }
        known.extend(key.map(|key| (key, next)));
        next += 1;
        next - 1
    };
    input.objects().iter().enumerate().map(&mut number).collect()
}

/// How many numbers move all objects at one time, in a run of so many frames.
pub(super) fn state_numbers(input: &Input, frames: usize) -> usize {
    let numbers = |place: &ObjectPlace| match &input.object(*place).deformation {
        deformation if bakes(input, deformation) => {
            3 * input.object(*place).mesh.positions().len() + frames
        }
        Deformation::Morph(targets) => targets.deltas.len(),
        Deformation::Keyframes(keyframes) => keyframes.frames.len(),
        Deformation::Skin { skin, morph, .. } => {
            let joints = input.sources()[place.source].scene.skins()[*skin].joints.len();
            joints * FRAME + morph.as_ref().map_or(0, |targets| targets.deltas.len())
        }
        _ => 0,
    };
    input.objects().iter().map(|place| FRAME + numbers(place)).sum()
}

/// What moves every object in all frames.
pub(super) fn states(input: &Input, baked: &Baked, blocks: &[&[Moment]]) -> Result<Vec<States>> {
    let mut numbers = vec![Numbers::default(); input.objects().len()];
    for (at, &Moment { take, time, .. }) in blocks.iter().copied().flatten().enumerate() {
        let poses = input.poses(take, time)?;
        for (number, (numbers, &place)) in numbers.iter_mut().zip(input.objects()).enumerate() {
            match baked.of(number) {
                Some(keyframes) => numbers.add_baked(at, keyframes.frames.len()),
                None => numbers.add(input.object(place), place.object, &poses[place.source]),
            }
        }
    }
    Ok(numbers.into_iter().map(Numbers::encode).collect())
}

/// Numbers of an affine map.
const FRAME: usize = 12;

#[derive(Debug, Clone, Default)]
struct Numbers {
    frames: Vec<f32>,
    weights: Vec<f32>,
    joints: Vec<f32>,
}

impl Numbers {
    /// A frame of an object whose vertices are those of a keyframe.
    fn add_baked(&mut self, frame: usize, frames: usize) {
        self.frames.extend(affine_rows(&DAffine3::IDENTITY));
        self.weights.extend((0..frames).map(|other| f32::from(u8::from(other == frame))));
    }

    fn add(&mut self, object: &Object, number: usize, pose: &Pose) {
        let ObjectState { frame, weights, joints } = pose.object_state(object, number);
        self.frames.extend(frame);
        self.weights.extend(weights);
        self.joints.extend(joints);
    }

    fn encode(self) -> States {
        let [frames, weights, joints] =
            [self.frames, self.weights, self.joints].map(base64::floats);
        States { frames, weights, joints }
    }
}
