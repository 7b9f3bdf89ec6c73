//! Continuous detection: what touches between two states.

use std::sync::Arc;

use pliant::contact::ImpactTime;
use pliant::query::{Adjacency, Certainty, Features, Impacts as Which, SweepSettings};
use pliant::{AnyBody, Impact, Step};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::{array, data_frame, html_table, row_array};
use crate::body::{Body, Snapshot};
use crate::error::refused;
use crate::interrupt::{Length, run};
use crate::results::Work;

/// Features of one kind that touch within a step.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Impacts {
    /// Two or four numbers each: see `Swept`. (k, 2) or (k, 4) uint32.
    pub(crate) features: Py<PyAny>,
    /// When they touch first, from 0 to 1: (k, 2), neighbouring numbers around the true time.
    pub(crate) times: Py<PyAny>,
    /// 0 for those that certainly touch; else how near they certainly come: (k,).
    pub(crate) within: Py<PyAny>,
}

impl Impacts {
    fn new<const N: usize>(py: Python<'_>, found: &[(Impact, [u32; N])]) -> PyResult<Self> {
        let within = |impact: &Impact| match impact.certainty {
            Certainty::Certain => 0.0,
            Certainty::Within(distance) => distance,
        };
        let times = found.iter().map(|(impact, _)| [impact.time.lo, impact.time.hi]).collect();
        Ok(Self {
            features: row_array(py, found.iter().map(|&(_, numbers)| numbers).collect())?.unbind(),
            times: row_array::<f64, 2>(py, times)?.unbind(),
            within: array(py, found.iter().map(|(impact, _)| within(impact)).collect()).unbind(),
        })
    }
}

#[pymethods]
impl Impacts {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.features.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<pliant.Impacts: {}>", self.__len__(py)?))
    }
}

/// What touches within a step.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Swept {
    /// Vertices of the first body and triangles of the second: `Impacts` of (k, 2).
    pub(crate) vertex_face: Py<Impacts>,
    /// Triangles of the first body and vertices of the second: `Impacts` of (k, 2).
    pub(crate) face_vertex: Py<Impacts>,
    /// Edges of the first body and of the second, two vertices each: `Impacts` of (k, 4).
    pub(crate) edge_edge: Py<Impacts>,
    /// Triangles that touch at the start: (k, 2) uint32.
    pub(crate) pierced: Py<PyAny>,
    /// The time of the first contact as two neighbouring numbers; None if nothing touches.
    pub(crate) first: Option<(f64, f64)>,
    /// What the query did.
    pub(crate) work: Work,
}

impl Swept {
    pub(crate) fn new(py: Python<'_>, found: pliant::Swept) -> PyResult<Self> {
        let first = found.first().map(|ImpactTime { lo, hi }| (lo, hi));
        let (mut vertex_face, mut face_vertex, mut edge_edge) = (vec![], vec![], vec![]);
        for impact in found.contacts {
            match impact.features {
                Features::VertexFace { vertex, face } => vertex_face.push((impact, [vertex, face])),
                Features::FaceVertex { face, vertex } => face_vertex.push((impact, [face, vertex])),
                Features::EdgeEdge { first: [a, b], second: [c, d] } => {
                    edge_edge.push((impact, [a, b, c, d]));
                }
            }
        }
        Ok(Self {
            vertex_face: Py::new(py, Impacts::new(py, &vertex_face)?)?,
            face_vertex: Py::new(py, Impacts::new(py, &face_vertex)?)?,
            edge_edge: Py::new(py, Impacts::new(py, &edge_edge)?)?,
            pierced: row_array(py, found.pierced)?.unbind(),
            first,
            work: found.work.into(),
        })
    }

    fn kinds(&self) -> [(&'static str, &Py<Impacts>); 3] {
        [
            ("vertex-face", &self.vertex_face),
            ("face-vertex", &self.face_vertex),
            ("edge-edge", &self.edge_edge),
        ]
    }
}

#[pymethods]
impl Swept {
    /// The number of features that touch, and of triangles that touch at the start.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let mut sum = self.pierced.bind(py).len()?;
        for (_, impacts) in self.kinds() {
            sum += impacts.get().__len__(py)?;
        }
        Ok(sum)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let touching = self.__len__(py)?;
        Ok(match self.first {
            Some((time, _)) => format!("<pliant.Swept: {touching} touch, the first at {time}>"),
            None => "<pliant.Swept: nothing touches>".into(),
        })
    }

    /// A `pandas.DataFrame` with a row per contact of features: its kind, the numbers of both sides as
    /// tuples, and the time.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = [(); 4].map(|()| PyList::empty(py));
        let [kinds, features, times, within] = &columns;
        for (kind, impacts) in self.kinds() {
            let impacts = impacts.get();
            for numbers in impacts.features.bind(py).call_method0("tolist")?.try_iter()? {
                kinds.append(kind)?;
                features.append(numbers?)?;
            }
            for time in impacts.times.bind(py).call_method0("tolist")?.try_iter()? {
                times.append(time?.get_item(0)?)?;
            }
            for distance in impacts.within.bind(py).call_method0("tolist")?.try_iter()? {
                within.append(distance?)?;
            }
        }
        let names = ["kind", "features", "time", "within"];
        let columns: Vec<_> = names.into_iter().zip(columns.map(Bound::into_any)).collect();
        data_frame(py, &columns)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py)?, self.to_pandas(py))
    }
}

