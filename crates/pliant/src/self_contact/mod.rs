//! What keeps clear of itself, prepared once.
//!
//! Neighbours in a surface always overlap as volumes, though they seldom touch. How far
//! apart triangles are at rest is computed once (`rest_gaps`). While a cluster of triangles
//! moves nearly as an affine map does, they stay apart in proportion (`affine_fit`). Such a
//! certificate tells a query what it need not look at. A body under one affine map needs less:
//! the pairs that rounding could change (`rest_pairs`). Between two states the maps are interpolated
//! (`sweep`).
//!
//! A new kind of deformation is one file that implements `FitClusters`.

mod affine_fit;
mod any_body;
mod cluster_fits;
mod clusters;
mod fit_clusters;
mod fits;
mod free;
mod matrix_norms;
mod near_leaves;
mod rest_gaps;
mod rest_pairs;
mod rest_surface;
mod rigid;
mod search;
mod sweep;

use std::sync::Arc;

pub use any_body::AnySelfContact;
use clusters::{CLUSTER_TRIANGLES, Clusters};
use fit_clusters::FitClusters;
use fits::Fits;
use rest_gaps::RestGaps;
use rest_pairs::RestPairs;
use rest_surface::Counted;
use search::Search;
pub use sweep::PreparedSelfSweep;

use crate::body::{AsBody, Body};
use crate::query::pair_limit::PairLimit;
use crate::query::{Intersections, Work};
use crate::tree::Tree;
use crate::volume::Overlap;
use crate::{Error, Mesh, Result};

/// What speeds up many self-intersections of one body, computed once on its rest shape.
///
/// A query with it costs little where the surface keeps its shape: it looks only at what
/// touches, nearly touches, or is bent so much that nothing is known. Rigid bodies and freely
/// moved bodies can be prepared. To prepare takes as long as about a hundred queries without
/// it, and memory in proportion to the mesh.
///
/// It holds for all states of the body that it was made of, and of clones of that body, which
/// share mesh and tree. Asked about another body it refuses to answer.
///
/// ```
/// use pliant::{Body, Mesh, PreparedSelfContact, glam::DVec3};
/// let corners = |z: f64| [DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::new(0.0, 1.0, z)];
/// let mesh = Mesh::new([corners(0.0), corners(0.1)].concat(), vec![[0, 1, 2], [3, 4, 5]])?;
/// let mut body = Body::free(mesh.clone())?;
/// let prepared = PreparedSelfContact::new(&body);
/// assert!(prepared.self_intersections(&body)?.pairs.is_empty());
/// body.set_positions(&[corners(0.0), corners(0.0)].concat())?;
/// assert_eq!(prepared.self_intersections(&body)?.pairs, [[0, 1]]);
/// assert!(prepared.self_intersections(&Body::free(mesh)?).is_err()); // another body
/// # Ok::<(), pliant::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedSelfContact<D: FitClusters> {
    mesh: Arc<Mesh>,
    tree: Arc<Tree>,
    clusters: Clusters,
    gaps: RestGaps,
    fits: D::Prepared,
}

impl<D: FitClusters> PreparedSelfContact<D> {
    /// Prepares for self-intersections of a body and of its clones.
    #[must_use]
    pub fn new<B>(body: &Body<D, B>) -> Self {
        let (mesh, tree) = (Arc::clone(&body.mesh), Arc::clone(&body.tree));
        let clusters = Clusters::new(&tree, &mesh, CLUSTER_TRIANGLES);
        let gaps = RestGaps::new(&tree, &mesh, &clusters, Counted::Triangles);
        let fits = D::prepare(&tree, &mesh, &clusters);
        Self { mesh, tree, clusters, gaps, fits }
    }

    /// All pairs of touching triangles within a body, except adjacent ones.
    ///
    /// Guarantee: the pairs that [`self_intersections`](crate::self_intersections) finds
    /// without preparation, and the same bits for any number of threads.
    ///
    /// # Errors
    /// [`Error::PreparedForAnother`] if the body has another mesh or tree than the one that
    /// this was made of.
    pub fn self_intersections<C>(&self, body: &C) -> Result<Intersections>
    where
        C: AsBody<Deformation = D>,
        C::Volume: Overlap<C::Volume>,
    {
        self.self_intersections_within(body, &PairLimit::none())
    }

    /// As [`Self::self_intersections`]. Pairs are missing if the limit is exceeded, and only then.
    fn self_intersections_within<C>(&self, body: &C, limit: &PairLimit) -> Result<Intersections>
    where
        C: AsBody<Deformation = D>,
        C::Volume: Overlap<C::Volume>,
    {
        let search = self.search(body.as_body())?;
        Ok(search.pairs(body, limit, &|[i, j]| !body.adjacent(i, j)))
    }

    /// Visits the nodes that [`Self::self_intersections`] visits, and tests no triangles.
    ///
    /// # Errors
    /// As [`Self::self_intersections`].
    pub fn self_descent<C>(&self, body: &C) -> Result<Work>
    where
        C: AsBody<Deformation = D>,
        C::Volume: Overlap<C::Volume>,
    {
        Ok(self.search(body.as_body())?.pairs(body, &PairLimit::none(), &|_| false).work)
    }

    /// The search for what may touch in the current state of a body.
    fn search<'a, B>(&'a self, body: &'a Body<D, B>) -> Result<Search<'a>> {
        check_same(&self.mesh, &self.tree, body)?;
        let Self { clusters, gaps, fits, .. } = self;
        Ok(Search { clusters, gaps, fits: Fits::State(body.deformation.fits(fits, clusters)) })
    }
}

/// Refuses a body with another mesh or tree than those that were prepared. Clones share both.
fn check_same<D, B>(mesh: &Arc<Mesh>, tree: &Arc<Tree>, body: &Body<D, B>) -> Result<()> {
    let refused = |what| Err(Error::PreparedForAnother { what });
    if !Arc::ptr_eq(mesh, &body.mesh) {
        return refused("mesh");
    }
    if !Arc::ptr_eq(tree, &body.tree) {
        return refused("tree");
    }
    Ok(())
}
