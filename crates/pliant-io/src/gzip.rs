//! Files compressed with gzip: any file that pliant reads may be one.

use std::io::{ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::{Error, Result};

/// The first bytes of a gzip file with the only compression method that exists. No format that
/// pliant reads begins with them.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// Decoded bytes that a file of any size may have: 64 MiB.
const ALWAYS_ALLOWED: u64 = 1 << 26;

/// Decoded bytes per compressed byte in larger files. Meshes reach 20, still animations more; a
/// file made to fill the memory reaches 1032, the most that the format allows.
const LARGEST_RATIO: u64 = 256;

/// Decodes the bytes of a file if they are compressed, and returns them as they are if not.
///
/// Members that follow each other are joined, as `gunzip` does. The checksums are checked.
///
/// # Errors
/// [`Error::Malformed`] if the compressed bytes are damaged or cut off; [`Error::Unsupported`] if
/// the decoded bytes are more than `limit`, or more than 64 MiB and 256 times the compressed ones.
pub(crate) fn decode_if_gzip(bytes: Vec<u8>, path: &Path, limit: u64) -> Result<Vec<u8>> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(bytes);
    }
    let ratio_limit = (bytes.len() as u64).saturating_mul(LARGEST_RATIO).max(ALWAYS_ALLOWED);
    let mut decoded = Vec::new();
    // The vector grows with what is decoded, never with what the file claims.
    let reader = MultiGzDecoder::new(bytes.as_slice());
    let outcome = reader.take(limit.min(ratio_limit).saturating_add(1)).read_to_end(&mut decoded);
    if let Err(error) = outcome {
        let reason = match error.kind() {
            ErrorKind::UnexpectedEof => "the compressed bytes end early".to_owned(),
            _ => format!("the compressed bytes are damaged ({error})"),
        };
        return Err(Error::malformed(path, "gzip", reason));
    }
    let unpacked = decoded.len() as u64;
    if unpacked > limit {
        return Err(Error::unsupported(path, "gzip", format!("decodes to over {limit} bytes")));
    }
    if unpacked > ratio_limit {
        let reason = format!(
            "decodes to over {LARGEST_RATIO} times its size and over {ALWAYS_ALLOWED} bytes; \
             decompress it first if it is meant so"
        );
        return Err(Error::unsupported(path, "gzip", reason));
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn compress(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(bytes: &[u8], limit: u64) -> Result<Vec<u8>> {
        decode_if_gzip(bytes.to_vec(), Path::new("t.gz"), limit)
    }

    #[test]
    fn a_file_comes_back_and_other_files_stay() {
        let text = b"v 0 0 0\n".repeat(999);
        assert_eq!(decode(&compress(&text), 1 << 20).unwrap(), text);
        assert_eq!(decode(&text, 0).unwrap(), text);
        assert!(decode(&[], 0).unwrap().is_empty());
        assert!(decode(&compress(b""), 0).unwrap().is_empty());
        let two = [compress(b"first "), compress(b"second")].concat();
        assert_eq!(decode(&two, 99).unwrap(), b"first second");
    }

    #[test]
    fn limits_hold_for_decoded_bytes() {
        let packed = compress(&[7; 1000]);
        assert_eq!(decode(&packed, 1000).unwrap(), [7; 1000]);
        let error = decode(&packed, 999).unwrap_err().to_string();
        assert_eq!(error, "t.gz: gzip: decodes to over 999 bytes");
        // 80 MB of zeros take 80 kB.
        let bomb = compress(&vec![0; 80_000_000]);
        assert!(bomb.len() < 100_000);
        let error = decode(&bomb, u64::MAX).unwrap_err();
        assert!(matches!(&error, Error::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("over 256 times its size"), "{error}");
    }

    #[test]
    fn every_cut_and_every_changed_checksum_is_refused() {
        let packed = compress(b"f 1 2 3\nf 4 5 6\nf 3 2 1\n");
        for length in MAGIC.len()..packed.len() {
            let error = decode(&packed[..length], 99).unwrap_err().to_string();
            assert!(error.starts_with("t.gz: gzip: the compressed bytes"), "{error}");
        }
        for byte in packed.len() - 8..packed.len() {
            let mut wrong = packed.clone();
            wrong[byte] ^= 1;
            assert!(matches!(decode(&wrong, 99), Err(Error::Malformed { .. })));
        }
        assert!(decode(&[&packed[..], b"more"].concat(), 99).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused(tail in prop::collection::vec(any::<u8>(), 0..200)) {
            let bytes = [&MAGIC[..], &tail].concat();
            let _ = decode(&bytes, 1 << 20);
        }

        #[test]
        fn a_changed_byte_never_gives_other_contents(at in 0usize..1000, flip in 1u8..) {
            let text: Vec<u8> = (0..300u32).map(|i| (i * i % 251) as u8).collect();
            let mut packed = compress(&text);
            let at = 3 + at % (packed.len() - 3);
            packed[at] ^= flip;
            if let Ok(decoded) = decode(&packed, 1 << 20) {
                prop_assert_eq!(decoded, text);
            }
        }
    }
}
