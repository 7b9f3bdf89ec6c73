//! Tables of what was measured of keyframed motion.

use super::motion::{BLENDED, BOTTOM_UP, BOX_TREE, FORMS, IN_BETWEENS, Measured, QUEUE};
use crate::table::{Table, count};

/// Four tables that grow by a scene at a time.
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
        let boundary = headings(&["blended", "queue", "box tree", "in refits", "ns a slot"]);
        let events = headings(&[
            "values",
            "events",
            "changed",
            "a frame",
            "changed a frame",
            "a n log n",
            "total in 10",
            "in 100",
            "in 1000",
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
            ),
            boundary: Table::new(title("ms at a keyframe alone"), &boundary),
            events: Table::new(title("events of one keyframe, and ms of all of them"), &events),
            check: Table::new(title("us of a query, and update with query"), &check),
            paper,
            missed: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, scene: &str, measured: &Measured) {
        let triangles = measured.triangles;
        let name = || [scene.to_string(), count(triangles)];
        let forms = &measured.forms;
        let over =
            |a: f64, b: f64| if a.is_finite() { format!("{:.2}x", a / b) } else { "-".into() };
        for (i, n) in IN_BETWEENS.into_iter().enumerate() {
            let frame = |form: usize| forms[form].frame(i);
            let best = (0..FORMS.len()).fold(0, |a, b| if frame(b) < frame(a) { b } else { a });
            let ratio = |form| over(frame(BOTTOM_UP), frame(form));
            let mut row = name().to_vec();
            row.push(count(n));
            row.extend((0..FORMS.len()).map(|form| milliseconds(frame(form))));
            row.push(FORMS[best].into());
            row.extend([ratio(BLENDED), ratio(QUEUE), self.paper.0.into()]);
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
        row.extend([0, 1, 2].map(|i| over(whole(BOTTOM_UP, i), whole(BLENDED, i))));
        self.check.row(row);
    }

    fn add_boundary(&mut self, name: &[String], measured: &Measured) {
        let forms = &measured.forms;
        let mut row = name.to_vec();
        row.extend([BLENDED, QUEUE, BOX_TREE].map(|form| milliseconds(forms[form].boundary)));
        let refit = forms[BOTTOM_UP].frame(0);
        row.push(
            [BLENDED, QUEUE, BOX_TREE]
                .map(|form| format!("{:.1}", forms[form].boundary / refit))
                .join(" "),
        );
        row.push(format!("{:.0}", forms[QUEUE].boundary * 1e9 / (6 * measured.nodes) as f64));
        self.boundary.row(row);
    }

    fn add_events(&mut self, name: &[String], measured: &Measured) {
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
            format!("{:.4}", events.events as f64 / (n * n.log2())),
        ]);
        row.extend(totals.map(milliseconds));
        row.push(format!("{:.0} %", (high / low - 1.0) * 100.0));
        row.push(format!("{:.1}", measured.idle * 1e9));
        row.push(format!("{over_blended:.1}x"));
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
        self.update.note("in-betweens: frames a keyframe; x: bottom-up over that form; paper: its own bottom-up over its kinetic AABB tree");
        self.update.note("bottom-up: our refit of all boxes; parry3d: TriMesh::set_vertices (f32); both after interpolating all vertices");
        self.update
            .note("blended: Expiring; queue: KineticAabb, the paper's form; box tree: KineticBox");
        self.boundary.note("in refits: the same as multiples of a bottom-up update; ns a slot: of the queue's six sides a node");
        self.events.note("values: what a bottom-up update writes; a frame: with 100 frames a keyframe; box: of the box tree");
        self.events.note("total: a keyframe's restart and all its events, by frames a keyframe; events and changed values are the same for all three");
        self.events.note("spread: of the three, best of eight rounds in turns; idle: an advance in which nothing happens");
        self.events.note(
            "x blended: the queue's total over that of blended boxes, the least of the three",
        );
        self.check.note("below 1x bottom-up wins: a query that looks at much of a mesh has to blend each box, and not to read it");
        self.check.note("x: bottom-up's update and query over those of blended boxes, keyframe included, by frames a keyframe; tests: of overlap");
        self.check.note("parry3d: its traversal with our exact test");
        self.events.note(self.paper.1);
        for missed in &self.missed {
            self.update.note(format!("missed: {missed} triangles"));
        }
        vec![self.update, self.boundary, self.events, self.check]
    }
}

/// Three figures, or none where there is none.
fn milliseconds(seconds: f64) -> String {
    let ms = seconds * 1e3;
    match ms {
        _ if !ms.is_finite() => "-".into(),
        _ if ms >= 100.0 => format!("{ms:.0}"),
        _ if ms >= 1.0 => format!("{ms:.2}"),
        _ => format!("{ms:.5}"),
    }
}

fn microseconds(seconds: f64) -> String {
    if seconds.is_finite() { format!("{:.1}", seconds * 1e6) } else { "-".into() }
}
