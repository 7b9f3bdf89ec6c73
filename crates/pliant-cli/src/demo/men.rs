//! Two men walk past one another and brush arms.

use std::sync::Arc;

use anyhow::Result;
use glam::{DAffine3, DQuat, DVec3};
use pliant_io::{
    Animation, Channel, Deformation, Interpolation, Node, NodeTransform, Object, Property, Sampler,
    Scene, SceneParts, Skin, SkinWeights,
};
use pliant_scenes::{Character, two_men_passing};

use super::{Act, FPS};
use crate::table::count;

pub(super) fn act() -> Result<Act> {
    let men = two_men_passing()?;
    let character = &men.character;
    let story = format!(
        "Two men of {} triangles and {} joints each walk past one another and brush arms.\n\
         Every frame: set the joints, find all pairs of triangles that touch.",
        count(character.mesh.triangles().len()),
        character.joints.len(),
    );
    let mut parts = SceneParts::default();
    let mesh = Arc::new(character.mesh.clone());
    let weights = Arc::new(weights(character));
    let times: Vec<f64> = (0..men.frames.len()).map(|frame| frame as f64 / FPS).collect();
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (man, name) in ["man", "other man"].into_iter().enumerate() {
        let own = parts.nodes.len();
        parts.nodes.push(node(name.into()));
        // Joints hang from the world: what a frame holds is where they are in it.
        let joints = (0..character.joints.len()).map(|joint| own + 1 + joint).collect();
        for (number, joint) in character.joints.iter().enumerate() {
            let places: Vec<DAffine3> = men
                .frames
                .iter()
                .map(|frame| frame[man][number] * DAffine3::from_translation(joint.rest))
                .collect();
            let turns = places.iter().map(|place| DQuat::from_mat3(&place.matrix3));
            let turns = turns.flat_map(|turn| turn.to_array()).collect();
            let shifts = places.iter().flat_map(|place| place.translation.to_array()).collect();
            let properties = [(Property::Rotation, turns), (Property::Translation, shifts)];
            for (property, values) in properties {
                let interpolation = Interpolation::Linear;
                channels.push(Channel {
                    sampler: samplers.len(),
                    node: parts.nodes.len(),
                    property,
                });
                samplers.push(Sampler { interpolation, times: times.clone(), values });
            }
            parts.nodes.push(node(joint.name.clone()));
        }
        let back = |rest: DVec3| DAffine3::from_translation(-rest);
        let inverse_bind = character.joints.iter().map(|joint| back(joint.rest)).collect();
        parts.skins.push(Skin { joints, inverse_bind });
        let deformation =
            Deformation::Skin { skin: man, weights: Arc::clone(&weights), morph: None };
        parts.objects.push(Object::new(name, own, Arc::clone(&mesh), deformation));
    }
    parts.animations.push(Animation::new("passing", samplers, channels));
    Ok(Act { name: "men", story, scene: Scene::new(parts)?, with_self: false, is_small: true })
}

fn node(name: String) -> Node {
    Node { name: Some(name), parent: None, transform: NodeTransform::IDENTITY }
}

fn weights(character: &Character) -> SkinWeights {
    let influences = character.influences.iter();
    SkinWeights {
        starts: character.starts.clone(),
        influences: influences
            .map(|one| pliant_io::Influence { joint: one.joint, weight: one.weight })
            .collect(),
    }
}
