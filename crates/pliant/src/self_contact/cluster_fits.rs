//! The affine fits of all clusters in one state.

use std::borrow::Cow;

use glam::Vec3A;
use rayon::prelude::*;

use super::affine_fit::{AffineFit, ResidualBox};
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
        if fits.len() < 4 * CHUNK || rayon::current_num_threads() == 1 {
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

    /// A distance: triangles of two clusters that are not adjacent do not touch if they rested
    /// farther apart. By the fits of the two clusters.
    #[inline]
    pub(super) fn clear_beyond(&self, clusters: &Clusters, [a, b]: [u32; 2]) -> f64 {
        self.get(a).clear_beyond(&clusters.get(a).rest, &self.get(b), &clusters.get(b).rest)
    }

    /// As [`clear_beyond`](Self::clear_beyond), by the vertices of two smallest clusters: mostly
    /// less, but it takes longer. NaN, which nothing is above, if nothing is known.
    #[inline]
    pub(super) fn clear_beyond_by_vertices(&self, clusters: &Clusters, [a, b]: [u32; 2]) -> f64 {
        let Self::Known(KnownFits { fits, residuals }) = self else { return f64::NAN };
        let matrix = fits[a as usize].matrix_between(&fits[b as usize]);
        let between = clusters.get(b).rest.center - clusters.get(a).rest.center;
        residuals(a, &matrix).clear_beyond(&residuals(b, &matrix), &matrix, between)
    }
}
