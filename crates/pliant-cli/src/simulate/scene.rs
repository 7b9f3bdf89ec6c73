//! What is simulated: bodies that move, what they look like, and what stands in their way.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use glam::{DAffine3, DQuat, DVec3};
use pliant::Mesh;
use pliant::deform::SkinWeights;
use pliant_sim::dynamics::{Energy, Model, Obstacle, Other, Simulation};
use pliant_sim::mixed::MixedSimulation;
use pliant_sim::shape_matching::{PointContact, ShapeBody, ShapeSimulation};

use super::motion::{Counters, Frame, MAX_SPHERES};

/// A scene that can be stepped.
#[derive(Debug)]
pub(crate) struct Scene {
    /// Its name, as the command line gave it.
    pub(super) name: String,
    pub(crate) world: World,
    /// What bodies look like.
    pub(crate) looks: Vec<Look>,
    /// The look of each body.
    pub(crate) look_of: Vec<u32>,
    pub(super) steps_per_frame: u64,
    /// Steps if the command line names none.
    pub(super) usual_steps: u64,
}

/// What moves the bodies.
#[derive(Debug)]
pub(crate) enum World {
    /// Rigid and modal bodies.
    Dynamics(Box<Simulation>),
    /// Shape-matching bodies.
    Shapes(Box<ShapeSimulation>),
    /// Rigid and modal bodies, and after them shape-matching ones.
    Mixed(Box<MixedSimulation>),
}

/// A surface at rest, and how numbers move it.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) name: String,
    pub(crate) mesh: Arc<Mesh>,
    pub(crate) motion: LookMotion,
    pub(crate) felt: Option<Felt>,
}

/// Pictures that hands feel, over the texture coordinates of a model's file.
#[derive(Debug)]
pub(crate) struct Felt {
    pub(crate) file: PathBuf,
    /// Heights, and how deep black is carved.
    pub(crate) height_map: Option<(PathBuf, f64)>,
    pub(crate) friction_map: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) enum LookMotion {
    /// Rotation (4), translation (3), coordinates of the modes.
    Modal(Arc<Model>),
    /// A joint of 12 numbers per cluster.
    Skin(SkinWeights),
}

/// Numbers of a rigid frame: rotation and translation.
pub(super) const FRAME: usize = 7;
/// Numbers of an affine map: three columns and a translation.
pub(super) const JOINT: usize = 12;

impl Look {
    /// How many numbers move a body with this look.
    pub(super) fn numbers(&self, clusters: usize) -> usize {
        match &self.motion {
            LookMotion::Modal(model) => FRAME + model.modes().count(),
            LookMotion::Skin(_) => JOINT * clusters,
        }
    }
}

/// What is asked of a frame beside its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spheres {
    /// Only how many.
    Counted,
    /// Where they are, too.
    Listed,
}

impl Scene {
    pub(super) fn bodies(&self) -> usize {
        self.look_of.len()
    }

    pub(super) fn steps_done(&self) -> u64 {
        match &self.world {
            World::Dynamics(run) => run.steps_done(),
            World::Shapes(run) => run.steps(),
            World::Mixed(run) => run.dynamics().steps_done(),
        }
    }

    /// The length of a step in seconds.
    pub(crate) fn step_length(&self) -> f64 {
        match &self.world {
            World::Dynamics(run) => run.settings().step,
            World::Shapes(run) => run.settings().step,
            World::Mixed(run) => run.dynamics().settings().step,
        }
    }

