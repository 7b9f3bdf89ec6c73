//! A folder for what two programs exchange.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// A folder that is gone afterwards.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder; `name` says for whom.
    pub(super) fn new(name: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("pliant_{name}_{}", std::process::id()));
        fs::create_dir(&folder).with_context(|| folder.display().to_string())?;
        Ok(Self(folder))
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // There is no caller to report an error to.
        let _ = fs::remove_dir_all(&self.0);
    }
}
