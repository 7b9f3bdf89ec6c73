//! A cloth falls on a table.

use std::sync::Arc;

use anyhow::Result;
use pliant_io::{
    Animation, Deformation, Keyframes, Node, NodeTransform, Object, Scene, SceneParts,
};
use pliant_scenes::tablecloth;

use super::Act;
use crate::table::count;

/// Triangles of the cloth, about.
const FACES: usize = 4000;

pub(super) fn act() -> Result<Act> {
    let scene = tablecloth(FACES)?;
    let story = format!(
        "A cloth of {} triangles falls on a table, given by {} keyframes.\n\
         It is simulated a hair above the table, so what touches is the cloth itself, in its folds.",
        count(scene.cloth.mesh.triangles().len()),
        scene.cloth.frames.len(),
    );
    let node = |name: &str| Node {
        name: Some(name.into()),
        parent: None,
        transform: NodeTransform::IDENTITY,
    };
    let keyframes = Keyframes { times: scene.cloth.times, frames: scene.cloth.frames };
    let mut animation = Animation::new("fall", Vec::new(), Vec::new());
    (animation.start, animation.end) =
        (keyframes.times[0], keyframes.times[keyframes.times.len() - 1]);
    let cloth = Deformation::Keyframes(Arc::new(keyframes));
    let scene = Scene::new(SceneParts {
        nodes: vec![node("cloth"), node("table")],
        objects: vec![
            Object::new("cloth", 0, scene.cloth.mesh, cloth),
            Object::new("table", 1, scene.table, Deformation::Rigid),
        ],
        animations: vec![animation],
        ..SceneParts::default()
    })?;
    Ok(Act { name: "tablecloth", story, scene, with_self: true })
}
