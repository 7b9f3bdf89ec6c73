//! What queries of worlds return, with the bodies' names.

use std::collections::HashMap;

use pliant::BodyId;
use pliant::world::{WorldContacts, WorldRayCast, WorldWithin};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::{array, data_frame, html_table, row_array};
use crate::results::{Penetration, Within, Work};
use crate::sweep::Swept;

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Contact>()?;
    module.add_class::<Contacts>()?;
    module.add_class::<WorldPenetrations>()?;
    module.add_class::<NearPairs>()?;
    module.add_class::<WorldSwept>()?;
    module.add_class::<WorldRayHits>()
}

/// The names of bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(HashMap<BodyId, String>);

impl FromIterator<(BodyId, String)> for Names {
    fn from_iter<I: IntoIterator<Item = (BodyId, String)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl Names {
    pub(crate) fn one(&self, id: BodyId) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| format!("body {id}"))
    }

    pub(crate) fn of(&self, [a, b]: [BodyId; 2]) -> (String, String) {
        (self.one(a), self.one(b))
    }
}

/// Two bodies that touch, or one that touches itself.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Contact {
    /// The names of the two; twice the same for a body with itself.
    pub(crate) names: (String, String),
    /// Triangle of the first, triangle of the second: (k, 2) uint32.
    pub(crate) pairs: Py<PyAny>,
}

#[pymethods]
impl Contact {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (a, b) = &self.names;
        Ok(format!("<pliant.Contact: {a:?} and {b:?}, {} pairs>", self.pairs.bind(py).len()?))
    }
}

/// All contacts of a world: a sequence of `Contact`s.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Contacts {
    /// By the order of the bodies.
    pub(crate) contacts: Py<PyList>,
    /// What the query did.
    pub(crate) work: Work,
}

impl Contacts {
    pub(crate) fn new(py: Python<'_>, found: WorldContacts, names: &Names) -> PyResult<Self> {
        let contacts = PyList::empty(py);
        for contact in found.contacts {
            let pairs = row_array(py, contact.pairs)?.unbind();
            contacts.append(Contact { names: names.of(contact.bodies), pairs })?;
        }
        Ok(Self { contacts: contacts.unbind(), work: found.work.into() })
    }
}

#[pymethods]
impl Contacts {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.contacts.bind(py).len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.contacts.bind(py).as_any().get_item(at)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.contacts.bind(py).try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<pliant.Contacts: {} pairs of bodies>", self.__len__(py))
    }

    /// A `pandas.DataFrame` with a row per pair of bodies.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (mut first, mut second, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        for contact in self.contacts.bind(py) {
            let contact = contact.cast::<Contact>()?.get();
            first.push(contact.names.0.clone());
            second.push(contact.names.1.clone());
            pairs.push(contact.pairs.bind(py).len()?);
        }
        let text = |column: Vec<String>| PyList::new(py, column).map(Bound::into_any);
        data_frame(py, &[("a", text(first)?), ("b", text(second)?), ("pairs", array(py, pairs))])
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py), self.to_pandas(py))
    }
}

/// A row per pair of bodies of a list of (names, result), with the result's number of things.
fn table_by_names<'py>(
    py: Python<'py>,
    bodies: &Py<PyList>,
    counted: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = [(); 3].map(|()| PyList::empty(py));
    let [first, second, counts] = &columns;
    for entry in bodies.bind(py) {
        let names = entry.get_item(0)?;
        first.append(names.get_item(0)?)?;
        second.append(names.get_item(1)?)?;
        counts.append(entry.get_item(1)?.len()?)?;
    }
    let columns: Vec<_> =
        ["a", "b", counted].into_iter().zip(columns.map(Bound::into_any)).collect();
    data_frame(py, &columns)
}

/// Pieces of contact by pair of bodies.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct WorldPenetrations {
    /// A list of (names, `Penetration`).
    pub(crate) bodies: Py<PyList>,
    /// What the query did.
    pub(crate) work: Work,
}

impl WorldPenetrations {
    pub(crate) fn new(
        py: Python<'_>,
        found: pliant::world::WorldPenetrations,
        names: &Names,
    ) -> PyResult<Self> {
        let list = PyList::empty(py);
        for pair in found.bodies {
            let regions = Penetration::of(py, pair.regions, pliant::Work::default())?;
            list.append((names.of(pair.bodies), regions))?;
        }
        Ok(Self { bodies: list.unbind(), work: found.work.into() })
    }
}

