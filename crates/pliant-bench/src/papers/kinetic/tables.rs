//! Tables of what was measured of keyframed motion.

use super::motion::{BLENDED, BOTTOM_UP, BOX_TREE, FORMS, IN_BETWEENS, Measured, QUEUE, Times};
use crate::table::{Cell, Table, count, figure, percent, ratio, ratio_to};

/// Four tables that grow scene by scene.
pub(crate) struct MotionTables {
    update: Table,
    boundary: Table,
    events: Table,
    check: Table,
    /// The paper's ratio of bottom-up to kinetic, and what else it says.
    paper: (&'static str, &'static str),
    missed: Vec<String>,
}

impl MotionTables {
    pub(crate) fn new(about: &str, paper: (&'static str, &'static str)) -> Self {
        let headings = |more: &[&'static str]| -> Vec<&'static str> {
            ["scene", "triangles"].iter().chain(more).copied().collect()
        };
        let title = |what: &str| format!("{about}: {what}, one thread");
        let mut update = headings(&["in-betweens"]);
        update.extend(FORMS);
        update.extend(["winner", "blended x", "queue x", "paper x"]);
        let boundary = headings(&["blended", "", "queue", "", "box tree", "", "ns per slot"]);
        let events = headings(&[
            "values",
            "events",
            "changed",
            "events per frame",
            "changed per frame",
            "per n log n",
            "total in 10",
            "total in 100",
            "total in 1000",
            "spread",
            "idle ns",
            "x blended",
            "box events",
            "box changed",
        ]);
        let mut check = headings(&["pairs"]);
        check.extend(FORMS);
        check.extend([
            "tests",
            "blended tests",
            "box tree tests",
            "x in 10",
            "x in 100",
            "x in 1000",
        ]);
        Self {
            update: Table::new(
                title("ms to update all bounds, interpolation and keyframe included"),
                &update,
            )
            .with_keys(3),
            boundary: Table::new(title("ms at a keyframe alone"), &boundary).with_keys(2),
            events: Table::new(title("events of one keyframe, and ms of all of them"), &events)
                .with_keys(2),
            check: Table::new(title("us of a query, and update with query"), &check).with_keys(2),
            paper,
            missed: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, scene: &str, measured: &Measured) {
        let triangles = measured.triangles;
        let name = || [Cell::from(scene), count(triangles)];
        let forms = &measured.forms;
        for (i, n) in IN_BETWEENS.into_iter().enumerate() {
            let frame = |form: usize| forms[form].frame(i);
            let best = (0..FORMS.len()).fold(0, |a, b| if frame(b) < frame(a) { b } else { a });
            let over = |form| ratio(frame(BOTTOM_UP) / frame(form));
            let mut row = name().to_vec();
            row.push(count(n));
            row.extend((0..FORMS.len()).map(|form| milliseconds(frame(form))));
            row.push(FORMS[best].into());
            row.extend([over(BLENDED), over(QUEUE), self.paper.0.into()]);
            self.update.row(row);
            let bar = [3.0, 10.0, 10.0][i];
            if triangles > 500_000 && frame(BOTTOM_UP) < bar * frame(BLENDED) {
                self.missed.push(format!("{bar}x with {n} in-betweens at {}", count(triangles)));
            }
        }
        self.add_boundary(&name(), measured);
        self.add_events(&name(), measured);
        let mut row = name().to_vec();
        row.push(count(measured.pairs));
        row.extend(forms.iter().map(|form| microseconds(form.query)));
        row.extend([BOTTOM_UP, BLENDED, BOX_TREE].map(|form| count(forms[form].tests)));
        let whole = |form: usize, i: usize| forms[form].frame(i) + forms[form].query;
        row.extend([0, 1, 2].map(|i| ratio(whole(BOTTOM_UP, i) / whole(BLENDED, i))));
        self.check.row(row);
    }

    fn add_boundary(&mut self, name: &[Cell], measured: &Measured) {
        let forms = &measured.forms;
        let mut row = name.to_vec();
        let refit = forms[BOTTOM_UP].frame(0);
        for Times { boundary, .. } in [BLENDED, QUEUE, BOX_TREE].map(|form| forms[form]) {
            row.extend([milliseconds(boundary), ratio_to(boundary / refit, 1)]);
        }
        let slots = (6 * measured.nodes) as f64;
        row.push(figure(forms[QUEUE].boundary * 1e9 / slots, 0, "ns per slot"));
        self.boundary.row(row);
    }

    fn add_events(&mut self, name: &[Cell], measured: &Measured) {
        let queue = &measured.forms[QUEUE];
        let events = measured.events[0];
        let n = measured.triangles as f64;
        let totals = [0, 1, 2].map(|i| queue.total(i));
        let (low, high) = (
            totals.iter().fold(f64::MAX, |a, &b| a.min(b)),
            totals.iter().fold(0.0, |a: f64, &b| a.max(b)),
        );
        let over_blended = (0..3)
            .map(|i| queue.total(i) / measured.forms[BLENDED].total(i))
            .fold(f64::MAX, f64::min);
        let mut row = name.to_vec();
        row.extend([
            count(6 * measured.nodes),
            count(events.events),
            count(events.changed_values),
            count(events.events / 100),
            count(events.changed_values / 100),
            figure(events.events as f64 / (n * n.log2()), 4, "per n log n"),
        ]);
        row.extend(totals.map(milliseconds));
        row.push(percent(high / low - 1.0, 0));
        row.push(figure(measured.idle * 1e9, 1, "ns"));
        row.push(ratio_to(over_blended, 1));
        row.extend([measured.plane_events.events, measured.plane_events.changed_values].map(count));
        self.events.row(row);
        let at = count(measured.triangles);
        if measured.events.iter().any(|other| *other != events) {
            self.missed.push(format!("events depend on the number of frames at {at}"));
        }
        if high > 1.2 * low {
            self.missed.push(format!("the queue's time differs by more than 20 % at {at}"));
        }
        if over_blended < 3.0 {
            self.missed.push(format!("blended 3x faster than the queue at {at}"));
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Table> {
        self.update.note("in-betweens: frames per keyframe; x: bottom-up over that form; paper: its own bottom-up over its kinetic AABB tree");
        self.update.note("bottom-up: our refit of all boxes; parry3d: TriMesh::set_vertices (f32); both after interpolating all vertices");
        self.update
            .note("blended: Expiring; queue: KineticAabb, the paper's form; box tree: KineticBox");
        self.boundary.note(
            "x: multiples of a bottom-up update; ns per slot: the queue has six slots per node",
        );
        self.events.note("values: what a bottom-up update writes; per frame: with 100 frames per keyframe; box: of the box tree");
        self.events.note("total: a keyframe's restart and all its events, by frames per keyframe; events and changed values are the same for all three");
        self.events.note("spread: of the three, best of eight rounds in turns; idle: an advance in which nothing happens");
        self.events.note(
            "x blended: the queue's total over that of blended boxes, the least of the three",
        );
        self.check.note("below 1x bottom-up wins: a query that looks at much of a mesh has to blend each box, and not to read it");
        self.check.note("x: bottom-up's update and query over those of blended boxes, keyframe included, by frames per keyframe; tests: of overlap");
        self.check.note("parry3d: its traversal with our exact test");
        self.events.note(self.paper.1);
        for missed in &self.missed {
            self.update.note(format!("missed: {missed} triangles"));
        }
        vec![self.update, self.boundary, self.events, self.check]
    }
}

/// Milliseconds with about three significant digits.
fn milliseconds(seconds: f64) -> Cell {
    let ms = seconds * 1e3;
    let decimals = match ms {
        _ if ms >= 100.0 => 0,
        _ if ms >= 1.0 => 2,
        _ => 5,
    };
    figure(ms, decimals, "ms")
}

fn microseconds(seconds: f64) -> Cell {
    figure(seconds * 1e6, 1, "us")
}
