//! The affine fits of all clusters in one state.

use std::borrow::Cow;

use crate::parallel::*;
use glam::Vec3A;

use super::affine_fit::{AffineFit, Clearance, ResidualBox};
use super::clusters::Clusters;

/// The residuals of a smallest cluster's vertices with respect to any matrix.
type ResidualsOf<'a> = dyn Fn(u32, &[Vec3A; 3]) -> ResidualBox + Sync + 'a;

/// Affine fits of the clusters of a surface for one state.
pub enum ClusterFits<'a> {
    /// The fits of all clusters.
    Known(KnownFits<'a>),
    /// The fit of a cluster is made when it is asked for.
    OnDemand(Box<dyn Fn(u32) -> AffineFit + Sync + 'a>),
}

/// The fits of all clusters, and the residuals of their vertices.
pub struct KnownFits<'a> {
    fits: Vec<AffineFit>,
    residuals: Box<ResidualsOf<'a>>,
}

/// Clusters whose fits one thread makes at once.
const CHUNK: usize = 128;

impl<'a> ClusterFits<'a> {
    /// Fits the smallest clusters one by one with `fit`, and merges the fits of all others from
    /// those of their children.
    ///
    /// `residuals` is asked about smallest clusters only.
    pub(super) fn from_smallest(
        clusters: &Clusters,
        fit: impl Fn(u32) -> AffineFit + Sync,
        residuals: impl Fn(u32, &[Vec3A; 3]) -> ResidualBox + Sync + 'a,
    ) -> Self {
        let all = &clusters.clusters;
        let mut fits = vec![AffineFit::NONE; all.len()];
        let fill = |(chunk, fits): (usize, &mut [AffineFit])| {
            let first = chunk * CHUNK;
            for (number, (cluster, to)) in all[first..].iter().zip(fits).enumerate() {
                if cluster.is_smallest() {
                    *to = fit((first + number) as u32);
                }
            }
        };
        if fits.len() < 4 * CHUNK || current_num_threads() == 1 {
            fits.chunks_mut(CHUNK).enumerate().for_each(fill);
        } else {
            fits.par_chunks_mut(CHUNK).enumerate().for_each(fill);
        }
        for (number, cluster) in all.iter().enumerate().rev() {
            if !cluster.is_smallest() {
                let children = cluster.children.start as usize..cluster.children.end as usize;
                let rests = all[children.clone()].iter().map(|child| &child.rest);
                fits[number] = AffineFit::merged(&cluster.rest, rests.zip(&fits[children]));
            }
        }
        Self::Known(KnownFits { fits, residuals: Box::new(residuals) })
    }

    /// The fit of one cluster.
    #[inline]
    pub(super) fn get(&self, cluster: u32) -> Cow<'_, AffineFit> {
        match self {
            Self::Known(known) => Cow::Borrowed(&known.fits[cluster as usize]),
            Self::OnDemand(fit) => Cow::Owned(fit(cluster)),
        }
    }

    /// What the fits of two clusters, or of one twice, say of their triangles.
    #[inline]
    pub(super) fn clearance(&self, clusters: &Clusters, [a, b]: [u32; 2]) -> Clearance {
        if a == b {
            return self.get(a).clearance_in_itself();
        }
        self.get(a).clearance(&clusters.get(a).rest, &self.get(b), &clusters.get(b).rest)
    }

    /// As [`clearance`](Self::clearance), by the vertices of two smallest clusters: mostly better, but
    /// it takes longer. `None` if nothing is known.
    #[inline]
    pub(super) fn clearance_by_vertices(
        &self,
        clusters: &Clusters,
        [a, b]: [u32; 2],
    ) -> Option<Clearance> {
        let Self::Known(KnownFits { fits, residuals }) = self else { return None };
        if !(fits[a as usize].is_some() && fits[b as usize].is_some()) {
            return None;
        }
        let matrix = fits[a as usize].matrix_between(&fits[b as usize]);
        let between = clusters.get(b).rest.center - clusters.get(a).rest.center;
        Some(residuals(a, &matrix).clearance(&residuals(b, &matrix), &matrix, between))
    }
}
