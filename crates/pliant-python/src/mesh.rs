//! Meshes from arrays, from objects of other packages and from files.

use std::path::{Path, PathBuf};

use pliant::Mesh;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{Points, whole_rows};
use crate::error::refused;
use crate::interrupt::detached;

/// A mesh of vertices and faces; or, without faces, of a `trimesh.Trimesh`, a `pyvista.PolyData` or
/// the path of a file with one object.
pub(crate) fn mesh_of(
    vertices: &Bound<'_, PyAny>,
    faces: Option<&Bound<'_, PyAny>>,
) -> PyResult<Mesh> {
    if let Some(faces) = faces {
        let points = Points::of(vertices, "vertices")?.to_vec();
        let triangles = whole_rows::<3>(faces, "faces")?;
        return detached(vertices.py(), || Mesh::new(points, triangles)).map_err(refused);
    }
    if let Ok(path) = vertices.extract::<PathBuf>() {
        return detached(vertices.py(), || single_object(&path));
    }
    // Names that trimesh and PyVista give to the same things.
    for (points, triangles) in [("vertices", "faces"), ("points", "regular_faces")] {
        if let (Ok(points), Ok(triangles)) = (vertices.getattr(points), vertices.getattr(triangles))
        {
            return mesh_of(&points, Some(&triangles));
        }
    }
    let kind = vertices.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "faces are missing: give vertices and faces, a path, or an object with both, not a {kind}"
    )))
}

/// The mesh of a file with one object, at rest.
fn single_object(path: &Path) -> PyResult<Mesh> {
    let scene = pliant_io::load(path).map_err(refused)?;
    match scene.objects() {
        [object] => Ok(object.mesh.as_ref().clone()),
        objects => Err(refused(format!(
            "{} has {} objects: use pliant.load and Scene.body",
            path.display(),
            objects.len()
        ))),
    }
}
