//! Sweeps that look at every pair of features, one by one: no boxes, no trees, no owners.

use std::collections::BTreeSet;

use super::Adjacency;
use super::due::are_due;
use super::impact::{Certainty, Features, Impact, Swept};
use super::near_chords::{near_chords, reported};
use super::step::Step;
use super::strays::Straying;
use crate::Result;
use crate::body::Surface;
use crate::contact::{ImpactTime, edge_edge_impact, triangles_touch, vertex_face_impact};
use crate::query::pair_limit::PairLimit;
use crate::query::traverse::Flow;

/// As [`sweep`](crate::sweep()).
#[must_use]
pub fn sweep<A: Surface, B: Surface>(a: &Step<A>, b: &Step<B>) -> Swept {
    sweep_within(a, b, &PairLimit::none())
}

/// As [`sweep_up_to`](crate::query::sweep_up_to).
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs).
pub fn sweep_up_to<A: Surface, B: Surface>(a: &Step<A>, b: &Step<B>, most: usize) -> Result<Swept> {
    PairLimit::up_to(most, |limit| sweep_within(a, b, limit))
}

/// As [`first_impact`](crate::first_impact()). Of triangles that touch at the start it may find
/// another pair.
#[must_use]
pub fn first_impact<A: Surface, B: Surface>(a: &Step<A>, b: &Step<B>) -> Swept {
    first_of(&sweep(a, b))
}

/// As [`self_sweep`](crate::self_sweep()).
#[must_use]
pub fn self_sweep<A: Surface>(step: &Step<A>, adjacency: Adjacency) -> Swept {
    self_sweep_within(step, adjacency, &PairLimit::none())
}

/// As [`self_sweep_up_to`](crate::query::self_sweep_up_to).
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs).
pub fn self_sweep_up_to<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    most: usize,
) -> Result<Swept> {
    PairLimit::up_to(most, |limit| self_sweep_within(step, adjacency, limit))
}

/// As [`first_self_impact`](crate::first_self_impact()). Of triangles that touch at the start it may
/// find another pair.
#[must_use]
pub fn first_self_impact<A: Surface>(step: &Step<A>, adjacency: Adjacency) -> Swept {
    first_of(&self_sweep(step, adjacency))
}

/// The first of all that was found.
fn first_of(all: &Swept) -> Swept {
    let pierced: Vec<_> = all.pierced.iter().copied().take(1).collect();
    let first = all.first_impact().filter(|_| pierced.is_empty());
    Swept { contacts: first.copied().into_iter().collect(), pierced, work: all.work }
}

/// Something is missing if the limit is exceeded, and only then.
pub(crate) fn sweep_within<A: Surface, B: Surface>(
    a: &Step<A>,
    b: &Step<B>,
    limit: &PairLimit,
) -> Swept {
    let (one, two) = (a.strays(), b.strays());
    let mut found = Found { swept: Swept::default(), strays: [one, two], limit };
    let (triangles_a, triangles_b) = (a.start().mesh().triangles(), b.start().mesh().triangles());
    let (first, second) = (Shape::new(a), Shape::new(b));
    for &vertex in &first.vertices {
        for (face, corners) in (0..).zip(triangles_b) {
            let features = Features::VertexFace { vertex, face };
            if !are_due([&one, &two], [&[vertex], corners]) {
                continue;
            }
            let stray = one.now.between(&[vertex], &two.now, corners);
            found.vertex_face(features, stray, first.ends(vertex), second.corners(*corners));
        }
    }
    for &vertex in &second.vertices {
        for (face, corners) in (0..).zip(triangles_a) {
            let features = Features::FaceVertex { face, vertex };
            if !are_due([&two, &one], [&[vertex], corners]) {
                continue;
            }
            let stray = two.now.between(&[vertex], &one.now, corners);
            found.vertex_face(features, stray, second.ends(vertex), first.corners(*corners));
        }
    }
    for &p in &first.edges {
        for &q in &second.edges {
            found.edge_edge([p, q], p.map(|v| first.ends(v)), q.map(|v| second.ends(v)));
        }
    }
    for (i, corners) in (0..).zip(triangles_a) {
        for (j, others) in (0..).zip(triangles_b) {
            if are_due([&one, &two], [corners, others]) {
                found.pierced([i, j], &a.start().triangle(i), &b.start().triangle(j));
            }
        }
    }
    found.swept.sorted()
}

