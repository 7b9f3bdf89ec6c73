//! One frame: all objects posed, all contacts found.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use pliant::world::{WorldContacts, brute_force};
use pliant::{BodyId, World};
use pliant_io::{SceneBodies, SettingStep};

use super::method::Method;
use super::picture::Picture;
use super::row::{FrameRow, WorkRow};
use super::run::Question;
use super::times::Moment;
use crate::source::Input;

/// What was found at one time.
#[derive(Debug)]
pub(crate) struct Frame {
    /// What reports say of it.
    pub(crate) row: FrameRow,
    pub(crate) spent: Spent,
    /// What only a picture needs, if one is wanted.
    pub(crate) picture: Option<Picture>,
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
    /// Dividing contacts into regions and measuring them.
    pub(crate) depth: Duration,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.pose += other.pose;
        self.vertices += other.vertices;
        self.bounds += other.bounds;
        self.query += other.query;
        self.depth += other.depth;
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

    /// All but the depths, which nobody else computes.
    pub(crate) fn total(&self) -> Duration {
        self.pose + self.vertices + self.bounds + self.query
    }
}

/// Moves everything to a time and finds all that touches. Objects and animations are numbered as
/// in the input; the frame's number is left at 0.
pub(crate) fn frame(
    bodies: &mut SceneBodies,
    input: &Input,
    moment: Moment,
    question: &Question,
) -> Result<Frame> {
    let Moment { take, frame, time } = moment;
    let mut spent = Spent::default();
    let mut since = Instant::now();
    input.play(bodies, take)?;
    bodies
        .set_time_noting(time, |step| spent.add_step(step, &mut since))
        .map_err(|error| input.in_file(error))
        .with_context(|| format!("at time {time} s"))?;
    let found = contacts(bodies.world(), question);
    let WorldContacts { contacts: found, work } = found.map_err(|error| too_many(&error, time))?;
    let all: usize = found.iter().map(|contact| contact.pairs.len()).sum();
    let mut pairs = Vec::with_capacity(if question.keeps_pairs { all } else { 0 });
    for contact in found.iter().filter(|_| question.keeps_pairs) {
        let [a, b] = contact.bodies.map(|id| object_number(bodies, id));
        pairs.extend(contact.pairs.iter().map(|&[i, j]| [a, i, b, j]));
    }
    pairs.sort_unstable();
    spent.query = since.elapsed();
    let since = Instant::now();
    let contacts = question.contacts.rows(&found, bodies, input)?;
    spent.depth = since.elapsed();
    let picture = question.picture.map(|shown| Picture::new(bodies, shown, &pairs)).transpose()?;
    let seconds = spent.total().as_secs_f64();
    let work = WorkRow {
        bounds: work.bounds,
        overlap_tests: work.overlap_tests,
        primitive_tests: work.primitive_tests,
        seconds,
    };
    let row = FrameRow { number: 0, animation: take, frame, time, pairs, contacts, work };
    Ok(Frame { row, spent, picture })
}

/// All that touches, found by a method; an error if that is too much.
pub(super) fn contacts(world: &World, question: &Question) -> pliant::Result<WorldContacts> {
    match question.method {
        Method::BruteForce => brute_force::contacts_up_to(world, question.max_pairs),
        _ => world.contacts_up_to(question.max_pairs),
    }
}

/// Says which option allows more pairs.
fn too_many(error: &pliant::Error, time: f64) -> anyhow::Error {
    anyhow!("{error} at time {time} s; --max-pairs raises the limit")
}

/// The number of the object that a body was made of.
pub(crate) fn object_number(bodies: &SceneBodies, id: BodyId) -> u32 {
    // All bodies are made of objects, of which there are fewer than bodies can be.
    bodies.object(id).unwrap_or_default() as u32
}
