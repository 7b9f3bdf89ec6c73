//! The layout of an accessor's numbers in its buffer view, checked against the view's size.

use super::Source;
use super::json::{AccessorJson, BufferViewJson, SparsePartJson};
use crate::{Error, Result};

/// The type of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u64) -> Option<Self> {
        match code {
            5120 => Some(Self::I8),
            5121 => Some(Self::U8),
            5122 => Some(Self::I16),
            5123 => Some(Self::U16),
            5125 => Some(Self::U32),
            5126 => Some(Self::F32),
            _ => None,
        }
    }

    /// Bytes per number.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Reads a number from exactly as many bytes as it has; all values are exact in `f64`.
    pub(super) fn read(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a]) => i8::from_le_bytes([a]).into(),
            (Self::U8, &[a]) => a.into(),
            (Self::I16, &[a, b]) => i16::from_le_bytes([a, b]).into(),
            (Self::U16, &[a, b]) => u16::from_le_bytes([a, b]).into(),
            (Self::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]).into(),
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            _ => f64::NAN,
        }
    }

    /// The largest number; for unsigned types all bits are set.
    pub(super) fn max(self) -> f64 {
        match self {
            Self::I8 => i8::MAX.into(),
            Self::U8 => u8::MAX.into(),
            Self::I16 => i16::MAX.into(),
            Self::U16 => u16::MAX.into(),
            Self::U32 => u32::MAX.into(),
            Self::F32 => f32::MAX.into(),
        }
    }

    /// Whether every number of another type is also one of this type.
    pub(super) fn has_all_values_of(self, other: Self) -> bool {
        use Component::{F32, I8, I16, U8, U16, U32};
        self == other
            || matches!((self, other), (I16, I8 | U8) | (U16, U8) | (U32, U8 | U16))
            || matches!((self, other), (F32, I8 | U8 | I16 | U16))
    }

    /// Whether the type is an integer type that may represent fractions.
    pub(super) fn can_be_normalized(self) -> bool {
        !matches!(self, Self::U32 | Self::F32)
    }
}

/// The numbers per element, as columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    columns: usize,
    rows: usize,
}

impl Kind {
    pub(super) const SCALAR: Self = Self { columns: 1, rows: 1 };
    pub(super) const VEC3: Self = Self { columns: 1, rows: 3 };
    pub(super) const VEC4: Self = Self { columns: 1, rows: 4 };
    pub(super) const MAT4: Self = Self { columns: 4, rows: 4 };

    fn from_name(name: &str) -> Option<Self> {
        let (columns, rows) = match name {
            "SCALAR" => (1, 1),
            "VEC2" => (1, 2),
            "VEC3" => (1, 3),
            "VEC4" => (1, 4),
            "MAT2" => (2, 2),
            "MAT3" => (3, 3),
            "MAT4" => (4, 4),
            _ => return None,
        };
        Some(Self { columns, rows })
    }

    /// Numbers per element.
    pub(super) fn numbers(self) -> usize {
        self.columns * self.rows
    }
}

/// The layout of an accessor whose claims fit the bytes of its buffer view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) component: Component,
    pub(super) kind: Kind,
    pub(super) normalized: bool,
    /// The number of elements.
    pub(super) count: usize,
    /// The offset of the first element in its buffer view, in bytes.
    pub(super) offset: usize,
    /// Bytes from one element to the next.
    pub(super) stride: usize,
    /// The type of the sparse indices, of 1, 2 or 4 bytes.
    pub(super) sparse_index: Component,
}

impl Layout {
    /// Checks an accessor; `None` if the format does not know its type.
    pub(super) fn of(
        json: &AccessorJson,
        views: &[BufferViewJson],
        element: &str,
        source: Source<'_>,
    ) -> Result<Option<Self>> {
        let check = Check { views, element, source };
        let (Some(component), Some(kind)) =
            (Component::from_code(json.component_type.0), Kind::from_name(&json.kind))
        else {
            return Ok(None);
        };
        if json.count.0 == 0 {
            return Err(check.fail("count is 0"));
        }
        if json.normalized && !component.can_be_normalized() {
            return Err(check.fail("only integers of 8 and 16 bits can be normalized"));
        }
        let bounds = [("min", &json.min), ("max", &json.max)];
        for (name, numbers) in bounds.iter().filter_map(|(name, list)| Some((name, list.as_ref()?)))
        {
            if numbers.len() != kind.numbers() {
                let (given, expected) = (numbers.len(), kind.numbers());
                return Err(check.fail(format!("{name} has {given} numbers instead of {expected}")));
            }
        }
        let mut layout = Self {
            component,
            kind,
            normalized: json.normalized,
            count: json.count.index(),
            offset: json.byte_offset.map_or(0, |offset| offset.index()),
            stride: packed_stride(component, kind),
            sparse_index: Component::U32,
        };
        match json.buffer_view {
            Some(view) => {
                let view = source.find(views, view.index(), element, "bufferView")?;
                check.base(&mut layout, view)?;
            }
            None if json.byte_offset.is_some() => {
                return Err(check.fail("byteOffset is given without a bufferView"));
            }
            None => {}
        }
        if let Some(sparse) = &json.sparse {
            if sparse.count.0 == 0 || sparse.count.0 > json.count.0 {
                let (count, of) = (sparse.count.0, json.count.0);
                return Err(check.fail(format!("{count} sparse elements of {of}")));
            }
            let code = sparse.indices.component_type.map_or(0, |code| code.0);
            layout.sparse_index = match Component::from_code(code) {
                Some(kind @ (Component::U8 | Component::U16 | Component::U32)) => kind,
                _ => return Err(check.fail("the type of its sparse indices is not unsigned")),
            };
            let index = layout.sparse_index;
            check.sparse_part(&sparse.indices, sparse.count.0, index, Kind::SCALAR)?;
            check.sparse_part(&sparse.values, sparse.count.0, component, kind)?;
        }
        Ok(Some(layout))
    }

