//! The head of a request: its first line and its headers.

use std::io::{ErrorKind, Read};

/// Bytes of a head, at the most.
const MAX_HEAD: usize = 16 << 10;

/// What came of reading a head.
#[derive(Debug, PartialEq)]
pub(super) enum Head {
    Complete(Request),
    /// No end within [`MAX_HEAD`] bytes.
    TooLarge,
    /// No end before the deadline.
    TooLate,
    /// The client went away, or its connection was closed.
    Gone,
}

/// What matters of a request.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) host: Option<String>,
    /// The page that asks, as browsers say it.
    pub(super) origin: Option<String>,
    /// The key of a WebSocket, if one is asked for.
    pub(super) websocket: Option<String>,
}

impl Head {
    /// Reads up to the first empty line.
    pub(super) fn read(input: &mut impl Read) -> Self {
        let mut bytes = [0; MAX_HEAD];
        let mut filled = 0;
        // Where the line begins whose end is not there yet.
        let mut line = 0;
        loop {
            match input.read(&mut bytes[filled..]) {
                Ok(0) => return Self::Gone,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // A timeout is one or the other, by the system.
                Err(error)
                    if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) =>
                {
                    return Self::TooLate;
                }
                Err(_) => return Self::Gone,
            }
            while let Some(length) = bytes[line..filled].iter().position(|&byte| byte == b'\n') {
                if bytes[line..line + length].trim_ascii().is_empty() {
                    return Self::Complete(Request::parse(&bytes[..line]));
                }
                line += length + 1;
            }
            if filled == MAX_HEAD {
                return Self::TooLarge;
            }
        }
    }
}

impl Request {
    fn parse(head: &[u8]) -> Self {
        let head = String::from_utf8_lossy(head);
        let mut lines = head.lines();
        let mut words = lines.next().unwrap_or("").split_whitespace();
        let mut request = Self {
            method: words.next().unwrap_or("").into(),
            path: words.next().unwrap_or("").into(),
            ..Self::default()
        };
        let mut upgrades = false;
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" => request.host = Some(value.to_ascii_lowercase()),
                "origin" => request.origin = Some(value.to_ascii_lowercase()),
                "upgrade" => upgrades = value.eq_ignore_ascii_case("websocket"),
                "sec-websocket-key" => request.websocket = Some(value.into()),
                _ => {}
            }
        }
        request.websocket = request.websocket.filter(|_| upgrades);
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that hands out one byte at a time.
    struct Bytewise<'a>(&'a [u8]);

    impl Read for Bytewise<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
            let count = bytes.len().min(1);
            self.0.read(&mut bytes[..count])
        }
    }

    #[test]
    fn a_head_ends_with_an_empty_line() {
        let expected = Head::Complete(Request {
            method: "GET".into(),
            path: "/a".into(),
            host: Some("b:1".into()),
            ..Request::default()
        });
        for text in ["GET /a HTTP/1.1\r\nHOST: B:1\r\n\r\nbody", "GET /a\nx\nhost:b:1\n\n"] {
            assert_eq!(Head::read(&mut text.as_bytes()), expected);
            assert_eq!(Head::read(&mut Bytewise(text.as_bytes())), expected);
        }
        assert_eq!(Head::read(&mut "\r\n".as_bytes()), Head::Complete(Request::default()));
        // The end of the stream is no end of a head.
        for text in ["", "GET / HTTP/1.1\r\nHost: x\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r"] {
            assert_eq!(Head::read(&mut text.as_bytes()), Head::Gone, "{text:?}");
        }
    }

    #[test]
    fn a_head_over_16_kib_is_never_complete() {
        let of_length = |length: usize| {
            let start = "GET / HTTP/1.1\r\nX: ";
            format!("{start}{}\r\n\r\n", "x".repeat(length - start.len() - 4))
        };
        let longest = of_length(MAX_HEAD);
        assert!(matches!(Head::read(&mut longest.as_bytes()), Head::Complete(_)));
        let longer = of_length(MAX_HEAD + 1);
        assert_eq!(Head::read(&mut longer.as_bytes()), Head::TooLarge);
        assert_eq!(Head::read(&mut Bytewise(longer.as_bytes())), Head::TooLarge);
    }
}
