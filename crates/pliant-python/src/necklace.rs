//! The class `Necklace`: chains of beads.

use std::sync::Mutex;

use pliant::shape::Chain;
use pliant::volume::Ball;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Points, array, number_for_each, point_array, row_array};
use crate::body::lock;
use crate::error::refused;
use crate::interrupt::detached;

/// Chains of beads: proteins, ropes, cables. Neighbours in a chain may overlap; other beads clash.
///
/// >>> import numpy as np, pliant
/// >>> ring = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
/// >>> pliant.Necklace(ring, 0.5).clashes()
/// array([[0, 3]], dtype=uint32)
#[pyclass(frozen, module = "pliant")]
pub(crate) struct Necklace {
    inner: Mutex<pliant::Necklace>,
}

#[pymethods]
impl Necklace {
    /// `points` (n, 3); `radii` one number or (n,); `chains` the number of beads of each chain, one
    /// open chain by default.
    #[new]
    #[pyo3(signature = (points, radii, chains=None, *, closed=false))]
    fn new(
        points: &Bound<'_, PyAny>,
        radii: &Bound<'_, PyAny>,
        chains: Option<Vec<usize>>,
        closed: bool,
    ) -> PyResult<Self> {
        let beads = balls(points, radii)?;
        let chains = chains.unwrap_or_else(|| vec![beads.len()]);
        let chains: Vec<Chain> = chains.iter().map(|&beads| Chain { beads, closed }).collect();
        let necklace = pliant::Necklace::new(beads, &chains).map_err(refused)?;
        Ok(Self { inner: Mutex::new(necklace) })
    }

    /// Moves the beads: (n, 3).
    fn set_positions(&self, points: &Bound<'_, PyAny>) -> PyResult<()> {
        let points = Points::of(points, "points")?;
        lock(&self.inner).set_positions(points.as_slice()).map_err(refused)
    }

    /// All pairs of beads that clash: (k, 2) uint32. Beads of a chain fewer than `min_gap` apart in
    /// it do not count. More than `limit` pairs are an error.
    #[pyo3(signature = (min_gap=2, limit=10_000_000))]
    fn clashes<'py>(
        &self,
        py: Python<'py>,
        min_gap: u32,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let necklace = lock(&self.inner).clone();
        let found = detached(py, || pliant::necklace::clashes_up_to(&necklace, min_gap, limit));
        row_array(py, found.map_err(refused)?.pairs)
    }

    /// The positions of the beads: (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        point_array(py, lock(&self.inner).beads().iter().map(|bead| bead.center))
    }

    /// The radii of the beads: (n,).
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        array(py, lock(&self.inner).beads().iter().map(|bead| bead.radius).collect())
    }

    fn __len__(&self) -> usize {
        lock(&self.inner).len()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let (py, this) = (slf.py(), slf.get());
        let parts = PyDict::new(py);
        parts.set_item("points", this.positions(py)?)?;
        parts.set_item("radii", this.radii(py))?;
        let necklace = lock(&this.inner).clone();
        let chains: Vec<_> = (0..).map_while(|chain| necklace.chain(chain)).collect();
        let beads: Vec<usize> = chains.iter().map(|(beads, _)| beads.len()).collect();
        parts.set_item("chains", beads)?;
        // All chains of a necklace that was made here are open, or all are closed.
        parts.set_item("closed", chains.iter().any(|&(_, closed)| closed))?;
        Ok((py.import("pliant._restore")?.getattr("restore_necklace")?, (parts,)))
    }

    fn __repr__(&self) -> String {
        let necklace = lock(&self.inner);
        format!("<pliant.Necklace: {} beads in {} chains>", necklace.len(), necklace.chains())
    }
}

/// Balls of points and radii.
pub(crate) fn balls(points: &Bound<'_, PyAny>, radii: &Bound<'_, PyAny>) -> PyResult<Vec<Ball>> {
    let points = Points::of(points, "points")?;
    let radii = number_for_each(radii, points.as_slice().len(), "radii")?;
    let pairs = points.as_slice().iter().zip(radii);
    Ok(pairs.map(|(&center, radius)| Ball::new(center, radius)).collect())
}
