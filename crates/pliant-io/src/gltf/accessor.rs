//! Decoding of accessors.

use std::cell::{Cell, OnceCell};

use super::Source;
use super::buffers::Buffers;
use super::json::{AccessorJson, BufferViewJson, Document};
use super::json_values::Count;
use super::layout::{Component, Layout};
use super::limits::{BOUNDS_SLACK, FREE_NUMBERS, MAX_NUMBERS, NUMBERS_PER_BYTE};
use super::limits::{DECODED_BYTES_PER_BYTE, FREE_DECODED_BYTES};
use super::meshopt::Compressed;
use crate::Result;
use crate::scene::Warning;

/// A document with its bytes, which every part of the reader needs.
pub(super) struct Reader<'a> {
    pub(super) source: Source<'a>,
    pub(super) document: &'a Document,
    buffers: Buffers,
    /// For each buffer view its compression, if it has one, and its bytes once they are decoded.
    compressed: Vec<Option<(Compressed, OnceCell<Vec<u8>>)>>,
    layouts: Vec<Option<Layout>>,
    /// How many numbers may still be decoded and kept. This bounds memory where small accessors are
    /// used many times or are implied zeros.
    numbers_left: Cell<u64>,
    /// How many numbers may still be decoded only for checks. This bounds time in the same cases.
    checks_left: Cell<u64>,
    /// How many bytes may still be decompressed.
    decoded_left: Cell<u64>,
}

/// Decoded numbers of an accessor, element after element.
pub(super) struct Numbers {
    /// As stored: normalized integers are still integers.
    pub(super) raw: Vec<f64>,
    pub(super) layout: Layout,
}

impl Numbers {
    /// The numbers with normalized integers converted to fractions of their largest value.
    pub(super) fn values(mut self) -> Vec<f64> {
        if self.layout.normalized {
            let max = self.layout.component.max();
            for number in &mut self.raw {
                *number = (*number / max).max(-1.0);
            }
        }
        self.raw
    }
}

impl<'a> Reader<'a> {
    /// Checks the claims of every accessor, used or not.
    pub(super) fn new(
        source: Source<'a>,
        document: &'a Document,
        buffers: Buffers,
        file_bytes: u64,
    ) -> Result<Self> {
        let layouts = document.accessors.iter().enumerate().map(|(index, json)| {
            Layout::of(json, &document.buffer_views, &format!("accessor {index}"), source)
        });
        let layouts = layouts.collect::<Result<_>>()?;
        let bytes = file_bytes.saturating_add(buffers.total);
        let allowed = bytes.saturating_mul(NUMBERS_PER_BYTE).saturating_add(FREE_NUMBERS);
        let allowed = allowed.min(MAX_NUMBERS);
        let (numbers_left, checks_left) = (Cell::new(allowed), Cell::new(allowed));
        let decoded = bytes.saturating_mul(DECODED_BYTES_PER_BYTE);
        let decoded_left = Cell::new(decoded.saturating_add(FREE_DECODED_BYTES));
        let mut compressed = Vec::new();
        for (index, view) in document.buffer_views.iter().enumerate() {
            let element = format!("bufferView {index}");
            let found = Compressed::of(view, &document.buffers, &element, source)?;
            compressed.push(found.map(|compressed| (compressed, OnceCell::new())));
        }
        Ok(Self {
            source,
            document,
            buffers,
            compressed,
            layouts,
            numbers_left,
            checks_left,
            decoded_left,
        })
    }

    /// The JSON and layout of an accessor that `element` refers to.
    pub(super) fn accessor(
        &self,
        index: usize,
        element: &str,
    ) -> Result<(&'a AccessorJson, Layout)> {
        let json = self.source.find(&self.document.accessors, index, element, "accessor")?;
        match self.layouts.get(index).copied().flatten() {
            Some(layout) => Ok((json, layout)),
            None => {
                let reason = format!("its type {} {} is unknown", json.component_type.0, json.kind);
                Err(self.source.malformed(format!("accessor {index}"), reason))
            }
        }
    }

