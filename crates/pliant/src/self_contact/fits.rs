//! From which distance at rest on clusters keep clear: in one state, or throughout a step.

use super::affine_fit::Clearance;
use super::cluster_fits::ClusterFits;
use super::clusters::Clusters;

/// What is known of how clusters move.
pub(super) enum Fits<'a> {
    /// In one state.
    State(ClusterFits<'a>),
    /// Between two states.
    Step(StepFits<'a>),
}

/// The fits at both ends of a step.
pub(super) struct StepFits<'a> {
    pub(super) start: ClusterFits<'a>,
    pub(super) end: ClusterFits<'a>,
    /// How far two features must stay apart, both strays from straight lines included.
    pub(super) apart: f64,
}

impl Fits<'_> {
    /// A distance: features of two clusters, or of one twice, that count do not touch if they rested
    /// farther apart. By the fits of the clusters. NaN, which nothing is above, if nothing is known.
    #[inline]
    pub(super) fn clear_beyond(&self, clusters: &Clusters, pair: [u32; 2]) -> f64 {
        self.beyond(|fits| Some(fits.clearance(clusters, pair)))
    }

    /// As [`clear_beyond`](Self::clear_beyond), by the vertices of two smallest clusters.
    #[inline]
    pub(super) fn clear_beyond_by_vertices(&self, clusters: &Clusters, pair: [u32; 2]) -> f64 {
        self.beyond(|fits| fits.clearance_by_vertices(clusters, pair))
    }

    #[inline(always)]
    fn beyond(&self, known: impl Fn(&ClusterFits) -> Option<Clearance>) -> f64 {
        let beyond = match self {
            Self::State(fits) => known(fits).map(|clearance| clearance.beyond()),
            Self::Step(StepFits { start, end, apart }) => known(start)
                .zip(known(end))
                .map(|(start, end)| start.beyond_over_step(&end, *apart)),
        };
        beyond.unwrap_or(f64::NAN)
    }
}
