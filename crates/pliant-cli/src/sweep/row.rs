//! A step as it is written (docs/sweep.schema.json).

use pliant::query::{Certainty, Features, Impact};
use pliant::world::BodiesSwept;
use serde::Serialize;

use crate::check::row::WorkRow;

/// The version of the JSON of `sweep`. It grows when a field changes its meaning or goes.
pub(crate) const SCHEMA: u32 = 1;

/// What touches between two frames.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct StepRow {
    /// Its number in the whole run.
    pub(crate) number: usize,
    /// A place in the list of animations.
    pub(crate) animation: usize,
    /// The times of both frames, in seconds.
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// When something touches first, from 0 to 1; 0 if triangles touch in the first frame.
    pub(crate) first: Option<[f64; 2]>,
    pub(crate) contacts: Vec<ImpactRow>,
    /// Triangles that touch in the first frame: object, triangle, object, triangle.
    pub(crate) pierced: Vec<[u32; 4]>,
    pub(crate) work: WorkRow,
}

/// Two features that touch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ImpactRow {
    pub(crate) kind: Kind,
    /// Object and feature. A vertex comes before a face.
    pub(crate) a: (u32, Feature),
    pub(crate) b: (u32, Feature),
    /// The largest number not after the impact and the smallest not before it.
    pub(crate) toi: [f64; 2],
    /// Whether the two certainly touch.
    pub(crate) certain: bool,
    /// Where they need not touch: how near they come at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<f64>,
}

/// What touches what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A vertex and a face.
    Vf,
    /// Two edges.
    Ee,
}

/// A vertex or a face by its number, an edge by its vertices, the smaller first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub(crate) enum Feature {
    Number(u32),
    Edge([u32; 2]),
}

impl ImpactRow {
    /// Of two objects.
    fn new([first, second]: [u32; 2], impact: &Impact) -> Self {
        let (kind, a, b) = match impact.features {
            Features::VertexFace { vertex, face } => {
                (Kind::Vf, (first, Feature::Number(vertex)), (second, Feature::Number(face)))
            }
            Features::FaceVertex { face, vertex } => {
                (Kind::Vf, (second, Feature::Number(vertex)), (first, Feature::Number(face)))
            }
            Features::EdgeEdge { first: one, second: other } => {
                (Kind::Ee, (first, Feature::Edge(one)), (second, Feature::Edge(other)))
            }
        };
        let (certain, within) = match impact.certainty {
            Certainty::Certain => (true, None),
            Certainty::Within(distance) => (false, Some(distance)),
        };
        Self { kind, a, b, toi: [impact.time.lo, impact.time.hi], certain, within }
    }

    /// Both objects, the smaller number first.
    pub(crate) fn objects(&self) -> [u32; 2] {
        [self.a.0.min(self.b.0), self.a.0.max(self.b.0)]
    }

    /// What it is about.
    fn key(&self) -> (Kind, (u32, Feature), (u32, Feature)) {
        (self.kind, self.a, self.b)
    }
}

impl StepRow {
    /// Takes in what two objects do in a part of the step, from `from` to `to` of it. Parts come in
    /// their order.
    pub(crate) fn add(&mut self, objects: [u32; 2], found: &BodiesSwept, [from, to]: [f64; 2]) {
        for impact in &found.swept.contacts {
            let mut row = ImpactRow::new(objects, impact);
            if [from, to] != [0.0, 1.0] {
                row.toi = within_step(row.toi, [from, to]);
            }
            self.contacts.push(row);
        }
        // Later parts begin within the step.
        if from == 0.0 {
            let [a, b] = objects;
            self.pierced.extend(found.swept.pierced.iter().map(|&[i, j]| [a, i, b, j]));
        }
    }

    /// Puts everything in order: each pair of features once, at its first time.
    pub(crate) fn finish(&mut self) {
        self.contacts.sort_by(|a, b| {
            let times = a.toi[0].total_cmp(&b.toi[0]).then(a.toi[1].total_cmp(&b.toi[1]));
            a.key().cmp(&b.key()).then(times)
        });
        self.contacts.dedup_by(|later, first| later.key() == first.key());
        self.pierced.sort_unstable();
        let first = |best: [f64; 2], row: &ImpactRow| {
            if row.toi[0] < best[0] || row.toi[0] == best[0] && row.toi[1] < best[1] {
                row.toi
            } else {
                best
            }
        };
        self.first = match (self.pierced.is_empty(), self.contacts.split_first()) {
            (false, _) => Some([0.0; 2]),
            (true, Some((one, rest))) => Some(rest.iter().fold(one.toi, first)),
            (true, None) => None,
        };
    }

    /// Keeps only what comes first for each pair of objects.
    pub(crate) fn keep_first(&mut self) {
        let objects = ImpactRow::objects;
        self.contacts.sort_by(|a, b| {
            let times = a.toi[0].total_cmp(&b.toi[0]).then(a.toi[1].total_cmp(&b.toi[1]));
            objects(a).cmp(&objects(b)).then(times).then(a.key().cmp(&b.key()))
        });
        self.contacts.dedup_by_key(|row| row.objects());
        let pierced: Vec<[u32; 2]> = self.pierced.iter().map(|&[a, _, b, _]| [a, b]).collect();
        self.contacts.retain(|row| !pierced.contains(&objects(row)));
    }
}

/// A time of a part of a step as a time of the step, rounded outward.
fn within_step([lo, hi]: [f64; 2], [from, to]: [f64; 2]) -> [f64; 2] {
    // Three roundings of at most 2^-53 of 1 each.
    let slack = 4.0 * f64::EPSILON;
    let at = |time: f64| from + time * (to - from);
    [(at(lo) - slack).max(from), (at(hi) + slack).min(to)]
}
