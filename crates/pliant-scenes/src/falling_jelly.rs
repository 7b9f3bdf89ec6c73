//! Jelly on stairs as a simulation.

use std::sync::Arc;

use pliant::glam::{DAffine3, DVec3};
use pliant_sim::Result;
use pliant_sim::dynamics::Obstacle;
use pliant_sim::shape_matching::{
    Shape, ShapeBody, ShapeMaterial, ShapeSimulation, SimulationSettings,
};

use crate::Jelly;

/// Parts of a piece that bend for themselves.
const CLUSTERS: usize = 2;
/// The mass of a piece in kilograms: as heavy as water.
const MASS: f64 = 12.5;

/// The pieces of [`jelly_on_stairs`](crate::jelly_on_stairs) above their stairs, at rest, about to fall, 60
/// steps per second.
///
/// # Errors
/// Those of [`Shape::new`], for a material outside its ranges.
///
/// ```
/// use pliant_scenes::{falling_jelly, jelly_on_stairs};
/// use pliant_sim::shape_matching::ShapeMaterial;
/// let mut run = falling_jelly(&jelly_on_stairs(20, 1)?, ShapeMaterial::JELLY)?;
/// let contacts: usize = (0..60).map(|_| run.step().obstacle_contacts).sum();
/// assert!(contacts > 0);
/// # Ok::<(), pliant_sim::Error>(())
/// ```
pub fn falling_jelly(jelly: &Jelly, material: ShapeMaterial) -> Result<ShapeSimulation> {
    let shape = Shape::new(jelly.points.clone(), MASS, jelly.radius, CLUSTERS, material)?;
    let shape = Arc::new(shape);
    let mut run = ShapeSimulation::new(SimulationSettings::default())?;
    let stairs = jelly.stairs.iter().map(|&[middle, half]| Obstacle::cuboid(middle, half));
    run.set_obstacles([Obstacle::floor(0.0)].into_iter().chain(stairs).collect())?;
    for &(rotation, translation) in &jelly.placements {
        let place = DAffine3::from_rotation_translation(rotation, translation);
        run.bodies.push(ShapeBody::new(Arc::clone(&shape), place, DVec3::ZERO)?);
    }
    Ok(run)
}
