//! Components of the displacements: eigenvectors of the frames' Gram matrix.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par, Side};
use pliant::glam::DVec3;

use crate::{Error, Result};

/// Vertices per block of displacements; 1.2 MB with 100 frames.
const BLOCK: usize = 512;

/// The displacements X, with one column per frame, as X = sum of (X c) c' over unit vectors c,
/// which have one number per frame and are in descending order of motion.
///
/// The vectors c are eigenvectors of X'X, a matrix of frames by frames that one pass over the
/// vertices computes. This squares X: components below 1e-8 of the first are lost to rounding. That
/// is acceptable, since modes are stored in `f32`.
pub(super) struct Components {
    /// A power of two by which displacements are divided before they are squared, so that no scale
    /// of the scene overflows or underflows.
    scale: f64,
    /// The eigenvalues of X'X for X in units of `scale`, in descending order.
    eigenvalues: Vec<f64>,
    /// The vectors c, one per column.
    vectors: Mat<f64>,
    vertices: usize,
}

impl Components {
    pub(super) fn of(frames: &[&[DVec3]], rest: &[DVec3]) -> Result<Self> {
        let scale = scale(frames, rest);
        let count = frames.len();
        let mut gram = Mat::<f64>::zeros(count, count);
        for_each_block(frames, rest, scale, |_, block| {
            triangular::matmul(
                gram.as_mut(),
                BlockStructure::TriangularLower,
                Accum::Add,
                block.transpose(),
                BlockStructure::Rectangular,
                block,
                BlockStructure::Rectangular,
                1.0,
                Par::Seq,
            );
        });
        let failed = |_| Error::Solver { reason: "eigenvalues of the frames' Gram matrix" };
        let eigen = gram.self_adjoint_eigen(Side::Lower).map_err(failed)?;
        // Eigenvalues come in ascending order; those within rounding of zero are dropped.
        let ascending: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
        let largest = ascending.last().copied().unwrap_or(0.0);
        let noise = largest * count as f64 * f64::EPSILON;
        let eigenvalues: Vec<f64> =
            ascending.into_iter().rev().take_while(|&value| value > noise).collect();
        let vectors =
            Mat::from_fn(count, eigenvalues.len(), |frame, j| eigen.U()[(frame, count - 1 - j)]);
        Ok(Self { scale, eigenvalues, vectors, vertices: rest.len() })
    }

    /// The number of components.
    pub(super) fn rank(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The smallest number of components whose root mean square error is at most `error`. Fewer
    /// cannot keep the largest error below it.
    pub(super) fn rank_of_mean_error(&self, error: f64) -> usize {
        let allowed = (error / self.scale).powi(2) * (self.vertices * self.vectors.nrows()) as f64;
        let mut rest: f64 = self.eigenvalues.iter().sum();
        let mut rank = 0;
        while rest > allowed && rank < self.rank() {
            rest -= self.eigenvalues[rank];
            rank += 1;
        }
        rank
    }

    /// The fields X c of the first `rank` components, each scaled so that its largest displacement
    /// is 1, and the coordinates of each frame for these fields.
    pub(super) fn fields(
        &self,
        frames: &[&[DVec3]],
        rest: &[DVec3],
        rank: usize,
    ) -> (Vec<Vec<DVec3>>, Vec<Vec<f64>>) {
        let mut fields = vec![vec![DVec3::ZERO; rest.len()]; rank];
        let vectors = self.vectors.get(.., ..rank);
        for_each_block(frames, rest, self.scale, |start, block| {
            let products = block * vectors;
            for (j, field) in fields.iter_mut().enumerate() {
                let numbers = products.col(j).iter().copied().collect::<Vec<f64>>();
                for (target, xyz) in field[start..].iter_mut().zip(numbers.chunks_exact(3)) {
                    *target = DVec3::from_slice(xyz);
                }
            }
        });
        let mut coordinates = vec![vec![0.0; rank]; frames.len()];
        for (j, field) in fields.iter_mut().enumerate() {
            let farthest = field.iter().map(|d| d.length()).fold(0.0, f64::max);
            // An eigenvalue above the noise is the squared length of a nonzero field.
            let factor = if farthest > 0.0 { 1.0 / farthest } else { 1.0 };
            field.iter_mut().for_each(|displacement| *displacement *= factor);
            for (frame, coordinates) in coordinates.iter_mut().enumerate() {
                coordinates[j] = self.vectors[(frame, j)] * farthest * self.scale;
            }
        }
        (fields, coordinates)
    }
}

/// The power of two at the largest displacement, or the smallest normal number.
fn scale(frames: &[&[DVec3]], rest: &[DVec3]) -> f64 {
    let displacements = frames.iter().flat_map(|frame| frame.iter().zip(rest));
    let largest = displacements.fold(DVec3::ZERO, |largest, (&p, &r)| largest.max((p - r).abs()));
    let bits = largest.max_element().max(f64::MIN_POSITIVE).to_bits();
    f64::from_bits(bits & !((1 << 52) - 1))
}

/// Calls `visit` for each block of [`BLOCK`] vertices with the number of the first vertex and a
/// matrix of displacements, which has three rows per vertex and one column per frame.
fn for_each_block(
    frames: &[&[DVec3]],
    rest: &[DVec3],
    scale: f64,
    mut visit: impl FnMut(usize, MatRef<'_, f64>),
) {
    let mut numbers = Vec::with_capacity(3 * BLOCK * frames.len());
    for (number, rest) in rest.chunks(BLOCK).enumerate() {
        let start = number * BLOCK;
        numbers.clear();
        for frame in frames {
            let positions = &frame[start..start + rest.len()];
            for (&position, &rest) in positions.iter().zip(rest) {
                numbers.extend(((position - rest) / scale).to_array());
            }
        }
        visit(start, MatRef::from_column_major_slice(&numbers, 3 * rest.len(), frames.len()));
    }
}
