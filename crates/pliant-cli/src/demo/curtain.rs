//! A ball is thrown at a curtain that blows in the wind.

use std::sync::Arc;

use anyhow::Result;
use pliant_io::{
    Animation, Channel, Deformation, Interpolation, MorphTargets, Node, NodeTransform, Object,
    Property, Sampler, Scene, SceneParts,
};
use pliant_scenes::curtain_and_ball;

use super::{Act, FPS};
use crate::table::count;

pub(super) fn act() -> Result<Act> {
    let scene = curtain_and_ball(0, 4)?;
    let (cloth, ball) = (scene.curtain, scene.ball);
    let story = format!(
        "A ball ({} triangles) is thrown at a curtain ({} triangles) that blows in the wind.\n\
         Every frame: set the curtain's {} coordinates, find all pairs of triangles that touch.",
        count(ball.mesh.triangles().len()),
        count(cloth.mesh.triangles().len()),
        cloth.modes.len(),
    );
    let times: Vec<f64> = (0..cloth.coordinates.len()).map(|frame| frame as f64 / FPS).collect();
    let sampler = |values: Vec<f64>| Sampler {
        interpolation: Interpolation::Linear,
        times: times.clone(),
        values,
    };
    let samplers = vec![
        sampler(cloth.coordinates.concat()),
        sampler(ball.centers.iter().flat_map(|center| center.to_array()).collect()),
    ];
    let channels = vec![
        Channel { sampler: 0, node: 0, property: Property::Weights },
        Channel { sampler: 1, node: 1, property: Property::Translation },
    ];
    let node = |name: &str| Node {
        name: Some(name.into()),
        parent: None,
        transform: NodeTransform::IDENTITY,
    };
    let morph = Deformation::Morph(Arc::new(MorphTargets { deltas: cloth.modes }));
    let scene = Scene::new(SceneParts {
        nodes: vec![node("curtain"), node("ball")],
        objects: vec![
            Object::new("curtain", 0, cloth.mesh, morph),
            Object::new("ball", 1, ball.mesh, Deformation::Rigid),
        ],
        animations: vec![Animation::new("wind and throw", samplers, channels)],
        ..SceneParts::default()
    })?;
    Ok(Act { name: "curtain", story, scene, with_self: false, is_small: true })
}
