//! A run that was stopped, as a file: what was asked, how far it came, and the state of all bodies.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};

use crate::write::write_to;

/// The first line.
const MAGIC: &str = "pliant checkpoint 1";

/// What a run was asked for and how far it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// A built-in scene or a file.
    pub(super) scene: String,
    pub(super) bodies: Option<usize>,
    pub(super) level: Option<u32>,
    pub(super) seed: u64,
    pub(super) steps: u64,
    /// The length of the recorded motion in bytes.
    pub(super) motion_bytes: u64,
    /// Seconds spent on steps.
    pub(super) seconds: f64,
}

/// Where the motion that belongs to a checkpoint is recorded.
pub(super) fn motion_file(checkpoint: &Path) -> PathBuf {
    let mut name = checkpoint.as_os_str().to_owned();
    name.push(".motion");
    name.into()
}

/// Writes a checkpoint: a line that says what it is, a line of JSON, and the state.
pub(super) fn write(file: &Path, asked: &Asked, state: &[u8]) -> Result<()> {
    let json = serde_json::to_string(asked)?;
    write_to(file, |out| {
        writeln!(out, "{MAGIC}\n{json}")?;
        out.write_all(state)
    })
}

/// Reads a checkpoint.
pub(super) fn read(file: &Path) -> Result<(Asked, Vec<u8>)> {
    let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
    let mut parts = bytes.splitn(3, |&byte| byte == b'\n');
    let is_one = parts.next() == Some(MAGIC.as_bytes());
    ensure!(is_one, "{}: not a checkpoint of pliant simulate", file.display());
    let asked = serde_json::from_slice(parts.next().unwrap_or_default())
        .map_err(|error| anyhow!("{}: line 2: {error}", file.display()))?;
    Ok((asked, parts.next().unwrap_or_default().to_vec()))
}
