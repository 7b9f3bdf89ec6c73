//! rapier3d's rigid step for the same pile.

use std::time::Instant;

use anyhow::{Result, anyhow};
use pliant::Mesh;
use pliant::glam::{DQuat, DVec3};
use pliant_scenes::chair_boxes;
use pliant_sim::dynamics::Simulation;
use rapier3d::math::{Pose, Rotation, Vector};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, SharedShape};

use super::THREADS;
use super::ours::median;
use crate::peers::parry::vertices;

/// Half the side and the thickness of the floor in metres.
const FLOOR: [f32; 2] = [500.0, 1.0];

/// Figures of a pile in rapier3d.
pub(super) struct Stepped {
    /// Seconds of a step.
    pub(super) step: f64,
    /// Points of contact that its solver works on.
    pub(super) contacts: usize,
    /// The root of the mean squared speed of its bodies.
    pub(super) speed: f64,
}

/// Each chair a compound of boxes.
pub(super) fn of_boxes(run: &Simulation, quick: bool) -> Result<Stepped> {
    let part = |[low, high]: [DVec3; 2]| {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let shape = SharedShape::cuboid(half.x as f32, half.y as f32, half.z as f32);
        (Pose::from_parts(vector(middle), Rotation::IDENTITY), shape)
    };
    let shape = SharedShape::compound(chair_boxes().into_iter().map(part).collect());
    stepped(run, &shape, if quick { [10, 5] } else { [150, 41] })
}

/// Each chair a triangle mesh of parry3d.
pub(super) fn of_meshes(run: &Simulation, mesh: &Mesh, quick: bool) -> Result<Stepped> {
    let shape = SharedShape::trimesh(vertices(mesh.positions()), mesh.triangles().to_vec())
        .map_err(|error| anyhow!("parry3d refused the mesh: {error}"))?;
    stepped(run, &shape, if quick { [2, 2] } else { [20, 11] })
}

/// Settles for some steps, and measures others.
fn stepped(run: &Simulation, shape: &SharedShape, [before, steps]: [usize; 2]) -> Result<Stepped> {
    let mut world = PhysicsWorld::default();
    world.configure_thread_pool(THREADS)?;
    world.integration_parameters.dt = run.settings().step as f32;
    let friction = run.settings().contact.friction as f32;
    let below = RigidBodyBuilder::fixed().translation(Vector::new(0.0, -FLOOR[1], 0.0));
    let floor = ColliderBuilder::cuboid(FLOOR[0], FLOOR[1], FLOOR[0]).friction(friction);
    world.insert(below, floor);
    for body in 0.. {
        let (Some((rotation, place)), Some(model)) = (run.frame(body), run.model(body)) else {
            break;
        };
        let chair = RigidBodyBuilder::dynamic().pose(pose(rotation, place)).can_sleep(false);
        let mass = model.mass().mass as f32;
        world.insert(chair, ColliderBuilder::new(shape.clone()).friction(friction).mass(mass));
    }
    for _ in 0..before {
        world.step();
    }
    let mut times = Vec::new();
    for _ in 0..steps {
        let start = Instant::now();
        world.step();
        times.push(start.elapsed().as_secs_f64());
    }
    // Where it joins manifolds of one pair to clusters, these are what its solver works on.
    let manifolds = world.contact_pairs().flat_map(|pair| pair.solver_manifolds());
    let contacts = manifolds.map(|manifold| manifold.data.solver_contacts.len()).sum();
    let squares = world.active_bodies().map(|(_, body)| f64::from(body.linvel().length_squared()));
    let squares: Vec<f64> = squares.collect();
    let speed = (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt();
    Ok(Stepped { step: median(&mut times), contacts, speed })
}

fn vector(v: DVec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn pose(rotation: DQuat, place: DVec3) -> Pose {
    let [x, y, z, w] = rotation.to_array().map(|number| number as f32);
    Pose::from_parts(vector(place), Rotation::from_xyzw(x, y, z, w))
}