/// Something is missing if the limit is exceeded, and only then.
pub(crate) fn self_sweep_within<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    limit: &PairLimit,
) -> Swept {
    let mut found = Found { swept: Swept::default(), strays: [step.strays(); 2], limit };
    let mesh = step.start().mesh();
    let own = step.strays();
    let strays = [&own; 2];
    let shape = Shape::new(step);
    let name = |vertex: u32| match adjacency {
        Adjacency::ByPlace => mesh.places()[vertex as usize],
        Adjacency::ByIndex => vertex,
    };
    let share = |a: &[u32], b: &[u32]| a.iter().any(|&p| b.iter().any(|&q| name(p) == name(q)));
    for &vertex in &shape.vertices {
        for (face, corners) in (0..).zip(mesh.triangles()) {
            if !share(&[vertex], corners) && are_due(strays, [&[vertex], corners]) {
                let features = Features::VertexFace { vertex, face };
                let stray = own.now.between(&[vertex], &own.now, corners);
                found.vertex_face(features, stray, shape.ends(vertex), shape.corners(*corners));
            }
        }
    }
    for (at, &p) in shape.edges.iter().enumerate() {
        for &q in &shape.edges[at + 1..] {
            if !share(&p, &q) {
                found.edge_edge([p, q], p.map(|v| shape.ends(v)), q.map(|v| shape.ends(v)));
            }
        }
    }
    for (i, corners) in (0..).zip(mesh.triangles()) {
        for (j, others) in (i + 1..).zip(&mesh.triangles()[i as usize + 1..]) {
            if !share(corners, others) && are_due(strays, [corners, others]) {
                found.pierced([i, j], &step.start().triangle(i), &step.start().triangle(j));
            }
        }
    }
    found.swept.sorted()
}

/// A point at both ends.
type Ends = [glam::DVec3; 2];

/// The vertices and edges that triangles have, each once, ascending.
struct Shape<'a, 'b, C> {
    step: &'a Step<'b, C>,
    vertices: BTreeSet<u32>,
    edges: Vec<[u32; 2]>,
}

impl<'a, 'b, C: Surface> Shape<'a, 'b, C> {
    fn new(step: &'a Step<'b, C>) -> Self {
        let triangles = step.start().mesh().triangles();
        let sides = triangles.iter().flat_map(|&[p, q, r]| [[p, q], [q, r], [r, p]]);
        let edges: BTreeSet<_> = sides.map(|[p, q]| [p.min(q), p.max(q)]).collect();
        let edges = edges.into_iter().filter(|[p, q]| p != q).collect();
        Self { step, vertices: triangles.as_flattened().iter().copied().collect(), edges }
    }

    fn ends(&self, vertex: u32) -> Ends {
        [self.step.start().vertex(vertex), self.step.end().vertex(vertex)]
    }

    fn corners(&self, corners: [u32; 3]) -> [Ends; 3] {
        corners.map(|vertex| self.ends(vertex))
    }
}

struct Found<'a> {
    swept: Swept,
    strays: [Straying<'a>; 2],
    limit: &'a PairLimit,
}

impl Found<'_> {
    /// Whether nothing more counts.
    fn is_full(&self) -> bool {
        self.limit.is_exceeded()
    }

    fn vertex_face(&mut self, features: Features, stray: f64, vertex: Ends, [p, q, r]: [Ends; 3]) {
        if self.is_full() {
            return;
        }
        self.swept.work.primitive_tests += 1;
        let [start, end] = [0, 1].map(|end| [vertex[end], p[end], q[end], r[end]]);
        let time = match stray > 0.0 {
            true => near_chords([[0; 3], [1, 2, 3]], &start, &end, stray).map(until_the_end),
            false => vertex_face_impact(start, end),
        };
        self.add(features, stray, time);
    }

    fn edge_edge(&mut self, [first, second]: [[u32; 2]; 2], [p, q]: [Ends; 2], [r, s]: [Ends; 2]) {
        let [one, two] = self.strays;
        if self.is_full() || !are_due([&one, &two], [&first, &second]) {
            return;
        }
        self.swept.work.primitive_tests += 1;
        let [start, end] = [0, 1].map(|end| [p[end], q[end], r[end], s[end]]);
        let stray = one.now.between(&first, &two.now, &second);
        let time = match stray > 0.0 {
            true => near_chords([[0, 1, 1], [2, 3, 3]], &start, &end, stray).map(until_the_end),
            false => edge_edge_impact(start, end),
        };
        self.add(Features::EdgeEdge { first, second }, stray, time);
    }

    fn add(&mut self, features: Features, stray: f64, time: Option<ImpactTime>) {
        let certainty = match stray > 0.0 {
            true => Certainty::Within(reported(stray)),
            false => Certainty::Certain,
        };
        if let Some(time) = time {
            self.swept.contacts.push(Impact { features, time, certainty });
            let _: Flow = self.limit.count(1);
        }
    }

    fn pierced(&mut self, pair: [u32; 2], a: &[glam::DVec3; 3], b: &[glam::DVec3; 3]) {
        if self.is_full() {
            return;
        }
        self.swept.work.primitive_tests += 1;
        if triangles_touch(a, b) {
            self.swept.pierced.push(pair);
            let _: Flow = self.limit.count(1);
        }
    }
}

fn until_the_end(lo: f64) -> ImpactTime {
    ImpactTime { lo, hi: 1.0 }
}
