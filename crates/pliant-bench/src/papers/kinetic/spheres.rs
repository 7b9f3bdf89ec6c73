//! Two spheres that grow, and whose vertices turn back where they meet (Zachmann and Weller 2006,
//! section 7).

use anyhow::{Result, ensure};
use pliant::bound::{EventCount, Expiring, FlightBounds, KineticAabb, KineticBox};
use pliant::deform::{Course, Flight, Plan};
use pliant::glam::DVec3;
use pliant::tree::BuildSettings;
use pliant::{Body, FreeBody, Intersections, intersections};
use pliant_scenes::{ExpandingSpheres, KeyframedCloth, expanding_spheres};

use super::motion::{BLENDED, BOTTOM_UP, BOX_TREE, FORMS, Motion, QUEUE};
use super::tables::MotionTables;
use crate::measure::timed;
use crate::table::{Table, count, figure, ratio};

/// The spheres meet at 1 s and push into each other until the end.
const UNTIL: f64 = 1.25;
/// The time up to which plans are known.
const PLANNED: f64 = 2.0;
/// Frames per second of the run with plans that change.
const RATES: [u32; 2] = [20, 200];

/// The paper's ratio of bottom-up to kinetic, and a line for the notes.
const PAPER: (&str, &str) = (
    "5x",
    "the paper: 5x, plans turned at contact included; the total does not depend on the number of frames",
);

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut tables = MotionTables::new("Two expanding spheres", PAPER);
    let mut play = play_table();
    for faces in [2_000, 8_000, 20_000, 40_000].into_iter().take(if quick { 2 } else { 4 }) {
        eprintln!("spheres: {faces} triangles ...");
        let scene = expanding_spheres(faces)?;
        let [first, second] = scene.keyframes()?.map(grown_on);
        let motion = Motion::new(&first, 1)?;
        let mut other = Body::free(second.mesh.clone())?;
        other.set_positions(&second.positions(motion.asked_at())?)?;
        tables.add("sphere", &motion.measure(&other, if quick { 0.05 } else { 0.4 })?);
        for rate in RATES.into_iter().take(if quick { 1 } else { 2 }) {
            add_play(&mut play, &scene, rate)?;
        }
    }
    let mut tables = tables.finish();
    tables.push(play);
    Ok(tables)
}

/// The same growth with a keyframe half way: its second half, up to the contact, is measured.
fn grown_on(cloth: KeyframedCloth) -> KeyframedCloth {
    let KeyframedCloth { mesh, times, frames } = cloth;
    let half = 0.5 * times[1];
    let middle = frames[0].iter().zip(&frames[1]).map(|(a, b)| (*a + *b) * 0.5).collect();
    let [start, contact, _] = <[Vec<DVec3>; 3]>::try_from(frames).unwrap_or_default();
    KeyframedCloth { mesh, times: vec![0.0, half, times[1]], frames: vec![start, middle, contact] }
}

fn play_table() -> Table {
    let headings = [
        "triangles",
        "frames",
        "form",
        "turned",
        "update ms",
        "plans ms",
        "query ms",
        "tests",
        "all ms",
        "x",
        "events",
        "changed",
        "replanned",
    ];
    let title = "Plans turned round where the spheres touch: both spheres, all frames, one thread";
    let mut table = Table::new(title, &headings).with_keys(3);
    table.note("triangles: of each; turned: vertices whose plan was changed on contact; x: all of bottom-up over all of this form");
    table.note("update: to each frame's time; plans: taking note of the vertices that turned; the paper has 5x");
    table.note("tests: of overlap, in all queries");
    table
}

/// Seconds and counts of a play.
#[derive(Default)]
struct Played {
    update: f64,
    plans: f64,
    query: f64,
    tests: u64,
    pairs: usize,
    turned: usize,
    count: EventCount,
}

/// Where vertices are: on a line, turned where something was touched.
struct Lines {
    courses: Vec<Course>,
    velocities: Vec<DVec3>,
    turned: Vec<bool>,
}

impl Lines {
    fn new(scene: &ExpandingSpheres, number: usize) -> Self {
        let (start, velocities) = (scene.spheres[number].positions(), &scene.velocities[number]);
        let courses = start.iter().zip(velocities).map(|(&p, &v)| Course::linear(0.0, p, v));
        let turned = vec![false; start.len()];
        Self { courses: courses.collect(), velocities: velocities.clone(), turned }
    }

    /// Turns vertices that have not turned yet.
    fn turn(&mut self, vertices: impl Iterator<Item = u32>, time: f64) -> Vec<(u32, Plan)> {
        let mut plans = Vec::new();
        for vertex in vertices {
            let number = vertex as usize;
            if !std::mem::replace(&mut self.turned[number], true) {
                let course =
                    Course::linear(time, self.courses[number].at(time), -self.velocities[number]);
                self.courses[number] = course;
                plans.push((vertex, Plan::Course(course)));
            }
        }
        plans
    }
}

