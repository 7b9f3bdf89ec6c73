//! Parts of one run: each there once, none of another run.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::check::row::{RunRow, ShardRow};
use crate::clash::row::ClashRun;

/// What stands before the frames of a part.
pub(super) trait Head: Clone + PartialEq {
    fn shard(&self) -> Option<ShardRow>;

    /// The head of the whole run.
    fn whole(&self) -> Self;
}

impl Head for RunRow {
    fn shard(&self) -> Option<ShardRow> {
        self.shard
    }

    fn whole(&self) -> Self {
        Self { shard: None, ..self.clone() }
    }
}

impl Head for ClashRun {
    fn shard(&self) -> Option<ShardRow> {
        self.shard
    }

    fn whole(&self) -> Self {
        Self { shard: None, ..self.clone() }
    }
}

/// Whose output a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Check,
    Clash,
}

/// The question and the version of a file.
pub(super) fn question(file: &Path) -> Result<(Question, u32)> {
    #[derive(Deserialize)]
    struct Seen {
        schema: Option<u32>,
        objects: Option<IgnoredAny>,
        beads: Option<IgnoredAny>,
    }
    let Seen { schema, objects, beads } = read(file)?;
    let question = match (objects, beads) {
        (Some(_), None) => Question::Check,
        (None, Some(_)) => Question::Clash,
        _ => bail!("{}: is not the JSON of `check` or `clash`", file.display()),
    };
    Ok((question, schema.unwrap_or(1)))
}

/// Reads a whole file.
pub(super) fn read<T: DeserializeOwned>(file: &Path) -> Result<T> {
    let name = || file.display().to_string();
    let reader = BufReader::new(File::open(file).with_context(name)?);
    serde_json::from_reader(reader).with_context(name)
}

/// The run that all parts belong to, and for each part of it, in order, which file has it. Each must
/// be there once.
pub(super) fn whole<H: Head>(files: &[PathBuf], heads: &[&H]) -> Result<(H, Vec<usize>)> {
    let Some(first) = heads.first() else { bail!("there is no part") };
    let of = first.shard().map_or(1, |shard| shard.of);
    ensure!(of <= files.len(), "there are {} of {of} parts", files.len());
    let mut found: Vec<Option<usize>> = vec![None; of];
    let whole = first.whole();
    for (place, (file, head)) in files.iter().zip(heads).enumerate() {
        let name = file.display();
        ensure!(
            head.whole() == whole,
            "{name}: is part of another run than {}",
            files[0].display()
        );
        let (number, parts) = head.shard().map_or((1, 1), |shard| (shard.number, shard.of));
        ensure!(parts == of, "{name}: is a part of {parts}, not of {of}");
        let Some(known) = number.checked_sub(1).and_then(|at| found.get_mut(at)) else {
            bail!("{name}: there is no part {number} of {of}");
        };
        if let Some(other) = known.replace(place) {
            bail!("{name}: is part {number}, and so is {}", files[other].display());
        }
    }
    if let Some(missing) = found.iter().position(Option::is_none) {
        bail!("part {} of {of} is missing", missing + 1);
    }
    Ok((whole, found.into_iter().flatten().collect()))
}
