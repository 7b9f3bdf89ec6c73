//! The class `ClashSearch`: atoms that overlap without a bond.

use pliant::glam::DVec3;
use pliant_io::{Atom, Cell, ClashSettings, FrameClashes, Structure};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use rayon::prelude::*;

use crate::arrays::{PointLists, Points, array, point_array, row_array, whole_rows};
use crate::error::refused;
use crate::interrupt::detached;

/// Clashes of a structure, prepared once for any number of frames: atoms that overlap, are not
/// within three bonds of each other, and are not explained by a hydrogen bond.
#[pyclass(frozen, module = "pliant")]
pub(crate) struct ClashSearch {
    inner: pliant_io::ClashSearch,
    atoms: usize,
    /// What it was made of, for `pickle`.
    given: Py<PyTuple>,
    settings: Py<PyDict>,
}

#[pymethods]
impl ClashSearch {
    /// One entry per atom in `names`, `elements`, `residues`, `residue_numbers` and `chains`;
    /// `positions` (n, 3) in ångströms, from which missing bonds are found; `bonds` (m, 2).
    #[new]
    #[pyo3(signature = (names, elements, residues, residue_numbers, chains, positions, bonds=None, *, overlap=0.4, hydrogen_bond=0.6, periodic=false, limit=10_000_000))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        names: Vec<String>,
        elements: Vec<String>,
        residues: Vec<String>,
        residue_numbers: Vec<String>,
        chains: Vec<String>,
        positions: &Bound<'_, PyAny>,
        bonds: Option<&Bound<'_, PyAny>>,
        overlap: f64,
        hydrogen_bond: f64,
        periodic: bool,
        limit: usize,
    ) -> PyResult<Self> {
        let py = positions.py();
        let positions = Points::of(positions, "positions")?.to_vec();
        let count = positions.len();
        let columns = [&names, &elements, &residues, &residue_numbers, &chains];
        if let Some(wrong) = columns.iter().find(|column| column.len() != count) {
            return Err(refused(format!("{} names were given for {count} atoms", wrong.len())));
        }
        let mut listed =
            bonds.map(|bonds| whole_rows::<2>(bonds, "bonds")).transpose()?.unwrap_or_default();
        let names_given = columns.map(|column| column.clone());
        let [given_names, given_elements, given_residues, given_numbers, given_chains] =
            names_given;
        let given = (
            given_names,
            given_elements,
            given_residues,
            given_numbers,
            given_chains,
            point_array(py, positions.iter().copied())?,
            row_array(py, listed.clone())?,
        );
        let mut atoms: Vec<Atom> = Vec::with_capacity(count);
        let mut rest = [elements, residues, residue_numbers, chains].map(Vec::into_iter);
        for name in names {
            let [element, residue, residue_number, chain] =
                rest.each_mut().map(|column| column.next().unwrap_or_default());
            let segment = match atoms.last() {
                None => 0,
                Some(before) => before.segment + u32::from(before.chain != chain),
            };
            atoms.push(Atom {
                name,
                residue,
                residue_number,
                chain,
                element,
                hetero: false,
                segment,
            });
        }
        listed.iter_mut().for_each(|bond| bond.sort_unstable());
        if let Some(bond) = listed.iter().find(|bond| bond[1] as usize >= count) {
            return Err(refused(format!("bond {bond:?} names an atom of {count}")));
        }
        listed.sort_unstable();
        listed.dedup();
        let structure =
            Structure { atoms, models: vec![positions], bonds: listed, ..Structure::default() };
        let settings = ClashSettings {
            overlap,
            hydrogen_bond,
            is_periodic: periodic,
            most_clashes: limit,
            ..ClashSettings::default()
        };
        let inner = pliant_io::ClashSearch::new(&structure, &settings).map_err(refused)?;
        let settings = PyDict::new(py);
        settings.set_item("overlap", overlap)?;
        settings.set_item("hydrogen_bond", hydrogen_bond)?;
        settings.set_item("periodic", periodic)?;
        settings.set_item("limit", limit)?;
        let given = given.into_pyobject(py)?.unbind();
        Ok(Self { inner, atoms: count, given, settings: settings.unbind() })
    }

    /// The clashes of a frame: pairs of atoms (k, 2), distances (k,), overlaps (k,). `cell` has the
    /// edges of a periodic cell as rows (3, 3).
    #[pyo3(signature = (positions, cell=None))]
    fn clashes<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        cell: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<FoundArrays<'py>> {
        let py = positions.py();
        let points = Points::of(positions, "positions")?;
        let slice = points.as_slice();
        let cell = cell.map(edges).transpose()?;
        let found = detached(py, || self.inner.clashes(slice, cell.as_ref())).map_err(refused)?;
        found_arrays(py, &found)
    }

    /// The clashes of many frames, on all threads: for each frame what `clashes` returns. `frames` has
    /// the shape (frames, n, 3), `cells` (frames, 3, 3) the edges of periodic cells as rows.
    #[pyo3(signature = (frames, cells=None))]
    fn clashes_of_frames<'py>(
        &self,
        frames: &Bound<'py, PyAny>,
        cells: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<FoundArrays<'py>>> {
        let py = frames.py();
        let frames = PointLists::of(frames, "frames")?;
        let frames = frames.lists();
        let cells = cells.map(|cells| PointLists::of(cells, "cells")).transpose()?;
        let cells: Option<Vec<Cell>> =
            cells.map(|cells| cells.lists().into_iter().map(cell_of).collect()).transpose()?;
        if let Some(cells) = cells.as_ref().filter(|cells| cells.len() != frames.len()) {
            let (cells, frames) = (cells.len(), frames.len());
            return Err(refused(format!("{cells} cells were given for {frames} frames")));
        }
        let found: Result<Vec<FrameClashes>, pliant_io::Error> = detached(py, || {
            let frame = |(at, &positions): (usize, &&[DVec3])| {
                self.inner.clashes(positions, cells.as_ref().map(|cells| &cells[at]))
            };
            frames.par_iter().enumerate().map(frame).collect()
        });
        found.map_err(refused)?.iter().map(|found| found_arrays(py, found)).collect()
    }

    /// The radius of each atom in ångströms: (n,); nan for atoms that take no part.
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let mut radii = vec![f64::NAN; self.atoms];
        for (&atom, radius) in self.inner.atoms().iter().zip(self.inner.radii()) {
            radii[atom as usize] = radius;
        }
        array(py, radii)
    }

    /// The bonds that are used: (m, 2) uint32.
    #[getter]
    fn bonds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        row_array(py, self.inner.bonds().pairs().to_vec())
    }

    /// The search is made again of what it was made of: bonds are found at the same positions.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let (py, this) = (slf.py(), slf.get());
        let restore = py.import("pliant._restore")?.getattr("restore_clash_search")?;
        let (given, settings) = (this.given.bind(py).clone(), this.settings.bind(py).clone());
        Ok((restore, (slf.get_type(), given, settings)))
    }

    fn __repr__(&self) -> String {
        let bonds = self.inner.bonds().pairs().len();
        format!("<pliant.ClashSearch: {} atoms, {bonds} bonds>", self.atoms)
    }
}