fn add_play(table: &mut Table, scene: &ExpandingSpheres, rate: u32) -> Result<()> {
    let played = [
        (BOTTOM_UP, play(scene, rate, refitted(scene)?)?),
        (BLENDED, play(scene, rate, flying::<Expiring>(scene, |_| EventCount::default())?)?),
        (QUEUE, play(scene, rate, flying::<KineticAabb>(scene, KineticAabb::count)?)?),
        (BOX_TREE, play(scene, rate, flying::<KineticBox>(scene, KineticBox::count)?)?),
    ];
    let all = |p: &Played| p.update + p.plans + p.query;
    let whole = all(&played[0].1);
    for (form, p) in &played {
        let seen = (p.pairs, p.turned);
        ensure!(seen == (played[0].1.pairs, played[0].1.turned), "{} saw {seen:?}", FORMS[*form]);
        table.row([
            count(scene.spheres[0].triangles().len()),
            count((f64::from(rate) * UNTIL) as u64),
            FORMS[*form].into(),
            count(p.turned),
            figure(p.update * 1e3, 2, "ms"),
            figure(p.plans * 1e3, 2, "ms"),
            figure(p.query * 1e3, 2, "ms"),
            count(p.tests),
            figure(all(p) * 1e3, 2, "ms"),
            ratio(whole / all(p)),
            count(p.count.events),
            count(p.count.changed_values),
            count(p.count.replanned),
        ]);
    }
    Ok(())
}

/// Two bodies that can be taken to a time, asked, and told new plans.
trait Pair {
    fn go_to(&mut self, lines: &[Lines; 2], time: f64) -> Result<()>;
    fn pairs(&self) -> Intersections;
    fn tell(&mut self, plans: [Vec<(u32, Plan)>; 2]) -> Result<()>;
    fn count(&self) -> EventCount;
}

fn play(scene: &ExpandingSpheres, rate: u32, mut bodies: impl Pair) -> Result<Played> {
    let mut lines = [Lines::new(scene, 0), Lines::new(scene, 1)];
    let mut played = Played::default();
    for frame in 1..=(f64::from(rate) * UNTIL) as u32 {
        let time = f64::from(frame) / f64::from(rate);
        played.update += timed(|| bodies.go_to(&lines, time))?;
        let mut found = Intersections::default();
        played.query += timed(|| -> Result<()> {
            found = bodies.pairs();
            Ok(())
        })?;
        let pairs = found.pairs;
        played.tests += found.work.overlap_tests;
        let plans = [0, 1].map(|body| {
            let triangles = scene.spheres[body].triangles();
            let touched = pairs.iter().flat_map(|pair| triangles[pair[body] as usize]);
            lines[body].turn(touched, time)
        });
        played.pairs += pairs.len();
        played.turned += plans[0].len() + plans[1].len();
        if plans.iter().any(|plans| !plans.is_empty()) {
            played.plans += timed(|| bodies.tell(plans))?;
        }
    }
    played.count = bodies.count();
    Ok(played)
}

/// Bottom-up: every vertex is moved, every box refitted.
struct Refitted {
    bodies: [FreeBody; 2],
    positions: Vec<DVec3>,
}

fn refitted(scene: &ExpandingSpheres) -> Result<Refitted> {
    let [first, second] = &scene.spheres;
    let bodies = [Body::free(first.clone())?, Body::free(second.clone())?];
    Ok(Refitted { bodies, positions: Vec::new() })
}

impl Pair for Refitted {
    fn go_to(&mut self, lines: &[Lines; 2], time: f64) -> Result<()> {
        for (body, lines) in self.bodies.iter_mut().zip(lines) {
            self.positions.clear();
            self.positions.extend(lines.courses.iter().map(|course| course.at(time)));
            body.set_positions(&self.positions)?;
        }
        Ok(())
    }

    fn pairs(&self) -> Intersections {
        intersections(&self.bodies[0], &self.bodies[1])
    }

    fn tell(&mut self, _: [Vec<(u32, Plan)>; 2]) -> Result<()> {
        Ok(())
    }

    fn count(&self) -> EventCount {
        EventCount::default()
    }
}

/// Bodies that know their vertices' plans.
struct Flying<B> {
    bodies: [Body<Flight, B>; 2],
    counted: fn(&B) -> EventCount,
}

fn flying<B: FlightBounds>(
    scene: &ExpandingSpheres,
    counted: fn(&B) -> EventCount,
) -> Result<Flying<B>> {
    let body = |number: usize| -> Result<Body<Flight, B>> {
        let flight = Flight::along(&Lines::new(scene, number).courses, 0.0, PLANNED)?;
        Ok(Body::flying(scene.spheres[number].clone(), flight, &BuildSettings::default())?)
    };
    Ok(Flying { bodies: [body(0)?, body(1)?], counted })
}

impl<B: FlightBounds> Pair for Flying<B> {
    fn go_to(&mut self, _: &[Lines; 2], time: f64) -> Result<()> {
        Ok(self.bodies.iter_mut().try_for_each(|body| body.advance(time))?)
    }

    fn pairs(&self) -> Intersections {
        intersections(&self.bodies[0], &self.bodies[1])
    }

    fn tell(&mut self, plans: [Vec<(u32, Plan)>; 2]) -> Result<()> {
        Ok(self
            .bodies
            .iter_mut()
            .zip(&plans)
            .try_for_each(|(body, plans)| body.set_plans(plans))?)
    }

    fn count(&self) -> EventCount {
        let mut sum = EventCount::default();
        for count in self.bodies.iter().map(|body| (self.counted)(body.bounds())) {
            sum.events += count.events;
            sum.changed_values += count.changed_values;
            sum.replanned += count.replanned;
        }
        sum
    }
}
