//! Sparse factors of a shifted stiffness matrix, computed by faer on one thread.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
    simplicial, supernodal,
};
use faer::{Conj, MatMut, Par, Side};

use super::system::System;
use crate::{Error, Result};

/// The sparsity pattern of the factors of K - shift M, which does not depend on the shift.
pub(super) struct Factorization<'a> {
    system: &'a System,
    symbolic: SymbolicCholesky<u32>,
}

/// K - shift M = L L', for a shift below all eigenvalues.
pub(super) struct Factor<'a> {
    symbolic: &'a SymbolicCholesky<u32>,
    values: Vec<f64>,
    scratch: MemBuffer,
}

impl<'a> Factorization<'a> {
    pub(super) fn new(system: &'a System) -> Result<Self> {
        let symbolic = system.with_shifted(0.0, |matrix| {
            let (ordering, settings) = (SymmetricOrdering::Amd, Default::default());
            factorize_symbolic_cholesky(matrix.symbolic(), Side::Lower, ordering, settings)
        });
        let symbolic = symbolic.map_err(|_| no_memory())?;
        Ok(Self { system, symbolic })
    }

    /// The factor at a shift.
    pub(super) fn factor(&self, shift: f64) -> Result<Factor<'_>> {
        let mut values = self.room_for_values()?;
        let need = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut scratch = MemBuffer::try_new(need).map_err(|_| no_memory())?;
        self.system
            .with_shifted(shift, |matrix| {
                self.symbolic
                    .factorize_numeric_llt(
                        &mut values,
                        matrix,
                        Side::Lower,
                        Default::default(),
                        Par::Seq,
                        MemStack::new(&mut scratch),
                        Default::default(),
                    )
                    .map(|_| ())
            })
            .map_err(|_| Error::Solver { reason: "the shifted stiffness is not positive" })?;
        let mut factor = Factor { symbolic: &self.symbolic, values, scratch };
        factor.prepare(1)?;
        Ok(factor)
    }

    /// The number of eigenvalues of K x = λ M x below a shift.
    ///
    /// By Sylvester's law of inertia, K - shift M = L D L' has as many negative eigenvalues as D
    /// has negative entries, and this is the number of eigenvalues below the shift. The count does
    /// not compute any mode, so it detects missed modes.
    pub(super) fn eigenvalues_below(&self, shift: f64) -> Result<usize> {
        let mut values = self.room_for_values()?;
        let need =
            self.symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let mut scratch = MemBuffer::try_new(need).map_err(|_| no_memory())?;
        self.system
            .with_shifted(shift, |matrix| {
                self.symbolic
                    .factorize_numeric_ldlt(
                        &mut values,
                        matrix,
                        Side::Lower,
                        Default::default(),
                        Par::Seq,
                        MemStack::new(&mut scratch),
                        Default::default(),
                    )
                    .map(|_| ())
            })
            .map_err(|_| Error::Solver { reason: "a zero pivot while counting modes" })?;
        // D is stored on the diagonal of L, whose own diagonal is 1.
        Ok(match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(symbolic) => {
                let factor = simplicial::SimplicialLdltRef::<u32, f64>::new(symbolic, &values);
                let starts = &symbolic.col_ptr()[..symbolic.ncols()];
                starts.iter().filter(|&&start| factor.values()[start as usize] < 0.0).count()
            }
            SymbolicCholeskyRaw::Supernodal(symbolic) => {
                let factor = supernodal::SupernodalLdltRef::<u32, f64>::new(symbolic, &values);
                let negative = |s: usize| {
                    let block = factor.supernode(s).val();
                    (0..block.ncols()).filter(|&n| block[(n, n)] < 0.0).count()
                };
                (0..symbolic.n_supernodes()).map(negative).sum()
            }
        })
    }

    fn room_for_values(&self) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        values.try_reserve_exact(self.symbolic.len_val()).map_err(|_| no_memory())?;
        values.resize(self.symbolic.len_val(), 0.0);
        Ok(values)
    }
}

impl Factor<'_> {
    /// Allocates memory for solving this many right-hand sides at once.
    pub(super) fn prepare(&mut self, columns: usize) -> Result<()> {
        let need = self.symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq);
        self.scratch = MemBuffer::try_new(need).map_err(|_| no_memory())?;
        Ok(())
    }

    /// Replaces right-hand sides, one after the other, by solutions; at most as many as prepared
    /// for.
    pub(super) fn solve(&mut self, sides: &mut [f64]) {
        let rows = self.symbolic.nrows();
        let columns = sides.len() / rows;
        LltRef::<u32, f64>::new(self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(sides, rows, columns),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}

fn no_memory() -> Error {
    Error::Solver { reason: "not enough memory for the factor" }
}
