//! The pictures of a glTF file, as they are stored.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use crate::gltf::accessor::Reader;
use crate::gltf::json_values::Count;
use crate::gltf::uri::{self, Target};
use crate::read_file;

/// A picture, compressed as in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `image/png`, `image/jpeg` or `image/webp`, as its first bytes say.
    pub media_type: &'static str,
    /// The compressed picture.
    pub bytes: Arc<[u8]>,
}

/// An image of the JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImageJson {
    uri: Option<String>,
    buffer_view: Option<Count>,
}

/// Media types of pictures that browsers show.
const MEDIA_TYPES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// Reads a picture of at most so many bytes.
///
/// # Errors
/// The reason why it is left out.
pub(super) fn read(
    json: &ImageJson,
    reader: &Reader<'_>,
    folder: Option<&Path>,
    most: usize,
) -> Result<Image, String> {
    let too_large = |size: u64| format!("its {size} bytes are more than the {most} that are left");
    let bytes: Arc<[u8]> = match (&json.uri, json.buffer_view) {
        (Some(text), _) => match uri::parse_as(text, "a picture", &MEDIA_TYPES)? {
            Target::Data(bytes) => bytes.into(),
            Target::Relative(relative) => {
                let folder = folder.ok_or("it is in another file, and the folder is unknown")?;
                let found = uri::resolve(folder, &relative).map_err(|error| error.to_string())?;
                let path = found.ok_or("a link leads out of the file's folder")?;
                // Checked before it is opened, since a pipe would block.
                let metadata = path.metadata().map_err(|error| error.to_string())?;
                if !metadata.is_file() {
                    return Err("its URI does not name a plain file".into());
                }
                if metadata.len() > most as u64 {
                    return Err(too_large(metadata.len()));
                }
                read_file(&path).map_err(|error| error.to_string())?.into()
            }
        },
        (None, Some(view)) => {
            let bytes = reader.bytes(view.index(), "image").map_err(|error| error.to_string())?;
            let bytes = bytes.ok_or("its data is not in the file")?;
            if bytes.len() > most {
                return Err(too_large(bytes.len() as u64));
            }
            bytes.into()
        }
        (None, None) => return Err("it has no data".into()),
    };
    if bytes.len() > most {
        return Err(too_large(bytes.len() as u64));
    }
    let media_type = media_type(&bytes).ok_or("it is not PNG, JPEG or WebP")?;
    Ok(Image { media_type, bytes })
}

/// What a picture is by its first bytes.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let [png, jpeg, webp] = MEDIA_TYPES;
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(png)
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some(jpeg)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(webp)
    } else {
        None
    }
}
