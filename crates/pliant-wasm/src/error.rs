//! Errors: an `Error` of JavaScript with the library's words, which name the element.

use wasm_bindgen::prelude::*;

pub(crate) type Result<T> = std::result::Result<T, JsError>;

pub(crate) fn refused(reason: impl std::fmt::Display) -> JsError {
    JsError::new(&reason.to_string())
}