#[pymethods]
impl WorldPenetrations {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.bodies.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.bodies.bind(py).try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<pliant.WorldPenetrations: {} pairs of bodies>", self.__len__(py))
    }

    /// A `pandas.DataFrame` with a row per pair of bodies.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table_by_names(py, &self.bodies, "regions")
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py), self.to_pandas(py))
    }
}

/// Triangles within a distance by pair of bodies.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct NearPairs {
    /// A list of (names, `Within`).
    pub(crate) bodies: Py<PyList>,
    /// What the query did.
    pub(crate) work: Work,
}

impl NearPairs {
    pub(crate) fn new(py: Python<'_>, found: &WorldWithin, names: &Names) -> PyResult<Self> {
        let list = PyList::empty(py);
        for pair in &found.bodies {
            let within = Within::of(py, &pair.pairs, pliant::Work::default())?;
            list.append((names.of(pair.bodies), within))?;
        }
        Ok(Self { bodies: list.unbind(), work: found.work.into() })
    }
}

#[pymethods]
impl NearPairs {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.bodies.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.bodies.bind(py).try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<pliant.NearPairs: {} pairs of bodies>", self.__len__(py))
    }

    /// A `pandas.DataFrame` with a row per pair of bodies.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table_by_names(py, &self.bodies, "pairs")
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py), self.to_pandas(py))
    }
}

/// What touches between two states of a world, by pair of bodies.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct WorldSwept {
    /// A list of (names, `Swept`).
    pub(crate) bodies: Py<PyList>,
    /// What the query did.
    pub(crate) work: Work,
}

impl WorldSwept {
    pub(crate) fn new(
        py: Python<'_>,
        found: pliant::world::WorldSwept,
        names: &Names,
    ) -> PyResult<Self> {
        let list = PyList::empty(py);
        for pair in found.bodies {
            list.append((names.of(pair.bodies), Swept::new(py, pair.swept)?))?;
        }
        Ok(Self { bodies: list.unbind(), work: found.work.into() })
    }
}

#[pymethods]
impl WorldSwept {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.bodies.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.bodies.bind(py).try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<pliant.WorldSwept: {} pairs of bodies>", self.__len__(py))
    }

    /// A `pandas.DataFrame` with a row per pair of bodies.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        table_by_names(py, &self.bodies, "contacts")
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py), self.to_pandas(py))
    }
}

/// What rays hit first in a world.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct WorldRayHits {
    /// The name of the body that each ray hits, or None: a list.
    pub(crate) names: Vec<Option<String>>,
    /// Its triangle: (n,) int64, -1 for none.
    pub(crate) triangles: Py<PyAny>,
    /// How far along each ray, in multiples of its direction: (n,), inf for none.
    pub(crate) t: Py<PyAny>,
    /// Weights of the triangle's corners: (n, 3), nan for none.
    pub(crate) barycentric: Py<PyAny>,
    /// What the queries did.
    pub(crate) work: Work,
}

impl WorldRayHits {
    pub(crate) fn new(py: Python<'_>, hits: &[WorldRayCast], names: &Names) -> PyResult<Self> {
        let triangle = |cast: &WorldRayCast| cast.hit.map_or(-1, |(_, at, _)| i64::from(at));
        let t = |cast: &WorldRayCast| cast.hit.map_or(f64::INFINITY, |(_, _, hit)| hit.t);
        let weights =
            |cast: &WorldRayCast| cast.hit.map_or([f64::NAN; 3], |(_, _, hit)| hit.barycentric);
        Ok(Self {
            names: hits.iter().map(|cast| cast.hit.map(|(id, ..)| names.one(id))).collect(),
            triangles: array(py, hits.iter().map(triangle).collect()).unbind(),
            t: array(py, hits.iter().map(t).collect()).unbind(),
            barycentric: row_array(py, hits.iter().map(weights).collect())?.unbind(),
            work: Work::sum(hits.iter().map(|cast| cast.work)),
        })
    }
}

#[pymethods]
impl WorldRayHits {
    fn __len__(&self) -> usize {
        self.names.len()
    }

    fn __repr__(&self) -> String {
        format!("<pliant.WorldRayHits: {} rays>", self.names.len())
    }

    /// A `pandas.DataFrame` with a row per ray.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let names = PyList::new(py, &self.names)?.into_any();
        let (triangles, t) = (self.triangles.bind(py).clone(), self.t.bind(py).clone());
        data_frame(py, &[("body", names), ("triangle", triangles), ("t", t)])
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(), self.to_pandas(py))
    }
}
