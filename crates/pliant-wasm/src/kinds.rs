//! Constructors and setters of the kinds of bodies.

use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat};
use pliant::deform::{Binding, Blending, Influence, Isometry, Keyframes, Modes, SkinWeights};
use pliant::limits::WEIGHT_SUM_SLACK;
use pliant::{AnyBody, Mesh};

use crate::arrays::{fields, points, triangles};
use crate::error::{Result, refused};

/// How far a matrix may be from a rotation that a rigid body takes: files hold them in f32.
const ROTATION_SLACK: f64 = 1e-4;

pub(crate) fn mesh(positions: &[f64], faces: &[u32]) -> Result<Mesh> {
    Mesh::new(points(positions, "positions")?, triangles(faces)?).map_err(refused)
}

pub(crate) fn modes(flat: &[f64], mesh: &Mesh, what: &str) -> Result<Modes> {
    let count = mesh.positions().len();
    Modes::from_fields(count, &fields(flat, count, what)?).map_err(refused)
}

pub(crate) fn keyframes(times: &[f64], frames: &[f64], mesh: &Mesh) -> Result<Keyframes> {
    let frames = fields(frames, mesh.positions().len(), "frames")?;
    Keyframes::new(times.to_vec(), frames).map_err(refused)
}

pub(crate) fn blending(name: &str) -> Result<Blending> {
    match name {
        "linear" => Ok(Blending::Linear),
        "spherical" => Ok(Blending::Spherical),
        "dual-quaternion" => Ok(Blending::DualQuaternion),
        _ => Err(refused(format!(
            "blending must be \"linear\", \"spherical\" or \"dual-quaternion\", not {name:?}"
        ))),
    }
}

/// As many joints and weights for each vertex; weights are normalised, as three.js and glTF do.
pub(crate) fn binding(
    joints: &[u32],
    weights: &[f64],
    joint_count: u32,
    mesh: &Mesh,
    morph: Option<Box<[f64]>>,
) -> Result<Binding> {
    let count = mesh.positions().len();
    let columns = weights.len() / count.max(1);
    if columns == 0 || weights.len() != columns * count || joints.len() != weights.len() {
        return Err(refused(format!(
            "{} joints and {} weights were given for {count} vertices",
            joints.len(),
            weights.len()
        )));
    }
    let mut all = SkinWeights::default();
    for (vertex, (joints, weights)) in
        joints.chunks(columns).zip(weights.chunks(columns)).enumerate()
    {
        all.push(&influences(vertex, joints, weights)?);
    }
    let binding = Binding::new(all, joint_count as usize).map_err(refused)?;
    match morph {
        None => Ok(binding),
        Some(flat) => binding.with_morph(modes(&flat, mesh, "morph")?).map_err(refused),
    }
}

fn influences(vertex: usize, joints: &[u32], weights: &[f64]) -> Result<Vec<Influence>> {
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) || weights.iter().any(|&weight| weight < 0.0) {
        return Err(refused(format!("the weights of vertex {vertex} are not usable: {weights:?}")));
    }
    // Weights that are normalised keep their bits.
    let sum = if (sum - 1.0).abs() <= WEIGHT_SUM_SLACK { 1.0 } else { sum };
    let mut known: Vec<Influence> = Vec::with_capacity(weights.len());
    for (&joint, &weight) in joints.iter().zip(weights).filter(|&(_, &weight)| weight > 0.0) {
        let weight = weight / sum;
        match known.iter_mut().find(|known| known.joint == joint) {
            Some(known) => known.weight += weight,
            None => known.push(Influence { joint, weight }),
        }
    }
    Ok(known)
}

/// The error of a setter that the kind of body does not have.
pub(crate) fn wrong_kind<T>(setter: &str, kinds: &str, body: &AnyBody) -> Result<T> {
    Err(refused(format!("{setter} needs a {kinds} body; this one is {}", body.kind())))
}

pub(crate) fn set_transform(body: &mut AnyBody, map: DAffine3) -> Result<()> {
    match body {
        AnyBody::Rigid(body) => {
            body.set_isometry(isometry(map)?);
            Ok(())
        }
        AnyBody::Affine(body) => body.set_map(map).map_err(refused),
        AnyBody::Reduced(body) => body.set_frame(map).map_err(refused),
        other => wrong_kind("setTransform", "rigid, affine or reduced", other),
    }
}

/// A map that is a rotation and a translation: kept bit for bit if it is one up to rounding.
fn isometry(map: DAffine3) -> Result<Isometry> {
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

pub(crate) fn reduced(positions: &[f64], faces: &[u32], flat: &[f64]) -> Result<AnyBody> {
    let mesh = mesh(positions, faces)?;
    let modes = Arc::new(modes(flat, &mesh, "modes")?);
    Ok(pliant::Body::reduced(mesh, modes).map_err(refused)?.into())
}
