//! Messages in a stream of bytes.

use super::{MAX_FIRST_MESSAGE, MAX_MESSAGE, Wrong};

/// Bytes before the body of a message: its length and its kind.
const HEAD: usize = 6;

/// Puts a message together.
#[must_use]
pub fn frame(kind: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Takes messages out of a stream of bytes, as they come.
///
/// Memory grows with the bytes that are there, not with the length that a message claims.
#[derive(Debug)]
pub struct Framing {
    bytes: Vec<u8>,
    /// Where the next message begins.
    start: usize,
    /// Bytes of a message, at most.
    most: usize,
}

impl Default for Framing {
    fn default() -> Self {
        Self { bytes: Vec::new(), start: 0, most: MAX_MESSAGE }
    }
}

impl Framing {
    /// For a peer that is not known yet: its messages must be short.
    #[must_use]
    pub fn of_stranger() -> Self {
        Self { most: MAX_FIRST_MESSAGE, ..Self::default() }
    }

    /// The peer is known now: its messages may be long.
    pub fn trust(&mut self) {
        self.most = MAX_MESSAGE;
    }

    /// Takes bytes in.
    pub fn push(&mut self, bytes: &[u8]) {
        // What was taken out is forgotten here, in long pieces, so that a byte moves seldom.
        if self.start > self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.start = 0;
            // A long message is gone, and its memory with it.
            if self.bytes.len() < 1 << 16 {
                self.bytes.shrink_to(1 << 17);
            }
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message, if it is there as a whole: kind and body.
    ///
    /// # Errors
    /// [`Wrong::TooLong`] as soon as its length is there.
    pub fn next_message(&mut self) -> Result<Option<(u16, &[u8])>, Wrong> {
        let left = &self.bytes[self.start..];
        let Some((head, rest)) = left.split_at_checked(HEAD) else { return Ok(None) };
        let bytes = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let kind = u16::from_le_bytes([head[4], head[5]]);
        if bytes > self.most {
            return Err(Wrong::TooLong { bytes, most: self.most });
        }
        if rest.len() < bytes {
            return Ok(None);
        }
        let from = self.start + HEAD;
        self.start = from + bytes;
        Ok(Some((kind, &self.bytes[from..from + bytes])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_however_the_bytes_come_in() {
        let messages: Vec<(u16, Vec<u8>)> =
            (0..40u16).map(|n| (n, vec![n as u8; usize::from(n) * 7])).collect();
        let stream: Vec<u8> = messages.iter().flat_map(|(kind, body)| frame(*kind, body)).collect();
        for piece in [1, 2, 5, 64, stream.len()] {
            let mut framing = Framing::default();
            let mut found = Vec::new();
            for bytes in stream.chunks(piece) {
                framing.push(bytes);
                while let Some((kind, body)) = framing.next_message().unwrap() {
                    found.push((kind, body.to_vec()));
                }
            }
            assert_eq!(found, messages, "{piece}");
        }
    }

    #[test]
    fn a_length_takes_no_memory() {
        let mut framing = Framing::default();
        framing.push(&(MAX_MESSAGE as u32).to_le_bytes());
        framing.push(&[1, 0, 9]);
        assert_eq!(framing.next_message(), Ok(None));
        assert!(framing.bytes.capacity() < 1024);
        let mut framing = Framing::of_stranger();
        framing.push(&(MAX_FIRST_MESSAGE as u32 + 1).to_le_bytes());
        framing.push(&[1, 0]);
        assert!(matches!(framing.next_message(), Err(Wrong::TooLong { .. })));
    }
}
