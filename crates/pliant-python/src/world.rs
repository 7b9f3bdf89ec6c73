//! The class `World`: many bodies by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pliant::BodyId;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Points;
use crate::body::{Body, Home, SharedWorld, lock};
use crate::error::refused;
use crate::interrupt::{Length, run};
use crate::points::rays;
use crate::sweep::between_worlds;
use crate::world_results::{
    Contacts, Names, NearPairs, WorldPenetrations, WorldRayHits, WorldSwept,
};

/// Many bodies, in which anything may meet anything.
///
/// A body that is added lives in the world from then on: its own setters move it there.
///
/// >>> import numpy as np, pliant
/// >>> corner, face = np.eye(3), [[0, 1, 2]]
/// >>> world = pliant.World()
/// >>> shirt = world.add(pliant.Body.free(corner, face), name="shirt")
/// >>> table = world.add(pliant.Body.rigid(corner, face), name="table")
/// >>> [contact.names for contact in world.contacts()]
/// [('shirt', 'table')]
/// >>> shirt.set_positions(corner + 9)
/// >>> len(world.contacts())
/// 0
#[pyclass(frozen, module = "pliant")]
pub(crate) struct World {
    shared: SharedWorld,
    /// Names and handles of the bodies.
    members: Mutex<BTreeMap<BodyId, (String, Py<Body>)>>,
}

impl World {
    /// The world as it is now, and its bodies' names.
    fn snapshot(&self) -> (Arc<pliant::World>, Names) {
        let names = lock(&self.members).iter().map(|(&id, (name, _))| (id, name.clone())).collect();
        (lock(&self.shared).clone(), names)
    }

    fn id(&self, name: &str) -> PyResult<BodyId> {
        let members = lock(&self.members);
        let found = members.iter().find(|(_, (known, _))| known == name);
        found.map(|(&id, _)| id).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    /// Asks about the world as it is now, without the interpreter's lock.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&pliant::World) -> pliant::Result<T> + Send + 'static,
    ) -> PyResult<(T, Names)> {
        let (world, names) = self.snapshot();
        let triangles = world.iter().map(|(_, body)| body.mesh().triangles().len()).sum();
        Ok((run(py, Length::of(triangles), move || ask(&world))?.map_err(refused)?, names))
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut pliant::World) -> pliant::Result<T>,
    ) -> PyResult<T> {
        change(Arc::make_mut(&mut lock(&self.shared))).map_err(refused)
    }
}

#[pymethods]
impl World {
    /// An empty world.
    #[new]
    fn new() -> Self {
        Self {
            shared: Arc::new(Mutex::new(Arc::new(pliant::World::new()))),
            members: Mutex::new(BTreeMap::new()),
        }
    }

