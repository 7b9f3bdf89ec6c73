//! Contacts of a body with itself between two states, where certificates cover the whole step.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::clusters::{CLUSTER_TRIANGLES, Clusters};
use super::fits::{Fits, StepFits};
use super::free::FreeFits;
use super::rest_gaps::RestGaps;
use super::rest_surface::Counted;
use super::search::{Candidates, Search};
use crate::body::{AnyBody, AsBody, Surface, with_body};
use crate::query::pair_limit::PairLimit;
use crate::query::sweep::{HandOver, self_stream, self_stream_below, with_step};
use crate::query::sweep::{self_sweep_below, self_sweep_within};
use crate::query::traverse::BoundedTree as _;
use crate::query::{Adjacency, Step, Swept, Work};
use crate::tree::Tree;
use crate::{Error, Mesh, Result};

/// What speeds up many sweeps of one body with itself, computed once on its rest shape.
///
/// Neighbours in a surface cost nothing where they cannot meet during the step: where their clusters
/// move nearly as affine maps do at both ends, they do so in between. Bodies of every kind can be
/// prepared. To prepare takes as long as about a hundred sweeps without it, and memory in proportion
/// to the mesh.
///
/// It holds for all states of the body that it was made of, and of clones of that body, which share
/// mesh and tree. Asked about another body it refuses to answer.
///
/// ```
/// use pliant::{Body, Mesh, PreparedSelfSweep, glam::DVec3, query::{Adjacency, Step}};
/// let corners = |z: f64| [DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.0, 1.0, z)];
/// let mesh = Mesh::new([corners(0.0), corners(0.1)].concat(), vec![[0, 1, 2], [3, 4, 5]])?;
/// let start = Body::free(mesh)?;
/// let prepared = PreparedSelfSweep::new(&start, Adjacency::ByPlace);
/// let mut end = start.clone();
/// end.set_positions(&[corners(0.0), corners(-0.1)].concat())?;
/// let swept = prepared.self_sweep(&Step::new(&start, &end)?)?;
/// assert_eq!(swept.first().map(|time| time.lo), Some(0.5));
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedSelfSweep {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    adjacency: Adjacency,
    clusters: Clusters,
    gaps: RestGaps,
    fits: FreeFits,
}

impl PreparedSelfSweep {
    /// Prepares for sweeps of a body, and of its clones, with itself.
    #[must_use]
    pub fn new<C: AsBody>(body: &C, adjacency: Adjacency) -> Self {
        let body = body.as_body();
        Self::of(&body.mesh, &body.tree, adjacency)
    }

    /// As [`Self::new`], for a body of any kind.
    #[must_use]
    pub fn of_any(body: &AnyBody, adjacency: Adjacency) -> Self {
        with_body!(body, body => Self::of(&body.mesh, &body.tree, adjacency))
    }

    fn of(mesh: &Arc<Mesh>, tree: &Arc<Tree>, adjacency: Adjacency) -> Self {
        let clusters = Clusters::new(tree, mesh, CLUSTER_TRIANGLES);
        let gaps = RestGaps::new(tree, mesh, &clusters, Counted::Features(adjacency));
        let fits = FreeFits::new(tree, mesh, &clusters);
        let (mesh, tree) = (Arc::clone(mesh), Arc::clone(tree));
        Self { mesh, tree, adjacency, clusters, gaps, fits }
    }

    /// Which features share a vertex.
    #[must_use]
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// All features of a body that touch within a step and do not share a vertex, and triangles that
    /// touch at its start.
    ///
    /// Guarantee: what [`self_sweep`](crate::self_sweep()) finds without preparation, work excepted,
    /// and the same bits for any number of threads.
    ///
    /// # Errors
    /// [`Error::PreparedForAnother`] if the body has another mesh or tree than the one that this was
    /// made of.
    pub fn self_sweep<C: Surface>(&self, step: &Step<C>) -> Result<Swept> {
        self.check(step.start().mesh(), step.start().tree())?;
        Ok(self.swept(step, &PairLimit::none()))
    }

    /// As [`Self::self_sweep`], for a body of any kind. Something is missing if the limit is exceeded,
    /// and only then.
    pub(crate) fn any_self_sweep_within(
        &self,
        step: &Step<AnyBody>,
        limit: &PairLimit,
    ) -> Result<Swept> {
        self.check(step.start().mesh(), step.start().tree())?;
        Ok(with_step!(step, step => self.swept(&step, limit)))
    }

