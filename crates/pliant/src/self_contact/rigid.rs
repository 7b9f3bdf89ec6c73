//! Affine fits of rigid motion.

use super::FitClusters;
use super::affine_fit::AffineFit;
use super::cluster_fits::ClusterFits;
use super::clusters::Clusters;
use crate::Mesh;
use crate::deform::Rigid;
use crate::tree::Tree;

/// The motion itself fits every cluster.
impl FitClusters for Rigid {
    type Prepared = ();

    fn prepare(_: &Tree, _: &Mesh, _: &Clusters) {}

    /// The matrix is the one that moves the vertices, so the residual is rounding alone. With
    /// u = 2^-53 a component of R p + t, for a vertex as for a centre, errs by less than 4u
    /// of the magnitudes of its terms, which are at most those of R p and t. That is 8u for
    /// both, and less than 14u as a length. The residual allows 64u and the smallest normal
    /// number.
    fn fits<'a>(&'a self, _: &'a (), clusters: &'a Clusters) -> ClusterFits<'a> {
        let isometry = self.isometry;
        ClusterFits::OnDemand(Box::new(move |cluster| {
            let rest = &clusters.get(cluster).rest;
            let far = (rest.center.abs() + rest.half).element_sum();
            let magnitude = 2.0 * far + isometry.translation().abs().element_sum();
            let residual = magnitude * 32.0 * f64::EPSILON + f64::MIN_POSITIVE;
            AffineFit::new(isometry.rotation(), isometry.apply(rest.center), residual)
        }))
    }
}
