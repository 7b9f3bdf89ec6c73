//! What touches between two states: exact continuous detection.
//!
//! A [`Step`] is two states of one body. Between them every vertex moves along a straight line, at
//! constant speed. [`sweep`] finds all vertices and faces, and all edges, of two bodies that touch at
//! some time of the step, and when, as real arithmetic says. Nothing tunnels.
//!
//! | file | content |
//! | --- | --- |
//! | `step` | [`Step`]: two states of one body, with boxes at both ends |
//! | `sag` | [`Sag`]: how a vertex leaves its chord; bounds of many |
//! | `strays` | [`Strays`]: how far vertices may be from their chords |
//! | `due` | which pairs of features are looked at in a step, and which in its parts |
//! | `impact` | what is found: [`Swept`], [`Impact`], [`Features`], [`Certainty`] |
//! | `moving_triangle` | a triangle over a step, and boxes of its features |
//! | `fixed_direction` | a direction along which two triangles are apart all the time |
//! | `pair` | all features of two triangles |
//! | `near_chords` | whether features come near along their chords, where true paths stray from them |
//! | `stream` | the same in batches, while the search goes on |
//! | `visitor` | the traversal's visitors: all impacts, or the first |
//! | `any_body` | the same for [`AnyBody`](crate::AnyBody) |
//! | `brute_force` | the twins that look at every pair of features |

mod any_body;
pub(super) mod brute_force;
mod due;
mod fixed_direction;
mod impact;
mod moving_triangle;
mod near_chords;
mod pair;
mod sag;
mod step;
mod strays;
mod stream;
mod visitor;

pub(crate) use any_body::with_step;
pub use any_body::{Impacts, SweepSettings};
pub use impact::{Certainty, Features, Impact, Swept};
pub(crate) use near_chords::looked_at;
pub use sag::Sag;
pub use step::Step;
pub use strays::{Farther, Strays};
pub(crate) use stream::{HandOver, self_stream};
pub use stream::{self_sweep_streamed, sweep_streamed};

use super::Work;
use super::pair_limit::PairLimit;
use super::self_pairs::starts_below;
use super::share::traverse_all;
use super::traverse::{BoundedTree as _, Flow, NodePair, Stride, traverse};
use crate::Mesh;
use crate::Result;
use crate::body::Surface;
use moving_triangle::MovingTriangle;
use pair::{Asked, PairQuestion};
use step::StepBox;
use visitor::{All, Findings, First, Sweeping};

/// Which features of one body count as sharing a vertex. Those that do touch by construction, and
/// are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Adjacency {
    /// Vertices with the same position at rest are one: a seam is no contact.
    #[default]
    ByPlace,
    /// Only a vertex with the same number is the same.
    ByIndex,
}

impl Adjacency {
    /// What names the corners of a mesh's triangles.
    pub(crate) fn names(self, mesh: &Mesh) -> &[[u32; 3]] {
        match self {
            Self::ByPlace => mesh.places_of_triangles(),
            Self::ByIndex => mesh.triangles(),
        }
    }
}

/// All features of two bodies that touch within a step: a vertex of one and a face of the other, or
/// an edge of each. Also all triangles that touch at its start.
///
/// Guarantee: what [`brute_force::sweep`](super::brute_force::sweep) finds, with the same bits for
/// any number of threads. Which features touch is exact, ends of the step and degenerate triangles
/// included, and so are times: neighbouring `f64` around the true one. Every vertex and edge of a
/// triangle takes part once; vertices that no triangle has do not.
///
/// ```
/// use pliant::{Body, Mesh, glam::DVec3, query::{Features, Step}};
/// let corners = |z: f64| vec![DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.0, 1.0, z)];
/// let plate = Body::free(Mesh::new(corners(0.0), vec![[0, 1, 2]])?)?;
/// let (mut above, mut below) = (plate.clone(), plate.clone());
/// above.set_positions(&corners(1.0))?;
/// below.set_positions(&corners(-3.0))?;
/// let swept = pliant::sweep(&Step::new(&above, &below)?, &Step::still(&plate));
/// assert_eq!(swept.contacts[0].features, Features::VertexFace { vertex: 0, face: 0 });
/// assert!(swept.contacts.iter().all(|impact| impact.time.lo == 0.25 && impact.time.hi == 0.25));
/// # Ok::<(), pliant::Error>(())
/// ```
#[must_use]
pub fn sweep<A: Surface, B: Surface>(a: &Step<A>, b: &Step<B>) -> Swept {
    sweep_within(a, b, &PairLimit::none())
}

