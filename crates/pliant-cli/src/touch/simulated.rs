//! A simulation that is touched: it moves by itself, and hands push it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use glam::{DAffine3, DVec3};
use pliant::deform::{Binding, Blending};
use pliant::{AnyBody, Body, Isometry, Mesh};
use pliant_haptics::server::Server;
use pliant_haptics::{Contact, Material, Object, Watcher};
use pliant_scenes::{cuboid, icosphere};
use pliant_sim::dynamics::{Model, Obstacle, Push, Simulation};
use pliant_sim::shape_matching::ShapeBody;

use super::{Scenery, is_over, maps};
use crate::simulate::{Choice, Look, LookMotion, Scene, Spheres, World, load};

/// Bodies if the command line names no number.
const USUAL_BODIES: usize = 12;

/// How far a floor reaches from the origin.
const FLOOR: f64 = 20.0;

/// Steps that are made up for after the machine was busy, at most; time is lost beyond.
const MOST_BEHIND: u32 = 4;

/// A simulation, its bodies as objects, and what stands in their way.
pub(super) struct Simulated {
    scene: Scene,
    names: Vec<String>,
    /// An object per body of the simulation, rigid and modal ones first: clones share mesh and tree.
    objects: Vec<Object>,
    material: Material,
}

impl Simulated {
    pub(super) fn new(
        name: &str,
        bodies: Option<usize>,
        seed: u64,
        material: Material,
    ) -> Result<Self> {
        let is_file = name.ends_with(".toml");
        let bodies = if is_file { bodies } else { Some(bodies.unwrap_or(USUAL_BODIES)) };
        let scene = load(name, Choice { bodies, level: None, seed })?;
        let first = dynamics(&scene.world).map_or(0, |(_, bodies)| bodies);
        let clusters = |look: usize| {
            let number = scene.look_of.iter().position(|&own| own as usize == look)?;
            let shape = shapes(&scene.world).get(number.checked_sub(first)?)?.shape();
            Some(shape.clusters())
        };
        let made = |(number, look)| object_of(look, clusters(number).unwrap_or(0), material);
        let made: Vec<Object> = scene.looks.iter().enumerate().map(made).collect::<Result<_>>()?;
        let (mut names, mut objects) = (Vec::new(), Vec::new());
        for (number, &look) in scene.look_of.iter().enumerate() {
            let (look, object) = (scene.looks.get(look as usize), made.get(look as usize));
            let (look, object) = look.zip(object).context("a body looks like nothing")?;
            names.push(format!("{} {number}", look.name));
            objects.push(object.clone());
        }
        Ok(Self { scene, names, objects, material })
    }

