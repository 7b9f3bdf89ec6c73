//! Clusters of triangles that move nearly as one affine map does keep clear of one another.
//!
//! # The certificate
//!
//! Let A and B be sets of triangles (also one and the same set), and d a lower bound of
//! the distance at rest of every triangle of A to every triangle of B that is not
//! adjacent to it. Let T(x) = M x + t be any affine map, and let every vertex v of A,
//! which rested at p, now be at p' with |p' - T(p)| <= e; likewise B with f. If
//!
//! > sigma(M) d > e + f, with sigma(M) the least stretch of M, min |M x| / |x|,
//!
//! then no triangle of A touches a triangle of B that is not adjacent to it.
//!
//! *Proof.* A point of a triangle of A is a convex combination of its corners, now and
//! at rest with the same weights. T keeps such combinations, and a ball is convex: the
//! point now lies within e of the image of the point at rest. The same holds for B and f.
//! Two points at rest of triangles that are not adjacent are at least d apart, their
//! images at least sigma(M) d, and the points now at least sigma(M) d - e - f > 0. *qed*
//!
//! Nothing is assumed of the surface or of the deformation: it may be torn, mirrored, not
//! oriented, degenerate. Where the map is a bad fit, e is large and nothing is certified.
//!
//! # Two clusters with maps of their own
//!
//! Let T_i(x) = y_i + M_i (x - c_i) fit cluster i with residual e_i, and let its vertices
//! rest in the box c_i ± h_i. Take the mean map: M = (M_A + M_B) / 2, which takes the middle
//! of the c_i to the middle of the y_i. For x = c_A + z with |z_k| <= h_Ak,
//!
//! > T_A(x) - T(x) = -s / 2 - (M_B - M_A) z / 2, with s = (y_B - y_A) - M (c_B - c_A),
//!
//! so the residual of A with respect to T is at most e_A + |s| / 2 + g / 2, where g bounds
//! |(M_B - M_A) z|: by h_A and the magnitudes of the entries of M_B - M_A, or by the cluster's
//! radius and the spectral norm of M_B - M_A. The same holds for B. The least stretch of M is
//! at least that of M_A, or of M_B, less half of that spectral norm. The mean map is better
//! than either: on a surface that bends evenly, s is of third order in its size. The same
//! estimate makes the fit of a cluster from those of its children.
//!
//! # Rounding
//!
//! The stored numbers *are* the maps; only lengths and least stretches are computed, in
//! `f64`, u = 2^-53. The allowances are counted where they are added.

use glam::{DMat3, DVec3, Vec3A};

use super::clusters::RestBox;
use super::matrix_norms::{DifferenceNorms, least_stretch_and_norm};
use crate::numeric::{AFFINE_OFFSET_ERROR, AFFINE_SLACK};

/// An affine map, x -> image + matrix (x - centre of the cluster's rest box), and how far
/// off it the vertices of the cluster are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AffineFit {
    matrix: DMat3,
    image: DVec3,
    /// No vertex of the cluster is farther from where the map takes its rest position.
    residual: f64,
    /// Not above the least stretch of the matrix.
    least_stretch: f64,
    /// Not below the Frobenius norm of the matrix.
    norm: f64,
}

impl AffineFit {
    /// Certifies nothing.
    pub(super) const NONE: Self = Self {
        matrix: DMat3::ZERO,
        image: DVec3::ZERO,
        residual: f64::INFINITY,
        least_stretch: 0.0,
        norm: 0.0,
    };

    /// Whether it may certify something.
    #[inline]
    pub(super) fn is_some(&self) -> bool {
        self.residual < f64::INFINITY
    }

    /// A map and its residual. If a number is not finite, the fit certifies nothing.
    #[inline]
    pub(super) fn new(matrix: DMat3, image: DVec3, residual: f64) -> Self {
        let (least_stretch, norm) = least_stretch_and_norm(&matrix);
        Self { matrix, image, residual, least_stretch, norm }
    }

