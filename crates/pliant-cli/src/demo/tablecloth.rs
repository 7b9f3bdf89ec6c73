//! A cloth falls on a table.

use std::sync::Arc;

use anyhow::Result;
use glam::{DAffine3, DVec3};
use pliant_io::{
    Animation, Deformation, Keyframes, Node, NodeTransform, Object, Scene, SceneParts,
};
use pliant_scenes::tablecloth;

use super::Act;
use crate::table::count;

/// Triangles of the cloth, about.
const FACES: usize = 4000;

/// By how much the table is raised: the cloth lies a few millimetres above where it stood.
const RAISED: f64 = 0.02;

pub(super) fn act() -> Result<Act> {
    let scene = tablecloth(FACES)?;
    let story = format!(
        "A cloth of {} triangles falls on a table, given by {} keyframes.\n\
         The table stands {RAISED} m higher than the cloth was made for, so they meet.",
        count(scene.cloth.mesh.triangles().len()),
        scene.cloth.frames.len(),
    );
    let node = |name: &str, height: f64| Node {
        name: Some(name.into()),
        parent: None,
        transform: NodeTransform::Matrix(DAffine3::from_translation(DVec3::Y * height)),
    };
    let keyframes = Keyframes { times: scene.cloth.times, frames: scene.cloth.frames };
    let mut animation = Animation::new("fall", Vec::new(), Vec::new());
    (animation.start, animation.end) =
        (keyframes.times[0], keyframes.times[keyframes.times.len() - 1]);
    let cloth = Deformation::Keyframes(Arc::new(keyframes));
    let scene = Scene::new(SceneParts {
        nodes: vec![node("cloth", 0.0), node("table", RAISED)],
        objects: vec![
            Object::new("cloth", 0, scene.cloth.mesh, cloth),
            Object::new("table", 1, scene.table, Deformation::Rigid),
        ],
        animations: vec![animation],
        ..SceneParts::default()
    })?;
    Ok(Act { name: "tablecloth", story, scene, with_self: false, is_small: true })
}
