//! From which distance at rest on clusters keep clear: in one state, or throughout a step.

use super::affine_fit::Clearance;
use super::cluster_fits::ClusterFits;
use super::clusters::Clusters;
use crate::query::sweep::looked_at;

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
    /// How far features of two clusters may stray from one another, and a little more.
    pub(super) stray: Box<dyn Fn([u32; 2]) -> f64 + Sync + 'a>,
    /// No coordinate is larger at either end.
    pub(super) largest: f64,
    /// Whether features of two clusters may be due in this step.
    pub(super) may_be_due: Box<dyn Fn([u32; 2]) -> bool + Sync + 'a>,
}

impl Fits<'_> {
    /// A distance: features of two clusters, or of one twice, that count do not touch if they rested
    /// farther apart. By the fits of the clusters. NaN, which nothing is above, if nothing is known.
    #[inline]
    pub(super) fn clear_beyond(&self, clusters: &Clusters, pair: [u32; 2]) -> f64 {
        self.beyond(pair, |fits| Some(fits.clearance(clusters, pair)))
    }

    /// As [`clear_beyond`](Self::clear_beyond), by the vertices of two smallest clusters.
    #[inline]
    pub(super) fn clear_beyond_by_vertices(&self, clusters: &Clusters, pair: [u32; 2]) -> f64 {
        self.beyond(pair, |fits| fits.clearance_by_vertices(clusters, pair))
    }

    #[inline(always)]
    fn beyond(&self, [a, b]: [u32; 2], known: impl Fn(&ClusterFits) -> Option<Clearance>) -> f64 {
        let beyond = match self {
            Self::State(fits) => known(fits).map(|clearance| clearance.beyond()),
            Self::Step(StepFits { may_be_due, .. }) if !may_be_due([a, b]) => {
                // Not looked at, as if it were clear at every distance.
                Some(f64::NEG_INFINITY)
            }
            Self::Step(StepFits { start, end, stray, largest, .. }) => {
                let apart = looked_at(stray([a, b]), *largest);
                let ends = known(start).zip(known(end));
                ends.map(|(start, end)| start.beyond_over_step(&end, apart))
            }
        };
        beyond.unwrap_or(f64::NAN)
    }
}
