//! A simulation that is touched: it moves by itself, and hands push it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use glam::{DAffine3, DVec3};
use pliant::{AnyBody, Body, Isometry, Mesh};
use pliant_haptics::server::Server;
use pliant_haptics::{Material, Object, Watcher};
use pliant_scenes::{cuboid, icosphere};
use pliant_sim::dynamics::{Model, Obstacle, Push, Simulation};

use super::{Scenery, is_over};
use crate::simulate::{Choice, Scene, World, load};

/// Bodies if the command line names no number.
const USUAL_BODIES: usize = 12;

/// How far a floor reaches from the origin.
const FLOOR: f64 = 20.0;

/// Steps that are made up for after the machine was busy, at most; time is lost beyond.
const MOST_BEHIND: u32 = 4;

/// A simulation, its bodies as objects, and what stands in their way.
pub(super) struct Simulated {
    run: Simulation,
    names: Vec<String>,
    /// A body per body of the simulation: clones share mesh and tree.
    bodies: Vec<AnyBody>,
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
        let Scene { world, looks, look_of, .. } = scene;
        let World::Dynamics(run) = world else {
            bail!("{name}: only rigid and modal bodies can be touched; it has shape-matching ones");
        };
        let run = *run;
        let mut made: Vec<(*const Model, AnyBody)> = Vec::new();
        let mut all = Vec::new();
        let mut names = Vec::new();
        for body in 0..run.bodies() as u32 {
            let Some(model) = run.model(body) else { bail!("no body {body}") };
            let key = Arc::as_ptr(model);
            let own = match made.iter().find(|(other, _)| std::ptr::eq(*other, key)) {
                Some((_, body)) => body.clone(),
                None => {
                    let body = body_of(model)?;
                    made.push((key, body.clone()));
                    body
                }
            };
            all.push(own);
            let look = look_of.get(body as usize).and_then(|&look| looks.get(look as usize));
            names.push(format!("{} {body}", look.map_or("body", |look| &look.name)));
        }
        Ok(Self { run, names, bodies: all, material })
    }

    /// Puts a body where the simulation has it.
    fn set(&self, number: u32, body: &mut AnyBody) -> pliant::Result<()> {
        let Some((rotation, place)) = self.run.frame(number) else { return Ok(()) };
        match body {
            AnyBody::Reduced(body) => {
                let q = self.run.coordinates(number).unwrap_or_default();
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
                let Ok(body) = u32::try_from(contact.slot) else { continue };
                let force = -seen.force * (contact.depth / depths);
                let (triangle, weights) = (contact.triangle, contact.weights);
                // Slots beyond the bodies are obstacles and objects of clients: nothing pushes those.
                let _ = self.run.push(Push { body, triangle, weights, force });
            }
        }
    }

    /// The objects of all bodies in their state, made of spares where there are some.
    fn states(&self, server: &Server) -> Result<Vec<(usize, Object)>> {
        let mut objects = Vec::with_capacity(self.bodies.len());
        for (slot, body) in self.bodies.iter().enumerate() {
            let mut object = match server.spare(slot) {
                Some(spare) => *spare,
                None => Object::new(body.clone(), self.material)?,
            };
            object.set_state(|body| self.set(slot as u32, body))?;
            objects.push((slot, object));
        }
        Ok(objects)
    }
}

impl Scenery for Simulated {
    fn objects(&mut self) -> Result<Vec<(String, Object)>> {
        let mut objects = Vec::new();
        for (number, (name, body)) in (0..).zip(self.names.iter().zip(&self.bodies)) {
            let mut object = Object::new(body.clone(), self.material)?;
            object.set_state(|body| self.set(number, body))?;
            objects.push((name.clone(), object));
        }
        for (number, obstacle) in self.run.obstacles().iter().enumerate() {
            if let Some(body) = obstacle_body(obstacle)? {
                objects.push((format!("obstacle {number}"), Object::new(body, self.material)?));
            }
        }
        Ok(objects)
    }

    fn run(&mut self, server: &Server) -> Result<()> {
        let step = Duration::from_secs_f64(self.run.settings().step);
        let watcher = server.watcher();
        let mut due = Instant::now();
        while !is_over(server) {
            self.push(&watcher);
            self.run.step()?;
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