    /// The buffer view of an accessor, if it has one.
    pub(super) fn view_of(&self, json: &AccessorJson) -> Option<&'a BufferViewJson> {
        self.document.buffer_views.get(json.buffer_view?.index())
    }

    /// Subtracts numbers from the file's remaining allowance.
    pub(super) fn spend(&self, numbers: u64, element: &str) -> Result<()> {
        self.take(&self.numbers_left, numbers, element)
    }

    /// How many bytes may still be decompressed.
    pub(super) fn decoded_left(&self) -> u64 {
        self.decoded_left.get()
    }

    /// Subtracts bytes from those that may be decompressed.
    pub(super) fn spend_decoded(&self, bytes: u64, element: &str) -> Result<()> {
        let Some(rest) = self.decoded_left.get().checked_sub(bytes) else {
            let reason = format!("{bytes} more bytes are too many for a file of its size");
            return Err(self.source.malformed(element, reason));
        };
        self.decoded_left.set(rest);
        Ok(())
    }

    fn take(&self, left: &Cell<u64>, numbers: u64, element: &str) -> Result<()> {
        match left.get().checked_sub(numbers) {
            Some(rest) => {
                left.set(rest);
                Ok(())
            }
            None => {
                let reason = format!("{numbers} more numbers are too many for a file of its size");
                Err(self.source.malformed(element, reason))
            }
        }
    }

    /// Decodes an accessor; `None` if the file has no data for it, for example because an
    /// unsupported extension provides the data.
    pub(super) fn numbers(&self, index: usize, element: &str) -> Result<Option<Numbers>> {
        self.decode(index, element, &self.numbers_left)
    }

    /// Decodes an accessor and charges one of the two allowances.
    fn decode(&self, index: usize, element: &str, left: &Cell<u64>) -> Result<Option<Numbers>> {
        let (json, layout) = self.accessor(index, element)?;
        if json.buffer_view.is_none() && json.sparse.is_none() {
            return Ok(None);
        }
        let name = format!("accessor {index}");
        let width = layout.kind.numbers();
        self.take(left, (layout.count as u64).saturating_mul(width as u64), &name)?;
        let mut raw = Vec::new();
        match json.buffer_view {
            Some(view) => {
                let Some(bytes) = self.bytes(view.index(), &name)? else { return Ok(None) };
                raw.reserve_exact(layout.count * width);
                for element in 0..layout.count {
                    let start = layout.offset + element * layout.stride;
                    raw.extend(layout.numbers_at(bytes.get(start..).unwrap_or_default()));
                }
            }
            None => raw.resize(layout.count * width, 0.0),
        }
        if !self.overwrite_sparse(json, &layout, &mut raw, &name)? {
            return Ok(None);
        }
        if layout.component == Component::F32
            && let Some(bad) = raw.iter().position(|number| !number.is_finite())
        {
            let (element, number) = (bad / width, raw[bad]);
            return Err(self.source.malformed(name, format!("element {element} is {number}")));
        }
        Ok(Some(Numbers { raw, layout }))
    }

    /// Replaces the sparse elements; `false` if the file has no data for them.
    fn overwrite_sparse(
        &self,
        json: &AccessorJson,
        layout: &Layout,
        raw: &mut [f64],
        name: &str,
    ) -> Result<bool> {
        let Some(sparse) = &json.sparse else { return Ok(true) };
        let part = |index: usize, offset: Option<Count>| {
            let start = offset.map_or(0, |offset| offset.index());
            Ok(self.bytes(index, name)?.and_then(|bytes| bytes.get(start..)))
        };
        let indices = part(sparse.indices.buffer_view.index(), sparse.indices.byte_offset)?;
        let values = part(sparse.values.buffer_view.index(), sparse.values.byte_offset)?;
        let (Some(indices), Some(values)) = (indices, values) else { return Ok(false) };
        let width = layout.kind.numbers();
        let packed = layout.packed_stride();
        let index_size = layout.sparse_index.size();
        let places = indices.chunks_exact(index_size).zip(values.chunks(packed));
        let mut previous = None;
        for (place, value) in places.take(sparse.count.index()) {
            let place = layout.sparse_index.read(place) as usize;
            if place >= layout.count || previous.is_some_and(|previous| place <= previous) {
                let reason = format!("the sparse index {place} is out of range or out of order");
                return Err(self.source.malformed(name, reason));
            }
            previous = Some(place);
            let target = raw[place * width..(place + 1) * width].iter_mut();
            for (to, from) in target.zip(layout.numbers_at(value)) {
                *to = from;
            }
        }
        Ok(true)
    }

    /// The bytes of a view, decompressed if need be; `None` if the file does not have them.
    pub(super) fn bytes(&self, view: usize, name: &str) -> Result<Option<&[u8]>> {
        let json = self.source.find(&self.document.buffer_views, view, name, "bufferView")?;
        if let Some(Some((compressed, decoded))) = self.compressed.get(view) {
            return self.decompress(compressed, decoded, view);
        }
        let bytes = self.buffers.view(json);
        if bytes.is_some() {
            return Ok(bytes);
        }
        let buffer = self.document.buffers.get(json.buffer.index());
        let extensions = buffer.iter().flat_map(|buffer| buffer.extensions.keys());
        match json.extensions.keys().chain(extensions).next() {
            Some(extension) => {
                let reason = format!("its data needs the extension {extension}");
                Err(self.source.unsupported(name, reason))
            }
            None => Ok(None),
        }
    }

    /// The bytes of a compressed view, which are decoded once.
    fn decompress<'b>(
        &self,
        compressed: &Compressed,
        decoded: &'b OnceCell<Vec<u8>>,
        view: usize,
    ) -> Result<Option<&'b [u8]>> {
        if decoded.get().is_none() {
            let element = format!("bufferView {view}");
            let Compressed { buffer, offset, length, .. } = *compressed;
            let Some(bytes) = self.buffers.range(buffer, offset, length) else { return Ok(None) };
            self.spend_decoded(compressed.decoded_bytes(), &element)?;
            let fresh =
                compressed.decode(bytes).map_err(|it| self.source.malformed(element, it))?;
            // It was empty.
            let _ = decoded.set(fresh);
        }
        Ok(decoded.get().map(Vec::as_slice))
    }

    /// Compares the stated bounds of an accessor with its data.
    pub(super) fn check_bounds(&self, index: usize, warnings: &mut Vec<Warning>) -> Result<()> {
        let name = format!("accessor {index}");
        if self.layouts.get(index).copied().flatten().is_none() {
            return Ok(());
        }
        let Some(numbers) = self.decode(index, &name, &self.checks_left)? else { return Ok(()) };
        let json = &self.document.accessors[index];
        let width = numbers.layout.kind.numbers();
        let largest =
            numbers.raw.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
        let mut is_rounded = false;
        for (stated, pick, what) in
            [(&json.min, f64::min as fn(f64, f64) -> f64, "min"), (&json.max, f64::max, "max")]
        {
            for (row, &stated) in stated.iter().flat_map(|list| list.iter()).enumerate() {
                let column = numbers.raw.iter().skip(row).step_by(width).copied();
                let Some(real) = column.reduce(pick) else { continue };
                // The text may have more digits than the data's f32.
                let stated = match numbers.layout.component {
                    Component::F32 => f64::from(stated as f32),
                    _ => stated,
                };
                if (stated - real).abs() > BOUNDS_SLACK * largest {
                    let reason =
                        format!("{what} number {row} is {stated}, but the data's is {real}");
                    return Err(self.source.malformed(name, reason));
                }
                is_rounded |= stated != real;
            }
        }
        if is_rounded {
            warnings.push(Warning::new(name, "min or max are rounded; the data is used"));
        }
        Ok(())
    }
}
