//! Reduced models: vibration modes and principal components.

use pliant::deform::Modes;
use pliant::glam::DVec3;
use pliant_sim::{Keep, Material, VibrationSettings};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Points, array, point_array, point_list_array, point_lists};
use crate::error::refused;
use crate::interrupt::{Length, run};
use crate::mesh::mesh_of;
use crate::pickle::fields;

/// Vibration modes of a body with the shape of a mesh: a dictionary with `modes` (count, n, 3),
/// mass-normalised, and `frequencies` (count,) in hertz.
///
/// `cell` is the largest side of a cell of the grid, a twentieth of the largest extent by default.
/// The material has `young_modulus` in pascals, `poisson_ratio` and `density` in kilograms per cubic
/// metre; steel by default.
#[pyfunction]
#[pyo3(signature = (vertices, faces=None, count=10, *, cell=None, young_modulus=None, poisson_ratio=None, density=None, fixed=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn vibration<'py>(
    vertices: &Bound<'py, PyAny>,
    faces: Option<&Bound<'py, PyAny>>,
    count: usize,
    cell: Option<f64>,
    young_modulus: Option<f64>,
    poisson_ratio: Option<f64>,
    density: Option<f64>,
    fixed: Option<Vec<u32>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = vertices.py();
    let mesh = mesh_of(vertices, faces)?;
    let steel = Material::STEEL;
    let material = Material {
        young: young_modulus.unwrap_or(steel.young),
        poisson: poisson_ratio.unwrap_or(steel.poisson),
        density: density.unwrap_or(steel.density),
    };
    let cell = cell.unwrap_or_else(|| extent(mesh.positions()) / 20.0);
    let settings =
        VibrationSettings { modes: count, cell, material, fixed: fixed.unwrap_or_default() };
    let found = run(py, Length::Long, move || pliant_sim::vibration_modes(&mesh, &settings))?;
    let found = found.map_err(refused)?;
    let answer = PyDict::new(py);
    answer.set_item("modes", mode_array(py, &found.modes)?)?;
    answer.set_item("frequencies", array(py, found.frequencies))?;
    answer.set_item("rigid_modes", found.rigid_modes)?;
    Ok(answer)
}

/// The largest side of the box around points.
fn extent(points: &[DVec3]) -> f64 {
    let lowest = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let highest = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    (highest - lowest).max_element()
}

/// Principal components of an animation (frames, n, 3): a dictionary with `rest` (n, 3), `modes`
/// (rank, n, 3), `coordinates` (frames, rank) and `largest_error`, which no vertex of any frame
/// exceeds. Give the `rank`, or the `error` that is allowed.
#[pyfunction]
#[pyo3(signature = (frames, rank=None, error=None, *, rest=None))]
pub(crate) fn principal_components<'py>(
    frames: &Bound<'py, PyAny>,
    rank: Option<usize>,
    error: Option<f64>,
    rest: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = frames.py();
    let keep = match (rank, error) {
        (Some(rank), None) => Keep::Rank(rank),
        (None, Some(error)) => Keep::Error(error),
        _ => return Err(refused("give either the rank or the error that is allowed")),
    };
    let frames = point_lists(frames, "frames")?;
    let rest = rest.map(|rest| Points::of(rest, "rest")).transpose()?.map(|rest| rest.to_vec());
    let found = run(py, Length::Long, move || {
        pliant_sim::principal_components(&frames, rest.as_deref(), keep)
    })?;
    let found = found.map_err(refused)?;
    let answer = PyDict::new(py);
    let (count, kept) = (found.coordinates.len(), found.modes.count());
    let coordinates = array(py, found.coordinates.into_iter().flatten().collect());
    answer.set_item("rest", point_array(py, found.rest)?)?;
    answer.set_item("modes", mode_array(py, &found.modes)?)?;
    answer.set_item("coordinates", coordinates.call_method1("reshape", ((count, kept),))?)?;
    answer.set_item("largest_error", found.largest_error)?;
    Ok(answer)
}

/// (count, n, 3), also where there is no mode.
fn mode_array<'py>(py: Python<'py>, modes: &Modes) -> PyResult<Bound<'py, PyAny>> {
    let fields = point_list_array(py, &fields(modes))?;
    fields.call_method1("reshape", ((modes.count(), modes.vertices(), 3),))
}
