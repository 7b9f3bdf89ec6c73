//! The door to the terminal: all that people read passes here.

use std::io::Write as _;

use pliant_io::printable;

/// A text of several lines without anything that steers a terminal. Names and words of files are
/// made [`printable`] before they stand in it, so that they add no lines.
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// Tells something on standard error, after the program's name.
pub fn tell(text: &str) {
    // Nobody is left to be told if this fails.
    let _ = writeln!(std::io::stderr(), "pliant: {}", printable_lines(text));
}

/// A name from a file, printable and not too long.
pub fn plain(name: &str) -> String {
    const LONGEST: usize = 32;
    let name = printable(name);
    if name.chars().count() <= LONGEST {
        return name.into_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(plain("a\x1b[2Jb\n"), r"a\u{1b}[2Jb\n");
        assert_eq!(plain(&"é".repeat(40)).chars().count(), 32);
        assert_eq!(printable_lines("a\x1b\n\u{202e}b\n"), "a\\u{1b}\n\\u{202e}b\n");
    }
}
