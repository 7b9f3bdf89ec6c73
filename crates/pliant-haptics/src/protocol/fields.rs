//! Numbers, lists and texts of a message.

use pliant::glam::{DAffine3, DMat3, DQuat, DVec3};

use super::{MAX_TEXT, Wrong};

/// Reads the fields of a message from its beginning.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    kind: u16,
    left: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(kind: u16, body: &'a [u8]) -> Self {
        Self { kind, left: body }
    }

    pub(super) fn wrong(&self, field: &'static str, reason: &'static str) -> Wrong {
        Wrong::Field { kind: self.kind, field, reason }
    }

    /// That nothing is left.
    pub(super) fn end(self) -> Result<(), Wrong> {
        if self.left.is_empty() { Ok(()) } else { Err(Wrong::Long { kind: self.kind }) }
    }

    pub(super) fn bytes(&mut self, field: &'static str, count: usize) -> Result<&'a [u8], Wrong> {
        let Some((bytes, left)) = self.left.split_at_checked(count) else {
            return Err(Wrong::Short { kind: self.kind, field });
        };
        self.left = left;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Wrong> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(field, N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Result<u8, Wrong> {
        Ok(self.array::<1>(field)?[0])
    }

    pub(super) fn u16(&mut self, field: &'static str) -> Result<u16, Wrong> {
        self.array(field).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, field: &'static str) -> Result<u32, Wrong> {
        self.array(field).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, Wrong> {
        self.array(field).map(u64::from_le_bytes)
    }

    /// A finite number.
    pub(super) fn f64(&mut self, field: &'static str) -> Result<f64, Wrong> {
        let number = self.array(field).map(f64::from_le_bytes)?;
        if number.is_finite() { Ok(number) } else { Err(self.wrong(field, "is not finite")) }
    }

    /// A finite number of 32 bits.
    pub(super) fn f32(&mut self, field: &'static str) -> Result<f32, Wrong> {
        let number = self.array(field).map(f32::from_le_bytes)?;
        if number.is_finite() { Ok(number) } else { Err(self.wrong(field, "is not finite")) }
    }

    pub(super) fn vector(&mut self, field: &'static str) -> Result<DVec3, Wrong> {
        Ok(DVec3::new(self.f64(field)?, self.f64(field)?, self.f64(field)?))
    }

    /// A rotation x, y, z, w, of any length but 0; it is brought to length 1.
    pub(super) fn rotation(&mut self, field: &'static str) -> Result<DQuat, Wrong> {
        let [x, y, z, w] = [self.f64(field)?, self.f64(field)?, self.f64(field)?, self.f64(field)?];
        let length = x.hypot(y).hypot(z).hypot(w);
        if length < 1e-100 || !length.is_finite() {
            return Err(self.wrong(field, "has no direction"));
        }
        Ok(DQuat::from_xyzw(x / length, y / length, z / length, w / length).normalize())
    }

    /// Three columns and a translation.
    pub(super) fn affine(&mut self, field: &'static str) -> Result<DAffine3, Wrong> {
        let columns = [self.vector(field)?, self.vector(field)?, self.vector(field)?];
        let matrix = DMat3::from_cols(columns[0], columns[1], columns[2]);
        Ok(DAffine3::from_mat3_translation(matrix, self.vector(field)?))
    }

    /// A count, and then so many elements of so many bytes each. No more memory is taken than there are
    /// bytes for.
    pub(super) fn list<T>(
        &mut self,
        field: &'static str,
        bytes_each: usize,
        mut element: impl FnMut(&mut Self) -> Result<T, Wrong>,
    ) -> Result<Vec<T>, Wrong> {
        let count = self.u32(field)? as usize;
        if count > self.left.len() / bytes_each.max(1) {
            return Err(Wrong::Short { kind: self.kind, field });
        }
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(element(self)?);
        }
        Ok(list)
    }

    /// A short text: a length of 16 bits and UTF-8.
    pub(super) fn text(&mut self, field: &'static str) -> Result<String, Wrong> {
        let length = usize::from(self.u16(field)?);
        if length > MAX_TEXT {
            return Err(self.wrong(field, "is too long"));
        }
        let bytes = self.bytes(field, length)?;
        let text = std::str::from_utf8(bytes).map_err(|_| self.wrong(field, "is not UTF-8"))?;
        Ok(text.into())
    }
}

/// Writes the fields of a message.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn u8(&mut self, number: u8) -> &mut Self {
        self.bytes.push(number);
        self
    }

    pub(super) fn u16(&mut self, number: u16) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(super) fn u32(&mut self, number: u32) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(super) fn u64(&mut self, number: u64) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(super) fn f64(&mut self, number: f64) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(super) fn f32(&mut self, number: f32) -> &mut Self {
        self.bytes.extend(number.to_le_bytes());
        self
    }

    pub(super) fn vector(&mut self, vector: DVec3) -> &mut Self {
        for number in vector.to_array() {
            self.f64(number);
        }
        self
    }

    pub(super) fn rotation(&mut self, rotation: DQuat) -> &mut Self {
        for number in rotation.to_array() {
            self.f64(number);
        }
        self
    }

    pub(super) fn affine(&mut self, map: &DAffine3) -> &mut Self {
        for number in map.to_cols_array() {
            self.f64(number);
        }
        self
    }

    /// A count and the elements. What is longer than a count can say is cut.
    pub(super) fn list<T>(
        &mut self,
        elements: &[T],
        mut element: impl FnMut(&mut Self, &T),
    ) -> &mut Self {
        let count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        self.u32(count);
        for one in elements.iter().take(count as usize) {
            element(self, one);
        }
        self
    }

    /// A text; what is longer than it may be is cut.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        let mut length = text.len().min(MAX_TEXT);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        self.u16(length as u16);
        self.bytes.extend(&text.as_bytes()[..length]);
        self
    }
}