    /// As [`Self::self_sweep`], in batches as those of
    /// [`self_sweep_streamed`](crate::query::self_sweep_streamed).
    ///
    /// # Errors
    /// Those of [`Self::self_sweep`].
    pub fn self_sweep_streamed<C: Surface>(
        &self,
        step: &Step<C>,
        mut hand_over: impl FnMut(Swept) -> ControlFlow<()>,
    ) -> Result<Work> {
        self.check(step.start().mesh(), step.start().tree())?;
        Ok(self.stream(step, &PairLimit::none(), &mut hand_over))
    }

    /// As [`Self::self_sweep_streamed`], for a body of any kind. The search ends early if the limit is
    /// exceeded.
    pub(crate) fn any_stream(
        &self,
        step: &Step<AnyBody>,
        limit: &PairLimit,
        hand_over: &mut HandOver,
    ) -> Result<Work> {
        self.check(step.start().mesh(), step.start().tree())?;
        Ok(with_step!(step, step => self.stream(&step, limit, hand_over)))
    }

    fn check(&self, mesh: &Mesh, tree: &Tree) -> Result<()> {
        let refused = |what| Err(Error::PreparedForAnother { what });
        if !std::ptr::eq(&*self.mesh, mesh) {
            return refused("mesh");
        }
        if !std::ptr::eq(&*self.tree, tree) {
            return refused("tree");
        }
        Ok(())
    }

    fn swept<C: Surface>(&self, step: &Step<C>, limit: &PairLimit) -> Swept {
        // What is due in a part of a step is mostly no neighbours: certificates would cost more.
        if step.is_part() {
            return self_sweep_within(step, self.adjacency, limit);
        }
        let mut found = Swept::default();
        let work = self.for_candidates(step, |candidates| {
            if !limit.is_exceeded() {
                self_sweep_below(step, self.adjacency, candidates, limit, &mut found);
            }
        });
        found.work += work;
        found.sorted()
    }

    /// As [`Self::swept`], handed over in batches.
    fn stream<C: Surface>(
        &self,
        step: &Step<C>,
        limit: &PairLimit,
        hand_over: &mut HandOver,
    ) -> Work {
        if step.is_part() {
            return self_stream(step, self.adjacency, limit, hand_over);
        }
        let (mut below, mut wanted) = (Work::default(), ControlFlow::Continue(()));
        let work = self.for_candidates(step, |candidates| {
            if wanted.is_continue() && !limit.is_exceeded() {
                below += self_stream_below(step, self.adjacency, candidates, limit, &mut |batch| {
                    wanted = hand_over(batch);
                    wanted
                });
            }
        });
        below += work;
        below
    }

    /// Calls `each` for nodes, and for pairs of nodes, that certificates do not tell apart.
    fn for_candidates<C: Surface>(
        &self,
        step: &Step<C>,
        mut each: impl FnMut((Vec<u32>, Vec<[u32; 2]>)),
    ) -> Work {
        let Self { clusters, gaps, fits, .. } = self;
        if !step.may_be_due([0, 0]) {
            return Work::default();
        }
        let [start, end] = [step.start(), step.end()].map(positions);
        let around = step.way();
        let largest = f64::from(around.min.abs().max(around.max.abs()).max_element());
        let nodes = |pair: [u32; 2]| pair.map(|cluster| clusters.get(cluster).node);
        let fits = Fits::Step(StepFits {
            start: fits.at(clusters, &start),
            end: fits.at(clusters, &end),
            stray: Box::new(move |pair| f64::from(step.growth_between(nodes(pair)))),
            largest,
            may_be_due: Box::new(move |pair| step.may_be_due(nodes(pair))),
        });
        let overlap = |pair: [u32; 2], work: &mut Work| {
            work.bounds += 2;
            work.overlap_tests += 1;
            step.may_meet(pair)
        };
        let search = Search { clusters, gaps, fits };
        search.for_candidates(overlap, |Candidates { nodes, pairs }| each((nodes, pairs)))
    }
}

/// Where the vertices of a body are.
fn positions<C: Surface>(body: &C) -> Vec<DVec3> {
    (0..body.mesh().positions().len() as u32).map(|vertex| body.vertex(vertex)).collect()
}
