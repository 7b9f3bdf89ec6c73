//! The built-in scenes: chairs, fish and jelly.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use pliant_scenes::{
    CHAIR_LEVEL, FISH_LEVEL, bridge_model, chair_model, falling_chairs, falling_jelly, fish_model,
    fish_on_bridge, jelly_on_stairs, modal_chair,
};
use pliant_sim::dynamics::{Model, Simulation};
use pliant_sim::shape_matching::ShapeMaterial;

use super::scene::{Look, LookMotion, Scene, World};

/// The names of the scenes that need no file.
pub(super) const NAMES: [&str; 3] = ["chairs", "fish", "jelly"];

/// What the command line may change about a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) bodies: Option<usize>,
    pub(crate) level: Option<u32>,
    pub(crate) seed: u64,
}

/// Makes a built-in scene; `None` if there is none of that name.
pub(super) fn built_in(name: &str, choice: Choice) -> Result<Option<Scene>> {
    match name {
        "chairs" => chairs(choice).map(Some),
        "fish" => fish(choice).map(Some),
        "jelly" => jelly(choice).map(Some),
        _ => Ok(None),
    }
}

fn chairs(Choice { bodies, level, seed }: Choice) -> Result<Scene> {
    let model = Arc::new(chair_model(modal_chair()?, level.unwrap_or(CHAIR_LEVEL))?);
    let run = falling_chairs(Arc::clone(&model), bodies.unwrap_or(1000), seed)?;
    Ok(of_one_model("chairs", model, run))
}

fn fish(Choice { bodies, level, seed }: Choice) -> Result<Scene> {
    let model = Arc::new(fish_model(level.unwrap_or(FISH_LEVEL))?);
    let bridge = bridge_model()?;
    let run = fish_on_bridge(Arc::clone(&model), bridge, bodies.unwrap_or(1000), seed)?;
    Ok(of_one_model("fish", model, run))
}

fn of_one_model(name: &str, model: Arc<Model>, run: Simulation) -> Scene {
    let look_of = vec![0; run.bodies()];
    let mesh = Arc::clone(model.mesh());
    let look = Look { name: name.into(), mesh, motion: LookMotion::Modal(model), felt: None };
    Scene {
        name: name.into(),
        world: World::Dynamics(Box::new(run)),
        looks: vec![look],
        look_of,
        steps_per_frame: 5,
        usual_steps: 750,
    }
}

fn jelly(Choice { bodies, seed, .. }: Choice) -> Result<Scene> {
    let jelly = jelly_on_stairs(bodies.unwrap_or(1000), seed)?;
    let run = falling_jelly(&jelly, ShapeMaterial::JELLY)?;
    let shape = run.bodies.first().map(|body| Arc::clone(body.shape()));
    let shape = shape.context("there is no body")?;
    let motion = LookMotion::Skin(shape.skin_weights(&jelly.surface));
    let look = Look { name: "jelly".into(), mesh: Arc::new(jelly.surface), motion, felt: None };
    Ok(Scene {
        name: "jelly".into(),
        look_of: vec![0; run.bodies.len()],
        world: World::Shapes(Box::new(run)),
        looks: vec![look],
        steps_per_frame: 2,
        usual_steps: 600,
    })
}
