//! The class `Body`: a handle on a body, by itself or in a world.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pliant::{AnyBody, BodyId};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{point_array, row_array};
use crate::error::refused;
use crate::interrupt::detached;
use crate::mesh::mesh_of;
use crate::results::{ClosestPoints, Intersections, Penetration, PointLocations, RayHits, Within};
use crate::{kinds, pickle, points, queries};

/// A world that several handles share. A query takes a snapshot of it; a change copies the world
/// only while a snapshot is in use.
pub(crate) type SharedWorld = Arc<Mutex<Arc<pliant::World>>>;

/// Locks what no panic can leave half changed: setters refuse as a whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a body is kept.
pub(crate) enum Home {
    /// By itself.
    Own(Arc<AnyBody>),
    /// In a world.
    World(SharedWorld, BodyId),
}

/// A body as it is at one moment.
pub(crate) enum Snapshot {
    Own(Arc<AnyBody>),
    World(Arc<pliant::World>, BodyId),
}

impl Snapshot {
    pub(crate) fn body(&self) -> pliant::Result<&AnyBody> {
        match self {
            Self::Own(body) => Ok(body),
            Self::World(world, id) => world.get(*id),
        }
    }

    pub(crate) fn triangles(&self) -> usize {
        self.body().map_or(0, |body| body.mesh().triangles().len())
    }
}

/// A mesh that bends: its triangles, how they deform, and the state that they are in.
///
/// Make one with `Body.free`, `rigid`, `affine`, `reduced`, `skinned` or `keyframed`. A state is set
/// in time proportional to its size (joints, coordinates), and a query moves only what it looks at.
/// Any body collides with any other, exactly.
///
/// >>> import numpy as np, pliant
/// >>> square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
/// >>> floor = pliant.Body.free(square, [[0, 1, 2], [0, 2, 3]])
/// >>> tent = pliant.Body.free(square[:3] + [0, 0, 1], [[0, 1, 2]])
/// >>> floor.intersections(tent).pairs.shape
/// (0, 2)
/// >>> tent.set_positions(np.array([[0.2, 0.1, 1], [0.9, 0.1, 1], [0.5, 0.2, -1]]))
/// >>> floor.intersections(tent).pairs
/// array([[0, 0]], dtype=uint32)
#[pyclass(frozen, module = "pliant")]
pub(crate) struct Body {
    pub(crate) home: Mutex<Home>,
}

impl Body {
    pub(crate) fn own(body: impl Into<AnyBody>) -> Self {
        Self { home: Mutex::new(Home::Own(Arc::new(body.into()))) }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        match &*lock(&self.home) {
            Home::Own(body) => Snapshot::Own(body.clone()),
            Home::World(world, id) => Snapshot::World(lock(world).clone(), *id),
        }
    }

    /// Changes the body, without the interpreter's lock. Snapshots that are in use keep the old
    /// state.
    pub(crate) fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut AnyBody) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        detached(py, || match &mut *lock(&self.home) {
            Home::Own(body) => change(Arc::make_mut(body)),
            Home::World(world, id) => {
                change(Arc::make_mut(&mut lock(world)).get_mut(*id).map_err(refused)?)
            }
        })
    }

    /// Reads something of the body as it is now.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&AnyBody) -> T) -> PyResult<T> {
        self.snapshot().body().map(read).map_err(refused)
    }
}

#[pymethods]
impl Body {
    /// A body whose vertices are given anew for every state (`set_positions`): cloth, simulations.
    ///
    /// Takes vertices (n, 3) and faces (m, 3); or a `trimesh.Trimesh`, a `pyvista.PolyData` or the
    /// path of a file.
    ///
    /// >>> import pliant
    /// >>> pliant.Body.free([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// <pliant.Body, free: 3 vertices, 1 triangles>
    #[staticmethod]
    #[pyo3(signature = (vertices, faces=None))]
    fn free(vertices: &Bound<'_, PyAny>, faces: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mesh = mesh_of(vertices, faces)?;
        detached(vertices.py(), || pliant::Body::free(mesh)).map(Self::own).map_err(refused)
    }

    /// A body that keeps its shape and is moved by rotations and translations (`set_transform`).
    ///
    /// >>> import numpy as np, pliant
    /// >>> body = pliant.Body.rigid(np.eye(3), [[0, 1, 2]])
    /// >>> body.set_transform([[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]])
    /// >>> body.positions[0].tolist()
    /// [6.0, 0.0, 0.0]
    #[staticmethod]
    #[pyo3(signature = (vertices, faces=None))]
    fn rigid(vertices: &Bound<'_, PyAny>, faces: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mesh = mesh_of(vertices, faces)?;
        detached(vertices.py(), || pliant::Body::rigid(mesh)).map(Self::own).map_err(refused)
    }

