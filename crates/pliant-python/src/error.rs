//! Errors as Python exceptions.

use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};

create_exception!(
    pliant,
    PliantError,
    PyValueError,
    "An input that was refused. The message names the element and the reason."
);

/// Any error of the library's crates: its message names the element.
pub(crate) fn refused(error: impl std::fmt::Display) -> PyErr {
    PliantError::new_err(error.to_string())
}
