//! The location of a buffer: data in the URI itself, or a file in the glTF file's folder.

use std::path::{Component, Path, PathBuf};

/// The target of a URI.
#[derive(Debug, PartialEq)]
pub(super) enum Target {
    /// The data itself.
    Data(Vec<u8>),
    /// A path below the glTF file's folder that consists of plain names.
    Relative(PathBuf),
}

/// Parses a buffer's URI.
///
/// # Errors
/// The reason: another scheme, an absolute path, a path out of the folder, or text that is not a
/// URI.
pub(super) fn parse(uri: &str) -> Result<Target, String> {
    parse_as(uri, "a buffer", &["application/octet-stream", "application/gltf-buffer"])
}

/// Parses the URI of something whose data has one of these media types.
///
/// # Errors
/// The same as for [`parse`].
pub(super) fn parse_as(uri: &str, what: &str, media: &[&str]) -> Result<Target, String> {
    if uri.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
        return data(&uri[5..], what, media).map(Target::Data);
    }
    let first = uri.split('/').next().unwrap_or_default();
    if let Some((scheme, _)) = first.split_once(':') {
        let shown: String = scheme.chars().take(40).collect();
        return Err(format!("the URI scheme `{shown}:` is not read, only files beside this one"));
    }
    if uri.starts_with('/') {
        return Err("the URI is an absolute path; only files beside this one are read".into());
    }
    let bytes = percent_decode(uri)?;
    let text = String::from_utf8(bytes).map_err(|_| "the URI is not UTF-8".to_owned())?;
    if text.is_empty() || text.contains(['\0', '\\']) {
        return Err("the URI is not a file name".into());
    }
    let path = PathBuf::from(text);
    let plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(plain) {
        return Err("the URI leads out of the file's folder".into());
    }
    Ok(Target::Relative(path))
}

/// The real path of a file below a folder; `None` if a symbolic link leads out of the folder.
pub(super) fn resolve(folder: &Path, relative: &Path) -> std::io::Result<Option<PathBuf>> {
    let folder = folder.canonicalize()?;
    let path = folder.join(relative).canonicalize()?;
    Ok(path.starts_with(&folder).then_some(path))
}

/// The bytes of a data URI, after `data:`.
fn data(rest: &str, what: &str, known: &[&str]) -> Result<Vec<u8>, String> {
    let (header, body) = rest.split_once(',').ok_or("the data URI has no comma")?;
    let mut parts = header.split(';');
    let media = parts.next().unwrap_or_default();
    let mut base64 = false;
    for part in parts {
        if base64 || (part != "base64" && !part.contains('=')) {
            return Err(format!("the data URI's parameter `{part}` is not `name=value`"));
        }
        base64 = part == "base64";
    }
    if !known.contains(&media) {
        let shown: String = media.chars().take(60).collect();
        return Err(format!("the data URI's media type `{shown}` is not that of {what}"));
    }
    let body = percent_decode(body)?;
    if base64 { base64_decode(&body) } else { Ok(body) }
}

fn percent_decode(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        match (digit(), digit()) {
            // Two hexadecimal digits give a number below 256.
            (Some(high), Some(low)) => out.push((high * 16 + low) as u8),
            _ => return Err("the URI has a `%` without two hexadecimal digits".into()),
        }
    }
    Ok(out)
}

/// Base64 in the standard or the URL alphabet; padding may be absent.
fn base64_decode(text: &[u8]) -> Result<Vec<u8>, String> {
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = &text[..text.len() - padding];
    if padding > 2 || digits.len() % 4 == 1 || (padding > 0 && !text.len().is_multiple_of(4)) {
        return Err("the base64 data has a wrong length".into());
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0u32, 0);
    for &byte in digits {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return Err(format!("the base64 data has the character {:?}", char::from(byte))),
        };
        // Only the lowest `held` bits matter; older bits are shifted out at the top.
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xFF) as u8);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris() {
        let bytes = |uri| match parse(uri) {
            Ok(Target::Data(bytes)) => Some(bytes),
            _ => None,
        };
        assert_eq!(bytes("data:application/octet-stream;base64,AP+Q").unwrap(), [0, 255, 144]);
        assert_eq!(bytes("data:application/gltf-buffer;base64,AA==").unwrap(), [0]);
        assert_eq!(bytes("data:application/gltf-buffer;base64,AA").unwrap(), [0]);
        assert_eq!(bytes("data:application/octet-stream,a%20b").unwrap(), b"a b");
        for bad in [
            "data:",
            "data:application/octet-stream;;base64,AA==",
            "data:application/octet-stream;base64,A",
            "data:application/octet-stream;base64,A===",
            "data:application/octet-stream;base64,A A=",
            "data:text/plain;base64,AA==",
            "data:application/octet-stream,%4",
        ] {
            assert_eq!(bytes(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_plain_names_below_the_folder() {
        let path = |uri| match parse(uri) {
            Ok(Target::Relative(path)) => path.to_str().map(str::to_owned),
            _ => None,
        };
        assert_eq!(path("a%20b.bin").as_deref(), Some("a b.bin"));
        assert_eq!(path("./sub/%C3%A4.bin").as_deref(), Some("./sub/ä.bin"));
        for bad in [
            "",
            ":",
            "/etc/passwd",
            "//host/x",
            "%2Fetc/passwd",
            "../x.bin",
            "sub/../../x.bin",
            "%2e%2e/x.bin",
            "http://example.com/x.bin",
            "file:///etc/passwd",
            "C:/x.bin",
            "a\\..\\x",
            "%5c%5chost%5cx",
            "%00",
            "%zz",
        ] {
            assert_eq!(path(bad), None, "{bad}");
        }
    }
}
