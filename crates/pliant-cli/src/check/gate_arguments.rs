//! What the command line and `pliant.toml` say of contacts that count and contacts that fail.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::baseline::Baseline;
use super::config::{Config, pattern};
use super::filter::Filter;
use super::gate::{Gate, Touching};
use crate::number::not_negative;
use crate::pattern::PairPattern;

/// What the command line says.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct GateArguments {
    /// Look only at these pairs of objects: two names with a colon between them, in which `*`
    /// stands for any text; one name alone is paired with anything. May be given several times.
    #[arg(long, value_name = "A:B")]
    only: Vec<PairPattern>,
    /// Do not look at these pairs of objects.
    #[arg(long, value_name = "A:B")]
    ignore: Vec<PairPattern>,
    /// Whether objects that merely touch are in contact.
    #[arg(long, value_enum)]
    touching: Option<Touching>,
    /// Contacts that are known to be less deep do not count.
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = not_negative)]
    min_depth: Option<f64>,
    /// Exit with code 1 if anything is in contact that counts.
    #[arg(long)]
    fail_on_contact: bool,
    /// Exit with code 1 if contacts are new or deeper than in this file, which --update-baseline
    /// writes; `rest` stands for the contacts at rest.
    #[arg(long, value_name = "FILE|rest")]
    baseline: Option<PathBuf>,
    /// Write the baseline instead of comparing with it.
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// Read options from this file instead of pliant.toml in the current folder.
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
}

/// What counts and what fails, from command line and file together.
#[derive(Debug)]
pub(crate) struct Gates {
    pub(crate) filter: Filter,
    pub(crate) gate: Gate,
    /// Whether the baseline is what is in contact at rest.
    pub(crate) from_rest: bool,
    /// The baseline to write.
    pub(crate) update: Option<PathBuf>,
}

impl GateArguments {
    /// The file beside the command line.
    pub(crate) fn config(&self) -> Result<Config> {
        Config::find(self.config.as_deref())
    }

    /// Whether nothing is asked but to fail on contact, which is all that clashes know.
    pub(crate) fn is_plain(&self) -> bool {
        self.only.is_empty()
            && self.ignore.is_empty()
            && self.touching.is_none()
            && self.min_depth.is_none()
            && self.baseline.is_none()
            && self.config.is_none()
    }

    /// Whether contacts fail.
    pub(crate) fn fails_on_contact(&self) -> bool {
        self.fail_on_contact
    }

    /// Joins both.
    pub(crate) fn gates(&self, config: &Config) -> Result<Gates> {
        let of_file = |texts: &[String]| -> Result<Vec<PairPattern>> {
            texts.iter().map(|text| pattern(text)).collect()
        };
        let mut only: Vec<PairPattern> = of_file(&config.only)?;
        let mut ignore: Vec<PairPattern> = of_file(&config.ignore)?;
        only.extend(self.only.iter().cloned());
        ignore.extend(self.ignore.iter().cloned());
        let baseline = self.baseline.as_ref().or(config.baseline.as_ref());
        let from_rest = baseline.is_some_and(|file| file.as_os_str() == "rest");
        ensure!(
            !(from_rest && self.update_baseline),
            "--baseline rest is found by itself: there is nothing to update"
        );
        let known = match baseline {
            Some(file) if !from_rest && !self.update_baseline => Some(Baseline::read(file)?),
            _ => None,
        };
        let gate = Gate {
            touching: self.touching.or(config.touching).unwrap_or_default(),
            min_depth: self.min_depth.or(config.min_depth).unwrap_or(0.0),
            fail_on_contact: self.fail_on_contact || config.fail_on_contact,
            limits: config.limits()?,
            baseline: known,
        };
        let update = baseline.filter(|_| self.update_baseline).cloned();
        Ok(Gates { filter: Filter { only, ignore }, gate, from_rest, update })
    }
}