    /// The kind of its bodies, as reports name it.
    pub(super) fn kind(&self) -> &'static str {
        match &self.world {
            World::Dynamics(_) => "dynamics",
            World::Shapes(_) => "shape-matching",
            World::Mixed(_) => "mixed",
        }
    }

    pub(crate) fn obstacles(&self) -> &[Obstacle] {
        match &self.world {
            World::Dynamics(run) => run.obstacles(),
            World::Shapes(run) => run.obstacles(),
            World::Mixed(run) => run.dynamics().obstacles(),
        }
    }

    /// The most numbers that a body has.
    pub(super) fn numbers_per_body(&self) -> usize {
        let shapes = match &self.world {
            World::Shapes(run) => &run.bodies[..],
            World::Mixed(run) => run.shapes(),
            World::Dynamics(_) => &[],
        };
        let clusters = shapes.iter().map(|body| body.shape().clusters()).max().unwrap_or(0);
        self.looks.iter().map(|look| look.numbers(clusters)).max().unwrap_or(0)
    }

    pub(super) fn save(&self) -> Vec<u8> {
        match &self.world {
            World::Dynamics(run) => run.to_bytes(),
            World::Shapes(run) => run.save(),
            World::Mixed(run) => run.to_bytes(),
        }
    }

    pub(super) fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.world {
            World::Dynamics(run) => run.restore_bytes(bytes)?,
            World::Shapes(run) => run.restore(bytes)?,
            World::Mixed(run) => run.restore_bytes(bytes)?,
        }
        Ok(())
    }

    /// Does steps. Returns the counters after the last, without energies, and the spheres that touched in it.
    pub(crate) fn step(
        &mut self,
        steps: u64,
        spheres: Spheres,
    ) -> Result<(Counters, Vec<[f32; 4]>)> {
        let mut counters = Counters::default();
        let mut touching = Vec::new();
        for number in 1..=steps {
            let is_last = number == steps && spheres == Spheres::Listed;
            match &mut self.world {
                World::Dynamics(run) => {
                    let work = run.step()?;
                    (counters.contacts, counters.body_pairs) = (work.contacts, work.body_pairs);
                    counters.tests = work.proxy_tests;
                    if is_last {
                        touching = touching_proxies(run);
                    }
                }
                World::Shapes(run) => {
                    let done = run.step();
                    counters.contacts = (done.contacts.len() + done.obstacle_contacts) as u64;
                    (counters.body_pairs, counters.tests) =
                        (done.body_pairs as u64, done.point_tests as u64);
                    if is_last {
                        touching = touching_points(&run.bodies, &done.contacts);
                    }
                }
                World::Mixed(run) => {
                    let done = run.step()?;
                    counters.contacts = done.contacts();
                    counters.body_pairs = done.dynamics.body_pairs + done.shapes.body_pairs as u64;
                    counters.tests = done.dynamics.proxy_tests + done.shapes.point_tests as u64;
                    if is_last {
                        touching = touching_proxies(run.dynamics());
                        touching.extend(touching_points(run.shapes(), &done.shapes.contacts));
                        touching.truncate(MAX_SPHERES);
                    }
                }
            }
            counters.contacts_since += counters.contacts;
        }
        counters.step = self.steps_done();
        Ok((counters, touching))
    }

    /// A frame of the state: what was counted, energies, and where all bodies are.
    pub(super) fn frame(
        &mut self,
        mut counters: Counters,
        touching: Vec<[f32; 4]>,
        spheres: Spheres,
    ) -> Result<Frame> {
        let numbers = self.numbers_per_body();
        let mut bodies = vec![0.0; numbers * self.bodies()];
        let mut updated = Vec::new();
        let listed = spheres == Spheres::Listed;
        let mut of_body = bodies.chunks_mut(numbers.max(1));
        match &mut self.world {
            World::Dynamics(run) => {
                counters.energy = three(&run.energy()?);
                let moved = run.find_moved_proxies()?;
                counters.updated = counted(&moved);
                if listed {
                    updated = proxy_spheres(run, all(&moved));
                }
                put_frames(run, run.bodies() as u32, &mut of_body)?;
            }
            World::Shapes(run) => {
                counters.energy = run.energy();
                let near = run.near_points();
                counters.updated = counted(&near);
                if listed {
                    updated = point_spheres(&run.bodies, all(&near));
                }
                put_joints(&run.bodies, &mut of_body);
            }
            World::Mixed(run) => {
                counters.energy = three(&run.energy()?);
                let moved = run.find_moved_proxies()?;
                counters.updated = counted(&moved);
                if listed {
                    updated = proxy_spheres(run.dynamics(), all(&moved));
                }
                put_frames(run.dynamics(), run.bodies(), &mut of_body)?;
                put_joints(run.shapes(), &mut of_body);
            }
        }
        Ok(Frame { counters, touching, updated, bodies })
    }
}

/// Energies of motion, of height, and of deformation and contact.
fn three(energy: &Energy) -> [f64; 3] {
    [energy.kinetic, energy.gravity, energy.vibration + energy.contact]
}

fn counted(spheres: &[Vec<u32>]) -> u64 {
    spheres.iter().map(|own| own.len() as u64).sum()
}

/// Pairs of body and sphere.
fn all(spheres: &[Vec<u32>]) -> impl Iterator<Item = (u32, u32)> {
    let of = |(body, own)| -> Vec<(u32, u32)> {
        let own: &Vec<u32> = own;
        own.iter().map(|&sphere| (body, sphere)).collect()
    };
    (0..).zip(spheres).flat_map(of).take(MAX_SPHERES)
}

