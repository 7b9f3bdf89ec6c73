//! One frame: all objects posed, all contacts found.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use glam::DVec3;
use pliant::contact::{intersection_segment, point_distance};
use pliant::world::{BodyContact, WorldContacts, brute_force};
use pliant::{BodyId, Collide as _, Work, World};
use pliant_io::{SceneBodies, SettingStep};

use super::method::Method;
use super::picture::Picture;
use super::run::Question;
use crate::source::Input;

/// What was found at one time.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) time: f64,
    /// Object, triangle, object, triangle: ascending, the smaller (object, triangle) first.
    pub(crate) pairs: Vec<[u32; 4]>,
    /// The same by pairs of objects, ascending.
    pub(crate) contacts: Vec<Contact>,
    pub(crate) work: Work,
    pub(crate) spent: Spent,
    /// What only a picture needs, if one is wanted.
    pub(crate) picture: Option<Picture>,
}

/// Two objects in contact, or one with itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contact {
    pub(crate) objects: [u32; 2],
    /// Pairs of triangles.
    pub(crate) pairs: usize,
    pub(crate) longest: Segment,
}

/// A segment that two triangles have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) length: f64,
    pub(crate) middle: DVec3,
}

/// Where the time of a frame went.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    /// The animation: frames of nodes, joints, weights.
    pub(crate) pose: Duration,
    /// Moving the vertices.
    pub(crate) vertices: Duration,
    /// Setting the states of bodies, and refitting bounds.
    pub(crate) bounds: Duration,
    /// Descending the trees and testing triangles.
    pub(crate) query: Duration,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.pose += other.pose;
        self.vertices += other.vertices;
        self.bounds += other.bounds;
        self.query += other.query;
    }
}

impl Spent {
    /// Counts the time since an instant for a step; the next step begins now.
    fn add_step(&mut self, step: SettingStep, since: &mut Instant) {
        let now = Instant::now();
        *match step {
            SettingStep::Pose => &mut self.pose,
            SettingStep::Vertices => &mut self.vertices,
            SettingStep::Bounds => &mut self.bounds,
        } += now - *since;
        *since = now;
    }

    pub(crate) fn total(&self) -> Duration {
        self.pose + self.vertices + self.bounds + self.query
    }
}

/// Moves everything to a time and finds all that touches.
pub(crate) fn frame(
    bodies: &mut SceneBodies,
    input: &Input,
    time: f64,
    question: Question,
) -> Result<Frame> {
    let mut spent = Spent::default();
    let mut since = Instant::now();
    bodies
        .set_time_noting(time, |step| spent.add_step(step, &mut since))
        .map_err(|error| input.in_file(error))
        .with_context(|| format!("at time {time} s"))?;
    let WorldContacts { contacts: found, work } = contacts(bodies.world(), question.method);
    let mut pairs = Vec::with_capacity(found.iter().map(|contact| contact.pairs.len()).sum());
    for contact in &found {
        let [a, b] = contact.bodies.map(|id| object_number(bodies, id));
        pairs.extend(contact.pairs.iter().map(|&[i, j]| [a, i, b, j]));
    }
    pairs.sort_unstable();
    spent.query = since.elapsed();
    let contacts = found.iter().map(|found| Contact::new(found, bodies)).collect::<Result<_>>()?;
    let picture = question.picture.map(|nodes| Picture::new(bodies, nodes, &pairs)).transpose()?;
    Ok(Frame { time, pairs, contacts, work, spent, picture })
}

/// The middle of a segment; the sum of its ends may leave the range of `f64`.
fn middle(from: DVec3, to: DVec3) -> DVec3 {
    let middle = from.midpoint(to);
    if middle.is_finite() { middle } else { from * 0.5 + to * 0.5 }
}

/// All that touches, found by a method.
pub(super) fn contacts(world: &World, method: Method) -> WorldContacts {
    match method {
        Method::BruteForce => brute_force::contacts(world),
        _ => world.contacts(),
    }
}

/// The number of the object that a body was made of.
pub(super) fn object_number(bodies: &SceneBodies, id: BodyId) -> u32 {
    // All bodies are made of objects, of which there are fewer than bodies can be.
    bodies.object(id).unwrap_or_default() as u32
}

impl Contact {
    /// How deep two bodies run into one another: the longest segment that two triangles share.
    fn new(found: &BodyContact, bodies: &SceneBodies) -> Result<Self> {
        let [a, b] = found.bodies;
        let (first, second) = (bodies.world().get(a)?, bodies.world().get(b)?);
        let mut longest = Segment { length: -1.0, middle: DVec3::ZERO };
        for &[i, j] in &found.pairs {
            let (from, to) = intersection_segment(&first.triangle(i), &second.triangle(j));
            let length = point_distance(from, to);
            if length > longest.length {
                longest = Segment { length, middle: middle(from, to) };
            }
        }
        let objects = found.bodies.map(|id| object_number(bodies, id));
        Ok(Self { objects, pairs: found.pairs.len(), longest })
    }
}
