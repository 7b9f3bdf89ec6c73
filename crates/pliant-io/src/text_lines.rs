//! Text as numbered lines and words.
//!
//! Text stays bytes: comments and names in old files may be in any encoding, and only the words
//! that are parsed must be ASCII.

use std::str::FromStr;

/// The lines of a text with their numbers; the first is line `first_number`.
///
/// A line ends with LF, CRLF or a lone CR, which are not part of it. The last line may end with the
/// text.
pub(crate) fn numbered_lines(text: &[u8], first_number: usize) -> NumberedLines<'_> {
    NumberedLines { text, number: first_number }
}

/// See [`numbered_lines`].
pub(crate) struct NumberedLines<'a> {
    text: &'a [u8],
    number: usize,
}

impl<'a> NumberedLines<'a> {
    /// The text after the lines returned so far.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.text
    }
}

impl<'a> Iterator for NumberedLines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.text.is_empty() {
            return None;
        }
        let ends = |&byte: &u8| byte == b'\n' || byte == b'\r';
        let end = self.text.iter().position(ends).unwrap_or(self.text.len());
        let (line, ending) = self.text.split_at(end);
        self.text = match ending {
            [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            [] => &[],
        };
        self.number += 1;
        Some((self.number - 1, line))
    }
}

/// The words of a line, separated by whitespace.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// Removes the first word of a line and returns it.
pub(crate) fn take_word<'a>(line: &mut &'a [u8]) -> Option<&'a [u8]> {
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let word = &line[start..];
    let length = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
    let (word, rest) = word.split_at(length);
    *line = rest;
    Some(word)
}

/// A word as a number; `None` if it is not one.
pub(crate) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A word for a message, shortened so that a hostile file does not cause a huge message.
pub(crate) fn shortened(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let shown = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]);
    let dots = if word.len() > LONGEST { "..." } else { "" };
    format!("{}{dots}", shown.escape_debug())
}

/// A word for a message, [`shortened`] and quoted.
pub(crate) fn quoted(word: &[u8]) -> String {
    format!("`{}`", shortened(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_ending_counts_once() {
        let lines: Vec<_> = numbered_lines(b"a\nb\r\n\rc\r\r\nd", 5).collect();
        let expected: [(usize, &[u8]); 6] =
            [(5, b"a"), (6, b"b"), (7, b""), (8, b"c"), (9, b""), (10, b"d")];
        assert_eq!(lines, expected);
        assert_eq!(numbered_lines(b"", 1).count(), 0);
        assert_eq!(numbered_lines(b"\n", 1).count(), 1);
    }

    #[test]
    fn words_and_numbers() {
        assert_eq!(words(b" \tf  1/2\t-3 ").collect::<Vec<_>>(), [&b"f"[..], b"1/2", b"-3"]);
        let mut line = &b"  a \tbc"[..];
        assert_eq!(take_word(&mut line), Some(&b"a"[..]));
        assert_eq!(take_word(&mut line), Some(&b"bc"[..]));
        assert_eq!(take_word(&mut line), None);
        assert_eq!(parse::<f64>(b"-1.5e3"), Some(-1500.0));
        assert_eq!(parse::<f64>(b"\xff"), None);
        assert_eq!(parse::<i64>(b"99999999999999999999"), None);
    }

    #[test]
    fn messages_stay_short() {
        assert_eq!(quoted(b"junk\0"), "`junk\\0`");
        assert!(quoted(&[b'x'; 1000]).len() < 50);
    }
}
