//! Files and standard output, with errors that name the file.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pliant_io::{printable, steers_terminals};

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
