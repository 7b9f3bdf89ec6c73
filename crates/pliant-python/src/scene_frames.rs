//! The frames of a scene, one after the other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use pliant::query::Region;
use pliant::world::BodyContact;
use pliant_io::{SceneBodies, SceneBodiesError, SelfContact};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyType};
use rayon::prelude::*;

use crate::arrays::{data_frame, html_table, row_array};
use crate::body::lock;
use crate::error::refused;
use crate::interrupt::{Length, detached, run};
use crate::results::{Penetration, Work};
use crate::scene::Scene;

/// Frames that one thread takes together: as many as `pliant check` takes.
const BLOCK: usize = 8;

/// Frames from which on it pays to prepare bodies for contacts with themselves.
const MANY_FRAMES: usize = 120;

/// The contacts of one frame.
struct Found {
    time: f64,
    contacts: Vec<BodyContact>,
    regions: Vec<Vec<Region>>,
    work: pliant::Work,
}

/// Two objects of a scene that touch, or one that touches itself.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct FrameContact {
    /// The names of the two objects.
    pub(crate) names: (String, String),
    /// Their numbers.
    pub(crate) objects: (usize, usize),
    /// Triangle of the first, triangle of the second: (k, 2) uint32.
    pub(crate) pairs: Py<PyAny>,
    /// The pieces of contact; None if they were not asked for.
    pub(crate) penetration: Option<Py<Penetration>>,
}

#[pymethods]
impl FrameContact {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let ((a, b), pairs) = (&self.names, self.pairs.bind(py).len()?);
        Ok(format!("<pliant.FrameContact: {a:?} and {b:?}, {pairs} pairs>"))
    }
}

/// The contacts of one frame.
#[pyclass(frozen, get_all, module = "pliant")]
pub(crate) struct Frame {
    /// Its time in seconds.
    pub(crate) time: f64,
    /// A list of `FrameContact`s.
    pub(crate) contacts: Py<PyList>,
    /// What the query did.
    pub(crate) work: Work,
}

#[pymethods]
impl Frame {
    /// All pairs of triangles: (k, 4) uint32, object, triangle, object, triangle.
    #[getter]
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rows: Vec<[u32; 4]> = Vec::new();
        for contact in self.contacts.bind(py) {
            let contact = contact.cast::<FrameContact>()?.get();
            let (a, b) = (contact.objects.0 as u32, contact.objects.1 as u32);
            let pairs: Vec<[u32; 2]> = crate::arrays::whole_rows(contact.pairs.bind(py), "pairs")?;
            rows.extend(pairs.iter().map(|&[i, j]| [a, i, b, j]));
        }
        row_array(py, rows)
    }

    /// All pieces of contact: a list of (names, `Region`).
    #[getter]
    fn regions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = PyList::empty(py);
        for contact in self.contacts.bind(py) {
            let contact = contact.cast::<FrameContact>()?.get();
            let Some(penetration) = &contact.penetration else { continue };
            for region in penetration.bind(py).getattr("regions")?.try_iter()? {
                all.append((contact.names.clone(), region?))?;
            }
        }
        Ok(all)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<pliant.Frame at {} s: {} contacts>", self.time, self.contacts.bind(py).len())
    }

    /// A `pandas.DataFrame` with a row per two objects in contact: names, number of pairs, depth.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = [(); 5].map(|()| PyList::empty(py));
        let [times, first, second, pairs, depths] = &columns;
        for contact in self.contacts.bind(py) {
            let contact = contact.cast::<FrameContact>()?.get();
            times.append(self.time)?;
            first.append(&contact.names.0)?;
            second.append(&contact.names.1)?;
            pairs.append(contact.pairs.bind(py).len()?)?;
            depths.append(contact.penetration.as_ref().and_then(|found| found.get().depth))?;
        }
        let names = ["time", "a", "b", "pairs", "depth"];
        let columns: Vec<_> = names.into_iter().zip(columns.map(Bound::into_any)).collect();
        data_frame(py, &columns)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html_table(&self.__repr__(py), self.to_pandas(py))
    }
}

/// An iterator over the frames of a scene. Frames are computed in blocks, on all threads.
#[pyclass(frozen, module = "pliant")]
pub(crate) struct Frames {
    names: Arc<[String]>,
    state: Mutex<State>,
}

struct State {
    /// Bodies at rest, of which each thread takes a copy.
    bodies: Arc<SceneBodies>,
    times: VecDeque<f64>,
    found: VecDeque<Found>,
    with_regions: bool,
}

