//! `pliant view` without a file: the page on which files are dropped. It carries the library itself, so no
//! server is needed.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The page as one file, as `viewer/drop.mjs` writes it.
const NAME: &str = "pliant.html";

/// Says where the page is, if not beside the program.
const VARIABLE: &str = "PLIANT_HTML";

/// The address of the page on this machine.
pub(super) fn address() -> Result<String> {
    let given = env::var_os(VARIABLE).map(PathBuf::from);
    // A release has it beside the program; a build in the folder of its targets.
    let program = env::current_exe().ok();
    let folders = program.iter().flat_map(|program| program.ancestors().skip(1).take(2));
    let beside = folders.map(|folder| folder.join(NAME));
    let places: Vec<PathBuf> = given.map_or_else(|| beside.collect(), |given| vec![given]);
    match places.iter().find(|place| place.is_file()) {
        Some(page) => Ok(file_address(&std::path::absolute(page)?)),
        None => bail!(
            "no FILE was given, and {NAME}, the page on which files are dropped, is not beside the program; \
             `npm/pliant/build && node viewer/drop.mjs` makes it, and {VARIABLE} says where it is"
        ),
    }
}

/// A path as an address: bytes that have a meaning there are written as numbers.
fn file_address(path: &Path) -> String {
    let mut address = String::from("file://");
    let text = path.to_string_lossy().replace('\\', "/");
    if !text.starts_with('/') {
        address.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b':' | b'-' | b'.' | b'_' | b'~' => {
                address.push(char::from(byte));
            }
            _ => address += &format!("%{byte:02X}"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_an_address_is_a_number_there() {
        let of = |path: &str| file_address(Path::new(path));
        assert_eq!(of("/a b/#1?%/ü.html"), "file:///a%20b/%231%3F%25/%C3%BC.html");
        assert_eq!(of("C:/x.html"), "file:///C:/x.html");
    }
}
