//! Whole files as bytes, decompressed if they are gzip files, and file extensions.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::gzip::decode_if_gzip;
use crate::{Error, Result};

/// The largest file that [`read_file`] reads, in bytes, before and after it is decompressed: 4 GiB.
///
/// Long point caches come close to it; meshes do not. Memory grows with the file: to a few times
/// its size for common files, and tens of times for the densest (a PLY vertex of three bytes
/// becomes 24 bytes of position and its share of a hash table). The limit also separates text STL
/// files from binary ones with certainty (see [`crate::read_stl`]).
pub const MAX_FILE_BYTES: u64 = 1 << 32;

/// Reads a whole file of at most [`MAX_FILE_BYTES`], and decompresses it if it is a gzip file.
///
/// The first bytes of the file decide that, not its name.
///
/// # Errors
/// [`Error::Io`] if the system fails; [`Error::Unsupported`] if the file is too large or not a
/// regular file, or decodes to more than 64 MiB and 256 times its size; [`Error::Malformed`] if a
/// gzip file is damaged.
///
/// ```
/// let missing = pliant_io::read_file("no/such/file.obj".as_ref());
/// assert!(missing.unwrap_err().to_string().starts_with("no/such/file.obj: "));
/// ```
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    decode_if_gzip(read_at_most(path, MAX_FILE_BYTES)?, path, MAX_FILE_BYTES)
}

fn read_at_most(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let io = |source| Error::Io { file: path.into(), source };
    let (file, length) = open_regular(path)?;
    let too_large = || Error::unsupported(path, "file", format!("is larger than {limit} bytes"));
    if length > limit {
        return Err(too_large());
    }
    // The file may grow, so the limit is also checked while reading.
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Opens a regular file and returns its length. Anything else is refused before it is opened: a pipe
/// would block until somebody writes to it, and a device may never end.
pub(crate) fn open_regular(path: &Path) -> Result<(File, u64)> {
    let io = |source| Error::Io { file: path.into(), source };
    let check = |metadata: Metadata| match metadata {
        metadata if metadata.is_file() => Ok(metadata.len()),
        metadata if metadata.is_dir() => Err(Error::unsupported(path, "file", "is a folder")),
        _ => Err(Error::unsupported(path, "file", "is not a regular file but a pipe or a device")),
    };
    check(path.metadata().map_err(io)?)?;
    let file = File::open(path).map_err(io)?;
    // Another file may have taken the name since.
    let length = check(file.metadata().map_err(io)?)?;
    Ok((file, length))
}

/// A file's extension in lower case, without the `.gz` of a compressed file; empty if it has none.
pub(crate) fn extension(path: &Path) -> String {
    without_gz(path).extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// A file's name without its extension and without the `.gz` of a compressed file, for messages
/// and names of objects: what is not UTF-8 is replaced.
pub(crate) fn stem(path: &Path) -> String {
    let path = without_gz(path);
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn without_gz(path: &Path) -> PathBuf {
    match path.extension() {
        Some(last) if last.eq_ignore_ascii_case("gz") => path.with_extension(""),
        _ => path.to_owned(),
    }
}

/// The error for a file whose extension is not one of the expected ones.
pub(crate) fn unknown_extension(path: &Path, expected: &[&str]) -> Error {
    let expected: Vec<String> = expected.iter().map(|extension| format!(".{extension}")).collect();
    let expected = expected.join(", ");
    let reason = match extension(path).as_str() {
        "" => format!("the file name has none; expected {expected}"),
        unknown => format!("`.{unknown}` is not supported; expected {expected}"),
    };
    Error::unsupported(path, "extension", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_the_limit_is_refused() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let bytes = read_file(path).unwrap();
        assert_eq!(bytes, std::fs::read(path).unwrap());
        let length = bytes.len() as u64;
        assert_eq!(read_at_most(path, length).unwrap(), bytes);
        assert!(matches!(read_at_most(path, length - 1), Err(Error::Unsupported { .. })));
    }

    #[test]
    fn a_compressed_file_is_named_by_what_it_contains() {
        let named = |path| (extension(Path::new(path)), stem(Path::new(path)));
        assert_eq!(named("a/b.c.OBJ.GZ"), ("obj".into(), "b.c".into()));
        assert_eq!(named("a/b.obj"), ("obj".into(), "b".into()));
        assert_eq!(named("b.gz"), (String::new(), "b".into()));
        assert_eq!(named(".gz"), (String::new(), ".gz".into()));
        assert_eq!(named(""), (String::new(), String::new()));
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = read_file(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap_err().to_string();
        assert!(folder.ends_with(": file: is a folder"), "{folder}");
        if cfg!(unix) {
            let device = read_file(Path::new("/dev/zero")).unwrap_err().to_string();
            assert!(device.ends_with(": file: is not a regular file but a pipe or a device"));
        }
    }
}