/// A function and its arguments: the class, what a search was made of, settings.
type Reduced<'py> =
    (Bound<'py, PyAny>, (Bound<'py, PyType>, Bound<'py, PyTuple>, Bound<'py, PyDict>));

/// Pairs of atoms (k, 2), distances (k,), overlaps (k,).
type FoundArrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

fn found_arrays<'py>(py: Python<'py>, found: &FrameClashes) -> PyResult<FoundArrays<'py>> {
    let pairs = found.clashes.iter().map(|clash| clash.atoms).collect();
    let distances = found.clashes.iter().map(|clash| clash.distance).collect();
    let overlaps = found.clashes.iter().map(|clash| clash.overlap).collect();
    Ok((row_array::<u32, 2>(py, pairs)?, array::<f64>(py, distances), array::<f64>(py, overlaps)))
}

/// A periodic cell of its edges.
fn edges(value: &Bound<'_, PyAny>) -> PyResult<Cell> {
    cell_of(Points::of(value, "cell")?.as_slice())
}

fn cell_of(edges: &[DVec3]) -> PyResult<Cell> {
    let &[a, b, c] = edges else {
        return Err(refused("a cell has three edges"));
    };
    Cell::new([a, b, c]).ok_or_else(|| refused("the edges of the cell do not span a volume"))
}
