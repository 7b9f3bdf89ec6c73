//! Numbers in bulk as text.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64, padded (RFC 4648).
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .enumerate()
            .fold(0, |bits, (at, &byte)| bits | u32::from(byte) << (16 - 8 * at));
        for digit in 0..4 {
            if digit <= group.len() {
                out.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// Numbers as base64 over their little-endian bytes.
pub(crate) fn floats(numbers: impl IntoIterator<Item = f32>) -> String {
    encode(&numbers.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

/// Numbers as base64 over their little-endian bytes.
pub(crate) fn integers(numbers: impl IntoIterator<Item = u32>) -> String {
    encode(&numbers.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_standard() {
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in vectors.into_iter().enumerate() {
            assert_eq!(encode(&b"foobar"[..length]), expected);
        }
        assert_eq!(floats([1.0]), "AACAPw==");
        assert_eq!(integers([1, 256]), "AQAAAAABAAA=");
    }
}
