//! `pliant.toml`: what a project checks, beside what it checks.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;

use super::BlendingArgument;
use super::gate::{Limit, Touching};
use crate::pattern::PairPattern;

/// The name of the file that is read if nobody names another.
pub(crate) const USUAL: &str = "pliant.toml";

/// The same names as the options. What the command line says counts more, and lists are joined.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Config {
    #[serde(default)]
    pub(crate) only: Vec<String>,
    #[serde(default)]
    pub(crate) ignore: Vec<String>,
    #[serde(default)]
    pub(crate) animation: Vec<String>,
    pub(crate) fps: Option<f64>,
    #[serde(default, rename = "self")]
    pub(crate) with_self: bool,
    pub(crate) blending: Option<BlendingArgument>,
    pub(crate) touching: Option<Touching>,
    pub(crate) min_depth: Option<f64>,
    pub(crate) margin: Option<f64>,
    #[serde(default)]
    pub(crate) fail_on_contact: bool,
    pub(crate) baseline: Option<PathBuf>,
    #[serde(default, rename = "limit")]
    limits: Vec<LimitTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LimitTable {
    objects: String,
    depth: f64,
}

impl Config {
    /// Reads a file, or `pliant.toml` of the current folder if there is one.
    pub(crate) fn find(file: Option<&Path>) -> Result<Self> {
        match file {
            Some(file) => Self::read(file),
            None if Path::new(USUAL).is_file() => Self::read(Path::new(USUAL)),
            None => Ok(Self::default()),
        }
    }

    fn read(file: &Path) -> Result<Self> {
        let name = || file.display().to_string();
        let text = fs::read_to_string(file).with_context(name)?;
        // The error names line and column.
        let mut config: Self =
            toml::from_str(&text).map_err(|error| anyhow!("{}: {error}", name()))?;
        let numbers = [
            ("min-depth", config.min_depth, 0.0),
            ("margin", config.margin, 0.0),
            ("fps", config.fps, f64::MIN_POSITIVE),
        ];
        for (key, number, least) in numbers {
            ensure!(
                number.is_none_or(|number| number.is_finite() && number >= least),
                "{}: {key}: must be a number {} 0",
                name(),
                if least == 0.0 { "not below" } else { "above" }
            );
        }
        for limit in &config.limits {
            ensure!(
                limit.depth.is_finite() && limit.depth >= 0.0,
                "{}: limit of {:?}: depth must be a number not below 0",
                name(),
                limit.objects
            );
        }
        // A path stands beside the file that names it.
        if let (Some(baseline), Some(folder)) = (&mut config.baseline, file.parent())
            && baseline.as_os_str() != "rest"
        {
            *baseline = folder.join(&*baseline);
        }
        Ok(config)
    }

    /// The limits of pairs of objects.
    pub(crate) fn limits(&self) -> Result<Vec<Limit>> {
        let limit = |table: &LimitTable| {
            Ok(Limit { objects: pattern(&table.objects)?, depth: table.depth })
        };
        self.limits.iter().map(limit).collect()
    }
}

/// A pair of names of a file.
pub(crate) fn pattern(text: &str) -> Result<PairPattern> {
    text.parse().map_err(|error: String| anyhow!("{text:?}: {error}"))
}
