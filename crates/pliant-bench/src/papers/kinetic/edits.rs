//! Triangles that are divided while a kinetic tree runs, against making the body anew (Zachmann and
//! Weller 2006, section 1: the trees are flexible enough for vertices that come and go).

use anyhow::{Context as _, Result};
use pliant::Body;
use pliant::bound::{FlightBounds, KineticAabb, KineticBox, MeshEdit};
use pliant::deform::{Course, Flight};
use pliant::glam::DVec3;

use super::motion::Motion;
use crate::measure::{in_turns, timed};
use crate::table::{Cell, Table, count, figure, ratio_to};

/// Triangles that are divided at a time.
const DIVIDED: [usize; 3] = [1, 10, 100];

/// The table that grows scene by scene.
pub(crate) struct EditTable(Table);

impl EditTable {
    pub(crate) fn new(about: &str) -> Self {
        let headings =
            ["scene", "triangles", "tree", "divided", "edit", "sides decided", "of", "anew", ""];
        let title =
            format!("{about}: triangles divided in three while the tree runs, ms, one thread");
        let mut table = Table::new(title, &headings).with_keys(4);
        table.note("edit: old triangles go, new vertices with plans of their own and new triangles come; winners and events stay");
        table.note("anew: tree, winners and events of the body built from scratch; the ratio: anew over edit");
        Self(table)
    }

    pub(crate) fn add(&mut self, scene: &str, motion: &Motion, budget: f64) -> Result<()> {
        self.add_tree::<KineticAabb>((scene, "AABB tree"), motion, budget)?;
        self.add_tree::<KineticBox>((scene, "box tree"), motion, budget)
    }

    fn add_tree<B: Editable>(
        &mut self,
        (scene, tree): (&str, &str),
        motion: &Motion,
        budget: f64,
    ) -> Result<()> {
        let mut body = motion.body::<B>()?;
        body.advance(motion.asked_at())?;
        let triangles = body.mesh().triangles().to_vec();
        for divided in DIVIDED {
            let mut edit = MeshEdit::default();
            for number in (0..triangles.len()).step_by(triangles.len() / divided).take(divided) {
                let corners = triangles[number];
                let place = |vertex: u32| body.position(vertex).context("a corner");
                let [a, b, c] = [place(corners[0])?, place(corners[1])?, place(corners[2])?];
                let rest = corners.map(|vertex| body.mesh().positions()[vertex as usize]);
                let middle = |[a, b, c]: [DVec3; 3]| (a + b + c) / 3.0;
                let new = (body.mesh().positions().len() + edit.vertices.len()) as u32;
                let course = Course::linear(body.time(), middle([a, b, c]), DVec3::Y * -0.1);
                edit.removed.push(number as u32);
                edit.vertices.push((middle(rest), course));
                let [i, j, k] = corners;
                edit.triangles.extend([[i, j, new], [j, k, new], [k, i, new]]);
            }
            let mut decided = [0, 0];
            let [edited, anew] = in_turns(budget, |turn| {
                if turn == 1 {
                    return timed(|| motion.body::<B>().map(drop));
                }
                let mut copy = body.clone();
                let before = B::sides(&copy)[0];
                let time = timed(|| B::change(&mut copy, &edit))?;
                let [now, all] = B::sides(&copy);
                decided = [now - before, all];
                Ok(time)
            })?;
            let ms = |time: f64| figure(1e3 * time, 3, "ms");
            self.0.row([
                Cell::from(scene),
                count(triangles.len()),
                tree.into(),
                count(divided),
                ms(edited),
                count(decided[0]),
                count(decided[1]),
                ms(anew),
                ratio_to(anew / edited, 1),
            ]);
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Table {
        self.0
    }
}

/// Bounds that can be edited.
trait Editable: FlightBounds + Clone {
    fn change(body: &mut Body<Flight, Self>, edit: &MeshEdit) -> pliant::Result<()>;

    /// Sides decided so far, and all sides.
    fn sides(body: &Body<Flight, Self>) -> [u64; 2];
}

impl Editable for KineticAabb {
    fn change(body: &mut Body<Flight, Self>, edit: &MeshEdit) -> pliant::Result<()> {
        body.edit(edit)
    }

    fn sides(body: &Body<Flight, Self>) -> [u64; 2] {
        [body.bounds().count().replanned, 6 * body.nodes() as u64]
    }
}

impl Editable for KineticBox {
    fn change(body: &mut Body<Flight, Self>, edit: &MeshEdit) -> pliant::Result<()> {
        body.edit(edit)
    }

    fn sides(body: &Body<Flight, Self>) -> [u64; 2] {
        [body.bounds().count().replanned, body.bounds().sides() as u64]
    }
}
