//! Buffer views compressed with `EXT_meshopt_compression` or `KHR_meshopt_compression`.
//!
//! The formats are those of the extensions' specifications, appendix A (bitstream) and B (filters).
//! Every read is checked, and nothing is allocated that the caller has not allowed.

mod filters;
mod indices;
mod vertices;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Source;
use super::asset::MESHOPT;
use super::json::{BufferJson, BufferViewJson};
use super::json_values::{Count, Object};
use crate::Result;

/// Why a stream was refused.
type Refusal = String;

/// The extension of a buffer view: where its compressed bytes are and what they hold.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MeshoptJson {
    buffer: Count,
    byte_offset: Option<Count>,
    byte_length: Count,
    byte_stride: Count,
    count: Count,
    mode: String,
    filter: Option<String>,
    #[serde(rename = "extras")]
    _extras: Option<IgnoredAny>,
}

/// What a stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Elements of vertices, or keys of animations, with a filter over them.
    Attributes(Filter),
    /// The corners of triangles.
    Triangles,
    /// Indices of any kind.
    Indices,
}

/// A change of decoded elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// A compressed buffer view whose claims are checked.
#[derive(Debug)]
pub(super) struct Compressed {
    pub(super) buffer: usize,
    pub(super) offset: usize,
    pub(super) length: usize,
    mode: Mode,
    count: usize,
    stride: usize,
}

impl Compressed {
    /// The compression of a view; `None` if it is not compressed.
    pub(super) fn of(
        view: &BufferViewJson,
        buffers: &[BufferJson],
        element: &str,
        source: Source<'_>,
    ) -> Result<Option<Self>> {
        let Some((name, raw)) =
            MESHOPT.iter().find_map(|name| view.extensions.get_key_value(*name))
        else {
            return Ok(None);
        };
        let fail = |reason: String| source.malformed(element, format!("{name}: {reason}"));
        let json: Object<MeshoptJson> =
            serde_json::from_str(raw.get()).map_err(|error| fail(super::json::whole(&error)))?;
        let MeshoptJson { byte_offset, byte_length, byte_stride, count, .. } = &*json;
        let buffer = source.find(buffers, json.buffer.index(), element, "buffer")?;
        // Numbers are at most 2^53.
        let offset = byte_offset.map_or(0, |offset| offset.0);
        if offset + byte_length.0 > buffer.byte_length.0 {
            let there = buffer.byte_length.0;
            return Err(fail(format!(
                "bytes {offset} + {} do not fit its buffer of {there}",
                byte_length.0
            )));
        }
        let mode = mode(&json).map_err(fail)?;
        if count.0.checked_mul(byte_stride.0) != Some(view.byte_length.0) {
            let (count, stride, length) = (count.0, byte_stride.0, view.byte_length.0);
            return Err(fail(format!(
                "{count} elements of {stride} bytes are not the {length} bytes of the bufferView"
            )));
        }
        Ok(Some(Self {
            buffer: json.buffer.index(),
            offset: offset as usize,
            length: byte_length.index(),
            mode,
            count: count.index(),
            stride: byte_stride.index(),
        }))
    }

    /// Bytes that [`Self::decode`] returns.
    pub(super) fn decoded_bytes(&self) -> u64 {
        // The product was checked to be the length of the view.
        self.count as u64 * self.stride as u64
    }

    /// Decodes the bytes of the view.
    pub(super) fn decode(&self, bytes: &[u8]) -> std::result::Result<Vec<u8>, Refusal> {
        let (count, stride) = (self.count, self.stride);
        match self.mode {
            Mode::Attributes(filter) => {
                let mut decoded = vertices::decode(bytes, count, stride)?;
                filters::apply(filter, &mut decoded, stride);
                Ok(decoded)
            }
            Mode::Triangles => indices::decode_triangles(bytes, count / 3, stride),
            Mode::Indices => indices::decode_sequence(bytes, count, stride),
        }
    }
}

/// The mode and filter, if they suit the size of the elements.
fn mode(json: &MeshoptJson) -> std::result::Result<Mode, Refusal> {
    let stride = json.byte_stride.0;
    let filter = match json.filter.as_deref() {
        None | Some("NONE") => Filter::None,
        Some("OCTAHEDRAL") => Filter::Octahedral,
        Some("QUATERNION") => Filter::Quaternion,
        Some("EXPONENTIAL") => Filter::Exponential,
        Some("COLOR") => Filter::Color,
        Some(other) => return Err(format!("the filter `{}` is unknown", shortened(other))),
    };
    let mode = match json.mode.as_str() {
        "ATTRIBUTES" => Mode::Attributes(filter),
        "TRIANGLES" => Mode::Triangles,
        "INDICES" => Mode::Indices,
        other => return Err(format!("the mode `{}` is unknown", shortened(other))),
    };
    let is_suited = match mode {
        Mode::Attributes(filter) => match filter {
            Filter::None | Filter::Exponential => {
                stride.is_multiple_of(4) && (4..=256).contains(&stride)
            }
            Filter::Octahedral | Filter::Color => stride == 4 || stride == 8,
            Filter::Quaternion => stride == 8,
        },
        _ if filter != Filter::None => return Err("indices have no filter".into()),
        Mode::Triangles => (stride == 2 || stride == 4) && json.count.0.is_multiple_of(3),
        Mode::Indices => stride == 2 || stride == 4,
    };
    if is_suited {
        Ok(mode)
    } else {
        Err(format!("{} elements of {stride} bytes do not suit its mode", json.count.0))
    }
}

fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}
