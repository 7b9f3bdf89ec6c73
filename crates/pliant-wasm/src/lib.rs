//! pliant for JavaScript: what the npm package `pliant` is built from (npm/pliant).
//!
//! Numbers go in and come out as flat typed arrays: three per point, two per pair. One thread; the
//! answers are those of the library on any number of them. The package around it, in JavaScript,
//! gives back memory and says when the module has stopped.

mod arrays;
mod body;
mod drawn;
mod error;
mod kinds;
mod results;
mod scene;
mod world;

use wasm_bindgen::prelude::*;

/// The version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Lets a defect of the library end as an error that says what and where. The module must not be used
/// after it: the package makes sure of that.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        wasm_bindgen::throw_str(&format!("pliant stopped: {info}"));
    }));
}
