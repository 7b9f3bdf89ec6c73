//! Constructors and setters of the kinds of bodies.

use std::sync::Arc;

use pliant::AnyBody;
use pliant::deform::{Binding, Blending, Influence, Isometry, Keyframes, Modes, SkinWeights};
use pliant::glam::{DAffine3, DMat3, DQuat};
use pliant::limits::WEIGHT_SUM_SLACK;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{Points, affine_map, affine_maps, numbers, point_lists, whole_rows};
use crate::body::Body;
use crate::error::refused;
use crate::interrupt::detached;
use crate::mesh::mesh_of;

/// How far a matrix may be from a rotation that a rigid body takes: files hold them in f32.
const ROTATION_SLACK: f64 = 1e-4;

type Any<'a, 'py> = &'a Bound<'py, PyAny>;

pub(crate) fn reduced(vertices: Any, faces: Any, modes: Any) -> PyResult<Body> {
    let mesh = mesh_of(vertices, Some(faces))?;
    let fields = point_lists(modes, "modes")?;
    let made = detached(vertices.py(), || {
        let modes = Modes::from_fields(mesh.positions().len(), &fields)?;
        pliant::Body::reduced(mesh, Arc::new(modes))
    });
    made.map(Body::own).map_err(refused)
}

pub(crate) fn skinned(
    vertices: Any,
    faces: Any,
    (joints, weights, joint_count): (Option<Any>, Any, Option<usize>),
    blending: &str,
    morph: Option<Any>,
) -> PyResult<Body> {
    let blending = blending_of(blending)?;
    let mesh = mesh_of(vertices, Some(faces))?;
    let (weights, used) = skin_weights(joints, weights)?;
    let count = joint_count.unwrap_or(used);
    let morph = morph.map(|morph| point_lists(morph, "morph")).transpose()?;
    let made = detached(vertices.py(), || {
        let mut binding = Binding::new(weights, count)?;
        if let Some(fields) = morph {
            binding = binding.with_morph(Modes::from_fields(mesh.positions().len(), &fields)?)?;
        }
        pliant::Body::skinned(mesh, binding, blending)
    });
    made.map(Body::own).map_err(refused)
}

pub(crate) fn blending_of(name: &str) -> PyResult<Blending> {
    match name {
        "linear" => Ok(Blending::Linear),
        "spherical" => Ok(Blending::Spherical),
        "dual-quaternion" => Ok(Blending::DualQuaternion),
        _ => Err(refused(format!(
            "blending must be \"linear\", \"spherical\" or \"dual-quaternion\", not {name:?}"
        ))),
    }
}

pub(crate) fn blending_name(blending: Blending) -> &'static str {
    match blending {
        Blending::Linear => "linear",
        Blending::Spherical => "spherical",
        Blending::DualQuaternion => "dual-quaternion",
    }
}

/// Influences of every vertex, normalised, and the number of joints that they name.
fn skin_weights(joints: Option<Any>, weights: Any) -> PyResult<(SkinWeights, usize)> {
    let rows: Vec<Vec<f64>> = weights
        .try_iter()?
        .enumerate()
        .map(|(vertex, row)| numbers(&row?, &format!("the weights of vertex {vertex}")))
        .collect::<PyResult<_>>()?;
    let columns = rows.first().map_or(0, Vec::len);
    let named = match joints {
        Some(joints) => Some(joint_rows(joints, columns)?),
        None => None,
    };
    if let Some(named) = &named
        && named.len() != rows.len()
    {
        return Err(refused(format!(
            "{} rows of joints were given, but {} of weights",
            named.len(),
            rows.len()
        )));
    }
    let mut all = SkinWeights::default();
    let mut used = if named.is_none() { columns } else { 0 };
    for (vertex, row) in rows.iter().enumerate() {
        let sum: f64 = row.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) || row.iter().any(|&weight| weight < 0.0) {
            return Err(refused(format!("the weights of vertex {vertex} are not usable: {row:?}")));
        }
        // Weights that are normalised keep their bits.
        let sum = if (sum - 1.0).abs() <= WEIGHT_SUM_SLACK { 1.0 } else { sum };
        let mut influences: Vec<Influence> = Vec::with_capacity(row.len());
        for (column, &weight) in row.iter().enumerate().filter(|&(_, &weight)| weight > 0.0) {
            let joint = named.as_ref().map_or(column as u32, |named| named[vertex][column]);
            used = used.max(joint as usize + 1);
            let weight = weight / sum;
            match influences.iter_mut().find(|known| known.joint == joint) {
                Some(known) => known.weight += weight,
                None => influences.push(Influence { joint, weight }),
            }
        }
        all.push(&influences);
    }
    Ok((all, used))
}

