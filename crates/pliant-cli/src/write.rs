//! Files and standard output, with errors that name the file.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Whether a path means standard output.
pub fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Refuses, before a long run, a path that cannot be written after it.
pub fn check_writable(file: &Path) -> Result<()> {
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

/// A file, or standard output if the path is `-`, that is written bit by bit. A file that is not
/// finished is removed: half a report is none.
pub struct Output {
    file: PathBuf,
    /// `None` once nobody reads standard output any more.
    out: Option<Box<dyn Write>>,
    is_finished: bool,
}

impl Output {
    /// Makes the file, or empties it.
    pub fn create(file: &Path) -> Result<Self> {
        let out: Box<dyn Write> = if is_stdout(file) {
            Box::new(BufWriter::new(io::stdout()))
        } else {
            Box::new(BufWriter::new(File::create(file).with_context(|| cannot_write(file))?))
        };
        Ok(Self { file: file.into(), out: Some(out), is_finished: false })
    }

    /// Lets `content` write on.
    pub fn write(&mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let Some(out) = &mut self.out else { return Ok(()) };
        match content(out) {
            Err(error) if is_stdout(&self.file) && error.kind() == ErrorKind::BrokenPipe => {
                self.out = None;
                Ok(())
            }
            outcome => outcome.with_context(|| cannot_write(&self.file)),
        }
    }

    /// Writes what is still held back.
    pub fn finish(mut self) -> Result<()> {
        self.write(|out| out.flush())?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.is_finished && !is_stdout(&self.file) && self.file.is_file() {
            // Nothing can be done, and nothing is worse than before, if this fails.
            let _ = fs::remove_file(&self.file);
        }
    }
}

fn cannot_write(file: &Path) -> String {
    match is_stdout(file) {
        true => "standard output".into(),
        false => format!("{}: cannot be written", file.display()),
    }
}

/// Lets `content` write a file, or standard output if the path is `-`.
pub fn write_to(file: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = Output::create(file)?;
    out.write(content)?;
    out.finish()
}

/// Writes to standard output.
pub fn print(text: &str) -> Result<()> {
    write_to(Path::new("-"), |out| out.write_all(text.as_bytes()))
}

/// A field of a CSV file, quoted where it must be (RFC 4180).
pub fn csv_field(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// A name from a file, fit for a terminal: no control characters, not too long.
pub fn plain(name: &str) -> String {
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
    fn half_a_file_is_removed() {
        let file = std::env::temp_dir().join(format!("pliant_half_{}", std::process::id()));
        let mut out = Output::create(&file).unwrap();
        out.write(|out| out.write_all(b"half")).unwrap();
        drop(out);
        assert!(!file.exists());
        write_to(&file, |out| out.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"whole");
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn paths_that_cannot_be_written_are_known_before() {
        assert!(check_writable(Path::new("no/such/folder/a.json")).is_err());
        assert!(check_writable(Path::new("src")).is_err());
        assert!(check_writable(Path::new("a.json")).is_ok());
    }
}