    /// A body that is moved by any affine map (`set_transform`): also scaled, sheared, mirrored.
    ///
    /// >>> import numpy as np, pliant
    /// >>> body = pliant.Body.affine(np.eye(3), [[0, 1, 2]])
    /// >>> body.set_transform(np.diag([2, 3, 4, 1]))
    /// >>> body.positions[2].tolist()
    /// [0.0, 0.0, 4.0]
    #[staticmethod]
    #[pyo3(signature = (vertices, faces=None))]
    fn affine(vertices: &Bound<'_, PyAny>, faces: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mesh = mesh_of(vertices, faces)?;
        detached(vertices.py(), || pliant::Body::affine(mesh)).map(Self::own).map_err(refused)
    }

    /// A body that deforms as vertices + sum of q[k] * modes[k] (`set_coordinates`). `modes` has the
    /// shape (k, n, 3).
    ///
    /// >>> import numpy as np, pliant
    /// >>> bell = pliant.Body.reduced(np.eye(3), [[0, 1, 2]], np.ones((1, 3, 3)))
    /// >>> bell.set_coordinates([0.5])
    /// >>> bell.positions[0].tolist()
    /// [1.5, 0.5, 0.5]
    #[staticmethod]
    fn reduced(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        modes: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        kinds::reduced(vertices, faces, modes)
    }

    /// A body that joints move (`set_pose`).
    ///
    /// `joints` are joint numbers (n, k) and `weights` their weights (n, k), as glTF and SMPL have
    /// them; or `joints` is None and `weights` has a column per joint (n, joints). Weights of a
    /// vertex must sum to 1, as files have them: they are normalised. `blending` is "linear",
    /// "spherical" or "dual-quaternion". `morph` has the shape (targets, n, 3).
    ///
    /// >>> import numpy as np, pliant
    /// >>> hero = pliant.Body.skinned(np.eye(3), [[0, 1, 2]], [[0], [0], [1]], [[1], [1], [1]], blending="spherical")
    /// >>> pose = np.stack([np.eye(4), np.eye(4)])
    /// >>> pose[1, 2, 3] = 7
    /// >>> hero.set_pose(pose)
    /// >>> hero.positions[2].tolist()
    /// [0.0, 0.0, 8.0]
    #[staticmethod]
    #[pyo3(signature = (vertices, faces, joints, weights, *, joint_count=None, blending="linear", morph=None))]
    fn skinned(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        joints: Option<&Bound<'_, PyAny>>,
        weights: &Bound<'_, PyAny>,
        joint_count: Option<usize>,
        blending: &str,
        morph: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        kinds::skinned(vertices, faces, (joints, weights, joint_count), blending, morph)
    }

    /// A body whose motion is known ahead: positions (frames, n, 3) at ascending times (`advance`).
    ///
    /// >>> import numpy as np, pliant
    /// >>> sail = pliant.Body.keyframed(np.eye(3), [[0, 1, 2]], [0, 1], [np.eye(3), np.eye(3) + 4])
    /// >>> sail.advance(0.25)
    /// >>> sail.positions[0].tolist()
    /// [2.0, 1.0, 1.0]
    #[staticmethod]
    fn keyframed(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        times: &Bound<'_, PyAny>,
        frames: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        kinds::keyframed(vertices, faces, times, frames)
    }