/// Joint numbers with as many columns as the weights have.
fn joint_rows(joints: Any, columns: usize) -> PyResult<Vec<Vec<u32>>> {
    let flat = joints.py().import("numpy")?.call_method1("reshape", (joints, (-1, 1)))?;
    let flat = whole_rows::<1>(&flat, "joints")?.into_flattened();
    Ok(flat.chunks(columns.max(1)).map(<[u32]>::to_vec).collect())
}

pub(crate) fn keyframed(vertices: Any, faces: Any, times: Any, frames: Any) -> PyResult<Body> {
    let mesh = mesh_of(vertices, Some(faces))?;
    let (times, frames) = (numbers(times, "times")?, point_lists(frames, "frames")?);
    let made =
        detached(vertices.py(), || pliant::Body::keyframed(mesh, Keyframes::new(times, frames)?));
    made.map(Body::own).map_err(refused)
}

/// The error of a setter that the kind of body does not have.
fn wrong_kind(setter: &str, kinds: &str, body: &AnyBody) -> PyErr {
    PyTypeError::new_err(format!("{setter} needs a {kinds} body; this one is {}", body.kind()))
}

pub(crate) fn set_positions(body: &Body, positions: Any) -> PyResult<()> {
    let points = Points::of(positions, "positions")?;
    let slice = points.as_slice();
    body.change(positions.py(), |body| match body {
        AnyBody::Free(body) => body.set_positions(slice).map_err(refused),
        other => Err(wrong_kind("set_positions", "free", other)),
    })
}

pub(crate) fn set_transform(body: &Body, matrix: Any) -> PyResult<()> {
    let map = affine_map(matrix)?;
    body.change(matrix.py(), |body| match body {
        AnyBody::Rigid(body) => {
            body.set_isometry(isometry_of(map)?);
            Ok(())
        }
        AnyBody::Affine(body) => body.set_map(map).map_err(refused),
        AnyBody::Reduced(body) => body.set_frame(map).map_err(refused),
        other => Err(wrong_kind("set_transform", "rigid, affine or reduced", other)),
    })
}

/// A map that is a rotation and a translation: kept bit for bit if it is one up to rounding.
fn isometry_of(map: DAffine3) -> PyResult<Isometry> {
    let m = map.matrix3;
    if let Some(isometry) = Isometry::from_matrix(m, map.translation) {
        return Ok(isometry);
    }
    let off = m * m.transpose() - DMat3::IDENTITY;
    let is_rotation =
        m.determinant() > 0.0 && off.to_cols_array().iter().all(|x| x.abs() <= ROTATION_SLACK);
    if !is_rotation {
        return Err(refused("the matrix is no rotation and translation: use Body.affine"));
    }
    Isometry::new(DQuat::from_mat3(&m), map.translation).map_err(refused)
}

pub(crate) fn set_coordinates(body: &Body, coordinates: Any) -> PyResult<()> {
    let q = numbers(coordinates, "coordinates")?;
    body.change(coordinates.py(), |body| match body {
        AnyBody::Reduced(body) => body.set_coordinates(&q).map_err(refused),
        other => Err(wrong_kind("set_coordinates", "reduced", other)),
    })
}

pub(crate) fn set_pose(body: &Body, joints: Any, morph_weights: Option<Any>) -> PyResult<()> {
    let maps = affine_maps(joints, "joints")?;
    let weights = morph_weights.map(|given| numbers(given, "morph weights")).transpose()?;
    body.change(joints.py(), |body| match body {
        AnyBody::Skinned(body) => {
            let rest = || vec![0.0; body.deformation().binding().targets()];
            let weights = weights.unwrap_or_else(rest);
            body.set_pose(&maps, &weights).map_err(refused)
        }
        other => Err(wrong_kind("set_pose", "skinned", other)),
    })
}

pub(crate) fn advance(body: &Body, py: Python<'_>, time: f64) -> PyResult<()> {
    body.change(py, |body| match body {
        AnyBody::Keyframed(body) if time < body.time() => body.rewind(time).map_err(refused),
        AnyBody::Keyframed(body) => body.advance(time).map_err(refused),
        other => Err(wrong_kind("advance", "keyframed", other)),
    })
}
