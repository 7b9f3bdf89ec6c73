//! The protocol's bytes in frames of a WebSocket (RFC 6455).
//!
//! A WebSocket carries the same stream of bytes as TCP, in binary frames of any size: where a frame ends
//! says nothing. Whoever answers the HTTP request does the handshake.

use std::io::{self, Read};

/// Bytes of a control frame, at most (section 5.5).
const MAX_CONTROL: u64 = 125;

/// Bytes of a frame, at most.
const MAX_FRAME: u64 = 1 << 26;

// What a frame is (section 5.2).
const CONTINUATION: u8 = 0;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// Puts bytes into a binary frame, as a server does: without a mask.
#[must_use]
pub fn binary_frame(bytes: &[u8]) -> Vec<u8> {
    wrap(BINARY, bytes)
}

fn wrap(code: u8, bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(bytes.len() + 10);
    frame.push(0x80 | code);
    match bytes.len() {
        short @ 0..=125 => frame.push(short as u8),
        middle @ 126..=65_535 => {
            frame.push(126);
            frame.extend((middle as u16).to_be_bytes());
        }
        long => {
            frame.push(127);
            frame.extend((long as u64).to_be_bytes());
        }
    }
    frame.extend(bytes);
    frame
}

/// Reads the bytes of a client's binary frames.
#[derive(Debug)]
pub(super) struct Unwrapped<R> {
    input: R,
    /// Bytes that are left of the frame.
    left: u64,
    mask: [u8; 4],
    /// Where the mask is.
    at: usize,
    /// Pongs that are to be sent.
    answers: Vec<u8>,
    closed: bool,
}

impl<R: Read> Unwrapped<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, left: 0, mask: [0; 4], at: 0, answers: Vec::new(), closed: false }
    }

    /// Frames that answer pings, to be sent.
    pub(super) fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.answers)
    }

    /// Reads the head of a frame, and all of a frame that carries no data.
    fn next_frame(&mut self) -> io::Result<()> {
        let wrong = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let mut head = [0; 2];
        self.input.read_exact(&mut head)?;
        let (code, short) = (head[0] & 0x0f, head[1] & 0x7f);
        if head[0] & 0x70 != 0 || head[1] & 0x80 == 0 {
            return wrong("a WebSocket frame with extensions, or without a mask");
        }
        let length = match short {
            126 => {
                let mut bytes = [0; 2];
                self.input.read_exact(&mut bytes)?;
                u64::from(u16::from_be_bytes(bytes))
            }
            127 => {
                let mut bytes = [0; 8];
                self.input.read_exact(&mut bytes)?;
                u64::from_be_bytes(bytes)
            }
            short => u64::from(short),
        };
        self.input.read_exact(&mut self.mask)?;
        self.at = 0;
        match code {
            BINARY | CONTINUATION if length <= MAX_FRAME => self.left = length,
            CLOSE => self.closed = true,
            PING | PONG if length <= MAX_CONTROL => {
                let mut bytes = vec![0; length as usize];
                self.input.read_exact(&mut bytes)?;
                self.unmask(&mut bytes);
                if code == PING && self.answers.len() < 4096 {
                    self.answers.extend(wrap(PONG, &bytes));
                }
            }
            _ => return wrong("a WebSocket frame of text, of an unknown kind or too long"),
        }
        Ok(())
    }

    fn unmask(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte ^= self.mask[self.at];
            self.at = (self.at + 1) % 4;
        }
    }
}

impl<R: Read> Read for Unwrapped<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 && !self.closed {
            self.next_frame()?;
            // Whoever reads must send the answers before it waits again.
            if !self.answers.is_empty() {
                return Err(io::ErrorKind::Interrupted.into());
            }
        }
        if self.closed || bytes.is_empty() {
            return Ok(0);
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        let count = self.input.read(&mut bytes[..most])?;
        self.unmask(&mut bytes[..count]);
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as a client sends it.
    fn masked(code: u8, mask: [u8; 4], bytes: &[u8]) -> Vec<u8> {
        let mut frame = wrap(code, bytes);
        let head = frame.len() - bytes.len();
        frame[1] |= 0x80;
        let body: Vec<u8> = (0..).zip(bytes).map(|(i, byte)| byte ^ mask[i % 4]).collect();
        frame.truncate(head);
        frame.extend(mask);
        frame.extend(body);
        frame
    }

    fn read_all(stream: &[u8]) -> io::Result<(Vec<u8>, Vec<u8>)> {
        let (mut bytes, mut answers) = (Vec::new(), Vec::new());
        let mut unwrapped = Unwrapped::new(stream);
        let mut piece = [0; 7];
        loop {
            match unwrapped.read(&mut piece) {
                Ok(0) => return Ok((bytes, answers)),
                Ok(count) => bytes.extend(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    answers.extend(unwrapped.take_answers());
                }
                Err(error) => return Err(error),
            }
        }
    }

    #[test]
    fn frames_of_every_length_carry_their_bytes() {
        let mut stream = Vec::new();
        let mut expected = Vec::new();
        for (number, length) in
            [0, 1, 125, 126, 300, 65_535, 65_536, 70_000].into_iter().enumerate()
        {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 7 + number) as u8).collect();
            let code = if number == 0 { BINARY } else { CONTINUATION };
            stream.extend(masked(code, [1, 2, 3, number as u8], &bytes));
            expected.extend(bytes);
        }
        stream.extend(masked(PING, [9; 4], b"hello"));
        stream.extend(masked(CLOSE, [0; 4], &[]));
        stream.extend(b"beyond");
        let (bytes, answers) = read_all(&stream).unwrap();
        assert_eq!(bytes, expected);
        assert_eq!(answers, wrap(PONG, b"hello"));
    }

    #[test]
    fn wrong_frames_are_errors() {
        let unmasked = wrap(BINARY, b"abc");
        let text = masked(1, [0; 4], b"abc");
        let mut long = vec![0x82, 0xff];
        long.extend(u64::MAX.to_be_bytes());
        long.extend([0; 4]);
        for stream in [unmasked, text, long, vec![0x82], vec![0xf2, 0x81, 0, 0, 0, 0, 1]] {
            assert!(read_all(&stream).is_err(), "{stream:?}");
        }
    }
}
