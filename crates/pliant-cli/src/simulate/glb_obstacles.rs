//! Obstacles of a scene in the words of a GLB.

use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use pliant::{AnyBody, Mesh};
use pliant_io::{Deformation, MorphTargets};
use pliant_scenes::{cuboid, icosphere};
use pliant_sim::dynamics::{Movement, Obstacle, SurfaceMotion};

/// How finely a ball is drawn: 1280 triangles.
const BALL: u32 = 3;

/// An obstacle that a GLB shows.
pub(super) struct ObstacleParts {
    pub(super) name: String,
    pub(super) mesh: Arc<Mesh>,
    pub(super) deformation: Deformation,
    /// For each time one weight per morph target.
    pub(super) weights: Vec<f64>,
}

impl ObstacleParts {
    fn still(name: String, positions: Vec<DVec3>, mesh: &Mesh) -> Result<Self> {
        let mesh = Arc::new(Mesh::new(positions, mesh.triangles().to_vec())?);
        Ok(Self { name, mesh, deformation: Deformation::Rigid, weights: vec![] })
    }

    /// How many bytes it takes, rounded up.
    pub(super) fn bytes(&self) -> usize {
        let targets = match &self.deformation {
            Deformation::Morph(targets) => targets.deltas.len(),
            _ => 0,
        };
        let vertices = self.mesh.positions().len();
        12 * vertices * (1 + targets)
            + 12 * self.mesh.triangles().len()
            + 8 * self.weights.len()
            + 2000
            + 300 * targets
    }
}

/// Obstacles at these times, and what of them a GLB does not show.
pub(super) fn obstacle_parts(
    obstacles: &[Obstacle],
    times: &[f64],
) -> Result<(Vec<ObstacleParts>, Vec<String>)> {
    let (mut parts, mut left) = (Vec::new(), Vec::new());
    for (number, obstacle) in obstacles.iter().enumerate() {
        let name = format!("obstacle {number}");
        match obstacle {
            Obstacle::Ball { center, radius, movement } if stands(movement) => {
                let mesh = icosphere(BALL)?;
                let places = mesh.positions().iter().map(|p| *center + *p * *radius).collect();
                parts.push(ObstacleParts::still(name, places, &mesh)?);
            }
            Obstacle::Cuboid { center, rotation, half, movement } if stands(movement) => {
                let mesh = cuboid(2.0 * *half, [1; 3])?;
                let positions = mesh.positions();
                let middle = positions.iter().sum::<DVec3>() / positions.len().max(1) as f64;
                let place = |p: &DVec3| *center + *rotation * (*p - middle);
                let places = positions.iter().map(place).collect();
                parts.push(ObstacleParts::still(name, places, &mesh)?);
            }
            Obstacle::Surface(surface) => match (surface.body(), surface.motion()) {
                (body, SurfaceMotion::Still) => {
                    let places = (0..).map_while(|vertex| body.position(vertex)).collect();
                    parts.push(ObstacleParts::still(name, places, body.mesh())?);
                }
                (AnyBody::Reduced(body), SurfaceMotion::Coordinates { .. }) => {
                    let modes = body.deformation().modes();
                    let field = |mode: usize| {
                        (0..modes.vertices()).map(|at| modes.of(at)[mode].as_dvec3()).collect()
                    };
                    let deltas = (0..modes.count()).map(field).collect();
                    let mut moving = (**surface).clone();
                    let mut weights = Vec::new();
                    for &time in times {
                        moving.move_to(time)?;
                        if let AnyBody::Reduced(body) = moving.body() {
                            weights.extend_from_slice(body.deformation().coordinates());
                        }
                    }
                    let mesh = Arc::new(body.mesh().clone());
                    let deformation = Deformation::Morph(Arc::new(MorphTargets { deltas }));
                    parts.push(ObstacleParts { name, mesh, deformation, weights });
                }
                _ => left.push(format!("{name}, a surface whose motion is no morph")),
            },
            Obstacle::Plane { .. } => left.push(format!("{name}, a plane without end")),
            _ => left.push(format!("{name}, which moves")),
        }
    }
    Ok((parts, left))
}

fn stands(movement: &Movement) -> bool {
    movement.velocity == DVec3::ZERO && movement.spin == DVec3::ZERO
}