    /// The numbers of one element, in columns that start at multiples of 4 bytes.
    pub(super) fn numbers_at<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = f64> + 'a {
        let (component, kind) = (self.component, self.kind);
        let pitch = column_pitch(component, kind);
        (0..kind.numbers()).map(move |number| {
            let start = number / kind.rows * pitch + number % kind.rows * component.size();
            bytes.get(start..start + component.size()).map_or(f64::NAN, |it| component.read(it))
        })
    }

    /// Bytes from one element to the next if they are packed, as sparse values are.
    pub(super) fn packed_stride(&self) -> usize {
        packed_stride(self.component, self.kind)
    }

    /// Bytes of one element without the padding after it.
    pub(super) fn element_size(&self) -> usize {
        element_size(self.component, self.kind)
    }
}

/// Bytes from one column of a matrix to the next.
fn column_pitch(component: Component, kind: Kind) -> usize {
    let column = kind.rows * component.size();
    if kind.columns > 1 { column.next_multiple_of(4) } else { column }
}

/// Bytes from one element to the next if they are packed.
fn packed_stride(component: Component, kind: Kind) -> usize {
    kind.columns * column_pitch(component, kind)
}

fn element_size(component: Component, kind: Kind) -> usize {
    (kind.columns - 1) * column_pitch(component, kind) + kind.rows * component.size()
}

/// The common inputs of an accessor's checks.
struct Check<'a> {
    views: &'a [BufferViewJson],
    element: &'a str,
    source: Source<'a>,
}

impl Check<'_> {
    fn fail(&self, reason: impl Into<String>) -> Error {
        self.source.malformed(self.element, reason)
    }

    /// Checks the accessor's own bytes.
    fn base(&self, layout: &mut Layout, view: &BufferViewJson) -> Result<()> {
        let size = layout.element_size();
        if let Some(stride) = view.byte_stride {
            layout.stride = stride.index();
            if layout.stride < size {
                let stride = layout.stride;
                return Err(self.fail(format!("byteStride {stride} is below its size {size}")));
            }
        }
        self.fits(view, layout.offset as u64, layout.count as u64, layout.stride, size)?;
        self.aligned(view, layout.offset as u64, layout.component, layout.kind)
    }

    /// Checks the indices or the values of sparse elements; both are packed.
    fn sparse_part(
        &self,
        part: &SparsePartJson,
        count: u64,
        component: Component,
        kind: Kind,
    ) -> Result<()> {
        let view =
            self.source.find(self.views, part.buffer_view.index(), self.element, "bufferView")?;
        if view.byte_stride.is_some() {
            return Err(self.fail("the bufferView of its sparse elements has a byteStride"));
        }
        let offset = part.byte_offset.map_or(0, |offset| offset.0);
        let (stride, size) = (packed_stride(component, kind), element_size(component, kind));
        self.fits(view, offset, count, stride, size)?;
        self.aligned(view, offset, component, kind)
    }

    /// `count` is at least 1. Numbers are below 2^53 and strides below 2^8, so nothing overflows 64
    /// bits.
    fn fits(
        &self,
        view: &BufferViewJson,
        offset: u64,
        count: u64,
        stride: usize,
        size: usize,
    ) -> Result<()> {
        let end = offset + (count - 1) * stride as u64 + size as u64;
        let there = view.byte_length.0;
        if end > there {
            return Err(self.fail(format!("{end} bytes do not fit its bufferView of {there}")));
        }
        Ok(())
    }

    fn aligned(
        &self,
        view: &BufferViewJson,
        offset: u64,
        component: Component,
        kind: Kind,
    ) -> Result<()> {
        let start = view.byte_offset.map_or(0, |offset| offset.0) + offset;
        let size = component.size() as u64;
        // Columns of a matrix start at multiples of 4 bytes relative to the view.
        let unit = if kind.columns > 1 { 4 } else { size };
        if !offset.is_multiple_of(unit) || !start.is_multiple_of(size) {
            return Err(self.fail(format!("it does not start at a multiple of {unit} bytes")));
        }
        Ok(())
    }
}
