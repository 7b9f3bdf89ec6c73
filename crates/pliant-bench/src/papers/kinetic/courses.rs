//! Polynomial flight plans: the span of a garment between two keyframes along parabolas and cubics
//! (Zachmann and Weller 2006, section 3: plans may be any algebraic motions).

use anyhow::{Result, ensure};
use pliant::bound::{Expiring, FlightBounds, KineticAabb, KineticBox};
use pliant::deform::{Course, Flight};
use pliant::glam::DVec3;
use pliant::tree::BuildSettings;
use pliant::{Body, FreeBody, Mesh};
use pliant_scenes::KeyframedCloth;

use crate::measure::timed;
use crate::table::{Cell, Table, count, figure, ratio};

/// Frames of the span.
const FRAMES: u32 = 100;

/// The degrees that are measured.
const DEGREES: [usize; 3] = [1, 2, 3];

/// The table that grows scene by scene.
pub(crate) struct CourseTable(Table);

impl CourseTable {
    pub(crate) fn new(about: &str) -> Self {
        Self(
            Table::new(
                format!("{about}: polynomial flight plans, ms per frame with {FRAMES} frames, one thread"),
                &[
                    "scene", "triangles", "degree", "bottom-up", "blended", "", "queue", "", "box tree",
                    "", "queue, start", "events", "changed", "box events",
                ],
            )
            .with_keys(3),
        )
    }

    /// The span that begins with a keyframe, in every form.
    pub(crate) fn add(
        &mut self,
        scene: &str,
        cloth: &KeyframedCloth,
        keyframe: usize,
    ) -> Result<()> {
        for degree in DEGREES {
            let span = Span::new(cloth, keyframe, degree)?;
            let refit = span.bottom_up()?;
            let mut of_blended = span.body::<Expiring>()?;
            let blended =
                timed(|| of_blended.rewind(span.from))? + span.through(&mut of_blended)?;
            let mut of_queue = span.body::<KineticAabb>()?;
            let start = timed(|| of_queue.rewind(span.from))?;
            let queue = start + span.through(&mut of_queue)?;
            let mut of_planes = span.body::<KineticBox>()?;
            let planes = timed(|| of_planes.rewind(span.from))? + span.through(&mut of_planes)?;
            let frames = f64::from(FRAMES);
            let ms = |time: f64| figure(1e3 * time / frames, 4, "ms");
            let (events, plane_events) = (of_queue.bounds().count(), of_planes.bounds().count());
            self.0.row([
                Cell::from(scene),
                count(cloth.mesh.triangles().len()),
                degree.to_string().into(),
                ms(refit * frames),
                ms(blended),
                ratio(refit * frames / blended),
                ms(queue),
                ratio(refit * frames / queue),
                ms(planes),
                ratio(refit * frames / planes),
                figure(1e3 * start, 2, "ms"),
                count(events.events),
                count(events.changed_values),
                count(plane_events.events),
            ]);
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Table {
        self.0.note("degree 1: the line between two keyframes; 2: the parabola that begins with the velocity of the");
        self.0.note("span before; 3: the cubic that also ends with that of the next (Catmull and Rom). Ratios: bottom-up");
        self.0.note("over that form; bottom-up evaluates all plans and refits. Start: all certificates of the queue, included");
        self.0.note("the paper has plans of any degree and shows lines alone");
        self.0
    }
}

/// A span along courses.
struct Span<'a> {
    mesh: &'a Mesh,
    courses: Vec<Course>,
    from: f64,
    until: f64,
}

impl<'a> Span<'a> {
    fn new(cloth: &'a KeyframedCloth, keyframe: usize, degree: usize) -> Result<Self> {
        let KeyframedCloth { mesh, times, frames, .. } = cloth;
        ensure!(keyframe > 0 && keyframe + 2 < times.len(), "no keyframe before or after");
        let (from, until) = (times[keyframe], times[keyframe + 1]);
        let length = until - from;
        let slope = |at: usize, vertex: usize| {
            (frames[at + 1][vertex] - frames[at - 1][vertex]) / (times[at + 1] - times[at - 1])
        };
        let course = |vertex: usize| {
            let (start, end) = (frames[keyframe][vertex], frames[keyframe + 1][vertex]);
            let way = end - start;
            let [begun, ended] = [slope(keyframe, vertex), slope(keyframe + 1, vertex)];
            let rest = [DVec3::ZERO; 2];
            let coefficients = match degree {
                1 => [start, way / length, rest[0], rest[1]],
                2 => [start, begun, (way - begun * length) / (length * length), rest[0]],
                _ => {
                    let bend = (3.0 * way / length - 2.0 * begun - ended) / length;
                    let twist = (begun + ended - 2.0 * way / length) / (length * length);
                    [start, begun, bend, twist]
                }
            };
            Course::new(from, coefficients)
        };
        let courses = (0..mesh.positions().len()).map(course).collect();
        Ok(Self { mesh, courses, from, until })
    }

    fn body<B: FlightBounds>(&self) -> Result<Body<Flight, B>> {
        let flight = Flight::along(&self.courses, self.from, self.until)?;
        Ok(Body::flying(self.mesh.clone(), flight, &BuildSettings::default())?)
    }

    /// Seconds of all frames.
    fn through<B: FlightBounds>(&self, body: &mut Body<Flight, B>) -> Result<f64> {
        let end = self.until.next_down();
        let step = (self.until - self.from) / f64::from(FRAMES);
        let time = |frame: u32| (self.from + step * f64::from(frame)).min(end);
        Ok(timed(|| (1..=FRAMES).try_for_each(|frame| body.advance(time(frame))))?)
    }

    /// Seconds of one frame: all plans are evaluated, all boxes refitted. The best of ten.
    fn bottom_up(&self) -> Result<f64> {
        let mut body: FreeBody = Body::free(self.mesh.clone())?;
        let mut positions = Vec::new();
        let mut best = f64::INFINITY;
        for round in 1..=10 {
            let time = self.from + 0.05 * f64::from(round) * (self.until - self.from);
            let own = timed(|| {
                positions.clear();
                positions.extend(self.courses.iter().map(|course| course.at(time)));
                body.set_positions(&positions)
            })?;
            best = best.min(own);
        }
        Ok(best)
    }
}
