//! Sweeps: boxes at both ends against a box around the whole way, bodies apart, and two threads.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Result, ensure};
use pliant::deform::Modes;
use pliant::glam::DVec3;
use pliant::query::{Adjacency, Step};
use pliant::tree::Tree;
use pliant::volume::{Aabb, MovingBox, Ray};
use pliant::{Body, Collide, FreeBody, Isometry, Mesh, Surface, self_sweep, sweep};
use pliant_scenes::curtain_and_ball;

use crate::measure::best_of;
use crate::table::{Table, count, ratio, ratio_to, seconds};

/// Two frames of the curtain that follow one another.
const FRAMES: [usize; 2] = [60, 61];

pub(crate) fn run(quick: bool) -> Result<Vec<Table>> {
    Ok(vec![with_itself(quick)?, apart(quick)?])
}

/// A body at one end of a step, in boxes around the whole way: what sweeps of others use.
struct Hulls<'a> {
    body: &'a FreeBody,
    other: &'a FreeBody,
}

impl Collide for Hulls<'_> {
    type Volume = Aabb;

    fn tree(&self) -> &Tree {
        self.body.tree()
    }

    fn bound(&self, node: u32) -> Aabb {
        MovingBox { start: self.body.bound(node), end: self.other.bound(node) }.hull()
    }

    fn triangle(&self, triangle: u32) -> [DVec3; 3] {
        self.body.triangle(triangle)
    }

    fn adjacent(&self, first: u32, second: u32) -> bool {
        self.body.adjacent(first, second)
    }

    fn for_ray(&self, _: &Ray) -> Option<Box<dyn pliant::bound::RayBounds + '_>> {
        None
    }
}

impl Surface for Hulls<'_> {
    fn mesh(&self) -> &Mesh {
        self.body.mesh()
    }

    fn vertex(&self, vertex: u32) -> DVec3 {
        self.body.vertex(vertex)
    }
}

/// The curtain with itself between two frames.
fn with_itself(quick: bool) -> Result<Table> {
    let columns = ["triangles", "boxes", "overlap tests", "primitive tests", "time", "two threads"];
    let mut table = Table::new("Sweep of a curtain with itself between two frames", &columns);
    table = table.with_keys(2);
    for refinements in if quick { 0..1 } else { 0..2 } {
        let scene = curtain_and_ball(refinements, 1)?;
        let mut ends = Vec::new();
        for frame in FRAMES {
            let mut body = Body::free(scene.curtain.mesh.clone())?;
            body.set_positions(&scene.curtain.positions(frame)?)?;
            ends.push(body);
        }
        let own = Step::new(&ends[0], &ends[1])?;
        let hulls = [0, 1].map(|end| Hulls { body: &ends[end], other: &ends[1 - end] });
        let around = Step::new(&hulls[0], &hulls[1])?;
        let (found, other) =
            (self_sweep(&own, Adjacency::ByPlace), self_sweep(&around, Adjacency::ByPlace));
        ensure!(found.contacts == other.contacts && found.pierced == other.pierced);
        let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
        let [one, both, hull] = best_of(
            if quick { 2 } else { 10 },
            [
                &mut || drop(black_box(self_sweep(&own, Adjacency::ByPlace))),
                &mut || drop(two.install(|| black_box(self_sweep(&own, Adjacency::ByPlace)))),
                &mut || drop(black_box(self_sweep(&around, Adjacency::ByPlace))),
            ],
        );
        let triangles = scene.curtain.mesh.triangles().len();
        for (name, swept, time) in [("both ends", &found, one), ("hull", &other, hull)] {
            table.row([
                count(triangles),
                name.into(),
                count(swept.work.overlap_tests),
                count(swept.work.primitive_tests),
                seconds(time),
                if name == "hull" { "".into() } else { ratio_to(one / both, 2) },
            ]);
        }
    }
    table.note(
        "primitive tests: pairs of features that are decided, and pairs of triangles at the start",
    );
    Ok(table)
}

/// A curtain bounded from coordinates, and a ball that flies past it.
fn apart(quick: bool) -> Result<Table> {
    let columns = ["triangles", "a step", "to the smallest"];
    let mut table =
        Table::new("A step of a curtain and a ball that are apart", &columns).with_keys(1);
    let mut smallest = None;
    for refinements in if quick { 0..1 } else { 0..4 } {
        let scene = curtain_and_ball(refinements, 4)?;
        let mesh = &scene.curtain.mesh;
        let modes = Arc::new(Modes::from_fields(mesh.positions().len(), &scene.curtain.modes)?);
        let mut start = Body::reduced(mesh.clone(), modes)?;
        start.set_coordinates(&scene.curtain.coordinates[0])?;
        let mut end = start.clone();
        let mut first = Body::rigid(scene.ball.mesh.clone())?;
        first.set_isometry(Isometry::from_translation(DVec3::X * 9.0)?);
        let mut last = first.clone();
        last.set_isometry(Isometry::from_translation(DVec3::new(9.0, 0.0, 5.0))?);
        let mut frame = 0;
        let mut steps = || {
            for _ in 0..1000 {
                frame = (frame + 1) % scene.curtain.coordinates.len();
                std::mem::swap(&mut start, &mut end);
                let set = end.set_coordinates(&scene.curtain.coordinates[frame]);
                let own = Step::new(&start, &end);
                let other = Step::new(&first, &last);
                if let (Ok(()), Ok(own), Ok(other)) = (set, own, other) {
                    black_box(sweep(&own, &other));
                }
            }
        };
        let [time] = best_of(if quick { 2 } else { 20 }, [&mut steps]);
        let a_step = time / 1000.0;
        let least = *smallest.get_or_insert(a_step);
        table.row([count(mesh.triangles().len()), seconds(a_step), ratio(a_step / least)]);
    }
    table.note("coordinates of the end are set in each step");
    Ok(table)
}
