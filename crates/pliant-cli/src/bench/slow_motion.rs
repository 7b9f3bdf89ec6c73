//! Motion known ahead: a waving sheet between keyframes, in slow motion.

use std::time::Instant;

use anyhow::Result;
use pliant::bound::{
    EventCount, Expiring, ExpiringExtremes, FlightBounds, KineticAabb, KineticBox,
};
use pliant::deform::{Flight, Keyframes};
use pliant::glam::DVec3;
use pliant::tree::BuildSettings;
use pliant::{Body, Mesh, intersections};
use pliant_scenes::{grid, icosphere};

use super::measure::best_of;
use crate::table::{Table, count};

/// Frames between two keyframes.
const IN_BETWEENS: [u32; 3] = [10, 100, 1000];

/// Keyframes a second apart.
const KEYFRAMES: usize = 4;

pub(super) fn run(quick: bool) -> Result<Vec<Table>> {
    let mut headings = vec!["triangles", "bottom-up", "boundary", "frame"];
    headings.extend(["x10", "x100", "x1000", "extremes", "queue", "box tree", "winner"]);
    let title = "Slow motion: ms to update all bounds, interpolation included, one thread";
    let mut update = Table::new(title, &headings);
    let mut events = Table::new(
        "Events a keyframe: a queue of certificates against a descent to what expires",
        &[
            "triangles",
            "events",
            "changed",
            "a n log n",
            "restart ms",
            "ms in 10",
            "ms in 100",
            "box events",
            "box changed",
            "box ms",
            "visits in 10",
            "visits in 100",
        ],
    );
    let mut ball = Table::new(
        "A ball on the sheet: us a frame, update and query",
        &[
            "triangles",
            "refit",
            "its query",
            "blended query",
            "x",
            "x with boundary of 100",
            "tests",
            "blended tests",
        ],
    );
    for side in [77, 180, 404, 538].into_iter().take(if quick { 2 } else { 4 }) {
        eprintln!("slow-motion: {} triangles ...", 2 * side * side);
        let scene = Scene::new(side)?;
        let [refit, blended] = scene.refit_and_blend(if quick { 6 } else { 40 })?;
        let extremes = scene.extremes()?;
        let queue = scene.queue::<KineticAabb>(KineticAabb::count)?;
        let planes = scene.queue::<KineticBox>(KineticBox::count)?;
        let triangles = scene.mesh.triangles().len();
        let frame = |i: usize| {
            let n = f64::from(IN_BETWEENS[i]);
            let events = |q: &Queue| (q.restart + q.steps[i.min(1)]) / n;
            [
                refit.update,
                blended.boundary / n + blended.update,
                (extremes.boundary + extremes.steps[i]) / n,
                events(&queue),
                events(&planes),
            ]
        };
        let ratio = |i: usize, other: usize| format!("{:.2}x", frame(i)[0] / frame(i)[other]);
        let all = |other: usize| [0, 1, 2].map(|i| ratio(i, other)).join(" ");
        let winner = |i: usize| {
            let times = frame(i);
            let best = (0..5).fold(0, |a, b| if times[b] < times[a] { b } else { a });
            ["bottom-up", "blended", "extremes", "queue", "box tree"][best]
        };
        update.row([
            count(triangles),
            format!("{:.3}", refit.update * 1e3),
            format!("{:.3}", blended.boundary * 1e3),
            format!("{:.6}", blended.update * 1e3),
            ratio(0, 1),
            ratio(1, 1),
            ratio(2, 1),
            all(2),
            all(3),
            all(4),
            [0, 1, 2].map(winner).join(", "),
        ]);
        let n = triangles as f64;
        events.row([
            count(triangles),
            count(queue.count.events as usize),
            count(queue.count.changed_values as usize),
            format!("{:.4}", queue.count.events as f64 / (n * n.log2())),
            format!("{:.1}", queue.restart * 1e3),
            format!("{:.1}", queue.steps[0] * 1e3),
            format!("{:.1}", queue.steps[1] * 1e3),
            count(planes.count.events as usize),
            count(planes.count.changed_values as usize),
            format!("{:.1}", planes.steps[1] * 1e3),
            count(extremes.visits[0] as usize),
            count(extremes.visits[1] as usize),
        ]);
        let whole = refit.update + refit.query;
        ball.row([
            count(triangles),
            format!("{:.1}", refit.update * 1e6),
            format!("{:.1}", refit.query * 1e6),
            format!("{:.1}", blended.query * 1e6),
            format!("{:.0}x", whole / (blended.update + blended.query)),
            format!("{:.0}x", whole / (blended.boundary / 100.0 + blended.update + blended.query)),
            count(refit.tests as usize),
            count(blended.tests as usize),
        ]);
    }
    update.note("boundary: the blended boxes of the next keyframe; frame: what they cost between");
    update.note("x10, x100, x1000: bottom-up over blended with so many frames a keyframe, boundary included");
    update.note(
        "extremes, queue, box tree: the same ratios of the others; winner: in each of the three",
    );
    events.note("restart: all certificates at a keyframe; ms in 10, in 100: all events, by frames a keyframe");
    ball.note("x: without the keyframe's boundary; tests: of overlap");
    Ok(vec![update, events, ball])
}

struct Scene {
    mesh: Mesh,
    frames: Vec<Vec<DVec3>>,
    flight: Flight,
    ball: Mesh,
}

struct Times {
    boundary: f64,
    update: f64,
    query: f64,
    tests: u64,
}

struct ExtremesTimes {
    boundary: f64,
    steps: [f64; 3],
    visits: [u64; 3],
}

