//! The lowest eigenpairs of K x = λ M x, verified.

use super::factor::{Factor, Factorization};
use super::lanczos::{Eigenpairs, Operators, largest_eigenpairs};
use super::system::System;
use crate::limits::RESIDUAL;
use crate::{Error, Result};

/// The elastic eigenpairs of a system in ascending order.
pub(super) struct Elastic {
    pub(super) eigenvalues: Vec<f64>,
    /// One number per unknown, mass-normalised.
    pub(super) vectors: Vec<Vec<f64>>,
    /// The number of rigid modes that were left out.
    pub(super) rigid: usize,
    /// The largest relative residual.
    pub(super) residual: f64,
}

/// Computed eigenpairs, including rigid ones.
struct Found {
    eigenvalues: Vec<f64>,
    vectors: Vec<Vec<f64>>,
    residual: f64,
}

/// K - shift M in factored form. Its inverse has the eigenvalues θ = 1 / (λ - shift). The lowest λ
/// are the largest θ, and those are well separated.
struct Shifted<'a> {
    system: &'a System,
    factor: Factor<'a>,
}

impl Operators for Shifted<'_> {
    fn size(&self) -> usize {
        self.system.size()
    }

    fn mass_times(&self, x: &[f64]) -> Vec<f64> {
        self.system.mass_times(x)
    }

    fn solve(&mut self, block: &mut [f64]) {
        self.factor.solve(block);
    }
}

/// Vectors per step of the iteration. Eight find six rigid modes and pairs of elastic ones at once.
/// A body of many pieces has more rigid modes, so the second width is tried if the first misses
/// modes.
const WIDTHS: [usize; 2] = [8, 64];

/// The lowest elastic modes. `shift` is below all eigenvalues; those up to `rigid_limit` count as
/// rigid.
pub(super) fn elastic_modes(
    system: &System,
    shift: f64,
    rigid_limit: f64,
    modes: usize,
) -> Result<Elastic> {
    let size = system.size();
    if modes > size {
        return Err(Error::TooMany { what: "modes", count: modes as f64, limit: size });
    }
    let factorization = Factorization::new(system)?;
    let mut shifted = Shifted { system, factor: factorization.factor(shift)? };
    let is_rigid = |eigenvalue: f64| eigenvalue <= rigid_limit;
    let mut outcome = Err(Error::Solver { reason: "no iteration was tried" });
    for width in WIDTHS {
        outcome = shifted.lowest_modes(width, shift, is_rigid, modes);
        let Ok(found) = &outcome else { break };
        match check_count(&factorization, &found.eigenvalues, shift) {
            Ok(()) => break,
            Err(missed) => outcome = Err(missed),
        }
    }
    let found = outcome?;
    let rigid = found.eigenvalues.iter().filter(|&&value| is_rigid(value)).count();
    // Rounding of the matrices determines the order of equal eigenvalues.
    let mut order: Vec<usize> = (0..found.eigenvalues.len()).collect();
    order.sort_by(|&a, &b| found.eigenvalues[a].total_cmp(&found.eigenvalues[b]));
    let elastic = order.get(rigid..rigid + modes);
    let elastic = elastic.ok_or(Error::Solver { reason: "rigid modes cannot be told apart" })?;
    Ok(Elastic {
        eigenvalues: elastic.iter().map(|&mode| found.eigenvalues[mode]).collect(),
        vectors: elastic.iter().map(|&mode| found.vectors[mode].clone()).collect(),
        rigid,
        residual: found.residual,
    })
}

impl Shifted<'_> {
    /// The lowest modes, including rigid ones, up to the requested number of elastic ones.
    fn lowest_modes(
        &mut self,
        width: usize,
        shift: f64,
        is_rigid: impl Fn(f64) -> bool,
        modes: usize,
    ) -> Result<Found> {
        let size = self.size();
        self.factor.prepare(width.min(size))?;
        let rigid_among = |inverses: &[f64]| {
            inverses.iter().take_while(|&&inverse| is_rigid(1.0 / inverse + shift)).count()
        };
        let wanted = |estimates: &[f64]| modes + rigid_among(estimates);
        let Eigenpairs { values, vectors } = largest_eigenpairs(self, width, wanted)?;
        if values.len() < wanted(&values) {
            let limit = size - rigid_among(&values);
            return Err(Error::TooMany { what: "modes", count: modes as f64, limit });
        }
        let mut residual: f64 = 0.0;
        let mut eigenvalues = Vec::with_capacity(values.len());
        for (mode, vector) in vectors.iter().enumerate() {
            let (eigenvalue, error) = self.rayleigh(vector);
            if error.is_nan() || error > RESIDUAL {
                return Err(Error::Inaccurate { mode, residual: error, limit: RESIDUAL });
            }
            residual = residual.max(error);
            eigenvalues.push(eigenvalue);
        }
        Ok(Found { eigenvalues, vectors, residual })
    }

    /// Returns the Rayleigh quotient of a mass-normalised vector and its residual: the M-norm of r
    /// = (K - shift M)^-1 (K x - λ M x).
    ///
    /// With θ = 1 / (λ - shift) this is the norm of (S M x - θ x) / θ, so an eigenvalue is within
    /// this relative distance of θ. K x - λ M x is computed from the matrices and not from the
    /// factor.
    fn rayleigh(&mut self, vector: &[f64]) -> (f64, f64) {
        let forces = self.system.stiffness_times(vector);
        let eigenvalue: f64 = forces.iter().zip(vector).map(|(force, x)| force * x).sum();
        let weighed = self.mass_times(vector).into_iter();
        let mut rest: Vec<f64> =
            forces.iter().zip(weighed).map(|(force, mass)| force - eigenvalue * mass).collect();
        self.solve(&mut rest);
        let square: f64 = self.mass_times(&rest).iter().zip(&rest).map(|(m, x)| m * x).sum();
        (eigenvalue, square.sqrt())
    }
}

/// Compares the eigenvalues found with an independent count slightly below the last one, which may
/// be the first of a pair.
fn check_count(factorization: &Factorization<'_>, found: &[f64], shift: f64) -> Result<()> {
    let last = found.iter().copied().fold(shift, f64::max);
    let below = last - 1e-6 * (last - shift);
    let counted = factorization.eigenvalues_below(below)?;
    let found = found.iter().filter(|&&eigenvalue| eigenvalue < below).count();
    if found == counted { Ok(()) } else { Err(Error::ModesMissed { found, counted }) }
}