/// As [`sweep`], but stops where more touch than are asked for: features and triangles together.
///
/// # Errors
/// [`Error::TooManyPairs`](crate::Error::TooManyPairs).
pub fn sweep_up_to<A: Surface, B: Surface>(a: &Step<A>, b: &Step<B>, most: usize) -> Result<Swept> {
    PairLimit::up_to(most, |limit| sweep_within(a, b, limit))
}

/// The first of all that [`sweep`] finds: at most one impact, and of several at one time the one
/// with the smallest features. If triangles touch at the start, one such pair instead; which one
/// depends on the trees.
#[must_use]
pub fn first_impact<A: Surface, B: Surface>(a: &Step<A>, b: &Step<B>) -> Swept {
    let mut work = Work::default();
    let mut first = between(a, b, First::default());
    if roots_meet(a, b, &mut work) {
        let stride = Stride { steps: usize::MAX, block: 1 };
        let _ = traverse(a, b, vec![[0, 0]], stride, &mut work, &mut first);
    }
    first.findings.swept(work)
}

/// As [`sweep`], for features of one body that do not share a vertex.
///
/// Guarantee: what [`brute_force::self_sweep`](super::brute_force::self_sweep) finds, with the same
/// bits for any number of threads.
#[must_use]
pub fn self_sweep<A: Surface>(step: &Step<A>, adjacency: Adjacency) -> Swept {
    self_sweep_within(step, adjacency, &PairLimit::none())
}

/// As [`self_sweep`], but stops where more touch than are asked for.
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

/// The pairs of features that [`self_sweep`] decides exactly: all that boxes and fixed directions do not
/// tell apart, ascending. For those who ask something else of them than whether they touch.
///
/// Guarantee: what [`self_sweep`] finds is among them.
#[must_use]
pub fn self_sweep_candidates<A: Surface>(step: &Step<A>, adjacency: Adjacency) -> Vec<Features> {
    let (limit, mut work) = (PairLimit::none(), Work::default());
    let prepared = MovingTriangle::all(step, adjacency.names(step.start().mesh()));
    let mut all = with_itself(step, adjacency, Some(&prepared), All::new(&limit));
    all.question.asked = Asked::Candidates;
    let (starts, _) = own_starts(step, vec![0], &mut all, &mut work);
    traverse_all(step, step, starts, &mut work, &mut all);
    all.findings.swept(work).contacts.iter().map(|impact| impact.features).collect()
}

/// As [`first_impact`], for features of one body that do not share a vertex.
#[must_use]
pub fn first_self_impact<A: Surface>(step: &Step<A>, adjacency: Adjacency) -> Swept {
    let mut work = Work::default();
    let prepared = MovingTriangle::all(step, adjacency.names(step.start().mesh()));
    let mut first = with_itself(step, adjacency, Some(&prepared), First::default());
    let (starts, flow) = own_starts(step, vec![0], &mut first, &mut work);
    if flow == Flow::Continue {
        let stride = Stride { steps: usize::MAX, block: 1 };
        let _ = traverse(step, step, starts, stride, &mut work, &mut first);
    }
    first.findings.swept(work)
}

/// As [`sweep`]. Something is missing if the limit is exceeded, and only then.
pub(crate) fn sweep_within<A: Surface, B: Surface>(
    a: &Step<A>,
    b: &Step<B>,
    limit: &PairLimit,
) -> Swept {
    let mut work = Work::default();
    let mut all = between(a, b, All::new(limit));
    if roots_meet(a, b, &mut work) {
        traverse_all(a, b, vec![[0, 0]], &mut work, &mut all);
    }
    all.findings.swept(work)
}

/// As [`self_sweep`]. Something is missing if the limit is exceeded, and only then.
pub(crate) fn self_sweep_within<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    limit: &PairLimit,
) -> Swept {
    let mut work = Work::default();
    if !step.may_be_due([0, 0]) {
        return Swept::default();
    }
    let prepared = prepared_whole(step, adjacency);
    let mut all = with_itself(step, adjacency, prepared.as_deref(), All::new(limit));
    let (starts, flow) = own_starts(step, vec![0], &mut all, &mut work);
    if flow == Flow::Continue {
        traverse_all(step, step, starts, &mut work, &mut all);
    }
    all.findings.swept(work)
}