    /// Puts a body where the simulation has it.
    fn set(&self, number: usize, body: &mut AnyBody) -> pliant::Result<()> {
        let world = &self.scene.world;
        let dynamics = dynamics(world);
        let first = dynamics.map_or(0, |(_, bodies)| bodies);
        let shape = number.checked_sub(first).and_then(|number| shapes(world).get(number));
        if let Some(shape) = shape {
            return match body {
                AnyBody::Skinned(body) => body.set_pose(&shape.joints(), &[]),
                _ => Ok(()),
            };
        }
        let Some((run, _)) = dynamics else { return Ok(()) };
        let Some((rotation, place)) = run.frame(number as u32) else { return Ok(()) };
        match body {
            AnyBody::Reduced(body) => {
                let q = run.coordinates(number as u32).unwrap_or_default();
                body.set_state(q, DAffine3::from_rotation_translation(rotation, place))
            }
            AnyBody::Rigid(body) => {
                body.set_isometry(Isometry::new(rotation, place)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Hands push what they touch: each contact takes its share of the force by its depth.
    fn push(&mut self, watcher: &Watcher) {
        for hand in 0..watcher.hands() {
            let seen = watcher.seen(hand);
            let contacts = seen.contacts.as_slice();
            let depths: f64 = contacts.iter().map(|contact| contact.depth).sum();
            if !seen.is_present || depths.is_nan() || depths <= 0.0 {
                continue;
            }
            for contact in contacts {
                push(&mut self.scene, contact, -seen.force * (contact.depth / depths));
            }
        }
    }

    /// The objects of all bodies in their state, made of spares where there are some.
    fn states(&self, server: &Server) -> Result<Vec<(usize, Object)>> {
        let mut objects = Vec::with_capacity(self.objects.len());
        for (slot, object) in self.objects.iter().enumerate() {
            let mut object = server.spare(slot).map_or_else(|| object.clone(), |spare| *spare);
            object.set_state(|body| self.set(slot, body))?;
            objects.push((slot, object));
        }
        Ok(objects)
    }
}

impl Scenery for Simulated {
    fn objects(&mut self) -> Result<Vec<(String, Object)>> {
        let mut objects = Vec::new();
        for (number, (name, object)) in self.names.iter().zip(&self.objects).enumerate() {
            let mut object = object.clone();
            object.set_state(|body| self.set(number, body))?;
            objects.push((name.clone(), object));
        }
        for (number, obstacle) in self.scene.obstacles().iter().enumerate() {
            if let Some(body) = obstacle_body(obstacle)? {
                objects.push((format!("obstacle {number}"), Object::new(body, self.material)?));
            }
        }
        Ok(objects)
    }

    fn bodies(&self) -> usize {
        self.objects.len()
    }

    fn run(&mut self, server: &Server) -> Result<()> {
        let step = Duration::from_secs_f64(self.scene.step_length());
        let watcher = server.watcher();
        let mut due = Instant::now();
        while !is_over(server) {
            self.push(&watcher);
            self.scene.step(1, Spheres::Counted)?;
            server.replace(self.states(server)?)?;
            due += step;
            let now = Instant::now();
            if now > due + step * MOST_BEHIND {
                due = now;
            }
            std::thread::sleep(due.saturating_duration_since(now));
        }
        Ok(())
    }
}

/// The rigid and modal bodies, and how many there are.
fn dynamics(world: &World) -> Option<(&Simulation, usize)> {
    match world {
        World::Dynamics(run) => Some((run, run.bodies())),
        World::Mixed(run) => Some((run.dynamics(), run.bodies() as usize)),
        World::Shapes(_) => None,
    }
}

/// The shape-matching bodies.
fn shapes(world: &World) -> &[ShapeBody] {
    match world {
        World::Dynamics(_) => &[],
        World::Shapes(run) => &run.bodies,
        World::Mixed(run) => run.shapes(),
    }
}

/// Pushes what a contact touches. Slots beyond the bodies are obstacles and objects of clients: nothing
/// pushes those.
fn push(scene: &mut Scene, contact: &Contact, force: DVec3) {
    let Ok(body) = u32::try_from(contact.slot) else { return };
    let impulse = force * scene.step_length();
    let own = Push { body, triangle: contact.triangle, weights: contact.weights, force };
    // What is refused, as a force that is not finite, pushes nothing.
    let _ = match &mut scene.world {
        World::Dynamics(run) => run.push(own),
        World::Shapes(run) => match run.bodies.get_mut(contact.slot) {
            Some(body) => body.push(contact.point, impulse),
            None => Ok(()),
        },
        World::Mixed(run) => match body.checked_sub(run.bodies()) {
            None => run.push(own),
            Some(shape) => run.push_shape(shape, contact.point, impulse),
        },
    };
}

/// What bodies of a look are as objects, at rest.
fn object_of(look: &Look, clusters: usize, material: Material) -> Result<Object> {
    let body = match &look.motion {
        LookMotion::Modal(model) => body_of(model)?,
        LookMotion::Skin(weights) => {
            let binding = Binding::new(weights.clone(), clusters)?;
            Body::skinned(Mesh::clone(&look.mesh), binding, Blending::Linear)?.into()
        }
    };
    let textures = look.felt.as_ref().map(maps::of_model).transpose()?.unwrap_or_default();
    maps::textured(Object::new(body, material)?, &textures)
}

/// A body of a model at rest.
fn body_of(model: &Model) -> Result<AnyBody> {
    let mesh = Mesh::clone(model.mesh());
    Ok(match model.modes().count() {
        0 => Body::rigid(mesh)?.into(),
        _ => Body::reduced(mesh, Arc::clone(model.modes()))?.into(),
    })
}

/// What stands in the way, as it is at first.
fn obstacle_body(obstacle: &Obstacle) -> Result<Option<AnyBody>> {
    let placed = |mesh: Mesh, map: DAffine3| -> Result<Option<AnyBody>> {
        let moved = mesh.positions().iter().map(|&p| map.transform_point3(p)).collect();
        Ok(Some(Body::rigid(Mesh::new(moved, mesh.triangles().to_vec())?)?.into()))
    };
    match obstacle {
        Obstacle::Plane { normal, offset } => {
            let (right, up) = normal.any_orthonormal_pair();
            let middle = *normal * *offset;
            let corner = |x: f64, y: f64| middle + (right * x + up * y) * FLOOR;
            let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            let corners: Vec<DVec3> = corners.iter().map(|&[x, y]| corner(x, y)).collect();
            let mesh = Mesh::new(corners, vec![[0, 1, 2], [0, 2, 3]])?;
            placed(mesh, DAffine3::IDENTITY)
        }
        Obstacle::Ball { center, radius, .. } => {
            let map = DAffine3::from_scale(DVec3::splat(*radius));
            placed(icosphere(4)?, DAffine3::from_translation(*center) * map)
        }
        Obstacle::Cuboid { center, half, rotation, .. } => {
            let mesh = cuboid(*half * 2.0, [1, 1, 1])?;
            placed(mesh, DAffine3::from_rotation_translation(*rotation, *center))
        }
        Obstacle::Surface(surface) => Ok(Some(surface.body().clone())),
        _ => Ok(None),
    }
}
