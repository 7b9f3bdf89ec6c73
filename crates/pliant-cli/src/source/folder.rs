//! Folders as arguments: all models in them.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use pliant_io::MODEL_EXTENSIONS;

use super::FileArgument;

/// Files of one folder, at the most.
const MAX_FILES: usize = 100_000;

/// The arguments, with each folder replaced by the models in it, by name. Folders in folders are
/// not opened.
pub(super) fn opened(files: &[FileArgument]) -> Result<Vec<FileArgument>> {
    let mut all = Vec::with_capacity(files.len());
    for file in files {
        if file.cache.is_some() || !file.model.is_dir() {
            all.push(file.clone());
            continue;
        }
        let folder = &file.model;
        let mut models = Vec::new();
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry.with_context(|| folder.display().to_string())?.path();
            if is_model(&path) && path.is_file() {
                ensure!(
                    models.len() < MAX_FILES,
                    "{}: more than {MAX_FILES} models are in this folder",
                    folder.display()
                );
                models.push(path);
            }
        }
        ensure!(!models.is_empty(), "{}: there is no model in this folder", folder.display());
        models.sort();
        all.extend(models.into_iter().map(|model| FileArgument { model, cache: None }));
    }
    Ok(all)
}

fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    MODEL_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}
