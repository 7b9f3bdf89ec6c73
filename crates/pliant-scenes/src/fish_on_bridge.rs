//! Fish poured on a swaying bridge.

use std::sync::Arc;

use pliant::Body;
use pliant::glam::DVec3;
use pliant_sim::dynamics::{
    Damping, Elasticity, Model, ModelSettings, Obstacle, Placement, Settings, Simulation,
    SurfaceMotion, SurfaceObstacle,
};
use pliant_sim::{Material, Result, VibrationSettings, vibration_modes};

use crate::{BridgeModel, FISH_MODES, Random, fish};

/// The level whose spheres touch, as in James and Pai 2004.
pub const FISH_LEVEL: u32 = 7;

/// Flesh, roughly.
const FLESH: Material = Material { young: 3e5, poisson: 0.45, density: 1000.0 };
/// The side of a cell in metres, for the modes of the fish.
const CELL: f64 = 0.03;
/// The distance in metres between neighbours in rows and layers: no fish reaches so far.
const SPACING: f64 = 0.72;
/// Fish across the bridge, whose deck is 8 m wide, and along it.
const ACROSS: usize = 8;
const ALONG: usize = 100;
/// The height of the lowest layer above the deck at rest: the bridge sways by two metres.
const LOWEST: f64 = 2.5;
/// The bottom of the river below the deck.
const RIVER: f64 = -20.0;
/// The largest displacement from a site, along each axis.
const JITTER: f64 = 0.02;
/// Frames of the bridge's animation per second: it sways with a period of ten seconds, as long bridges do.
/// At 30 per second its deck would accelerate with up to nine times gravity, and throw the fish off.
const RATE: f64 = 6.0;

/// The fish of [`fish()`] with its three lowest vibration modes as a model, at a level.
///
/// # Errors
/// None in practice; the type is that of [`vibration_modes`].
pub fn fish_model(level: u32) -> Result<Model> {
    let mesh = fish()?.mesh;
    let settings =
        VibrationSettings { modes: FISH_MODES, cell: CELL, material: FLESH, fixed: vec![] };
    let found = vibration_modes(&mesh, &settings)?;
    let damping = Damping::Ratios(vec![0.1; FISH_MODES]);
    let elasticity = Elasticity { damping, strain_limit: 0.3 };
    let settings = ModelSettings { level, density: FLESH.density, ..ModelSettings::default() };
    Model::vibrating(mesh, found, &elasticity, &settings)
}

/// Fish in rows above the swaying bridge, at rest, about to fall; those that miss it fall into a
/// river bed 20 m below. James and Pai 2004 have about 12,000. Spheres of the fish touch the
/// bridge's triangles.
///
/// # Errors
/// Those of the simulation; none in practice.
pub fn fish_on_bridge(
    fish: impl Into<Arc<Model>>,
    bridge: BridgeModel,
    count: usize,
    seed: u64,
) -> Result<Simulation> {
    let fish = fish.into();
    let mut run = Simulation::new(Settings::default())?;
    let model = run.add_model(Arc::clone(&fish));
    run.add_obstacle(Obstacle::floor(RIVER))?;
    let body = Body::reduced(bridge.mesh, Arc::new(bridge.modes))?;
    let motion = SurfaceMotion::Coordinates { frames: bridge.coordinates, rate: RATE };
    run.add_obstacle(Obstacle::Surface(Box::new(SurfaceObstacle::new(body, motion)?)))?;
    let mut random = Random::new(seed);
    for site in 0..count {
        let place = [site / ACROSS % ALONG, site / (ACROSS * ALONG), site % ACROSS];
        let [x, y, z] = place.map(|number| number as f64);
        let middle = DVec3::new((ALONG - 1) as f64, 0.0, (ACROSS - 1) as f64) * 0.5;
        let site = (DVec3::new(x, y, z) - middle) * SPACING + DVec3::Y * LOWEST;
        let rotation = random.rotation();
        let center = site + JITTER * random.in_cube();
        let translation = center - rotation * fish.mass().center;
        run.add_body(model, &Placement { rotation, translation, ..Placement::default() })?;
    }
    Ok(run)
}
