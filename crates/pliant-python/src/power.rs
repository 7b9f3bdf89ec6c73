//! The class `PowerDiagram`.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arrays::{Points, array, point_array, row_array};
use crate::body::lock;
use crate::error::refused;
use crate::interrupt::detached;
use crate::necklace::balls;

/// The power diagram of balls, exact: which cells are neighbours.
///
/// >>> import numpy as np, pliant
/// >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
/// >>> sorted(pliant.PowerDiagram(corners, 0.5).tetrahedra[0].tolist())
/// [0, 1, 2, 3]
#[pyclass(frozen, module = "pliant")]
pub(crate) struct PowerDiagram {
    inner: Mutex<pliant::power::PowerDiagram>,
}

/// Points and radii.
type Arguments<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

#[pymethods]
impl PowerDiagram {
    /// `points` (n, 3); `radii` one number or (n,).
    #[new]
    fn new(points: &Bound<'_, PyAny>, radii: &Bound<'_, PyAny>) -> PyResult<Self> {
        let balls = balls(points, radii)?;
        let made = detached(points.py(), || pliant::power::PowerDiagram::new(&balls));
        Ok(Self { inner: Mutex::new(made.map_err(refused)?) })
    }

    /// Moves the balls: (n, 3). Returns how many of them had to be inserted anew.
    fn update(&self, points: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = points.py();
        let points = Points::of(points, "points")?;
        let slice = points.as_slice();
        let done = detached(py, || lock(&self.inner).advance(slice));
        Ok(done.map_err(refused)?.reinserted)
    }

    /// Pairs of balls whose cells share a face: (k, 2) uint32.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        row_array(py, detached(py, || lock(&self.inner).edges()))
    }

    /// Quadruples of balls whose cells share a corner: (k, 4) uint32.
    #[getter]
    fn tetrahedra<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        row_array(py, lock(&self.inner).tetrahedra().collect())
    }

    /// Balls without a cell: (k,) uint32.
    #[getter]
    fn hidden<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        array(py, lock(&self.inner).hidden().collect())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Arguments<'py>)> {
        let (py, diagram) = (slf.py(), lock(&slf.get().inner));
        let points = point_array(py, diagram.balls().iter().map(|ball| ball.center))?;
        let radii = array(py, diagram.balls().iter().map(|ball| ball.radius).collect());
        Ok((slf.get_type(), (points, radii)))
    }

    fn __repr__(&self) -> String {
        format!("<pliant.PowerDiagram: {} balls>", lock(&self.inner).balls().len())
    }
}
