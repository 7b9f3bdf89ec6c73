//! One span of keyframed motion in every form: what the experiments on cloth measure.

use anyhow::{Result, ensure};
use pliant::bound::{EventCount, Expiring, FlightBounds, KineticAabb, KineticBox};
use pliant::deform::{Flight, Keyframes};
use pliant::glam::DVec3;
use pliant::tree::BuildSettings;
use pliant::volume::{Aabb, Overlap};
use pliant::{Body, Collide, FreeBody, KeyframedBody, Mesh, intersections};
use pliant_scenes::KeyframedCloth;

use crate::measure::{clock, in_rounds, in_turns, timed};

/// Frames between two keyframes.
pub(crate) const IN_BETWEENS: [u32; 3] = [10, 100, 1000];

/// The forms, in the order of all tables: our refit of all boxes after all vertices were
/// interpolated; parry3d's; boxes blended from both ends of a span; the kinetic AABB tree and the
/// kinetic BoxTree of Zachmann and Weller.
pub(crate) const FORMS: [&str; 5] = ["bottom-up", "parry3d", "blended", "queue", "box tree"];
pub(crate) const BOTTOM_UP: usize = 0;
pub(crate) const PARRY: usize = 1;
pub(crate) const BLENDED: usize = 2;
pub(crate) const QUEUE: usize = 3;
pub(crate) const BOX_TREE: usize = 4;

/// The least number of rounds where the times must not depend on the number of frames. Another
/// program that runs for a tenth of a second slows one of two rounds by a quarter, but not the best
/// of eight.
const ROUNDS: usize = 8;

/// Advances without an event that are timed together.
const IDLE: u32 = 1000;

/// How much of the span has passed when bodies are asked what they touch.
const ASKED_AT: f64 = 0.37;

/// The span of a cloth's motion that is measured.
pub(crate) struct Motion<'a> {
    pub(crate) mesh: &'a Mesh,
    ends: [&'a [DVec3]; 2],
    flight: Flight,
    /// A time in the span before.
    before: f64,
    from: f64,
    until: f64,
}

/// Seconds of one form; infinite where it was not measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// What a new keyframe costs.
    pub(crate) boundary: f64,
    /// All updates of a span, by the number of frames.
    pub(crate) span: [f64; 3],
    pub(crate) query: f64,
    pub(crate) tests: u64,
}

impl Times {
    const NONE: Self =
        Self { boundary: 0.0, span: [f64::INFINITY; 3], query: f64::INFINITY, tests: 0 };

    /// All of a keyframe.
    pub(crate) fn total(&self, i: usize) -> f64 {
        self.boundary + self.span[i]
    }

    /// An update, with its share of the keyframe's boundary.
    pub(crate) fn frame(&self, i: usize) -> f64 {
        self.total(i) / f64::from(IN_BETWEENS[i])
    }
}

/// What was measured of a span.
pub(crate) struct Measured {
    pub(crate) triangles: usize,
    pub(crate) nodes: usize,
    pub(crate) forms: [Times; 5],
    /// In the span, by the number of frames: the same for all of them.
    pub(crate) events: [EventCount; 3],
    pub(crate) plane_events: EventCount,
    /// Seconds of an advance of the queue form in which nothing happens.
    pub(crate) idle: f64,
    pub(crate) pairs: usize,
}

impl<'a> Motion<'a> {
    /// The span that begins with a keyframe, which must not be the first nor the last.
    pub(crate) fn new(cloth: &'a KeyframedCloth, keyframe: usize) -> Result<Self> {
        ensure!(keyframe > 0 && keyframe + 1 < cloth.times.len(), "no keyframe before or after");
        // Only the span and its two neighbours are used.
        let near = keyframe - 1..keyframe + 2;
        let (times, frames) = (&cloth.times[near.clone()], &cloth.frames[near]);
        let keyframes = Keyframes::new(times.to_vec(), frames.to_vec())?;
        Ok(Self {
            mesh: &cloth.mesh,
            ends: [&frames[1], &frames[2]],
            flight: Flight::keyframed(keyframes),
            before: 0.5 * (times[0] + times[1]),
            from: times[1],
            until: times[2],
        })
    }

