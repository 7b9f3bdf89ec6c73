//! The class `Simulation`: bodies that fall, touch and vibrate.

use std::sync::{Arc, Mutex};

use pliant::deform::Modes;
use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};
use pliant_sim::dynamics::{
    self, ContactLaw, Damping, Elasticity, Model, ModelId, ModelSettings, Obstacle, Other,
    Placement, Settings, SurfaceMotion, SurfaceObstacle,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::arrays::{
    affine_map, array, matrix_array, numbers, point_array, point_list_array, point_lists, row_array,
};
use crate::body::{Body, lock};
use crate::error::refused;
use crate::interrupt::{Length, detached, run};
use crate::mesh::mesh_of;

/// Bodies that fall, touch and vibrate, by the thousand. Lengths are in metres, y is up. States are
/// the same bits for any number of threads.
///
/// >>> import numpy as np, pliant
/// >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
/// >>> sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
/// >>> faces = [t for a, b, c, d in sides for t in ([a, b, c], [a, c, d])]
/// >>> fall = pliant.Simulation()
/// >>> cube = fall.add_model(corners, faces, density=500)
/// >>> body = fall.add_body(cube, translation=[0, 1, 0])
/// >>> fall.add_floor(0)
/// >>> fall.advance(150)["contacts"] > 0
/// True
/// >>> bool(fall.transforms[body, 1, 3] < 1)
/// True
#[pyclass(frozen, module = "pliant")]
pub(crate) struct Simulation {
    /// Shared with the thread that does steps.
    inner: Arc<Mutex<State>>,
}

struct State {
    simulation: dynamics::Simulation,
    models: Vec<ModelId>,
    made_of: MadeOf,
}

/// What a simulation is made of, for `pickle`: keywords of `Simulation` and of each `add_model`, the model of
/// each body, and the calls that added obstacles.
struct MadeOf {
    settings: Py<PyDict>,
    models: Vec<Py<PyDict>>,
    bodies: Vec<usize>,
    obstacles: Vec<(&'static str, Py<PyTuple>)>,
}

type Vector = [f64; 3];

#[pymethods]
impl Simulation {
    /// `step` is the length of a step in seconds. `stiffness`, `damping` and `friction` are those of
    /// contacts; `drag` is the rate at which momentum decays; `sweeps` how often all contacts of a step
    /// are gone through.
    #[new]
    #[pyo3(signature = (*, step=1.0 / 150.0, gravity=[0.0, -9.81, 0.0], stiffness=1e5, damping=1000.0, friction=0.5, drag=0.0, sweeps=16))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        step: f64,
        gravity: Vector,
        stiffness: f64,
        damping: f64,
        friction: f64,
        drag: f64,
        sweeps: u32,
    ) -> PyResult<Self> {
        let given = PyDict::new(py);
        given.set_item("step", step)?;
        given.set_item("gravity", gravity)?;
        given.set_item("stiffness", stiffness)?;
        given.set_item("damping", damping)?;
        given.set_item("friction", friction)?;
        given.set_item("drag", drag)?;
        given.set_item("sweeps", sweeps)?;
        let contact = ContactLaw { stiffness, damping, friction, ..ContactLaw::default() };
        let gravity = gravity.into();
        let settings = Settings { step, gravity, contact, drag, sweeps, ..Settings::default() };
        let simulation = dynamics::Simulation::new(settings).map_err(refused)?;
        let made_of = MadeOf {
            settings: given.unbind(),
            models: Vec::new(),
            bodies: Vec::new(),
            obstacles: Vec::new(),
        };
        let state = State { simulation, models: Vec::new(), made_of };
        Ok(Self { inner: Arc::new(Mutex::new(state)) })
    }

    /// Adds a model that bodies share, and returns its number. With `modes` (k, n, 3) and
    /// `frequencies` (k,), as `pliant.modes.vibration` returns them, it vibrates; `rayleigh` has the
    /// two numbers of its damping, and `strain_limit` bounds how far spheres grow. `level` is that of
    /// the tree whose spheres touch, `wall` the thickness of an open surface.
    #[pyo3(signature = (vertices, faces=None, *, modes=None, frequencies=None, density=1000.0, wall=0.01, level=7, rayleigh=(0.0, 1e-4), strain_limit=f64::INFINITY))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn add_model(
        &self,
        vertices: &Bound<'_, PyAny>,
        faces: Option<&Bound<'_, PyAny>>,
        modes: Option<&Bound<'_, PyAny>>,
        frequencies: Option<&Bound<'_, PyAny>>,
        density: f64,
        wall: f64,
        level: u32,
        rayleigh: (f64, f64),
        strain_limit: f64,
    ) -> PyResult<usize> {
        let py = vertices.py();
        let mesh = mesh_of(vertices, faces)?;
        let settings = ModelSettings { level, density, wall, ..ModelSettings::default() };
        let given = PyDict::new(py);
        given.set_item("vertices", point_array(py, mesh.positions().iter().copied())?)?;
        given.set_item("faces", row_array(py, mesh.triangles().to_vec())?)?;
        given.set_item("density", density)?;
        given.set_item("wall", wall)?;
        given.set_item("level", level)?;
        given.set_item("rayleigh", rayleigh)?;
        given.set_item("strain_limit", strain_limit)?;
        let elastic = match (modes, frequencies) {
            (None, None) => None,
            (Some(modes), Some(frequencies)) => {
                let fields = point_lists(modes, "modes")?;
                let frequencies = numbers(frequencies, "frequencies")?;
                given.set_item("modes", point_list_array(py, &fields)?)?;
                given.set_item("frequencies", array(py, frequencies.clone()))?;
                Some((fields, frequencies))
            }
            _ => return Err(refused("modes and frequencies belong together")),
        };
        let model = detached(py, || match elastic {
            None => Model::rigid(mesh, &settings),
            Some((fields, frequencies)) => {
                let damping = Damping::Rayleigh { mass: rayleigh.0, stiffness: rayleigh.1 };
                let elasticity = Elasticity { damping, strain_limit };
                let modes = Modes::from_fields(mesh.positions().len(), &fields)?;
                Model::modal(mesh, modes, &frequencies, &elasticity, &settings)
            }
        });
        let model = model.map_err(refused)?;
        let mut state = lock(&self.inner);
        let id = state.simulation.add_model(model);
        state.models.push(id);
        state.made_of.models.push(given.unbind());
        Ok(state.models.len() - 1)
    }

    /// Adds a body of a model and returns its number. `transform` is a rotation and translation
    /// (4, 4), or give the `translation` alone; `velocity` is that of its centre of mass, `spin` its
    /// angular velocity.
    #[pyo3(signature = (model, transform=None, *, translation=None, velocity=[0.0; 3], spin=[0.0; 3]))]
    fn add_body(
        &self,
        model: usize,
        transform: Option<&Bound<'_, PyAny>>,
        translation: Option<Vector>,
        velocity: Vector,
        spin: Vector,
    ) -> PyResult<u32> {
        let map = transform.map_or(Ok(DAffine3::IDENTITY), affine_map)?;
        let at = Placement {
            rotation: DQuat::from_mat3(&map.matrix3),
            translation: map.translation + translation.map_or(DVec3::ZERO, DVec3::from),
            velocity: velocity.into(),
            spin: spin.into(),
        };
        let mut state = lock(&self.inner);
        let id = state.models.get(model).copied();
        let id = id.ok_or_else(|| refused(format!("no model {model}")))?;
        let body = state.simulation.add_body(id, &at).map_err(refused)?;
        state.made_of.bodies.push(model);
        Ok(body)
    }

    /// Adds the floor y <= height.
    #[pyo3(signature = (height=0.0))]
    fn add_floor(&self, py: Python<'_>, height: f64) -> PyResult<()> {
        self.add(Obstacle::floor(height), "add_floor", (height,).into_pyobject(py)?)
    }

    /// Adds a solid ball that stands.
    fn add_ball(&self, py: Python<'_>, center: Vector, radius: f64) -> PyResult<()> {
        let given = (center, radius).into_pyobject(py)?;
        self.add(Obstacle::ball(center.into(), radius), "add_ball", given)
    }

    /// Adds a solid box along the axes that stands; `half` is half of its size.
    fn add_box(&self, py: Python<'_>, center: Vector, half: Vector) -> PyResult<()> {
        let given = (center, half).into_pyobject(py)?;
        self.add(Obstacle::cuboid(center.into(), half.into()), "add_box", given)
    }

    /// Adds a surface: a body of any kind that stands, or that moves as its keyframes say.
    fn add_surface(&self, py: Python<'_>, body: &Body) -> PyResult<()> {
        let copy = body.copy()?;
        let snapshot = copy.snapshot();
        let body = snapshot.body().map_err(refused)?.clone();
        let motion = match body {
            pliant::AnyBody::Keyframed(_) => SurfaceMotion::Keyframes,
            _ => SurfaceMotion::Still,
        };
        let surface = SurfaceObstacle::new(body, motion).map_err(refused)?;
        let given = (Py::new(py, copy)?,).into_pyobject(py)?;
        self.add(Obstacle::Surface(Box::new(surface)), "add_surface", given)
    }

    /// Does steps. Returns counts of the last: bodies whose boxes overlap, tests, contacts.
    #[pyo3(signature = (steps=1))]
    fn advance<'py>(&self, py: Python<'py>, steps: usize) -> PyResult<Bound<'py, PyDict>> {
        let mut last = dynamics::StepWork::default();
        // A step is short: between two of them Python may interrupt.
        for _ in 0..steps {
            let inner = Arc::clone(&self.inner);
            let done = run(py, Length::Short, move || lock(&inner).simulation.step())?;
            last = done.map_err(refused)?;
            py.check_signals()?;
        }
        let counts = PyDict::new(py);
        counts.set_item("body_pairs", last.body_pairs)?;
        counts.set_item("node_tests", last.node_tests)?;
        counts.set_item("proxy_tests", last.proxy_tests)?;
        counts.set_item("contacts", last.contacts)?;
        Ok(counts)
    }

    /// Where all bodies are: (bodies, 4, 4).
    #[getter]
    fn transforms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = lock(&self.inner);
        let frames =
            (0..state.simulation.bodies() as u32).filter_map(|at| state.simulation.frame(at));
        let mut rows: Vec<[f64; 4]> = Vec::new();
        for (rotation, t) in frames {
            let m = DMat3::from_quat(rotation);
            let row = |axis: usize| [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]];
            rows.extend([row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]);
        }
        row_array(py, rows)?.call_method1("reshape", ((-1, 4, 4),))
    }

    /// The coordinates of a body, one per mode: (k,).
    fn coordinates<'py>(&self, py: Python<'py>, body: u32) -> PyResult<Bound<'py, PyAny>> {
        let state = lock(&self.inner);
        let q = state.simulation.coordinates(body).ok_or_else(|| no_body(body))?;
        Ok(array(py, q.to_vec()))
    }

    /// The vertices of a body where they are now: (n, 3).
    fn positions<'py>(&self, py: Python<'py>, body: u32) -> PyResult<Bound<'py, PyAny>> {
        let state = lock(&self.inner);
        let simulation = &state.simulation;
        let model = simulation.model(body).ok_or_else(|| no_body(body))?;
        let (rotation, translation) = simulation.frame(body).ok_or_else(|| no_body(body))?;
        let q = simulation.coordinates(body).unwrap_or_default();
        let (mesh, modes) = (model.mesh(), model.modes());
        let moved = mesh
            .positions()
            .iter()
            .enumerate()
            .map(|(vertex, &rest)| rotation * modes.displaced(rest, vertex, q) + translation);
        point_array(py, moved)
    }

    /// Sets the coordinates of a body and their velocities: one number per mode each.
    fn set_vibration(
        &self,
        body: u32,
        coordinates: &Bound<'_, PyAny>,
        velocities: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (q, v) = (numbers(coordinates, "coordinates")?, numbers(velocities, "velocities")?);
        lock(&self.inner).simulation.set_vibration(body, &q, &v).map_err(refused)
    }

    /// Bodies that touched in the last step: (k, 2) int64, body and body, or -1 - obstacle.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = lock(&self.inner);
        let pair = |contact: &dynamics::Contact| {
            let other = match contact.other {
                Other::Body { body, .. } => i64::from(body),
                Other::Obstacle { obstacle, .. } => -1 - i64::from(obstacle),
            };
            [i64::from(contact.body), other]
        };
        row_array(py, state.simulation.contacts().iter().map(pair).collect())
    }

    /// Energies in joules: kinetic, gravity, vibration, contact, total.
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energy = lock(&self.inner).simulation.energy().map_err(refused)?;
        let answer = PyDict::new(py);
        answer.set_item("kinetic", energy.kinetic)?;
        answer.set_item("gravity", energy.gravity)?;
        answer.set_item("vibration", energy.vibration)?;
        answer.set_item("contact", energy.contact)?;
        answer.set_item("total", energy.total())?;
        Ok(answer)
    }

    /// The states of all bodies, for `restore` of a simulation with the same models and bodies.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &lock(&self.inner).simulation.to_bytes())
    }

    /// Goes on from saved states.
    fn restore(&self, saved: &[u8]) -> PyResult<()> {
        lock(&self.inner).simulation.restore_bytes(saved).map_err(refused)
    }

    /// The time in seconds.
    #[getter]
    fn time(&self) -> f64 {
        lock(&self.inner).simulation.time()
    }

    /// The matrix of one body: (4, 4).
    fn transform<'py>(&self, py: Python<'py>, body: u32) -> PyResult<Bound<'py, PyAny>> {
        let frame = lock(&self.inner).simulation.frame(body);
        let (rotation, translation) = frame.ok_or_else(|| no_body(body))?;
        matrix_array(py, DAffine3::from_rotation_translation(rotation, translation))
    }

    /// It is made again of the same models, bodies and obstacles, and goes on from the saved states.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let py = slf.py();
        let restore = py.import("pliant._restore")?.getattr("restore_simulation")?;
        let state = lock(&slf.get().inner);
        let (made_of, parts) = (&state.made_of, PyDict::new(py));
        parts.set_item("settings", &made_of.settings)?;
        parts.set_item("models", PyList::new(py, &made_of.models)?)?;
        parts.set_item("bodies", &made_of.bodies)?;
        let calls = made_of.obstacles.iter().map(|(name, given)| (*name, given));
        parts.set_item("obstacles", PyList::new(py, calls.collect::<Vec<_>>())?)?;
        parts.set_item("saved", PyBytes::new(py, &state.simulation.to_bytes()))?;
        Ok((restore, (parts,)))
    }

    fn __len__(&self) -> usize {
        lock(&self.inner).simulation.bodies()
    }

    fn __repr__(&self) -> String {
        let state = lock(&self.inner);
        let (bodies, time) = (state.simulation.bodies(), state.simulation.time());
        format!("<pliant.Simulation: {bodies} bodies, {time:.3} s>")
    }
}

impl Simulation {
    /// Adds an obstacle; the call that does it is kept for `pickle`.
    fn add(
        &self,
        obstacle: Obstacle,
        call: &'static str,
        given: Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let mut state = lock(&self.inner);
        state.simulation.add_obstacle(obstacle).map_err(refused)?;
        state.made_of.obstacles.push((call, given.unbind()));
        Ok(())
    }
}

fn no_body(body: u32) -> PyErr {
    refused(format!("no body {body}"))
}
