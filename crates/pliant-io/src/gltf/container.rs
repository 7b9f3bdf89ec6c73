//! The GLB container: a header, a JSON chunk and a binary chunk.

use super::Source;
use crate::Result;
use crate::scene::Warning;

const MAGIC: &[u8] = b"glTF";
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");
const HEADER: usize = 12;

/// The parts of a file.
pub(super) struct Container<'a> {
    /// The JSON text.
    pub(super) json: &'a [u8],
    /// The binary chunk.
    pub(super) bin: Option<&'a [u8]>,
    /// Whether the file is a GLB.
    pub(super) is_glb: bool,
}

/// Splits a file into its parts; a file that is not a GLB is all JSON.
pub(super) fn split<'a>(
    bytes: &'a [u8],
    source: Source<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Container<'a>> {
    let named_glb =
        source.file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("glb"));
    if !bytes.starts_with(MAGIC) && !named_glb {
        return Ok(Container { json: bytes, bin: None, is_glb: false });
    }
    let fail = |reason: String| source.malformed("GLB header", reason);
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else {
        return Err(fail(format!("the file ends inside it, after {} bytes", bytes.len())));
    };
    if !bytes.starts_with(MAGIC) {
        return Err(fail("it does not start with `glTF`".into()));
    }
    if version != 2 {
        return Err(fail(format!("version {version}, but only version 2 is supported")));
    }
    let there = bytes.len();
    let Some(bytes) = bytes.get(..length as usize) else {
        return Err(fail(format!("it states {length} bytes, but the file has {there}")));
    };
    if there > bytes.len() {
        let reason = format!("{} bytes after its end; ignored", there - bytes.len());
        warnings.push(Warning::new("GLB header", reason));
    }
    if bytes.len() <= HEADER {
        return Err(fail(format!("{length} bytes leave no room for a chunk")));
    }
    chunks(bytes, source, warnings)
}

/// Reads the chunks of a GLB.
fn chunks<'a>(
    bytes: &'a [u8],
    source: Source<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Container<'a>> {
    let (mut json, mut bin) = (None, None);
    let mut at = HEADER;
    let mut number = 0;
    while at < bytes.len() {
        let element = format!("GLB chunk {number}");
        let fail = |reason: &str| source.malformed(element.as_str(), reason);
        let (Some(length), Some(kind)) = (word(bytes, at), word(bytes, at + 4)) else {
            return Err(fail("the GLB ends inside its header"));
        };
        let length = length as usize;
        if !length.is_multiple_of(4) {
            return Err(fail(&format!("its length {length} is not a multiple of 4")));
        }
        // Saturation only matters if usize has 32 bits; then the range is out of bounds.
        let start = at + 8;
        let Some(data) = bytes.get(start..start.saturating_add(length)) else {
            let left = bytes.len() - start;
            return Err(fail(&format!("it states {length} bytes, but {left} are left")));
        };
        match (kind, number) {
            (JSON, 0) if data.is_empty() => return Err(fail("the JSON chunk is empty")),
            (JSON, 0) => json = Some(data),
            (_, 0) => return Err(fail("the first chunk is not JSON")),
            (BIN, 1) => bin = Some(data),
            (BIN, _) if bin.is_none() => {
                return Err(fail("the binary chunk is not the second one, after the JSON"));
            }
            (JSON | BIN, _) => return Err(fail("a second chunk of its type")),
            _ => warnings.push(Warning::new(element, "its type is unknown; ignored")),
        }
        at = start + length;
        number += 1;
    }
    match json {
        Some(json) => Ok(Container { json, bin, is_glb: true }),
        None => Err(source.malformed("GLB", "there is no JSON chunk")),
    }
}

/// The little-endian 32-bit number at an offset.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    word.try_into().ok().map(u32::from_le_bytes)
}
