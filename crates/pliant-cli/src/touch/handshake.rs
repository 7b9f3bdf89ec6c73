//! The handshake of a WebSocket (RFC 6455, section 4.2.2).

use crate::view::base64;

/// What every server appends to the client's key.
const SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// What proves that the server speaks WebSocket: the SHA-1 of the key and the suffix, as base64.
pub(crate) fn accepted(key: &str) -> String {
    base64::encode(&sha1(format!("{key}{SUFFIX}").as_bytes()))
}

/// SHA-1 (FIPS 180-4, section 6.1). It protects nothing here; the handshake asks for it.
fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((8 * bytes.len() as u64).to_be_bytes());
    let mut hash: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded.chunks_exact(64) {
        let mut words = [0; 80];
        for (word, four) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([four[0], four[1], four[2], four[3]]);
        }
        for t in 16..80 {
            words[t] = (words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = hash;
        for (t, word) in words.iter().enumerate() {
            let (mixed, constant): (u32, u32) = match t / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
            let next = next.wrapping_add(constant).wrapping_add(*word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (sum, word) in hash.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(word);
        }
    }
    let mut out = [0; 20];
    for (four, word) in out.chunks_exact_mut(4).zip(hash) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 6455, and lengths around a block.
    #[test]
    fn the_examples_of_the_standards() {
        assert_eq!(accepted("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        let hex = |bytes: &[u8]| sha1(bytes).map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        let two = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex(&[b'a'; 1000]), "291e9a6c66994949b57ba5e650361e98fc36b1ba");
    }
}