struct Queue {
    restart: f64,
    /// All events of a keyframe, in 10 and in 100 steps.
    steps: [f64; 2],
    count: EventCount,
}

impl Scene {
    /// A sheet that waves, creases and falls.
    fn new(side: u32) -> Result<Self> {
        let mesh = grid(side, side, 2.0, 2.0)?;
        let frame = |k: usize| {
            let s = k as f64 * 0.35;
            let moved = |p: &DVec3| {
                let wave = 0.25 * (5.0 * p.x + s).sin() * (4.0 * p.z + 1.7 * s).cos();
                let crease = 0.02 * (40.0 * p.x + 3.0 * s).sin() * (37.0 * p.z - 2.0 * s).cos();
                let sway = DVec3::new((6.0 * p.z + 2.0 * s).sin(), 0.0, (7.0 * p.x - s).cos());
                p + DVec3::Y * (wave + crease - 0.1 * s) + 0.03 * sway
            };
            mesh.positions().iter().map(moved).collect()
        };
        let frames: Vec<_> = (0..KEYFRAMES).map(frame).collect();
        let times = (0..KEYFRAMES).map(|k| k as f64).collect();
        let flight = Flight::keyframed(Keyframes::new(times, frames.clone())?);
        let ball = icosphere(3)?;
        let place = |p: &DVec3| *p * 0.08 + DVec3::new(0.3, -0.05, 0.2);
        let ball =
            Mesh::new(ball.positions().iter().map(place).collect(), ball.triangles().to_vec())?;
        Ok(Self { mesh, frames, flight, ball })
    }

    fn body<B: FlightBounds>(&self) -> Result<Body<Flight, B>> {
        let settings = BuildSettings::default();
        Ok(Body::flying(self.mesh.clone(), self.flight.clone(), &settings)?)
    }

    /// Bottom-up and blended in turns, so that the machine disturbs both.
    fn refit_and_blend(&self, rounds: usize) -> Result<[Times; 2]> {
        let mut free = Body::free(self.mesh.clone())?;
        let mut body = self.body::<Expiring>()?;
        let ball = Body::rigid(self.ball.clone())?;
        let mut positions = vec![DVec3::ZERO; self.mesh.positions().len()];
        let mut done = Vec::new();
        let mut moved = Vec::new();
        let (mut tests, mut blended_tests) = (0, 0);
        body.rewind(0.5)?;
        let [update, boundary] = best_of(
            rounds,
            [
                &mut || {
                    let pairs = self.frames[1].iter().zip(&self.frames[2]);
                    for (to, (a, b)) in positions.iter_mut().zip(pairs) {
                        *to = *a * (1.0 - 0.3) + *b * 0.3;
                    }
                    done.push(free.set_positions(&positions));
                },
                // From the last keyframe back to the first takes two passes: never the best round.
                &mut || {
                    let next = body.time() + 1.0;
                    let at_end = next > self.flight.until();
                    moved.push(if at_end { body.rewind(0.5) } else { body.advance(next) });
                },
            ],
        );
        done.into_iter().chain(moved).collect::<pliant::Result<()>>()?;
        body.rewind(1.0)?;
        let steps = timed(|| (1..=300).try_for_each(|i| body.advance(1.0 + f64::from(i) * 1e-3)))?;
        let [query, blended_query] = best_of(
            20,
            [&mut || tests = intersections(&free, &ball).work.overlap_tests, &mut || {
                blended_tests = intersections(&body, &ball).work.overlap_tests;
            }],
        );
        Ok([
            Times { boundary: 0.0, update, query, tests },
            Times { boundary, update: steps / 300.0, query: blended_query, tests: blended_tests },
        ])
    }

    fn extremes(&self) -> Result<ExtremesTimes> {
        let mut body = self.body::<ExpiringExtremes>()?;
        let boundary = [timed(|| body.rewind(1.0))?, timed(|| body.rewind(1.0))?];
        let (mut steps, mut visits) = ([0.0; 3], [0; 3]);
        for (i, n) in IN_BETWEENS.into_iter().enumerate() {
            body.rewind(1.0)?;
            let before = body.bounds().visited();
            steps[i] = timed(|| through(&mut body, n))?;
            visits[i] = body.bounds().visited() - before;
        }
        Ok(ExtremesTimes { boundary: boundary[0].min(boundary[1]), steps, visits })
    }

    fn queue<B: FlightBounds>(&self, count: impl Fn(&B) -> EventCount) -> Result<Queue> {
        let mut body = self.body::<B>()?;
        let restart = [timed(|| body.rewind(1.0))?, timed(|| body.rewind(1.0))?];
        let mut steps = [0.0; 2];
        let mut found = EventCount::default();
        for (i, n) in [10, 100].into_iter().enumerate() {
            body.rewind(1.0)?;
            let before = count(body.bounds());
            steps[i] = timed(|| through(&mut body, n))?;
            let after = count(body.bounds());
            found.events = after.events - before.events;
            found.changed_values = after.changed_values - before.changed_values;
        }
        Ok(Queue { restart: restart[0].min(restart[1]), steps, count: found })
    }
}

/// Goes from keyframe 1 to just before keyframe 2 in so many steps.
fn through<B: FlightBounds>(body: &mut Body<Flight, B>, steps: u32) -> pliant::Result<()> {
    let end = 2.0_f64.next_down();
    (1..=steps).try_for_each(|i| body.advance((1.0 + f64::from(i) / f64::from(steps)).min(end)))
}

fn timed<E>(run: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed().as_secs_f64())
}
