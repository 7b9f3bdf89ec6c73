//! Files and standard output, with errors that name the file.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Files that are not finished, for [`remove_partial_files`].
static PARTIAL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what is half written: called when the program is interrupted.
pub fn remove_partial_files() {
    let files = PARTIAL.lock().map(|mut files| std::mem::take(&mut *files)).unwrap_or_default();
    for file in files {
        // Nothing can be done, and nothing is worse than before, if this fails.
        let _ = fs::remove_file(file);
    }
}

/// A file, or standard output if the path is `-`, that is written bit by bit.
///
/// It is written under another name beside its own, and renamed when it is finished: half a report
/// is none, and a report of before stays until there is a new one.
pub struct Output {
    file: PathBuf,
    /// Where it is written; `None` if it is written where it belongs.
    partial: Option<PathBuf>,
    /// `None` once nobody reads standard output any more.
    out: Option<Box<dyn Write>>,
}

impl Output {
    /// Makes the file under its other name.
    pub fn create(file: &Path) -> Result<Self> {
        if is_stdout(file) {
            let out: Box<dyn Write> = Box::new(BufWriter::new(io::stdout()));
            return Ok(Self { file: file.into(), partial: None, out: Some(out) });
        }
        // A link is followed, so that it stays one.
        let file = fs::canonicalize(file).unwrap_or_else(|_| file.into());
        // A device or a pipe must not be replaced by a file.
        let is_special = fs::metadata(&file).is_ok_and(|found| !found.is_file());
        let partial = if is_special { None } else { Some(partial_name(&file)) };
        let out = File::create(partial.as_ref().unwrap_or(&file));
        let out = out.with_context(|| cannot_write(&file))?;
        if let (Some(partial), Ok(mut all)) = (&partial, PARTIAL.lock()) {
            all.push(partial.clone());
        }
        Ok(Self { file, partial, out: Some(Box::new(BufWriter::new(out))) })
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

    /// Writes what is still held back, and gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        self.write(|out| out.flush())?;
        self.out = None;
        if let Some(partial) = &self.partial {
            fs::rename(partial, &self.file).with_context(|| cannot_write(&self.file))?;
            forget(partial);
            self.partial = None;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_file(partial);
            forget(partial);
        }
    }
}

/// A name beside a file's own that no other run uses.
fn partial_name(file: &Path) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}.{count}.partial", std::process::id()));
    file.with_file_name(name)
}

fn forget(partial: &Path) {
    if let Ok(mut all) = PARTIAL.lock() {
        all.retain(|file| file != partial);
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
        assert!(!file.exists());
        drop(out);
        assert!(!file.exists());
        write_to(&file, |out| out.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"whole");
        // What was there stays until there is something whole in its place.
        let mut out = Output::create(&file).unwrap();
        out.write(|out| out.write_all(b"half")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"whole");
        drop(out);
        assert_eq!(fs::read(&file).unwrap(), b"whole");
        assert!(!partial_name(&file).exists());
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn paths_that_cannot_be_written_are_known_before() {
        assert!(check_writable(Path::new("no/such/folder/a.json")).is_err());
        assert!(check_writable(Path::new("src")).is_err());
        assert!(check_writable(Path::new("a.json")).is_ok());
    }
}