impl Frames {
    pub(crate) fn new(
        py: Python<'_>,
        scene: &Scene,
        animation: Option<usize>,
        times: Vec<f64>,
        self_contacts: bool,
        with_regions: bool,
    ) -> PyResult<Self> {
        let self_contact = match self_contacts {
            false => SelfContact::Ignored,
            true if times.len() < MANY_FRAMES => SelfContact::Counted,
            true => SelfContact::Prepared,
        };
        let bodies =
            detached(py, || scene.make_bodies(animation, self_contact)).map_err(refused)?;
        let names = scene.scene.objects().iter().map(|object| object.name.clone()).collect();
        let (bodies, found) = (Arc::new(bodies), VecDeque::new());
        let state = State { bodies, times: times.into(), found, with_regions };
        Ok(Self { names, state: Mutex::new(state) })
    }

    /// Computes the next frames: a block per thread.
    fn fill(&self, py: Python<'_>) -> PyResult<()> {
        let (bodies, times, with_regions) = {
            let mut state = lock(&self.state);
            let count = (BLOCK * rayon::current_num_threads()).min(state.times.len());
            let times: Vec<f64> = state.times.drain(..count).collect();
            (state.bodies.clone(), times, state.with_regions)
        };
        let frames = run(py, Length::Long, move || {
            let blocks = times.par_chunks(BLOCK).map(|block| {
                let mut bodies = bodies.as_ref().clone();
                bodies.forget_history();
                block.iter().map(|&time| frame(&mut bodies, time, with_regions)).collect()
            });
            blocks.collect::<Result<Vec<Vec<Found>>, SceneBodiesError>>()
        })?;
        lock(&self.state).found.extend(frames.map_err(refused)?.into_iter().flatten());
        Ok(())
    }

    fn shown(&self, py: Python<'_>, bodies: &SceneBodies, found: Found) -> PyResult<Frame> {
        let contacts = PyList::empty(py);
        let mut regions = found.regions.into_iter();
        for contact in found.contacts {
            let [a, b] = contact.bodies.map(|id| bodies.object(id).unwrap_or_default());
            let penetration = match regions.next() {
                None => None,
                Some(regions) => {
                    Some(Py::new(py, Penetration::of(py, regions, pliant::Work::default())?)?)
                }
            };
            contacts.append(FrameContact {
                names: (self.names[a].clone(), self.names[b].clone()),
                objects: (a, b),
                pairs: row_array(py, contact.pairs)?.unbind(),
                penetration,
            })?;
        }
        Ok(Frame { time: found.time, contacts: contacts.unbind(), work: found.work.into() })
    }
}

/// The contacts at a time.
fn frame(
    bodies: &mut SceneBodies,
    time: f64,
    with_regions: bool,
) -> Result<Found, SceneBodiesError> {
    bodies.set_time(time)?;
    let world = bodies.world();
    let found = world.contacts();
    let mut regions = Vec::new();
    if with_regions {
        for contact in &found.contacts {
            let [a, b] = contact.bodies;
            let both = (world.get(a), world.get(b));
            regions.push(match both {
                (Ok(body), _) if a == b => body.self_penetration_of(&contact.pairs).regions,
                (Ok(first), Ok(second)) => first.penetration_of(second, &contact.pairs).regions,
                _ => Vec::new(),
            });
        }
    }
    Ok(Found { time, contacts: found.contacts, regions, work: found.work })
}

#[pymethods]
impl Frames {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let state = lock(&self.state);
        let left = state.times.len() + state.found.len();
        format!("<pliant.Frames: {left} frames to come, {} objects>", self.names.len())
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Frame>> {
        let is_empty = lock(&self.state).found.is_empty();
        if is_empty {
            self.fill(py)?;
        }
        let (found, bodies) = {
            let mut state = lock(&self.state);
            (state.found.pop_front(), state.bodies.clone())
        };
        found.map(|found| self.shown(py, &bodies, found)).transpose()
    }

    /// A `pandas.DataFrame` with a row per frame and two objects in contact, of all frames that are left.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let tables = PyList::empty(py);
        for frame in slf.try_iter()? {
            tables.append(frame?.call_method0("to_pandas")?)?;
        }
        if tables.is_empty() {
            return data_frame(py, &[]);
        }
        let ignored = PyDict::new(py);
        ignored.set_item("ignore_index", true)?;
        py.import("pandas")?.call_method("concat", (tables,), Some(&ignored))
    }

    fn __length_hint__(&self) -> usize {
        let state = lock(&self.state);
        state.times.len() + state.found.len()
    }

    #[classmethod]
    fn __class_getitem__(class: &Bound<'_, PyType>, _item: &Bound<'_, PyAny>) -> Py<PyType> {
        class.clone().unbind()
    }
}
