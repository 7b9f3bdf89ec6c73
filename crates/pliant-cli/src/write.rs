//! Files and standard output, with errors that name the file.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use pliant_io::{printable, steers_terminals};
use serde::Serialize;

use crate::terminal::printable_lines;

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

/// Writes what people read to standard output.
pub fn print(text: &str) -> Result<()> {
    write_to(Path::new("-"), |out| out.write_all(printable_lines(text).as_bytes()))
}

/// A name as a field of a CSV file: printable, quoted where it must be (RFC 4180).
///
/// A spreadsheet runs a field that begins with `=`, `+`, `-` or `@` as a formula. Such a name gets an
/// apostrophe in front, which says "text"; a name that is a number stays one.
pub fn csv_field(name: &str) -> Cow<'_, str> {
    let name = printable(name);
    let is_formula = name.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if is_formula && !is_number(&name) {
        Cow::Owned(format!("\"'{}\"", name.replace('"', "\"\"")))
    } else if name.contains(['"', ',']) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        name
    }
}

/// Whether a spreadsheet takes a text for a number. (Rust also parses words such as `inf`.)
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte)) && text.parse::<f64>().is_ok()
}

/// Escapes in a JSON text what may steer a terminal. JSON itself requires that for the characters
/// below the space alone. All others that steer stand inside strings and have 16 bits.
pub fn json_for_terminals(text: String) -> String {
    let steers = |c: char| c > ' ' && steers_terminals(c);
    if !text.contains(steers) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers(c) { out += &format!("\\u{:04x}", u32::from(c)) } else { out.push(c) }
    }
    out
}

/// Writes a value as JSON, piece by piece, with what may steer a terminal escaped.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    Ok(serde_json::to_writer(ForTerminals(out), value)?)
}

/// Passes JSON on. Strings come in pieces that are text themselves, so that no character is divided.
struct ForTerminals<'a>(&'a mut dyn Write);

impl Write for ForTerminals<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(steers_terminals) => {
                self.0.write_all(json_for_terminals(text.to_owned()).as_bytes())?;
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(csv_field("plain name"), "plain name");
        assert_eq!(csv_field("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(csv_field("a\x1b\nb"), r"a\u{1b}\nb");
    }

    #[test]
    fn names_are_no_formulas() {
        for name in
            ["=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(1)", " =1", "＝1", "-inf", "-", "--1"]
        {
            assert_eq!(csv_field(name), format!("\"'{name}\""));
        }
        assert_eq!(csv_field("=\"a\",b"), "\"'=\"\"a\"\",b\"");
        for number in ["-5", "+1.5", "-2.5e-3", "7"] {
            assert_eq!(csv_field(number), number);
        }
        assert_eq!(csv_field("a=b-c"), "a=b-c");
    }

    #[test]
    fn json_keeps_its_meaning_and_steers_nothing() {
        let name = "a\x1b\u{9b}\u{7f}\u{202e}é";
        let text = json_for_terminals(serde_json::to_string(name).unwrap());
        assert_eq!(text, r#""a\u001b\u009b\u007f\u202eé""#);
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), name);
        let mut piecewise = Vec::new();
        write_json(&mut piecewise, &[name, "b"]).unwrap();
        assert_eq!(piecewise, format!("[{text},\"b\"]").into_bytes());
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
