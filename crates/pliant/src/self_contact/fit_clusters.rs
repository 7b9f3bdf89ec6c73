//! How a deformation moves clusters of triangles: what differs from kind to kind.

use std::fmt::Debug;

use super::cluster_fits::ClusterFits;
use super::clusters::Clusters;
use crate::Mesh;
use crate::tree::Tree;

/// A deformation that can tell how nearly it moves clusters of triangles as affine maps do.
///
/// Freely moved and rigid bodies have such deformations.
pub trait FitClusters: Sized {
    /// What is computed once, on the rest shape.
    type Prepared: Debug + Send + Sync;

    /// Prepares the fits of a mesh's clusters.
    fn prepare(tree: &Tree, mesh: &Mesh, clusters: &Clusters) -> Self::Prepared;

    /// Affine fits of the clusters for the current state.
    ///
    /// Must hold: no vertex of a cluster, as `Deformation::position` computes it, is farther
    /// than the fit's residual from where the fit takes its rest position.
    fn fits<'a>(&'a self, prepared: &'a Self::Prepared, clusters: &'a Clusters) -> ClusterFits<'a>;
}