    /// The fit of a cluster, given those of the clusters that it consists of: the mean map.
    ///
    /// The residual is that of the stored numbers, however they were rounded.
    pub(super) fn merged<'a>(
        whole: &RestBox,
        children: impl ExactSizeIterator<Item = (&'a RestBox, &'a Self)> + Clone,
    ) -> Self {
        let share = 1.0 / children.len() as f64;
        let (mut matrix, mut image, mut center) = (DMat3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (rest, fit) in children.clone() {
            matrix += fit.matrix;
            image += fit.image * share;
            center += rest.center * share;
        }
        let matrix = matrix * share;
        // The middle of the children's centres need not be the centre of the whole.
        let mut merged = Self::new(matrix, image + matrix * (whole.center - center), 0.0);
        for (rest, fit) in children {
            let between = rest.center - whole.center;
            let Difference { offset, norms } =
                merged.difference(fit, &merged.matrix, merged.norm, between);
            let residual = (fit.residual + offset + reach(&norms, rest)) * (1.0 + AFFINE_SLACK);
            // `max` would ignore NaN.
            let residual = if residual.is_nan() { f64::INFINITY } else { residual };
            merged.residual = merged.residual.max(residual);
        }
        merged
    }

    /// What is known of triangles of the cluster that are not adjacent.
    #[inline]
    pub(super) fn clearance_in_itself(&self) -> Clearance {
        let Self { matrix, norm, residual, least_stretch: stretch, .. } = *self;
        Clearance { residual: 2.0 * residual, stretch, matrix, norm }
    }

    /// What is known of a triangle of this cluster and one of another that is not adjacent.
    #[inline]
    pub(super) fn clearance(
        &self,
        rest: &RestBox,
        other: &Self,
        other_rest: &RestBox,
    ) -> Clearance {
        let mean = (self.matrix + other.matrix) * 0.5;
        let norm = 0.5 * (self.norm + other.norm);
        let between = other_rest.center - rest.center;
        let Difference { offset, norms } = self.difference(other, &mean, norm, between);
        let reach = 0.5 * (reach(&norms, rest) + reach(&norms, other_rest));
        let stretch =
            self.least_stretch.max(other.least_stretch) - 0.5 * norms.most() * (1.0 + AFFINE_SLACK);
        let residual = self.residual + other.residual + offset + reach;
        Clearance { residual, stretch, matrix: mean, norm }
    }

    /// The mean of two matrices. Any matrix would do; this one is in `f32`, so that residuals
    /// with respect to it are computed quickly.
    #[inline]
    pub(super) fn matrix_between(&self, other: &Self) -> [Vec3A; 3] {
        let matrix = (self.matrix + other.matrix) * 0.5;
        [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.as_vec3a())
    }

    /// The length of s = (y_B - y_A) - M (c_B - c_A), not too small, and norms of M_B - M_A.
    ///
    /// `norm` bounds the norm of M. The difference of the y errs by u of itself, that of the
    /// c too, M by at most 2u of `norm` if it is a mean that was just computed, a product
    /// with it by 3u, the last difference by u: less than 8u of
    /// |y_B - y_A| + `norm` |c_B - c_A| in length; here 64u.
    /// The root errs by 4u of itself, for which all callers allow [`AFFINE_SLACK`].
    #[inline]
    fn difference(&self, other: &Self, matrix: &DMat3, norm: f64, between: DVec3) -> Difference {
        let moved = other.image - self.image;
        let offset = moved - *matrix * between;
        let apart = sum_of_magnitudes(moved) + norm * sum_of_magnitudes(between);
        let offset = length(offset) + AFFINE_OFFSET_ERROR * apart;
        Difference { offset, norms: DifferenceNorms::new(&(other.matrix - self.matrix)) }
    }
}

/// How one fit differs from another.
struct Difference {
    offset: f64,
    norms: DifferenceNorms,
}

/// How far a difference of matrices takes a vertex of a cluster, seen from the cluster's centre.
#[inline]
fn reach(norms: &DifferenceNorms, rest: &RestBox) -> f64 {
    norms.reach(rest.half, rest.radius)
}

/// The residuals of a cluster's vertices with respect to a matrix M: p' - M (p - centre of the
/// rest box) of each vertex is within `half` of `center`, on each axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ResidualBox {
    pub(super) center: DVec3,
    pub(super) half: DVec3,
}