    /// Moves the vertices of a free body: (n, 3). Refits its bounds; nothing is rebuilt.
    fn set_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        kinds::set_positions(self, positions)
    }

    /// Places a rigid, affine or reduced body: a matrix (4, 4) or (3, 4) that acts on columns.
    fn set_transform(&self, matrix: &Bound<'_, PyAny>) -> PyResult<()> {
        kinds::set_transform(self, matrix)
    }

    /// Deforms a reduced body: one number per mode.
    fn set_coordinates(&self, coordinates: &Bound<'_, PyAny>) -> PyResult<()> {
        kinds::set_coordinates(self, coordinates)
    }

    /// Poses a skinned body: matrices (joints, 4, 4) from the bind pose to the world, that is each
    /// joint's world matrix times its inverse bind matrix; and a weight per morph target.
    #[pyo3(signature = (joints, morph_weights=None))]
    fn set_pose(
        &self,
        joints: &Bound<'_, PyAny>,
        morph_weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        kinds::set_pose(self, joints, morph_weights)
    }

    /// Moves a keyframed body to a time; earlier times are allowed.
    fn advance(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        kinds::advance(self, py, time)
    }

    /// All pairs of triangles that touch another body's: exact, as testing every pair would find
    /// them. With `limit`, more pairs than that are an error.
    #[pyo3(signature = (other, limit=None))]
    fn intersections(
        &self,
        py: Python<'_>,
        other: &Self,
        limit: Option<usize>,
    ) -> PyResult<Intersections> {
        queries::intersections(py, self, other, limit)
    }

    /// Whether the body touches another.
    fn intersects(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        queries::intersects(py, self, other)
    }

    /// All pairs of triangles of the body that touch one another, but for neighbours.
    ///
    /// >>> import numpy as np, pliant
    /// >>> two = np.vstack([np.eye(3), np.eye(3) + [0.25, -0.25, 0]])
    /// >>> pliant.Body.free(two, [[0, 1, 2], [3, 4, 5]]).self_intersections().pairs
    /// array([[0, 1]], dtype=uint32)
    #[pyo3(signature = (limit=None))]
    fn self_intersections(&self, py: Python<'_>, limit: Option<usize>) -> PyResult<Intersections> {
        queries::self_intersections(py, self, limit)
    }

    /// All pairs of triangles at most `distance` apart, with nearest points and normals.
    ///
    /// >>> import numpy as np, pliant
    /// >>> a, b = (pliant.Body.free(np.eye(3) * [1, 1, 0] + [0, 0, z], [[0, 1, 2]]) for z in (0, 0.5))
    /// >>> a.within(b, 0.6).distances
    /// array([0.5])
    fn within(&self, py: Python<'_>, other: &Self, distance: f64) -> PyResult<Within> {
        queries::within(py, self, other, distance)
    }

    /// All pairs of triangles of the body that are at most `distance` apart, but for neighbours.
    fn self_within(&self, py: Python<'_>, distance: f64) -> PyResult<Within> {
        queries::self_within(py, self, distance)
    }

    /// The pieces of contact with another body: how deep, where, and which way out.
    ///
    /// >>> import numpy as np, pliant
    /// >>> corners, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    /// >>> a, b = (pliant.Body.rigid(np.add(corners, [x, 0.1 * x, 0.1 * x]), faces) for x in (0, 0.5))
    /// >>> found = a.penetration(b)
    /// >>> len(found), found.depth is not None
    /// (1, True)
    fn penetration(&self, py: Python<'_>, other: &Self) -> PyResult<Penetration> {
        queries::penetration(py, self, other)
    }

    /// The pieces of contact of the body with itself.
    fn self_penetration(&self, py: Python<'_>) -> PyResult<Penetration> {
        queries::self_penetration(py, self)
    }

    /// The first triangle that each ray hits: origins (n, 3), directions (n, 3) of any length.
    ///
    /// >>> import pliant
    /// >>> body = pliant.Body.rigid([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> hits = body.ray_cast([[0.2, 0.2, 3], [9, 9, 9]], [[0, 0, -1], [0, 0, -1]])
    /// >>> hits.triangles, hits.t
    /// (array([ 0, -1]), array([ 3., inf]))
    fn ray_cast(
        &self,
        origins: &Bound<'_, PyAny>,
        directions: &Bound<'_, PyAny>,
    ) -> PyResult<RayHits> {
        points::ray_cast(self, origins, directions)
    }

    /// The point of the body that is nearest to each given point (n, 3).
    ///
    /// >>> import pliant
    /// >>> body = pliant.Body.rigid([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    /// >>> body.closest_points([[0.25, 0.25, 3], [4, 0, 0]]).distances
    /// array([3., 3.])
    fn closest_points(&self, given: &Bound<'_, PyAny>) -> PyResult<ClosestPoints> {
        points::closest_points(self, given)
    }

    /// Where points (n, 3) lie: exact, and "open" where a border decides.
    ///
    /// >>> import pliant
    /// >>> corners, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    /// >>> pliant.Body.rigid(corners, faces).inside([[0.1, 0.1, 0.1], [1, 1, 1]]).inside
    /// array([ True, False])
    fn inside(&self, given: &Bound<'_, PyAny>) -> PyResult<PointLocations> {
        points::inside(self, given)
    }

    /// The generalised winding number at points (n, 3): a number, also for open meshes.
    fn winding_numbers<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        points::winding_numbers(self, given)
    }

    /// The kind of body: "free", "rigid", "affine", "reduced", "skinned" or "keyframed".
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        self.read(AnyBody::kind)
    }

    /// The current positions of all vertices, a new array (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let snapshot = self.snapshot();
        let body = snapshot.body().map_err(refused)?;
        let vertices = 0..body.mesh().positions().len() as u32;
        point_array(py, vertices.filter_map(|vertex| body.position(vertex)))
    }

    /// The positions at rest, a new array (n, 3).
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let snapshot = self.snapshot();
        let body = snapshot.body().map_err(refused)?;
        point_array(py, body.mesh().positions().iter().copied())
    }

    /// The faces, a new array (m, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let snapshot = self.snapshot();
        let body = snapshot.body().map_err(refused)?;
        row_array(py, body.mesh().triangles().to_vec())
    }

    /// A box around the body now: its lowest and its highest corner, (2, 3).
    #[getter]
    fn bounding_box<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bound = self.read(|body| body.bounding_box())?;
        let corners = pliant::volume::Volume::corners(&bound);
        point_array(py, corners)
    }

    /// A body of its own in the same state. Mesh and tree are shared.
    pub(crate) fn copy(&self) -> PyResult<Self> {
        self.read(|body| Self::own(body.clone()))
    }

    fn __copy__(&self) -> PyResult<Self> {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.copy()
    }

    fn __repr__(&self) -> PyResult<String> {
        self.read(|body| {
            let mesh = body.mesh();
            let (vertices, triangles) = (mesh.positions().len(), mesh.triangles().len());
            format!("<pliant.Body, {}: {vertices} vertices, {triangles} triangles>", body.kind())
        })
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let restore = py.import("pliant._restore")?.getattr("restore_body")?;
        Ok((restore, (pickle::parts(py, self)?,)))
    }
}
