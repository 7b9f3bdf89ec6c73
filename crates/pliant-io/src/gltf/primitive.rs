//! One primitive of a mesh: positions, triangles, morph displacements, influences.

use pliant::glam::DVec3;

use super::accessor::Reader;
use super::asset::QUANTIZATION;
use super::draco::{self, Decoded};
use super::json::{Attributes, PrimitiveJson};
use super::layout::{Component, Kind};
use super::weights::{self, Influences};
use crate::{Error, Result};

/// A decoded primitive.
pub(super) struct Primitive {
    /// Its vertices.
    pub(super) positions: Vec<DVec3>,
    /// Its triangles, by its own vertex numbers, or why it has none.
    pub(super) triangles: std::result::Result<Vec<[u32; 3]>, Skipped>,
    /// The displacements of each morph target; `None` if it has none.
    pub(super) deltas: Vec<Option<Vec<DVec3>>>,
    /// Joints and weights.
    pub(super) influences: Option<Influences>,
    /// The number of vertices or indices at the end that do not form a whole triangle.
    pub(super) left_over: usize,
}

/// Why a primitive has no triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skipped {
    PointsOrLines,
    NoPositions,
    NoData,
}

/// The use of a buffer view; the format forbids both uses at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Vertices,
    Indices,
}

/// The uses of all buffer views so far.
pub(super) struct Roles(Vec<Option<Role>>);

impl Roles {
    /// The uses that the buffer views state.
    pub(super) fn stated(reader: &Reader<'_>) -> Self {
        let stated = reader.document.buffer_views.iter();
        Self(
            stated
                .map(|view| match view.target.map(|target| target.0) {
                    Some(34962) => Some(Role::Vertices),
                    Some(34963) => Some(Role::Indices),
                    _ => None,
                })
                .collect(),
        )
    }
}

/// One primitive while it is read.
pub(super) struct Scope<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) roles: &'a mut Roles,
    pub(super) element: String,
    pub(super) json: &'a PrimitiveJson,
}

