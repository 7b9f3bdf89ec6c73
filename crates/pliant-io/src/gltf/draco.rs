//! Primitives compressed with `KHR_draco_mesh_compression`.
//!
//! The stream is decoded by the crate `draco-core`, which has no unsafe code and refuses more faces,
//! points and bytes than it is told to allow. That is what the accessors state, after the file's
//! allowances have been charged for it.

use std::collections::{BTreeMap, HashMap};

use draco_core::draco_types::DataType;
use draco_core::geometry_attribute::PointAttribute;
use draco_core::geometry_indices::PointIndex;
use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};
use serde::Deserialize;

use super::accessor::{Numbers, Reader};
use super::asset::DRACO;
use super::json::{PrimitiveJson, whole};
use super::json_values::{Count, Object};
use super::layout::{Component, Layout};
use super::limits::DRACO_BYTES_PER_FACE;
use super::primitive::is_shape;
use crate::Result;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DracoJson {
    buffer_view: Count,
    /// The stream's number of each attribute.
    attributes: BTreeMap<String, Count>,
}

/// The numbers of the accessors that a stream provides.
#[derive(Default)]
pub(super) struct Decoded(HashMap<usize, Vec<f64>>);

impl Decoded {
    /// The numbers of an accessor, as [`Reader::numbers`] returns them.
    pub(super) fn numbers(
        &self,
        accessor: usize,
        reader: &Reader<'_>,
        element: &str,
    ) -> Result<Option<Numbers>> {
        match self.0.get(&accessor) {
            Some(raw) => {
                let (_, layout) = reader.accessor(accessor, element)?;
                Ok(Some(Numbers { raw: raw.clone(), layout }))
            }
            None => reader.numbers(accessor, element),
        }
    }
}

/// Decodes the stream of a primitive; nothing if it is not compressed.
pub(super) fn read(reader: &Reader<'_>, json: &PrimitiveJson, element: &str) -> Result<Decoded> {
    let Some(raw) = json.extensions.get(DRACO) else { return Ok(Decoded::default()) };
    let fail = |reason: String| reader.source.malformed(element, format!("{DRACO}: {reason}"));
    let draco: Object<DracoJson> =
        serde_json::from_str(raw.get()).map_err(|error| fail(whole(&error)))?;
    let Some(bytes) = reader.bytes(draco.buffer_view.index(), element)? else {
        return Ok(Decoded::default());
    };
    if json.mode.is_some_and(|mode| mode.0 != 4) {
        return Err(reader.source.unsupported(element, "compressed triangles are not a list"));
    }
    let Some(indices) = json.indices.map(|accessor| accessor.index()) else {
        return Err(fail("it has no indices".into()));
    };
    let used = || json.attributes.iter().filter(|(name, _)| is_shape(name));
    // All that is kept is charged before anything is decoded.
    let (_, corners) = reader.accessor(indices, element)?;
    let mut points = None;
    reader.spend(corners.count as u64, element)?;
    for (_, accessor) in used() {
        let (_, layout) = reader.accessor(accessor.index(), element)?;
        let numbers = (layout.count as u64).saturating_mul(layout.kind.numbers() as u64);
        reader.spend(numbers, element)?;
        // Counts of attributes were checked to be equal.
        points = Some(layout.count);
    }
    let Some(points) = points else { return Ok(Decoded::default()) };
    let faces = corners.count as u64 / 3;
    reader.spend_decoded(faces.saturating_mul(DRACO_BYTES_PER_FACE), element)?;
    let limits = DecodeLimits::default()
        .with_max_points(points as u64)
        .with_max_faces(faces)
        .with_max_decoded_bytes(reader.decoded_left());
    let mut mesh = Mesh::new();
    let mut stream = DecoderBuffer::new(bytes).with_limits(limits);
    MeshDecoder::new().decode(&mut stream, &mut mesh).map_err(|error| fail(error.to_string()))?;
    if mesh.num_points() != points || mesh.num_faces() as u64 * 3 != corners.count as u64 {
        let (vertices, faces, corners) = (mesh.num_points(), mesh.num_faces(), corners.count);
        return Err(fail(format!(
            "{vertices} vertices and {faces} triangles do not fit accessors of {points} vertices \
             and {corners} indices"
        )));
    }
    let mut decoded = Decoded::default();
    let corners = mesh.faces().as_flattened().iter().map(|point| f64::from(point.0));
    decoded.0.insert(indices, corners.collect());
    let mut bytes = 0u64;
    for (name, accessor) in used() {
        let Some(number) = draco.attributes.get(name) else { continue };
        let found = u32::try_from(number.0).ok().and_then(|id| mesh.attribute_by_unique_id(id));
        let Some(attribute) = found else {
            return Err(fail(format!("{name} names attribute {}, which is not there", number.0)));
        };
        bytes = bytes.saturating_add(attribute.buffer().data_size() as u64);
        let (_, layout) = reader.accessor(accessor.index(), element)?;
        let numbers = numbers(attribute, &layout).map_err(|it| fail(format!("{name} {it}")))?;
        decoded.0.insert(accessor.index(), numbers);
    }
    reader.spend_decoded(bytes, element)?;
    Ok(decoded)
}

/// The numbers of an attribute for all points, if they are of the kind that the accessor states.
fn numbers(attribute: &PointAttribute, layout: &Layout) -> std::result::Result<Vec<f64>, String> {
    let width = layout.kind.numbers();
    if usize::from(attribute.num_components()) != width {
        return Err(format!("has {} numbers instead of {width}", attribute.num_components()));
    }
    let stored = match attribute.data_type() {
        DataType::Int8 => Component::I8,
        DataType::Uint8 => Component::U8,
        DataType::Int16 => Component::I16,
        DataType::Uint16 => Component::U16,
        DataType::Uint32 => Component::U32,
        DataType::Float32 => Component::F32,
        other => return Err(format!("is stored as {other:?}")),
    };
    if !layout.component.has_all_values_of(stored) {
        return Err(format!(
            "is stored as {stored:?}, but its accessor says {:?}",
            layout.component
        ));
    }
    let size = stored.size();
    let stride = usize::try_from(attribute.byte_stride()).unwrap_or(0);
    if stride < width * size {
        return Err(format!("has elements of {stride} bytes"));
    }
    let data = attribute.buffer().data();
    // The count was charged.
    let mut numbers = Vec::with_capacity(layout.count * width);
    for point in 0..layout.count {
        let value = attribute.mapped_index(PointIndex(point as u32)).0 as usize;
        let start = value.checked_mul(stride);
        let bytes = start.and_then(|start| data.get(start..start.checked_add(width * size)?));
        let bytes = bytes.ok_or_else(|| format!("has no value for vertex {point}"))?;
        numbers.extend(bytes.chunks_exact(size).map(|word| stored.read(word)));
    }
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(bad) => Err(format!("of vertex {} is {}", bad / width, numbers[bad])),
        None => Ok(numbers),
    }
}