/// A body as it is, or its states at the start and at the end of a step.
struct Ends([Snapshot; 2]);

impl Ends {
    /// Of a `Body`, or of a pair of them.
    fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(body) = value.cast::<Body>() {
            return Ok(Self([body.get().snapshot(), body.get().snapshot()]));
        }
        let pair: (Bound<'_, Body>, Bound<'_, Body>) = value.extract().map_err(|_| {
            PyTypeError::new_err("a step is a Body, or two of them: at the start and at the end")
        })?;
        Ok(Self([pair.0.get().snapshot(), pair.1.get().snapshot()]))
    }

    fn triangles(&self) -> usize {
        self.0[0].triangles()
    }

    fn step(&self, stray: f64) -> pliant::Result<Step<'_, AnyBody>> {
        let [start, end] = &self.0;
        Step::of_any(start.body()?, end.body()?)?.straying(stray)
    }
}

/// What touches while two bodies move in straight lines from one state to another, exactly.
///
/// Each of `a` and `b` is a `Body` that stands, or a pair: the body at the start and a copy of it at
/// the end. With `first=True` only the first contact is found; with `limit`, more contacts are an
/// error. `strays` says how far vertices may be from the straight lines.
///
/// >>> import numpy as np, pliant
/// >>> corners, face = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float), [[0, 1, 2]]
/// >>> plate = pliant.Body.free(corners, face)
/// >>> above, below = plate.copy(), plate.copy()
/// >>> above.set_positions(corners + [0, 0, 1])
/// >>> below.set_positions(corners - [0, 0, 3])
/// >>> pliant.sweep((above, below), plate).first
/// (0.25, 0.25)
#[pyfunction]
#[pyo3(signature = (a, b, *, first=false, limit=None, strays=(0.0, 0.0)))]
pub(crate) fn sweep(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    first: bool,
    limit: Option<usize>,
    strays: (f64, f64),
) -> PyResult<Swept> {
    let (py, a, b) = (a.py(), Ends::of(a)?, Ends::of(b)?);
    let length = Length::of(a.triangles() + b.triangles());
    let found = run(py, length, move || {
        let (a, b) = (a.step(strays.0)?, b.step(strays.1)?);
        match (first, limit) {
            (true, _) => Ok(pliant::first_impact(&a, &b)),
            (false, None) => Ok(pliant::sweep(&a, &b)),
            (false, Some(most)) => pliant::query::sweep_up_to(&a, &b, most),
        }
    })?;
    Swept::new(py, found.map_err(refused)?)
}

/// What touches within a body while it moves in straight lines from one state to another, but for
/// features that share a vertex. `step` is a pair of bodies, as for `sweep`. `adjacency` is "place",
/// where vertices at one place at rest are one, or "index".
#[pyfunction]
#[pyo3(signature = (step, *, first=false, limit=None, stray=0.0, adjacency="place"))]
pub(crate) fn self_sweep(
    step: &Bound<'_, PyAny>,
    first: bool,
    limit: Option<usize>,
    stray: f64,
    adjacency: &str,
) -> PyResult<Swept> {
    let adjacency = adjacency_of(adjacency)?;
    let (py, ends) = (step.py(), Ends::of(step)?);
    let found = run(py, Length::of(ends.triangles()), move || {
        let step = ends.step(stray)?;
        match (first, limit) {
            (true, _) => Ok(pliant::first_self_impact(&step, adjacency)),
            (false, None) => Ok(pliant::self_sweep(&step, adjacency)),
            (false, Some(most)) => pliant::query::self_sweep_up_to(&step, adjacency, most),
        }
    })?;
    Swept::new(py, found.map_err(refused)?)
}

fn adjacency_of(name: &str) -> PyResult<Adjacency> {
    match name {
        "place" => Ok(Adjacency::ByPlace),
        "index" => Ok(Adjacency::ByIndex),
        _ => Err(refused(format!("adjacency must be \"place\" or \"index\", not {name:?}"))),
    }
}

/// What touches between two states of a world.
pub(crate) fn between_worlds(
    py: Python<'_>,
    [start, end]: [Arc<pliant::World>; 2],
    first: bool,
    limit: Option<usize>,
) -> PyResult<pliant::world::WorldSwept> {
    let triangles = start.iter().map(|(_, body)| body.mesh().triangles().len()).sum();
    let settings = SweepSettings {
        impacts: if first { Which::First } else { Which::All },
        most: limit.unwrap_or(usize::MAX),
        ..SweepSettings::default()
    };
    run(py, Length::of(triangles), move || start.sweep(&end, &[], &settings))?.map_err(refused)
}
