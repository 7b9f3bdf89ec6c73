//! A mesh of Bevy as a body of pliant.

use bevy_mesh::{
    Indices, Mesh, MeshAccessError, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues,
};
use pliant::deform::{Binding, Blending, Influence, Modes, SkinWeights};
use pliant::glam::DVec3;
use pliant::limits::WEIGHT_SUM_SLACK;
use pliant::{AnyBody, Body};

use crate::Refused;

/// The body of a mesh: skinned if it has so many joints, deformed by its morph targets if it has any,
/// else moved by its transform alone. Triangles keep their numbers.
pub(crate) fn body_of(mesh: &Mesh, joints: Option<usize>) -> Result<AnyBody, Refused> {
    let positions = positions_of(mesh)?;
    let (vertices, morph) = (positions.len(), morph_of(mesh, positions.len())?);
    let shape = pliant::Mesh::new(positions, triangles_of(mesh, vertices)?)?;
    if let Some(joints) = joints {
        let binding = Binding::new(weights_of(mesh, vertices)?, joints)?;
        let binding = match morph {
            Some(morph) => binding.with_morph(morph)?,
            None => binding,
        };
        return Ok(Body::skinned(shape, binding, Blending::Linear)?.into());
    }
    Ok(match morph {
        Some(morph) => Body::reduced(shape, morph.into())?.into(),
        None => Body::affine(shape)?.into(),
    })
}

fn refused(error: &MeshAccessError, attribute: &'static str) -> Refused {
    match error {
        MeshAccessError::ExtractedToRenderWorld => Refused::Extracted,
        MeshAccessError::NotFound => Refused::Missing(attribute),
    }
}

fn values(mesh: &Mesh, attribute: MeshVertexAttribute) -> Result<&VertexAttributeValues, Refused> {
    mesh.try_attribute(attribute).map_err(|error| refused(&error, attribute.name))
}

fn other_format(attribute: MeshVertexAttribute, given: &VertexAttributeValues) -> Refused {
    Refused::Format { attribute: attribute.name, format: given.enum_variant_name() }
}

fn point([x, y, z]: [f32; 3]) -> DVec3 {
    DVec3::new(x.into(), y.into(), z.into())
}

fn positions_of(mesh: &Mesh) -> Result<Vec<DVec3>, Refused> {
    match values(mesh, Mesh::ATTRIBUTE_POSITION)? {
        VertexAttributeValues::Float32x3(all) => Ok(all.iter().copied().map(point).collect()),
        other => Err(other_format(Mesh::ATTRIBUTE_POSITION, other)),
    }
}

/// Three corners per triangle; what is left of a last triangle is none.
fn triangles_of(mesh: &Mesh, vertices: usize) -> Result<Vec<[u32; 3]>, Refused> {
    let corners: Vec<u32> = match mesh.try_indices_option().map_err(|e| refused(&e, "indices"))? {
        None => (0..u32::try_from(vertices).unwrap_or(u32::MAX)).collect(),
        Some(Indices::U16(all)) => all.iter().copied().map(u32::from).collect(),
        Some(Indices::U32(all)) => all.clone(),
    };
    match mesh.primitive_topology() {
        PrimitiveTopology::TriangleList => Ok(corners.as_chunks::<3>().0.to_vec()),
        // Every second triangle of a strip is turned over.
        PrimitiveTopology::TriangleStrip => Ok(corners
            .windows(3)
            .enumerate()
            .map(
                |(number, of)| {
                    if number % 2 == 0 { [of[0], of[1], of[2]] } else { [of[1], of[0], of[2]] }
                },
            )
            .collect()),
        other => Err(Refused::Topology(format!("{other:?}"))),
    }
}

/// The displacements of all targets: Bevy keeps one target after the other.
fn morph_of(mesh: &Mesh, vertices: usize) -> Result<Option<Modes>, Refused> {
    let all = match mesh.try_morph_targets() {
        Ok(all) => all,
        Err(MeshAccessError::NotFound) => return Ok(None),
        Err(error) => return Err(refused(&error, "morph targets")),
    };
    if vertices == 0 || !all.len().is_multiple_of(vertices) {
        let (given, expected) = (all.len(), all.len().next_multiple_of(vertices.max(1)));
        return Err(Refused::Count { what: "displacements of morph targets", given, expected });
    }
    if all.is_empty() {
        return Ok(None);
    }
    let displacement = |of: &bevy_mesh::morph::MorphAttributes| point(of.position.to_array());
    let fields: Vec<Vec<DVec3>> =
        all.chunks(vertices).map(|target| target.iter().map(displacement).collect()).collect();
    Ok(Some(Modes::from_fields(vertices, &fields)?))
}

fn weights_of(mesh: &Mesh, vertices: usize) -> Result<SkinWeights, Refused> {
    let joints: Vec<[u32; 4]> = match values(mesh, Mesh::ATTRIBUTE_JOINT_INDEX)? {
        VertexAttributeValues::Uint16x4(all) => all.iter().map(|of| of.map(u32::from)).collect(),
        VertexAttributeValues::Uint8x4(all) => all.iter().map(|of| of.map(u32::from)).collect(),
        VertexAttributeValues::Uint32x4(all) => all.clone(),
        other => return Err(other_format(Mesh::ATTRIBUTE_JOINT_INDEX, other)),
    };
    let weights: Vec<[f64; 4]> = match values(mesh, Mesh::ATTRIBUTE_JOINT_WEIGHT)? {
        VertexAttributeValues::Float32x4(all) => all.iter().map(|of| of.map(f64::from)).collect(),
        VertexAttributeValues::Unorm16x4(all) => {
            all.iter().map(|of| of.map(|part| f64::from(part) / 65535.0)).collect()
        }
        VertexAttributeValues::Unorm8x4(all) => {
            all.iter().map(|of| of.map(|part| f64::from(part) / 255.0)).collect()
        }
        other => return Err(other_format(Mesh::ATTRIBUTE_JOINT_WEIGHT, other)),
    };
    for (what, given) in [("joint indices", joints.len()), ("joint weights", weights.len())] {
        if given != vertices {
            return Err(Refused::Count { what, given, expected: vertices });
        }
    }
    let mut all = SkinWeights::default();
    for (vertex, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
        all.push(&influences(joints, weights).ok_or(Refused::Weights(vertex))?);
    }
    Ok(all)
}

/// The influences of a vertex, with a sum of 1: weights in `f32` have it up to rounding.
fn influences(joints: &[u32; 4], weights: &[f64; 4]) -> Option<Vec<Influence>> {
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) || weights.iter().any(|&weight| weight < 0.0) {
        return None;
    }
    // Weights that are normalised keep their bits.
    let sum = if (sum - 1.0).abs() <= WEIGHT_SUM_SLACK { 1.0 } else { sum };
    let mut known: Vec<Influence> = Vec::with_capacity(4);
    for (&joint, &weight) in joints.iter().zip(weights).filter(|&(_, &weight)| weight > 0.0) {
        match known.iter_mut().find(|known| known.joint == joint) {
            Some(known) => known.weight += weight / sum,
            None => known.push(Influence { joint, weight: weight / sum }),
        }
    }
    Some(known)
}