/// Adds what touches below some nodes and below some pairs of nodes that may meet, as
/// [`self_sweep_within`] finds it, in no particular order.
pub(crate) fn self_sweep_below<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    (nodes, mut pairs): (Vec<u32>, Vec<NodePair>),
    limit: &PairLimit,
    found: &mut Swept,
) {
    let prepared = prepared_for(step, adjacency, nodes.len() + pairs.len());
    let mut work = Work::default();
    let mut all = with_itself(step, adjacency, prepared.as_deref(), All::new(limit));
    let (mut starts, flow) = own_starts(step, nodes, &mut all, &mut work);
    if flow == Flow::Continue {
        pairs.append(&mut starts);
        traverse_all(step, step, pairs, &mut work, &mut all);
    }
    let mut part = all.findings.swept(work);
    found.contacts.append(&mut part.contacts);
    found.pierced.append(&mut part.pierced);
    found.work += part.work;
}

/// As [`self_sweep_below`], handed over in batches.
pub(crate) fn self_stream_below<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    (nodes, pairs): (Vec<u32>, Vec<NodePair>),
    limit: &PairLimit,
    hand_over: &mut HandOver,
) -> Work {
    let mut work = Work::default();
    let prepared = prepared_for(step, adjacency, nodes.len() + pairs.len());
    let all = with_itself(step, adjacency, prepared.as_deref(), All::new(limit));
    let _ = stream::stream_below((nodes, pairs), step, all, &mut work, hand_over);
    work
}

/// All triangles, unless this is a part of a step, in which only what strays far is due.
fn prepared_whole<A: Surface>(step: &Step<A>, adjacency: Adjacency) -> Option<Vec<MovingTriangle>> {
    let names = adjacency.names(step.start().mesh());
    (!step.is_part()).then(|| MovingTriangle::all(step, names))
}

/// Each triangle of a few leaves is made where it is met; of many, all are made once.
fn prepared_for<A: Surface>(
    step: &Step<A>,
    adjacency: Adjacency,
    nodes: usize,
) -> Option<Vec<MovingTriangle>> {
    let mesh = step.start().mesh();
    let is_many = MANY_NODES * nodes > mesh.triangles().len();
    is_many.then(|| MovingTriangle::all(step, adjacency.names(mesh)))
}

/// From this part of a body's triangles on, all are made at once.
const MANY_NODES: usize = 2;

/// The visitor of two bodies.
fn between<'a, A: Surface, B: Surface, F>(
    a: &Step<'a, A>,
    b: &Step<'a, B>,
    findings: F,
) -> Sweeping<'a, F> {
    let strays = [a.strays(), b.strays()];
    let question =
        PairQuestion { one_body: false, asked: Asked::Impacts, strays, until: f32::INFINITY };
    let names = [a.start().mesh().triangles(), b.start().mesh().triangles()];
    Sweeping { findings, question, names, prepared: None, leaves: Default::default() }
}

/// The visitor of one body.
fn with_itself<'a, A: Surface, F>(
    step: &Step<'a, A>,
    adjacency: Adjacency,
    prepared: Option<&'a [MovingTriangle]>,
    findings: F,
) -> Sweeping<'a, F> {
    let strays = [step.strays(); 2];
    let question =
        PairQuestion { one_body: true, asked: Asked::Impacts, strays, until: f32::INFINITY };
    let names = adjacency.names(step.start().mesh());
    Sweeping { findings, question, names: [names; 2], prepared, leaves: Default::default() }
}

/// Whether the boxes of two bodies' roots may meet.
fn roots_meet<A: Surface, B: Surface>(a: &Step<A>, b: &Step<B>, work: &mut Work) -> bool {
    work.bounds += 2;
    work.overlap_tests += 1;
    step::stray_and_meet([&a.strays(), &b.strays()], [&a.bound(0), &b.bound(0)], f32::INFINITY)
}

/// Pairs of nodes that cover all pairs of triangles below each of some nodes, except those within one
/// leaf, which are shown to the visitor.
fn own_starts<A: Surface, F: Findings>(
    step: &Step<A>,
    nodes: Vec<u32>,
    visitor: &mut Sweeping<F>,
    work: &mut Work,
) -> (Vec<[u32; 2]>, Flow) {
    let mut flow = Flow::Continue;
    let strays = step.strays();
    let meets = |a: &StepBox, b: &StepBox| match strays.matters() {
        false => a.boxes.may_meet(&b.boxes),
        true => step::stray_and_meet([&strays; 2], [a, b], f32::INFINITY),
    };
    let matters = |node: u32| step.may_be_due([node; 2]);
    let starts = starts_below(step, nodes, work, (matters, meets), |[i, j], work| {
        if flow == Flow::Continue {
            flow = visitor.meet_own(step, [i, j], work);
        }
    });
    (starts, flow)
}
