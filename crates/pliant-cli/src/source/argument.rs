//! A file argument: a model, or a model and the point cache that moves it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser, ValueParser, ValueParserFactory};
use pliant_io::{CACHE_EXTENSIONS, CACHED_MODEL_EXTENSIONS};

/// `MODEL` or `MODEL+CACHE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileArgument {
    pub(crate) model: PathBuf,
    pub(crate) cache: Option<PathBuf>,
}

impl FileArgument {
    /// A text that ends as a cache does is divided at the first plus after a model; any other
    /// is a model's path as it stands, pluses and all.
    pub(crate) fn new(text: impl Into<OsString>) -> Result<Self, String> {
        let text = text.into();
        if !is_one_of(&text, &CACHE_EXTENSIONS) {
            return Ok(Self { model: text.into(), cache: None });
        }
        let bytes = text.as_encoded_bytes().iter().enumerate();
        let pluses = bytes.filter(|&(_, &byte)| byte == b'+').map(|(at, _)| at);
        let mut parts = pluses.filter_map(|at| split_around(&text, at));
        match parts.find(|(model, _)| is_one_of(model, &CACHED_MODEL_EXTENSIONS)) {
            Some((model, cache)) => Ok(Self { model: model.into(), cache: Some(cache.into()) }),
            None => Err(format!(
                "a point cache needs the .obj or .ply that it moves: write MODEL.obj+{}",
                Path::new(&text).file_name().unwrap_or_default().to_string_lossy()
            )),
        }
    }
}

/// File names need not be UTF-8.
impl ValueParserFactory for FileArgument {
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        ValueParser::from(OsStringValueParser::new().try_map(Self::new))
    }
}

/// The texts before and after the ASCII character at a byte; elsewhere than on Unix only of UTF-8.
fn split_around(text: &OsStr, at: usize) -> Option<(&OsStr, &OsStr)> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let bytes = text.as_bytes();
        Some((OsStr::from_bytes(bytes.get(..at)?), OsStr::from_bytes(bytes.get(at + 1..)?)))
    }
    #[cfg(not(unix))]
    {
        let text = text.to_str()?;
        Some((OsStr::new(text.get(..at)?), OsStr::new(text.get(at + 1..)?)))
    }
}

impl fmt::Display for FileArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.model.display())?;
        match &self.cache {
            Some(cache) => write!(f, "+{}", cache.display()),
            None => Ok(()),
        }
    }
}

/// Whether a path has one of the extensions, before `.gz` if it ends so.
fn is_one_of(path: &OsStr, extensions: &[&str]) -> bool {
    let mut path = Path::new(path);
    let extension_is = |path: &Path, known: &str| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(known))
    };
    if extension_is(path, "gz") {
        path = Path::new(path.file_stem().unwrap_or_default());
    }
    extensions.iter().any(|known| extension_is(path, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Option<String>) {
        let FileArgument { model, cache } = FileArgument::new(text).unwrap();
        let shown = |path: PathBuf| path.display().to_string();
        (shown(model), cache.map(shown))
    }

    #[test]
    fn a_plus_joins_a_cache_to_its_model() {
        let both = |model: &str, cache: &str| (model.into(), Some(cache.into()));
        assert_eq!(parsed("a.glb"), ("a.glb".into(), None));
        assert_eq!(parsed("a.obj+b.pc2"), both("a.obj", "b.pc2"));
        assert_eq!(parsed("x+y/a.PLY+b+c.MDD"), both("x+y/a.PLY", "b+c.MDD"));
        assert_eq!(parsed("a+b.obj"), ("a+b.obj".into(), None));
        for wrong in ["a.pc2", "a.glb+b.pc2", "+b.mdd"] {
            assert!(FileArgument::new(wrong).is_err(), "{wrong}");
        }
        assert_eq!(FileArgument::new("a.obj+b.pc2").unwrap().to_string(), "a.obj+b.pc2");
        assert_eq!(parsed("a.obj.gz+b.pc2.GZ"), both("a.obj.gz", "b.pc2.GZ"));
        assert_eq!(parsed("a.obj+b.gz"), ("a.obj+b.gz".into(), None));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_are_taken() {
        use std::os::unix::ffi::OsStringExt as _;
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let FileArgument { model, cache } = FileArgument::new(text(b"\xe9.obj+\xff.pc2")).unwrap();
        assert_eq!((model, cache), (text(b"\xe9.obj").into(), Some(text(b"\xff.pc2").into())));
        let alone = FileArgument::new(text(b"\xe9+.glb")).unwrap();
        assert_eq!(alone.model, PathBuf::from(text(b"\xe9+.glb")));
    }
}
