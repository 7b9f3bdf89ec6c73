//! What queries of worlds return, with the bodies' names.

use std::collections::HashMap;

use pliant::BodyId;
use pliant::world::{WorldContacts, WorldRayCast, WorldWithin};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::{array, data_frame, row_array};
use crate::results::{Penetration, Within, Work};

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Contact>()?;
    module.add_class::<Contacts>()?;
    module.add_class::<WorldPenetrations>()?;
    module.add_class::<NearPairs>()?;
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
    names: (String, String),
    /// Triangle of the first, triangle of the second: (k, 2) uint32.
    pairs: Py<PyAny>,
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
    contacts: Py<PyList>,
    /// What the query did.
    work: Work,
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
        let rows = self.to_pandas(py).and_then(|table| table.call_method0("to_html")?.extract());
        rows.or_else(|_: PyErr| Ok(self.__repr__(py)))
    }
}

/// Pieces of contact by pair of bodies.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct WorldPenetrations {
    /// A list of (names, `Penetration`).
    bodies: Py<PyList>,
    /// What the query did.
    work: Work,
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
}

/// Triangles within a distance by pair of bodies.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct NearPairs {
    /// A list of (names, `Within`).
    bodies: Py<PyList>,
    /// What the query did.
    work: Work,
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
}

/// What rays hit first in a world.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct WorldRayHits {
    /// The name of the body that each ray hits, or None: a list.
    names: Vec<Option<String>>,
    /// Its triangle: (n,) int64, -1 for none.
    triangles: Py<PyAny>,
    /// How far along each ray, in multiples of its direction: (n,), inf for none.
    t: Py<PyAny>,
    /// Weights of the triangle's corners: (n, 3), nan for none.
    barycentric: Py<PyAny>,
    /// What the queries did.
    work: Work,
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
