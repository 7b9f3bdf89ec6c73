//! The tables of a scene file (docs/scene-format.md, docs/scene.schema.json).

use pliant_sim::shape_matching::Plasticity;
use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SceneTable {
    pub(super) step: Option<f64>,
    #[serde(default = "two")]
    pub(super) steps_per_frame: u64,
    pub(super) steps: Option<u64>,
    pub(super) gravity: Option<[f64; 3]>,
    pub(super) friction: Option<f64>,
    #[serde(default, rename = "model")]
    pub(super) models: Vec<Spanned<ModelTable>>,
    #[serde(default, rename = "body")]
    pub(super) bodies: Vec<Spanned<BodyTable>>,
    #[serde(default, rename = "obstacle")]
    pub(super) obstacles: Vec<Spanned<ObstacleTable>>,
}

fn two() -> u64 {
    2
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Rigid,
    Modal,
    ShapeMatching,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ModelTable {
    pub(super) name: String,
    pub(super) file: std::path::PathBuf,
    pub(super) kind: Kind,
    #[serde(default = "one")]
    pub(super) scale: f64,
    /// Of the material, in kilograms per cubic metre.
    pub(super) density: Option<f64>,
    pub(super) level: Option<u32>,
    // Modal bodies.
    pub(super) modes: Option<usize>,
    pub(super) cell: Option<f64>,
    pub(super) young: Option<f64>,
    pub(super) poisson: Option<f64>,
    pub(super) damping: Option<f64>,
    pub(super) strain_limit: Option<f64>,
    // Shape matching.
    pub(super) points: Option<usize>,
    pub(super) clusters: Option<usize>,
    pub(super) mass: Option<f64>,
    pub(super) goal: Option<GoalName>,
    pub(super) alpha: Option<f64>,
    pub(super) beta: Option<f64>,
    pub(super) plasticity: Option<PlasticityTable>,
    // What hands feel.
    pub(super) height_map: Option<std::path::PathBuf>,
    pub(super) height: Option<f64>,
    pub(super) friction_map: Option<std::path::PathBuf>,
}

/// What remains of deformations. What is missing is that of clay.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct PlasticityTable {
    yield_stretch: Option<f64>,
    creep: Option<f64>,
    largest: Option<f64>,
}

impl PlasticityTable {
    pub(super) fn of_shapes(self) -> Plasticity {
        let clay = Plasticity::CLAY;
        Plasticity {
            yield_stretch: self.yield_stretch.unwrap_or(clay.yield_stretch),
            creep: self.creep.unwrap_or(clay.creep),
            largest: self.largest.unwrap_or(clay.largest),
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum GoalName {
    Rigid,
    Linear,
    Quadratic,
}

fn one() -> f64 {
    1.0
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct BodyTable {
    pub(super) model: String,
    #[serde(default)]
    pub(super) place: [f64; 3],
    /// Axis times angle, in degrees.
    #[serde(default)]
    pub(super) rotation: [f64; 3],
    #[serde(default)]
    pub(super) velocity: [f64; 3],
    #[serde(default)]
    pub(super) spin: [f64; 3],
    /// How many along each axis.
    pub(super) count: Option<[usize; 3]>,
    pub(super) spacing: Option<[f64; 3]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub(super) enum ObstacleTable {
    Floor {
        #[serde(default)]
        height: f64,
    },
    Ball {
        center: [f64; 3],
        radius: f64,
    },
    Box {
        center: [f64; 3],
        size: [f64; 3],
    },
}
