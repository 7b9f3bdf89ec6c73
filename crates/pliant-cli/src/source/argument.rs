//! A file argument: a model, or a model and the point cache that moves it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{OsStringValueParser, TypedValueParser};

use pliant_io::{CACHE_EXTENSIONS, CACHED_MODEL_EXTENSIONS};

/// `MODEL` or `MODEL+CACHE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileArgument {
    pub(crate) model: PathBuf,
    pub(crate) cache: Option<PathBuf>,
}

impl FromStr for FileArgument {
    type Err = String;

    /// A text that ends as a cache does is divided at the first plus after a model; any other
    /// is a model's path as it stands, pluses and all.
    fn from_str(text: &str) -> Result<Self, String> {
        if !is_one_of(text, &CACHE_EXTENSIONS) {
            return Ok(Self { model: text.into(), cache: None });
        }
        let pluses = text.match_indices('+').map(|(at, _)| (&text[..at], &text[at + 1..]));
        let parts =
            pluses.into_iter().find(|(model, _)| is_one_of(model, &CACHED_MODEL_EXTENSIONS));
        match parts {
            Some((model, cache)) => Ok(Self { model: model.into(), cache: Some(cache.into()) }),
            None => Err(format!(
                "a point cache needs the .obj or .ply that it moves: write MODEL.obj+{}",
                Path::new(text).file_name().unwrap_or_default().to_string_lossy()
            )),
        }
    }
}

impl FileArgument {
    /// Reads arguments, which need not be UTF-8 if they are one path.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().try_map(|text: OsString| match text.to_str() {
            Some(text) => text.parse(),
            None => Ok(Self { model: text.into(), cache: None }),
        })
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

fn is_one_of(path: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(path).extension().and_then(OsStr::to_str).unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Option<String>) {
        let FileArgument { model, cache } = text.parse().unwrap();
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
            assert!(wrong.parse::<FileArgument>().is_err(), "{wrong}");
        }
        assert_eq!("a.obj+b.pc2".parse::<FileArgument>().unwrap().to_string(), "a.obj+b.pc2");
    }
}