/// Puts the numbers of the first bodies, rigid and modal ones, where they belong.
fn put_frames<'a>(
    run: &Simulation,
    bodies: u32,
    out: &mut impl Iterator<Item = &'a mut [f32]>,
) -> Result<()> {
    for (body, out) in (0..bodies).zip(out) {
        let Some((rotation, place)) = run.frame(body) else { bail!("no body {body}") };
        let q = run.coordinates(body).unwrap_or_default();
        let frame = rotation.to_array().into_iter().chain(place.to_array());
        for (out, number) in out.iter_mut().zip(frame.chain(q.iter().copied())) {
            *out = number as f32;
        }
    }
    Ok(())
}

/// Puts the joints of shape-matching bodies where they belong.
fn put_joints<'a>(bodies: &[ShapeBody], out: &mut impl Iterator<Item = &'a mut [f32]>) {
    for (body, out) in bodies.iter().zip(out) {
        let joints = body.joints();
        let numbers = joints.iter().flat_map(DAffine3::to_cols_array);
        for (out, number) in out.iter_mut().zip(numbers) {
            *out = number as f32;
        }
    }
}

/// Pairs of body and sphere, each once, ascending.
fn distinct(spheres: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = (u32, u32)> {
    let all: std::collections::BTreeSet<(u32, u32)> = spheres.collect();
    all.into_iter().take(MAX_SPHERES)
}

/// The proxies that touch something in the last step.
fn touching_proxies(run: &Simulation) -> Vec<[f32; 4]> {
    let ends = run.contacts().iter().flat_map(|contact| {
        let other = match contact.other {
            Other::Body { body, node } => Some((body, node)),
            Other::Obstacle { .. } => None,
        };
        [Some((contact.body, contact.node)), other].into_iter().flatten()
    });
    proxy_spheres(run, distinct(ends))
}

/// Proxies as they press: with their radius at rest, where frames and modes carry their middles.
fn proxy_spheres(run: &Simulation, of: impl Iterator<Item = (u32, u32)>) -> Vec<[f32; 4]> {
    of.filter_map(|(body, node)| {
        let (model, state) = (run.model(body)?, run.state(body)?);
        let proxy = model.pressing_proxy(node, run.coordinates(body)?)?;
        let center = state.position + state.rotation * proxy.center.as_dvec3();
        Some(sphere(center, f64::from(proxy.radius)))
    })
    .collect()
}

/// The points of shape-matching bodies that touch each other.
fn touching_points(bodies: &[ShapeBody], contacts: &[PointContact]) -> Vec<[f32; 4]> {
    let both = |contact: &PointContact| {
        [0, 1].map(|side: usize| (contact.bodies[side], contact.points[side]))
    };
    point_spheres(bodies, distinct(contacts.iter().flat_map(both)))
}

fn point_spheres(bodies: &[ShapeBody], of: impl Iterator<Item = (u32, u32)>) -> Vec<[f32; 4]> {
    of.map(|(body, point)| {
        let body = &bodies[body as usize];
        sphere(body.positions()[point as usize], body.shape().radius())
    })
    .collect()
}

fn sphere(center: DVec3, radius: f64) -> [f32; 4] {
    [center.x as f32, center.y as f32, center.z as f32, radius as f32]
}

/// A body as one affine map, for what shows thousands of them: its frame, or the mean of its joints.
pub(super) fn affine_of(look: &Look, numbers: &[f32]) -> DAffine3 {
    let number = |at: usize| f64::from(numbers.get(at).copied().unwrap_or(0.0));
    match &look.motion {
        LookMotion::Modal(_) => {
            let rotation = DQuat::from_xyzw(number(0), number(1), number(2), number(3));
            let place = DVec3::new(number(4), number(5), number(6));
            let rotation =
                if rotation.length() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
            DAffine3::from_rotation_translation(rotation, place)
        }
        LookMotion::Skin(weights) => {
            // Joints count by how much of the surface they move.
            let mut shares = vec![0.0; numbers.len() / JOINT];
            for influence in &weights.influences {
                if let Some(share) = shares.get_mut(influence.joint as usize) {
                    *share += influence.weight;
                }
            }
            let total: f64 = shares.iter().sum();
            let mut mean = [0.0; JOINT];
            for (joint, share) in shares.iter().enumerate() {
                for (at, sum) in mean.iter_mut().enumerate() {
                    *sum += share / total.max(f64::MIN_POSITIVE) * number(JOINT * joint + at);
                }
            }
            DAffine3::from_cols_array(&mean)
        }
    }
}
