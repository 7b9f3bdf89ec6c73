//! Writes the JavaScript around a module that cargo has built: `pliant-bindgen MODULE.wasm FOLDER`.
//!
//! What the program `wasm-bindgen --target web` does, without what that one brings for tests: it
//! builds in a fraction of the time, and its lock file says exactly which version.

use std::path::PathBuf;

use anyhow::{Context, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let given: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, folder] = &given[..] else {
        bail!("usage: pliant-bindgen MODULE.wasm FOLDER");
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(true);
    // Names of functions are a tenth of the size.
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder).with_context(|| format!("{}", module.display()))
}