impl ResidualBox {
    /// As [`AffineFit::clearance`], for two clusters and one matrix; `between` leads from
    /// the rest centre of this cluster to that of the other.
    #[inline]
    pub(super) fn clearance(&self, other: &Self, matrix: &[Vec3A; 3], between: DVec3) -> Clearance {
        let [x, y, z] = matrix.map(|axis| axis.as_dvec3());
        let matrix = DMat3::from_cols(x, y, z);
        let (stretch, norm) = least_stretch_and_norm(&matrix);
        let moved = other.center - self.center;
        let offset = (moved - matrix * between).abs();
        let apart = sum_of_magnitudes(moved) + norm * sum_of_magnitudes(between);
        let residual = length(offset + self.half + other.half) + AFFINE_OFFSET_ERROR * apart;
        Clearance { residual, stretch, matrix, norm }
    }
}

/// What an affine map says of two sets of triangles, or of one and itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clearance {
    /// Not below the residuals of both sets with respect to the map, added.
    residual: f64,
    /// Not above the least stretch of the matrix.
    stretch: f64,
    /// The map's matrix, as computed: within two roundings per entry.
    matrix: DMat3,
    /// Not below the norm of the matrix.
    norm: f64,
}

impl Clearance {
    /// A distance: triangles that are not adjacent do not touch if they rested farther apart. NaN,
    /// which nothing is above, if nothing is known.
    #[inline]
    pub(super) fn beyond(&self) -> f64 {
        clear_beyond(self.residual, self.stretch)
    }

    /// As [`Self::beyond`], at all times of a step between two states, in which every vertex moves
    /// along a straight line or, on both sides together, strays by at most `stray` from such lines.
    /// The same holds for features: vertices, edges and faces.
    ///
    /// *Proof.* At the time t take the map between those of both ends, T_t = (1 - t) T_0 + t T_1,
    /// whose matrix is M_t = (1 - t) M_0 + t M_1. A vertex at (1 - t) p_0 + t p_1 is off T_t(p) by
    /// (1 - t) times what p_0 is off T_0(p), and t times what p_1 is off T_1(p): by no more than the
    /// larger residual, with the stray added. With N the norm of M_1 - M_0, the least stretch of M_t
    /// is at least s_0 - t N and s_1 - (1 - t) N, of which one is at least (s_0 + s_1 - N) / 2. So
    /// the certificate of `affine_fit` holds at every t. Its proof asks only for convex
    /// combinations of corners, which points of vertices and edges are, too. *qed*
    ///
    /// Entries of the matrices are off by two roundings of at most their norms, for which
    /// [`AFFINE_OFFSET_ERROR`] is more than enough.
    #[inline]
    pub(super) fn beyond_over_step(&self, end: &Self, stray: f64) -> f64 {
        let turned = DifferenceNorms::new(&(end.matrix - self.matrix)).most();
        let turned = turned * (1.0 + AFFINE_SLACK) + AFFINE_OFFSET_ERROR * (self.norm + end.norm);
        // NaN certifies nothing; `max` would ignore it.
        let residual = if self.residual > end.residual {
            self.residual
        } else {
            end.residual + 0.0 * self.residual
        };
        clear_beyond(residual + stray, 0.5 * (self.stretch + end.stretch - turned))
    }
}

/// The distance d from which on stretch d > residual, whatever rounding did to any of them
/// within [`AFFINE_SLACK`].
///
/// Distances at rest are of `f32`: where the quotient vanishes, those above it are far above.
#[inline]
fn clear_beyond(residual: f64, stretch: f64) -> f64 {
    let least = residual / stretch * (1.0 + 4.0 * AFFINE_SLACK);
    if stretch > 0.0 { least } else { f64::NAN }
}

#[inline]
fn length(vector: DVec3) -> f64 {
    (vector.length_squared() + f64::MIN_POSITIVE).sqrt()
}

#[inline]
fn sum_of_magnitudes(vector: DVec3) -> f64 {
    vector.x.abs() + vector.y.abs() + vector.z.abs()
}

#[cfg(test)]
#[path = "affine_fit_tests.rs"]
mod tests;
