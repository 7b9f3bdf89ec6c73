//! Text from files, made fit for a terminal.

use std::borrow::Cow;
use std::path::Path;

/// Whether a character may steer a terminal or reorder its text: control characters (C0, DEL and
/// C1), separators of lines and paragraphs, and marks, embeddings, overrides and isolates of
/// direction.
///
/// ```
/// assert!(pliant_io::steers_terminals('\x1b') && pliant_io::steers_terminals('\u{202e}'));
/// assert!(!pliant_io::steers_terminals('é'));
/// ```
#[must_use]
pub fn steers_terminals(c: char) -> bool {
    let reorders = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    c.is_control() || reorders
}

/// Text with every character that may steer a terminal escaped as in a Rust string. Messages of
/// this crate show names and words of files in this way.
///
/// ```
/// assert_eq!(pliant_io::printable("a\x1b[2J\n"), r"a\u{1b}[2J\n");
/// assert_eq!(pliant_io::printable("plain"), "plain");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(steers_terminals) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers_terminals(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// A path for messages.
pub(crate) fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_that_steers_is_left() {
        for c in (0..=0xffff).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            let shown = printable(&text);
            assert!(!shown.contains(steers_terminals), "{:x}", u32::from(c));
            // The rest stays as it is, in every script.
            assert_eq!(shown == text, !steers_terminals(c));
        }
        assert_eq!(printable("\u{9b}31m\u{7f}\u{202e}\r"), r"\u{9b}31m\u{7f}\u{202e}\r");
    }
}