    /// When bodies are asked what they touch.
    pub(crate) fn asked_at(&self) -> f64 {
        self.from + ASKED_AT * (self.until - self.from)
    }

    /// A body in one of the forms.
    pub(crate) fn body<B: FlightBounds>(&self) -> Result<Body<Flight, B>> {
        let settings = BuildSettings::default();
        Ok(Body::flying(self.mesh.clone(), self.flight.clone(), &settings)?)
    }

    /// Interpolates all vertices and refits all boxes.
    pub(crate) fn refit(&self, body: &mut FreeBody, positions: &mut Vec<DVec3>) -> Result<()> {
        positions.clear();
        let pairs = self.ends[0].iter().zip(self.ends[1]);
        positions.extend(pairs.map(|(a, b)| *a * (1.0 - ASKED_AT) + *b * ASKED_AT));
        Ok(body.set_positions(positions)?)
    }

    /// From the first keyframe of the span to just before the second, in so many steps.
    pub(crate) fn through<B: FlightBounds>(
        &self,
        body: &mut Body<Flight, B>,
        steps: u32,
    ) -> pliant::Result<()> {
        let length = self.until - self.from;
        let end = self.until.next_down();
        let time = |step: u32| self.from + length * f64::from(step) / f64::from(steps);
        (1..=steps).try_for_each(|step| body.advance(time(step).min(end)))
    }

    /// How long it takes blended boxes to enter the span from the one before.
    pub(crate) fn cross(&self, body: &mut KeyframedBody) -> Result<f64> {
        body.rewind(self.before)?;
        Ok(timed(|| body.advance(self.from))?)
    }

    /// How long blended boxes take for a frame within the span.
    pub(crate) fn pass(&self, body: &mut KeyframedBody) -> Result<f64> {
        body.rewind(self.from)?;
        Ok(timed(|| self.through(body, 1000))? / 1000.0)
    }

    /// Every form against something that stands where it is at [`Motion::asked_at`]; each
    /// measurement may take the budget in seconds, and takes longer if one round does.
    pub(crate) fn measure<P: Collide>(&self, partner: &P, budget: f64) -> Result<Measured>
    where
        Aabb: Overlap<P::Volume>,
    {
        let mut forms = [Times::NONE; 5];
        let mut free = Body::free(self.mesh.clone())?;
        let mut blended = self.body::<Expiring>()?;
        let mut positions = Vec::new();
        let mut peer = Peer::new(self, partner)?;
        let [refit, theirs, boundary, frames] = in_turns(budget, |turn| match turn {
            0 => timed(|| self.refit(&mut free, &mut positions)),
            1 => Ok(peer.refit(self)),
            2 => self.cross(&mut blended),
            _ => self.pass(&mut blended),
        })?;
        let every = |update: f64| IN_BETWEENS.map(|n| f64::from(n) * update);
        forms[BOTTOM_UP].span = every(refit);
        forms[PARRY].span = every(theirs);
        forms[BLENDED] = Times { boundary, span: every(frames), ..Times::NONE };

        let mut queue = self.body::<KineticAabb>()?;
        let mut events = [EventCount::default(); 3];
        forms[QUEUE] = self.in_steps(&mut queue, budget, |bounds, i, after| {
            count(&mut events[i], bounds.count(), after);
        })?;
        // An advance to the current time.
        let [idle] = in_turns(budget, |_| {
            timed(|| (0..IDLE).try_for_each(|_| Ok(queue.advance(queue.time())?)))
        })?;
        let idle = idle / f64::from(IDLE);
        let mut planes = self.body::<KineticBox>()?;
        let mut plane_events = EventCount::default();
        forms[BOX_TREE] = self.in_steps(&mut planes, budget, |bounds, _, after| {
            count(&mut plane_events, bounds.count(), after);
        })?;

        let time = self.asked_at();
        blended.rewind(time)?;
        queue.rewind(time)?;
        planes.rewind(time)?;
        // The same positions as in the other forms, bit for bit.
        positions.clear();
        positions.extend((0..).map_while(|vertex| blended.position(vertex)));
        free.set_positions(&positions)?;
        let mut pairs = [0; 5];
        let mut ask = |form: usize| {
            let mut found = None;
            let time = timed(|| -> Result<()> {
                found = Some(match form {
                    BOTTOM_UP => intersections(&free, partner),
                    PARRY => peer.query(self, &positions),
                    BLENDED => intersections(&blended, partner),
                    QUEUE => intersections(&queue, partner),
                    BOX_TREE => intersections(&planes, partner),
                    _ => return Ok(()),
                });
                Ok(())
            })?;
            let Some(found) = found else { return Ok(f64::INFINITY) };
            pairs[form] = found.pairs.len();
            forms[form].tests = found.work.overlap_tests;
            Ok(time)
        };
        // Apart: the last two are so slow that the others would have few rounds.
        let quick: [f64; QUEUE] = in_turns(budget, &mut ask)?;
        let slow: [f64; 2] = in_turns(budget, |turn| ask(QUEUE + turn))?;
        for (form, query) in forms.iter_mut().zip(quick.into_iter().chain(slow)) {
            form.query = query;
        }
        let agree = |form: usize| form == PARRY || pairs[form] == pairs[BLENDED];
        ensure!((1..FORMS.len()).all(agree), "the forms found {pairs:?} pairs");
        let (triangles, nodes) = (self.mesh.triangles().len(), free.nodes());
        let pairs = pairs[BLENDED];
        Ok(Measured { triangles, nodes, forms, events, plane_events, idle, pairs })
    }

