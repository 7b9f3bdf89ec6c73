//! Files and standard output, with errors that name the file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Whether a path means standard output.
pub(crate) fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Refuses, before a long run, a path that cannot be written after it.
pub(crate) fn check_writable(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        ensure!(
            folder.is_dir(),
            "{}: cannot be written: there is no folder {}",
            file.display(),
            folder.display()
        );
    }
    ensure!(!file.is_dir(), "{}: cannot be written: it is a folder", file.display());
    Ok(())
}

/// Lets `content` write a file, or standard output if the path is `-`.
pub(crate) fn write_to(
    file: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    if is_stdout(file) {
        let mut out = BufWriter::new(io::stdout().lock());
        return forgive_closed_pipe(content(&mut out).and_then(|()| out.flush()));
    }
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(file)?);
        content(&mut out)?;
        out.flush()
    };
    write().with_context(|| format!("{}: cannot be written", file.display()))
}

/// Writes to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    forgive_closed_pipe(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Whoever reads may stop when he has seen enough, as `head` does.
fn forgive_closed_pipe(outcome: io::Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output"),
    }
}

/// A field of a CSV file, quoted where it must be (RFC 4180).
pub(crate) fn csv_field(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// A name from a file, fit for a terminal: no control characters, not too long.
pub(crate) fn plain(name: &str) -> String {
    const LONGEST: usize = 32;
    let harmless = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    if name.chars().count() <= LONGEST {
        return name.chars().map(harmless).collect();
    }
    name.chars().take(LONGEST - 1).map(harmless).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(csv_field("plain name"), "plain name");
        assert_eq!(csv_field("a \"b\", c"), "\"a \"\"b\"\", c\"");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(plain("a\x1b[2Jb"), "a\u{fffd}[2Jb");
        assert_eq!(plain(&"é".repeat(40)).chars().count(), 32);
    }

    #[test]
    fn paths_that_cannot_be_written_are_known_before() {
        assert!(check_writable(Path::new("no/such/folder/a.json")).is_err());
        assert!(check_writable(Path::new("src")).is_err());
        assert!(check_writable(Path::new("a.json")).is_ok());
    }
}
