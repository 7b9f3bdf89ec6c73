//! The bytes of buffers and buffer views.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Source;
use super::container::Container;
use super::json::{BufferJson, BufferViewJson, Document};
use super::uri::{self, Target};
use crate::MAX_FILE_BYTES;
use crate::scene::Warning;
use crate::{Error, Result};

/// The bytes of every buffer; `None` if the file has none, as in compressed files.
pub(super) struct Buffers {
    bytes: Vec<Option<Arc<[u8]>>>,
    /// The number of bytes in memory.
    pub(super) total: u64,
}

impl Buffers {
    /// Loads all buffers. A file that several buffers use is read once, so memory is bounded by the
    /// glTF file and the files in its folder.
    pub(super) fn load(
        document: &Document,
        container: &Container<'_>,
        folder: Option<&Path>,
        source: Source<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self> {
        let mut buffers = Self { bytes: Vec::new(), total: 0 };
        let mut files = HashMap::new();
        for (index, json) in document.buffers.iter().enumerate() {
            let element = format!("buffer {index}");
            let fail = |reason: String| source.malformed(element.as_str(), reason);
            let length = json.byte_length.index();
            if length == 0 {
                return Err(fail("byteLength is 0".into()));
            }
            let bytes: Option<Arc<[u8]>> = match &json.uri {
                Some(text) => match uri::parse(text).map_err(fail)? {
                    Target::Data(bytes) => {
                        buffers.total += bytes.len() as u64;
                        Some(bytes.into())
                    }
                    Target::Relative(relative) => {
                        Some(external(&relative, length, folder, &element, source, &mut files)?)
                    }
                },
                None if index == 0 && container.is_glb => {
                    let bin = container
                        .bin
                        .ok_or_else(|| fail("the GLB has no binary chunk for it".into()))?;
                    if bin.len() > length.saturating_add(3) {
                        let extra = bin.len() - length;
                        let reason = format!("the binary chunk has {extra} bytes more");
                        warnings.push(Warning::new(element.as_str(), reason));
                    }
                    buffers.total += bin.len() as u64;
                    Some(bin.into())
                }
                None => None,
            };
            if let Some(there) = bytes.as_ref().map(|bytes| bytes.len()).filter(|&it| it < length) {
                return Err(fail(format!("byteLength is {length}, but there are {there}")));
            }
            buffers.bytes.push(bytes);
        }
        buffers.total += files.values().map(|bytes| bytes.len() as u64).sum::<u64>();
        Ok(buffers)
    }

    /// The bytes of a checked buffer view; `None` if its buffer has none.
    pub(super) fn view(&self, view: &BufferViewJson) -> Option<&[u8]> {
        let start = view.byte_offset.map_or(0, |offset| offset.index());
        self.range(view.buffer.index(), start, view.byte_length.index())
    }

    /// Bytes of a buffer; `None` if it has none there.
    pub(super) fn range(&self, buffer: usize, start: usize, length: usize) -> Option<&[u8]> {
        let bytes = self.bytes.get(buffer)?.as_ref()?;
        bytes.get(start..start.checked_add(length)?)
    }
}

/// Reads a file next to the glTF file.
fn external(
    relative: &Path,
    length: usize,
    folder: Option<&Path>,
    element: &str,
    source: Source<'_>,
    files: &mut HashMap<PathBuf, Arc<[u8]>>,
) -> Result<Arc<[u8]>> {
    let Some(folder) = folder else {
        let name = relative.display();
        let reason = format!("its data is in another file, {name}, but the folder is unknown");
        return Err(source.unsupported(element, reason));
    };
    let beside = folder.join(relative);
    let io = |source| Error::Io { file: beside.clone(), source };
    let Some(path) = uri::resolve(folder, relative).map_err(io)? else {
        return Err(source.malformed(element, "a link leads out of the file's folder"));
    };
    if let Some(bytes) = files.get(&path) {
        return Ok(Arc::clone(bytes));
    }
    // Checked before opening, since a pipe would block.
    let metadata = path.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(source.malformed(element, "its URI does not name a plain file"));
    }
    if metadata.len() < length as u64 {
        let there = metadata.len();
        let reason = format!("byteLength is {length}, but {} has {there}", relative.display());
        return Err(source.malformed(element, reason));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(source.malformed(element, "its file is larger than a buffer can be"));
    }
    let mut bytes = Vec::new();
    File::open(&path).map_err(io)?.take(metadata.len()).read_to_end(&mut bytes).map_err(io)?;
    let bytes: Arc<[u8]> = bytes.into();
    files.insert(path, Arc::clone(&bytes));
    Ok(bytes)
}

/// Checks the properties of a buffer view.
pub(super) fn check_view(
    view: &BufferViewJson,
    buffers: &[BufferJson],
    element: &str,
    source: Source<'_>,
) -> Result<()> {
    let fail = |reason: String| Err(source.malformed(element, reason));
    let index = view.buffer.index();
    let buffer = source.find(buffers, index, element, "buffer")?;
    let (length, offset) = (view.byte_length.0, view.byte_offset.map_or(0, |offset| offset.0));
    if length == 0 {
        return fail("byteLength is 0".into());
    }
    if offset + length > buffer.byte_length.0 {
        let there = buffer.byte_length.0;
        return fail(format!("bytes {offset} + {length} do not fit buffer {index} of {there}"));
    }
    let Some(stride) = view.byte_stride.map(|stride| stride.0) else { return Ok(()) };
    if !(4..=252).contains(&stride) || !stride.is_multiple_of(4) {
        return fail(format!("byteStride {stride} is not a multiple of 4 from 4 to 252"));
    }
    if stride > length {
        return fail(format!("byteStride {stride} is above byteLength {length}"));
    }
    if view.target.is_some_and(|target| target.0 == 34963) {
        return fail("byteStride is given, but its target is indices".into());
    }
    Ok(())
}