impl Scope<'_> {
    /// Reads the primitive. All of its data is checked, even if the primitive is skipped in the
    /// end.
    pub(super) fn read(mut self) -> Result<Primitive> {
        let json = self.json;
        if json.attributes.is_empty() {
            return Err(self.fail("it has no attributes"));
        }
        let mode = json.mode.map_or(4, |mode| mode.0);
        if mode > 6 {
            return Err(self.fail(format!("its mode {mode} is unknown")));
        }
        let vertices = self.check_attributes(&json.attributes, None)?;
        let decoded = draco::read(self.reader, json, &self.element)?;
        let positions = match json.attributes.get("POSITION") {
            None => Err(Skipped::NoPositions),
            Some(accessor) => self.vectors(accessor.index(), &decoded)?.ok_or(Skipped::NoData),
        };
        let mut deltas = Vec::with_capacity(json.targets.len());
        for target in json.targets.iter() {
            deltas.push(self.target(target, vertices)?);
        }
        let influences =
            weights::read(self.reader, &decoded, &json.attributes, vertices, &self.element)?;
        let indices = self.indices(vertices, &decoded)?;
        let (positions, triangles, left_over) = match (positions, indices, mode) {
            (Err(skipped), ..) => (Vec::new(), Err(skipped), 0),
            (_, Some(None), _) => (Vec::new(), Err(Skipped::NoData), 0),
            (_, _, 0..=3) => (Vec::new(), Err(Skipped::PointsOrLines), 0),
            (Ok(positions), Some(Some(indices)), _) => {
                let left_over = left_over(mode, indices.len());
                (positions, Ok(expand(mode, indices.len(), |at| indices[at])), left_over)
            }
            (Ok(positions), None, _) => {
                // Vertex numbers fit 32 bits, since the reader decodes at most 2^29 numbers.
                let triangles = expand(mode, vertices, |at| at as u32);
                (positions, Ok(triangles), left_over(mode, vertices))
            }
        };
        if triangles.is_ok() && influences.as_ref().is_some_and(|it| it.counts.is_empty()) {
            return Err(self.fail("its joints or weights are not in the file"));
        }
        Ok(Primitive { positions, triangles, deltas, influences, left_over })
    }

    fn fail(&self, reason: impl Into<String>) -> Error {
        self.reader.source.malformed(self.element.as_str(), reason)
    }

    /// Checks that all accessors of a set exist and have the same count, and records the use of
    /// their views.
    fn check_attributes(
        &mut self,
        attributes: &Attributes,
        expected: Option<usize>,
    ) -> Result<usize> {
        let mut expected = expected;
        for (name, accessor) in attributes {
            let accessors = &self.reader.document.accessors;
            let index = accessor.index();
            let json = self.reader.source.find(accessors, index, &self.element, "accessor")?;
            let count = json.count.index();
            if *expected.get_or_insert(count) != count {
                return Err(self.fail(format!(
                    "{name} has {count} elements, but others have a different count"
                )));
            }
            if let Some(view) = json.buffer_view {
                self.claim(view.index(), Role::Vertices)?;
            }
            if is_shape(name) {
                self.check_aligned(name, index)?;
            }
        }
        Ok(expected.unwrap_or(0))
    }

    /// Checks that the offset and stride of vertex data are multiples of 4 bytes.
    fn check_aligned(&self, name: &str, accessor: usize) -> Result<()> {
        let (json, layout) = self.reader.accessor(accessor, &self.element)?;
        let Some(view) = self.reader.view_of(json) else { return Ok(()) };
        let start = view.byte_offset.map_or(0, |offset| offset.index()) + layout.offset;
        if !start.is_multiple_of(4) || !layout.stride.is_multiple_of(4) {
            return Err(self.fail(format!("{name} does not lie at multiples of 4 bytes")));
        }
        Ok(())
    }

    fn claim(&mut self, view: usize, role: Role) -> Result<()> {
        // Views were checked with the accessors; views that only the appearance uses may be out of
        // range.
        let Some(known) = self.roles.0.get_mut(view) else { return Ok(()) };
        if *known.get_or_insert(role) != role {
            let reason = format!("bufferView {view} holds both vertices and indices");
            return Err(self.fail(reason));
        }
        Ok(())
    }

    /// Positions or displacements; `None` if the file does not have them.
    fn vectors(&self, accessor: usize, decoded: &Decoded) -> Result<Option<Vec<DVec3>>> {
        let (json, layout) = self.reader.accessor(accessor, &self.element)?;
        let quantized =
            self.reader.document.extensions_used.iter().any(|name| name == QUANTIZATION);
        let component = layout.component;
        let is_number = component == Component::F32 || (quantized && component != Component::U32);
        if layout.kind != Kind::VEC3 || !is_number {
            return Err(self.fail("its POSITION is not of three floats"));
        }
        if json.min.is_none() || json.max.is_none() {
            return Err(self.fail("its POSITION has no min and max"));
        }
        let numbers = decoded.numbers(accessor, self.reader, &self.element)?;
        Ok(numbers.map(|numbers| numbers.values().chunks_exact(3).map(DVec3::from_slice).collect()))
    }

    /// The displacements of one morph target.
    fn target(&mut self, target: &Attributes, vertices: usize) -> Result<Option<Vec<DVec3>>> {
        self.check_attributes(target, Some(vertices))?;
        let Some(accessor) = target.get("POSITION") else { return Ok(None) };
        if !self.json.attributes.contains_key("POSITION") {
            return Err(self.fail("a morph target has POSITION, but the primitive has none"));
        }
        // Displacements are never compressed.
        self.vectors(accessor.index(), &Decoded::default())
    }

    /// The indices: `None` if there are none, `Some(None)` if the file does not have their data.
    fn indices(&mut self, vertices: usize, decoded: &Decoded) -> Result<Option<Option<Vec<u32>>>> {
        let Some(accessor) = self.json.indices.map(|accessor| accessor.index()) else {
            return Ok(None);
        };
        let (json, layout) = self.reader.accessor(accessor, &self.element)?;
        let whole = matches!(layout.component, Component::U8 | Component::U16 | Component::U32);
        if layout.kind != Kind::SCALAR || !whole || layout.normalized {
            return Err(self.fail("its indices are not single unsigned integers"));
        }
        if self.reader.view_of(json).is_some_and(|view| view.byte_stride.is_some()) {
            return Err(self.fail("the bufferView of its indices has a byteStride"));
        }
        if let Some(view) = json.buffer_view {
            self.claim(view.index(), Role::Indices)?;
        }
        let Some(numbers) = decoded.numbers(accessor, self.reader, &self.element)? else {
            return Ok(Some(None));
        };
        let restart = layout.component.max();
        for (place, &number) in numbers.raw.iter().enumerate() {
            if number == restart {
                return Err(self.fail(format!("index {place} is the restart value {number}")));
            }
            if number >= vertices as f64 {
                let reason =
                    format!("index {place} is {number}, but there are {vertices} vertices");
                return Err(self.fail(reason));
            }
        }
        Ok(Some(Some(numbers.raw.iter().map(|&number| number as u32).collect())))
    }
}

/// Whether an attribute concerns the shape, and not only the appearance.
pub(super) fn is_shape(name: &str) -> bool {
    name == "POSITION" || name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_")
}

/// Triangles from a list (mode 4), a strip (5) or a fan (6), with the winding of the format.
fn expand(mode: u64, count: usize, corner: impl Fn(usize) -> u32) -> Vec<[u32; 3]> {
    match mode {
        4 => {
            (0..count / 3).map(|i| [corner(3 * i), corner(3 * i + 1), corner(3 * i + 2)]).collect()
        }
        5 => (0..count.saturating_sub(2))
            .map(|i| [corner(i), corner(i + 1 + i % 2), corner(i + 2 - i % 2)])
            .collect(),
        _ => (0..count.saturating_sub(2))
            .map(|i| [corner(i + 1), corner(i + 2), corner(0)])
            .collect(),
    }
}

/// The number of corners that do not form a whole triangle.
fn left_over(mode: u64, count: usize) -> usize {
    match mode {
        4 => count % 3,
        _ if count < 3 => count,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_keep_their_winding() {
        let corner = |at: usize| at as u32 + 10;
        assert_eq!(expand(4, 7, corner), [[10, 11, 12], [13, 14, 15]]);
        assert_eq!(expand(5, 5, corner), [[10, 11, 12], [11, 13, 12], [12, 13, 14]]);
        assert_eq!(expand(6, 5, corner), [[11, 12, 10], [12, 13, 10], [13, 14, 10]]);
        assert!(expand(5, 2, corner).is_empty() && expand(6, 0, corner).is_empty());
        assert_eq!((left_over(4, 7), left_over(5, 2), left_over(6, 5)), (1, 2, 0));
    }
}