    /// A form that works at a keyframe and then as time passes. `watch` is shown the bounds
    /// before and after a span of some number of frames.
    fn in_steps<B: FlightBounds>(
        &self,
        body: &mut Body<Flight, B>,
        budget: f64,
        mut watch: impl FnMut(&B, usize, bool),
    ) -> Result<Times> {
        let mut boundary = f64::INFINITY;
        let span = in_rounds(ROUNDS, budget, |i| {
            // The keyframe is met as time passes: what is kept of the span before counts.
            body.rewind(self.from.next_down())?;
            boundary = boundary.min(timed(|| body.advance(self.from))?);
            watch(body.bounds(), i, false);
            let time = timed(|| self.through(body, IN_BETWEENS[i]))?;
            watch(body.bounds(), i, true);
            Ok(time)
        })?;
        Ok(Times { boundary, span, ..Times::NONE })
    }
}

/// Stores a count before the span; after it, the difference.
fn count(noted: &mut EventCount, now: EventCount, after: bool) {
    if after {
        noted.events = now.events - noted.events;
        noted.changed_values = now.changed_values - noted.changed_values;
        noted.replanned = now.replanned - noted.replanned;
    } else {
        *noted = now;
    }
}

/// parry3d on the same span.
struct Peer {
    cloth: parry3d::shape::TriMesh,
    partner: (parry3d::shape::TriMesh, Mesh),
    vertices: Vec<parry3d::math::Vector>,
}

impl Peer {
    fn new<P: Collide>(motion: &Motion, partner: &P) -> Result<Self> {
        let count = partner.tree().primitives.len() as u32;
        let corners: Vec<DVec3> = (0..count).flat_map(|number| partner.triangle(number)).collect();
        let soup = Mesh::new(corners, (0..count).map(|i| [0, 1, 2].map(|k| 3 * i + k)).collect())?;
        let cloth = crate::peers::parry::deformable(motion.mesh)?;
        Ok(Self {
            cloth,
            partner: (crate::peers::parry::deformable(&soup)?, soup),
            vertices: Vec::new(),
        })
    }

    fn refit(&mut self, motion: &Motion) -> f64 {
        let start = clock();
        crate::peers::parry::blend_into(
            &mut self.vertices,
            motion.ends[0],
            motion.ends[1],
            ASKED_AT,
        );
        self.cloth.set_vertices(&self.vertices);
        clock() - start
    }

    fn query(&self, motion: &Motion, positions: &[DVec3]) -> pliant::Intersections {
        let (shape, mesh) = &self.partner;
        let ours = (&self.cloth, motion.mesh, positions);
        let pairs = crate::peers::parry::intersections(ours, (shape, mesh, mesh.positions()));
        pliant::Intersections { pairs, ..Default::default() }
    }
}
