//! Bodies as dictionaries of arrays: what `pickle` stores. `pliant/_restore.py` makes bodies of them.

use pliant::AnyBody;
use pliant::deform::Modes;
use pliant::glam::{DAffine3, DVec3};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{array, matrix_array, point_array, point_list_array, row_array};
use crate::body::Body;
use crate::error::refused;
use crate::kinds;

/// Everything that a body is made of, and its state.
pub(crate) fn parts<'py>(py: Python<'py>, body: &Body) -> PyResult<Bound<'py, PyDict>> {
    let snapshot = body.snapshot();
    let body = snapshot.body().map_err(refused)?;
    let mesh = body.mesh();
    let parts = PyDict::new(py);
    parts.set_item("kind", body.kind())?;
    parts.set_item("vertices", point_array(py, mesh.positions().iter().copied())?)?;
    parts.set_item("faces", row_array(py, mesh.triangles().to_vec())?)?;
    match body {
        AnyBody::Rigid(body) => {
            let isometry = body.deformation().isometry;
            let map =
                DAffine3 { matrix3: isometry.rotation(), translation: isometry.translation() };
            parts.set_item("transform", matrix_array(py, map)?)?;
        }
        AnyBody::Affine(body) => {
            parts.set_item("transform", matrix_array(py, body.deformation().map())?)?;
        }
        AnyBody::Free(body) => {
            let positions = body.deformation().positions().iter().copied();
            parts.set_item("positions", point_array(py, positions)?)?;
        }
        AnyBody::Reduced(body) => {
            let deformation = body.deformation();
            parts.set_item("modes", point_list_array(py, &fields(deformation.modes()))?)?;
            parts.set_item("coordinates", array(py, deformation.coordinates().to_vec()))?;
            parts.set_item("transform", matrix_array(py, deformation.frame())?)?;
        }
        AnyBody::Skinned(body) => {
            let skin = body.deformation();
            let binding = skin.binding();
            let vertices = 0..binding.weights().vertices();
            let most = vertices.clone().map(|vertex| binding.weights().of(vertex).len()).max();
            let (mut joints, mut weights) = (Vec::new(), Vec::new());
            for vertex in vertices {
                let of = binding.weights().of(vertex);
                let padding = most.unwrap_or(0) - of.len();
                joints.extend(of.iter().map(|influence| influence.joint));
                joints.extend(std::iter::repeat_n(0, padding));
                weights.extend(of.iter().map(|influence| influence.weight));
                weights.extend(std::iter::repeat_n(0.0, padding));
            }
            let shape = (binding.weights().vertices(), most.unwrap_or(0));
            parts.set_item("joints", array(py, joints).call_method1("reshape", (shape,))?)?;
            parts.set_item("weights", array(py, weights).call_method1("reshape", (shape,))?)?;
            parts.set_item("joint_count", binding.joints())?;
            parts.set_item("blending", kinds::blending_name(skin.blending()))?;
            if let Some(morph) = binding.morph() {
                parts.set_item("morph", point_list_array(py, &fields(morph))?)?;
            }
            let matrices = skin.joints().iter().map(|&map| matrix_array(py, map));
            let matrices = PyList::new(py, matrices.collect::<PyResult<Vec<_>>>()?)?;
            let pose = py.import("numpy")?.call_method1("array", (matrices,))?;
            parts.set_item("pose", pose.call_method1("reshape", ((-1, 4, 4),))?)?;
            parts.set_item("morph_weights", array(py, skin.morph_weights().to_vec()))?;
        }
        AnyBody::Keyframed(body) => {
            let flight = body.deformation();
            let keyframes = flight.keyframes().filter(|_| flight.follows_keyframes());
            let keyframes =
                keyframes.ok_or_else(|| refused("a body with changed plans cannot be pickled"))?;
            parts.set_item("times", array(py, keyframes.times().to_vec()))?;
            parts.set_item("frames", point_list_array(py, keyframes.frames())?)?;
            parts.set_item("time", body.time())?;
        }
        other => return Err(refused(format!("a {} body cannot be pickled", other.kind()))),
    }
    Ok(parts)
}

/// One displacement field per mode.
pub(crate) fn fields(modes: &Modes) -> Vec<Vec<DVec3>> {
    let field = |mode: usize| {
        (0..modes.vertices()).map(|vertex| modes.of(vertex)[mode].as_dvec3()).collect()
    };
    (0..modes.count()).map(field).collect()
}
