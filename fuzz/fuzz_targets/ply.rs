//! Whatever the bytes: a refusal, or a mesh. (A mesh checks its indices and numbers itself.)
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = pliant_io::read_ply(bytes, Path::new("fuzz.ply"));
});
