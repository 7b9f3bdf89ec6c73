//! Triangles that are divided while the kinetic AABB tree runs, against making the body anew (Zachmann and
//! Weller 2006, section 1: the trees are flexible enough for vertices that come and go).

use anyhow::{Context as _, Result};
use pliant::bound::{KineticAabb, MeshEdit};
use pliant::deform::Course;
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
        let headings = ["scene", "triangles", "divided", "edit", "sides decided", "of", "anew", ""];
        let title =
            format!("{about}: triangles divided in three while the tree runs, ms, one thread");
        let mut table = Table::new(title, &headings).with_keys(3);
        table.note("edit: old triangles go, new vertices with plans of their own and new triangles come; winners and events stay");
        table.note("anew: tree, winners and events of the body built from scratch; the ratio: anew over edit");
        Self(table)
    }

    pub(crate) fn add(&mut self, scene: &str, motion: &Motion, budget: f64) -> Result<()> {
        let mut body = motion.body::<KineticAabb>()?;
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
                    return timed(|| motion.body::<KineticAabb>().map(drop));
                }
                let mut copy = body.clone();
                let before = copy.bounds().count().replanned;
                let time = timed(|| copy.edit(&edit))?;
                decided = [copy.bounds().count().replanned - before, 6 * copy.nodes() as u64];
                Ok(time)
            })?;
            let ms = |time: f64| figure(1e3 * time, 3, "ms");
            self.0.row([
                Cell::from(scene),
                count(triangles.len()),
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