    /// Adds a body and returns it. With `self_contacts` its contacts with itself count.
    #[pyo3(signature = (body, name=None, *, self_contacts=false))]
    fn add<'py>(
        &self,
        body: &Bound<'py, Body>,
        name: Option<String>,
        self_contacts: bool,
    ) -> PyResult<Bound<'py, Body>> {
        let mut members = lock(&self.members);
        let name = name.unwrap_or_else(|| {
            let free = |number: &usize| {
                members.values().all(|(known, _)| *known != format!("body {number}"))
            };
            format!("body {}", (0..).find(free).unwrap_or_default())
        });
        if members.values().any(|(known, _)| *known == name) {
            return Err(refused(format!("the world already has a body called {name:?}")));
        }
        let mut home = lock(&body.get().home);
        let Home::Own(inner) = &*home else {
            return Err(refused(format!("{name:?} is in a world already: add body.copy()")));
        };
        let inner = inner.as_ref().clone();
        let id = self.change(|world| {
            let id = world.insert(inner)?;
            world.set_self_contact(id, self_contacts)?;
            Ok(id)
        })?;
        *home = Home::World(self.shared.clone(), id);
        members.insert(id, (name, body.clone().unbind()));
        Ok(body.clone())
    }

    /// Removes a body and returns it, by itself again.
    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<Py<Body>> {
        let id = self.id(name)?;
        let inner = self.change(|world| world.remove(id))?;
        let removed = lock(&self.members).remove(&id);
        let (_, body) = removed.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        *lock(&body.get().home) = Home::Own(Arc::new(inner));
        Ok(body.clone_ref(py))
    }

    /// Lets contacts of two bodies count no longer, or again.
    #[pyo3(signature = (first, second, ignored=true))]
    fn ignore(&self, first: &str, second: &str, ignored: bool) -> PyResult<()> {
        let (a, b) = (self.id(first)?, self.id(second)?);
        self.change(|world| world.set_ignored(a, b, ignored))
    }

    /// All contacts: a list of `Contact`s with the names of two bodies and the pairs of triangles
    /// that touch. More pairs than `limit` are an error.
    #[pyo3(signature = (limit=None))]
    fn contacts(&self, py: Python<'_>, limit: Option<usize>) -> PyResult<Contacts> {
        let (found, names) = self.ask(py, move |world| match limit {
            None => Ok(world.contacts()),
            Some(most) => world.contacts_up_to(most),
        })?;
        Contacts::new(py, found, &names)
    }

    /// The names of bodies that touch: a list of pairs.
    fn touching(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let (found, names) = self.ask(py, |world| Ok(world.touching()))?;
        Ok(found.pairs.iter().map(|pair| names.of(pair.bodies)).collect())
    }

    /// All pieces of contact with their depths, by pair of bodies.
    fn penetrations(&self, py: Python<'_>) -> PyResult<WorldPenetrations> {
        let (found, names) = self.ask(py, |world| Ok(world.penetrations()))?;
        WorldPenetrations::new(py, found, &names)
    }

    /// All triangles of different bodies that are at most `distance` apart, by pair of bodies.
    fn within(&self, py: Python<'_>, distance: f64) -> PyResult<NearPairs> {
        let (found, names) = self.ask(py, move |world| world.within(distance))?;
        NearPairs::new(py, &found, &names)
    }

    /// What touches while all bodies move in straight lines from here to their states in another
    /// world, a `copy` of this one whose bodies were moved: exactly, and when. With `first=True` only
    /// the first contact of each pair of bodies is found; more contacts than `limit` are an error.
    #[pyo3(signature = (end, *, first=false, limit=None))]
    fn sweep(
        &self,
        py: Python<'_>,
        end: &Self,
        first: bool,
        limit: Option<usize>,
    ) -> PyResult<WorldSwept> {
        let ((start, names), (end, _)) = (self.snapshot(), end.snapshot());
        WorldSwept::new(py, between_worlds(py, [start, end], first, limit)?, &names)
    }

    /// A world of its own with the same names and states. Meshes and trees are shared.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let (world, names) = self.snapshot();
        let shared = Arc::new(Mutex::new(Arc::new(world.as_ref().clone())));
        let member = |(id, _)| {
            let home = Mutex::new(Home::World(Arc::clone(&shared), id));
            Ok((id, (names.one(id), Py::new(py, Body { home })?)))
        };
        let members = world.iter().map(member).collect::<PyResult<BTreeMap<_, _>>>()?;
        Ok(Self { shared: Arc::clone(&shared), members: Mutex::new(members) })
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.copy(py)
    }

    /// What rays hit first: origins (n, 3), directions (n, 3).
    fn ray_cast(
        &self,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
    ) -> PyResult<WorldRayHits> {
        let (py, rays) = (origins.py(), rays(origins, directions)?);
        let (hits, names) =
            self.ask(py, move |world| Ok(rays.iter().map(|ray| world.ray_cast(ray)).collect()))?;
        let hits: Vec<_> = hits;
        WorldRayHits::new(py, &hits, &names)
    }

    /// The name and the distance of the body that is nearest to each point (n, 3): a list.
    fn nearest(&self, points: &Bound<'_, PyAny>) -> PyResult<Vec<(String, f64)>> {
        let given = Points::of(points, "points")?.to_vec();
        let (found, names) = self.ask(points.py(), move |world| {
            given
                .iter()
                .map(|&point| world.closest_point(point))
                .collect::<pliant::Result<Vec<_>>>()
        })?;
        let nearest = found.iter().flat_map(|nearest| nearest.bodies.first());
        Ok(nearest
            .map(|at| (names.one(at.body), at.closest.found.distance_squared.sqrt()))
            .collect())
    }

    /// The names of all bodies, in the order in which they were added.
    #[getter]
    fn names(&self) -> Vec<String> {
        lock(&self.members).values().map(|(name, _)| name.clone()).collect()
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Py<Body>> {
        let id = self.id(name)?;
        let members = lock(&self.members);
        let (_, body) = members.get(&id).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(body.clone_ref(py))
    }

    fn __contains__(&self, name: &str) -> bool {
        self.id(name).is_ok()
    }

    fn __len__(&self) -> usize {
        lock(&self.members).len()
    }

    fn __repr__(&self) -> String {
        format!("<pliant.World: {} bodies>", self.__len__())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let py = slf.py();
        let restore = py.import("pliant._restore")?.getattr("restore_world")?;
        let (world, names) = slf.get().snapshot();
        let (mut bodies, mut ignored) = (Vec::new(), Vec::new());
        for (id, body) in world.iter() {
            let body = Py::new(py, Body::own(body.clone()))?;
            bodies.push((names.one(id), body, world.counts(id, id).map_err(refused)?));
            for (other, _) in world.iter().take_while(|&(other, _)| other < id) {
                if !world.counts(other, id).map_err(refused)? {
                    ignored.push(names.of([other, id]));
                }
            }
        }
        let parts = PyDict::new(py);
        parts.set_item("bodies", bodies)?;
        parts.set_item("ignored", ignored)?;
        Ok((restore, (parts,)))
    }
}
