//! Chairs that fall into a pile.

use std::sync::Arc;

use pliant::Mesh;
use pliant::glam::DVec3;
use pliant_sim::dynamics::{
    Damping, Elasticity, Model, ModelSettings, Obstacle, Placement, Settings, Simulation,
};
use pliant_sim::{Material, Result};

use crate::{ModalChair, Random};

/// The level whose spheres touch, as in James and Pai 2004.
pub const CHAIR_LEVEL: u32 = 10;

/// The distance in metres between neighbours, in rows and layers: no chair reaches so far.
const SPACING: f64 = 1.15;
/// The height of the lowest layer.
const LOWEST: f64 = 0.7;
/// The largest displacement from a site, along each axis.
const JITTER: f64 = 0.02;

/// The chair with its ten modes as a model, at a level.
///
/// No sphere grows by more than a fifth. Rayleigh damping takes a tenth of critical at the lowest
/// mode, and more at the others.
///
/// # Errors
/// Those of [`Model::modal`]; none in practice.
pub fn chair_model(chair: ModalChair, level: u32) -> Result<Model> {
    let ModalChair { mesh, modes, frequencies, .. } = chair;
    let lowest = std::f64::consts::TAU * frequencies[0];
    let damping = Damping::Rayleigh { mass: 0.1 * lowest, stiffness: 0.1 / lowest };
    let elasticity = Elasticity { damping, strain_limit: 0.2 };
    Model::modal(mesh, modes, &frequencies, &elasticity, &model_settings(level))
}

/// The chair as a model that does not deform, at a level.
///
/// # Errors
/// Those of [`Model::rigid`]; none in practice.
pub fn rigid_chair_model(mesh: Mesh, level: u32) -> Result<Model> {
    Model::rigid(mesh, &model_settings(level))
}

fn model_settings(level: u32) -> ModelSettings {
    let density = Material::POLYPROPYLENE.density;
    ModelSettings { level, density, ..ModelSettings::default() }
}

/// Chairs in rows above the floor y = 0, at rest, about to fall: a block twice as wide as high,
/// with random rotations. The steps are a fifth of a frame at 30 frames per second, as in James and
/// Pai 2004, where 3601 chairs fall.
///
/// # Errors
/// Those of the simulation; none in practice.
pub fn falling_chairs(chair: impl Into<Arc<Model>>, count: usize, seed: u64) -> Result<Simulation> {
    let chair = chair.into();
    let mut run = Simulation::new(Settings::default())?;
    let model = run.add_model(Arc::clone(&chair));
    run.add_obstacle(Obstacle::floor(0.0))?;
    let mut random = Random::new(seed);
    let across = (1..).find(|n| n * n * n >= 2 * count).unwrap_or(1);
    for site in 0..count {
        let place = [site % across, site / across % across, site / (across * across)];
        let middle = 0.5 * (across - 1) as f64;
        let [x, z, y] = place.map(|number| number as f64);
        let site = DVec3::new(x - middle, y, z - middle) * SPACING + DVec3::Y * LOWEST;
        let rotation = random.rotation();
        let center = site + JITTER * random.in_cube();
        let translation = center - rotation * chair.mass().center;
        run.add_body(model, &Placement { rotation, translation, ..Placement::default() })?;
    }
    Ok(run)
}
